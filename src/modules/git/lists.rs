//! `git.status`, `git.log`, `git.branches` and `git.worktrees`: what git lists, as values.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{head, parse, paths, read, revision, run::Said, said};
use crate::kernel::{
    capability::{Capability, Category, Content},
    context::Context,
    error::CallError,
    gate::Permit,
};

/// The most branches that are given.
const BRANCHES: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Log {
    /// How many commits.
    #[serde(default = "some")]
    #[schemars(range(min = 1, max = 200))]
    count: usize,
    /// The commit, branch, tag or range, such as main..topic.
    #[serde(default = "head")]
    revision: String,
    /// Only commits that changed these files and folders.
    #[serde(default)]
    paths: Vec<String>,
}

fn some() -> usize {
    20
}

pub(super) fn status() -> Capability {
    let listed = Capability::define::<Nothing>(
        "git.status",
        "Gives {branch, head, upstream, ahead, behind, changes: [{path, staged, unstaged, from}]}: each \
         change is modified, added, deleted, renamed, copied, retyped, untracked or conflict. The branch \
         is null where none is checked out.",
        Category::Read,
    );
    read(listed, |_, _| Ok(status_words())).status(|_| "git status".to_owned()).handler(
        |permit, cx, _| async move {
            value(&permit, &cx, ("git status", status_words()), parse::status).await
        },
    )
}

pub(super) fn log() -> Capability {
    let listed = Capability::define::<Log>(
        "git.log",
        "Gives {commits: [{commit, author, date, subject}]}, the newest first.",
        Category::Read,
    );
    read(listed, Log::words).status(|_| "git log".to_owned()).handler(
        |permit, cx, log| async move {
            let words = log.words(&cx)?;
            value(&permit, &cx, ("git log", words), parse::log).await
        },
    )
}

pub(super) fn branches() -> Capability {
    let listed = Capability::define::<Nothing>(
        "git.branches",
        "Gives {branches: [{name, remote, current, commit, upstream, date, subject}]}, the last changed \
         first.",
        Category::Read,
    );
    read(listed, |_, _| Ok(branches_words())).status(|_| "git branches".to_owned()).handler(
        |permit, cx, _| async move {
            value(&permit, &cx, ("git branches", branches_words()), parse::branches).await
        },
    )
}

pub(super) fn worktrees() -> Capability {
    let listed = Capability::define::<Nothing>(
        "git.worktrees",
        "Gives {worktrees: [{path, head, branch}]}: the folders in which this repository is checked out.",
        Category::Read,
    );
    read(listed, |_, _| Ok(worktrees_words())).status(|_| "git worktrees".to_owned()).handler(
        |permit, cx, _| async move {
            value(&permit, &cx, ("git worktrees", worktrees_words()), parse::worktrees).await
        },
    )
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn status_words() -> Vec<String> {
    words(&[
        "status",
        "--porcelain=v2",
        "--branch",
        "--untracked-files=normal",
        "--ignore-submodules=dirty",
    ])
}

fn branches_words() -> Vec<String> {
    let mut words = words(&["for-each-ref", "--sort=-committerdate"]);
    words.push(format!("--count={BRANCHES}"));
    words.push(format!("--format={}", parse::BRANCH));
    words.extend(["refs/heads", "refs/remotes"].map(str::to_owned));
    words
}

fn worktrees_words() -> Vec<String> {
    words(&["worktree", "list", "--porcelain"])
}

impl Log {
    fn words(&self, cx: &Context) -> Result<Vec<String>, CallError> {
        let mut words = words(&["log", "--no-show-signature", "--no-color", "--no-patch"]);
        words.push(format!("--max-count={}", self.count));
        words.push(format!("--format={}", parse::COMMIT));
        words.push(revision("git.log.revision", &self.revision)?.to_owned());
        words.push("--".to_owned());
        words.extend(paths(cx, "git.log.paths", &self.paths)?);
        Ok(words)
    }
}

async fn value(
    permit: &Permit,
    cx: &Context,
    work: (&str, Vec<String>),
    parse: fn(&str) -> Value,
) -> Result<Content, CallError> {
    let Said { out, cut } = said(permit, cx, work).await?;
    let mut value = parse(&out);
    if cut {
        value["note"] = json!("There is more: what is in the middle was left out.");
    }
    Ok(value.into())
}
