//! What the person has set: their file, then the environment, then the command line, each over
//! the one before. The environment is handed in; nothing here reads it.

mod file;
mod home;
pub mod line;
pub mod profiles;
mod providers;
pub mod rules;
mod screen;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::kernel::{
    allowance::Ceiling,
    gate::policy::Runs,
    money::Prices,
    provider::Providers,
    spec::{Limits, Mode},
};

pub use home::{Home, HomeError, draft};
pub use providers::built_in;
pub use screen::{Glyphs, Motion, Mouse, Notice, Pictures, Screen, Surface};

/// Looks up one variable of the environment, with the very bytes it has; an empty one should be given
/// as absent.
pub type Lookup<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

/// All settings, each with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `PROVIDER/MODEL` or `scripted:…`, where one was chosen.
    pub model: Option<String>,
    /// The mode that new sessions start in.
    pub mode: Mode,
    /// The name of the theme, where one was chosen.
    pub theme: Option<String>,
    /// The running time of an execution that asks for none, in milliseconds.
    pub timeout_ms: u64,
    /// The longest running time an execution may ask for.
    pub ceiling_ms: u64,
    /// When code runs unasked.
    pub runs: Runs,
    /// How many seconds a question waits for an answer; for ever if it is not said.
    pub expires_s: Option<u64>,
    /// Who judges calls before they happen unasked; nobody if it is not said.
    pub monitor: Option<Monitor>,
    /// How the screen looks and behaves.
    pub screen: Screen,
    /// Who answers for models: the person's own settings over the built-in ones.
    pub providers: Providers,
    /// What bounds new sessions; what is set elsewhere here stands as usual.
    pub limits: Limits,
    /// What models take, as far as the person set it.
    pub prices: Prices,
}

/// A model that judges calls. Nothing but the person's own file sets it: no project, no variable and no
/// flag can choose another or do without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// `PROVIDER/MODEL`, or `scripted:…`.
    pub model: String,
    /// How many seconds it is waited for.
    pub timeout_s: u64,
}

/// What was said on the command line; the last word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--model`
    pub model: Option<String>,
    /// `--mode`
    pub mode: Option<Mode>,
    /// `--theme`
    pub theme: Option<String>,
    /// `--inline`, `--lines`
    pub surface: Option<Surface>,
    /// `--max-tokens`, `--max-cost`
    pub ceiling: Ceiling,
}

/// Why the settings cannot be used. `Display` says where, what, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there and cannot be read.
    #[error("cannot read {path}: {source}\nmake it readable, or move it away to start without it")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something in the file is not a setting.
    #[error("{path}:{line}:{column}: {fault}\n{hint}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// What is wrong.
        fault: String,
        /// What to do.
        hint: String,
    },
    /// A variable does not say what it should.
    #[error("{name} is {value:?}, which is no {what}\nset it to one of: {known}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// What it says.
        value: String,
        /// What it should be.
        what: &'static str,
        /// What it may be.
        known: String,
    },
    /// A variable is no text. It is not passed over: what it was to say may be the stricter setting.
    #[error("{name} is {value:?}, which is not UTF-8\nset it to text that is, or unset it")]
    NoText {
        /// The variable.
        name: &'static str,
        /// What it says.
        value: OsString,
    },
}

impl Config {
    /// Reads `config.toml` of `home`, if there is one, and lays environment and flags over it.
    /// Blocks for one small file.
    pub fn load(home: &Home, env: &Lookup<'_>, flags: Flags) -> Result<Self, ConfigError> {
        let path = home.config_file();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(ConfigError::Unreadable { path, source }),
        };
        Self::from_text(&path, &text, env, flags)
    }

    /// As [`Config::load`], from the text of the file `path`.
    fn from_text(
        path: &Path,
        text: &str,
        env: &Lookup<'_>,
        flags: Flags,
    ) -> Result<Self, ConfigError> {
        let set = file::parse(path, text)?;
        let mode = spoken(env, "FOOTPLATE_MODE")?.map(mode_of).transpose()?;
        let model = spoken(env, "FOOTPLATE_MODEL")?;
        let theme = spoken(env, "FOOTPLATE_THEME")?;
        let surface = spoken(env, "FOOTPLATE_SCREEN")?.map(surface_of).transpose()?;
        let surface = flags.surface.or(surface);
        let config = Self {
            model: flags.model.or(model).or(set.model),
            mode: flags.mode.or(mode).or(set.mode).unwrap_or_default(),
            theme: flags.theme.or(theme).or(set.theme),
            timeout_ms: set.timeout_ms,
            ceiling_ms: set.ceiling_ms,
            runs: set.runs,
            expires_s: set.expires_s,
            monitor: set.monitor,
            screen: Screen { surface: surface.unwrap_or(set.screen.surface), ..set.screen },
            providers: providers::merged(set.providers, env)?,
            limits: Limits { ceiling: flags.ceiling.or(set.limits.ceiling), ..set.limits },
            prices: set.prices,
        };
        Ok(config)
    }
}

/// What a variable says, if it says anything.
fn spoken(env: &Lookup<'_>, name: &'static str) -> Result<Option<String>, ConfigError> {
    let text = env(name).map(OsString::into_string).transpose();
    text.map_err(|value| ConfigError::NoText { name, value })
}

fn mode_of(value: String) -> Result<Mode, ConfigError> {
    Mode::ALL.into_iter().find(|mode| mode.name() == value).ok_or_else(|| ConfigError::Variable {
        name: "FOOTPLATE_MODE",
        value,
        what: "mode",
        known: Mode::ALL.map(Mode::name).join(", "),
    })
}

fn surface_of(value: String) -> Result<Surface, ConfigError> {
    let known = Surface::ALL.into_iter().find(|surface| surface.name() == value);
    known.ok_or_else(|| ConfigError::Variable {
        name: "FOOTPLATE_SCREEN",
        value,
        what: "screen",
        known: Surface::ALL.map(Surface::name).join(", "),
    })
}

#[cfg(test)]
mod tests;
