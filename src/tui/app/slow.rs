//! Tells the log of a loop that was not free for its next key.

use std::time::Duration;

use tokio::time::Instant;

/// A turn of the loop that takes longer than this is a fault, and is logged as one.
const SLOW: Duration = Duration::from_millis(50);

pub(super) fn slow(what: &str, since: Instant) {
    let took = since.elapsed();
    if took > SLOW {
        tracing::warn!(what, ms = took.as_millis(), "the screen was slow");
    }
}
