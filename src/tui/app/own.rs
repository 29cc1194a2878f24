//! The person's own files: themes and keys, watched while they edit them, and what is kept in them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::sync::mpsc;

use super::answers::{Asked, Measure};
use crate::tui::{
    effect::Setting,
    file::Reader,
    keymap::Keymap,
    message::Message,
    picture::Finder,
    theme::{Depth, Theme},
    watch::{Watch, watch},
};

/// Keeps a setting for good. May block for small file operations; an error is a line for the person.
pub type Keep = Arc<dyn Fn(Setting) -> Result<(), String> + Send + Sync>;

/// Which files are the person's, and what they say.
pub struct Own {
    /// The file that the theme comes from, if it is one of theirs.
    pub theme: Option<PathBuf>,
    /// All themes of theirs.
    pub themes: Vec<PathBuf>,
    /// Whether a light terminal is to have a light theme: nobody chose one.
    pub asks_ground: bool,
    /// What is known of how the terminal shows pictures.
    pub pictures: Finder,
    pub measure: Measure,
    pub keymap: Keymap,
    /// The file of keys, whether it is there or not.
    pub keys: PathBuf,
    /// That of rules, likewise.
    pub rules: PathBuf,
    pub keep: Keep,
}

/// The same while the screen is there.
pub(super) struct Files {
    tell: mpsc::UnboundedSender<Message>,
    told: mpsc::UnboundedReceiver<Message>,
    depth: Depth,
    /// Kept so that the files go on being watched.
    theme: Option<Watch>,
    keys: Option<Watch>,
    pub(super) keys_file: PathBuf,
    rules_file: PathBuf,
    pub(super) keep: Keep,
    /// Reads the file that is looked at.
    pub(super) reader: Reader,
    /// What the terminal is asked.
    pub(super) asked: Asked,
}

impl Files {
    /// Watches what there is. A file that cannot be watched is told of.
    pub(super) fn new(own: &Own, depth: Depth) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        let mut files = Self {
            tell,
            told,
            depth,
            theme: None,
            keys: None,
            keys_file: own.keys.clone(),
            rules_file: own.rules.clone(),
            keep: own.keep.clone(),
            reader: Reader::default(),
            asked: Asked::of(own.asks_ground, own.pictures.clone(), own.measure, depth),
        };
        files.watch_theme(own.theme.as_deref());
        files.watch_keys();
        files
    }

    /// The next thing that a file says.
    pub(super) async fn next(&mut self) -> Option<Message> {
        self.told.recv().await
    }

    /// Watches this file of a theme, and no other.
    pub(super) fn watch_theme(&mut self, file: Option<&Path>) {
        let (tell, depth) = (self.tell.clone(), self.depth);
        self.theme = file.and_then(|file| {
            let name = bare(file);
            let changed = move |source: &str| {
                let theme = Theme::parse(&name, source, depth).map_err(|fault| fault.to_string());
                // Fails only when the screen is gone.
                let _ = tell.send(Message::Themed(theme));
            };
            let watched = watch(file, changed).map_err(|fault| fault.to_string());
            watched.map_err(|fault| drop(self.tell.send(Message::Themed(Err(fault))))).ok()
        });
    }

    /// Watches the file of keys, as soon as its folder is there.
    fn watch_keys(&mut self) {
        if self.keys.is_some() || !self.keys_file.parent().is_some_and(Path::is_dir) {
            return;
        }
        let (tell, name) = (self.tell.clone(), bare(&self.keys_file));
        let changed = move |source: &str| {
            let keys = Keymap::read(&name, source).map_err(|fault| fault.to_string());
            // Fails only when the screen is gone.
            let _ = tell.send(Message::Rekeyed(keys));
        };
        let watched = watch(&self.keys_file, changed).map_err(|fault| fault.to_string());
        self.keys =
            watched.map_err(|fault| drop(self.tell.send(Message::Rekeyed(Err(fault))))).ok();
    }

    /// Makes the file of keys if there is none, with all that can be set in it, nothing of it set.
    /// Blocks for small file operations, right before an editor is started.
    pub(super) fn make_keys(&mut self) -> io::Result<PathBuf> {
        make(&self.keys_file, &Keymap::template())?;
        self.watch_keys();
        Ok(self.keys_file.clone())
    }

    /// The same for the file of rules, with what a rule looks like and none in it.
    pub(super) fn make_rules(&self) -> io::Result<PathBuf> {
        make(&self.rules_file, crate::config::rules::TEMPLATE)?;
        Ok(self.rules_file.clone())
    }
}

fn make(file: &Path, text: &str) -> io::Result<()> {
    if !file.exists() {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, text)?;
    }
    Ok(())
}

fn bare(file: &Path) -> String {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}
