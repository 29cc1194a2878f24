use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::kernel::{
    capability::{Body, Category, Preview, Reach},
    event::{Call, Origin},
    gate::{
        approval::Question,
        law::{Layer, Placed, judge},
        policy::{Runs, Verdict, ruled, strictest},
    },
    spec::Mode,
};

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
    case(call, Subject::Path { real: real.to_owned() })
}

#[track_caller]
fn check(rule: &Rule, rows: &[(Case, bool)]) {
    for (case, expected) in rows {
        assert_eq!(rule.matches(case, TODAY), *expected, "{} on {case:?}", rule.text());
    }
}

/// The strings of a peer's fault: a rule for one command let through what was chained after it.
const CHAINED: [&str; 15] = [
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
fn a_fault_is_told_with_its_place_and_what_to_do() {
    let rows = [
        ("[[allow]]\ncall = \"*\"\n", "2:8: this would allow every call there is"),
        ("[[allow]]\ncall = \"files.*\"\n", "2:8: this would allow everything that a module does"),
        ("[[allow]]\ncall = \"process.run\"\n", "2:8: this does not say what process.run may do"),
        (
            "[[allow]]\ncall = \"a.b\"\npaths = \"x\"\n",
            "3:1: `paths` is no setting\ndid you mean `path`?",
        ),
        ("[[alow]]\ncall = \"a.b\"\n", "1:3: `alow` is no setting\ndid you mean `allow`?"),
        ("[[deny]]\ncall = \"a b\"\n", "2:8: \"a b\" names no call"),
        ("[[deny]]\ncall = 3\n", "2:8: invalid type: integer `3`, expected a string"),
        ("[[deny]]\ncall = \"a.b\"\npath = \"../x\"\n", "3:8: \"../x\" can match nothing"),
        ("[[deny]]\ncall = \"a.b\"\npath = []\n", "3:8: `path` is empty"),
        ("[[deny]]\ncall = \"a.b\"\npath = \"x[\"\n", "3:8: \"x[\" is no pattern"),
        ("[[deny]]\ncall = \"a.b\"\nargs = [\"**\"]\n", "3:8: `args` names no program"),
        ("[[deny]]\ncall = \"a.b\"\nargs = [\"a\", \"**\", \"b\"]\n", "3:8: `**` stands for any"),
        ("[[deny]]\ncall = \"a.b\"\nuntil = \"session\"\n", "3:9: what is in a file outlives"),
        ("[[deny]]\ncall = \"a.b\"\nuntil = \"soon\"\n", "3:9: \"soon\" is no time"),
        ("[[deny]]\ncall = \"a.b\"\nwhere = \"here\"\n", "3:9: \"here\" is no place"),
        ("[[deny]]\ncall = \"a.b\"\nagents = \"a//b\"\n", "3:10: \"a//b\" names no agent"),
        ("[[deny]]\ncall = \"a.b\"\nhost = \"a b\"\n", "3:8: \"a b\" is no host"),
        ("[[deny]]\ncall = \"a.b\"\ninput = \"[]\"\n", "3:9: `input` is no object"),
        ("[[deny]]\ncall = \"a.b\"\npath = \"~/x\"\n", "3:8: nobody knows here where `~` is"),
        ("[[deny]\n", "1:8:"),
    ];
    for (text, expected) in rows {
        let fault = parse(text, FILE).fault.unwrap_or_else(|| panic!("{text} is taken"));
        assert!(fault.to_string().starts_with(expected), "{text}\n{fault}");
        assert!(!fault.hint.is_empty());
    }
}

#[test]
fn interpreters_and_wrappers_are_only_allowed_word_for_word() {
    let programs = [
        "bash",
        "/bin/sh",
        "python",
        "python3.12",
        "PYTHON.EXE",
        "env",
        "xargs",
        "sudo",
        "nohup",
        "timeout",
        "nice",
        "find",
        "ssh",
        "docker",
        "make",
        "node",
        "uvx",
        "git",
        "cargo",
    ];
    for program in programs {
        for rest in ["\"**\"", "\"*\""] {
            let text =
                format!("[[allow]]\ncall = \"process.run\"\nargs = [\"{program}\", {rest}]\n");
            let fault = parse(&text, FILE).fault.unwrap_or_else(|| panic!("{text} is taken"));
            assert_eq!((fault.line, fault.column), (3, 8));
            assert!(fault.hint.contains("write every argument out"), "{fault}");
            // The same may be denied.
            assert_eq!(parse(&text.replace("allow", "deny"), FILE).fault, None);
        }
        let exact = format!("call = \"process.run\"\nargs = [\"{program}\", \"-c\", \"ls\"]");
        rule("allow", &exact);
    }
    for args in ["\"bash\", \"-c\", \"*\"", "\"git\", \"-c\", \"**\"", "\"cargo\", \"run\", \"**\""]
    {
        let text = format!("[[allow]]\ncall = \"process.run\"\nargs = [{args}]\n");
        assert!(parse(&text, FILE).fault.is_some(), "{text}");
    }
    rule("allow", "call = \"process.run\"\nargs = [\"git\", \"log\", \"**\"]");
}

#[test]
fn a_file_with_a_fault_allows_nothing_and_denies_all_that_it_did_or_asks() {
    let good = "[[allow]]\ncall = \"a.b\"\n[[deny]]\ncall = \"c.d\"\n[[ask]]\ncall = \"e.f\"\n";
    let effects = |parsed: &Parsed| -> Vec<(Effect, String)> {
        parsed.rules.iter().map(|(_, rule)| (rule.effect(), rule.says().to_owned())).collect()
    };
    let broken_allow = format!("{good}[[allow]]\ncall = \"*\"\n");
    let parsed = parse(&broken_allow, FILE);
    assert_eq!(parsed.left, Faults::AllowsLost);
    let mut kept = effects(&parsed);
    kept.sort();
    assert_eq!(kept, [(Effect::Ask, "e.f".to_owned()), (Effect::Deny, "c.d".to_owned())]);
    for lost in ["[[deny]]\ncall = \"x y\"\n", "[[denny]]\ncall = \"a.b\"\n", "[[deny]\n"] {
        let parsed = parse(&format!("{good}{lost}"), FILE);
        assert_eq!(parsed.left, Faults::AsksAll, "{lost}");
        let everything = file("files.write", "/anywhere");
        let rules: Vec<_> = parsed
            .rules
            .iter()
            .map(|(_, rule)| Placed::new(rule.clone(), Layer::User, "f", 1))
            .collect();
        assert_eq!(judge(&rules, &everything, TODAY).map(|(effect, _)| effect), Some(Effect::Ask));
    }
}

#[test]
fn a_rule_is_about_a_whole_capability_only_without_further_keys() {
    assert!(rule("deny", "call = \"process.*\"\nagents = \"main\"").is_outright());
    assert!(!rule("deny", "call = \"process.run\"\nnetwork = true").is_outright());
    assert!(!rule("deny", "call = \"files.*\"\npath = \"a\"").is_outright());
}

fn question(case: &Case) -> Question {
    Question {
        id: 1.into(),
        session: 2.into(),
        path: case.agent.clone(),
        call: Call {
            id: 3.into(),
            name: case.call.clone(),
            input: case.input.clone(),
            origin: Origin::Model,
            parent: None,
        },
        category: Category::Write,
        preview: Preview {
            object: String::new(),
            facts: Vec::new(),
            wider: Vec::new(),
            reach: Reach::Outside,
            body: Body::Text { text: String::new() },
            subject: case.subject.clone(),
        },
        script: None,
        monitor: None,
    }
}

type Offer = fn(&Question, &str, Lasting) -> String;

fn proposed(offer: Offer, case: &Case, lasting: Lasting) -> Rule {
    let text = offer(&question(case), "/tally", lasting);
    parse_one(&text, Reading { home: None, lasting })
        .unwrap_or_else(|fault| panic!("{text}\n{fault}"))
}

#[test]
fn the_narrowest_rule_covers_its_call_and_nothing_beside_it() {
    let unlike = |case: &Case| {
        let agent = vec!["main".to_owned(), "child".to_owned()];
        [
            Case { agent, ..case.clone() },
            Case { base: "/other".into(), ..case.clone() },
            Case { call: format!("{}x", case.call), ..case.clone() },
        ]
    };
    let rows = [
        (program(&["git", "status"]), vec![program(&["git", "status", "-s"]), program(&["git"])]),
        (
            program(&["ls", "*"]),
            vec![program(&["ls", "x"]), run(&["ls", "*"], Level::Open, false, &[])],
        ),
        (
            run(&["git", "fetch"], Level::Workspace, true, &["/tally/.git", "/srv/*"]),
            vec![run(&["git", "fetch"], Level::Workspace, true, &["/srv/x"])],
        ),
        (program(&["bash", "-c", "a \"b\" 'c'\n\u{202e}"]), vec![program(&["bash", "-c", "b"])]),
        (file("files.write", "/tally/a[b]*{c}?.md"), vec![file("files.write", "/tally/abx.md")]),
        (file("files.write", "/tally/~/x"), vec![file("files.write", "/tally/x")]),
        (file("files.write", "/srv/a\\b"), vec![file("files.write", "/srv/ab")]),
        (case("execute_code", Subject::Code { seal: Level::Open }), vec![]),
        (case("web.fetch", Subject::Host { host: "docs.rs".to_owned() }), vec![]),
        (case("probe.send", Subject::Other), vec![]),
        (case("install_packages", Subject::Packages { asked: words(&["six"]) }), vec![]),
    ];
    for (mut case, others) in rows {
        let input = json!({ "what": "exactly this" });
        case.input = input.clone();
        let offers: [(Offer, Lasting); 4] = [
            (propose, Lasting::Session),
            (propose, Lasting::File),
            (exactly, Lasting::Session),
            (exactly, Lasting::File),
        ];
        for (offer, lasting) in offers {
            let rule = proposed(offer, &case, lasting);
            assert!(rule.matches(&case, TODAY), "{} on {case:?}", rule.text());
            let others = others.iter().map(|other| {
                // Only what is named by its exact input has that input.
                let input =
                    if other.subject == case.subject { json!({}) } else { json!({ "n": 1 }) };
                Case { input, ..other.clone() }
            });
            for other in others.chain(unlike(&case)) {
                assert!(!rule.matches(&other, TODAY), "{} on {other:?}", rule.text());
            }
        }
    }
}

#[test]
fn the_text_of_a_rule_says_all_of_it_again() {
    let text = "[[allow]]\ncall = \"process.run\"\nargs = [\"git\", \"fetch\"]\npath = [\"a\", \"b\"]\n\
                seal = \"open\"\nnetwork = true\nagents = \"main/**\"\nwhere = \"/tally\"\n\
                until = \"2027-01-01\"\n";
    assert_eq!(rules(text)[0].text(), text);
}

/// A few words that meet often enough.
fn some_rule() -> impl Strategy<Value = Rule> {
    let effect = prop_oneof![Just("allow"), Just("ask"), Just("deny")];
    let keys = prop_oneof![
        Just("call = \"files.write\"\npath = \"a\""),
        Just("call = \"files.*\"\npath = \"*\""),
        Just("call = \"files.write\"\npath = \"b/**\""),
        Just("call = \"process.run\"\nargs = [\"ls\", \"**\"]"),
        Just("call = \"process.run\"\nargs = [\"ls\"]\nseal = \"open\"\nnetwork = true"),
        Just("call = \"process.*\"\nargs = [\"rg\", \"*\"]\npath = \"b\""),
        Just("call = \"execute_code\"\nseal = \"workspace\""),
    ];
    let agents = prop_oneof![Just(""), Just("\nagents = \"main\""), Just("\nagents = \"main/**\"")];
    (effect, keys, agents)
        .prop_map(|(effect, keys, agents)| rule(effect, &format!("{keys}{agents}")))
}

fn some_case() -> impl Strategy<Value = Case> {
    let seal = prop_oneof![Just(Level::Sealed), Just(Level::Workspace), Just(Level::Open)];
    let writes =
        prop_oneof![Just(vec![]), Just(vec!["/tally/b"]), Just(vec!["/tally/a", "/tally/b"])];
    let argv = prop_oneof![Just(vec!["ls"]), Just(vec!["ls", "x"]), Just(vec!["rg", "x"])];
    let programs = (argv, seal, any::<bool>(), writes)
        .prop_map(|(argv, seal, network, writes)| run(&argv, seal, network, &writes));
    let files = prop_oneof![Just("/tally/a"), Just("/tally/b/c"), Just("/other/a")]
        .prop_map(|real| file("files.write", real));
    let agents = prop_oneof![Just(vec!["main"]), Just(vec!["main", "x"]), Just(vec!["other"])];
    (prop_oneof![programs, files], agents)
        .prop_map(|(case, agent)| Case { agent: words(&agent), ..case })
}

fn placed(rules: &[Rule]) -> Vec<Placed> {
    let layers = [Layer::Admin, Layer::User, Layer::Project, Layer::Session];
    let place = |(at, rule): (usize, &Rule)| Placed::new(rule.clone(), layers[at % 4], "f", at + 1);
    rules.iter().enumerate().map(place).collect()
}

fn verdict(rules: &[Placed], case: &Case, mode: Mode, least: Verdict) -> Verdict {
    let (by_mode, _) = strictest([mode], Category::Execute, Reach::Outside);
    ruled(by_mode, least, judge(rules, case, TODAY).map(|(effect, _)| effect))
}

fn some_mode() -> impl Strategy<Value = Mode> {
    proptest::sample::select(Mode::ALL.to_vec())
}

fn some_least() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(Verdict::Allow), Just(Runs::Asked.least(Category::Execute))]
}

proptest! {
    #[test]
    fn the_order_of_rules_and_layers_makes_no_difference(
        (rules, shuffled) in proptest::collection::vec(some_rule(), 0..6)
            .prop_flat_map(|rules| (Just(rules.clone()), Just(rules).prop_shuffle())),
        case in some_case(), mode in some_mode(), least in some_least(),
    ) {
        prop_assert_eq!(
            verdict(&placed(&rules), &case, mode, least),
            verdict(&placed(&shuffled), &case, mode, least),
        );
    }

    #[test]
    fn a_deny_or_an_ask_never_widens_and_an_allow_only_what_it_covers(
        mut rules in proptest::collection::vec(some_rule(), 0..6), added in some_rule(),
        case in some_case(), mode in some_mode(), least in some_least(),
    ) {
        let before = verdict(&placed(&rules), &case, mode, least);
        let covered = added.matches(&case, TODAY);
        let effect = added.effect();
        rules.push(added);
        let after = verdict(&placed(&rules), &case, mode, least);
        prop_assert!(effect == Effect::Allow || after >= before);
        prop_assert!(covered || after == before);
        // Nor what a mode, a setting or another rule forbids.
        prop_assert!(after >= before || before == Verdict::Ask && least == Verdict::Allow);
    }

    #[test]
    fn a_narrower_mode_never_widens(
        rules in proptest::collection::vec(some_rule(), 0..6), case in some_case(),
        one in some_mode(), other in some_mode(), least in some_least(),
    ) {
        let rules = placed(&rules);
        let by_mode = |mode| strictest([mode], Category::Execute, Reach::Outside).0;
        let (wide, narrow) = if by_mode(one) <= by_mode(other) { (one, other) } else { (other, one) };
        prop_assert!(
            verdict(&rules, &case, narrow, least) >= verdict(&rules, &case, wide, least)
        );
    }

    #[test]
    fn a_child_with_the_same_rules_is_denied_and_asked_whatever_its_parent_is(
        rules in proptest::collection::vec(some_rule(), 0..6), case in some_case(),
    ) {
        let narrowing: Vec<_> = placed(&rules).into_iter()
            .filter(|placed| placed.rule.effect() != Effect::Allow).collect();
        let mut child = case.clone();
        child.agent.push("child".to_owned());
        let of = |case: &Case| judge(&narrowing, case, TODAY).map(|(effect, _)| effect);
        prop_assert!(of(&child) >= of(&case));
    }
}
