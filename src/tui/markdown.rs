//! The model's words as lines: headings, emphasis, lists, quotes, code and tables at a width.
//!
//! Nothing is fetched, nothing is clickable by its text alone: an address is shown as it is.

mod page;
mod table;
mod tail;

use pulldown_cmark::{Options, Parser};
use ratatui::text::Line;

use super::theme::{Marks, Theme};

pub use tail::finished;

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// The text as lines no wider than `width`; none at width 0.
pub fn render(text: &str, width: usize, theme: &Theme, marks: Marks) -> Vec<Line<'static>> {
    if width == 0 {
        return Vec::new();
    }
    let mut page = page::Page::new(width, theme, marks);
    for event in Parser::new_ext(text, options()) {
        page.event(event);
    }
    page.finish()
}

/// As [`render`], for a text that is still arriving: what has been opened counts as closed, and a
/// mark whose meaning depends on what comes next is held back, so that no letter changes its look
/// twice.
pub fn render_arriving(
    text: &str,
    width: usize,
    theme: &Theme,
    marks: Marks,
) -> Vec<Line<'static>> {
    render(&tail::mended(text), width, theme, marks)
}

#[cfg(test)]
mod tests;
