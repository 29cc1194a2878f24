//! The packages that a script wants beside the standard library.

use serde::{Deserialize, Serialize};

/// What one environment is made for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Packages {
    /// Requirements by name, such as `six>=1.16`.
    pub requirements: Vec<String>,
    /// The versions of Python it must be, such as `>=3.11`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_python: Option<String>,
}

/// What a script says that it wants, and where it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What it wants.
    pub packages: Packages,
    /// The line of the script where that begins.
    pub line: u32,
}

/// Whether packages are on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// Ready to run with.
    Here,
    /// To be fetched, from these places as people know them.
    Away { from: Vec<String> },
}

/// A package of an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pinned {
    /// Its name.
    pub name: String,
    /// Exactly this version.
    pub version: String,
    /// What was fetched has one of these: a version has a wheel for each platform.
    pub hashes: Vec<String>,
}
