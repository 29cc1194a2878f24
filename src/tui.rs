//! The screen. This part knows no session and no model: it is the leaf parts everything else
//! on the screen is drawn with.

pub mod clean;
pub mod diff;
pub mod frame;
pub mod guard;
pub mod highlight;
pub mod keymap;
pub mod markdown;
pub mod terminal;
pub mod theme;
pub mod wrap;
