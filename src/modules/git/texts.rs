//! `git.diff` and `git.show`: what git prints for people, as it is.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    PATHS, head, inside, paths,
    place::Repository,
    read, revision,
    run::{PLAIN, Said, Work, look_within},
    said,
};
use crate::kernel::{
    capability::{Capability, Category, Content},
    context::Context,
    error::CallError,
    gate::{Permit, Subject, Tells},
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
            changes(&permit, &cx, ("git.diff", "git diff"), words).await
        },
    )
}

pub(super) fn show() -> Capability {
    let listed = Capability::define::<Show>(
        "git.show",
        "Gives a commit with its message and its diff, or a file as it was in it.",
        Category::Read,
    );
    read(listed, Show::words)
        .subject(|cx, show| match (&show.path, Repository::of(cx)) {
            (Some(path), Ok(repository)) => {
                // Without what means nothing in it, such as `./`.
                let place: PathBuf = repository.root.join(path).components().collect();
                Subject::read(&place)
            }
            (None, Ok(repository)) => Subject::path(&repository.common),
            (_, Err(_)) => Subject::Other,
        })
        .status(|show| format!("git show {}", show.revision))
        .handler(|permit, cx, show| async move {
            let words = show.words(&cx)?;
            match show.path {
                Some(_) => text(&permit, &cx, ("git show", words)).await,
                None => changes(&permit, &cx, ("git.show", "git show"), words).await,
            }
        })
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

/// What git says of changes in several files, without those that a rule keeps from being read.
async fn changes(
    permit: &Permit,
    cx: &Context,
    (call, title): (&str, &str),
    mut words: Vec<String>,
) -> Result<Content, CallError> {
    let Some(denied) = cx.gate.denied_places(cx, call, Tells::Text) else {
        return text(permit, cx, (title, words)).await;
    };
    let repository = Repository::of(cx)?;
    let mut asked = words.clone();
    asked.retain(|word| !matches!(word.as_str(), "--patch" | "--stat" | "--stat=120"));
    // Options stand before the first revision.
    asked.splice(1..1, ["--name-only", "--no-renames", "--format="].map(str::to_owned));
    let work = Work { title, script: PLAIN, words: asked, writes: Vec::new() };
    let Said { out, cut } = look_within(permit, cx, &repository, work).await?;
    let all: Vec<&str> = out.lines().filter(|name| !name.is_empty()).collect();
    // A name in quotation marks is none that git would take back.
    let may = |name: &&&str| !name.starts_with('"') && !denied.have(&repository.root.join(name));
    let open: Vec<String> = all.iter().filter(may).map(|name| (**name).to_owned()).collect();
    if open.len() == all.len() && !cut {
        return text(permit, cx, (title, words)).await;
    }
    if cut || open.len() > PATHS {
        return Err(CallError::failed(format!(
            "{title} would tell of more files than can be looked at by the rules. Ask for less, by path."
        )));
    }
    const LEFT_OUT: &str = "[Files that a rule keeps from being read are left out.]\n";
    if open.is_empty() {
        return Ok(LEFT_OUT.into());
    }
    let paths = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.truncate(paths);
    words.insert(1, "--no-renames".to_owned());
    words.push("--".to_owned());
    words.extend(open);
    let told = text(permit, cx, (title, words)).await?;
    let told = told.value.as_str().unwrap_or_default().to_owned();
    Ok(format!("{told}{LEFT_OUT}").into())
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
