//! Python in colour. Slow enough to be kept off the loop: the text is drawn plain first, and in
//! colour when this has come back.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use std::time::Duration;

use ratatui::text::Line;
use tokio::time::Instant;
use tree_sitter::{
    ParseOptions, Parser, Query, QueryCursor, QueryCursorOptions, StreamingIterator, Tree,
};

use super::ink::Ink;
use super::theme::{Role, Theme};

/// Longer sources stay plain: nobody reads them by their colours.
const LIMIT: usize = 512 * 1024;

/// After this the text is left as plain as it is: it is nothing like Python.
const PATIENCE: Duration = Duration::from_secs(1);

/// Brackets open at once; the grammar's time grows with the square of it.
const DEPTH: usize = 400;

/// The colours of one line: byte ranges within it, in order, and what stands there. What has no
/// range is plain text.
pub type Colours = Vec<(Range<usize>, Role)>;

/// The colours of each line, one entry for each part of `source.split('\n')`. Broken code is
/// coloured as far as it can be understood; at worst all is plain.
pub fn highlight(source: &str) -> Vec<Colours> {
    let mut lines: Vec<Colours> = vec![Vec::new(); source.split('\n').count()];
    if source.len() > LIMIT || depth(source) > DEPTH {
        return lines;
    }
    let start = Instant::now();
    let patience = || match start.elapsed() < PATIENCE {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let (Some(query), Some(tree)) = (query(), parse(source, patience)) else { return lines };
    let mut starts = vec![0];
    starts.extend(source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1));
    let mut line = 0;
    for (range, role) in runs(&captures(query, &tree, source, patience)) {
        let mut from = range.start;
        while from < range.end {
            while starts.get(line + 1).is_some_and(|next| *next <= from) {
                line += 1;
            }
            let next = starts.get(line + 1).copied().unwrap_or(source.len() + 1);
            let to = range.end.min(next - 1);
            if from < to {
                lines[line].push((from - starts[line]..to - starts[line], role));
            }
            from = to.max(from) + usize::from(to < range.end);
        }
    }
    lines
}

/// The source as lines ready to be drawn, hidden characters shown and tabs expanded.
pub fn lines(source: &str, theme: &Theme) -> Vec<Line<'static>> {
    source
        .split('\n')
        .zip(highlight(source))
        .map(|(text, colours)| styled(text, &colours, theme))
        .collect()
}

/// One line in these colours. Colours that do not fit the text are ignored, for they may have been
/// made for an earlier version of it.
pub fn styled(text: &str, colours: &[(Range<usize>, Role)], theme: &Theme) -> Line<'static> {
    let ink = Ink::coloured(text, colours);
    Line::from(ink.spans(0..ink.text().len(), &|role| theme.style(role)))
}

fn query() -> Option<&'static Query> {
    static QUERY: OnceLock<Option<Query>> = OnceLock::new();
    let make = || {
        let language = tree_sitter_python::LANGUAGE.into();
        Query::new(&language, tree_sitter_python::HIGHLIGHTS_QUERY).ok()
    };
    QUERY.get_or_init(make).as_ref()
}

fn parse(source: &str, mut patience: impl FnMut() -> ControlFlow<()>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).ok()?;
    let mut progress = |_: &_| patience();
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = source.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// The most brackets and braces that may be open at once, whatever stands in strings.
fn depth(source: &str) -> usize {
    let mut open = 0_usize;
    let mut most = 0;
    for byte in source.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// A part of the source and what the query says of it; `None` is plain text.
struct Capture {
    range: Range<usize>,
    pattern: usize,
    role: Option<Role>,
}

/// Everything captured, outer before inner, and of the same text the pattern that counts last.
fn captures(
    query: &Query,
    tree: &Tree,
    source: &str,
    mut patience: impl FnMut() -> ControlFlow<()>,
) -> Vec<Capture> {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(4096);
    let mut found = Vec::new();
    let mut progress = |_: &_| patience();
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let bytes = source.as_bytes();
    let mut matches = cursor.matches_with_options(query, tree.root_node(), bytes, options);
    while let Some(one) = matches.next() {
        for capture in one.captures {
            let name = query.capture_names()[capture.index as usize];
            let range = capture.node.byte_range();
            let role = role(name, &source[range.clone()]);
            found.push(Capture { range, pattern: one.pattern_index, role });
        }
    }
    found.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end), one.pattern));
    found
}

/// Lays nested captures flat: at each place the innermost one counts.
fn runs(captures: &[Capture]) -> Vec<(Range<usize>, Role)> {
    let mut out: Vec<(Range<usize>, Role)> = Vec::new();
    let mut open: Vec<(usize, Option<Role>)> = Vec::new();
    let mut at = 0;
    let mut emit = |from: usize, to: usize, role: Option<Role>| {
        let Some(role) = role else { return };
        match out.last_mut() {
            Some((last, known)) if last.end == from && *known == role => last.end = to,
            _ if from < to => out.push((from..to, role)),
            _ => {}
        }
    };
    for capture in captures {
        while let Some(&(end, role)) = open.last() {
            if end > capture.range.start {
                break;
            }
            emit(at, end.max(at), role);
            at = at.max(end);
            open.pop();
        }
        if let Some(&(_, role)) = open.last() {
            emit(at, capture.range.start, role);
        }
        at = at.max(capture.range.start);
        open.push((capture.range.end, capture.role));
    }
    while let Some((end, role)) = open.pop() {
        emit(at, end.max(at), role);
        at = at.max(end);
    }
    out
}

fn role(capture: &str, text: &str) -> Option<Role> {
    Some(match capture {
        "keyword" => Role::CodeKeyword,
        // `and`, `in`, `not`: operators to the grammar, words to the reader.
        "operator" if text.starts_with(|c: char| c.is_ascii_lowercase()) => Role::CodeKeyword,
        "string" | "escape" => Role::CodeString,
        "number" | "constant" | "constant.builtin" => Role::CodeNumber,
        "comment" => Role::CodeComment,
        "function" | "function.method" | "function.builtin" => Role::CodeName,
        "constructor" | "type" => Role::CodeType,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;
    use crate::tui::theme::Depth;

    /// The coloured parts as `role:text`, a line at a time.
    fn check(source: &str, expected: &[&str]) {
        let found: Vec<String> = source
            .split('\n')
            .zip(highlight(source))
            .map(|(text, colours)| {
                let part = |(range, role): (Range<usize>, Role)| {
                    format!("{}:{}", role.name().trim_start_matches("code."), &text[range])
                };
                colours.into_iter().map(part).collect::<Vec<_>>().join(" ")
            })
            .collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn python_is_coloured() {
        check("", &[""]);
        check("x", &[""]);
        check(
            "from footplate import files\n\ndef f(a: int) -> Path:  # why\n    return a not in 3\n",
            &[
                "keyword:from keyword:import",
                "",
                "keyword:def name:f type:int type:Path comment:# why",
                "keyword:return keyword:not in number:3",
                "",
            ],
        );
        check(
            "print(None, MAX, Path(\"a\\n\"))",
            &["name:print number:None number:MAX name:Path string:\"a\\n\""],
        );
        check("全 = \"角\"  # é", &["string:\"角\" comment:# é"]);
    }

    #[test]
    fn strings_over_lines_and_code_within_them() {
        check("a = '''one\ntwo'''\nb = 1", &["string:'''one", "string:two'''", "number:1"]);
        check("f'{len(x)} of 2'", &["string:f' name:len string: of 2'"]);
        check("'''\n\n'''", &["string:'''", "", "string:'''"]);
    }

    #[test]
    fn broken_code_keeps_its_colours() {
        let source = "def f(:\n    x = \"open\n    return 1\nclass";
        let lines = highlight(source);
        assert_eq!(lines.len(), 4);
        assert!(lines[0].contains(&(0..3, Role::CodeKeyword)));
    }

    #[test]
    fn a_source_nobody_reads_stays_plain() {
        let source = "x = 1\n".repeat(LIMIT / 6 + 1);
        assert!(highlight(&source).iter().all(Vec::is_empty));
    }

    #[test]
    fn brackets_without_end_stay_plain() {
        assert!(highlight(&"a[".repeat(50_000)).iter().all(Vec::is_empty));
    }

    #[test]
    fn lines_are_clean_and_colours_of_another_text_harmless() {
        let theme = Theme::dark(Depth::True);
        let line = &lines("x\t= 'a\u{202e}'", &theme)[0];
        assert_eq!(line.to_string(), "x       = 'a⟨U+202E⟩'");
        let colours = [(0..3, Role::CodeName), (2..4, Role::CodeName), (0..99, Role::CodeName)];
        assert_eq!(styled("全角", &colours, &theme).to_string(), "全角");
    }

    /// Run with `--ignored --nocapture` to see the figure.
    #[test]
    #[ignore = "a measurement"]
    fn five_hundred_lines() {
        let line = "    total = sum(int(x) for x in items if x is not None)  # a comment\n";
        let source = format!("def f(items):\n{}", line.repeat(499));
        highlight(&source);
        let start = tokio::time::Instant::now();
        highlight(&source);
        println!("{:?} for 500 lines", start.elapsed());
    }

    proptest! {
        #[test]
        fn colours_are_in_order_and_within_their_line(
            source in "([a-z=()\"'{}:#\n 全]|def |f'|'''){0,60}"
        ) {
            for (text, colours) in source.split('\n').zip(highlight(&source)) {
                let mut from = 0;
                for (range, _) in colours {
                    prop_assert!(range.start >= from && range.start < range.end);
                    prop_assert!(text.get(range.clone()).is_some());
                    from = range.end;
                }
            }
        }
    }
}
