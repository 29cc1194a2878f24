//! `process`: programs of the system, without a shell; awaited, or beside the calls of the session.

pub(super) mod beside;

use std::{path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    bounds::{Asked, changes_nothing, facts, held},
    refusal,
    run::{self, Run, Tie, exceeded, executor, limit, seconds},
};
use crate::kernel::{
    capability::{Body, Capability, Category, Content, Preview, Reach},
    clock::Budget,
    context::Context,
    error::{CallError, ErrorCode},
    event::ExitStatus,
    gate::{Permit, subject::Subject},
    port::{Bounds, Level, Program},
    registry::Module,
    schema,
};

pub(super) const MODULE: Module = Module {
    name: "process",
    summary: "Run programs, without a shell, and see what they print; for a while, or beside the \
              script.",
    load: || {
        let mut all = vec![run_program()];
        all.extend(beside::all());
        all
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The program and its arguments, one item each, such as ["git", "log", "-1"]; no shell reads
    /// them.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
    /// The folder to run in; the workspace if left out.
    #[serde(default)]
    cwd: Option<String>,
    /// Running time until it is ended, in milliseconds: the session's usual limit if left out
    /// (mostly 60000), and no more than the session allows.
    #[serde(default)]
    #[schemars(range(min = 1))]
    timeout_ms: Option<u64>,
    /// What the program may do by itself: "workspace" reads the system and writes the workspace,
    /// but not what is obeyed there, such as .git, and has no network; "sealed" writes only its own
    /// $TMPDIR, and runs unasked; "open" is not bounded. Ask for network and writes rather than for
    /// "open".
    #[serde(default = "workspace")]
    seal: Level,
    /// Whether it reaches the network as well.
    #[serde(default)]
    network: bool,
    /// Folders and files that it may read and write as well, outside the workspace or obeyed inside
    /// it, such as [".git"] or ["/srv/site"].
    #[serde(default)]
    writes: Vec<String>,
}

pub(super) fn workspace() -> Level {
    Level::Workspace
}

/// What is asked for when a program shall run, however it is kept then.
pub(super) struct Wanted<'a> {
    /// The capability.
    pub(super) name: &'static str,
    pub(super) argv: &'a [String],
    pub(super) cwd: Option<&'a str>,
    pub(super) seal: Level,
    pub(super) network: bool,
    pub(super) writes: &'a [String],
}

impl Arguments {
    fn wanted(&self) -> Wanted<'_> {
        let Self { argv, cwd, timeout_ms: _, seal, network, writes } = self;
        let (seal, network, cwd) = (*seal, *network, cwd.as_deref());
        Wanted { name: "process.run", argv, cwd, seal, network, writes }
    }
}

fn run_program() -> Capability {
    Capability::define::<Arguments>(
        "process.run",
        "Runs a program and gives {returncode, stdout, stderr, timed_out} when it has ended; a \
         status other than 0 is no error. Ended by a signal, the returncode is its number, \
         negative; ended by a limit, it is null, and note says which where that was not time. Where \
         output was too long to give back whole, note says where all of it is.",
        Category::External,
    )
    .category_of(|cx, run| run.wanted().category(cx))
    .subject(|cx, run| run.wanted().subject(cx).unwrap_or(Subject::Other))
    .status(|run| format!("run {}", run.argv.join(" ")))
    .preview(preview)
    .handler(handle)
}

impl Wanted<'_> {
    /// What it does to the world by itself, unless somebody tells it what to do.
    pub(super) fn category(&self, cx: &Context) -> Category {
        match self {
            Self { network: true, .. } => Category::External,
            _ if self.writes.is_empty() && changes_nothing(cx, self.seal) => Category::Read,
            _ => Category::Execute,
        }
    }

    /// The folder to run in and what was asked for, once everything about the call is in order.
    pub(super) fn checked(&self, cx: &Context) -> Result<(PathBuf, Asked), CallError> {
        let executor = executor(cx)?;
        let fault = |fault| schema::invalid(&format!("{}.argv", self.name), fault);
        if self.argv.first().is_none_or(String::is_empty) {
            return Err(fault("it names no program"));
        }
        if self.argv.iter().any(|word| word.contains('\0')) {
            return Err(fault("no argument can hold a NUL character"));
        }
        let asked = Asked::of(cx, executor.as_ref(), (self.seal, self.network, self.writes))?;
        let cwd = cx.env.resolve_path(self.cwd.unwrap_or("."))?.real;
        let bounds = asked.bounds(held(executor.as_ref(), self.seal));
        executor.check_program(&self.argv[0], &cwd, (&bounds, cx.env.root()))?;
        Ok((cwd, asked))
    }

    /// What rules match it by, where everything about the call is in order.
    pub(super) fn subject(&self, cx: &Context) -> Result<Subject, CallError> {
        let (cwd, asked) = self.checked(cx)?;
        let reached = asked.reached(executor(cx)?.as_ref(), self.seal, &cwd);
        Ok(Subject::Program { argv: self.argv.to_vec(), run: Box::new(reached) })
    }

    /// What a person is asked. `kept` says how long it runs.
    pub(super) fn preview(
        &self,
        cx: &Context,
        limit: Duration,
        kept: String,
    ) -> Result<Preview, CallError> {
        let (cwd, asked) = self.checked(cx)?;
        let executor = executor(cx)?.as_ref();
        let mut facts = facts(executor, self.seal, self.network);
        facts.push(kept);
        let subject = self.subject(cx)?;
        Ok(Preview {
            object: object(&self.argv),
            facts,
            wider: asked.wider(executor, self.seal, workspace()),
            // What a program touches cannot be known.
            reach: Reach::Outside,
            body: Body::Program {
                file: executor.find(&self.argv[0], &cwd),
                argv: self.argv.to_vec(),
                cwd,
                limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            },
            subject,
        })
    }

    /// The folder to run in and what bounds it, if these are still what was approved.
    pub(super) fn approved(
        &self,
        cx: &Context,
        permit: &Permit,
    ) -> Result<(PathBuf, Bounds), CallError> {
        let (cwd, asked) = self.checked(cx)?;
        let executor = executor(cx)?.as_ref();
        if let Some(Preview { body: Body::Program { cwd: approved, .. }, wider, .. }) =
            permit.preview()
        {
            if *approved != cwd {
                return Err(CallError::failed(format!(
                    "Not run: its folder is now {}, which is not the one that was approved. Ask again.",
                    cwd.display()
                )));
            }
            if *wider != asked.wider(executor, self.seal, workspace()) {
                return Err(CallError::failed(
                    "Not run: what it may do beyond its seal is no longer what was approved, since a \
                     path leads elsewhere now. Ask again.",
                ));
            }
        }
        Ok((cwd, asked.bounds(held(executor, self.seal))))
    }
}

/// The program and its arguments as one line, to be read and not to be run; a long one is cut.
fn object(argv: &[String]) -> String {
    const MOST: usize = 200;
    let word = |word: &String| match word.is_empty() || word.contains(char::is_whitespace) {
        true => format!("\"{word}\""),
        false => word.clone(),
    };
    let line = argv.iter().map(word).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

async fn preview(cx: Context, run: Arguments) -> Result<Preview, CallError> {
    let limit = limit(&cx, run.timeout_ms);
    run.wanted().preview(&cx, limit, format!("at most {}", seconds(limit)))
}

async fn handle(permit: Permit, cx: Context, arguments: Arguments) -> Result<Content, CallError> {
    let (cwd, bounds) = arguments.wanted().approved(&cx, &permit)?;
    let executor = executor(&cx)?.as_ref();
    let title = arguments.argv[0].clone();
    let run = Run {
        call: permit.call(),
        title: title.clone(),
        clock: Budget::start(limit(&cx, arguments.timeout_ms)),
        what: Program::Argv(arguments.argv),
        bounds: bounds.clone(),
        cwd,
        tie: Tie::Call,
    };
    let finished = run::run(&cx, run).await?;
    let refused = refusal::of(&finished.ended.stderr, &bounds);
    let advice = refused.map(|refused| refusal::advice(&refused, bounds.level, executor.form()));
    let mut notes: Vec<String> =
        finished.rest().into_iter().chain(finished.aside()).chain(advice).collect();
    let (returncode, timed_out) = match finished.ended.status {
        ExitStatus::Exited { code } => (Some(code), false),
        ExitStatus::Signalled { signal } => (Some(-signal), false),
        ExitStatus::TimedOut => (None, true),
        ExitStatus::OverLimit { limit } => {
            notes.push(format!("It {}", exceeded(limit)));
            (None, false)
        }
        ExitStatus::Cancelled => {
            let mut message = format!(
                "{title} was stopped. What it printed is kept: {}",
                finished.spool.path.display()
            );
            message.extend(finished.aside().map(|aside| format!(". {aside}.")));
            return Err(CallError::new(ErrorCode::Interrupted, message));
        }
        ExitStatus::NotStarted { message } => return Err(CallError::failed(message)),
    };
    let mut value = json!({
        "returncode": returncode,
        "stdout": finished.ended.stdout,
        "stderr": finished.ended.stderr,
        "timed_out": timed_out,
    });
    if let (false, Some(object)) = (notes.is_empty(), value.as_object_mut()) {
        object.insert("note".to_owned(), Value::String(notes.join(". ")));
    }
    Ok(value.into())
}
