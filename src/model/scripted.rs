//! A script that plays a model: for the tour, for demonstrations and for tests. It keeps no place:
//! the request says which turn it is, so a resumed session goes on where it was.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use serde_json::Value;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::text::clean;
use crate::kernel::{
    event::Stop,
    message::Usage,
    port::{Delta, Model, ModelError, ModelRequest, Purpose, USUAL_WINDOW},
};

/// How fast a script speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As fast as it is read, in small pieces.
    Instant,
    /// About as fast as a model writes.
    Live,
}

impl Pace {
    /// The time from one word to the next.
    fn step(self) -> Duration {
        match self {
            Self::Instant => Duration::ZERO,
            Self::Live => Duration::from_millis(16),
        }
    }
}

/// What to say and call, turn by turn.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    turns: Vec<Turn>,
    /// What it says where a conversation has grown too long; without it that fails.
    #[serde(default)]
    summary: Option<String>,
    /// How many tokens it takes in one request.
    #[serde(default)]
    context_tokens: Option<u64>,
    #[serde(default)]
    agents: BTreeMap<String, Part>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    turns: Vec<Turn>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Turn {
    /// What it thinks first.
    thinking: String,
    text: String,
    /// Time to read the text before the calls come, where the script is played live.
    pause_ms: u64,
    calls: Vec<ScriptedCall>,
    usage: ScriptedUsage,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    name: String,
    /// A text is sent exactly as it stands, so that broken arguments can be played too.
    #[serde(default)]
    arguments: Value,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScriptedUsage {
    input: u64,
    output: u64,
}

/// Why a script cannot be played. `Display` says where and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("cannot read the script {path}: {source}\ncheck the path after \"scripted:\"")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no script.
    #[error(
        "{path}:{line}:{column}: {fault}\na script is {{\"turns\": [{{\"text\": …, \"calls\": [{{\"name\": …, \"arguments\": …}}]}}], \"agents\": {{…}}}}"
    )]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The byte in the line, from 1.
        column: usize,
        /// What is wrong.
        fault: String,
    },
}

impl Script {
    /// Reads a script from a file. Blocks meanwhile.
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    /// Reads a script from the text of the file `path`. A word it does not know is an error.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ScriptError> {
        serde_json::from_str(text).map_err(|error| {
            let fault = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            ScriptError::Wrong {
                path: path.to_owned(),
                line: error.line(),
                column: error.column(),
                fault: fault.strip_suffix(&place).unwrap_or(&fault).to_owned(),
            }
        })
    }

    /// The answer to a request.
    fn turn(&self, request: &ModelRequest) -> Turn {
        if request.purpose == Purpose::Summary {
            return says(self.summary.clone().unwrap_or_default());
        }
        let turns = match (self.part(&request.agent), request.parent) {
            (Some(part), _) => &part.turns,
            (None, None) => &self.turns,
            (None, Some(_)) => {
                return says(format!("The script has no part for the agent {:?}.", request.agent));
            }
        };
        turns.get(request.turn).cloned().unwrap_or_else(|| {
            says("The script has ended: it has no more turns to play.".to_owned())
        })
    }

    /// The part of an agent. The second one of a name, `tester-2`, plays the part of the first.
    fn part(&self, agent: &str) -> Option<&Part> {
        self.agents.get(agent).or_else(|| {
            let (name, number) = agent.rsplit_once('-')?;
            number.parse::<u32>().ok()?;
            self.agents.get(name)
        })
    }
}

fn says(text: String) -> Turn {
    Turn { text, ..Turn::default() }
}

/// Plays a [`Script`].
pub struct Scripted {
    script: Script,
    pace: Pace,
}

impl Scripted {
    /// Plays `script` at that pace.
    pub fn new(script: Script, pace: Pace) -> Self {
        Self { script, pace }
    }
}

impl Model for Scripted {
    fn respond(&self, request: ModelRequest) -> mpsc::Receiver<Result<Delta, ModelError>> {
        let turn = self.script.turn(&request);
        let number = request.turn;
        let step = self.pace.step();
        let (deltas, receiver) = mpsc::channel(64);
        // Ends with its receiver: every send fails once that is dropped.
        tokio::spawn(async move {
            let mut due = Instant::now();
            let pieces = |text: &str, delta: fn(String) -> Delta| {
                let pieces = text.split_inclusive(char::is_whitespace);
                pieces.map(|piece| delta(clean(piece))).collect::<Vec<_>>()
            };
            let thinking = pieces(&turn.thinking, Delta::Thinking);
            for piece in thinking.into_iter().chain(pieces(&turn.text, Delta::Text)) {
                if deltas.send(Ok(piece)).await.is_err() {
                    return;
                }
                if step > Duration::ZERO {
                    due += step;
                    sleep_until(due).await;
                }
            }
            if step > Duration::ZERO {
                sleep_until(due + Duration::from_millis(turn.pause_ms)).await;
            }
            let stop = if turn.calls.is_empty() { Stop::End } else { Stop::Calls };
            for (index, call) in turn.calls.into_iter().enumerate() {
                let call = Delta::Call {
                    provider_id: format!("script-{number}-{index}"),
                    name: clean(&call.name),
                    arguments: arguments(call.arguments),
                };
                if deltas.send(Ok(call)).await.is_err() {
                    return;
                }
            }
            let usage =
                Usage { input: turn.usage.input, output: turn.usage.output, ..Usage::default() };
            // Nobody there any more is no fault.
            let _ = deltas.send(Ok(Delta::Finished { stop, usage })).await;
        });
        receiver
    }

    fn window(&self) -> u64 {
        self.script.context_tokens.unwrap_or(USUAL_WINDOW)
    }
}

fn arguments(value: Value) -> String {
    match value {
        Value::Null => "{}".to_owned(),
        Value::String(text) => text,
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            other.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    fn script(value: Value) -> Script {
        Script::parse(Path::new("s.json"), &value.to_string()).unwrap()
    }

    async fn play(script: &Script, pace: Pace, request: ModelRequest) -> Vec<Delta> {
        let mut receiver = Scripted::new(script.clone(), pace).respond(request);
        let mut deltas = Vec::new();
        while let Some(delta) = receiver.recv().await {
            deltas.push(delta.unwrap());
        }
        deltas
    }

    fn text(deltas: &[Delta]) -> String {
        let pieces = deltas.iter().filter_map(|delta| match delta {
            Delta::Text(text) => Some(text.as_str()),
            Delta::Delayed(_)
            | Delta::Thinking(_)
            | Delta::Thought(_)
            | Delta::Call { .. }
            | Delta::Finished { .. } => None,
        });
        pieces.collect()
    }

    #[tokio::test]
    async fn a_turn_streams_what_it_thinks_and_its_text_then_its_calls_then_its_end() {
        let script = script(json!({"turns": [{
            "thinking": "hm",
            "text": "two words",
            "calls": [{"name": "a", "arguments": {"x": 1}}, {"name": "b", "arguments": "{half"}],
            "usage": {"input": 10, "output": 5},
        }]}));
        let call = |id: &str, name: &str, arguments: &str| Delta::Call {
            provider_id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        assert_eq!(
            play(&script, Pace::Instant, ModelRequest::default()).await,
            vec![
                Delta::Thinking("hm".to_owned()),
                Delta::Text("two ".to_owned()),
                Delta::Text("words".to_owned()),
                call("script-0-0", "a", r#"{"x":1}"#),
                call("script-0-1", "b", "{half"),
                Delta::Finished {
                    stop: Stop::Calls,
                    usage: Usage { input: 10, output: 5, ..Usage::default() }
                },
            ]
        );
    }

    #[tokio::test]
    async fn the_request_picks_the_part_and_the_turn() {
        let script = script(json!({
            "turns": [{"text": "root 0"}, {"text": "root 1"}],
            "agents": {"tester": {"turns": [{"text": "tester 0"}]}},
        }));
        let says = async |agent: &str, parent: Option<u128>, turn: usize| {
            let request = ModelRequest {
                agent: agent.to_owned(),
                parent: parent.map(Into::into),
                turn,
                ..ModelRequest::default()
            };
            text(&play(&script, Pace::Instant, request).await)
        };
        assert_eq!(says("session", None, 1).await, "root 1");
        assert_eq!(says("tester", Some(1), 0).await, "tester 0");
        assert_eq!(says("tester-2", Some(1), 0).await, "tester 0");
        assert_eq!(
            says("other", Some(1), 0).await,
            "The script has no part for the agent \"other\"."
        );
        assert_eq!(
            says("session", None, 2).await,
            "The script has ended: it has no more turns to play."
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_live_pace_is_that_of_a_fast_reader() {
        let script = script(json!({"turns": [{"text": "word ".repeat(60)}]}));
        let begun = Instant::now();
        play(&script, Pace::Live, ModelRequest::default()).await;
        let taken = begun.elapsed();
        assert!((900..1100).contains(&taken.as_millis()), "{taken:?}");
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let error =
            Script::parse(Path::new("s.json"), "{\"turns\": [\n  {\"txt\": \"x\"}]}").unwrap_err();
        let told = error.to_string();
        assert!(
            told.starts_with("s.json:2:8: unknown field `txt`, expected one of `thinking`, `text`"),
            "{told}"
        );
        let error = Script::read(Path::new("/nowhere/s.json")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the script /nowhere/s.json: "), "{error}");
    }

    #[test]
    fn the_tour_is_a_script() {
        let tour = Script::parse(Path::new("tour"), crate::model::TOUR).unwrap();
        assert!(!tour.turns.is_empty());
        let parts: Vec<_> = tour.agents.keys().map(String::as_str).collect();
        assert_eq!(parts, ["reader", "scribe"]);
    }
}
