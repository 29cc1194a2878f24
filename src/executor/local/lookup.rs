//! Finds a program by its name, as a shell would.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use crate::{
    executor::seal::Sight,
    kernel::{error::CallError, port::Level, text::quoted},
};

/// The program of that name: below `cwd` if it has a slash, else on the search path.
pub(super) fn find(name: &str, search_path: &OsString, cwd: &Path) -> Result<PathBuf, CallError> {
    if name.contains('/') {
        let path = cwd.join(name);
        return match (path.is_file(), is_program(&path)) {
            (true, true) => Ok(path),
            (true, false) => Err(CallError::failed(format!(
                "{} is no program: the file may not be executed.\nName the program that reads it \
                 first, or make it executable.",
                quoted(name)
            ))),
            (false, _) => Err(CallError::failed(format!(
                "There is no program {}.\nCheck the path; it starts from {}.",
                quoted(name),
                cwd.display()
            ))),
        };
    }
    search(name, search_path).ok_or_else(|| {
        let shell = if name.contains(char::is_whitespace) {
            " The name and each argument are words of their own; no shell takes them apart."
        } else {
            ""
        };
        CallError::failed(format!(
            "There is no program {} on the search path.\nCheck its name, or install it.{shell}",
            quoted(name)
        ))
    })
}

/// The first program of that name in the absolute folders of a search path.
pub(super) fn search(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    all(name, search_path).next()
}

/// All of them, the first of which is what the name means; none for a path.
pub(super) fn all(name: &str, search_path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let folders: Vec<_> = match name.contains('/') {
        true => Vec::new(),
        false => std::env::split_paths(search_path).filter(|folder| folder.is_absolute()).collect(),
    };
    folders.into_iter().map(move |folder| folder.join(name)).filter(|path| is_program(path))
}

/// Refuses a program that is not there, or that a run of that level does not see.
pub(super) fn check(
    program: &str,
    search_path: &OsString,
    cwd: &Path,
    (level, sight): (Level, impl FnOnce() -> Sight),
) -> Result<(), CallError> {
    let file = find(program, search_path, cwd)?;
    if level == Level::Open {
        return Ok(());
    }
    let sight = sight();
    if sight.has(&file) {
        return Ok(());
    }
    let mut help = Vec::new();
    if let Some(other) = all(program, search_path).find(|other| sight.has(other)) {
        help.push(format!("name {:?}, which it sees", other.display().to_string()));
    }
    let name = Path::new(program).file_name().unwrap_or_default();
    if name.to_string_lossy().starts_with("python") {
        help.push("use execute_code for what is Python".to_owned());
    }
    help.push("ask for seal=\"open\", which is asked for".to_owned());
    Err(CallError::failed(format!(
        "{program:?} is {}, which a run with seal {:?} cannot see.\nTo run it, {}.",
        file.display(),
        level.name(),
        help.join(", or ")
    )))
}

pub(super) fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
