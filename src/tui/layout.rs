//! Where every pane is, as data: from the size of the screen, what is there, and what the person
//! made larger or smaller, to rectangles. It reads nothing and draws nothing.

mod sizes;
#[cfg(test)]
mod tests;

use ratatui::layout::{Rect, Size};

pub use self::sizes::{Edge, Remembered, Sizes};
use super::state::Focus;
use crate::kernel::id::CallId;

/// How much room there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Room {
    /// Nothing can be read, so nothing can be answered.
    #[default]
    Tiny,
    /// One thing at a time.
    Narrow,
    /// Transcript, question, composer, status.
    Plain,
    /// And a left column, and the output below.
    Wide,
    /// And a right column.
    Full,
}

impl Room {
    /// The class of that size.
    pub fn of(width: u16, height: u16) -> Self {
        match (width, height) {
            (..40, _) | (_, ..10) => Self::Tiny,
            (..60, _) | (_, ..15) => Self::Narrow,
            (160.., 45..) => Self::Full,
            (100.., 30..) => Self::Wide,
            _ => Self::Plain,
        }
    }

    /// Whether there are columns beside the transcript.
    pub fn has_columns(self) -> bool {
        self >= Self::Wide
    }
}

/// What a pane of an output needs to be worth its rule.
const OUTPUT_ROWS: u16 = 5;

/// The columns, before it is known how many rows anything needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    pub room: Room,
    pub status: Rect,
    /// Empty where there is no such column.
    pub left: Rect,
    pub main: Rect,
    pub right: Rect,
}

impl Columns {
    /// Cuts the screen. What is shown alone leaves no room for columns beside it.
    pub fn of(size: Size, remembered: &Remembered, alone: bool) -> Self {
        let room = Room::of(size.width, size.height);
        let (area, status) = bottom(Rect::new(0, 0, size.width, size.height), 1);
        let none = Rect { width: 0, ..area };
        let plain = Self { room, status, left: none, main: area, right: none };
        if alone || !room.has_columns() {
            return plain;
        }
        let sizes = remembered.of(room).within(room, size);
        let right = if room == Room::Full { sizes.right } else { 0 };
        let left = Rect { width: sizes.left, ..area };
        let taken = if right > 0 { right + 1 } else { 0 };
        let main = Rect { x: left.width + 1, width: area.width - left.width - 1 - taken, ..area };
        let right = Rect { x: area.width - right, width: right, ..area };
        Self { left, main, right, ..plain }
    }

    /// How many outputs find room above each other.
    pub fn outputs(&self, remembered: &Remembered) -> usize {
        let rows = match self.room {
            Room::Full => self.right.height / 2,
            Room::Wide => self.main.height / 2,
            Room::Tiny | Room::Narrow | Room::Plain => return 0,
        };
        let least = match self.room {
            Room::Wide => OUTPUT_ROWS.max(remembered.wide.below * 2 / 3),
            Room::Full | Room::Tiny | Room::Narrow | Room::Plain => OUTPUT_ROWS,
        };
        usize::from(rows / least).max(1)
    }
}

/// What is there, and how many rows it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct There {
    /// A session is in view, and not the first screen.
    pub session: bool,
    /// Rows of the composer and of the question, their rules included; 0 without one.
    pub composer: u16,
    pub question: u16,
    /// The outputs to be shown, from the top.
    pub outputs: Vec<CallId>,
    /// Lines of the right column's lists.
    pub plan: usize,
    pub changes: usize,
    pub away: usize,
    /// The pane that is shown alone.
    pub alone: Option<Focus>,
}

/// Every pane with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub room: Room,
    pub status: Rect,
    /// The rule below the composer, or below a question that is shown alone.
    pub foot: Rect,
    /// Where a list that opens lies.
    pub popup: Rect,
    /// The panes, each with its rule as the first row, in the order in which tab visits them.
    pub panes: Vec<(Focus, Rect)>,
    /// The place for outputs where there is none yet.
    pub idle: Rect,
    /// What can be dragged.
    pub edges: Vec<(Edge, Rect)>,
    /// The lines between the columns.
    pub seams: Vec<Rect>,
}

impl Layout {
    /// Lays out what is there in columns that were cut for it.
    pub fn of(columns: &Columns, remembered: &Remembered, there: &There) -> Self {
        let mut layout = Self { room: columns.room, status: columns.status, ..Self::default() };
        if columns.room == Room::Tiny {
            return layout;
        }
        let sizes = remembered.of(columns.room);
        match there.alone {
            Some(pane)
                if !matches!(pane, Focus::Transcript | Focus::Composer | Focus::Question) =>
            {
                layout.popup = columns.main;
                layout.panes.push((pane, columns.main));
                return layout;
            }
            Some(_) | None => {}
        }
        layout.middle(columns.main, sizes, there);
        if columns.left.width > 0 {
            layout.left(columns.left, sizes);
        }
        if columns.right.width > 0 {
            layout.right(columns.right, sizes, there);
        }
        let order = |focus: &Focus| match focus {
            Focus::Start => 0,
            Focus::Composer => 1,
            Focus::Question => 2,
            Focus::Output(_) if columns.right.width == 0 => 3,
            Focus::Transcript => 4,
            Focus::Sessions => 5,
            Focus::Waiting => 6,
            Focus::Output(_) => 7,
            Focus::Plan => 8,
            Focus::Changes => 9,
            Focus::Away => 10,
        };
        layout.panes.sort_by_key(|(focus, _)| order(focus));
        layout
    }

    /// The place of a pane; nothing where it is not there.
    pub fn at(&self, pane: Focus) -> Rect {
        let found = self.panes.iter().find(|(focus, _)| *focus == pane);
        found.map(|(_, area)| *area).unwrap_or_default()
    }

    /// Whether a pane is there.
    pub fn has(&self, pane: Focus) -> bool {
        self.panes.iter().any(|(focus, _)| *focus == pane)
    }

    /// The pane in that cell.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Focus> {
        let found = self.panes.iter().find(|(_, area)| area.contains((x, y).into()));
        found.map(|(focus, _)| *focus)
    }

    /// The rows of the outputs of the right column, of a thousand.
    pub fn outputs_share(&self) -> u16 {
        let plan = self.at(Focus::Plan);
        share(1000, self.status.y, plan.y)
    }

    /// The outputs that are shown, from the top.
    pub fn outputs(&self) -> impl Iterator<Item = CallId> {
        self.panes.iter().filter_map(|(focus, _)| match focus {
            Focus::Output(call) => Some(*call),
            Focus::Start
            | Focus::Composer
            | Focus::Question
            | Focus::Transcript
            | Focus::Sessions
            | Focus::Waiting
            | Focus::Plan
            | Focus::Changes
            | Focus::Away => None,
        })
    }

    /// The main column.
    fn middle(&mut self, area: Rect, sizes: &Sizes, there: &There) {
        let first = if there.session { Focus::Transcript } else { Focus::Start };
        if self.room == Room::Narrow && there.question > 0 {
            let (area, foot) = bottom(area, 1);
            self.foot = foot;
            self.panes.push((Focus::Question, area));
            return;
        }
        let area = if self.room == Room::Plain {
            let (area, foot) = bottom(area, 1);
            self.foot = foot;
            area
        } else {
            area
        };
        let (area, composer) = bottom(area, there.composer);
        self.panes.push((Focus::Composer, composer));
        self.popup = area;
        let (head, body) = top(area, 1);
        let (body, question) = bottom(body, there.question);
        if there.question > 0 {
            self.panes.push((Focus::Question, question));
        }
        let body = match u16::try_from(there.outputs.len()) {
            Ok(count @ 1..)
                if self.room == Room::Wide && there.session && there.alone.is_none() =>
            {
                let more = (sizes.below * 2 / 3).max(OUTPUT_ROWS);
                let rows = sizes.below + (count - 1) * more;
                let (body, outputs) = bottom(body, rows.min(body.height / 2));
                let edge = Rect { height: outputs.height.min(1), ..outputs };
                self.edges.push((Edge::Below, edge));
                self.stack(outputs, &there.outputs, Share::Evenly);
                body
            }
            Ok(_) | Err(_) => body,
        };
        self.panes.push((first, Rect { height: head.height + body.height, ..head }));
    }

    fn left(&mut self, area: Rect, sizes: &Sizes) {
        let seam = Rect { x: area.right(), width: 1, ..area };
        self.seams.push(seam);
        self.edges.push((Edge::Left, seam));
        // Fixed, so that nothing moves when a question comes.
        let (sessions, waiting) = top(area, sizes.share(sizes.upper, area.height));
        self.edges.push((Edge::Upper, Rect { height: waiting.height.min(1), ..waiting }));
        self.panes.extend([(Focus::Sessions, sessions), (Focus::Waiting, waiting)]);
    }

    fn right(&mut self, area: Rect, sizes: &Sizes, there: &There) {
        let seam = Rect { x: area.x - 1, width: 1, ..area };
        self.seams.push(seam);
        self.edges.push((Edge::Right, seam));
        let rows = |lines: usize, most: u16| {
            // Its rule, at least a line, and a blank row.
            let lines = u16::try_from(lines.max(1)).unwrap_or(u16::MAX);
            lines.saturating_add(2).min(most.max(3))
        };
        let height = area.height;
        let plan = rows(there.plan, height / 4);
        let changes = rows(there.changes, height / 6);
        let away = if there.away > 0 { rows(there.away, height / 5) - 1 } else { 0 };
        let lists = match sizes.outputs {
            0 => plan + changes + away,
            outputs => height - sizes.share(outputs, height),
        };
        let least = OUTPUT_ROWS.max(height / 4);
        let lists = lists.clamp(6 + away.min(3), height - least);
        let (outputs, lists) = bottom(area, lists);
        if there.outputs.is_empty() {
            self.idle = outputs;
        } else {
            self.stack(outputs, &there.outputs, Share::First);
        }
        let (plan, rest) = top(lists, share(plan, plan + changes + away, lists.height));
        let (changes, away) = match away {
            0 => (rest, Rect::default()),
            away => bottom(rest, share(away, changes + away, rest.height)),
        };
        self.edges.push((Edge::Outputs, Rect { height: plan.height.min(1), ..plan }));
        self.panes.extend([(Focus::Plan, plan), (Focus::Changes, changes)]);
        if away.height > 0 {
            self.panes.push((Focus::Away, away));
        }
    }

    /// Panes above each other.
    fn stack(&mut self, area: Rect, outputs: &[CallId], how: Share) {
        let Ok(count @ 1..) = u16::try_from(outputs.len()) else { return };
        let each = match how {
            Share::Evenly => area.height / count,
            Share::First => (area.height / (count + 1)).max(OUTPUT_ROWS.min(area.height / count)),
        };
        let mut rest = area;
        for (at, call) in outputs.iter().enumerate() {
            let first = area.height - (count - 1) * each;
            let (pane, below) = top(rest, if at == 0 { first } else { each });
            self.panes.push((Focus::Output(*call), pane));
            rest = below;
        }
    }
}

/// How panes above each other share their rows.
#[derive(Clone, Copy)]
enum Share {
    Evenly,
    /// The first one has more.
    First,
}

/// What a part of a whole comes to in so many rows.
fn share(part: u16, whole: u16, rows: u16) -> u16 {
    let rows = u32::from(rows) * u32::from(part) / u32::from(whole.max(1));
    u16::try_from(rows).unwrap_or(u16::MAX)
}

fn top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let rest = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (Rect { height: rows, ..area }, rest)
}

fn bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    top(area, area.height - rows.min(area.height))
}
