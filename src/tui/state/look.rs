//! How things look: the theme, the marks, pictures, and a number that changes with them.

use std::time::Duration;

use jiff::Timestamp;
use ratatui::style::Style;

use crate::{
    config::Motion,
    tui::{
        picture::{Gallery, How},
        state::sessions::Delayed,
        theme::{Mark, Marks, Role, Theme},
        words,
    },
};

/// Theme, marks and pictures.
#[derive(Clone, Debug)]
pub struct Look {
    pub theme: Theme,
    pub marks: Marks,
    pub motion: Motion,
    pub pictures: Gallery,
    revision: u64,
}

impl Look {
    pub fn new(theme: Theme, marks: Marks) -> Self {
        let pictures = Gallery::default();
        Self { theme, marks, motion: Motion::default(), pictures, revision: 0 }
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

    /// Pictures are shown in another way.
    pub fn show_pictures(&mut self, how: How) {
        self.revision += u64::from(self.pictures.show(how));
    }

    /// The screen has so many rows.
    pub fn fit(&mut self, height: u16) {
        self.revision += u64::from(self.pictures.fit(height));
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

    /// A clock that goes on, after so many seconds.
    pub fn clock(&self, seconds: i64) -> String {
        words::clock(self.stepped(seconds))
    }

    /// The wait until a provider is asked again; counted down to the second, or in steps.
    pub fn retrying(&self, delayed: &Delayed, now: Timestamp) -> String {
        let seconds = delayed.until.as_second() - now.as_second();
        words::retrying(match self.motion {
            Motion::Full => seconds,
            Motion::Reduced => (seconds + 9) / 10 * 10,
        })
    }

    /// What of a limit was used, while it goes on.
    pub fn used(&self, spent: Duration, limit_ms: u64) -> String {
        match self.motion {
            Motion::Full => words::used(spent, limit_ms),
            Motion::Reduced => {
                let seconds = i64::try_from(spent.as_secs()).unwrap_or(i64::MAX);
                format!("used {} of {} s", self.stepped(seconds), limit_ms.div_ceil(1000))
            }
        }
    }

    fn stepped(&self, seconds: i64) -> i64 {
        match self.motion {
            Motion::Full => seconds,
            Motion::Reduced => seconds - seconds % 10,
        }
    }

    /// ` · `
    pub fn dot(&self) -> String {
        format!(" {} ", self.mark(Mark::Separator))
    }
}
