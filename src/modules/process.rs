//! `process`: programs of the system, without a shell.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::run::{self, Run, bounds, executor, held, limit, seconds};
use crate::kernel::{
    capability::{Body, Capability, Category, Content, Preview, Reach},
    clock::Budget,
    context::Context,
    error::{CallError, ErrorCode},
    event::ExitStatus,
    gate::Permit,
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
    /// $TMPDIR; "open" is not bounded.
    #[serde(default = "workspace")]
    seal: Level,
}

fn workspace() -> Level {
    Level::Workspace
}

/// What programs print when the seal refused them something.
const REFUSALS: [&str; 3] =
    ["Read-only file system", "Permission denied", "Operation not permitted"];

fn run_program() -> Capability {
    Capability::define::<Arguments>(
        "process.run",
        "Runs a program and gives {returncode, stdout, stderr, timed_out} when it has ended; a \
         status other than 0 is no error. Ended by a signal, the returncode is its number, \
         negative; ended by the limit, it is null. Where output was too long to give back whole, \
         note says where all of it is.",
        Category::Execute,
    )
    .status(|run| format!("run {}", run.argv.join(" ")))
    .preview(preview)
    .handler(handle)
}

/// The folder to run in, once everything about the call is in order.
fn checked(cx: &Context, run: &Arguments) -> Result<PathBuf, CallError> {
    executor(cx)?;
    if run.argv.first().is_none_or(String::is_empty) {
        return Err(schema::invalid("process.run.argv", "it names no program"));
    }
    if run.argv.iter().any(|word| word.contains('\0')) {
        return Err(schema::invalid("process.run.argv", "no argument can hold a NUL character"));
    }
    Ok(cx.env.resolve_path(run.cwd.as_deref().unwrap_or("."))?.real)
}

async fn preview(cx: Context, run: Arguments) -> Result<Preview, CallError> {
    let cwd = checked(&cx, &run)?;
    let limit = limit(&cx, run.timeout_ms);
    Ok(Preview {
        object: run.argv[0].clone(),
        facts: vec![
            format!("at most {}", seconds(limit)),
            bounds(executor(&cx)?.as_ref(), run.seal).to_owned(),
        ],
        // What a program touches cannot be known.
        reach: Reach::Outside,
        body: Body::Program {
            argv: run.argv,
            cwd,
            limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        },
    })
}

async fn handle(permit: Permit, cx: Context, arguments: Arguments) -> Result<Content, CallError> {
    let cwd = checked(&cx, &arguments)?;
    if let Some(Preview { body: Body::Program { cwd: approved, .. }, .. }) = permit.preview()
        && *approved != cwd
    {
        return Err(CallError::failed(format!(
            "Not run: its folder is now {}, which is not the one that was approved. Ask again.",
            cwd.display()
        )));
    }
    let title = arguments.argv[0].clone();
    let seal = held(executor(&cx)?.as_ref(), arguments.seal);
    let run = Run {
        call: permit.call(),
        title: title.clone(),
        clock: Budget::start(limit(&cx, arguments.timeout_ms)),
        what: Program::Argv(arguments.argv),
        seal,
        cwd,
    };
    let finished = run::run(&cx, run).await?;
    let mut notes: Vec<String> = finished.rest().into_iter().collect();
    let said = &finished.ended.stderr;
    if seal != Level::Open && REFUSALS.iter().any(|refusal| said.contains(refusal)) {
        notes.push(format!(
            "It ran with seal {:?}, which may have refused it something. If it needs the network or \
             to write elsewhere, run it with seal \"open\", which is asked for",
            seal.name()
        ));
    }
    let (returncode, timed_out) = match finished.ended.status {
        ExitStatus::Exited { code } => (Some(code), false),
        ExitStatus::Signalled { signal } => (Some(-signal), false),
        ExitStatus::TimedOut => (None, true),
        ExitStatus::Cancelled => {
            let message = format!(
                "{title} was stopped. What it printed is kept: {}",
                finished.spool.path.display()
            );
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
