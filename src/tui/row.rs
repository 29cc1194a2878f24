//! Rows of a text as they are drawn, and where in them a word is found.

use std::ops::Range;

use ratatui::text::Line;

use super::clean::clusters;

/// One row of what is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub line: Line<'static>,
    /// The cells of its text, without numbers and labels, in one column or in two.
    pub texts: [Range<usize>; 2],
    /// Whether it goes on from the row above.
    pub goes_on: bool,
}

/// One place where a word is found: the cells of each row it stands in.
pub type Hit = Vec<(usize, Range<usize>)>;

impl Row {
    /// The rows of one line; its text begins at this cell.
    pub fn of_line(lines: Vec<Line<'static>>, text: usize) -> impl Iterator<Item = Self> {
        lines.into_iter().enumerate().map(move |(at, line)| Self {
            line,
            texts: [text..usize::MAX, 0..0],
            goes_on: at > 0,
        })
    }

    /// A row in which every cell is text.
    fn of_text(line: &Line<'static>) -> Self {
        Self { line: line.clone(), texts: [0..usize::MAX, 0..0], goes_on: false }
    }

    /// A row of our own words, in which nothing is found.
    pub fn of_words(line: Line<'static>) -> Self {
        Self { line, texts: [0..0, 0..0], goes_on: false }
    }
}

/// These lines, each by itself and all of it text.
pub fn each(lines: &[Line<'static>]) -> Vec<Row> {
    lines.iter().map(Row::of_text).collect()
}

/// Without a capital in the word, capitals make no difference.
fn folding(word: &str) -> impl Fn(char) -> char + Copy + use<> {
    let exact = word.chars().any(char::is_uppercase);
    move |c: char| if exact { c } else { c.to_lowercase().next().unwrap_or(c) }
}

/// Whether a word is in a text of ASCII.
pub fn has(text: &str, word: &str) -> bool {
    let exact = word.chars().any(char::is_uppercase);
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let is = |part: &[u8]| if exact { part == word } else { part.eq_ignore_ascii_case(word) };
    !word.is_empty() && text.windows(word.len()).any(is)
}

/// The same place where so many rows stand above.
pub fn below(mut hit: Hit, rows: usize) -> Hit {
    for (row, _) in &mut hit {
        *row += rows;
    }
    hit
}

/// Where a word is found, from the top on. Without a capital in it, capitals make no difference.
pub fn find(rows: &[Row], word: &str) -> Vec<Hit> {
    let fold = folding(word);
    let word: Vec<char> = word.chars().map(fold).collect();
    if word.is_empty() {
        return Vec::new();
    }
    let mut hits = Vec::new();
    for column in 0..2 {
        let mut first = 0;
        while first < rows.len() {
            let rest = rows[first + 1..].iter().take_while(|row| row.goes_on).count();
            let last = first + rest;
            in_line(&rows[first..=last], first, column, &word, fold, &mut hits);
            first = last + 1;
        }
    }
    hits.sort_by_key(|hit: &Hit| hit.first().map(|(row, cells)| (*row, cells.start)));
    hits
}

/// Looks through the rows of one line, which begin at row `first`.
fn in_line(
    rows: &[Row],
    first: usize,
    column: usize,
    word: &[char],
    fold: impl Fn(char) -> char,
    hits: &mut Vec<Hit>,
) {
    // Each character with its row and cells.
    let mut text: Vec<(char, usize, Range<usize>)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let cells_of_text = &row.texts[column];
        if cells_of_text.is_empty() {
            continue;
        }
        let drawn: String = row.line.spans.iter().map(|span| span.content.as_ref()).collect();
        let mut cell = 0;
        for (cluster, cells) in clusters(&drawn) {
            if cells_of_text.contains(&cell) {
                text.extend(cluster.chars().map(|c| (fold(c), first + at, cell..cell + cells)));
            }
            cell += cells;
        }
    }
    let mut at = 0;
    while at + word.len() <= text.len() {
        let part = &text[at..at + word.len()];
        if part.iter().map(|(c, ..)| c).eq(word) {
            let mut hit = Hit::new();
            for (_, row, cells) in part {
                match hit.last_mut() {
                    Some((last, range)) if last == row => range.end = cells.end,
                    _ => hit.push((*row, cells.clone())),
                }
            }
            hits.push(hit);
            at += word.len();
        } else {
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn line(rows: &[&str], text: usize) -> Vec<Row> {
        let lines = rows.iter().map(|row| Line::from((*row).to_owned())).collect();
        Row::of_line(lines, text).collect()
    }

    #[test]
    fn a_word_is_found_where_it_goes_on_in_the_next_row_and_never_in_a_label() {
        let mut rows = line(&["  1  let al", "     pha = 1"], 5);
        rows.extend(line(&["  2  Alpha 2"], 5));
        assert_eq!(
            find(&rows, "alpha"),
            [vec![(0, 9..11), (1, 5..8)], vec![(2, 5..10)]] as [Hit; 2]
        );
        assert_eq!(find(&rows, "Alpha"), [vec![(2, 5..10)]] as [Hit; 1]);
        assert_eq!(find(&rows, "1"), [vec![(1, 11..12)]] as [Hit; 1]);
        assert_eq!(find(&rows, ""), [] as [Hit; 0]);
        let words = [Row::of_words(Line::from("alpha"))];
        assert_eq!(find(&words, "alpha"), [] as [Hit; 0]);
    }

    #[test]
    fn columns_are_looked_through_each_by_itself() {
        let mut row = Row::of_words(Line::from("全ab │ ab"));
        row.texts = [0..5, 7..usize::MAX];
        assert_eq!(find(&[row], "ab"), [vec![(0, 2..4)], vec![(0, 7..9)]] as [Hit; 2]);
    }
}
