//! `install_packages`: what a script asks for in a PEP 723 block, fetched once after a yes. It is a
//! tool without a module, which sessions do not name: a run calls it for its script before it begins,
//! and a person may by hand. Python has no use for it, since packages that come while it runs are not
//! in its environment.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{bounds::facts, run::executor};
use crate::kernel::{
    capability::{Body, Capability, Category, Content, Preview, Reach},
    context::Context,
    error::{CallError, ErrorCode},
    event::Origin,
    gate::{Permit, subject::Subject},
    id::CallId,
    invoke::{CallRequest, Input, ToolResult, interrupted, unless_cut_off},
    port::{Level, Packages, Sought},
    registry::Mounts,
};

const NAME: &str = "install_packages";

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Install {
    /// Packages by name, such as "six>=1.16"; no address, path or option.
    #[schemars(length(min = 1))]
    requirements: Vec<String>,
    /// The versions of Python they are for, such as ">=3.11".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requires_python: Option<String>,
    /// What the script that wants them may do by itself, to be told in the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<Level>,
}

impl Install {
    fn packages(&self) -> Packages {
        Packages {
            requirements: self.requirements.clone(),
            requires_python: self.requires_python.clone(),
        }
    }
}

pub(super) fn install_packages() -> Capability {
    Capability::define::<Install>(
        NAME,
        "Fetches Python packages and what they need, wheels only, into an environment for scripts \
         that name exactly these in a `# /// script` block; gives {installed}: the name, version and \
         hashes of each.",
        Category::External,
    )
    .status(|install| format!("install {}", install.requirements.join(", ")))
    .preview(preview)
    .handler(handle)
}

async fn preview(cx: Context, install: Install) -> Result<Preview, CallError> {
    let executor = executor(&cx)?;
    let from = match unless_cut_off(&cx, interrupted(false), executor.look_for(&install.packages()))
        .await?
    {
        Sought::Away { from } => from,
        Sought::Here => vec!["this computer: they are here already".to_owned()],
    };
    let run = install.seal.map(|level| facts(executor.as_ref(), level, false).join(", "));
    let subject = Subject::Packages { asked: install.requirements.clone() };
    Ok(Preview {
        object: "install packages".to_owned(),
        facts: vec!["leaves this computer".to_owned()],
        wider: Vec::new(),
        reach: Reach::Outside,
        body: Body::Packages {
            from,
            asked: install.requirements,
            python: install.requires_python,
            run,
        },
        subject,
    })
}

async fn handle(_: Permit, cx: Context, install: Install) -> Result<Content, CallError> {
    let installed =
        unless_cut_off(&cx, interrupted(false), executor(&cx)?.install(&install.packages()))
            .await?;
    Ok(json!({ "installed": installed }).into())
}

/// Sees that what a script wants is here before it runs, and asks for it if it is not; on the context
/// of the run, whose clock has not been started.
pub(super) async fn ready(
    cx: &Context,
    code: &str,
    level: Level,
) -> Result<Option<Packages>, CallError> {
    let executor = executor(cx)?;
    let Some(wanted) = executor.wants(code)? else { return Ok(None) };
    match unless_cut_off(cx, interrupted(false), executor.look_for(&wanted.packages)).await? {
        Sought::Here => return Ok(Some(wanted.packages)),
        Sought::Away { .. } => {}
    }
    let Packages { requirements, requires_python } = wanted.packages.clone();
    let input = json!(Install { requirements, requires_python, seal: Some(level) });
    let origin = Origin::Python { line: Some(wanted.line) };
    let request = CallRequest {
        id: CallId::fresh(),
        name: NAME.to_owned(),
        input: Input::Value(input),
        origin,
    };
    let offer = Mounts { modules: Vec::new(), capabilities: vec![Arc::new(install_packages())] };
    let result = offer.bind(cx.clone()).invoke(request).await;
    if result.ok { Ok(Some(wanted.packages)) } else { Err(refused(result)) }
}

/// The fault of the inner call as that of the run, which did not begin.
fn refused(result: ToolResult) -> CallError {
    let code = result.error_code().unwrap_or(ErrorCode::Failed);
    let said = result.content["message"].as_str().unwrap_or_default();
    let mut error =
        CallError::new(code, format!("Nothing was run, for want of its packages. {said}"));
    if let serde_json::Value::Object(mut detail) = result.content {
        detail.retain(|key, _| !matches!(&**key, "error" | "message"));
        error.detail = detail;
    }
    error
}
