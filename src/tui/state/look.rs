//! How things look: the theme, the marks, and a number that changes with them.

use ratatui::style::Style;

use crate::tui::theme::{Mark, Marks, Role, Theme};

/// Theme and marks.
#[derive(Clone, Debug)]
pub struct Look {
    pub theme: Theme,
    pub marks: Marks,
    revision: u64,
}

impl Look {
    pub fn new(theme: Theme, marks: Marks) -> Self {
        Self { theme, marks, revision: 0 }
    }

    /// Another theme; everything laid out before is laid out again.
    pub fn change(&mut self, theme: Theme) {
        self.theme = theme;
        self.revision += 1;
    }

    /// What is drawn with it is another thing now, though the theme is not.
    pub fn again(&mut self) {
        self.revision += 1;
    }

    /// Tells layouts of one look from those of another.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    pub fn mark(&self, mark: Mark) -> &'static str {
        self.marks.get(mark)
    }

    /// ` · `
    pub fn dot(&self) -> String {
        format!(" {} ", self.mark(Mark::Separator))
    }
}
