//! Waiting for something that should not take long. Only the time counts in which this process could
//! run: whoever was stopped, starved or asleep for seconds knows nothing of how long others took, for
//! they stood still as well.

use std::{pin::pin, time::Duration};

use tokio::time::{Instant, timeout};

/// The longest sleep at a time.
const SLICE: Duration = Duration::from_millis(100);

/// Waits for it, but no longer than that; nothing if it did not come. A sleep counts for as long as it
/// was to be, however late its end. Losing this future loses what it waits for.
pub async fn within<T>(limit: Duration, awaited: impl Future<Output = T>) -> Option<T> {
    let (mut awaited, mut left) = (pin!(awaited), limit);
    loop {
        let (slice, begun) = (left.min(SLICE), Instant::now());
        if let Ok(came) = timeout(slice, &mut awaited).await {
            return Some(came);
        }
        left -= slice;
        if left.is_zero() {
            // After a last sleep that was far too long, the others have had no time at all.
            let is_late = begun.elapsed() > slice + SLICE;
            return if is_late { timeout(SLICE, awaited).await.ok() } else { None };
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, sleep_until};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_comes_in_time_is_given_and_what_does_not_is_not_waited_for() {
        let begun = Instant::now();
        let after = |ms| async move {
            sleep_until(begun + Duration::from_millis(ms)).await;
            ms
        };
        let limit = Duration::from_millis(350);
        assert_eq!(within(limit, after(340)).await, Some(340));
        assert_eq!(within(limit, std::future::pending::<()>()).await, None);
        assert_eq!(begun.elapsed(), Duration::from_millis(340 + 350));
        assert_eq!(within(Duration::ZERO, std::future::ready(1)).await, Some(1));
        assert_eq!(within(Duration::ZERO, after(700)).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn time_in_which_nobody_could_run_is_no_time_of_those_that_are_waited_for() {
        let limit = Duration::from_millis(350);
        for stopped_after in [0, 340] {
            let begun = Instant::now();
            let stopped = async {
                sleep_until(begun + Duration::from_millis(stopped_after)).await;
                // All of it at once, as for a process that is stopped.
                advance(Duration::from_secs(60)).await;
                sleep_until(Instant::now() + Duration::from_millis(5)).await;
            };
            assert!(within(limit, stopped).await.is_some(), "{stopped_after}");
        }
    }
}
