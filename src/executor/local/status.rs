//! How a program ended, in the words of the journal.

use super::sealed::How;
use crate::{
    executor::bridge::Seen,
    kernel::event::{Exceeded, ExitStatus},
};

/// The signal to a process that used up its processor time.
const XCPU: i32 = rustix::process::Signal::XCPU.as_raw();

/// How a program ended. For Python, uv stands between, so its own word is asked as well.
pub(super) fn exit_status(how: How, seen: Option<Seen>, stderr: &str, sealed: bool) -> ExitStatus {
    let signalled = |signal| match signal {
        // What the limit of one process sends.
        XCPU if sealed => ExitStatus::OverLimit { limit: Exceeded::Cpu },
        signal => ExitStatus::Signalled { signal },
    };
    let code = match how {
        How::Exited(code) => code,
        How::Signalled(signal) => return signalled(signal),
        How::Over(limit) => return ExitStatus::OverLimit { limit },
        How::Fault(fault) => {
            return ExitStatus::NotStarted {
                message: format!(
                    "It was not run, since it could not be sealed: {fault}.\nSee that there is room and \
                 that its folder is there; or have it run open, which is asked for."
                ),
            };
        }
    };
    match seen {
        Some(Seen { up: false, .. }) if code != 0 => ExitStatus::NotStarted {
            message: format!(
                "Python did not start: {}\nRun it again; if that does not help, remove the folders \
                 \"python\" and \"uv\" in footplate's data folder, and they are made anew.",
                stderr.trim().lines().last().unwrap_or("uv said nothing")
            ),
        },
        Some(Seen { leaving: false, .. }) if (129..=192).contains(&code) => signalled(code - 128),
        Some(_) | None => ExitStatus::Exited { code },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_by_a_limit_of_processor_time_is_no_other_signal() {
        let by_signal = Some(Seen { up: true, leaving: false });
        let by_itself = Some(Seen { up: true, leaving: true });
        let over = ExitStatus::OverLimit { limit: Exceeded::Cpu };
        for (how, seen, sealed, expected) in [
            (How::Signalled(XCPU), None, true, over.clone()),
            (How::Exited(128 + XCPU), by_signal, true, over),
            (How::Exited(128 + XCPU), by_itself, true, ExitStatus::Exited { code: 128 + XCPU }),
            // What is open has no such limit of ours.
            (How::Signalled(XCPU), None, false, ExitStatus::Signalled { signal: XCPU }),
            (How::Exited(128 + 9), by_signal, true, ExitStatus::Signalled { signal: 9 }),
        ] {
            assert_eq!(exit_status(how.clone(), seen, "", sealed), expected, "{how:?} {seen:?}");
        }
    }
}
