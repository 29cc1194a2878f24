//! The rules of a project, edited while the workstation is open.

use std::path::PathBuf;

use tokio::sync::mpsc;

use crate::{
    config::rules::of_project,
    host::Host,
    kernel::{command::Command, id::ApprovalId, port::Desk},
    tui::{
        message::News,
        watch::{Watch, watch},
    },
};

/// Has the rules of a project asked about anew when they are edited, for as long as what it gives lives.
/// Nothing is followed where there are none yet: the next start sees them.
pub(super) fn follow(
    host: Host,
    project: PathBuf,
    tell: mpsc::UnboundedSender<News>,
) -> Option<Watch> {
    let followed = watch(&of_project(&project), move |_| {
        // First: what is asked about need not be told.
        let untrusted = host.untrusted(&project);
        // What they deny now counts at once, and what they allow no more.
        let _ = Desk::send(&host, Command::ReadRules);
        if let Some(rules) = untrusted {
            // Fails only when the screen is gone.
            let _ = tell.send(News::Untrusted(ApprovalId::fresh(), rules));
        }
    });
    followed.inspect_err(|error| tracing::debug!(%error, "rules are not followed")).ok()
}
