use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

use proptest::prelude::*;

use super::*;
use crate::executor::seal::{Form, Level, Limits};

fn plan(level: Level) -> Plan {
    let (mut writes, mut guarded) = (vec!["/private/var/folders/s".into()], Vec::new());
    if level == Level::Workspace {
        writes.push("/Users/ann/tally".into());
        guarded = vec!["/Users/ann/tally/.git".into(), "/Users/ann/tally/a/.venv".into()];
    }
    Plan {
        level,
        form: Form::Profile,
        cwd: "/Users/ann/tally".into(),
        reads: vec!["/usr".into(), "/Users/ann/tally".into(), "/private/var/folders/s".into()],
        writes,
        guarded,
        network: false,
        terminal: false,
        channel: Some(7),
        report: None,
        scratch: None,
        limits: Limits::default(),
    }
}

/// A rule: allowed or not, what, and the filters with their names as the system would read them.
type Rule = (bool, Vec<String>, Vec<(String, String)>);

/// Reads a profile back, as far as ours go. Whatever is not of that form is told of.
fn read(profile: &str) -> Result<Vec<Rule>, String> {
    let mut chars = profile.chars().peekable();
    let mut tokens = Vec::new();
    while let Some(char) = chars.next() {
        match char {
            '(' | ')' => tokens.push(char.to_string()),
            '"' => {
                // A text keeps its first quote, so that it is told from a word.
                let mut text = String::from('"');
                loop {
                    match chars.next().ok_or("a text without an end")? {
                        '"' => break,
                        '\\' => text.push(match chars.next().ok_or("half an escape")? {
                            'n' => '\n',
                            'r' => '\r',
                            't' => '\t',
                            'x' => {
                                let digits: String = chars.by_ref().take(2).collect();
                                let code = u8::from_str_radix(&digits, 16);
                                code.map_err(|error| error.to_string())?.into()
                            }
                            other @ ('"' | '\\') => other,
                            other => return Err(format!("no escape: {other:?}")),
                        }),
                        char if char.is_ascii_control() => return Err(format!("a bare {char:?}")),
                        char => text.push(char),
                    }
                }
                tokens.push(text);
            }
            char if char.is_whitespace() => {}
            first => {
                let mut word = String::from(first);
                while let Some(next) = chars.next_if(|c| !c.is_whitespace() && !"()\"".contains(*c))
                {
                    word.push(next);
                }
                tokens.push(word);
            }
        }
    }
    let mut rules = Vec::new();
    let mut tokens = tokens.iter().map(String::as_str).peekable();
    while let Some(token) = tokens.next() {
        if token != "(" {
            return Err(format!("a stray {token:?}"));
        }
        let head = tokens.next().ok_or("an end")?;
        let (mut words, mut filters) = (Vec::new(), Vec::new());
        loop {
            match tokens.next().ok_or("an end")? {
                ")" => break,
                "(" => {
                    let mut parts = Vec::new();
                    while let Some(part) = tokens.next_if(|part| *part != ")") {
                        parts.push(part);
                    }
                    tokens.next();
                    let (name, kind) = parts.split_last().ok_or("an empty filter")?;
                    let name = name.strip_prefix('"').unwrap_or(name);
                    filters.push((kind.join(" "), name.to_owned()));
                }
                word => words.push(word.to_owned()),
            }
        }
        match head {
            "version" if words == ["1"] => {}
            "allow" | "deny" => rules.push((head == "allow", words, filters)),
            other => return Err(format!("no rule: {other}")),
        }
    }
    Ok(rules)
}

fn rules(plan: &Plan) -> Vec<Rule> {
    read(&of(plan).unwrap()).unwrap()
}

/// Whether an operation on a path is allowed: the last rule that matches decides.
fn allows(rules: &[Rule], operation: &str, path: &str) -> bool {
    let is_of = |word: &str| match word.strip_suffix('*') {
        Some(stem) => operation.starts_with(stem),
        None => word == operation || word == "default",
    };
    let matches = |filters: &[(String, String)]| {
        filters.is_empty()
            || filters.iter().any(|(kind, name)| match kind.as_str() {
                "literal" => path == name,
                "subpath" => Path::new(path).starts_with(name),
                _ => false,
            })
    };
    let found = rules
        .iter()
        .rev()
        .find(|(_, words, filters)| words.iter().any(|word| is_of(word)) && matches(filters));
    found.expect("a default").0
}

#[test]
fn a_sealed_run_reads_what_is_listed_and_writes_its_scratch_folder_alone() {
    let rules = rules(&plan(Level::Sealed));
    for (operation, path, expected) in [
        ("file-read-data", "/usr/bin/python3", true),
        ("process-exec", "/usr/bin/python3", true),
        ("process-exec-interpreter", "/usr/bin/python3", true),
        ("file-map-executable", "/usr/lib/libSystem.dylib", true),
        ("file-read-data", "/Users/ann/tally/src/main.py", true),
        ("file-read-data", "/Users/ann/.ssh/id", false),
        ("file-read-metadata", "/Users/ann/.ssh/id", false),
        ("file-map-executable", "/Users/ann/evil.dylib", false),
        ("process-exec", "/Users/ann/evil", false),
        // The way to the workspace is passed, and not listed.
        ("file-read-metadata", "/Users/ann", true),
        ("file-read-data", "/Users/ann", false),
        ("file-read-metadata", "/tmp", true),
        ("file-read-data", "/", true),
        ("file-write-data", "/private/var/folders/s/a", true),
        ("file-write-create", "/private/var/folders/s/a", true),
        ("file-write-data", "/Users/ann/tally/src/main.py", false),
        ("file-write-mode", "/usr/bin/python3", false),
        ("file-link", "/private/var/folders/s/a", false),
        ("file-write-setugid", "/private/var/folders/s/a", false),
        ("file-write-mount", "/private/var/folders/s/a", false),
        ("file-write-data", "/dev/null", true),
        ("file-write-unlink", "/dev/null", false),
        ("file-read-data", "/dev/urandom", true),
        ("file-read-data", "/dev/tty", false),
        ("file-write-data", "/dev/tty", false),
        ("file-ioctl", "/dev/ttys001", false),
        ("pseudo-tty", "", false),
        ("iokit-open", "", false),
        ("appleevent-send", "", false),
        ("job-creation", "", false),
        ("system-socket", "", false),
        ("network-outbound", "", false),
        ("network-outbound", "/private/var/run/mDNSResponder", false),
        ("mach-register", "", false),
        ("user-preference-read", "", false),
        ("process-fork", "", true),
    ] {
        assert_eq!(allows(&rules, operation, path), expected, "{operation} {path}");
    }
}

#[test]
fn a_workspace_is_written_but_for_what_is_guarded_and_nothing_moves_that_away() {
    let rules = rules(&plan(Level::Workspace));
    for (operation, path, expected) in [
        ("file-write-data", "/Users/ann/tally/src/main.py", true),
        ("file-write-unlink", "/Users/ann/tally/src", true),
        ("file-write-data", "/Users/ann/tally/.git/config", false),
        ("file-write-create", "/Users/ann/tally/.git/hooks/new", false),
        ("file-write-unlink", "/Users/ann/tally/.git", false),
        ("file-write-data", "/Users/ann/tally/a/.venv/bin/python", false),
        ("file-write-unlink", "/Users/ann/tally/a", false),
        ("file-write-create", "/Users/ann/tally/a/new", true),
        ("file-write-unlink", "/Users/ann/tally", false),
        ("file-read-data", "/Users/ann/tally/.git/config", true),
        ("file-write-unlink", "/Users/ann", false),
    ] {
        assert_eq!(allows(&rules, operation, path), expected, "{operation} {path}");
    }
}

#[test]
fn of_what_is_written_and_what_is_guarded_the_inner_one_counts() {
    let mut plan = plan(Level::Workspace);
    plan.writes.push("/Users/ann/tally/.git/hooks".into());
    plan.guarded.push("/Users/ann/tally/.git/hooks/.venv".into());
    let rules = rules(&plan);
    for (path, expected) in [
        ("/Users/ann/tally/.git/hooks/new", true),
        ("/Users/ann/tally/.git/hooks/.venv/new", false),
        ("/Users/ann/tally/.git/config", false),
        ("/Users/ann/tally/new", true),
    ] {
        assert_eq!(allows(&rules, "file-write-create", path), expected, "{path}");
    }
}

#[test]
fn signals_services_numbers_and_shared_names_are_bounded() {
    let filters = |operation: &str| {
        let rules = rules(&plan(Level::Workspace));
        let of = rules.into_iter().filter(|(allowed, words, _)| {
            *allowed && words.iter().any(|word| word.trim_end_matches('*') == operation)
        });
        let filters: Vec<_> = of.map(|(_, _, filters)| filters).collect();
        assert!(filters.iter().all(|filters| !filters.is_empty()), "{operation} is unbounded");
        filters.concat()
    };
    for operation in ["signal", "process-info"] {
        assert_eq!(filters(operation), [("target".to_owned(), "same-sandbox".to_owned())]);
    }
    let services = filters("mach-lookup");
    assert!(services.iter().all(|(_, name)| name.contains("opendirectoryd")), "{services:?}");
    // What other processes were started with, and in which environment.
    let numbers = filters("sysctl-read");
    assert!(!numbers.iter().any(|(_, name)| "kern.procargs2.1".starts_with(&**name)));
    assert!(numbers.iter().any(|(_, name)| name == "kern.sysv.semmni"), "Python asks for it");
    for operation in ["ipc-posix-sem", "ipc-posix-shm"] {
        assert!(filters(operation).iter().all(|(kind, _)| kind == "ipc-posix-name-prefix"));
    }
}

#[test]
fn only_a_plan_with_a_network_allows_one() {
    let is_network = |(allowed, words, _): &Rule| {
        *allowed && words.iter().any(|word| word.starts_with("network") || word == "system-socket")
    };
    for network in [false, true] {
        let expected = network;
        let profile = of(&Plan { network, ..plan(Level::Sealed) }).unwrap();
        let rules = read(&profile).unwrap();
        assert_eq!(rules.iter().any(is_network), expected, "{profile}");
        // Sockets by a path lead to other programs of the person.
        assert!(!allows(&rules, "network-outbound", "/private/tmp/agent.sock"));
        let bare = |(_, _, filters): &&Rule| filters.is_empty();
        let bare: Vec<_> = rules.iter().filter(|rule| is_network(rule)).filter(bare).collect();
        assert!(bare.iter().all(|(_, words, _)| words == &["system-socket"]), "{bare:?}");
    }
}

#[test]
fn what_cannot_be_said_is_refused() {
    let odd = Path::new("/w").join(OsStr::from_bytes(b"\xff"));
    for change in [
        |plan: &mut Plan, odd: &Path| plan.reads.push(odd.to_owned()),
        |plan: &mut Plan, odd: &Path| plan.writes.push(odd.to_owned()),
        |plan: &mut Plan, odd: &Path| plan.guarded.push(odd.to_owned()),
        |plan: &mut Plan, odd: &Path| plan.cwd = odd.join("below"),
    ] {
        let mut plan = plan(Level::Workspace);
        change(&mut plan, &odd);
        assert_eq!(of(&plan), Err(NoProfile::Name(odd.clone())));
    }
    let mut plan = plan(Level::Workspace);
    plan.writes.push("/".into());
    assert_eq!(of(&plan), Err(NoProfile::Everything));
}

#[test]
fn a_rule_over_nothing_is_left_out_since_it_would_be_about_everything() {
    let mut plan = plan(Level::Sealed);
    (plan.reads, plan.writes, plan.guarded) = (Vec::new(), Vec::new(), Vec::new());
    let rules = rules(&plan);
    for operation in ["file-write-data", "file-read-data", "process-exec"] {
        assert!(!allows(&rules, operation, "/Users/ann/tally/a"), "{operation}");
    }
}

#[test]
fn the_places_of_the_system_lead_to_nobody() {
    for place in SYSTEM {
        assert!(place.starts_with('/') && !place.ends_with('/'), "{place}");
        for private in ["/Users", "/private/var/folders", "/private/var/root", "/Volumes"] {
            assert!(!Path::new(private).starts_with(place), "{place} holds {private}");
        }
        let people = Path::new("/System/Volumes/Data/Users");
        assert!(!people.starts_with(place), "{place} holds {}", people.display());
        // Links would match nothing.
        assert!(!LINKS.iter().any(|link| Path::new(place).starts_with(link)), "{place}");
    }
    let is_read = |secret: &&str| SYSTEM.iter().any(|place| Path::new(secret).starts_with(place));
    assert!(SYSTEM_SECRETS.iter().all(is_read));
}

/// Paths with whatever could end a text, or begin a rule.
fn path() -> impl Strategy<Value = PathBuf> {
    let name = "[\"\\\\()a-c;#\n\r\t\u{1}\u{7f}é全 ]{1,12}";
    proptest::collection::vec(name, 1..4)
        .prop_map(|names| names.iter().fold(PathBuf::from("/"), |path, name| path.join(name)))
}

fn paths() -> impl Strategy<Value = Vec<PathBuf>> {
    proptest::collection::vec(path(), 0..4)
}

proptest! {
    #[test]
    fn each_path_stands_in_its_rule_as_it_is_and_what_is_guarded_comes_after(
        (reads, writes, mut guarded) in (paths(), paths(), paths()),
        twice: bool,
        cwd in path(),
    ) {
        if twice {
            guarded.extend(writes.first().cloned());
        }
        let plan = Plan { reads, writes, guarded, cwd, ..plan(Level::Workspace) };
        let rules = rules(&plan);
        let named = |allowed: bool, operation: &str| {
            let index = rules.iter().position(|(is, words, filters)| {
                *is == allowed
                    && words.iter().any(|word| word == operation)
                    && filters.iter().all(|(kind, _)| kind == "subpath")
                    && filters.iter().all(|(_, name)| !DEVICES.contains(&&**name))
            });
            let names: Vec<PathBuf> = index.map_or(Vec::new(), |index| {
                rules[index].2.iter().map(|(_, name)| name.into()).collect()
            });
            (index, names)
        };
        let (_, executed) = named(true, "process-exec*");
        let (allow, written) = named(true, "file-write*");
        let (deny, denied) = named(false, "file-write*");
        prop_assert_eq!(&executed, &plan.reads);
        prop_assert_eq!(&written, &plan.writes);
        prop_assert_eq!(&denied, &plan.guarded);
        prop_assert!(deny.is_none() || allow.is_none() || deny > allow);
        let writes = |(allowed, words, _): &&Rule| {
            *allowed && words.iter().any(|word| word.starts_with("file-write"))
        };
        // The devices have another, and so has what lies in something guarded.
        let lies_in = |root: &PathBuf| plan.guarded.iter().any(|guarded| root.starts_with(guarded));
        let most = 2 + usize::from(plan.writes.iter().any(lies_in));
        prop_assert!(rules.iter().filter(writes).count() <= most);
        for guarded in &plan.guarded {
            prop_assert!(!allows(&rules, "file-write-data", guarded.to_str().unwrap()));
        }
    }
}
