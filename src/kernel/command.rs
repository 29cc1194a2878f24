//! What someone wants, in the imperative: the only thing a screen can do.

use std::path::PathBuf;

use super::{
    gate::{approval::Answer, law::Cited},
    id::{ApprovalId, CallId, SessionId},
    message::Words,
    port::Trusting,
    signal::Extent,
    spec::Mode,
};

/// What someone wants of the host. What comes of it is seen as events.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Say something to a session: now if it is idle, else when its exchange has ended.
    Send { session: SessionId, words: Words },
    /// Say something to a session before the next request of the exchange that goes on in it: what the
    /// model is at now is not cut off. Where none goes on, it is said now.
    Steer { session: SessionId, words: Words },
    /// Take the last of these words back that a session has not been told yet. Refused if there are none.
    TakeBack { session: SessionId, text: String },
    /// Run Python in a session by hand: a person's own call, through the same gate as its model's. Its
    /// model is told of it with its next request. Interrupting the session stops it as well.
    Run { session: SessionId, code: String },
    /// Answer a question.
    Answer { approval: ApprovalId, answer: Answer },
    /// Stop what a session's model is doing; agents below it go on.
    Interrupt { session: SessionId },
    /// Stop an agent for good: it is over then. The one above it is told. A session that no agent
    /// started is interrupted instead, and goes on to be there.
    Cancel { session: SessionId, extent: Extent },
    /// Change what a session may do without asking.
    SetMode { session: SessionId, mode: Mode },
    /// Take back a yes for a session, named by the question it was the answer to. The next such call
    /// asks.
    Revoke { grant: ApprovalId },
    /// Read the files with rules anew, since somebody has changed one.
    ReadRules,
    /// Take a rule out of the person's own rules, as decisions name it. It is told in the journal of
    /// that session.
    RevokeSaved { session: SessionId, rule: Cited },
    /// Judge the rules of a project, as the text that was shown.
    Judge { project: PathBuf, text: String, said: Trusting },
    /// Take back what these calls of a session, or of an agent below it, wrote, as far as nothing
    /// changed it since.
    Undo { session: SessionId, calls: Vec<CallId> },
    /// Begin a new session here as a copy of that one, up to before that message, counted from 1, or all
    /// of it. Nothing that was allowed there is allowed in it.
    Fork { session: SessionId, before: Option<usize> },
    /// Go back in a session that rests to before that message, counted from 1: the conversation, and the
    /// files as far as nothing changed them since.
    Rewind { session: SessionId, before: usize },
    /// Tell of a session that does not run here, and of the agents below it: what happened in it so far,
    /// and what does. Nothing is written.
    Watch { session: SessionId },
    /// Tell no more of it, and wait no more for it to be let go.
    Unwatch { session: SessionId },
    /// Delete a session that runs nowhere, with the agents below it, for good.
    Delete { session: SessionId },
    /// Give a session another name.
    Rename { session: SessionId, name: String },
}
