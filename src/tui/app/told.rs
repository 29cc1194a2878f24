//! What the screen is told without having asked: events, news, and changes of its theme.

use std::path::Path;

use tokio::sync::mpsc;

use crate::{
    kernel::port,
    tui::{
        message::News,
        theme::{Depth, Theme, ThemeError, Watch, watch},
    },
};

/// Where it comes from.
pub(super) struct Told {
    pub(super) events: port::Watch,
    pub(super) news: mpsc::UnboundedReceiver<News>,
    pub(super) themes: mpsc::UnboundedReceiver<Result<Theme, String>>,
    /// Kept so that the theme's file goes on being watched.
    _watch: Option<Watch>,
}

impl Told {
    /// Watches the file of the theme, if it has one; why that cannot be is given back.
    pub(super) fn new(
        events: port::Watch,
        news: mpsc::UnboundedReceiver<News>,
        file: Option<&Path>,
        depth: Depth,
    ) -> (Self, Option<String>) {
        let (tell, themes) = mpsc::unbounded_channel();
        let changed = move |theme: Result<Theme, ThemeError>| {
            // Fails only when the screen is gone.
            let _ = tell.send(theme.map_err(|fault| fault.to_string()));
        };
        let watched = file.map(|file| watch(file, depth, changed)).transpose();
        let (watch, fault) = match watched {
            Ok(watch) => (watch, None),
            Err(fault) => (None, Some(fault.to_string())),
        };
        (Self { events, news, themes, _watch: watch }, fault)
    }
}
