//! Lines as text for a reader: whether the last one is still open is known here alone.

use super::{Line, Source};

/// What stands at the end of what was written.
#[derive(Clone, Debug)]
pub struct Rendered {
    source: Source,
    at_prompt: bool,
}

impl Rendered {
    pub fn new(source: Source) -> Self {
        Self { source, at_prompt: false }
    }

    /// The next lines as text. Each but a prompt ends with a line end.
    pub fn text(&mut self, lines: &[Line]) -> String {
        let mut out = String::new();
        for line in lines {
            match line {
                Line::Says(text) => {
                    self.end(&mut out);
                    out.push_str(text);
                    out.push('\n');
                }
                Line::Prompt(text) => {
                    self.end(&mut out);
                    out.push_str(text);
                    self.at_prompt = true;
                }
                Line::Wrote(text) if self.at_prompt => {
                    // A terminal has shown what was typed, and its end.
                    if self.source == Source::Pipe {
                        out.push_str(text);
                        out.push('\n');
                    }
                    self.at_prompt = false;
                }
                Line::Wrote(_) => {}
            }
        }
        out
    }

    fn end(&mut self, out: &mut String) {
        if std::mem::take(&mut self.at_prompt) {
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn what_is_written_behind_a_prompt_stands_in_its_line_and_nothing_else_does() {
        let says = |text: &str| Line::Says(text.into());
        let (prompt, wrote) = (Line::Prompt("answer 1> ".into()), Line::Wrote("yes".into()));
        let told = [wrote.clone(), says("a"), prompt.clone(), says("b"), prompt, wrote, says("c")];
        let text = |source| Rendered::new(source).text(&told);
        assert_eq!(text(Source::Pipe), "a\nanswer 1> \nb\nanswer 1> yes\nc\n");
        assert_eq!(text(Source::Terminal), "a\nanswer 1> \nb\nanswer 1> c\n");
    }
}
