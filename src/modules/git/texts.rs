//! `git.diff` and `git.show`: what git prints for people, as it is.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{head, inside, paths, read, revision, run::Said, said};
use crate::kernel::{
    capability::{Capability, Category, Content},
    context::Context,
    error::CallError,
    gate::Permit,
    schema,
};

/// No program of the repository's choice, and nothing that is not text.
const SAFELY: [&str; 5] = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--submodule=short",
    "--ignore-submodules=dirty",
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Diff {
    /// Only these files and folders; all if left out.
    #[serde(default)]
    paths: Vec<String>,
    /// Whether what is staged is compared, instead of the files.
    #[serde(default)]
    staged: bool,
    /// The commit, branch or tag to compare with; what is staged if left out, or else HEAD.
    #[serde(default)]
    base: Option<String>,
    /// Another one, to compare the base with it instead of the files.
    #[serde(default)]
    to: Option<String>,
    /// Whether only the names of files and the numbers of lines are given.
    #[serde(default)]
    stat: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Show {
    /// The commit, branch or tag.
    #[serde(default = "head")]
    revision: String,
    /// A file, to be given as it was then; the whole commit if left out.
    #[serde(default)]
    path: Option<String>,
}

pub(super) fn diff() -> Capability {
    let listed = Capability::define::<Diff>(
        "git.diff",
        "Gives what has changed, as a diff; nothing if nothing has. Untracked files are not in it: see \
         git.status.",
        Category::Read,
    );
    read(listed, Diff::words).status(|_| "git diff".to_owned()).handler(
        |permit, cx, diff| async move {
            let words = diff.words(&cx)?;
            text(&permit, &cx, ("git diff", words)).await
        },
    )
}

pub(super) fn show() -> Capability {
    let listed = Capability::define::<Show>(
        "git.show",
        "Gives a commit with its message and its diff, or a file as it was in it.",
        Category::Read,
    );
    read(listed, Show::words).status(|show| format!("git show {}", show.revision)).handler(
        |permit, cx, show| async move {
            let words = show.words(&cx)?;
            text(&permit, &cx, ("git show", words)).await
        },
    )
}

impl Diff {
    fn words(&self, cx: &Context) -> Result<Vec<String>, CallError> {
        if self.to.is_some() && (self.base.is_none() || self.staged) {
            let fault = "give it with base, and without staged";
            return Err(schema::invalid("git.diff.to", fault));
        }
        let mut words = vec!["diff"];
        words.extend(SAFELY);
        words.extend(self.staged.then_some("--cached"));
        words.extend(self.stat.then_some("--stat=120"));
        for (place, named) in [("git.diff.base", &self.base), ("git.diff.to", &self.to)] {
            words.extend(named.as_deref().map(|named| revision(place, named)).transpose()?);
        }
        words.push("--");
        let paths = paths(cx, "git.diff.paths", &self.paths)?;
        Ok(words.into_iter().map(str::to_owned).chain(paths).collect())
    }
}

impl Show {
    fn words(&self, cx: &Context) -> Result<Vec<String>, CallError> {
        let revision = revision("git.show.revision", &self.revision)?;
        let mut words: Vec<String> =
            ["show"].into_iter().chain(SAFELY).map(str::to_owned).collect();
        match &self.path {
            None => {
                words.extend(["--no-show-signature", "--stat", "--patch"].map(str::to_owned));
                words.push(revision.to_owned());
            }
            Some(path) => words.push(format!("{revision}:{}", inside(cx, "git.show.path", path)?)),
        }
        words.push("--".to_owned());
        Ok(words)
    }
}

async fn text(
    permit: &Permit,
    cx: &Context,
    work: (&str, Vec<String>),
) -> Result<Content, CallError> {
    let Said { mut out, cut } = said(permit, cx, work).await?;
    if cut {
        out += "\n[This is not all of it: ask for less, by path or with stat.]\n";
    }
    Ok(out.into())
}
