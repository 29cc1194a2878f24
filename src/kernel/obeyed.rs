//! What something outside our sight runs or obeys without being told to.

use std::ffi::OsStr;

/// Names of such folders and files, wherever they stand: version control and its hooks,
/// environments, shells, editors, build tools, and footplate itself.
pub const OBEYED: [&str; 13] = [
    ".git",
    ".hg",
    ".jj",
    ".footplate",
    ".venv",
    "venv",
    ".envrc",
    ".direnv",
    ".husky",
    ".github",
    ".vscode",
    ".idea",
    ".cargo",
];

/// Whether a file or folder of this name is one of them.
pub fn is_obeyed(name: &OsStr) -> bool {
    OBEYED.iter().any(|obeyed| name.eq_ignore_ascii_case(obeyed))
}
