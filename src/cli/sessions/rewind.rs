//! `sessions rewind`: back to before a message, once it is said what becomes of the files.

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::super::{
    ask::{self, Answered},
    exit::{Exit, Failure},
    meant,
    print::{self, one_line},
    setup, undo,
};
use crate::{
    host::{NoWayBack, Rewind},
    kernel::{id::SessionId, recorder::Recorder},
};

/// How sure it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Look,
    Asked,
    Unasked,
}

pub(super) async fn run(words: &str, to: usize, how: How) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let id = meant::find(&*store, words)?.spec.id;
    let rewind = Rewind::read(&*store, id, to).map_err(|error| no_way(error, id))?;
    let plan = rewind.plan().await.map_err(Failure::in_two_lines)?;
    let zone = TimeZone::system();
    for planned in &plan {
        // Whoever closed our output still wants it done, or has answered no.
        let _ = print::text(&undo::line(planned, &zone));
    }
    let text: String = one_line(&rewind.text).chars().take(60).collect();
    let able = plan.iter().filter(|planned| !undo::is_left(planned)).count();
    print::aside(&format!("Back to before message {to}: {text}"));
    match how {
        How::Look => return Ok(Exit::Done),
        How::Unasked => {}
        How::Asked => {
            let question = format!("go back, and undo {able} of {} changes?", plan.len());
            match ask::asked(&question, "look with --dry-run, then say --yes")? {
                Answered::Yes => {}
                Answered::No => {
                    print::aside("Nothing was done.");
                    return Ok(Exit::Failed);
                }
            }
        }
    }
    let opened = store.open(id, &mut |_| {})?;
    // From here on nobody else writes it.
    let rewind = Rewind::read(&*store, id, to).map_err(|error| no_way(error, id))?;
    let recorder = Recorder::new(opened.journal, Arc::new(|_| {}));
    let all = rewind.go(&*store, &recorder, &|_| None).await.map_err(Failure::in_two_lines)?;
    let mut left = 0;
    for undone in &all {
        if let Err(error) = &undone.outcome {
            left += 1;
            print::aside(&format!("footplate: {}", one_line(&error.message)));
        }
    }
    let done = all.len() - left;
    print::aside(&match left {
        0 => format!("Went back. Changes undone: {done}."),
        left => format!("Went back. Changes undone: {done}; left as they are: {left}."),
    });
    Ok(Exit::Done)
}

fn no_way(error: NoWayBack, id: SessionId) -> Failure {
    match error {
        NoWayBack::Store(error) => error.into(),
        NoWayBack::Message(..) => {
            let hint = format!("see them with: footplate sessions show {}", id.short());
            Failure::usage(error, hint)
        }
        NoWayBack::Agent(root) => {
            let hint = format!("footplate sessions rewind {} --to N", root.short());
            Failure::usage(error, hint)
        }
    }
}
