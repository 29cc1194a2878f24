//! The sandbox clock: running time only. While a person decides, it stands still.
//!
//! Threads of the run that do not wait for the answer go on computing meanwhile; their CPU time
//! is a limit of its own (the sandbox's), so a script cannot work for free under an open question.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::id::CallId;

/// The running time that one execution may use. Clones are the same clock.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limit: Duration,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct State {
    started: Instant,
    holds: usize,
    held_since: Option<Instant>,
    excluded: Duration,
    finished: Option<Instant>,
}

impl State {
    fn excluded(&self, now: Instant) -> Duration {
        self.excluded + self.held_since.map_or(Duration::ZERO, |since| now - since)
    }

    fn spent(&self, now: Instant) -> Duration {
        let now = self.finished.unwrap_or(now);
        (now - self.started).saturating_sub(self.excluded(now))
    }
}

/// What a clock reads at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Running time used.
    pub spent: Duration,
    /// Time left out because somebody was deciding.
    pub excluded: Duration,
    /// Whether it stands still now.
    pub held: bool,
}

impl Budget {
    /// A clock that runs from now on and allows `limit` of running time.
    pub fn start(limit: Duration) -> Self {
        let state = State {
            started: Instant::now(),
            holds: 0,
            held_since: None,
            excluded: Duration::ZERO,
            finished: None,
        };
        Self(Arc::new(Inner { limit, state: Mutex::new(state), changed: watch::Sender::new(()) }))
    }

    /// The running time allowed in all.
    pub fn limit(&self) -> Duration {
        self.0.limit
    }

    /// Stops the clock while the guard lives. Holds nest: it runs again when the last one ends.
    pub fn hold(&self) -> Hold {
        let mut state = self.state();
        state.holds += 1;
        if state.holds == 1 && state.finished.is_none() {
            state.held_since = Some(Instant::now());
        }
        drop(state);
        self.0.changed.send_replace(());
        Hold(self.clone())
    }

    /// Stops the clock for good: what it reads no longer changes.
    pub fn finish(&self) {
        let mut state = self.state();
        let now = Instant::now();
        if state.finished.is_none() {
            state.excluded = state.excluded(now);
            state.held_since = None;
            state.finished = Some(now);
        }
    }

    /// What the clock reads now.
    pub fn read(&self) -> Reading {
        let state = self.state();
        let now = Instant::now();
        Reading {
            spent: state.spent(now),
            excluded: state.excluded(now),
            held: state.held_since.is_some(),
        }
    }

    /// Waits until the running time is used up. Losing this future loses nothing.
    pub async fn exhausted(&self) {
        let mut changed = self.0.changed.subscribe();
        loop {
            changed.borrow_and_update();
            let deadline = {
                let state = self.state();
                let now = Instant::now();
                let spent = state.spent(now);
                match (spent >= self.0.limit, state.held_since) {
                    (true, _) => return,
                    (false, Some(_)) => None,
                    (false, None) => Some(now + (self.0.limit - spent)),
                }
            };
            let expired = async {
                match deadline {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = expired => {}
                // The sender lives in `self`, so this cannot be an error.
                _ = changed.changed() => {}
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a [`Budget`] standing still; undoes itself when dropped, on cancel and panic too.
#[derive(Debug)]
pub struct Hold(Budget);

impl Drop for Hold {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.holds -= 1;
        if state.holds == 0
            && let Some(since) = state.held_since.take()
        {
            state.excluded += Instant::now() - since;
        }
        drop(state);
        self.0.0.changed.send_replace(());
    }
}

/// The clocks of what runs now, by call, for a screen to read. Clones are the same board.
#[derive(Clone, Debug, Default)]
pub struct Board(Arc<Mutex<HashMap<CallId, Budget>>>);

impl Board {
    /// Shows the clock of a call while the guard lives; the clock is finished when it ends.
    pub fn show(&self, call: CallId, clock: Budget) -> Shown {
        self.clocks().insert(call, clock);
        Shown { board: self.clone(), call }
    }

    /// What the clock of a call reads now; nothing once the call no longer runs.
    pub fn read(&self, call: CallId) -> Option<Reading> {
        self.clocks().get(&call).map(Budget::read)
    }

    fn clocks(&self) -> MutexGuard<'_, HashMap<CallId, Budget>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a clock on a [`Board`].
#[derive(Debug)]
pub struct Shown {
    board: Board,
    call: CallId,
}

impl Drop for Shown {
    fn drop(&mut self) {
        let clock = self.board.clocks().remove(&self.call);
        if let Some(clock) = clock {
            clock.finish();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn only_running_time_counts() {
        let budget = Budget::start(5 * SECOND);
        advance(2 * SECOND).await;
        let hold = budget.hold();
        advance(20 * SECOND).await;
        assert!(budget.read().held);
        drop(hold);
        advance(2 * SECOND).await;
        assert_eq!(
            budget.read(),
            Reading { spent: 4 * SECOND, excluded: 20 * SECOND, held: false }
        );
    }

    #[tokio::test(start_paused = true)]
    async fn one_answer_does_not_restart_the_clock_while_another_question_waits() {
        let budget = Budget::start(5 * SECOND);
        let first = budget.hold();
        let second = budget.hold();
        advance(3 * SECOND).await;
        drop(first);
        advance(3 * SECOND).await;
        assert_eq!(budget.read().spent, Duration::ZERO);
        drop(second);
        advance(SECOND).await;
        assert_eq!(budget.read().spent, SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_holds_after_any_number_of_pauses() {
        let budget = Budget::start(5 * SECOND);
        let clock = budget.clone();
        let waiting = tokio::spawn(async move { clock.exhausted().await });
        for _ in 0..3 {
            let hold = budget.hold();
            advance(60 * SECOND).await;
            drop(hold);
            advance(SECOND).await;
        }
        assert!(!waiting.is_finished());
        assert!(timeout(3 * SECOND, waiting).await.is_ok());
        assert_eq!(budget.read().spent, 5 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_finished_clock_no_longer_changes() {
        let budget = Budget::start(5 * SECOND);
        let hold = budget.hold();
        advance(SECOND).await;
        budget.finish();
        advance(SECOND).await;
        drop(hold);
        assert_eq!(budget.read().excluded, SECOND);
        assert_eq!(budget.read().spent, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_is_on_the_board_for_as_long_as_its_guard_lives() {
        let (board, call) = (Board::default(), CallId::from(1));
        let clock = Budget::start(5 * SECOND);
        let shown = board.clone().show(call, clock.clone());
        advance(SECOND).await;
        assert_eq!(board.read(call).map(|reading| reading.spent), Some(SECOND));
        drop(shown);
        advance(SECOND).await;
        assert_eq!(board.read(call), None);
        assert_eq!(clock.read().spent, SECOND);
    }
}
