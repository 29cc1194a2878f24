//! `process`: programs of the system, without a shell.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    bounds::{Asked, facts, held},
    refusal,
    run::{self, Run, exceeded, executor, limit, seconds},
};
use crate::kernel::{
    capability::{Body, Capability, Category, Content, Preview, Reach},
    clock::Budget,
    context::Context,
    error::{CallError, ErrorCode},
    event::ExitStatus,
    gate::{Permit, subject::Subject},
    port::{Level, Program},
    registry::Module,
    schema,
};

pub(super) const MODULE: Module = Module {
    name: "process",
    summary: "Run programs, without a shell, and see what they print.",
    load: || vec![run_program()],
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
    /// $TMPDIR; "open" is not bounded. Ask for network and writes rather than for "open".
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

fn workspace() -> Level {
    Level::Workspace
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
    .category_of(|_, run| if run.network { Category::External } else { Category::Execute })
    .status(|run| format!("run {}", run.argv.join(" ")))
    .preview(preview)
    .handler(handle)
}

/// The folder to run in and what was asked for, once everything about the call is in order.
fn checked(cx: &Context, run: &Arguments) -> Result<(PathBuf, Asked), CallError> {
    let executor = executor(cx)?;
    if run.argv.first().is_none_or(String::is_empty) {
        return Err(schema::invalid("process.run.argv", "it names no program"));
    }
    if run.argv.iter().any(|word| word.contains('\0')) {
        return Err(schema::invalid("process.run.argv", "no argument can hold a NUL character"));
    }
    let asked = Asked::of(cx, executor.as_ref(), (run.seal, run.network, &run.writes))?;
    Ok((cx.env.resolve_path(run.cwd.as_deref().unwrap_or("."))?.real, asked))
}

async fn preview(cx: Context, run: Arguments) -> Result<Preview, CallError> {
    let (cwd, asked) = checked(&cx, &run)?;
    let limit = limit(&cx, run.timeout_ms);
    let executor = executor(&cx)?.as_ref();
    let mut facts = facts(executor, run.seal, run.network);
    facts.push(format!("at most {}", seconds(limit)));
    let subject = Subject::Program {
        argv: run.argv.clone(),
        run: Box::new(asked.reached(executor, run.seal, &cwd)),
    };
    Ok(Preview {
        object: run.argv[0].clone(),
        facts,
        wider: asked.wider(executor, run.seal, workspace()),
        // What a program touches cannot be known.
        reach: Reach::Outside,
        body: Body::Program {
            file: executor.find(&run.argv[0], &cwd),
            argv: run.argv,
            cwd,
            limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        },
        subject,
    })
}

async fn handle(permit: Permit, cx: Context, arguments: Arguments) -> Result<Content, CallError> {
    let (cwd, asked) = checked(&cx, &arguments)?;
    let executor = executor(&cx)?.as_ref();
    if let Some(Preview { body: Body::Program { cwd: approved, .. }, wider, .. }) = permit.preview()
    {
        if *approved != cwd {
            return Err(CallError::failed(format!(
                "Not run: its folder is now {}, which is not the one that was approved. Ask again.",
                cwd.display()
            )));
        }
        if *wider != asked.wider(executor, arguments.seal, workspace()) {
            return Err(CallError::failed(
                "Not run: what it may do beyond its seal is no longer what was approved, since a path \
                 leads elsewhere now. Ask again.",
            ));
        }
    }
    let title = arguments.argv[0].clone();
    let bounds = asked.bounds(held(executor, arguments.seal));
    let run = Run {
        call: permit.call(),
        title: title.clone(),
        clock: Budget::start(limit(&cx, arguments.timeout_ms)),
        what: Program::Argv(arguments.argv),
        bounds: bounds.clone(),
        cwd,
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
