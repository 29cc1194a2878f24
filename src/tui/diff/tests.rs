use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;
use crate::tui::theme::{Depth, Theme};

fn draw(diff: &Diff, width: usize) -> Vec<String> {
    let brush = Brush::of_text(Marks::unicode());
    let lines: Vec<_> = diff.rows.iter().flat_map(|row| diff.draw_row(row, width, brush)).collect();
    lines.iter().map(|row| row.line.to_string().trim_end().to_owned()).collect()
}

fn check(old: Option<&str>, new: &str, width: usize, expected: &[&str]) {
    assert_eq!(draw(&Diff::new(old, new), width), expected, "{old:?} to {new:?}");
}

#[test]
fn a_change_is_drawn_as_the_question_shows_it() {
    let mut old: Vec<String> = (1..=120).map(|n| format!("line {n}")).collect();
    old[39] = "/// Skips blanks; a line end is not one.".into();
    old[41] = "    while self.peek() == Some(' ') {".into();
    let mut new = old.clone();
    new[41] = "    while matches!(self.peek(), Some(' ' | '\\t')) {".into();
    new.splice(106..107, ["one".into(), "two".into(), "three".into()]);
    let text = |lines: &[String]| lines.join("\n") + "\n";
    let diff = Diff::new(Some(&text(&old)), &text(&new));
    assert_eq!(diff.summary(Marks::unicode()), "+4 −2");
    assert_eq!(
        draw(&diff, 80),
        [
            "  40   40   /// Skips blanks; a line end is not one.",
            "  41   41   line 41",
            "  42      −     while self.peek() == Some(' ') {",
            "       42 +     while matches!(self.peek(), Some(' ' | '\\t')) {",
            "  43   43   line 43",
            "  44   44   line 44",
            "          ⋮ 60 lines the same",
            " 105  105   line 105",
            " 106  106   line 106",
            " 107      − line 107",
            "      107 + one",
            "      108 + two",
            "      109 + three",
            " 108  110   line 108",
            " 109  111   line 109",
        ]
    );
}

#[test]
fn a_new_file_has_one_row_of_numbers() {
    let diff = Diff::new(None, "def f():\n\treturn 1\n");
    assert!(diff.new_file);
    assert_eq!(diff.summary(Marks::unicode()), "+2");
    assert_eq!(draw(&diff, 40), ["        1 +  def f():", "        2 +          return 1"]);
}

#[test]
fn what_cannot_be_seen_is_shown() {
    check(Some("a\n"), "a", 40, &["   1      − a", "        1 + a⟨no line end⟩"]);
    check(Some("a\r\n"), "a\n", 40, &["   1      − a⟨U+000D⟩", "        1 + a"]);
    check(Some("a\u{2028}b\n"), "ab\n", 40, &["   1      − a⟨U+2028⟩b", "        1 + ab"]);
    // A text that only looks like such a code is not drawn as one.
    let diff = Diff::new(None, "⟨no line end⟩\nx");
    let theme = Theme::dark(Depth::True);
    let style = |role| theme.style(role);
    let brush = Brush { style: &style, marks: Marks::unicode() };
    let escape = theme.style(Role::Escape);
    let drawn: Vec<_> = diff.rows.iter().flat_map(|row| diff.draw_row(row, 40, brush)).collect();
    let escapes: Vec<usize> = drawn
        .iter()
        .map(|row| row.line.spans.iter().filter(|span| span.style == escape).count())
        .collect();
    assert_eq!(escapes, [0, 1]);
}

#[test]
fn ends_and_empty_texts() {
    check(Some(""), "", 40, &[]);
    check(None, "", 40, &[]);
    check(Some("a\n"), "a\n", 40, &[]);
    check(Some("a\n"), "", 40, &["   1      − a"]);
    assert_eq!(Diff::new(Some("a\n"), "a\n").summary(Marks::unicode()), "no change");
    // A single line is shown and not counted.
    let rows = Diff::new(Some("a\n1\n2\n3\n4\n5\nb\n"), "A\n1\n2\n3\n4\n5\nB\n").rows;
    assert!(rows.iter().all(|row| !matches!(row.kind, DiffKind::Gap(_))));
}

#[test]
fn long_lines_go_on_and_narrow_screens_drop_the_numbers() {
    check(None, "abcdefghijklmnop\n", 26, &["        1 +  abcdefghijklm", "          ┊  nop"]);
    check(None, "abcdef\n", 8, &["+  abcde", "┊  f"]);
    for width in 0..4 {
        draw(&Diff::new(Some("a\nb\nc\nd\ne\nf\ng\n"), "A\nb\nc\nd\ne\nf\nG\n"), width);
    }
}

#[test]
fn texts_too_long_to_compare_are_shown_in_full() {
    let text = |from: usize| (0..LINES).map(|n| format!("{}\n", n * 2 + from)).collect::<String>();
    let diff = Diff::new(Some(&format!("head\n{}", text(0))), &format!("head\n{}", text(1)));
    assert!(diff.coarse);
    assert_eq!((diff.removed, diff.added), (LINES, LINES));
    // A small change of a huge file is still compared line by line.
    let (old, new) = (text(0), text(0).replacen("\n5000\n", "\nfive\n", 1));
    let diff = Diff::new(Some(&old), &new);
    assert!(!diff.coarse);
    assert_eq!((diff.removed, diff.added, diff.rows.len()), (1, 1, 6));
}

#[test]
fn thousands_stand_apart() {
    for (count, expected) in [(0, "0"), (999, "999"), (5000, "5,000"), (1234567, "1,234,567")] {
        assert_eq!(grouped(count), expected);
    }
}

proptest! {
    #[test]
    fn the_rows_tell_the_new_text(
        old in "([ab]{0,2}\n){0,20}[ab]{0,2}",
        new in "([ab]{0,2}\n){0,20}[ab]{0,2}",
    ) {
        let diff = Diff::new(Some(&old), &new);
        // The new text, rebuilt from the old one and the rows.
        let old: Vec<&str> = lines(&old);
        let mut again = String::new();
        let mut read = 0;
        for row in &diff.rows {
            let line = format!("{}{}", row.text, if row.unended { "" } else { "\n" });
            let upto = match (row.kind, row.old_no) {
                (DiffKind::Gap(count), _) => read + count,
                (_, Some(no)) => no - 1,
                (_, None) if row.new_no == Some(lines(&again).len() + 1) => read,
                (_, None) => read + row.new_no.unwrap() - 1 - lines(&again).len(),
            };
            again.push_str(&old[read..upto].concat());
            read = upto;
            match row.kind {
                DiffKind::Same => { prop_assert_eq!(&line, old[read]); again.push_str(&line); read += 1 }
                DiffKind::Remove => { prop_assert_eq!(&line, old[read]); read += 1 }
                DiffKind::Add => again.push_str(&line),
                DiffKind::Gap(_) => {}
            }
        }
        again.push_str(&old[read..].concat());
        prop_assert_eq!(again, new);
    }
}

fn sides(old: &str, new: &str, width: usize) -> Vec<String> {
    let diff = Diff::new(Some(old), new);
    let rows = diff.draw_sides(width, Brush::of_text(Marks::unicode()));
    rows.iter().map(|row| row.line.to_string().trim_end().to_owned()).collect()
}

#[test]
fn both_sides_stand_beside_each_other_and_wrap_by_themselves() {
    assert_eq!(
        sides("a\nold one\nold two\nz\n", "a\na line that is much longer now\nz\n", 41),
        [
            "   1   a            │   1   a",
            "   2 − old one      │   2 + a line that i",
            "                    │     ┊ s much longer",
            "                    │     ┊  now",
            "   3 − old two      │",
            "   4   z            │   3   z",
        ]
    );
}

#[test]
fn a_word_that_is_the_same_on_both_sides_is_found_once() {
    let diff = Diff::new(Some("same\nold same\n"), "same\nnew same\n");
    let rows = diff.draw_sides(80, Brush::of_text(Marks::unicode()));
    assert_eq!(crate::tui::row::find(&rows, "same").len(), 3);
}

proptest! {
    #[test]
    fn side_by_side_shows_every_row_of_the_comparison(
        old in "([ab全]{0,30}\n){0,12}", new in "([ab全]{0,30}\n){0,12}", width in 24..90usize,
    ) {
        let diff = Diff::new(Some(&old), &new);
        let rows = diff.draw_sides(width, Brush::of_text(Marks::unicode()));
        let columns = super::sides::Columns::new(width, diff.digits());
        let text = |cells: std::ops::Range<usize>| -> String {
            let shown = rows.iter().map(|row| row.line.to_string()).filter(|row| !row.contains('⋮'));
            let inside = |row: String| {
                let mut cell = 0;
                let part = clean::clusters(&row).filter(|(_, wide)| {
                    cell += wide;
                    cells.contains(&(cell - wide))
                });
                part.map(|(cluster, _)| cluster).collect::<String>()
            };
            shown.map(inside).collect::<String>().replace(' ', "")
        };
        let side = |leave_out: DiffKind| -> String {
            let rows = diff.rows.iter().filter(|row| row.kind != leave_out);
            // The rows themselves leave lines out between changes.
            rows.map(|row| row.text.clone()).collect()
        };
        prop_assert_eq!(text(columns.old()), side(DiffKind::Add));
        prop_assert_eq!(text(columns.new_text()), side(DiffKind::Remove));
        for row in &rows {
            prop_assert!(crate::tui::words::cells(&row.line) <= width);
        }
    }
}
