//! Rules that are edited, or come to be, while a host works: what they deny counts at once.

use std::path::{Path, PathBuf};

use tokio::{sync::mpsc, task::JoinHandle};

use crate::{
    config::{
        Home,
        rules::{of_everywhere, of_project},
    },
    host::Host,
    kernel::{command::Command, id::ApprovalId, port::Desk},
    tui::{
        message::News,
        watch::{Watch, follow},
    },
};

/// Who is asked about what the rules of a project would allow.
#[derive(Clone)]
pub(super) enum Asked {
    /// Whoever is at the screen.
    Person(mpsc::UnboundedSender<News>),
    /// Nobody: it is told that they do not count.
    Nobody,
}

/// Follows the rules that count everywhere, and those of every project in which a session runs, for as
/// long as it lives: what they deny counts at once, and what a project's would allow is asked about anew.
pub(super) struct Edited {
    /// Those that count everywhere, and that of the folder that is opened, which no session may have
    /// entered yet.
    _first: Vec<Watch>,
    others: JoinHandle<()>,
}

impl Edited {
    /// Begins with the folder that is opened; whoever opens it asks about its rules as they are now.
    pub(super) fn begin(host: &Host, home: &Home, first: &Path, asked: &Asked) -> Self {
        let mut watches: Vec<_> = begin(host, first, asked).into_iter().collect();
        watches.extend(of_everywhere(home).iter().filter_map(|file| {
            // The folder they are in may come with them.
            let top = file.parent().and_then(Path::parent)?;
            let host = host.clone();
            // Nobody has to trust them.
            following(top, file, move || reread(&host))
        }));
        let (host, asked) = (host.clone(), asked.clone());
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
                    watches.extend(begin(&host, &project, &asked));
                    // It may have been edited before anybody looked, and nobody was asked yet.
                    look(&host, &project, &asked);
                    known.push(project);
                }
                // The host lives in this task, so there is always more to come.
                if projects.changed().await.is_err() {
                    break;
                }
            }
        });
        Self { _first: watches, others }
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

fn begin(host: &Host, project: &Path, asked: &Asked) -> Option<Watch> {
    let file = of_project(project);
    let (host, asked) = (host.clone(), asked.clone());
    let of: PathBuf = project.to_owned();
    following(project, &file, move || look(&host, &of, &asked))
}

fn following(top: &Path, file: &Path, changed: impl FnMut() + Send + 'static) -> Option<Watch> {
    let followed = follow(top, file, changed);
    followed.inspect_err(|error| tracing::warn!(%error, "rules are not followed")).ok()
}

/// Has the rules read as they are now, and asked about what they would allow.
fn look(host: &Host, project: &Path, asked: &Asked) {
    let Asked::Person(tell) = asked else { return reread(host) };
    // First: what is asked about need not be told.
    let untrusted = host.untrusted(project);
    reread(host);
    if let Some(rules) = untrusted {
        // Fails only when the screen is gone.
        let _ = tell.send(News::Untrusted(ApprovalId::fresh(), rules));
    }
}

/// What they deny now counts at once, and what they allow no more.
fn reread(host: &Host) {
    let _ = Desk::send(host, Command::ReadRules);
}
