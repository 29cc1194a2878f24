//! `search.files`: files by a glob, or by what one remembers of a name.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Ground, matcher, note, searching};
use crate::{
    kernel::{
        capability::{Capability, Category, Content},
        context::Context,
        error::CallError,
        gate::Permit,
        schema,
    },
    modules::files::{here, name, subject},
};

/// The most files that are given.
const FILES: usize = 1_000;
/// The most that are given where the best come first.
const BEST: usize = 50;
/// The longest part of a name that is looked for.
const NAME_CHARS: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Files {
    /// Which files: `*.rs` in every folder, `src/*.rs` in that one, `src/**/*.rs` at any depth in it.
    #[serde(default)]
    glob: Option<String>,
    /// Parts of a name or path, in any case: `main conf`, or letters in their order: `mncnf`. Then
    /// the best come first.
    #[serde(default)]
    name: Option<String>,
    /// The folder to search, relative to the workspace.
    #[serde(default = "here")]
    path: String,
}

pub(super) fn files() -> Capability {
    Capability::define::<Files>(
        "search.files",
        "Finds files by glob, by name or by both, and gives {files: [path], left_out}, sorted; what \
         ignore files name is passed over. Names that are not UTF-8 are listed apart, as escaped.",
        Category::Read,
    )
    .status(|search| {
        let wanted = [search.glob.as_deref(), search.name.as_deref()];
        format!("find {}", wanted.into_iter().flatten().collect::<Vec<_>>().join(" "))
    })
    .subject(|cx, search| subject(cx, &search.path))
    .handler(find)
}

async fn find(_: Permit, cx: Context, wanted: Files) -> Result<Content, CallError> {
    let glob = wanted.glob.map(|glob| matcher("search.files.glob", &glob)).transpose()?;
    let likeness = wanted.name.as_deref().map(Likeness::to).transpose()?;
    if glob.is_none() && likeness.is_none() {
        return Err(schema::invalid("search.files", "give a glob such as \"*.rs\", or a name"));
    }
    let ground = Ground::of(&cx, "search.files", &wanted.path)?;
    let found = searching(&cx, move |cancel| {
        let mut list = List::new(likeness);
        let unreadable = ground.walk(cancel, &mut |found| {
            if glob.as_ref().is_none_or(|glob| glob.is_match(&found.relative)) {
                list.take(name(found.relative.as_os_str().as_encoded_bytes()));
            }
        })?;
        let given = list.files.len() + list.escaped.len();
        let files: Vec<_> = list.files.into_iter().map(|(_, file)| file).collect();
        let mut value = json!({ "files": files });
        note(&mut value, (given, "files"), list.left_out, unreadable);
        if !list.escaped.is_empty() {
            value["escaped"] = json!(list.escaped);
        }
        Ok(value)
    });
    Ok(found.await?.into())
}

/// The files so far. By a name the best, else the first.
struct List {
    likeness: Option<Likeness>,
    files: Vec<(Reverse<u32>, String)>,
    escaped: Vec<String>,
    left_out: u64,
}

impl List {
    fn new(likeness: Option<Likeness>) -> Self {
        Self { likeness, files: Vec::new(), escaped: Vec::new(), left_out: 0 }
    }

    fn take(&mut self, (file, escaped): (String, bool)) {
        let Some(likeness) = &self.likeness else {
            match (self.files.len() + self.escaped.len() < FILES, escaped) {
                (true, false) => self.files.push((Reverse(0), file)),
                (true, true) => self.escaped.push(file),
                (false, _) => self.left_out += 1,
            }
            return;
        };
        let Some(score) = likeness.of(&file) else { return };
        if escaped {
            if self.escaped.len() < BEST {
                self.escaped.push(file);
            } else {
                self.left_out += 1;
            }
            return;
        }
        // Behind those that are as good, which come before it by name.
        let at = self.files.partition_point(|(other, _)| *other <= Reverse(score));
        self.files.insert(at, (Reverse(score), file));
        if self.files.len() > BEST {
            self.files.pop();
            self.left_out += 1;
        }
    }
}

/// How much a path is like what was asked for.
struct Likeness(Vec<String>);

impl Likeness {
    fn to(name: &str) -> Result<Self, CallError> {
        let fault = |fault: &str| Err(schema::invalid("search.files.name", fault));
        let words: Vec<_> = name.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return fault("it is empty");
        }
        if name.chars().count() > NAME_CHARS {
            return fault("it is too long for a name");
        }
        Ok(Self(words))
    }

    /// The worth of a path; nothing if it lacks one of the words.
    fn of(&self, path: &str) -> Option<u32> {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        self.0.iter().map(|word| worth(word, &path, name)).sum()
    }
}

/// From the whole name down to letters that come in that order somewhere.
fn worth(word: &str, path: &str, name: &str) -> Option<u32> {
    let stem = name.split('.').next().unwrap_or(name);
    let worth = match () {
        () if name == word || path == word => 100,
        () if stem == word => 90,
        () if name.starts_with(word) => 70,
        () if name.contains(word) => 50,
        () if path.contains(word) => 30,
        () if comes_in_order(word, name) => 20,
        () if comes_in_order(word, path) => 10,
        () => return None,
    };
    Some(worth)
}

fn comes_in_order(letters: &str, text: &str) -> bool {
    let mut text = text.chars();
    letters.chars().all(|letter| text.any(|other| other == letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closer_a_name_is_the_better() {
        let likeness = Likeness::to("Lex").unwrap();
        let ordered =
            ["src/lex", "src/lex.rs", "src/lexer.rs", "src/relex.rs", "lex/a.rs", "src/l_e_x.rs"];
        let worth: Vec<_> = ordered.map(|path| likeness.of(path).unwrap()).to_vec();
        assert!(worth.is_sorted_by(|better, worse| better > worse), "{worth:?}");
        assert_eq!(likeness.of("src/xel.rs"), None);
        assert!(Likeness::to("src rs").unwrap().of("src/main.rs").is_some());
        assert_eq!(Likeness::to("src py").unwrap().of("src/main.rs"), None);
    }
}
