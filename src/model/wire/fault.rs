//! What went wrong between us and a provider, in words for a person.

use std::{error::Error, fmt, time::Duration};

use reqwest::{StatusCode, Url};
use serde_json::Value;

use super::{Told, stream::Broken};
use crate::{kernel::port::Refused, model::text::line};

/// One line what, one line what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::model) struct Fault {
    pub(in crate::model) what: String,
    pub(in crate::model) hint: String,
}

impl Fault {
    pub(super) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.what, self.hint)
    }
}

/// A try that gave no answer.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) fault: Fault,
    /// The same in a few words, where another try is made.
    pub(super) brief: String,
    /// Whether another try may have more luck.
    pub(super) may_pass: bool,
    /// How long the provider asks us to wait.
    pub(super) retry_after: Option<Duration>,
    /// Whether less would have been taken.
    pub(super) refused: Refused,
}

const AGAIN: &str = "Send the message again.";
const CUT_OFF: &str = "the answer was cut off";

impl Trouble {
    fn lasting(what: String, hint: impl Into<String>) -> Self {
        Self {
            fault: Fault::new(what, hint),
            brief: String::new(),
            may_pass: false,
            retry_after: None,
            refused: Refused::Otherwise,
        }
    }

    fn passing(brief: impl Into<String>, what: String, hint: impl Into<String>) -> Self {
        Self { may_pass: true, brief: brief.into(), ..Self::lasting(what, hint) }
    }

    /// More was sent than the model takes.
    fn too_long(what: String) -> Self {
        let hint = "Send less at once, or begin a new session.";
        Self { refused: Refused::TooLong, ..Self::lasting(what, hint) }
    }

    /// It was shown a picture, and takes none.
    fn no_pictures(what: String, provider: &str) -> Self {
        let hint = format!(
            "If its model takes no pictures, set pictures = false in [providers.{provider}] of \
             config.toml, or choose another model; /rewind goes back to before the picture."
        );
        Self::lasting(what, hint)
    }

    /// Nobody answers there.
    pub(super) fn unreachable(provider: &str, url: &Url, error: &reqwest::Error) -> Self {
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        Self::passing(
            "no connection",
            format!("Cannot reach {provider} at {host}{port}: {}.", cause(error)),
            "Check the network, that the server runs, and base_url in config.toml.",
        )
    }

    /// Nothing came for so long.
    pub(super) fn silent(provider: &str, waited: Duration) -> Self {
        // What took so long once will again.
        Self::lasting(format!("{provider} was silent for {} s.", waited.as_secs()), AGAIN)
    }

    /// The stream ended without an end.
    pub(super) fn ended(provider: &str) -> Self {
        let what = format!("The answer of {provider} was cut off; nothing of it was run.");
        Self::passing(CUT_OFF, what, AGAIN)
    }

    /// The stream could not be read on.
    pub(super) fn broken(provider: &str, broken: &Broken) -> Self {
        let what =
            format!("The answer of {provider} was cut off: {broken}; nothing of it was run.");
        match broken {
            Broken::Transport(_) => Self::passing(CUT_OFF, what, AGAIN),
            Broken::TooLong | Broken::NotText | Broken::NotEvents => Self::lasting(what, AGAIN),
        }
    }

    /// A line of the stream made no sense.
    pub(super) fn garbled(provider: &str) -> Self {
        Self::lasting(
            format!("The answer of {provider} was garbled; nothing of it was run."),
            AGAIN,
        )
    }

    /// Something else came than a stream.
    pub(super) fn no_stream(provider: &str, kind: &str) -> Self {
        Self::lasting(
            format!("{provider} answered with {} in place of a stream.", line(kind)),
            "Check base_url in config.toml: it may lead to a web page or a proxy.",
        )
    }

    /// The provider told of a fault inside the stream.
    pub(super) fn told(provider: &str, told: &Told) -> Self {
        let what = format!("{provider} failed while it answered: {}.", sentence(&told.message));
        let passes = ["overloaded", "rate_limit", "api_error", "server_error", "timeout"];
        match passes.iter().find(|kind| told.kind.contains(**kind)) {
            Some(kind) => {
                let brief = kind.replace('_', " ");
                Self::passing(brief, what, "Wait a little, then send the message again.")
            }
            None => Self::lasting(what, AGAIN),
        }
    }

    /// The provider refused the request.
    pub(super) fn refused(
        provider: &str,
        key_env: Option<&str>,
        status: StatusCode,
        body: &[u8],
    ) -> Self {
        let (kind, said) = message(body);
        let code = status.as_u16();
        let because = match said.is_empty() {
            true => String::new(),
            false => format!(": {}", sentence(&said)),
        };
        let key = key_env.unwrap_or("the key");
        // The one that has no name of its own is what Anthropic says when it is overloaded.
        let reason =
            status.canonical_reason().unwrap_or(if code == 529 { "overloaded" } else { "" });
        let brief = format!("{code} {}", reason.to_lowercase()).trim_end().to_owned();
        match code {
            400 | 404 | 415 | 422 | 500 | 501 if is_about_pictures(&said) => Self::no_pictures(
                format!("{provider} refused the request ({code}){because}."),
                provider,
            ),
            401 | 403 => Self::lasting(
                format!("{provider} refused the key ({code}){because}."),
                format!("Check {key}."),
            ),
            402 => Self::lasting(
                format!("{provider} wants to be paid first ({code}){because}."),
                format!("Look at the account of {key}."),
            ),
            404 => Self::lasting(
                format!("{provider} does not know what was asked for ({code}){because}."),
                "Check the name of the model, and base_url.",
            ),
            429 if kind.contains("quota") => Self::lasting(
                format!("The quota at {provider} is used up ({code}){because}."),
                format!("Look at the account of {key}."),
            ),
            429 => Self::passing(
                brief,
                format!("{provider} takes no more requests just now ({code}){because}."),
                "Wait a little, then send the message again.",
            ),
            300..=399 => Self::lasting(
                format!("{provider} has moved to another address ({code})."),
                "Set base_url to the address it has now.",
            ),
            408 | 409 | 500..=599 => Self::passing(
                brief,
                format!("{provider} has trouble ({code}){because}."),
                "Wait a little, then send the message again.",
            ),
            413 => Self::too_long(format!("{provider} refused the request ({code}){because}.")),
            400 if is_too_long(&kind, &said) => {
                Self::too_long(format!("{provider} refused the request ({code}){because}."))
            }
            _ => Self::lasting(
                format!("{provider} refused the request ({code}){because}."),
                "If it is too long, begin a new session; else check the model and base_url.",
            ),
        }
    }
}

/// Whether a refusal is for a picture, which no provider has a code for.
fn is_about_pictures(said: &str) -> bool {
    let said = line(said).to_ascii_lowercase();
    ["image", "multimodal", "support vision"].iter().any(|word| said.contains(word))
}

/// Whether a refusal is for length: by the code that OpenAI and llama.cpp give it, or by the words of
/// Anthropic, Gemini and vLLM, which have no code of its own.
fn is_too_long(kind: &str, said: &str) -> bool {
    let codes = ["context_length_exceeded", "exceed_context_size"];
    let said = line(said).to_ascii_lowercase();
    let words = [
        "prompt is too long",
        "exceed context limit",
        "maximum context length",
        "input token count",
        "exceeds the maximum number of tokens",
    ];
    codes.iter().any(|code| kind.contains(code)) || words.iter().any(|words| said.contains(words))
}

/// Kind and message of an error body, whatever of them there is.
fn message(body: &[u8]) -> (String, String) {
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return Default::default();
    };
    // Some servers wrap the error in a list.
    let body = body.get(0).unwrap_or(&body);
    let error = body.get("error").unwrap_or(body);
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let said = error.as_str().unwrap_or_else(|| text("message"));
    (format!("{} {}", text("type"), text("code")), said.to_owned())
}

/// A provider's words as part of one of our sentences.
fn sentence(words: &str) -> String {
    line(words).trim_end_matches('.').to_owned()
}

/// The innermost reason of an error: the outer ones repeat the address.
pub(super) fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    // An error without a cause would name the address, which may hold a password.
    match std::ptr::addr_eq(cause, error) {
        true => "the request failed".to_owned(),
        false => line(&cause.to_string()),
    }
}
