//! `execute_code`: the Python a model acts by. Its calls come back over the one road, on the clock
//! of the run they come from. The packages that a script names in a PEP 723 block are seen to before
//! that clock starts: `uv run python FILE` alone would pass over such a block.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    bounds::{Asked, changes_nothing, facts, fits, held},
    packages, refusal,
    run::{self, Finished, Run, Tie, exceeded, executor, limit, seconds},
};
use crate::kernel::{
    BoxFuture,
    capability::{Body, Capability, Category, Content, Preview, Reach},
    clock::Budget,
    context::Context,
    error::{CallError, ErrorCode},
    event::{ExitStatus, Origin},
    gate::{Permit, subject::Subject},
    id::CallId,
    invoke::{CallRequest, Input, ToolResult},
    port::{Form, HostCalls, Level, Program},
    registry::Tools,
    schema,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Execute {
    /// The Python script.
    code: String,
    /// The name of its file, without a folder.
    #[serde(default = "main_py")]
    filename: String,
    /// Running time until it is ended, in milliseconds: the session's usual limit if left out
    /// (mostly 60000), and no more than the session allows. The time a person takes to answer does not count.
    #[serde(default)]
    #[schemars(range(min = 1))]
    timeout_ms: Option<u64>,
    /// What the script may do by itself: "sealed" reads the workspace and writes only its own
    /// scratch folder ($TMPDIR), without network, and runs unasked; "workspace" may write the
    /// workspace too; "open" is not bounded. What is wider than sealed is asked for.
    #[serde(default)]
    seal: Level,
}

fn main_py() -> String {
    "main.py".to_owned()
}

/// Of the category that its level makes it: sealed code can do no harm by itself.
pub(super) fn execute_code() -> Capability {
    Capability::define::<Execute>(
        "execute_code",
        "Runs a Python script with `uv run python` in the workspace and gives back what it printed \
         to standard output. Effects go through the modules of the host: \
         `from footplate import files`. Packages beside the standard library are named in a \
         `# /// script` block (PEP 723) with `dependencies`: installed once, from wheels only, after a \
         person's yes and off the clock.",
        Category::Execute,
    )
    .category_of(category)
    .status(|execute| format!("run {}", execute.filename))
    .preview(preview)
    .handler(handle)
}

/// Where no seal holds it, a person reads the code instead.
fn category(cx: &Context, execute: &Execute) -> Category {
    if changes_nothing(cx, execute.seal) { Category::Read } else { Category::Execute }
}

/// Refuses what could not run anyway: a name that is no file's, a syntax error, an import of a
/// module the session has not mounted.
fn check(cx: &Context, execute: &Execute) -> Result<(), CallError> {
    let name = &*execute.filename;
    if matches!(name, "" | "." | "..") || name.contains(['/', '\\', '\0']) {
        let fault = "expected a bare file name such as \"main.py\"";
        return Err(schema::invalid("execute_code.filename", fault));
    }
    let executor = executor(cx)?;
    fits(cx, &held(executor.as_ref(), execute.seal).into())?;
    executor.check(&execute.code, &cx.mounts)
}

async fn preview(cx: Context, execute: Execute) -> Result<Preview, CallError> {
    check(&cx, &execute)?;
    let lines = execute.code.lines().count();
    let executor = executor(&cx)?.as_ref();
    let mut all = vec![
        format!("{lines} {}", if lines == 1 { "line" } else { "lines" }),
        format!("at most {}", seconds(limit(&cx, execute.timeout_ms))),
    ];
    all.extend(facts(executor, execute.seal, false));
    Ok(Preview {
        object: execute.filename.clone(),
        facts: all,
        wider: Asked::default().wider(executor, execute.seal, Level::Sealed),
        reach: Reach::Outside,
        body: Body::Code { filename: execute.filename, code: execute.code },
        subject: Subject::Code { seal: held(executor, execute.seal) },
    })
}

async fn handle(permit: Permit, cx: Context, execute: Execute) -> Result<Content, CallError> {
    check(&cx, &execute)?;
    let packages = packages::ready(&cx, &execute.code, execute.seal).await?;
    let clock = Budget::start(limit(&cx, execute.timeout_ms));
    let inner = cx.of_call(permit.call()).on_clock(clock.clone());
    let calls = Arc::new(Bound(Arc::new(cx.mounts.bind(inner))));
    let level = held(executor(&cx)?.as_ref(), execute.seal);
    let run = Run {
        call: permit.call(),
        title: execute.filename.clone(),
        what: Program::Python {
            filename: execute.filename.clone(),
            code: execute.code,
            packages,
            mounts: cx.mounts.clone(),
            calls,
        },
        cwd: cx.env.root().to_owned(),
        bounds: level.into(),
        clock: clock.clone(),
        tie: Tie::Call,
    };
    let finished = run::run(&cx, run).await?;
    told(&execute.filename, (&cx, level), &clock, finished)
}

/// The modules of one execution, as its script reaches them.
struct Bound(Arc<Tools>);

impl HostCalls for Bound {
    fn call(
        &self,
        name: String,
        input: Value,
        line: Option<u32>,
    ) -> BoxFuture<'static, ToolResult> {
        let tools = self.0.clone();
        let origin = Origin::Python { line };
        let request = CallRequest { id: CallId::fresh(), name, input: Input::Value(input), origin };
        Box::pin(async move { tools.invoke(request).await })
    }
}

/// What the model reads of a run: what it printed, or all it needs to repair the script.
fn told(
    filename: &str,
    (cx, level): (&Context, Level),
    clock: &Budget,
    finished: Finished,
) -> Result<Content, CallError> {
    let mut after: Vec<String> = finished.rest().into_iter().collect();
    match finished.ended.leftovers {
        0 => {}
        1 => after.push("A process it had left running was ended".to_owned()),
        many => after.push(format!("{many} processes it had left running were ended")),
    }
    after.extend(finished.aside());
    after.extend(finished.made(cx));
    after.extend(cx.running.record.iter().flat_map(|record| record.told()));
    if finished.ended.status != (ExitStatus::Exited { code: 0 }) {
        let refused = refusal::of(&finished.ended.stderr, &level.into());
        after.extend(refused.map(|refused| {
            let form = cx.executor.as_ref().map_or(Form::None, |executor| executor.form());
            let place = refusal::Where::of(&refused, cx);
            refusal::advice_for_a_script(&refused, (level, form), place)
        }));
    }
    let after: String = after.iter().map(|line| format!("\n[{line}.]")).collect();
    let ended = finished.ended;
    let kept = finished.spool.path.display();
    let fail = |code, first: String| {
        let message = format!("{first}{}{after}", printed(&ended.stderr, &ended.stdout));
        Err(CallError::new(code, message))
    };
    match &ended.status {
        ExitStatus::Exited { code: 0 } => {
            let text = if ended.stdout.is_empty() { "(no output)" } else { &ended.stdout };
            Ok(format!("{text}{after}").into())
        }
        ExitStatus::Exited { code } => {
            fail(ErrorCode::Failed, format!("{filename} ended with status {code}."))
                .map_err(|error: CallError| error.with("status", *code))
        }
        ExitStatus::Signalled { signal } => {
            fail(ErrorCode::Failed, format!("{filename} was ended by signal {signal}."))
                .map_err(|error: CallError| error.with("signal", *signal))
        }
        ExitStatus::TimedOut => fail(
            ErrorCode::BudgetSpent,
            format!(
                "{filename} used its {} and was ended. What it printed is kept: {kept}",
                seconds(clock.limit())
            ),
        ),
        ExitStatus::OverLimit { limit } => fail(
            ErrorCode::BudgetSpent,
            format!("{filename} {}. What it printed is kept: {kept}", exceeded(*limit)),
        )
        .map_err(|error: CallError| error.with("limit", json!(limit))),
        ExitStatus::Cancelled => fail(
            ErrorCode::Interrupted,
            format!("{filename} was stopped. What it printed is kept: {kept}"),
        ),
        ExitStatus::NotStarted { message } => Err(CallError::failed(message)),
    }
}

/// Both outputs under their names; the errors last, as on a terminal: they say what to repair, and of a long
/// text its end is what people are shown.
fn printed(stderr: &str, stdout: &str) -> String {
    [("stdout", stdout), ("stderr", stderr)]
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("\n\n{name}:\n{}", text.trim_end_matches('\n')))
        .collect()
}
