//! A git worktree as the workspace of an agent: made after a question, put away at its end.
//!
//! Making one is a call of its own, and an execution, since it changes `.git`. It is a tool without a
//! module that no session names: the call that starts the agent makes it, and hands it the place, which
//! is no argument, so that no model can choose one. No hook and no filter runs; what a filter would
//! have made of a file is not there, and submodules are empty.
//!
//! At the end of the agent the worktree is removed if nothing would be lost: git sees no change in it,
//! and its commit is the one it began with, or in some branch or tag. What is ignored goes with it. All
//! else is kept, and the agent above is told where.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    Repository,
    run::{PLAIN, Said, Work, look, unrecorded},
};
use crate::{
    kernel::{
        capability::{Body, Capability, Category, Content, Preview, Reach},
        context::Context,
        error::{CallError, ErrorCode},
        event::Origin,
        gate::{Permit, subject::Subject},
        id::CallId,
        invoke::{CallRequest, Input},
        port::{Bounds, Level, Tree},
        registry::Mounts,
        spec::{SessionSpec, Worktree},
    },
    modules::bounds::fits,
};

/// The name of the call that makes one. The folder that it makes for it has the id of the call.
pub const ADD_WORKTREE: &str = "add_worktree";

/// Says what would be checked out, and what would not be in it.
const LOOK: &str = r#"
commit=$(git rev-parse -q --verify 'HEAD^{commit}') || {
    echo "there is no commit yet, so there is nothing to check out; commit first, or start the agent without a worktree" >&2
    exit 74
}
echo "$commit"
git log -1 --no-show-signature --no-color --no-patch --format=%s "$commit"
git status --porcelain --untracked-files=normal --ignore-submodules=dirty | wc -l
git ls-tree -r "$commit" | grep -c '^160000 ' || true
"#;

/// Says where a worktree stands that began with the commit `$1`: its commit now, whether there is any
/// change beside it, and whether that commit would be lost.
const STAND: &str = r#"
set -e
head=$(git rev-parse -q --verify 'HEAD^{commit}')
changes=$(git status --porcelain --untracked-files=normal --ignore-submodules=none)
if [ "$head" = "$1" ] || [ -n "$(git for-each-ref --count=1 --contains "$head")" ]; then
    lost=no
else
    lost=yes
fi
echo "$head"
if [ -n "$changes" ]; then echo changed; else echo clean; fi
echo "$lost"
"#;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Add {
    /// The agent that it is for.
    agent: String,
}

/// Makes a worktree of the workspace's repository in that folder, which only the host names, if that
/// is allowed; for the call of this context.
pub(in crate::modules) async fn make(
    cx: &Context,
    folder: PathBuf,
    agent: &str,
) -> Result<Tree, CallError> {
    let offer = Mounts { modules: Vec::new(), capabilities: vec![Arc::new(add(folder.clone()))] };
    // So that the journal of one that was cut off tells where it was.
    let home = folder.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let request = CallRequest {
        id: home.and_then(|home| home.parse().ok()).unwrap_or_else(CallId::fresh),
        name: ADD_WORKTREE.to_owned(),
        input: Input::Value(json!({ "agent": agent })),
        origin: Origin::Python { line: None },
    };
    let result = offer.bind(cx.clone()).invoke(request).await;
    let folder = folder.canonicalize().ok();
    match (result.ok, result.content["commit"].as_str(), folder) {
        (true, Some(commit), Some(folder)) => Ok(Tree { folder, commit: commit.to_owned() }),
        (_, _, _) => {
            let code = result.error_code().unwrap_or(ErrorCode::Failed);
            let said = result.content["message"].as_str().unwrap_or_default();
            let mut error = CallError::new(
                code,
                format!("No agent was started, for want of its worktree. {said}"),
            );
            if let Value::Object(mut detail) = result.content {
                detail.retain(|key, _| !matches!(&**key, "error" | "message"));
                error.detail = detail;
            }
            Err(error)
        }
    }
}

fn add(folder: PathBuf) -> Capability {
    let shown = folder.clone();
    Capability::define::<Add>(
        ADD_WORKTREE,
        "Makes a git worktree of the workspace's repository for an agent.",
        Category::Execute,
    )
    .status(|add| format!("worktree for {}", add.agent))
    .preview(move |cx, _| {
        let folder = shown.clone();
        async move { Ok(planned(&cx, &folder).await?.1) }
    })
    .handler(move |permit: Permit, cx: Context, _| {
        let folder = folder.clone();
        async move { handle(&permit, &cx, &folder).await }
    })
}

/// What would be made: of which commit, and as a person is shown it.
async fn planned(cx: &Context, folder: &Path) -> Result<(String, Preview), CallError> {
    fits(cx, &Bounds { writes: vec![cx.env.root().to_owned()], ..Level::Sealed.into() })?;
    let root = cx.env.root();
    if !root.join(".git").exists() && root.join("HEAD").is_file() && root.join("objects").is_dir() {
        return Err(CallError::failed(
            "This folder is a bare repository, which has no files to work on. Work in a clone of it.",
        ));
    }
    let repository = Repository::of(cx)?;
    let work = Work { title: "git worktree", script: LOOK, words: Vec::new(), writes: Vec::new() };
    let Said { out, .. } = look(cx, &repository, work).await?;
    let mut lines = out.lines();
    let commit = lines.next().unwrap_or_default().to_owned();
    let subject = lines.next().unwrap_or_default();
    let mut count = || lines.next().and_then(|line| line.trim().parse::<u64>().ok()).unwrap_or(0);
    let (uncommitted, submodules) = (count(), count());
    let mut facts = vec![
        "changes .git".to_owned(),
        "no hook and no filter runs".to_owned(),
        "removed at the agent's end if nothing in it is new".to_owned(),
    ];
    if uncommitted > 0 {
        facts.push(format!("not in it: {uncommitted} paths with uncommitted changes"));
    }
    if submodules > 0 {
        facts.push(format!("empty in it: {submodules} submodules"));
    }
    let text = format!(
        "git worktree add --detach {} {commit}\n\n{subject}\n\n{}",
        folder.display(),
        facts.join("\n")
    );
    let preview = Preview {
        object: "git worktree".to_owned(),
        facts,
        wider: Vec::new(),
        reach: Reach::Outside,
        body: Body::Text { text },
        subject: Subject::path(&repository.common),
    };
    Ok((commit, preview))
}

async fn handle(permit: &Permit, cx: &Context, folder: &Path) -> Result<Content, CallError> {
    let (commit, preview) = planned(cx, folder).await?;
    if permit.preview().is_some_and(|approved| approved.body != preview.body) {
        return Err(CallError::failed(
            "Not made: the repository is no longer as it was when that was asked. Start the agent again.",
        ));
    }
    let cannot = |error: std::io::Error| {
        CallError::failed(format!("Cannot make {}: {error}. Make room there.", folder.display()))
    };
    let home = folder.parent().unwrap_or(folder);
    fs::create_dir_all(home).map_err(cannot)?;
    let home = home.canonicalize().map_err(cannot)?;
    let words = ["worktree", "add", "--quiet", "--detach", "--"].map(str::to_owned);
    let mut words = words.to_vec();
    let place = home.join(folder.file_name().unwrap_or_default());
    words.extend([place.display().to_string(), commit.clone()]);
    let repository = Repository::of(cx)?;
    if let Err(error) = change(cx, &home, &repository, words, cx.cancel.child_token()).await {
        // Empty unless git left something, which is told by its words.
        let _ = fs::remove_dir(&home);
        return Err(error);
    }
    let facts = preview.facts;
    Ok(json!({ "folder": place, "commit": commit, "facts": facts }).into())
}

/// Has git change the repository, and what is in the folder of one worktree, which is its workspace.
async fn change(
    cx: &Context,
    home: &Path,
    repository: &Repository,
    words: Vec<String>,
    cancel: CancellationToken,
) -> Result<(), CallError> {
    let writes = vec![repository.common.clone(), home.to_owned()];
    let bounds = Bounds { writes: writes.clone(), keeps: true, ..Level::Sealed.into() };
    let repository = Repository { root: home.to_owned(), ..repository.clone() };
    let work = Work { title: "git worktree", script: PLAIN, words, writes };
    unrecorded(cx, &repository, work, bounds, cancel).await.map(drop)
}

/// Takes away a worktree whose agent did not start; what cannot be is left, and listed by git.
pub(in crate::modules) async fn discard(cx: &Context, tree: &Tree) {
    let removed = match Repository::of(cx) {
        Ok(repository) => remove(cx, &tree.folder, &repository).await,
        Err(error) => Err(error),
    };
    if let Err(error) = removed {
        tracing::warn!(%error, folder = %tree.folder.display(), "a worktree was left");
    }
}

async fn remove(cx: &Context, folder: &Path, repository: &Repository) -> Result<(), CallError> {
    let home = folder.parent().unwrap_or(folder);
    let words = ["worktree", "remove", "--"].map(str::to_owned);
    let words = words.into_iter().chain([folder.display().to_string()]).collect();
    // Also where the session was stopped.
    change(cx, home, repository, words, CancellationToken::new()).await?;
    let _ = fs::remove_dir(home);
    Ok(())
}

/// Removes the worktree of a session that is over, if it has one and nothing would be lost; says in
/// words what became of it where it is kept.
pub async fn put_away(cx: &Context) -> Option<String> {
    let worktree = cx.spec.worktree.as_deref()?;
    let folder = &cx.spec.workspace;
    if !folder.is_dir() {
        return left(&cx.spec);
    }
    let away = async {
        let repository = Repository::at(folder)?;
        let words = vec![worktree.commit.clone()];
        let work = Work { title: "git worktree", script: STAND, words, writes: Vec::new() };
        let bounds = Bounds { reads: repository.outside(), ..Level::Sealed.into() };
        let cancel = CancellationToken::new();
        let Said { out, .. } = unrecorded(cx, &repository, work, bounds, cancel).await?;
        let mut lines = out.lines();
        let (head, changed, lost) = (lines.next(), lines.next(), lines.next());
        if (changed, lost) == (Some("clean"), Some("no")) {
            let main = Repository { folder: repository.common.clone(), ..repository };
            remove(cx, folder, &main).await?;
            return Ok(None);
        }
        Ok(Some(head.unwrap_or_default().to_owned()))
    };
    match away.await {
        Ok(None) => None,
        Ok(Some(head)) => Some(kept(folder, worktree, Some(&head))),
        Err(CallError { message, .. }) => {
            Some(format!("{} It was not removed: {message}", kept(folder, worktree, None)))
        }
    }
}

/// What is said of the worktree of a session that ended with the program, if it had one.
pub fn left(spec: &SessionSpec) -> Option<String> {
    let worktree = spec.worktree.as_deref()?;
    if spec.workspace.is_dir() {
        return Some(kept(&spec.workspace, worktree, None));
    }
    Some(format!(
        "Its worktree {} is not there any more; what was committed in it may be found with git fsck.",
        spec.workspace.display()
    ))
}

fn kept(folder: &Path, Worktree { commit, .. }: &Worktree, head: Option<&str>) -> String {
    let folder = folder.display();
    let committed = match head {
        Some(head) if head != commit => {
            format!(" Its commits: git.diff(base=\"{commit}\", to=\"{head}\").")
        }
        Some(_) | None => String::new(),
    };
    format!(
        "Its worktree is kept: {folder}.{committed} To see all: git -C {folder} status, git -C {folder} \
         diff {commit}. To remove it: git worktree remove --force {folder}."
    )
}
