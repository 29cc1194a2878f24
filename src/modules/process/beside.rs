//! Programs that go on beside the calls of a session: they are asked for and sealed as those of
//! `process.run`, outlive the script and the turn, and end with the session.
//!
//! What is done with one that runs is a read: it was allowed to run, to look at its output changes
//! nothing, and to stop it leaves less of it. A script that waits for one spends its own running time:
//! it began that program, and nobody else works for it meanwhile.
//!
//! What it makes that others obey is put aside when it has ended, as for every run. Nobody can tell who
//! made a file: what somebody makes by hand while such a program goes on, such as a new `.git`, is taken
//! for the program's and put aside as well, which the screen says.

mod keep;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

pub(in crate::modules) use self::keep::{find, go_on, named, programs, state, take};
use super::{Wanted, workspace};
use crate::{
    kernel::{
        capability::{Capability, Category, Content},
        clock::Budget,
        context::Context,
        error::CallError,
        gate::{Permit, subject::Subject},
        id::CallId,
        invoke::interrupted,
        port::{Level, Program},
        programs::{Beginning, Beside},
        text,
    },
    modules::run::{self, Run, Tie},
};

/// The longest that a program goes on, whatever its session does.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// As much output as one call gives back, in bytes.
const MOST_OUTPUT: usize = 32 << 10;

pub(super) fn all() -> [Capability; 5] {
    [start(), output(), wait(), stop(), list()]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Start {
    /// The program and its arguments, one item each, such as ["npm", "run", "dev"]; no shell reads
    /// them.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
    /// The folder to run in; the workspace if left out.
    #[serde(default)]
    cwd: Option<String>,
    /// Running time until it is ended, in milliseconds; 24 hours if left out, which is the most.
    #[serde(default)]
    #[schemars(range(min = 1))]
    timeout_ms: Option<u64>,
    /// What the program may do by itself, as for process.run: "workspace", "sealed" or "open".
    #[serde(default = "workspace")]
    seal: Level,
    /// Whether it reaches the network as well, or serves other programs of this computer.
    #[serde(default)]
    network: bool,
    /// Folders and files that it may read and write as well, as for process.run.
    #[serde(default)]
    writes: Vec<String>,
}

impl Start {
    fn wanted(&self) -> Wanted<'_> {
        let Self { argv, cwd, timeout_ms: _, seal, network, writes } = self;
        let (seal, network, cwd) = (*seal, *network, cwd.as_deref());
        Wanted { name: "process.start", argv, cwd, seal, network, writes }
    }

    fn limit(&self) -> Duration {
        self.timeout_ms.map_or(LONGEST, |limit| Duration::from_millis(limit).min(LONGEST))
    }
}

/// How long a program goes on, as people read it.
pub(in crate::modules) fn kept(limit: Duration) -> String {
    match limit == LONGEST {
        true => "goes on until the session ends, at most 24 h".to_owned(),
        false => format!("goes on after the script, at most {}", run::seconds(limit)),
    }
}

fn start() -> Capability {
    Capability::define::<Start>(
        "process.start",
        "Starts a program that goes on beside the script, and gives {id, program} once it runs. It \
         outlives script and turn and ends with the session. Its end is told to you by itself, once, \
         with its last lines. At most 8 at a time.",
        Category::External,
    )
    .category_of(|cx, start| start.wanted().category(cx))
    .subject(|cx, start| start.wanted().subject(cx).unwrap_or(Subject::Other))
    .status(|start| format!("start {}", start.argv.join(" ")))
    .preview(async |cx: Context, start: Start| {
        programs(&cx)?;
        start.wanted().preview(&cx, start.limit(), kept(start.limit()))
    })
    .handler(begin)
}

async fn begin(permit: Permit, cx: Context, start: Start) -> Result<Content, CallError> {
    let (cwd, bounds) = start.wanted().approved(&cx, &permit)?;
    let spool = run::spool(&cx, permit.call())?;
    let beginning = Beginning {
        call: permit.call(),
        program: named(&start.argv),
        bounds: bounds.clone(),
        spool: Some(spool.clone()),
        terminal: None,
    };
    let run = Run {
        call: permit.call(),
        title: beginning.program.clone(),
        clock: Budget::start(start.limit()),
        what: Program::Argv(start.argv),
        bounds,
        cwd,
        tie: Tie::Call,
    };
    let beside = go_on(&cx, beginning, run, (spool, None)).await?;
    Ok(json!({ "id": beside.is.call, "program": beside.is.program }).into())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Output {
    /// The program, as process.start named it.
    id: String,
    /// The `next` of an earlier call, for what came since; the last of its output if left out.
    #[serde(default)]
    since: Option<u64>,
}

fn output() -> Capability {
    Capability::define::<Output>(
        "process.output",
        "Gives {text, next, more, skipped, running, returncode, note}: what a started program printed, \
         both streams in the order they came, at most 32 KiB. more says that there is more to ask for \
         with since=next, skipped how many bytes before the text are not given.",
        Category::Read,
    )
    .status(|output| format!("read what {} printed", output.id))
    .handler(async |permit: Permit, cx: Context, output: Output| {
        let beside = find(&cx, "process.output.id", &output.id)?;
        let spool = match &beside.is.spool {
            Some(spool) => spool.clone(),
            None => run::spool(&cx, beside.is.call)?,
        };
        // Before the output is read: what is over prints nothing more.
        let ended = beside.ended();
        let read = tokio::task::spawn_blocking(move || match output.since {
            Some(since) => spool.since(since, MOST_OUTPUT).map(|piece| (since, piece)),
            None => {
                let total = spool.since(u64::MAX, 0)?.total;
                let piece = spool.since(total.saturating_sub(MOST_OUTPUT as u64), MOST_OUTPUT)?;
                Ok((0, piece))
            }
        });
        let read = read.await.map_err(|error| CallError::failed(error.to_string()))?;
        let (since, piece) = read.map_err(|error: crate::kernel::port::StoreError| {
            CallError::failed(error.to_string())
        })?;
        let mut told = json!({
            "text": text::clean(&piece.bytes),
            "next": piece.next,
            "more": piece.next < piece.total,
            "skipped": piece.from.saturating_sub(since),
        });
        if ended.is_some() {
            take(&cx, permit.call(), &beside);
        }
        add(&mut told, state(ended.as_ref()));
        Ok(told.into())
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wait {
    /// The program, as process.start named it.
    id: String,
    /// How long to wait at most, in milliseconds; 10000 if left out.
    #[serde(default = "ten_seconds")]
    timeout_ms: u64,
}

fn ten_seconds() -> u64 {
    10_000
}

fn wait() -> Capability {
    Capability::define::<Wait>(
        "process.wait",
        "Waits until a started program is over, or that long, and gives {running, returncode, note, \
         last}. Ended by a signal, the returncode is its number, negative; stopped or ended by a limit \
         it is null, and note says why. The time counts as the script's own.",
        Category::Read,
    )
    .status(|wait| format!("wait for {}", wait.id))
    .handler(async |permit: Permit, cx: Context, wait: Wait| {
        let beside = find(&cx, "process.wait.id", &wait.id)?;
        tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(interrupted(false)),
            // A real timer: it is the caller's patience.
            _ = timeout(Duration::from_millis(wait.timeout_ms), beside.over()) => {}
        }
        Ok(whole(&cx, permit.call(), &beside).into())
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Stop {
    /// The program, as process.start named it.
    id: String,
}

fn stop() -> Capability {
    Capability::define::<Stop>(
        "process.stop",
        "Stops a started program with all that it started: it is told to terminate, and ended after \
         two seconds at most. Gives {running, returncode, note, last} when nothing of it is left.",
        Category::Read,
    )
    .status(|stop| format!("stop {}", stop.id))
    .handler(async |permit: Permit, cx: Context, stop: Stop| {
        let beside = find(&cx, "process.stop.id", &stop.id)?;
        beside.stop();
        beside.over().await;
        Ok(whole(&cx, permit.call(), &beside).into())
    })
}

/// How it stands with a program, and its last lines if it is over.
pub(in crate::modules) fn whole(cx: &Context, call: CallId, beside: &Beside) -> Value {
    let ended = beside.ended();
    let mut told = state(ended.as_ref());
    if let Some(ended) = ended {
        take(cx, call, beside);
        add(&mut told, json!({ "last": ended.last }));
    }
    told
}

fn add(to: &mut Value, more: Value) {
    if let (Value::Object(to), Value::Object(more)) = (to, more) {
        to.extend(more);
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn list() -> Capability {
    Capability::define::<Nothing>(
        "process.list",
        "Gives the programs that this session started and that go on, and the last of those that are \
         over: a list of {id, program, running, returncode, note}.",
        Category::Read,
    )
    .status(|_| "list programs".to_owned())
    .handler(async |_, cx: Context, _: Nothing| {
        let all = programs(&cx)?.all().into_iter().map(|beside| {
            let mut told = json!({ "id": beside.is.call, "program": beside.is.program });
            add(&mut told, state(beside.ended().as_ref()));
            told
        });
        Ok(Value::Array(all.collect()).into())
    })
}
