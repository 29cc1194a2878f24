//! How long the end of a run may take.

use std::time::Duration;

/// How long others may take to end a run by themselves, in time in which this process could run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From the soft signal to the hard one, when somebody stops a run.
    pub stopped: Duration,
    /// The same when the running time is used up.
    pub timed_out: Duration,
    /// Until nothing is left of what was killed.
    pub gone: Duration,
}

impl Default for Patience {
    /// With all of it, a run is gone within two seconds or little more.
    fn default() -> Self {
        Self {
            stopped: Duration::from_millis(1400),
            timed_out: Duration::from_millis(500),
            gone: Duration::from_millis(1500),
        }
    }
}
