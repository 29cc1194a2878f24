//! Where files of ours live.

use std::{
    ffi::OsString,
    io::Write as _,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy as _;

use super::Lookup;
use crate::kernel::id::SessionId;

/// The four folders of this program. None of them need exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// What the person writes: `config.toml`, themes, rules.
    pub config: PathBuf,
    /// What must not be lost: sessions.
    pub data: PathBuf,
    /// What this computer remembers: logs, histories.
    pub state: PathBuf,
    /// What can be made again.
    pub cache: PathBuf,
}

/// Nobody knows where the person's files live.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// The system names no home folder.
    #[error("cannot find your home folder\nset FOOTPLATE_HOME to a folder of footplate's own")]
    Nowhere,
    /// `FOOTPLATE_HOME` is no text. It is not passed over: what was meant for that folder would go into
    /// the person's own.
    #[error("FOOTPLATE_HOME is {0:?}, which is not UTF-8\nset it to a folder that is")]
    NoText(OsString),
    /// `FOOTPLATE_HOME` is no path.
    #[error(
        "FOOTPLATE_HOME is {}, which cannot be used: {source}\nset it to a folder",
        crate::kernel::text::quoted(.path)
    )]
    NoPath {
        /// What it says.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The draft of a session, in the folder of drafts.
pub fn draft(folder: &Path, session: SessionId) -> PathBuf {
    folder.join(format!("{session}.txt"))
}

impl Home {
    /// Where drafts are kept from one start to the next.
    pub fn drafts(&self) -> PathBuf {
        self.state.join("drafts")
    }

    /// All under `FOOTPLATE_HOME` where that is set, else where the platform keeps such files.
    pub fn find(env: &Lookup<'_>) -> Result<Self, HomeError> {
        if let Some(path) = env("FOOTPLATE_HOME") {
            let path = path.into_string().map_err(HomeError::NoText)?;
            return match std::path::absolute(&path) {
                Ok(root) => Ok(Self::under(&root)),
                Err(source) => Err(HomeError::NoPath { path, source }),
            };
        }
        let platform = etcetera::choose_base_strategy().map_err(|_| HomeError::Nowhere)?;
        let data = platform.data_dir().join("footplate");
        Ok(Self {
            config: platform.config_dir().join("footplate"),
            state: platform
                .state_dir()
                .map_or_else(|| data.join("state"), |dir| dir.join("footplate")),
            cache: platform.cache_dir().join("footplate"),
            data,
        })
    }

    /// All under one folder.
    pub fn under(root: &Path) -> Self {
        Self {
            config: root.join("config"),
            data: root.join("data"),
            state: root.join("state"),
            cache: root.join("cache"),
        }
    }

    /// What was remembered under that name, if anything can be read. May block for a small file.
    pub fn recall(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.state.join(name)).ok()
    }

    /// Remembers a text under that name, whole or not at all. May block for a small file.
    pub fn remember(&self, name: &str, text: &str) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.state)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.state)?;
        file.write_all(text.as_bytes())?;
        file.persist(self.state.join(name)).map_err(|error| error.error)?;
        Ok(())
    }

    /// The files with themes of the person's own; without a folder there are none.
    pub fn themes(&self) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(self.config.join("themes"));
        let files = folder.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<_> =
            files.filter(|file| file.extension().is_some_and(|kind| kind == "toml")).collect();
        files.sort();
        files
    }

    /// The file with the person's keys.
    pub fn keys_file(&self) -> PathBuf {
        self.config.join("keys.toml")
    }

    /// The file with the person's settings.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }
}
