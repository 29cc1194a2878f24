//! `git`: what a repository says, and commits of named paths.
//!
//! It runs the `git` program, and not a library. gix would bring 68 crates more than there are here,
//! and still leave out what people have in their repositories (filters, every format of an index, new
//! extensions), and it would read a stranger's files in our own process; libgit2 is C, and does that as
//! well. git itself runs in the seal that everything else runs in: it reads the workspace and its
//! repository, writes nothing, and has no network. So its answers are reads.
//!
//! A repository is a stranger's, and its configuration names programs: a monitor, a pager, hooks, tools
//! for differences, filters, signatures, ways to fetch what is missing. All of them are switched off,
//! and the filters whatever their names are ([`run`]); what would be missed is still held by the seal.
//! Where the system offers no seal, every call asks.
//!
//! The repository is the workspace's own: its `.git`, or for a linked worktree the folder elsewhere that
//! says of itself that it belongs to this worktree ([`place`]). One that the workspace merely lies in, or
//! merely names, is not read: it holds what the workspace does not.
//!
//! A commit is a write, and asks as one outside of the workspace does, since `.git` is obeyed by others.
//! It is no execution, because it runs no hook: what happens is exactly what was shown, a tree, a
//! message and a branch, made in a scratch folder before anybody is asked, and made again only if it is
//! still the same.
//!
//! A worktree for an agent is a call of its own ([`worktree`]), made by the one that starts the agent,
//! as packages are by the run that wants them: starting stays a read, and a profile that wants a
//! worktree asks for it just the same. It counts as an execution, since it changes `.git`.
//!
//! Who wants the hooks to run uses `process.run`, which asks as what it is.

mod commit;
mod lists;
mod parse;
mod place;
mod run;
mod texts;
mod worktree;

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

pub use self::worktree::{ADD_WORKTREE, left, put_away};
pub(super) use self::worktree::{discard, make};
use self::{
    place::Repository,
    run::{PLAIN, Said, Work, git},
};
use crate::kernel::{
    capability::{Body, Category, Definition, Preview, Reach},
    context::Context,
    error::CallError,
    gate::{Permit, subject::Subject},
    port::Level,
    registry::Module,
    schema,
};

pub(super) const MODULE: Module = Module {
    name: "git",
    summary: "Look into the workspace's git repository, unasked, and commit paths of it.",
    load: || {
        vec![
            lists::status(),
            texts::diff(),
            lists::log(),
            texts::show(),
            lists::branches(),
            lists::worktrees(),
            commit::commit(),
        ]
    },
};

/// The most paths of one call.
const PATHS: usize = 1_000;

/// A read where git can be sealed; elsewhere it is a program that runs.
fn category(cx: &Context) -> Category {
    let sealed = cx.executor.as_ref().is_some_and(|executor| executor.seals(Level::Sealed));
    if sealed { Category::Read } else { Category::Execute }
}

/// What all calls act on.
fn subject(cx: &Context) -> Subject {
    Repository::of(cx).map_or(Subject::Other, |repository| Subject::path(&repository.common))
}

/// What a person is asked where git cannot be sealed.
fn preview(cx: &Context, words: &[String]) -> Result<Preview, CallError> {
    let repository = Repository::of(cx)?;
    let file = run::program(cx)?;
    let limit_ms = u64::try_from(run::LIMIT.as_millis()).unwrap_or(u64::MAX);
    let mut argv = vec!["git".to_owned()];
    argv.extend_from_slice(words);
    Ok(Preview {
        object: "git".to_owned(),
        facts: vec!["reads the repository".to_owned(), "hooks and filters are off".to_owned()],
        wider: vec!["open, as there is no seal here: it can do what you can".to_owned()],
        reach: Reach::Outside,
        body: Body::Program { argv, cwd: repository.root, limit_ms, file: Some(file) },
        subject: Subject::path(&repository.common),
    })
}

/// What all reads have in common: what they are, what they act on, and what a person is asked. `words`
/// are what git is told.
fn read<P>(
    definition: Definition<P>,
    words: fn(&P, &Context) -> Result<Vec<String>, CallError>,
) -> Definition<P>
where
    P: DeserializeOwned + JsonSchema + Send + 'static,
{
    let asked = move |cx: Context, wanted: P| async move { preview(&cx, &words(&wanted, &cx)?) };
    definition.category_of(|cx, _| category(cx)).subject(|cx, _| subject(cx)).preview(asked)
}

/// What git says to these words, in the repository of the workspace.
async fn said(
    permit: &Permit,
    cx: &Context,
    (title, words): (&str, Vec<String>),
) -> Result<Said, CallError> {
    let repository = Repository::of(cx)?;
    let work = Work { title, script: PLAIN, words, writes: Vec::new() };
    git(cx, permit.call(), &repository, work).await
}

/// The commit that is meant where none is named.
fn head() -> String {
    "HEAD".to_owned()
}

/// A revision as one argument that is no option.
fn revision<'a>(place: &str, revision: &'a str) -> Result<&'a str, CallError> {
    let fault = |fault: &str| Err(schema::invalid(place, fault));
    if revision.is_empty() {
        return fault("it is empty; name a commit, a branch or a tag");
    }
    if revision.starts_with('-') || revision.contains(char::is_control) || revision.len() > 500 {
        return fault("that is no revision; name a commit, a branch or a tag");
    }
    // A file by its path there is one of the arguments, so that rules see it.
    if revision.contains(':') {
        return fault(
            "that names a file; name a commit, a branch or a tag here, and the file by path",
        );
    }
    Ok(revision)
}

/// Paths inside the workspace, as git shall have them: as they are named, since a link is an entry of
/// its own.
fn paths(cx: &Context, place: &str, paths: &[String]) -> Result<Vec<String>, CallError> {
    if paths.len() > PATHS {
        let fault = format!("{} paths are too many at once, at most {PATHS}", paths.len());
        return Err(schema::invalid(place, &fault));
    }
    paths.iter().map(|path| inside(cx, place, path)).collect()
}

fn inside(cx: &Context, place: &str, path: &str) -> Result<String, CallError> {
    let fault = |fault: &str| schema::invalid(place, &format!("{path:?} {fault}"));
    let named = Path::new(path);
    let named = named.strip_prefix(cx.env.root()).unwrap_or(named);
    let plain = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || path.contains('\0') {
        return Err(fault("is no path"));
    }
    if !named.components().all(|part| plain(&part)) {
        return Err(fault("is not inside the workspace; name one relative to it, without .."));
    }
    let text = named.to_str().filter(|text| !text.is_empty()).unwrap_or(".");
    Ok(text.to_owned())
}
