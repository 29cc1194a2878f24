//! The sandbox clock: running time only. While a person decides, it stands still.
//!
//! Threads of the run that do not wait for the answer go on computing meanwhile; their CPU time
//! is a limit of its own (the sandbox's), so a script cannot work for free under an open question.
//!
//! Time in which this process itself could not run is no running time: stopped from the keyboard,
//! starved, or asleep with its machine. Of a sleeping machine the clock underneath tells nothing:
//! tokio's `Instant` is std's, which is `CLOCK_MONOTONIC` on Linux and `CLOCK_UPTIME_RAW` on macOS
//! (the table "Underlying System calls" of `std::time::Instant`); the first "does not count time
//! that the system is suspended" (`clock_gettime(2)`), the second "does not increment while the
//! system is asleep" (`clock_gettime(3)` there). A stopped process is found by [`Budget::exhausted`],
//! which wakes far too late.

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

/// The longest sleep of whoever waits for the end of a clock.
const SLICE: Duration = Duration::from_millis(500);
/// Later than this after its sleep, it was kept from running; sooner, the machine is only busy.
const FAR_TOO_LATE: Duration = Duration::from_secs(1);

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

    /// How long to sleep until there is something to see, and the running time there will be then.
    /// Nothing while the clock stands still.
    fn slice(&self, now: Instant, limit: Duration) -> Option<(Duration, Duration)> {
        if self.held_since.is_some() || self.finished.is_some() {
            return None;
        }
        let spent = self.spent(now);
        let slice = limit.saturating_sub(spent).min(SLICE);
        Some((slice, spent + slice))
    }

    /// Leaves out what was spent since `expected` was, if that is too much to have been running.
    fn leave_out(&mut self, now: Instant, expected: Duration) {
        let excess = self.spent(now).saturating_sub(expected);
        if excess > FAR_TOO_LATE && self.finished.is_none() {
            self.excluded += excess;
        }
    }
}

/// What a clock reads at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Running time used.
    pub spent: Duration,
    /// Time left out because somebody was deciding, or because this process could not run.
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

    /// Waits until the running time is used up, and meanwhile leaves out the time in which this
    /// process was stopped. Losing this future loses nothing.
    pub async fn exhausted(&self) {
        let mut changed = self.0.changed.subscribe();
        loop {
            changed.borrow_and_update();
            let slice = {
                let (state, now) = (self.state(), Instant::now());
                if state.spent(now) >= self.0.limit {
                    return;
                }
                state.slice(now, self.0.limit).map(|(length, spent)| (now + length, spent))
            };
            let Some((wake, expected)) = slice else {
                // The sender lives in `self`, so this cannot be an error.
                let _ = changed.changed().await;
                continue;
            };
            tokio::select! {
                () = sleep_until(wake) => {}
                _ = changed.changed() => {}
            }
            // In the running time itself, so that what a hold left out is not left out twice.
            self.state().leave_out(Instant::now(), expected);
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

    /// As a stop of the process does it: no timer fires meanwhile, and all are late after it.
    async fn stopped_for(time: Duration) {
        // Whoever waits has begun to.
        tokio::task::yield_now().await;
        advance(time).await;
        tokio::task::yield_now().await;
    }

    #[tokio::test(start_paused = true)]
    async fn time_in_which_this_process_was_stopped_is_left_out() {
        let budget = Budget::start(5 * SECOND);
        let clock = budget.clone();
        let waiting = tokio::spawn(async move { clock.exhausted().await });
        for _ in 0..3 {
            stopped_for(3600 * SECOND).await;
        }
        assert!(!waiting.is_finished());
        let read = budget.read();
        assert_eq!((read.spent, read.spent + read.excluded), (3 * SLICE, 3 * 3600 * SECOND));
        assert!(timeout(4 * SECOND, waiting).await.is_ok());
        assert_eq!(budget.read().spent, 5 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_machine_that_is_only_busy_stops_no_clock() {
        let budget = Budget::start(5 * SECOND);
        let clock = budget.clone();
        let waiting = tokio::spawn(async move { clock.exhausted().await });
        for _ in 0..5 {
            stopped_for(SLICE + FAR_TOO_LATE / 2).await;
        }
        assert!(waiting.is_finished());
        assert_eq!(budget.read().excluded, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_under_an_open_question_is_left_out_once() {
        let budget = Budget::start(5 * SECOND);
        let clock = budget.clone();
        let waiting = tokio::spawn(async move { clock.exhausted().await });
        stopped_for(SLICE).await;
        let hold = budget.hold();
        stopped_for(3600 * SECOND).await;
        drop(hold);
        stopped_for(SLICE).await;
        assert!(!waiting.is_finished());
        let read = budget.read();
        assert_eq!((read.spent, read.excluded), (2 * SLICE, 3600 * SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_wakes_for_a_clock_that_stands_still() {
        let budget = Budget::start(5 * SECOND);
        let _hold = budget.hold();
        let polls = Arc::new(Mutex::new(0));
        let (clock, counted) = (budget.clone(), polls.clone());
        let waiting = tokio::spawn(async move {
            let mut waiting = std::pin::pin!(clock.exhausted());
            let poll = |cx: &mut std::task::Context<'_>| {
                *counted.lock().unwrap() += 1;
                waiting.as_mut().poll(cx)
            };
            std::future::poll_fn(poll).await;
        });
        stopped_for(3600 * SECOND).await;
        assert_eq!(*polls.lock().unwrap(), 1);
        waiting.abort();
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
