//! When to draw: asked for any number of times, drawn at most as often as the eye can use.
//!
//! Pure: instants come in, nothing is waited for here.

use std::time::Duration;

use tokio::time::Instant;

/// How soon a change has to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// A key, a click, a question: at once.
    Key,
    /// Another size of the window: at most 60 draws a second, however fast it is pulled.
    Size,
    /// What is looked at is being read: when it is there, or a little later.
    Read,
    /// Streaming text: at most 30 draws a second.
    Stream,
    /// A program's output: at most 10 draws a second.
    Output,
}

impl Pace {
    fn gap(self) -> Duration {
        match self {
            Self::Key | Self::Read => Duration::ZERO,
            Self::Size => Duration::from_nanos(1_000_000_000 / 60),
            Self::Stream => Duration::from_nanos(1_000_000_000 / 30),
            Self::Output => Duration::from_millis(100),
        }
    }

    /// How long a frame waits in any case.
    fn wait(self) -> Duration {
        match self {
            Self::Read => Duration::from_millis(50),
            Self::Key | Self::Size | Self::Stream | Self::Output => Duration::ZERO,
        }
    }
}

/// Gathers requests for a frame into the draws that are worth making. At rest it asks for none.
#[derive(Debug, Default)]
pub struct FrameClock {
    last: Option<Instant>,
    deadline: Option<Instant>,
}

impl FrameClock {
    /// Wants a frame; a request already waiting for an earlier one is kept.
    pub fn request(&mut self, pace: Pace, now: Instant) {
        let soonest = now + pace.wait();
        let earliest = self.last.map_or(soonest, |last| (last + pace.gap()).max(soonest));
        self.deadline = Some(self.deadline.map_or(earliest, |waiting| waiting.min(earliest)));
    }

    /// Whether a frame is to be drawn now.
    pub fn due(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// When to look again; none while nothing has changed.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// A frame was drawn: it answers every request so far.
    pub fn drawn(&mut self, now: Instant) {
        self.last = Some(now);
        self.deadline = None;
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    /// Requests at these milliseconds; the milliseconds at which frames are drawn.
    fn check(requests: &[(u64, Pace)], expected: &[u64]) {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut clock = FrameClock::default();
        let mut drawn = Vec::new();
        let mut requests = requests.iter().peekable();
        for ms in 0..400 {
            while let Some((_, pace)) = requests.next_if(|(when, _)| *when == ms) {
                clock.request(*pace, at(ms));
            }
            if clock.due(at(ms)) {
                clock.drawn(at(ms));
                drawn.push(ms);
            }
        }
        assert_eq!(clock.next_deadline(), None);
        assert_eq!(drawn, expected);
    }

    #[test]
    fn a_screen_at_rest_is_never_due() {
        check(&[], &[]);
    }

    #[test]
    fn the_first_frame_comes_at_once() {
        check(&[(0, Pace::Stream)], &[0]);
        check(&[(7, Pace::Output)], &[7]);
    }

    #[test]
    fn a_key_does_not_wait() {
        check(&[(0, Pace::Stream), (1, Pace::Key), (2, Pace::Key)], &[0, 1, 2]);
        check(&[(0, Pace::Stream), (1, Pace::Output), (2, Pace::Key)], &[0, 2]);
    }

    #[test]
    fn a_frame_waits_a_little_for_what_is_read() {
        check(&[(0, Pace::Key), (5, Pace::Read), (9, Pace::Key)], &[0, 9]);
        check(&[(0, Pace::Key), (5, Pace::Read)], &[0, 55]);
    }

    #[test]
    fn the_faster_of_two_requests_counts() {
        check(&[(0, Pace::Output), (1, Pace::Output), (2, Pace::Stream)], &[0, 34]);
        check(&[(0, Pace::Output), (1, Pace::Stream), (2, Pace::Output)], &[0, 34]);
    }

    #[test]
    fn a_storm_of_sizes_is_drawn_sixty_times_a_second_and_the_last_one_for_sure() {
        let storm: Vec<_> = (0..100).map(|ms| (ms, Pace::Size)).collect();
        check(&storm, &[0, 17, 34, 51, 68, 85, 102]);
        check(&[(0, Pace::Size), (1, Pace::Size), (2, Pace::Key)], &[0, 2]);
    }

    #[test]
    fn streaming_draws_thirty_times_a_second_and_output_ten() {
        let each_ms = |pace| (0..400).map(|ms| (ms, pace)).collect::<Vec<_>>();
        check(&each_ms(Pace::Stream)[..300], &(0..10).map(|n| n * 34).collect::<Vec<_>>());
        check(&each_ms(Pace::Output)[..300], &[0, 100, 200, 300]);
    }
}
