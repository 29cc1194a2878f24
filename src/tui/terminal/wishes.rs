//! What is wanted of a terminal.

/// What to ask of the terminal beyond what the screen always needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wishes {
    pub mouse: bool,
    /// The keyboard protocol that tells shift+enter from enter.
    pub keyboard: bool,
    pub surface: Wanted,
    /// Another program stands between, which hands only what is wrapped for it to the terminal: tmux.
    pub wrapped: bool,
}

/// How much of the window is to be ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    #[default]
    Whole,
    /// A few rows at its end. The terminal may break rows anew where it gets narrower.
    Rows { reflows: bool },
}

/// What the terminal's own progress mark shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Progress {
    #[default]
    None,
    Busy,
    /// Something waits for the person.
    Paused,
}
