//! `terminal`: interactive programs, each at a terminal of its own.
//!
//! A program is asked for and sealed as those of `process.run`, and goes on beside the calls as those of
//! `process.start`. Its terminal is a new one that nothing else is at; behind a seal it can open no
//! other. What is typed there is an effect, since such a program does what it is told: each time it asks,
//! with exactly the keys that would be sent. To look at the screen is a read, and so is to close it.

mod glass;
mod keys;

use std::{sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::glass::Glass;
use super::{
    bounds::facts,
    process::{Wanted, beside, workspace},
    run::{self, Run, Tie, executor},
};
use crate::kernel::{
    capability::{Body, Capability, Category, Content, Preview, Reach},
    clock::Budget,
    context::Context,
    error::CallError,
    gate::{Permit, subject::Subject},
    invoke::interrupted,
    port::{Level, Program, Pty, Terminal},
    programs::{Beginning, Beside},
    registry::Module,
    schema,
};

pub(super) const MODULE: Module = Module {
    name: "terminal",
    summary: "Run interactive programs at a terminal: see its screen, and type.",
    load: || vec![open(), send(), read(), close()],
};

/// The longest that a program stays at its terminal, whatever its session does.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// As much is typed at one time, in bytes.
const MOST_TYPED: usize = 4 << 10;
/// As many times something may be typed that the program has not read.
const TYPED_AHEAD: usize = 16;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Open {
    /// The program and its arguments, one item each, such as ["python3"]; no shell reads them.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
    /// Lines of the terminal.
    #[serde(default = "rows")]
    #[schemars(range(min = 2, max = 100))]
    rows: u16,
    /// Columns of the terminal.
    #[serde(default = "cols")]
    #[schemars(range(min = 10, max = 300))]
    cols: u16,
    /// The folder to run in; the workspace if left out.
    #[serde(default)]
    cwd: Option<String>,
    /// What the program may do by itself, as for process.run: "workspace", "sealed" or "open".
    #[serde(default = "workspace")]
    seal: Level,
    /// Whether it reaches the network as well.
    #[serde(default)]
    network: bool,
    /// Folders and files that it may read and write as well, as for process.run.
    #[serde(default)]
    writes: Vec<String>,
}

fn rows() -> u16 {
    24
}

fn cols() -> u16 {
    80
}

impl Open {
    fn wanted(&self) -> Wanted<'_> {
        let Self { argv, rows: _, cols: _, cwd, seal, network, writes } = self;
        let (seal, network, cwd) = (*seal, *network, cwd.as_deref());
        Wanted { name: "terminal.open", argv, cwd, seal, network, writes }
    }
}

fn open() -> Capability {
    Capability::define::<Open>(
        "terminal.open",
        "Starts an interactive program at a terminal of its own, and gives {id, program} once it runs. \
         It outlives script and turn and ends with the session; its end is told to you by itself, once. \
         For programs that only print, use process.",
        Category::External,
    )
    .category_of(|_, open| if open.network { Category::External } else { Category::Execute })
    .status(|open| format!("open a terminal with {}", open.argv.join(" ")))
    .preview(async |cx: Context, open: Open| {
        beside::programs(&cx)?;
        let mut preview = open.wanted().preview(&cx, LONGEST, beside::kept(LONGEST))?;
        preview.facts.push("at a terminal; what is typed is asked for".to_owned());
        Ok(preview)
    })
    .handler(begin)
}

async fn begin(permit: Permit, cx: Context, open: Open) -> Result<Content, CallError> {
    let (cwd, bounds) = open.wanted().approved(&cx, &permit)?;
    let spool = run::spool(&cx, permit.call())?;
    let (keys, typed) = mpsc::channel(TYPED_AHEAD);
    let (rows, cols) = (open.rows, open.cols);
    let glass = Arc::new(Glass::new((rows, cols), spool, keys));
    let beginning = Beginning {
        call: permit.call(),
        program: beside::named(&open.argv),
        bounds: bounds.clone(),
        spool: Some(glass.clone()),
        terminal: Some(glass.clone()),
    };
    let run = Run {
        call: permit.call(),
        title: beginning.program.clone(),
        clock: Budget::start(LONGEST),
        what: Program::Argv(open.argv),
        bounds,
        cwd,
        tie: Tie::Call,
    };
    let pty = Pty { rows, cols, typed };
    let beside = beside::go_on(&cx, beginning, run, (glass, Some(pty))).await?;
    Ok(json!({ "id": beside.is.call, "program": beside.is.program }).into())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Send {
    /// The terminal, as terminal.open named it.
    id: String,
    /// Text to type; a newline in it is the enter key.
    #[serde(default)]
    text: String,
    /// Keys to press after that, such as ["enter"], ["ctrl-c"], ["up", "page-down", "f1", "alt-b"].
    #[serde(default)]
    keys: Vec<String>,
}

fn send() -> Capability {
    Capability::define::<Send>(
        "terminal.send",
        "Types text and then keys at a terminal. Does not wait for what comes of it: use \
         terminal.read.",
        Category::External,
    )
    .category_of(|cx, send| match find(cx, "terminal.send.id", &send.id) {
        // Who is at a terminal of that program can do what it can.
        Ok((beside, _)) if !beside.is.bounds.network => Category::Execute,
        Ok(_) | Err(_) => Category::External,
    })
    .status(|send| format!("type at {}", send.id))
    .preview(async |cx: Context, send: Send| {
        let (beside, _) = find(&cx, "terminal.send.id", &send.id)?;
        let strokes = strokes(&send)?;
        let bounds = &beside.is.bounds;
        let mut facts = facts(executor(&cx)?.as_ref(), bounds.level, bounds.network);
        facts.insert(0, "typed at its terminal".to_owned());
        Ok(Preview {
            object: beside.is.program.clone(),
            facts,
            wider: Vec::new(),
            // What a program makes of it cannot be known.
            reach: Reach::Outside,
            body: Body::Text { text: keys::told(&strokes) },
            subject: Subject::Other,
        })
    })
    .handler(async |_, cx: Context, send: Send| {
        let (beside, terminal) = find(&cx, "terminal.send.id", &send.id)?;
        if let Some(ended) = beside.ended() {
            let message = format!("Not typed: {} {}.", ended.program, ended.how());
            return Err(CallError::failed(message));
        }
        let bytes = keys::bytes(&strokes(&send)?, terminal.shown().application_keys);
        terminal.type_in(bytes)?;
        Ok(Value::Null.into())
    })
}

fn strokes(send: &Send) -> Result<Vec<keys::Stroke>, CallError> {
    let strokes = keys::strokes(&send.text, &send.keys)?;
    if strokes.is_empty() || send.text.len() > MOST_TYPED || send.keys.len() > MOST_TYPED / 8 {
        let fault = "expected some text or keys, and no more than 4 KiB at a time";
        return Err(schema::invalid("terminal.send", fault));
    }
    Ok(strokes)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Read {
    /// The terminal, as terminal.open named it.
    id: String,
    /// How long the screen must stay as it is before it is looked at, in milliseconds.
    #[serde(default = "a_moment")]
    quiet_ms: u64,
    /// How long to wait for that at most, in milliseconds.
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

fn a_moment() -> u64 {
    200
}

fn five_seconds() -> u64 {
    5_000
}

fn read() -> Capability {
    Capability::define::<Read>(
        "terminal.read",
        "Gives {screen, cursor, running, returncode, note}: what stands on the terminal once it has come \
         to rest, as lines of text, and [line, column] of the cursor from 0.",
        Category::Read,
    )
    .status(|read| format!("look at {}", read.id))
    .handler(async |permit: Permit, cx: Context, read: Read| {
        let (beside, terminal) = find(&cx, "terminal.read.id", &read.id)?;
        let [quiet, most] = [read.quiet_ms, read.timeout_ms].map(Duration::from_millis);
        tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(interrupted(false)),
            // Nothing more is written by one that is over.
            _ = beside.over() => {}
            () = terminal.settled(quiet, most) => {}
        }
        let shown = terminal.shown();
        let mut told = beside::whole(&cx, permit.call(), &beside);
        told["screen"] = json!(shown.lines.join("\n"));
        told["cursor"] = json!(shown.cursor);
        Ok(told.into())
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Close {
    /// The terminal, as terminal.open named it.
    id: String,
}

fn close() -> Capability {
    Capability::define::<Close>(
        "terminal.close",
        "Closes a terminal: its program is told so, and ended after two seconds at most with all that it \
         started. Gives {running, returncode, note, last} when nothing of it is left.",
        Category::Read,
    )
    .status(|close| format!("close {}", close.id))
    .handler(async |permit: Permit, cx: Context, close: Close| {
        let (beside, _) = find(&cx, "terminal.close.id", &close.id)?;
        beside.stop();
        beside.over().await;
        Ok(beside::whole(&cx, permit.call(), &beside).into())
    })
}

fn find(
    cx: &Context,
    place: &str,
    id: &str,
) -> Result<(Arc<Beside>, Arc<dyn Terminal>), CallError> {
    let beside = beside::find(cx, place, id)?;
    let terminal = beside.is.terminal.clone();
    let terminal = terminal.ok_or_else(|| {
        let fault = format!("{} is at no terminal; use process.output", beside.is.program);
        schema::invalid(place, &fault)
    })?;
    Ok((beside, terminal))
}
