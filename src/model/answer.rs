//! What a stream adds up to: the rules by which an answer counts, the same for all wire formats.

use serde_json::Value;

use super::{
    text::{clean, line},
    thought::Thinking,
};
use crate::kernel::{event::Stop, id::CallId, message::Usage, port::Delta};

/// The most calls of one answer that are taken.
const MOST_CALLS: usize = 256;

/// An answer while it is read.
#[derive(Debug, Default)]
pub(super) struct Answer {
    calls: Vec<PartialCall>,
    /// What was thought.
    pub(super) thinking: Thinking,
    /// How the stream says the model ended, once it does.
    pub(super) ending: Option<Ending>,
    /// What it used, as far as told.
    pub(super) usage: Usage,
}

/// A call that may still be arriving.
#[derive(Debug, Default)]
pub(super) struct PartialCall {
    /// The format's own number for it.
    pub(super) index: u64,
    /// The provider's name for it.
    pub(super) provider_id: String,
    /// The tool.
    pub(super) name: String,
    /// The arguments so far.
    pub(super) arguments: String,
    /// Whether nothing more belongs to it.
    pub(super) closed: bool,
}

/// How a model ended, in the provider's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It said all it wanted, calls included.
    Whole,
    /// At its limit of length.
    Length,
    /// The provider held the answer back.
    Refused,
    /// A reason of which this program knows nothing.
    Unknown(String),
}

impl Answer {
    /// Whether any call began.
    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// How many calls began.
    pub(super) fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Begins a call. More than any answer has are refused by making it count as cut off.
    pub(super) fn begin(&mut self, call: PartialCall) {
        if self.calls.len() < MOST_CALLS {
            self.calls.push(call);
        } else if let Some(last) = self.calls.last_mut() {
            last.closed = false;
            last.arguments.clear();
            last.name.clear();
        }
    }

    /// The call of that index that began last.
    pub(super) fn call(&mut self, index: u64) -> Option<&mut PartialCall> {
        self.calls.iter_mut().rev().find(|call| call.index == index)
    }

    /// The call that began last.
    pub(super) fn last_call(&mut self) -> Option<&mut PartialCall> {
        self.calls.last_mut()
    }

    /// Says that nothing more belongs to any call.
    pub(super) fn close_calls(&mut self) {
        for call in &mut self.calls {
            call.closed = true;
        }
    }

    /// What the answer amounts to, now that the stream has ended: the calls, if they count, and
    /// the end.
    pub(super) fn finish(self) -> Vec<Delta> {
        let usage = self.usage;
        let stopped = |stop| vec![Delta::Finished { stop, usage }];
        let failed = |message: String| stopped(Stop::Failed { message });
        match &self.ending {
            None => return failed(cut_off()),
            Some(Ending::Length) => return stopped(Stop::Length),
            Some(Ending::Refused) => {
                return failed(
                    "The provider held the answer back for its content.\nSay it in other words."
                        .to_owned(),
                );
            }
            Some(Ending::Unknown(reason)) if !self.calls.is_empty() => {
                return failed(format!(
                    "The answer ended for a reason that is not known, {:?}, so its calls were \
                     not made.\nSend the message again.",
                    line(reason)
                ));
            }
            Some(Ending::Unknown(_) | Ending::Whole) => {}
        }
        if !self.calls.iter().all(PartialCall::is_whole) {
            return failed(cut_off());
        }
        let stop = if self.calls.is_empty() { Stop::End } else { Stop::Calls };
        let thoughts = if stop == Stop::Calls { self.thinking.finish() } else { Vec::new() };
        let mut deltas: Vec<_> = thoughts.into_iter().map(Delta::Thought).collect();
        let mut seen = Vec::with_capacity(self.calls.len());
        deltas.extend(self.calls.into_iter().map(|call| {
            let mut provider_id = clean(&call.provider_id);
            // A result finds its call by this name, so there must be one, and only once.
            if provider_id.is_empty() || seen.contains(&provider_id) {
                provider_id = format!("call_{}", CallId::fresh().short());
            }
            seen.push(provider_id.clone());
            Delta::Call { provider_id, name: clean(&call.name), arguments: call.arguments }
        }));
        deltas.push(Delta::Finished { stop, usage });
        deltas
    }
}

impl PartialCall {
    fn is_whole(&self) -> bool {
        let arguments = self.arguments.trim();
        let parses = || serde_json::from_str::<&serde_json::value::RawValue>(arguments).is_ok();
        self.closed && !self.name.is_empty() && (arguments.is_empty() || parses())
    }
}

fn cut_off() -> String {
    "The answer was cut off before its end; nothing of it was run.\nSend the message again."
        .to_owned()
}

/// A number of tokens in a provider's message, 0 where there is none.
pub(super) fn tokens(usage: &Value, name: &str) -> u64 {
    usage.get(name).and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn call(arguments: &str) -> PartialCall {
        PartialCall {
            provider_id: "id".to_owned(),
            name: "run".to_owned(),
            arguments: arguments.to_owned(),
            closed: true,
            ..PartialCall::default()
        }
    }

    fn finish(ending: Option<Ending>, calls: Vec<PartialCall>) -> Vec<Delta> {
        Answer { calls, ending, ..Answer::default() }.finish()
    }

    fn runs(deltas: &[Delta]) -> usize {
        deltas.iter().filter(|delta| matches!(delta, Delta::Call { .. })).count()
    }

    #[test]
    fn a_call_counts_only_when_all_three_say_so() {
        #[track_caller]
        fn check(ending: Option<Ending>, call: PartialCall, expected: usize) {
            let told = format!("{ending:?} {call:?}");
            assert_eq!(runs(&finish(ending, vec![call])), expected, "{told}");
        }
        let whole = || Some(Ending::Whole);
        check(whole(), call("{\"a\": 1}"), 1);
        check(whole(), call(""), 1);
        check(whole(), call("{\"a\": 1"), 0);
        check(whole(), call("{} {}"), 0);
        check(whole(), PartialCall { closed: false, ..call("{}") }, 0);
        check(whole(), PartialCall { name: String::new(), ..call("{}") }, 0);
        check(None, call("{}"), 0);
        check(Some(Ending::Length), call("{}"), 0);
        check(Some(Ending::Refused), call("{}"), 0);
        check(Some(Ending::Unknown("new".to_owned())), call("{}"), 0);
    }

    #[test]
    fn one_half_call_keeps_its_whole_neighbours_from_running() {
        assert_eq!(runs(&finish(Some(Ending::Whole), vec![call("{}"), call("{")])), 0);
    }

    #[test]
    fn calls_without_a_name_of_their_own_get_one_each() {
        let deltas = finish(Some(Ending::Whole), vec![call("{}"), call("{}"), call("{}")]);
        let mut ids: Vec<_> = deltas
            .iter()
            .filter_map(|delta| match delta {
                Delta::Call { provider_id, .. } => Some(provider_id.clone()),
                Delta::Delayed(_)
                | Delta::Text(_)
                | Delta::Thinking(_)
                | Delta::Thought(_)
                | Delta::Finished { .. } => None,
            })
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 3);
    }

    #[test]
    fn an_unknown_ending_without_calls_is_an_end() {
        assert_eq!(
            finish(Some(Ending::Unknown("new".to_owned())), vec![]),
            vec![Delta::Finished { stop: Stop::End, usage: Usage::default() }]
        );
    }
}
