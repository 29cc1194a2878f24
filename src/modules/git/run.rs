//! One run of git, with everything switched off that a repository could have it run.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use super::place::Repository;
use crate::{
    kernel::{
        clock::Budget,
        context::Context,
        error::{CallError, ErrorCode},
        event::ExitStatus,
        gate::Permit,
        id::CallId,
        invoke::interrupted,
        port::{Bounds, Ended, Job, Level, Manner, Program, Unkept},
    },
    modules::{
        bounds::held,
        run::{self, Run, Tie, exceeded, executor},
    },
};

/// How long git may run.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

/// Settings that stand above those of all files.
const SETTINGS: [(&str, &str); 22] = [
    // Asked back by the script: a git that does not know of such settings would obey the files.
    ("footplate.off", "yes"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", ":"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", ""),
    ("core.quotePath", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("diff.submodule", "short"),
    ("diff.ignoreSubmodules", "dirty"),
    ("gpg.program", "false"),
    ("log.showSignature", "false"),
    ("protocol.allow", "never"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
    ("column.ui", "never"),
    ("color.ui", "false"),
    // Who is not known by name shall not be made up.
    ("user.useConfigOnly", "true"),
];

/// What every run begins with. `$1` is the repository of the worktree, `$2` the workspace.
///
/// Filters are programs by names of the repository's own choice, in whatever bytes: each setting of
/// each is taken as the shell has it, and set to nothing. What is missing is never fetched.
const PROLOGUE: &str = r#"
set -f
export GIT_DIR="$1" GIT_WORK_TREE="$2"
shift 2
export GIT_OPTIONAL_LOCKS=0 GIT_LITERAL_PATHSPECS=1 GIT_TERMINAL_PROMPT=0 GIT_NO_LAZY_FETCH=1
export GIT_ALLOW_PROTOCOL= GIT_PAGER=cat GIT_EDITOR=: GIT_ASKPASS= GIT_SSH_COMMAND=false
if [ "$(git config --get footplate.off)" != yes ]; then
    echo "this git is too old to be used safely: 2.31 or newer is needed" >&2
    exit 69
fi
IFS='
'
for key in $(git config --name-only --get-regexp '^filter\.'); do
    export "GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=$key" "GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT="
    GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))
done
"#;

/// Runs git with the arguments.
pub(super) const PLAIN: &str = "exec git \"$@\"\n";

/// What git is to do.
pub(super) struct Work<'a> {
    /// How it is named to people.
    pub(super) title: &'a str,
    /// What the shell does once all is switched off.
    pub(super) script: &'a str,
    /// Its arguments.
    pub(super) words: Vec<String>,
    /// What it may write.
    pub(super) writes: Vec<PathBuf>,
}

/// What git said.
pub(super) struct Said {
    /// Its output, cleaned; head and tail where it is long.
    pub(super) out: String,
    /// Whether that is not all of it.
    pub(super) cut: bool,
}

/// The git program, or why there is none.
pub(super) fn program(cx: &Context) -> Result<PathBuf, CallError> {
    let found = executor(cx)?.find("git", cx.env.root());
    found.ok_or_else(|| {
        CallError::failed(
            "There is no git program on this computer. Go on without it, or tell the person.",
        )
    })
}

/// Runs git and says what it printed, as a part of the call that the journal tells of.
pub(super) async fn git(
    cx: &Context,
    call: CallId,
    repository: &Repository,
    work: Work<'_>,
) -> Result<Said, CallError> {
    program(cx)?;
    let title = work.title.to_owned();
    let run = Run {
        call,
        title: title.clone(),
        clock: Budget::start(LIMIT),
        bounds: bounds(cx, repository, &work)?,
        what: Program::Argv(argv(repository, work)),
        cwd: repository.root.clone(),
        tie: Tie::Call,
    };
    let finished = run::run(cx, run).await?;
    said(&title, finished.ended)
}

/// Has a look with git on behalf of a question. It is no run of the call, which may never begin.
pub(super) async fn look(
    cx: &Context,
    repository: &Repository,
    work: Work<'_>,
) -> Result<Said, CallError> {
    let bounds = bounds(cx, repository, &work)?;
    unrecorded(cx, repository, work, bounds, cx.cancel.child_token()).await
}

/// Has a look with git within a call that was let through, as that call may: where nothing is sealed,
/// what was allowed is git as it is.
pub(super) async fn look_within(
    _: &Permit,
    cx: &Context,
    repository: &Repository,
    work: Work<'_>,
) -> Result<Said, CallError> {
    program(cx)?;
    let bounds = bounds(cx, repository, &work)?;
    job(cx, repository, work, bounds, cx.cancel.child_token()).await
}

/// Runs git in a seal as no run of a call; ended by that token.
pub(super) async fn unrecorded(
    cx: &Context,
    repository: &Repository,
    work: Work<'_>,
    bounds: Bounds,
    cancel: CancellationToken,
) -> Result<Said, CallError> {
    program(cx)?;
    if !executor(cx)?.seals(Level::Sealed) {
        return Err(CallError::failed(
            "Nothing can be sealed on this computer, so git cannot be had to show what it would do. \
             Use process.run, which asks.",
        ));
    }
    job(cx, repository, work, bounds, cancel).await
}

async fn job(
    cx: &Context,
    repository: &Repository,
    work: Work<'_>,
    bounds: Bounds,
    cancel: CancellationToken,
) -> Result<Said, CallError> {
    let title = work.title.to_owned();
    let job = Job {
        call: CallId::fresh(),
        manner: Manner::Awaited,
        bounds,
        what: Program::Argv(argv(repository, work)),
        cwd: repository.root.clone(),
        workspace: repository.root.clone(),
        clock: Budget::start(LIMIT),
        cancel,
        spool: Arc::new(Unkept),
        notice: Arc::new(|_| {}),
    };
    said(&title, executor(cx)?.run(job).await?)
}

fn bounds(cx: &Context, repository: &Repository, work: &Work<'_>) -> Result<Bounds, CallError> {
    Ok(Bounds {
        reads: repository.outside(),
        writes: work.writes.clone(),
        ..held(executor(cx)?.as_ref(), Level::Sealed).into()
    })
}

fn argv(repository: &Repository, work: Work<'_>) -> Vec<String> {
    use std::fmt::Write as _;

    let mut script = String::from("export LC_ALL=C.UTF-8");
    for (at, (key, value)) in SETTINGS.iter().enumerate() {
        // Writing to a text cannot fail, and none of them has a quotation mark.
        let _ = write!(script, " GIT_CONFIG_KEY_{at}='{key}' GIT_CONFIG_VALUE_{at}='{value}'");
    }
    let _ = writeln!(script, "\nexport GIT_CONFIG_COUNT={}", SETTINGS.len());
    script += PROLOGUE;
    script += work.script;
    let place = |path: &PathBuf| path.display().to_string();
    let mut argv = ["sh", "-c", &script, "git"].map(str::to_owned).to_vec();
    argv.extend([place(&repository.folder), place(&repository.root)]);
    argv.extend(work.words);
    argv
}

fn said(title: &str, ended: Ended) -> Result<Said, CallError> {
    match ended.status {
        ExitStatus::Exited { code: 0 } => {
            let cut = ended.stdout.lines().any(is_gap);
            Ok(Said { out: ended.stdout, cut })
        }
        ExitStatus::Exited { code } => {
            let words = ended.stderr.trim();
            let words = if words.is_empty() { "it said nothing" } else { words };
            Err(CallError::failed(format!("{title} failed with status {code}: {words}")))
        }
        ExitStatus::Signalled { signal } => {
            Err(CallError::failed(format!("{title} was ended by signal {signal}.")))
        }
        ExitStatus::TimedOut => Err(CallError::new(
            ErrorCode::BudgetSpent,
            format!("{title} took longer than {} s. Ask for less at a time.", LIMIT.as_secs()),
        )),
        ExitStatus::OverLimit { limit } => {
            Err(CallError::new(ErrorCode::BudgetSpent, format!("{title} {}.", exceeded(limit))))
        }
        ExitStatus::Cancelled => Err(interrupted(true)),
        ExitStatus::NotStarted { message } => Err(CallError::failed(message)),
    }
}

/// Whether a line stands for what was left out.
pub(super) fn is_gap(line: &str) -> bool {
    line.starts_with("[… ") && line.ends_with(" left out …]")
}
