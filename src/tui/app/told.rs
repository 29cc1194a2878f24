//! What the screen is told without having asked.

use tokio::sync::mpsc;

use crate::{kernel::port, tui::message::News};

/// Where it comes from.
pub(super) struct Told {
    pub(super) events: port::Watch,
    pub(super) news: mpsc::UnboundedReceiver<News>,
}
