//! `footplate --tool NAME --tool-input JSON`: one call by hand, through the same gate as a model's.

use super::{
    args::Common,
    exit::{Exit, Failure},
    print,
    setup::{self, Setup},
    signal::stop_signal,
};
use crate::{
    host::Attendance,
    kernel::{error::ErrorCode, gate::monitor::Tier, invoke::ToolResult},
    model,
};

pub(super) async fn run(common: &Common, name: &str, input: String) -> Result<Exit, Failure> {
    let setup = Setup::new(common, Attendance::Alone, setup::aside())?;
    let session = setup.start(model::NONE)?;
    // Before the call begins: it may take effect at once.
    let stopped = stop_signal();
    let result = tokio::select! {
        result = setup.host.call(session, name, input) => Ok(result),
        // The call is cut off, and records that itself.
        () = stopped => Err(Exit::Interrupted),
    };
    setup.host.shutdown().await;
    let result = match result {
        Ok(result) => result,
        Err(exit) => return Ok(exit),
    };
    let Some(result) = result else {
        return Err(Failure::new("the session ended before the call", ""));
    };
    // A reader that went away has seen what it wanted.
    let _ = print::json(&result);
    Ok(exit(&result))
}

fn exit(result: &ToolResult) -> Exit {
    match result.error_code() {
        None if result.ok => Exit::Done,
        Some(ErrorCode::NoApprover | ErrorCode::ApprovalExpired) => Exit::NobodyToAsk,
        // The monitor only wanted it asked.
        Some(ErrorCode::BlockedByMonitor) if result.content["tier"] == Tier::Soft.name() => {
            Exit::NobodyToAsk
        }
        Some(ErrorCode::BudgetSpent) => Exit::Limit,
        Some(
            ErrorCode::UnknownTool
            | ErrorCode::InvalidInput
            | ErrorCode::PermissionDenied
            | ErrorCode::BlockedInPlanMode
            | ErrorCode::BlockedByMonitor
            | ErrorCode::DeniedByRule
            | ErrorCode::Interrupted
            | ErrorCode::Failed,
        )
        | None => Exit::Failed,
    }
}
