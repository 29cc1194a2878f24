mod faults;
mod offers;
mod properties;

use std::path::Path;

use serde_json::json;

use super::*;

const FILE: Reading<'static> = Reading { home: None, lasting: Lasting::File };
const TODAY: Date = Date::constant(2026, 11, 30);

fn home() -> Reading<'static> {
    Reading { home: Some(Path::new("/home/ada")), lasting: Lasting::File }
}

fn rules(text: &str) -> Vec<Rule> {
    let parsed = parse(text, home());
    assert_eq!(parsed.fault, None, "{text}");
    parsed.rules.into_iter().map(|(_, rule)| rule).collect()
}

fn rule(effect: &str, keys: &str) -> Rule {
    rules(&format!("[[{effect}]]\n{keys}")).remove(0)
}

fn case(call: &str, subject: Subject) -> Case {
    Case {
        call: call.to_owned(),
        input: json!({}),
        subject,
        agent: vec!["main".to_owned()],
        base: "/tally".into(),
    }
}

fn words(argv: &[&str]) -> Vec<String> {
    argv.iter().map(|word| (*word).to_owned()).collect()
}

fn program(argv: &[&str]) -> Case {
    run(argv, Level::Workspace, false, &[])
}

fn run(argv: &[&str], seal: Level, network: bool, writes: &[&str]) -> Case {
    let run = Reached { cwd: "/tally".to_owned(), seal, network, writes: words(writes) };
    case("process.run", Subject::Program { argv: words(argv), run: Box::new(run) })
}

fn file(call: &str, real: &str) -> Case {
    case(call, Subject::path(Path::new(real)))
}

#[track_caller]
fn check(rule: &Rule, rows: &[(Case, bool)]) {
    for (case, expected) in rows {
        assert_eq!(rule.matches(case, TODAY), *expected, "{} on {case:?}", rule.text());
    }
}

/// What was chained after one allowed command in a peer's program, and ran.
pub(crate) const CHAINED: [&str; 15] = [
    "git status; touch PWNED",
    "git status && touch PWNED",
    "git status | tee PWNED",
    "git status &\ntouch PWNED",
    "git status\ntouch PWNED",
    "git status $(touch PWNED)",
    "git status `touch PWNED`",
    "git -c core.pager='touch PWNED' -p log",
    "git status >PWNED",
    "GIT_EXTERNAL_DIFF='touch PWNED' git diff",
    "git\tstatus\r\ntouch PWNED",
    "env git status; touch PWNED",
    "/usr/bin/git status",
    "./git status",
    "GIT STATUS",
];

#[test]
fn a_rule_for_one_command_lets_nothing_chained_after_it_through() {
    let exact = rule("allow", "call = \"process.run\"\nargs = [\"git\", \"status\"]");
    check(&exact, &[(program(&["git", "status"]), true)]);
    for text in CHAINED {
        let mut list: Vec<&str> = text.split(' ').collect();
        check(&exact, &[(program(&[text]), false), (program(&list), false)]);
        check(&exact, &[(program(&["sh", "-c", text]), false)]);
        list.insert(0, "git");
        check(&exact, &[(program(&list), false)]);
    }
    // With further arguments allowed, a string is still one argument and never read by a shell.
    let wide = rule("allow", "call = \"process.run\"\nargs = [\"git\", \"status\", \"**\"]");
    for text in CHAINED {
        check(&wide, &[(program(&[text]), false), (program(&["sh", "-c", text]), false)]);
    }
}

#[test]
fn an_allow_for_a_program_covers_its_words_and_its_bounds() {
    let plain =
        rule("allow", "call = \"process.run\"\nargs = [\"cargo\", \"test\", \"*\", \"**\"]");
    check(
        &plain,
        &[
            (program(&["cargo", "test", "--lib"]), true),
            (program(&["cargo", "test", "--lib", "lex", "--"]), true),
            (program(&["cargo", "test"]), false),
            (program(&["cargo", "clippy", "--lib"]), false),
            (run(&["cargo", "test", "x"], Level::Sealed, false, &[]), true),
            (run(&["cargo", "test", "x"], Level::Open, false, &[]), false),
            (run(&["cargo", "test", "x"], Level::Workspace, true, &[]), false),
            (run(&["cargo", "test", "x"], Level::Workspace, false, &["/tally/.git"]), false),
            (file("process.run", "/tally/x"), false),
        ],
    );
    let wide = rule(
        "allow",
        "call = \"process.run\"\nargs = [\"git\", \"fetch\"]\nseal = \"open\"\nnetwork = true\n\
         path = [\".git\", \"/srv/**\"]",
    );
    let git = |network, writes| run(&["git", "fetch"], Level::Open, network, writes);
    check(
        &wide,
        &[
            (git(true, &[]), true),
            (git(true, &["/tally/.git"]), true),
            (git(false, &["/tally/.git", "/srv/x"]), true),
            (git(true, &["/tally/.github"]), false),
            (git(true, &["/"]), false),
        ],
    );
    let flat = rule("allow", "call = \"process.run\"\nargs = [\"make-docs\"]\npath = \"docs/*\"");
    // To write a folder is to write all that is in it.
    check(&flat, &[(run(&["make-docs"], Level::Workspace, false, &["/tally/docs/a"]), false)]);
}

#[test]
fn an_allow_never_reaches_a_program_that_starts_elsewhere() {
    let rule = rule("allow", "call = \"process.run\"\nargs = [\"git\", \"status\"]");
    let mut elsewhere = program(&["git", "status"]);
    let Subject::Program { run, .. } = &mut elsewhere.subject else { unreachable!() };
    run.cwd = "/tmp/other".to_owned();
    check(&rule, &[(elsewhere, false)]);
}

#[test]
fn paths_are_matched_where_they_really_are() {
    let docs = rule("allow", "call = \"files.*\"\npath = [\"docs/**\", \"~/notes/*.md\"]");
    check(
        &docs,
        &[
            (file("files.write", "/tally/docs/a/b.md"), true),
            (file("files.edit", "/home/ada/notes/x.md"), true),
            (file("files.write", "/home/ada/notes/sub/x.md"), false),
            (file("files.write", "/tally/doc/a"), false),
            (file("files.write", "/elsewhere/docs/a"), false),
            (file("files.write", "/tally/docs/\u{fffd}"), false),
            (file("filesystem.write", "/tally/docs/a"), false),
        ],
    );
    let all = rule("allow", "call = \"files.*\"\npath = [\"**\", \".github/*.yml\"]");
    check(
        &all,
        &[
            (file("files.write", "/tally/src/a"), true),
            (file("files.write", "/tally/.github/a.yml"), true),
            (file("files.write", "/tally/.github/a.sh"), false),
            (file("files.write", "/tally/.git/hooks/a"), false),
            (file("files.write", "/tally/sub/.ENVRC"), false),
        ],
    );
    let deny = rule("deny", "call = \"files.*\"\npath = \"secrets/**\"");
    check(
        &deny,
        &[
            (file("files.read", "/tally/secrets/key"), true),
            (file("files.read", "/tally/SECRETS/key"), true),
            (file("files.read", "/tally/secret"), false),
        ],
    );
}

#[test]
fn a_deny_finds_a_program_by_any_path_and_a_place_inside_of_what_is_asked_for() {
    let push = rule("deny", "call = \"process.run\"\nargs = [\"git\", \"push\", \"**\"]");
    check(
        &push,
        &[
            (program(&["git", "push"]), true),
            (program(&["/usr/bin/git", "push", "-f"]), true),
            (program(&["git", "pull"]), false),
        ],
    );
    let hooks = rule("deny", "call = \"*\"\npath = \".git/hooks/**\"");
    let writes = |places: &[&str]| run(&["x"], Level::Workspace, false, places);
    check(
        &hooks,
        &[
            (writes(&["/tally/.git"]), true),
            (writes(&["/tally/.git/hooks"]), true),
            (writes(&["/tally/.git/hooks/a"]), true),
            (writes(&["/"]), true),
            (writes(&["/tally/.git/refs"]), false),
            (writes(&[]), false),
        ],
    );
    let network = rule("ask", "call = \"process.*\"\nnetwork = true");
    check(&network, &[(run(&["x"], Level::Sealed, true, &[]), true), (program(&["x"]), false)]);
    let open = rule("deny", "call = \"*\"\nseal = \"open\"");
    check(
        &open,
        &[
            (run(&["x"], Level::Open, false, &[]), true),
            (program(&["x"]), false),
            (case("execute_code", Subject::Code { seal: Level::Open }), true),
            (case("execute_code", Subject::Code { seal: Level::Sealed }), false),
        ],
    );
}

#[test]
fn a_script_is_allowed_by_its_seal_or_as_a_whole() {
    let code = |seal| case("execute_code", Subject::Code { seal });
    let workspace = rule("allow", "call = \"execute_code\"\nseal = \"workspace\"");
    check(&workspace, &[(code(Level::Workspace), true), (code(Level::Open), false)]);
    let exact =
        rule("allow", "call = \"execute_code\"\ninput = '{\"code\":\"1\"}'\nseal = \"open\"");
    let mut same = code(Level::Open);
    check(&exact, &[(same.clone(), false)]);
    same.input = json!({ "code": "1" });
    check(&exact, &[(same, true)]);
}

#[test]
fn hosts_match_by_name_and_below() {
    let host = |host: &str| case("web.fetch", Subject::Host { host: host.to_owned() });
    let below = rule("allow", "call = \"web.fetch\"\nhost = \"*.python.org\"");
    check(
        &below,
        &[
            (host("docs.python.org"), true),
            (host("DOCS.Python.org."), true),
            (host("python.org"), false),
            (host("evilpython.org"), false),
            (host("docs.python.org.evil.example"), false),
        ],
    );
}

#[test]
fn agents_workspaces_and_days_narrow_a_rule() {
    let of = |agent: &[&str]| Case { agent: words(agent), ..file("files.write", "/tally/a") };
    let exact = rule("allow", "call = \"files.write\"\npath = \"**\"\nagents = \"main\"");
    check(&exact, &[(of(&["main"]), true), (of(&["main", "x"]), false)]);
    let below = rule("allow", "call = \"files.write\"\npath = \"**\"\nagents = \"main/**\"");
    check(
        &below,
        &[
            (of(&["main"]), true),
            (of(&["main", "x", "y"]), true),
            (of(&["mainly"]), false),
            (of(&["x/main", "y"]), false),
        ],
    );
    let one = rule("allow", "call = \"files.write\"\npath = \"**\"\nagents = \"*/x\"");
    check(&one, &[(of(&["main/x"]), false), (of(&["a", "x"]), true)]);
    // What is denied to an agent is denied to those that it starts.
    let deny = rule("deny", "call = \"files.write\"\nagents = \"main\"");
    check(&deny, &[(of(&["main", "x"]), true), (of(&["other"]), false)]);
    let here = rule("allow", "call = \"files.write\"\npath = \"**\"\nwhere = \"/tally\"");
    check(&here, &[(of(&["main"]), true)]);
    let there = rule("allow", "call = \"files.write\"\npath = \"**\"\nwhere = \"~/tally\"");
    check(&there, &[(of(&["main"]), false)]);
    for (day, counts) in [("2026-11-30", true), ("2026-11-29", false)] {
        let rule = rule("deny", &format!("call = \"files.write\"\nuntil = \"{day}\""));
        check(&rule, &[(of(&["main"]), counts)]);
    }
}

#[test]
fn a_rule_is_about_a_whole_capability_only_without_further_keys() {
    assert!(rule("deny", "call = \"process.*\"\nagents = \"main\"").is_outright());
    assert!(!rule("deny", "call = \"process.run\"\nnetwork = true").is_outright());
    assert!(!rule("deny", "call = \"files.*\"\npath = \"a\"").is_outright());
}

#[test]
fn the_text_of_a_rule_says_all_of_it_again() {
    let text = "[[allow]]\ncall = \"process.run\"\nargs = [\"git\", \"fetch\"]\npath = [\"a\", \"b\"]\n\
                seal = \"open\"\nnetwork = true\nagents = \"main/**\"\nwhere = \"/tally\"\n\
                until = \"2027-01-01\"\n";
    assert_eq!(rules(text)[0].text(), text);
}

#[test]
fn what_narrows_in_a_workspace_narrows_in_a_worktree_of_it_and_what_allows_does_not() {
    use std::sync::Arc;

    use crate::kernel::gate::law::{Law, Layer, Placed, Rules};

    let text = "[[deny]]\ncall = \"files.write\"\npath = \"secret/**\"\n\
                [[allow]]\ncall = \"files.write\"\npath = \"src/**\"\n\
                [[ask]]\ncall = \"files.write\"\npath = \"make/**\"\nwhere = \"/tally\"\n";
    let files = Arc::new(Rules::default());
    let placed = |rule| Placed::new(rule, Layer::User, "rules.toml", 1);
    files.replace(rules(text).into_iter().map(placed).collect());
    let above = Law::new(files, Path::new("/tally"));
    let law = above.in_worktree(Path::new("/data/1/tally"), Path::new("/tally"));
    let inner = law.in_worktree(Path::new("/data/2/tally"), Path::new("/data/1/tally"));
    let said = |law: &Law, call: &str, subject: Subject| {
        let case = law.case(call, json!({}), subject, &["main".to_owned()]);
        law.judge(&case).map(|(effect, _)| effect)
    };
    for (law, root) in [(&law, "/data/1/tally"), (&inner, "/data/2/tally")] {
        let write = |path: &str| {
            let subject = Subject::path(Path::new(&format!("{root}/{path}")));
            said(law, "files.write", subject)
        };
        assert_eq!(write("secret/a"), Some(Effect::Deny), "{root}");
        assert_eq!(write("src/a"), None, "{root}");
        assert_eq!(write("make/a"), Some(Effect::Ask), "{root}");
    }
    let there = |path: &str| said(&law, "files.write", Subject::path(Path::new(path)));
    assert_eq!(there("/tally/src/a"), Some(Effect::Allow), "the place that it names");
    assert_eq!(there("/data/1/tallyx/secret/a"), None);
}
