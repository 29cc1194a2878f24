//! What the executor adds to Python, by what holds it: one after the other in each round, so that
//! whatever else the machine does falls on all alike.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use footplate::{
    executor::{
        Local, Settings,
        seal::{Form, Level, available},
    },
    kernel::{
        BoxFuture,
        clock::Budget,
        event::ExitStatus,
        id::CallId,
        invoke::ToolResult,
        port::{Executor as _, HostCalls, Job, Manner, Program, Unkept},
        registry::Mounts,
    },
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{report, support::uv};

const PROGRAM: &str = env!("CARGO_BIN_EXE_footplate");
const ROUNDS: usize = 60;

struct Nothing;

impl HostCalls for Nothing {
    fn call(&self, _: String, _: Value, _: Option<u32>) -> BoxFuture<'static, ToolResult> {
        Box::pin(std::future::pending())
    }
}

/// Bare, unsealed and sealed in each form there is, and how much each adds to bare and to unsealed,
/// as the median over the rounds.
pub fn side_by_side() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let script = work.join("nothing.py");
    std::fs::write(&script, "pass").unwrap();
    let venv = root.path().join("bare");
    assert!(Command::new(uv()).args(["venv", "-q"]).arg(&venv).status().unwrap().success());
    let strongest = available(PROGRAM.as_ref());
    let mut kinds = vec![("unsealed", Level::Open, Form::None)];
    if strongest == Form::Full {
        kinds.push(("full seal", Level::Sealed, Form::Full));
    }
    if strongest != Form::None {
        kinds.push(("no namespaces", Level::Sealed, Form::WithoutNamespaces));
    }
    let kinds: Vec<_> = kinds
        .into_iter()
        .map(|(name, level, form)| (name, level, executor(root.path()).held_by(form)))
        .collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut bare = Vec::new();
    let mut times = vec![Vec::new(); kinds.len()];
    for round in 0..=ROUNDS {
        let bare_took = by_hand(&script, &venv);
        let took: Vec<_> = kinds
            .iter()
            .map(|(_, level, local)| runtime.block_on(once(local, *level, &work)))
            .collect();
        // The first makes ready what is kept.
        if round > 0 {
            bare.push(bare_took);
            times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
        }
    }
    report("bare uv run python", bare.clone());
    let unsealed = times[0].clone();
    for ((name, ..), times) in kinds.iter().zip(times) {
        let (over_bare, over_unsealed) = (added(&times, &bare), added(&times, &unsealed));
        report(&format!("an execution, {name}"), times);
        println!("{:32} {over_bare:+.1} ms over bare, {over_unsealed:+.1} over unsealed", "");
    }
}

fn added(times: &[Duration], unsealed: &[Duration]) -> f64 {
    let millis = |time: &Duration| time.as_secs_f64() * 1e3;
    let mut added: Vec<f64> =
        times.iter().zip(unsealed).map(|(one, other)| millis(one) - millis(other)).collect();
    added.sort_by(f64::total_cmp);
    added[added.len() / 2]
}

fn executor(root: &Path) -> Local {
    Local::new(Settings {
        data: root.join("ours/data"),
        cache: root.join("ours/cache"),
        home: Some(root.join("home")),
        uv: Some(uv().to_owned()),
        launcher: Some(PathBuf::from(PROGRAM)),
        private: vec![root.join("ours")],
        search_path: std::env::var_os("PATH").unwrap(),
        notice: Arc::new(|_| {}),
    })
}

fn by_hand(script: &Path, venv: &Path) -> Duration {
    let begun = Instant::now();
    let mut command = Command::new(uv());
    command.args(["run", "--no-project", "--offline", "python"]).arg(script);
    assert!(command.env("VIRTUAL_ENV", venv).status().unwrap().success());
    begun.elapsed()
}

async fn once(local: &Local, level: Level, work: &Path) -> Duration {
    let job = Job {
        call: CallId::fresh(),
        what: Program::Python {
            filename: "main.py".to_owned(),
            code: "pass".to_owned(),
            mounts: Arc::new(Mounts::default()),
            packages: None,
            calls: Arc::new(Nothing),
        },
        cwd: work.to_owned(),
        workspace: work.to_owned(),
        bounds: level.into(),
        manner: Manner::Awaited,
        clock: Budget::start(Duration::from_secs(60)),
        cancel: CancellationToken::new(),
        spool: Arc::new(Unkept),
        notice: Arc::new(|_| {}),
    };
    let begun = Instant::now();
    let ended = local.run(job).await.unwrap();
    assert_eq!(ended.status, ExitStatus::Exited { code: 0 }, "{ended:?}");
    begun.elapsed()
}
