//! The rules of projects, edited while the workstation is open.

use std::path::{Path, PathBuf};

use tokio::{sync::mpsc, task::JoinHandle};

use crate::{
    config::rules::of_project,
    host::Host,
    kernel::{command::Command, id::ApprovalId, port::Desk},
    tui::{
        message::News,
        watch::{Watch, follow},
    },
};

/// Follows the rules of every project in which a session runs, for as long as it lives: what they deny
/// counts at once, and what they would allow is asked about anew.
pub(super) struct Edited {
    /// That of the folder that is opened, which no session may have entered yet.
    _first: Option<Watch>,
    others: JoinHandle<()>,
}

impl Edited {
    /// Begins with the folder that is opened; whoever opens it asks about its rules as they are now.
    pub(super) fn begin(host: &Host, first: &Path, tell: &mpsc::UnboundedSender<News>) -> Self {
        let watch = begin(host, first, tell);
        let (host, tell) = (host.clone(), tell.clone());
        let first = first.to_owned();
        let others = tokio::spawn(async move {
            let mut projects = host.projects();
            let mut known = vec![first];
            let mut watches = Vec::new();
            loop {
                let now = projects.borrow_and_update().clone();
                for project in now {
                    if known.contains(&project) {
                        continue;
                    }
                    watches.extend(begin(&host, &project, &tell));
                    // It may have been edited before anybody looked, and nobody was asked yet.
                    look(&host, &project, &tell);
                    known.push(project);
                }
                // The host lives in this task, so there is always more to come.
                if projects.changed().await.is_err() {
                    break;
                }
            }
        });
        Self { _first: watch, others }
    }

    /// Ends it.
    pub(super) async fn end(self) {
        self.others.abort();
        if let Err(error) = self.others.await
            && error.is_panic()
        {
            tracing::error!(%error, "rules were not followed to the end");
        }
    }
}

fn begin(host: &Host, project: &Path, tell: &mpsc::UnboundedSender<News>) -> Option<Watch> {
    let file = of_project(project);
    let (host, tell) = (host.clone(), tell.clone());
    let of: PathBuf = project.to_owned();
    let followed = follow(project, &file, move || look(&host, &of, &tell));
    followed.inspect_err(|error| tracing::warn!(%error, "rules are not followed")).ok()
}

/// Has the rules read as they are now, and asked about what they would allow.
fn look(host: &Host, project: &Path, tell: &mpsc::UnboundedSender<News>) {
    // First: what is asked about need not be told.
    let untrusted = host.untrusted(project);
    // What they deny now counts at once, and what they allow no more.
    let _ = Desk::send(host, Command::ReadRules);
    if let Some(rules) = untrusted {
        // Fails only when the screen is gone.
        let _ = tell.send(News::Untrusted(ApprovalId::fresh(), rules));
    }
}
