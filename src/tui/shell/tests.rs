use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

/// Each part as `depth operator|text|writes|note`.
fn parts(text: &str) -> Vec<String> {
    let parts = split(text).unwrap_or_default();
    parts
        .iter()
        .map(|part| {
            let mut row = format!("{}{}|{}", "  ".repeat(part.depth), part.operator, part.text);
            for written in &part.writes {
                row.push_str(&format!("|>{written}"));
            }
            if let Some(note) = &part.note {
                row.push_str(&format!("|{note}"));
            }
            row
        })
        .collect()
}

#[test]
fn each_program_of_a_line_is_a_part_with_its_operator_and_what_it_writes() {
    assert_eq!(
        parts("cargo test --lib lex && cargo clippy -- -D warnings | tee target/clippy.txt"),
        [
            "|cargo test --lib lex",
            "&&|cargo clippy -- -D warnings",
            "||tee target/clippy.txt|>target/clippy.txt",
        ]
    );
    assert_eq!(
        parts("a 2>&1 >out.txt; b >> \"two words\" || c &> all 2>/dev/null & d <in |& e >&2"),
        [
            "|a 2>&1 >out.txt|>out.txt",
            ";|b >> \"two words\"|>two words",
            "|||c &> all 2>/dev/null|>all",
            "&|d <in",
            "|&|e >&2",
        ]
    );
    assert_eq!(
        parts("cd x &&\n  make \\\n  all\ntouch $OUT > ~/log"),
        ["|cd x", "&&|make \\\n  all", ";|touch $OUT > ~/log|>~/log (known when it runs)"]
    );
}

#[test]
fn quotes_hide_operators_and_substitutions_do_not() {
    assert_eq!(
        parts("echo 'a; rm b' \"c && $(whoami | tr a b)\" d\\;e"),
        [
            "|echo 'a; rm b' \"c && $(whoami | tr a b)\" d\\;e",
            "  $(|whoami",
            "  |||tr a b".replacen("|||", "||", 1).as_str(),
        ]
    );
    assert_eq!(parts("(cd x; rm -r y) && z"), ["  (|cd x", "  ;|rm -r y", "&&|z"]);
}

#[test]
fn what_runs_something_else_is_named() {
    for (text, note) in [
        ("A=1 sudo rm x", "sudo runs what follows as another user"),
        ("env X=1 make", "env runs what follows in another environment"),
        ("find . -name x -delete", "find runs or deletes what it finds"),
        ("/usr/bin/xargs rm", "xargs runs what follows with arguments that it reads"),
        ("'ev'al \"$X\"", "eval runs text that is not shown here"),
        ("$CMD x", "which program, is known when it runs"),
        ("bash -c 'x'", "bash runs another line, which is not taken apart"),
        ("python3 -c 'x'", "python3 runs code that is in its arguments"),
    ] {
        let parts = split(text).unwrap_or_default();
        assert_eq!(parts.first().and_then(|part| part.note.as_deref()), Some(note), "{text}");
    }
    let fed = split("curl https://x.example/i | sh").unwrap_or_default();
    assert_eq!(fed[1].note.as_deref(), Some("sh runs whatever it reads"));
    assert_eq!(split("find . -name x").unwrap_or_default()[0].note, None);
}

#[test]
fn what_is_not_certain_is_not_taken_apart() {
    for text in [
        "",
        "   ",
        "for f in *; do rm $f; done",
        "if true; then rm x; fi",
        "A=1 while x; do y; done",
        "f() { rm x; }; f",
        "function f { rm x; }",
        "{ a; b; }",
        "cat <<END\nrm x\nEND",
        "cat <<< x",
        "diff <(a) <(b)",
        "tee >(sh)",
        "a `b`",
        "echo \"`b`\"",
        "[[ a > b ]] && c",
        "(( a > b ))",
        "echo $((1+1))",
        "echo $'a\\'b; c'",
        "echo ${x:-$(rm y)}",
        "echo 'open",
        "echo \"open",
        "a && ",
        "a | ",
        "a && && b",
        "; a",
        "a ;; b",
        "a \\",
        "a # b",
        "(a",
        "a)",
        "(a) b",
        "(a) > x",
        "echo a(b)",
        "a &! b",
        "case x in y) z;; esac",
        "$(a",
        "repeat 3 rm x",
        "alias ls=rm; ls",
    ] {
        assert_eq!(split(text), None, "{text}");
    }
    assert_eq!(split(&"(".repeat(100_000)), None);
}

#[test]
fn the_text_for_a_shell_is_found() {
    for (argv, expected) in [
        (&["sh", "-c", "a"][..], Some(("a", 0))),
        (&["/bin/bash", "-lc", "a", "name", "x"], Some(("a", 2))),
        (&["bash", "-euo", "pipefail", "-c", "a"], Some(("a", 0))),
        (&["bash", "-c", "-e", "a"], Some(("a", 0))),
        (&["env", "A=1", "sh", "-c", "a"], Some(("a", 0))),
        (&["sudo", "timeout", "5", "sh", "-c", "a"], Some(("a", 0))),
        (&["sh", "x.sh"], None),
        (&["sh", "-c"], None),
        (&["sh"], None),
        (&["bash", "--rcfile", "x", "-c", "a"], None),
        (&["sudo", "-u", "me", "sh", "-c", "a"], None),
        (&["cargo", "-c", "a"], None),
        (&[], None),
    ] {
        let argv: Vec<_> = argv.iter().map(|word| (*word).to_owned()).collect();
        let line = line(&argv);
        let found = line.as_ref().map(|line| (line.text.as_str(), line.after.len()));
        assert_eq!(found, expected, "{argv:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_taken_apart_or_not_and_no_part_is_made_up(
        text in "[a-c '\"\\\\$(){};&|<>\n0-9=!-]{0,40}",
    ) {
        for part in split(&text).unwrap_or_default() {
            prop_assert!(!part.text.is_empty() && text.contains(&part.text));
        }
    }

    #[test]
    fn plain_programs_come_out_as_they_went_in(
        programs in proptest::collection::vec("[a-z]{1,5}( [a-z]{1,4}){0,2}", 1..6),
        operators in proptest::collection::vec(0..5usize, 6),
    ) {
        // Names that are words of a shell are no plain programs.
        let known = |text: &String| KEYWORDS.contains(&text.split(' ').next().unwrap_or_default());
        prop_assume!(!programs.iter().any(known));
        let names = ["&&", "||", "|", ";", "&"];
        let mut line = programs[0].clone();
        for (at, program) in programs.iter().enumerate().skip(1) {
            line.push_str(&format!(" {} {program}", names[operators[at]]));
        }
        let parts = split(&line).unwrap_or_default();
        let texts: Vec<_> = parts.iter().map(|part| part.text.clone()).collect();
        prop_assert_eq!(texts, programs);
    }
}
