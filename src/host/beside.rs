//! The programs that go on beside the calls of a session: their end wakes it, and of those that ended
//! with the host whoever carries the session on is told, once.

use std::{collections::BTreeMap, sync::Arc};

use super::{Inner, Live};
use crate::{
    kernel::{
        event::{Event, ExitStatus},
        id::{CallId, SessionId},
        port::StoreError,
        programs::Programs,
        signal::{ProgramEnded, Signal},
    },
    modules::BESIDE,
};

/// As many of the last lines of an output are told.
const LAST_LINES: usize = 10;

impl Inner {
    /// Keeps the programs of a session.
    pub(super) fn programs(self: &Arc<Self>, id: SessionId) -> Programs {
        let host = Arc::downgrade(self);
        Programs::new(move || {
            let live = host.upgrade().and_then(|host| host.get(id));
            if live.is_some_and(|live| live.handle.nudge().is_err()) {
                tracing::debug!(session = %id, "a program ended beside a session that is over");
            }
        })
    }

    /// Records the end of what went on beside the calls when the session was left, and of what ended
    /// then and was told to nobody. Gives what to tell the person, if that was anything.
    pub(super) fn mourn(&self, live: &Live, untold: Untold) -> Result<Option<String>, StoreError> {
        let spec = &live.context.spec;
        let mut lost = Vec::new();
        for (call, (program, status)) in untold.programs {
            if status.is_none() {
                let status = ExitStatus::Cancelled;
                let event = Event::ExecutionFinished { call, status, ran_ms: 0, excluded_ms: 0 };
                live.context.recorder.append(event)?;
            }
            let page = self.parts.store.output(spec.id, call, LAST_LINES).unwrap_or_default();
            let status = status.filter(|status| *status != ExitStatus::Cancelled);
            let last = page.lines.join("\n");
            let ended = ProgramEnded { call, program, status, last, notes: Vec::new() };
            live.context.recorder.append(Event::SignalReceived {
                signal: ended.signal(),
                from: spec.id,
                agent: spec.path.clone(),
                what: Signal::Program { ended: ended.clone() },
            })?;
            if ended.status.is_none() {
                lost.push(ended.program.clone());
            }
            if let Some(programs) = &live.context.running.programs {
                programs.remember(ended);
            }
        }
        Ok(match lost.as_slice() {
            [] => None,
            [one] => Some(format!("A program beside it ended with footplate: {one}.")),
            all => Some(format!("Programs beside it ended with footplate: {}.", all.join(", "))),
        })
    }
}

impl Live {
    /// Stops what goes on beside the calls, for good. Does not wait.
    pub(super) fn end_programs(&self) {
        if let Some(programs) = &self.context.running.programs {
            programs.end();
        }
    }

    /// The same, and waits until nothing of it is left.
    pub(super) async fn close_programs(&self) {
        if let Some(programs) = &self.context.running.programs {
            programs.close().await;
        }
    }
}

/// What goes on beside the calls and of which nothing was told, with how it ended if that is known.
#[derive(Default)]
pub(super) struct Untold {
    begun: Vec<CallId>,
    programs: BTreeMap<CallId, (String, Option<ExitStatus>)>,
}

impl Untold {
    /// Takes the next event of a journal in.
    pub(super) fn take(&mut self, event: &Event) {
        if let Event::CallStarted { call, .. } = event
            && BESIDE.contains(&call.name.as_str())
        {
            self.begun.push(call.id);
        }
        if let Event::ExecutionStarted { call, program, .. } = event
            && self.begun.contains(call)
        {
            self.programs.insert(*call, (program.clone(), None));
        }
        if let Event::ExecutionFinished { call, status, .. } = event
            && let Some((_, known)) = self.programs.get_mut(call)
        {
            *known = Some(status.clone());
        }
        if let Event::SignalReceived { what: Signal::Program { ended }, .. } = event {
            self.programs.remove(&ended.call);
        }
    }
}
