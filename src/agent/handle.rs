//! The task that owns a session, and the handle by which it is spoken to.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Notify, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{Cause, Live, turn::exchange};
use crate::kernel::{event::Outcome, message::Words};

/// The session takes no more messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this session has ended")]
pub struct Ended;

/// Speaks to a session's task. Dropping it stops the task; to see it end, use
/// [`Handle::shutdown`].
pub struct Handle {
    desk: Arc<Desk>,
    state: watch::Receiver<State>,
    tasks: TaskTracker,
}

/// What the handle and the task share.
struct Desk {
    /// What was said and is not answered; the first is being answered now.
    queue: Mutex<VecDeque<Said>>,
    wake: Notify,
    state: watch::Sender<State>,
    stop: CancellationToken,
}

#[derive(Clone)]
struct Said {
    cause: Cause,
    when: When,
    /// The exchange's own.
    cancel: CancellationToken,
}

/// When something that was said counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// In an exchange of its own.
    Next,
    /// At the next step of the exchange that goes on, if one does.
    Step,
}

#[derive(Clone, Debug, Default)]
struct State {
    waiting: usize,
    ended: bool,
    dismissed: bool,
    closed: bool,
    last: Option<Outcome>,
}

/// Starts the task that owns a session. It waits for a first message.
pub fn spawn(live: Live) -> Handle {
    let (state, watched) = watch::channel(State::default());
    let desk = Arc::new(Desk {
        queue: Mutex::default(),
        wake: Notify::new(),
        state,
        stop: CancellationToken::new(),
    });
    let tasks = TaskTracker::new();
    tasks.spawn(drive(live, Owner(desk.clone())));
    tasks.close();
    Handle { desk, state: watched, tasks }
}

impl Handle {
    /// Says something: now if the session is idle, else when its exchange has ended. Does not wait.
    pub fn send(&self, words: impl Into<Words>) -> Result<(), Ended> {
        self.put(Cause::Words(words.into()), When::Next)
    }

    /// Says something for the next step of the exchange that goes on: before its next request to the
    /// model, after the calls it is making. Where none goes on, it is said now. Does not wait.
    pub fn steer(&self, words: impl Into<Words>) -> Result<(), Ended> {
        self.put(Cause::Words(words.into()), When::Step)
    }

    /// Forgets the last of these words that the session was not told yet; whether there were any.
    pub fn take_back(&self, text: &str) -> bool {
        let mut queue = self.desk.queue();
        let same = |said: &Said| matches!(&said.cause, Cause::Words(words) if words.text == text);
        // The first is being answered.
        let at = queue.iter().skip(1).rposition(same);
        let taken = at.and_then(|at| queue.remove(at + 1)).is_some();
        self.desk.state.send_modify(|state| state.waiting = queue.len());
        taken
    }

    /// Says that a signal is in the journal. If the session rests by then, its work done, and its
    /// model does not know of it, an exchange begins. Does not wait.
    pub fn nudge(&self) -> Result<(), Ended> {
        self.put(Cause::Signals, When::Next)
    }

    fn put(&self, cause: Cause, when: When) -> Result<(), Ended> {
        let mut queue = self.desk.queue();
        if self.desk.stop.is_cancelled() || self.is_over() {
            return Err(Ended);
        }
        queue.push_back(Said { cause, when, cancel: self.desk.stop.child_token() });
        self.desk.state.send_modify(|state| state.waiting = queue.len());
        self.desk.wake.notify_one();
        Ok(())
    }

    /// Stops the exchange that goes on, if one does. What was said after it comes next.
    pub fn interrupt(&self) {
        if let Some(current) = self.desk.queue().front() {
            current.cancel.cancel();
        }
    }

    /// Stops the exchange that goes on and forgets what was said after it: nothing more is begun.
    /// Does not wait for the end of it.
    pub fn dismiss(&self) {
        let mut queue = self.desk.queue();
        queue.truncate(1);
        if let Some(current) = queue.front() {
            current.cancel.cancel();
        }
        self.desk.state.send_modify(|state| {
            state.dismissed = true;
            state.waiting = queue.len();
        });
    }

    /// Takes nothing more that is said, if all that was said so far is answered; whether that is so.
    pub fn close(&self) -> bool {
        let queue = self.desk.queue();
        let rests = queue.is_empty() || self.state.borrow().ended;
        if rests {
            self.desk.state.send_modify(|state| state.closed = true);
        }
        rests
    }

    /// Whether it was dismissed.
    pub fn is_dismissed(&self) -> bool {
        self.state.borrow().dismissed
    }

    fn is_over(&self) -> bool {
        let state = self.state.borrow();
        state.ended || state.dismissed || state.closed
    }

    /// Whether an exchange goes on or is about to.
    pub fn is_busy(&self) -> bool {
        let state = self.state.borrow();
        state.waiting > 0 && !state.ended
    }

    /// Waits until everything said has been answered, and gives the last outcome; absent if
    /// nothing was ever said. Losing this future loses nothing.
    pub async fn idle(&self) -> Option<Outcome> {
        let mut state = self.state.clone();
        // The sender lives in the desk, so this cannot be an error while `self` is there.
        state
            .wait_for(|state| state.waiting == 0 || state.ended)
            .await
            .ok()
            .and_then(|state| state.last.clone())
    }

    /// Stops what goes on, waits until all of it has ended, and gives back what was said and never
    /// begun.
    pub async fn shutdown(&self) -> Vec<String> {
        self.desk.stop.cancel();
        self.tasks.wait().await;
        let unsaid = self.desk.queue().drain(..).collect::<Vec<_>>().into_iter();
        let words = unsaid.filter_map(|said| match said.cause {
            Cause::Words(words) => Some(words.text),
            Cause::Signals => None,
        });
        words.collect()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.desk.stop.cancel();
    }
}

impl Desk {
    fn queue(&self) -> MutexGuard<'_, VecDeque<Said>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first in the queue is done with; there is no outcome where it came to nothing.
    fn answered(&self, outcome: Option<Outcome>) {
        let mut queue = self.queue();
        queue.pop_front();
        self.state.send_modify(|state| {
            state.waiting = queue.len();
            state.last = outcome.or(state.last.take());
        });
    }

    /// Takes what was said for the next step of the exchange that goes on.
    fn steered(&self) -> Vec<Words> {
        let mut queue = self.queue();
        let mut said = Vec::new();
        // The first is what the exchange is about.
        for at in (1..queue.len()).rev() {
            if queue[at].when == When::Step
                && let Some(Said { cause: Cause::Words(words), .. }) = queue.remove(at)
            {
                said.insert(0, words);
            }
        }
        self.state.send_modify(|state| state.waiting = queue.len());
        said
    }

    /// Whether what was said first is all there is.
    fn is_last(&self) -> bool {
        self.queue().len() == 1
    }
}

/// The task's share of the desk. When the task ends, however it ends, nobody waits for it.
struct Owner(Arc<Desk>);

impl Drop for Owner {
    fn drop(&mut self) {
        let died = !self.0.stop.is_cancelled();
        self.0.state.send_modify(|state| {
            state.ended = true;
            if died {
                let message = "A fault of this program ended it. What it recorded is kept.";
                state.last = Some(Outcome::Failed { message: message.to_owned() });
            }
        });
    }
}

async fn drive(live: Live, owner: Owner) {
    let desk = &owner.0;
    while !desk.stop.is_cancelled() {
        let said = desk.queue().front().cloned();
        match said {
            Some(said) => {
                let begins = match said.cause {
                    Cause::Words(_) => true,
                    // Words that wait will tell of the signals as well.
                    Cause::Signals => desk.is_last() && live.session().is_woken(),
                };
                let outcome = match begins {
                    true => {
                        let steered = || desk.steered();
                        Some(exchange(&live, said.cause, &steered, &said.cancel).await)
                    }
                    false => None,
                };
                desk.answered(outcome);
            }
            None => tokio::select! {
                biased;
                () = desk.stop.cancelled() => {}
                // A wake that is lost is found again at the queue.
                () = desk.wake.notified() => {}
            },
        }
    }
}

#[cfg(test)]
mod tests;
