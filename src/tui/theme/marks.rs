//! The marks of states and the signs rules are drawn with, in Unicode and in ASCII.

use serde::{Deserialize, Serialize};

use super::Role;

macro_rules! marks {
    ($($(#[$doc:meta])* $mark:ident $unicode:literal $ascii:literal $word:literal $role:ident,)*) => {
        /// A sign that stands for something. None is wider than a cell or has an emoji form.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Mark { $($(#[$doc])* $mark,)* }

        impl Mark {
            pub const ALL: &[Mark] = &[$(Mark::$mark,)*];

            /// The word that goes with it; empty where the sign needs none.
            pub fn word(self) -> &'static str {
                match self { $(Mark::$mark => $word,)* }
            }

            /// The role mark and word are drawn in.
            pub fn role(self) -> Role {
                match self { $(Mark::$mark => Role::$role,)* }
            }

            fn unicode(self) -> &'static str {
                match self { $(Mark::$mark => $unicode,)* }
            }

            fn ascii(self) -> &'static str {
                match self { $(Mark::$mark => $ascii,)* }
            }
        }
    };
}

marks! {
    Running "◐" "*" "running" Work,
    Needs "!" "!" "needs you" Need,
    ClockHeld "‖" "=" "held" Held,
    NotNow "»" ">" "not now" Held,
    Queued "◌" "." "queued" Quiet,
    Idle "○" "o" "idle" Quiet,
    Done "✓" "+" "done" Good,
    Failed "✗" "x" "failed" Bad,
    Limit "✗" "x" "limit" Bad,
    Denied "⊘" "/" "denied" Warn,
    Stopped "■" "#" "stopped" Quiet,
    Unknown "?" "?" "unknown" Bad,
    Withdrawn "–" "-" "withdrawn" Quiet,
    Warning "▲" "W" "" Warn,
    CanUndo "±" "~" "changed" Change,
    Undo "↶" "<" "undo" Change,
    Folded "▸" ">" "" Text,
    Open "▾" "v" "" Text,
    Here "▌" "|" "" Text,
    /// Before a word by the way.
    Note "·" "-" "" Text,
    /// The rule above the pane that has the keys.
    Focus "━" "=" "" Text,
    /// The rule above any other pane.
    Rule "─" "-" "" Rule,
    Column "│" "|" "" Rule,
    /// Where a rule meets a column: from the left, the right, above, below, and through it.
    MeetsLeft "┤" "+" "" Rule,
    MeetsRight "├" "+" "" Rule,
    MeetsAbove "┬" "+" "" Rule,
    MeetsBelow "┴" "+" "" Rule,
    FocusRight "┝" "+" "" Text,
    FocusLeft "┥" "+" "" Text,
    FocusThrough "┾" "+" "" Text,
    /// The last child in a tree.
    LastChild "└" "`" "" Quiet,
    /// Between a parent and its child, and before what is typed.
    Path "›" ">" "" Quiet,
    Separator "·" "|" "" Quiet,
    /// A key that is not live.
    KeyOff "·" "." "" Quiet,
    /// Lines left out.
    Gap "⋮" ":" "" Quiet,
    /// A line that goes on.
    GoesOn "┊" ":" "" Quiet,
    /// Where text is still arriving.
    Arriving "▍" "_" "" Work,
    Add "+" "+" "added" Add,
    Remove "−" "-" "removed" Remove,
    Full "█" "#" "" Work,
    Half "▌" "#" "" Work,
    Empty "░" "." "" Quiet,
    Cut "…" "~" "" Quiet,
}

/// Which of the two sets of signs this terminal can draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    ascii: bool,
}

impl Marks {
    pub fn unicode() -> Self {
        Self { ascii: false }
    }

    /// For a locale without UTF-8, or a terminal that draws `◐` two cells wide.
    pub fn ascii() -> Self {
        Self { ascii: true }
    }

    pub fn get(self, mark: Mark) -> &'static str {
        if self.ascii { mark.ascii() } else { mark.unicode() }
    }

    /// What stands for a sign that our own words use, where it cannot be drawn. As wide as the sign.
    pub fn plain(self, symbol: &str) -> Option<&'static str> {
        const SIGNS: [(&str, &str); 11] = [
            ("…", "~"),
            ("›", ">"),
            ("·", "|"),
            ("−", "-"),
            ("–", "-"),
            ("←", "<"),
            ("→", ">"),
            ("↑", "^"),
            ("↓", "v"),
            ("⟨", "<"),
            ("⟩", ">"),
        ];
        let found = SIGNS.iter().find(|(sign, _)| self.ascii && *sign == symbol);
        found.map(|(_, plain)| *plain)
    }
}
