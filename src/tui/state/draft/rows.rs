//! The rows of a draft as they are seen, and moving in it by them.

use super::Draft;
use crate::tui::{
    clean,
    keymap::Edit,
    wrap::{Layout, rows as wrapped},
};

/// Rows, and where the cursor stands in them: the row, and the cell of it.
pub type Laid = (Vec<String>, (usize, usize));

impl Draft {
    /// Its rows, and where the cursor stands in them.
    pub fn laid(&self, layout: Layout) -> Laid {
        let (lines, line, byte) = self.shown();
        lay(&lines, (line, byte), layout)
    }

    /// As [`Draft::laid`], for a name: a line end in it is one of its letters.
    pub fn laid_name(&self, layout: Layout) -> Laid {
        let (lines, line, byte) = self.shown();
        let before: usize = lines.iter().take(line).map(|line| line.len() + 1).sum();
        lay(&[lines.join("\n")], (0, before + byte), layout)
    }

    /// As [`Draft::edit`], where it is known how its rows are broken: up and down go by those.
    pub fn edit_in(&mut self, edit: Edit, rows: Option<Layout>) -> bool {
        match (edit, rows) {
            (Edit::Up, Some(layout)) => self.row_up(layout),
            (Edit::Down, Some(layout)) => self.row_down(layout),
            _ => self.edit(edit),
        }
    }

    /// Moves the cursor to the row above; false where it stands in the first.
    fn row_up(&mut self, layout: Layout) -> bool {
        let (start, (row, column)) = (self.cursor, self.laid(layout).1);
        while self.cursor > 0 {
            self.cursor = self.before();
            let (at, left) = self.laid(layout).1;
            if at < row && (left <= column || at + 1 < row) {
                return true;
            }
        }
        self.cursor = start;
        false
    }

    /// Moves the cursor to the row below; false where it stands in the last.
    fn row_down(&mut self, layout: Layout) -> bool {
        let (rows, (row, column)) = self.laid(layout);
        if row + 1 >= rows.len() {
            return false;
        }
        let mut best = None;
        while self.cursor < self.raw.len() {
            self.cursor = self.after();
            let (at, left) = self.laid(layout).1;
            let further = at > row && (at > row + 1 || left > column);
            if at > row && !(further && best.is_some()) {
                best = Some(self.cursor);
            }
            if further {
                break;
            }
        }
        self.cursor = best.unwrap_or(self.cursor);
        true
    }
}

/// Rows of some lines, and where a byte of one of them stands.
fn lay(lines: &[String], (cursor_line, cursor_byte): (usize, usize), layout: Layout) -> Laid {
    let mut out = Vec::new();
    let mut cursor = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        let shown = clean::shown(line);
        let first = out.len();
        let rows: Vec<_> = wrapped(&shown, layout).collect();
        out.extend(rows.iter().map(|range| shown[range.clone()].to_owned()));
        if at == cursor_line {
            // Where a row is full, what comes next stands in the one below.
            let byte = shown.floor_char_boundary(clean::shown(&line[..cursor_byte]).len());
            let row = rows.iter().rposition(|range| range.start <= byte).unwrap_or(0);
            let left = rows.get(row).map_or("", |range| &shown[range.start..byte.min(range.end)]);
            let left = clean::width(left);
            cursor = (first + row, left);
            if left >= layout.width {
                out.insert(cursor.0 + 1, String::new());
                cursor = (cursor.0 + 1, 0);
            }
        }
    }
    (out, cursor)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    /// Where the cursor stands after some steps, marked in the text; and how many of them it took.
    fn check(start: &str, width: usize, edits: &[Edit], expected: &str) {
        let mut draft = Draft::of(start);
        let moved = |edit: &&Edit| draft.edit_in(**edit, Some(Layout::words(width)));
        let taken = edits.iter().filter(moved).count();
        draft.type_char('|');
        assert_eq!(format!("{taken} {}", draft.text()), expected, "{start:?} {edits:?}");
    }

    #[test]
    fn up_and_down_go_by_the_rows_that_are_seen() {
        use Edit::{Down, Left, Up};
        check("one two three four", 11, &[Up], "1 one two| three four");
        check("one two three four", 11, &[Up, Up], "1 one two| three four");
        check("one two three four", 9, &[Up, Up, Up], "2 one |two three four");
        check("one two three", 8, &[Up], "1 one t|wo three");
        check("one two three", 8, &[Up, Down], "2 one two three|");
        check("one two three", 8, &[Left, Down], "1 one two thre|e");
        check("a\none two three", 8, &[Up, Up, Up], "2 a|\none two three");
        // A row that is full to the last cell.
        check("abcdefgh", 4, &[Up], "1 abcd|efgh");
        check("abcdefgh", 4, &[Up, Up, Down], "3 abcd|efgh");
        // A shorter row, and wide letters.
        check("one two\nx\n全角", 20, &[Up, Up], "2 o|ne two\nx\n全角");
        check("ab\n全角", 20, &[Up, Left, Down], "3 ab\n|全角");
        check("", 4, &[Up, Down], "0 |");
    }

    proptest! {
        #[test]
        fn a_step_is_a_row_and_back_again(
            text in "([a-z]{1,9}| |\n|全){0,30}",
            width in 2usize..12,
            ups in 0usize..12,
        ) {
            let layout = Layout::words(width);
            let mut draft = Draft::default();
            text.chars().for_each(|c| draft.type_char(c));
            for _ in 0..ups {
                let row = draft.laid(layout).1.0;
                let moved = draft.edit_in(Edit::Up, Some(layout));
                prop_assert_eq!(draft.laid(layout).1.0, row - usize::from(moved));
            }
            let (rows, (row, _)) = draft.laid(layout);
            let moved = draft.edit_in(Edit::Down, Some(layout));
            prop_assert_eq!(moved, row + 1 < rows.len());
            prop_assert_eq!(draft.laid(layout).1.0, row + usize::from(moved));
        }
    }
}
