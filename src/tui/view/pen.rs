//! Drawing by rows: text in a row, rules with titles, and nothing outside of its area.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

use crate::tui::{
    clean,
    hints::Hints,
    state::{look::Look, pointer::Selection},
    theme::{Mark, Role},
    words,
};

/// The frame's cells and how things look.
pub(super) struct Pen<'a> {
    pub(super) buf: &'a mut Buffer,
    pub(super) look: &'a Look,
}

/// Whether a pane has the keys, which its rule tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    Here,
    Elsewhere,
}

impl Keys {
    pub(super) fn here(here: bool) -> Self {
        if here { Self::Here } else { Self::Elsewhere }
    }
}

impl Pen<'_> {
    /// A line in a row of the area, cut where the area ends.
    pub(super) fn line(&mut self, area: Rect, row: u16, line: Line<'static>) {
        if row >= area.height || area.width == 0 {
            return;
        }
        let line = words::fit(line, usize::from(area.width));
        self.buf.set_line(area.x, area.y + row, &line, area.width);
    }

    /// Text in one role.
    pub(super) fn text(&mut self, area: Rect, row: u16, text: &str, role: Role) {
        let spans = self.spans(text, role);
        self.line(area, row, Line::from(spans));
    }

    /// What keys do here, as far as there is room.
    pub(super) fn hints(&mut self, row: Rect, hints: Hints<'_>) {
        let area = inset(row, 1, 0);
        let text = hints.within(usize::from(area.width));
        self.text(area, 0, &text, Role::Bright);
    }

    /// A line at the left and one at the right of a row.
    pub(super) fn apart(
        &mut self,
        area: Rect,
        row: u16,
        left: Line<'static>,
        right: Line<'static>,
    ) {
        let line = words::apart(left, right, usize::from(area.width));
        self.line(area, row, line);
    }

    /// What stands at the right of the rule of a list: how much of it is out of sight, and its own
    /// words; the latter give way where it is narrow.
    pub(super) fn ends(
        &self,
        (first, shown, all): (usize, usize, usize),
        own: &str,
        width: u16,
    ) -> Vec<Span<'static>> {
        let below = all.saturating_sub(first + shown);
        let mut said = Vec::new();
        for (count, side) in [(first, "above"), (below, "below")] {
            if count > 0 {
                said.push(format!("{} {side}", words::grouped(count as u64)));
            }
        }
        if !own.is_empty() && (said.is_empty() || width >= 60) {
            said.push(own.to_owned());
        }
        let said = said.join(&self.look.dot());
        if said.is_empty() { Vec::new() } else { vec![self.span(said, Role::Quiet)] }
    }

    /// A whole row as a rule, with a title at the left and a word at the right.
    pub(super) fn rule(
        &mut self,
        area: Rect,
        row: u16,
        keys: Keys,
        title: Vec<Span<'static>>,
        right: Vec<Span<'static>>,
    ) {
        let role = match keys {
            Keys::Here => Role::Text,
            Keys::Elsewhere => Role::Rule,
        };
        self.rule_in(area, row, keys, role, title, right);
    }

    /// As [`Pen::rule`], in a role of its own.
    pub(super) fn rule_in(
        &mut self,
        area: Rect,
        row: u16,
        keys: Keys,
        role: Role,
        title: Vec<Span<'static>>,
        right: Vec<Span<'static>>,
    ) {
        let stroke = match keys {
            Keys::Here => self.look.mark(Mark::Focus),
            Keys::Elsewhere => self.look.mark(Mark::Rule),
        };
        let style = self.look.style(role);
        let width = usize::from(area.width);
        let bar = |cells: usize| Span::styled(stroke.repeat(cells), style);
        let mut tail = Vec::new();
        if !right.is_empty() {
            tail.push(Span::raw(" "));
            tail.extend(right);
            tail.extend([Span::raw(" "), bar(1)]);
        }
        let tail = Line::from(tail);
        let tail_cells = words::cells(&tail);
        let mut head = Vec::new();
        if !title.is_empty() {
            head.extend([bar(1), Span::raw(" ")]);
            head.extend(title);
            head.push(Span::raw(" "));
        }
        let room = width.saturating_sub(tail_cells);
        let head = words::fit(Line::from(head), room.saturating_sub(1));
        let fill = width.saturating_sub(words::cells(&head) + tail_cells);
        let mut spans = head.spans;
        spans.push(bar(fill));
        spans.extend(tail.spans);
        self.line(area, row, Line::from(spans));
    }

    /// Marks a word wherever it is drawn in the rows of the area, small and capital letters alike.
    pub(super) fn find(&mut self, area: Rect, word: &str, role: Role) {
        let word = word.to_lowercase();
        if word.is_empty() {
            return;
        }
        let style = self.look.style(role);
        for y in area.top()..area.bottom() {
            // Each byte of the row with the cell it stands in.
            let (mut text, mut cells) = (String::new(), Vec::new());
            for x in area.left()..area.right() {
                let symbol = self.buf.cell((x, y)).map_or("", |cell| cell.symbol());
                text.push_str(&symbol.to_lowercase());
                cells.resize(text.len(), x);
            }
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| rest.find(&word)) {
                let range = from + at..from + at + word.len();
                for x in &cells[range.clone()] {
                    if let Some(cell) = self.buf.cell_mut((*x, y)) {
                        cell.set_style(style);
                    }
                }
                from = range.end;
            }
        }
    }

    /// Marks what is selected, and gives its text.
    pub(super) fn select(&mut self, selection: &Selection) -> String {
        let style = self.look.style(Role::Select);
        let mut text = String::new();
        for (at, (y, from, to)) in selection.rows().enumerate() {
            let mut row = String::new();
            let mut covered = 0;
            for x in from..=to {
                let Some(cell) = self.buf.cell_mut((x, y)) else { continue };
                cell.set_style(style);
                // The cells that a wide sign covers hold nothing of their own.
                if covered > 0 {
                    covered -= 1;
                    continue;
                }
                row.push_str(cell.symbol());
                covered = clean::width(cell.symbol()).saturating_sub(1);
            }
            if at > 0 {
                text.push('\n');
            }
            text.push_str(row.trim_end());
        }
        text
    }

    pub(super) fn style(&self, role: Role) -> Style {
        self.look.style(role)
    }

    /// Text in a role, hidden characters as codes.
    pub(super) fn spans(&self, text: &str, role: Role) -> Vec<Span<'static>> {
        clean::spans(text, self.look.style(role), self.look.style(Role::Escape))
    }

    /// A name in a role, hidden characters as codes, tabs as well.
    pub(super) fn name(&self, name: &str, role: Role) -> Vec<Span<'static>> {
        clean::name_spans(name, self.look.style(role), self.look.style(Role::Escape))
    }

    /// One span of our own words.
    pub(super) fn span(&self, text: impl Into<String>, role: Role) -> Span<'static> {
        Span::styled(text.into(), self.look.style(role))
    }

    /// A mark in its role.
    pub(super) fn mark(&self, mark: Mark) -> Span<'static> {
        Span::styled(self.look.mark(mark), self.look.style(mark.role()))
    }

    /// Nothing at all in this area.
    pub(super) fn clear(&mut self, area: Rect) {
        let ground = self.look.style(Role::Ground);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buf.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(ground);
                }
            }
        }
    }
}

/// The area without so many cells at its left and right.
pub(super) fn inset(area: Rect, left: u16, right: u16) -> Rect {
    let left = left.min(area.width);
    let width = area.width.saturating_sub(left).saturating_sub(right);
    Rect { x: area.x + left, width, ..area }
}

/// So many rows from the top, and the rest.
pub(super) fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let top = Rect { height: rows, ..area };
    (top, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

/// The rest, and so many rows at the bottom.
pub(super) fn split_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    split_top(area, area.height - rows)
}
