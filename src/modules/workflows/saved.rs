//! The files of saved scripts. A name leads to one place and nowhere else: no folder, no link and no
//! name that a screen would not show as it is.

use std::{fs, path::Path};

use serde::Serialize;

use super::super::files;
use crate::kernel::{
    capability::Reach, context::Context, error::CallError, profile::is_name, schema, text::clean,
};

/// Where they are, in the workspace.
const FOLDER: &str = ".footplate/workflows";
/// The longest script.
const LONGEST: usize = 256 << 10;
/// The most that are listed.
const MOST: usize = 500;
/// The most that is shown of one in a list, in characters.
const ABOUT_CHARS: usize = 120;

/// What is saved in a workspace.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Saved {
    /// The scripts, by name.
    pub workflows: Vec<Script>,
    /// What else lies there, and is none: such as a link, a folder, a name with spaces.
    pub left_out: Vec<String>,
}

/// One of them.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Script {
    /// Its name.
    pub name: String,
    /// Its first words about itself; empty if it has none.
    pub about: String,
}

/// What is saved in a workspace. Blocks for small files.
pub fn saved(workspace: &Path) -> Saved {
    let mut saved = Saved::default();
    let folder = workspace.join(FOLDER);
    // A link in its place would list what is elsewhere.
    let is_there = folder.canonicalize().is_ok_and(|real| {
        workspace.canonicalize().is_ok_and(|workspace| real == workspace.join(FOLDER))
    });
    let entries = if is_there { fs::read_dir(&folder).ok() } else { None };
    let mut found: Vec<_> = entries.into_iter().flatten().flatten().collect();
    found.sort_unstable_by_key(fs::DirEntry::file_name);
    for entry in found {
        let file = entry.file_name();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let name = file.to_str().and_then(|file| file.strip_suffix(".py")).filter(|it| is_name(it));
        match name {
            Some(name) if is_file && saved.workflows.len() < MOST => {
                let about = about(&entry.path());
                saved.workflows.push(Script { name: name.to_owned(), about });
            }
            Some(_) | None => {
                let (shown, _) = files::name(file.as_encoded_bytes());
                let shown = shown.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
                saved.left_out.push(clean(shown.collect::<String>().as_bytes()));
            }
        }
    }
    saved
}

/// The first words of a script about itself: a comment, or the first line of its docstring.
fn about(path: &Path) -> String {
    const HEAD: usize = 4 << 10;
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| {
        std::io::Read::read_to_end(&mut std::io::Read::take(file, HEAD as u64), &mut head)
    });
    if read.is_err() {
        return String::new();
    }
    let text = clean(&head);
    let lines = text.lines().map(str::trim);
    // What stands for the machine is passed over.
    let mut in_block = false;
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("#!")) {
        if line.starts_with("# ///") {
            in_block = line != "# ///";
        } else if !in_block {
            let words = line.strip_prefix('#').or_else(|| {
                let quoted = line.strip_prefix("\"\"\"").or_else(|| line.strip_prefix("'''"))?;
                Some(quoted.trim_end_matches(['"', '\'']))
            });
            return words.unwrap_or_default().trim().chars().take(ABOUT_CHARS).collect();
        }
    }
    String::new()
}

/// Where the script of that name is, as a path of the workspace.
pub(super) fn path(name: &str) -> String {
    format!("{FOLDER}/{name}.py")
}

/// Refuses what is no name.
pub(super) fn check_name(capability: &str, name: &str) -> Result<(), CallError> {
    if is_name(name) {
        return Ok(());
    }
    let fault = "expected 1 to 32 letters, digits, - and _, such as \"release\"";
    Err(schema::invalid(&format!("{capability}.name"), fault))
}

/// The text of the script of that name.
pub(super) async fn text(cx: &Context, capability: &str, name: &str) -> Result<String, CallError> {
    check_name(capability, name)?;
    let path = path(name);
    let place = cx.env.resolve_path(&path)?;
    if place.reach != Reach::Workspace || place.real != cx.env.root().join(&path) {
        return Err(CallError::failed(format!(
            "{path} leads to {} by a link, and is not run. Save it as a file of its own.",
            place.real.display()
        )));
    }
    if !fs::symlink_metadata(&place.real).is_ok_and(|file| file.is_file()) {
        let there: Vec<_> =
            saved(cx.env.root()).workflows.into_iter().map(|script| script.name).collect();
        let list =
            if there.is_empty() { "none is saved here".to_owned() } else { there.join(", ") };
        let fault = format!("there is no workflow {name:?}; there is: {list}");
        return Err(schema::invalid(&format!("{capability}.name"), &fault).with("available", there));
    }
    let bytes = cx.env.read_file(&place).await?;
    if bytes.len() > LONGEST {
        return Err(CallError::failed(format!(
            "{path} is too long to be run as a workflow: {} bytes, at most {LONGEST}.",
            bytes.len()
        )));
    }
    String::from_utf8(bytes).map_err(|_| {
        CallError::failed(format!("{path} is not UTF-8 text, and is not run. Save it as UTF-8."))
    })
}

#[cfg(test)]
mod tests;
