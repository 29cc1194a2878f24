//! Events of the parser become lines of the page.

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::table::Table;
use crate::tui::theme::{Mark, Marks, Role, Theme};
use crate::tui::wrap::{Layout, wrap_with};
use crate::tui::{clean, highlight};

/// What stands before the lines of a quote or a list item.
struct Margin {
    first: String,
    rest: String,
    role: Role,
    used: bool,
}

/// A link that is open: where it leads, and where its text began.
struct Link {
    address: String,
    from: usize,
    shown: bool,
}

pub(super) struct Page<'a> {
    width: usize,
    pub(super) theme: &'a Theme,
    pub(super) marks: Marks,
    lines: Vec<Line<'static>>,
    margins: Vec<Margin>,
    /// The number of the next item of each open list; none where it has marks.
    lists: Vec<Option<u64>>,
    styles: Vec<Style>,
    spans: Vec<Span<'static>>,
    links: Vec<Link>,
    code: Option<(String, String)>,
    table: Option<Table>,
    /// A block ended: the next one is set off by a blank line.
    apart: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(width: usize, theme: &'a Theme, marks: Marks) -> Self {
        Self {
            width,
            theme,
            marks,
            lines: Vec::new(),
            margins: Vec::new(),
            lists: Vec::new(),
            styles: Vec::new(),
            spans: Vec::new(),
            links: Vec::new(),
            code: None,
            table: None,
            apart: false,
        }
    }

    pub(super) fn finish(mut self) -> Vec<Line<'static>> {
        self.flush();
        self.lines
    }

    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text, self.style()),
            },
            Event::Code(text) => self.text(&text, self.role(Role::CodeName)),
            Event::Html(text) | Event::InlineHtml(text) => {
                for (at, line) in text.lines().enumerate() {
                    if at > 0 {
                        self.flush_line();
                    }
                    self.text(line, self.role(Role::Quiet));
                }
                if text.ends_with('\n') {
                    self.flush_line();
                }
            }
            Event::SoftBreak => self.spans.push(Span::styled(" ", self.style())),
            Event::HardBreak => self.flush_line(),
            Event::Rule => {
                self.flush();
                let rule = self.marks.get(Mark::Rule).repeat(self.room());
                self.row(Line::styled(rule, self.theme.style(Role::Rule)));
                self.apart = true;
            }
            Event::TaskListMarker(done) => {
                let mark = if done { "[x] " } else { "[ ] " };
                self.spans.push(Span::styled(mark, self.role(Role::Quiet)));
            }
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text, self.style());
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.flush();
                self.styles.push(self.theme.style(Role::Bright).add_modifier(Modifier::BOLD));
            }
            Tag::BlockQuote(_) => {
                self.flush();
                let bar = format!("{} ", self.marks.get(Mark::Column));
                self.margin(bar.clone(), bar, Role::Rule);
                self.styles.push(self.theme.style(Role::Quiet));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',']).next().map(str::to_owned),
                    CodeBlockKind::Indented => None,
                };
                self.code = Some((language.unwrap_or_default(), String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}. ");
                        *number += 1;
                        mark
                    }
                    _ => "- ".to_owned(),
                };
                self.margin(mark.clone(), " ".repeat(mark.len()), Role::Quiet);
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some(Table::default());
            }
            Tag::TableHead => {
                self.styles.push(self.theme.style(Role::Bright));
                self.new_row();
            }
            Tag::TableRow => self.new_row(),
            Tag::Emphasis => self.modified(Modifier::ITALIC),
            Tag::Strong => self.modified(Modifier::BOLD),
            Tag::Strikethrough => self.modified(Modifier::CROSSED_OUT),
            Tag::Link { link_type, dest_url, .. } => {
                let shown = !matches!(link_type, LinkType::Autolink | LinkType::Email);
                self.open_link(&dest_url, shown);
            }
            Tag::Image { dest_url, .. } => self.open_link(&dest_url, true),
            Tag::Paragraph | Tag::HtmlBlock => self.flush(),
            Tag::TableCell
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.styles.pop();
                self.flush();
                self.margins.pop();
                self.apart = true;
            }
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    self.code_block(&language, &code);
                }
                self.apart = true;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                // What follows a list within an item is set off only if it is a paragraph.
                self.apart |= self.lists.is_empty();
            }
            TagEnd::Item => {
                if !self.spans.is_empty() || self.margins.last().is_some_and(|m| !m.used) {
                    self.flush_line();
                }
                self.margins.pop();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::TableHead => {
                self.styles.pop();
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    table.draw(self);
                }
                self.apart = true;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.close_link(),
            TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn end_block(&mut self) {
        self.flush();
        self.apart = true;
    }

    /// Writes the text that is open, if there is any.
    fn flush(&mut self) {
        if !self.spans.is_empty() && self.table.is_none() {
            self.flush_line();
        }
    }

    fn flush_line(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        // A link goes on over a hard break.
        self.links.iter_mut().for_each(|link| link.from = 0);
        self.paragraph(spans, 0);
    }

    /// Lays out text below the margins.
    pub(super) fn paragraph(&mut self, spans: Vec<Span<'static>>, hanging: usize) {
        let layout = Layout::words(self.room()).hanging(hanging);
        for line in wrap_with(&Line::from(spans), layout) {
            self.row(line);
        }
    }

    /// Adds one row behind the margins, set off from the block before by a blank line. That waits
    /// for the row, for a block may turn out to hold none.
    pub(super) fn row(&mut self, line: Line<'static>) {
        if std::mem::take(&mut self.apart) && !self.lines.is_empty() {
            let blank = self.margins.iter().filter(|m| m.used).map(|m| m.rest.as_str());
            let blank = clean::truncate(blank.collect::<String>().trim_end(), self.width);
            self.lines.push(Line::styled(blank, self.theme.style(Role::Rule)));
        }
        let mut before = Vec::new();
        let mut left = self.most_margin();
        for margin in &mut self.margins {
            let text = if margin.used { &margin.rest } else { &margin.first };
            let text = clean::truncate(text, left);
            left -= clean::width(&text).min(left);
            before.push(Span::styled(text, self.theme.style(margin.role)));
            margin.used = true;
        }
        let style = line.style;
        before.extend(line.spans.into_iter().map(|span| span.patch_style_under(style)));
        self.lines.push(Line::from(before));
    }

    /// The cells behind the margins.
    pub(super) fn room(&self) -> usize {
        let margins: usize = self.margins.iter().map(|m| clean::width(&m.first)).sum();
        self.width - margins.min(self.most_margin())
    }

    /// Margins take no more than half of the width, and leave room for one wide character.
    fn most_margin(&self) -> usize {
        (self.width / 2).min(self.width.saturating_sub(2))
    }

    fn code_block(&mut self, language: &str, code: &str) {
        let code = code.strip_suffix('\n').unwrap_or(code);
        let python = matches!(language.to_ascii_lowercase().as_str(), "python" | "py" | "python3");
        let lines = if python {
            highlight::lines(code, self.theme)
        } else {
            code.split('\n').map(|line| highlight::styled(line, &[], self.theme)).collect()
        };
        let indent = if self.room() > 20 { "  " } else { "" };
        let layout = Layout::exact(self.room() - indent.len());
        for line in lines {
            for mut row in wrap_with(&line, layout) {
                row.spans.insert(0, Span::raw(indent));
                self.row(row);
            }
        }
    }

    fn open_link(&mut self, address: &str, shown: bool) {
        let from = self.spans.len();
        self.links.push(Link { address: address.to_owned(), from, shown });
        self.modified(Modifier::UNDERLINED);
    }

    fn close_link(&mut self) {
        self.styles.pop();
        let Some(link) = self.links.pop() else { return };
        let text: String = self.spans.iter().skip(link.from).map(|s| s.content.as_ref()).collect();
        if link.shown && text != link.address && !link.address.is_empty() {
            let before = if text.is_empty() { "" } else { " " };
            self.text(&format!("{before}({})", link.address), self.role(Role::Quiet));
        }
    }

    fn new_row(&mut self) {
        if let Some(table) = &mut self.table {
            table.rows.push(Vec::new());
        }
    }

    fn margin(&mut self, first: String, rest: String, role: Role) {
        self.margins.push(Margin { first, rest, role, used: false });
    }

    fn text(&mut self, text: &str, style: Style) {
        self.spans.extend(clean::spans(text, style, self.theme.style(Role::Escape)));
    }

    fn modified(&mut self, modifier: Modifier) {
        self.styles.push(self.style().add_modifier(modifier));
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_else(|| self.theme.style(Role::Text))
    }

    /// A role within the text: it keeps what the text around it is modified by.
    fn role(&self, role: Role) -> Style {
        self.theme.style(role).add_modifier(self.style().add_modifier)
    }
}

/// Lays a line's own style under that of its span.
trait Under {
    fn patch_style_under(self, style: Style) -> Self;
}

impl Under for Span<'static> {
    fn patch_style_under(self, style: Style) -> Self {
        let own = self.style;
        self.style(style.patch(own))
    }
}
