use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{index::EVERY, *};
use crate::tui::{
    clean::clusters,
    diff::{Diff, DiffKind},
    row::{self, Row},
    tally,
    theme::Marks,
};

fn brush() -> Brush<'static> {
    Brush::of_text(Marks::unicode())
}

fn index(sheet: &Sheet, width: usize, compare: Compare) -> Index {
    Index::of(sheet, Shape { width, compare })
}

fn all(index: &Index, sheet: &Sheet) -> Vec<Row> {
    index.rows(sheet, 0..usize::MAX, brush())
}

/// The text of one column of rows: a line for each line, codes of what is hidden as they are drawn.
fn text(rows: &[Row], column: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for row in rows {
        let cells_of_text = &row.texts[column];
        let mut cell = 0;
        let line = row.line.to_string();
        let part: String = clusters(&line)
            .filter(|(_, cells)| {
                cell += cells;
                cells_of_text.contains(&(cell - cells))
            })
            .map(|(cluster, _)| cluster)
            .collect();
        match lines.last_mut() {
            Some(last) if row.goes_on => last.push_str(&part),
            _ => lines.push(part),
        }
    }
    lines
}

fn revealed(text: &str, column: usize) -> String {
    clean::asked_pieces(text, column).into_iter().map(|piece| piece.text).collect()
}

/// Lines of all kinds: short, long, with wide, hidden and joining characters, with tabs.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let part = prop_oneof![
        "[a-z ]{0,40}",
        "[ab\t]{0,12}",
        "[全a]{0,20}",
        "[a\u{202e}\u{200b}e\u{301}а]{0,10}",
        "[ -~¡-ÿ😀-😃]{0,12}",
    ];
    let times = prop_oneof![9 => Just(1usize), 1 => 60usize..200];
    let line = (part, times).prop_map(|(part, times)| part.repeat(times));
    proptest::collection::vec(line, 0..8)
}

fn sheets() -> impl Strategy<Value = Sheet> {
    let coloured = |line: String| {
        let end = line.char_indices().nth(2).map_or(0, |(at, _)| at);
        (line, vec![(0..end, Role::CodeName)])
    };
    prop_oneof![
        (lines(), lines(), any::<bool>()).prop_map(|(old, new, is_new)| {
            let (old, new) = (old.join("\n"), new.join("\n"));
            Sheet::Diff(Diff::new((!is_new).then_some(old.as_str()), &new))
        }),
        lines().prop_map(move |lines| Sheet::Code(0, lines.into_iter().map(coloured).collect())),
        lines().prop_map(|lines| {
            Sheet::Fields(lines.into_iter().map(|line| ("argv".to_owned(), line)).collect())
        }),
        lines().prop_map(Sheet::Text),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_rows_are_those_of_the_whole_and_nothing_is_lost(
        sheet in sheets(),
        width in 40..130usize,
        sides: bool,
        from in 0..400usize,
        height in 0..60usize,
    ) {
        let compare = if sides { Compare::Sides } else { Compare::Unified };
        let index = index(&sheet, width, compare);
        let whole = all(&index, &sheet);
        prop_assert_eq!(whole.len(), index.total());
        let from = from % (whole.len() + 1);
        let some = index.rows(&sheet, from..from + height, brush());
        prop_assert_eq!(&some, &whole[from..(from + height).min(whole.len())]);
        for row in &whole {
            prop_assert!(crate::tui::words::cells(&row.line) <= width + 1);
        }
        let shown = text(&whole, 0);
        match &sheet {
            Sheet::Text(lines) => {
                let lines: Vec<_> = lines.iter().map(|line| revealed(line, 3)).collect();
                prop_assert_eq!(shown, lines);
            }
            Sheet::Fields(fields) => {
                let lines: Vec<_> = fields.iter().map(|(_, line)| revealed(line, 11)).collect();
                prop_assert_eq!(shown, lines);
            }
            Sheet::Code(_, lines) => prop_assert_eq!(shown.len(), lines.len()),
            Sheet::Diff(diff) if sides => {
                let new = diff.rows.iter().filter(|row| row.kind != DiffKind::Remove);
                let new = new.filter(|row| !matches!(row.kind, DiffKind::Gap(_)));
                let new: String = new.map(|row| row.ink().text().to_owned()).collect();
                let shown = text(&whole, 1).concat();
                prop_assert_eq!(shown.replace(' ', ""), new.replace(' ', ""));
            }
            Sheet::Diff(diff) => {
                let lines = diff.rows.iter().map(|row| row.ink().text().to_owned());
                prop_assert_eq!(shown, lines.collect::<Vec<_>>());
            }
            Sheet::Line(..) => {}
        }
    }

    #[test]
    fn a_word_is_found_where_it_is_in_the_whole(
        sheet in sheets(), width in 40..130usize, sides: bool, word in "[ab全]{1,3}|A|e\u{301}",
    ) {
        let compare = if sides { Compare::Sides } else { Compare::Unified };
        let index = index(&sheet, width, compare);
        let mut expected = row::find(&all(&index, &sheet), &word);
        expected.truncate(MOST_FOUND);
        prop_assert_eq!(index.find(&sheet, &word, brush()), expected);
    }
}

#[test]
fn rows_in_sight_cost_the_same_however_long_the_text_is() {
    let cases = [
        ("many lines", format!("{}\n", "x".repeat(70)).repeat(8_000)),
        ("one line", "x".repeat(500_000)),
        ("one line with a tab", format!("\t{}", "x y ".repeat(100_000))),
        ("wide", "全a\u{301}".repeat(50_000)),
    ];
    for (name, text) in cases {
        for (old, compare) in [
            (None, Compare::Unified),
            (Some("old\n"), Compare::Unified),
            (Some("old\n"), Compare::Sides),
        ] {
            let sheet = Sheet::Diff(Diff::new(old, &text));
            let index = index(&sheet, 100, compare);
            for from in [0, index.total() / 2, index.total() - 40] {
                let cost = tally::of(|| {
                    let rows = index.rows(&sheet, from..from + 40, brush());
                    assert_eq!(rows.len(), 40, "{name} from {from}");
                });
                assert!(cost.rows <= 2 * (40 + EVERY), "{name} from {from}: {cost:?}");
                assert!(cost.bytes <= 100_000, "{name} from {from}: {cost:?}");
            }
        }
    }
}
