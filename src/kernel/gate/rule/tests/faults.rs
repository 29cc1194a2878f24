//! What is no rule, and what becomes of a file with such a thing in it.

use super::*;
use crate::kernel::gate::law::{Layer, Placed, judge};

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
