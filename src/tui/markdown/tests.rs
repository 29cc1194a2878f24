use pretty_assertions::assert_eq;
use proptest::prelude::*;
use ratatui::style::Modifier;

use super::*;
use crate::tui::clean;
use crate::tui::theme::{Depth, Role};

fn theme() -> Theme {
    Theme::dark(Depth::True)
}

fn plain(lines: &[Line<'_>]) -> Vec<String> {
    lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect()
}

fn check(text: &str, width: usize, expected: &[&str]) {
    let lines = render(text, width, &theme(), Marks::unicode());
    assert_eq!(plain(&lines), expected, "{text:?}");
}

const SAMPLE: &str = "\
# Tabs *now*

The **lexer** skips `blanks` in one place,
and counts [columns](https://example.org/c) in ~~two~~ another.

1. skip_blank takes ' '
2. column() counts
   - a tab
   - **a blank**

> What you asked for:
> a stop of eight.

```python
def column(line):
    return 1  # why
```

| rule | cells |
|------|-------|
| tab  | 8     |

---
The end_of_it, 2 * 3 * 4 [done].
";

#[test]
fn every_kind_of_block_is_laid_out() {
    check(
        SAMPLE,
        44,
        &[
            "Tabs now",
            "",
            "The lexer skips blanks in one place, and",
            "counts columns (https://example.org/c) in",
            "two another.",
            "",
            "1. skip_blank takes ' '",
            "2. column() counts",
            "   - a tab",
            "   - a blank",
            "",
            "│ What you asked for: a stop of eight.",
            "",
            "  def column(line):",
            "      return 1  # why",
            "",
            "rule  cells",
            "───────────",
            "tab   8",
            "",
            "────────────────────────────────────────────",
            "",
            "The end_of_it, 2 * 3 * 4 [done].",
        ],
    );
}

#[test]
fn odd_ends() {
    check("", 20, &[]);
    check("text", 0, &[]);
    check("one  \ntwo", 20, &["one", "two"]);
    check("- a\n\n- b", 20, &["- a", "", "- b"]);
    check("- a\n  - b\n- c", 20, &["- a", "  - b", "- c"]);
    check("- a\n- b\n\ntext", 20, &["- a", "- b", "", "text"]);
    check("- [x] a\n- [ ] b\n-", 20, &["- [x] a", "- [ ] b", "-"]);
    check("<b>x</b>\n\n<div>\nq\n</div>", 20, &["<b>x</b>", "", "<div>", "q", "</div>"]);
    check("<https://a.example> ![alt](p.png)", 60, &["https://a.example alt (p.png)"]);
    check("> - a\n>   b\n>\n> c", 20, &["│ - a b", "│", "│ c"]);
    check("```\nabcdefghijkl\n\nx", 5, &["abcde", "fghij", "kl", "", "x"]);
}

#[test]
fn an_address_is_never_hidden_behind_another() {
    check(
        "[https://good.example](https://bad.example)",
        60,
        &["https://good.example (https://bad.example)"],
    );
}

#[test]
fn a_long_cell_of_a_table_goes_on_below_itself() {
    check(
        "| what | result |\n|--|--|\n| speed | not measured to the end |\n| docs | four pages |",
        20,
        &[
            "what   result",
            "────────────────────",
            "speed  not measured",
            "       to the end",
            "docs   four pages",
        ],
    );
}

#[test]
fn a_table_too_wide_is_read_cell_by_cell() {
    check(
        "| rule | cells |\n|--|--|\n| a tab | eight of them |\n| x | y |",
        14,
        &["rule: a tab", "cells: eight", "  of them", "", "rule: x", "cells: y"],
    );
}

#[test]
fn what_controls_the_terminal_is_shown() {
    check("a\u{1b}[2Jb `\u{202e}`", 60, &["a⟨U+001B⟩[2Jb ⟨U+202E⟩"]);
    check("```\n\tx\u{7}\n```", 60, &["          x⟨U+0007⟩"]);
}

#[test]
fn emphasis_and_code_have_their_styles() {
    let lines = render("*a* **b** `c`\n\n```py\ndef f(): 1\n```", 60, &theme(), Marks::unicode());
    let style = |text: &str| {
        let spans = lines.iter().flat_map(|line| &line.spans);
        spans.filter(|span| span.content == text).map(|span| span.style).next().expect(text)
    };
    assert!(style("a").add_modifier.contains(Modifier::ITALIC));
    assert!(style("b").add_modifier.contains(Modifier::BOLD));
    assert_eq!(style("c"), theme().style(Role::CodeName));
    assert_eq!(style("def"), theme().style(Role::CodeKeyword));
    assert_eq!(style("1"), theme().style(Role::CodeNumber));
}

#[test]
fn arriving_text_never_shows_its_marks() {
    for end in (0..=SAMPLE.len()).filter(|end| SAMPLE.is_char_boundary(*end)) {
        let lines = render_arriving(&SAMPLE[..end], 44, &theme(), Marks::unicode());
        for line in plain(&lines) {
            for mark in ["**", "`", "](", "~~", "|", "--"] {
                assert!(!line.contains(mark), "{mark} in {line:?} after {:?}", &SAMPLE[..end]);
            }
        }
    }
}

#[test]
fn open_ends_are_tied() {
    for (text, expected) in [
        ("a **b", "a **b**"),
        ("a **b*", "a **b**"),
        ("a **", "a"),
        ("a *b **c", "a *b **c***"),
        ("a `b", "a `b`"),
        ("a ``b`", "a ``b``"),
        ("a `", "a"),
        ("a [b", "a b"),
        ("a [b](http", "a b"),
        ("a ![b](x", "a b"),
        ("a [b](c) d", "a [b](c) d"),
        ("done [1] or [x", "done [1] or x"),
        ("snake_case_name", "snake_case_name"),
        ("2 * 3", "2 * 3"),
        ("text\n-", "text"),
        ("text\n\n2.", "text"),
        ("text\n\n## ", "text"),
        ("```py\nx\n``", "```py\nx\n"),
        ("```py\n**x", "```py\n**x"),
        ("| a | b |", ""),
        ("\\*a", "\\*a"),
    ] {
        assert_eq!(tail::mended(text), expected, "{text:?}");
    }
}

#[test]
fn what_is_finished_can_be_kept() {
    assert_eq!(finished(""), 0);
    assert_eq!(finished("one"), 0);
    assert_eq!(finished("one\n\ntwo"), 5);
    assert_eq!(finished("one\n\n- a\n\n- b"), 5);
    assert_eq!(finished("one\n\n```\na\n\nb"), 5);
    for end in (0..=SAMPLE.len()).filter(|end| SAMPLE.is_char_boundary(*end)) {
        let text = &SAMPLE[..end];
        let (head, tail) = text.split_at(finished(text));
        let render = |text: &str| plain(&render(text, 44, &theme(), Marks::unicode()));
        let mut parts = render(head);
        let tail = render(tail);
        if !parts.is_empty() && !tail.is_empty() {
            parts.push(String::new());
        }
        parts.extend(tail);
        assert_eq!(parts, render(text), "{text:?}");
    }
}

#[test]
fn a_wide_character_has_its_room_behind_any_margin() {
    for line in render("-\n\n>全", 2, &theme(), Marks::unicode()) {
        assert!(clean::width(&line.to_string()) <= 2, "{line}");
    }
}

proptest! {
    #[test]
    fn no_text_is_too_wide_or_too_odd(
        text in "([-*_`#>+|~ \n\\[\\]()!1.a全\t\u{1b}]|\\*\\*|```|\n\n){0,40}",
        width in 0usize..30,
    ) {
        for lines in [
            render(&text, width, &theme(), Marks::unicode()),
            render_arriving(&text, width, &theme(), Marks::ascii()),
        ] {
            for line in lines {
                let line = line.to_string();
                // Below two cells a wide character stands alone and is clipped.
                prop_assert!(clean::width(&line) <= width.max(2), "{:?}", line);
                prop_assert!(!line.contains(char::is_control));
            }
        }
        finished(&text);
    }
}
