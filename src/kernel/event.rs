//! What happened, in the past tense: the lines of a journal and the only news a screen gets.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    capability::Category,
    change::Change,
    gate::{
        approval::{Answer, Question},
        law::Cited,
        monitor::Doubt,
        subject::Subject,
    },
    id::{ApprovalId, CallId, SessionId, SignalId},
    invoke::ToolResult,
    message::{Delay, ModelCall, Thought, Usage},
    picture::Picture,
    port::{Aside, Form},
    signal::Signal,
    spec::{Mode, SessionSpec},
    todo::Item,
};

/// The version of the envelope that this program writes.
pub const VERSION: u32 = 1;

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// The version it was written in.
    pub v: u32,
    /// Its place in the session, from 0, without gaps.
    pub seq: u64,
    /// When it was appended.
    pub at: Timestamp,
    /// The session it belongs to.
    pub session: SessionId,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened. `type` names it on disk; a type this program does not know is kept and skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The first line of every journal.
    SessionStarted { spec: SessionSpec },
    /// Another process carried the session on; `notice` says what was lost or mended, if anything.
    SessionResumed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notice: Option<String>,
    },
    /// What stands before this was copied: from that session here, or from one that was brought in a
    /// file. Nothing that was allowed there is allowed here.
    SessionForked { from: SessionId, source: Source },
    /// The person gave it another name.
    SessionNamed { name: String },
    /// The conversation went back to before the message with this number. What came since stays in
    /// the journal, and the model is not told of it any more.
    ConversationRewound { to: u64 },
    /// The person (or the parent agent) said something.
    MessageSent {
        text: String,
        /// What they showed with it; the text names them where they belong.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
    },
    /// A request went to the model.
    TurnStarted { turn: u32, model: String },
    /// No answer to it has come yet, and the provider is asked again after a wait.
    AnswerDelayed(Delay),
    /// The model wrote; many small pieces are one event.
    TextStreamed { text: String },
    /// The model thought, apart from what it says; many small pieces are one event.
    ThinkingStreamed { text: String },
    /// The model's answer ended: what it asks for, what it used and why it stopped.
    TurnFinished {
        stop: Stop,
        usage: Usage,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ModelCall>,
        /// What goes back with its calls of what it thought.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        thoughts: Vec<Thought>,
    },
    /// The conversation is too long: its model is asked to sum up the first `summarised` messages.
    CompactionStarted { summarised: usize },
    /// The summary stands for the first `summarised` messages from here on. The journal has them all.
    ContextCompacted { summarised: usize, summary: String, usage: Usage },
    /// The session went idle: nothing more happens until somebody speaks.
    ExchangeFinished { outcome: Outcome },
    /// The gate let a call through, and it begins. From here on it may have taken effect.
    CallStarted {
        call: Call,
        category: Category,
        decision: Decision,
        /// What it acts on, where the gate looked at that.
        #[serde(default, skip_serializing_if = "Subject::is_other")]
        subject: Subject,
    },
    /// The monitor was asked about a call, and used this. Its word stands in the decision.
    CallJudged { call: CallId, usage: Usage },
    /// A question was put; the sandbox clocks named by the call's execution stand still.
    ApprovalRequested { question: Question },
    /// Somebody answered, or something did in their name.
    ApprovalAnswered {
        approval: ApprovalId,
        answer: Answer,
        by: Decider,
        waited_ms: u64,
        excluded_ms: u64,
    },
    /// Nobody waits for the answer any more.
    ApprovalWithdrawn { approval: ApprovalId, reason: String, waited_ms: u64, excluded_ms: u64 },
    /// A program began to run.
    ExecutionStarted {
        call: CallId,
        program: String,
        seal: Seal,
        /// By what the seal is held.
        #[serde(default, skip_serializing_if = "Form::is_none")]
        form: Form,
        limit_ms: u64,
    },
    /// There is more output: this many bytes and whole lines so far, in the call's spool.
    OutputWritten { call: CallId, bytes: u64, lines: u64 },
    /// What a run made that others obey, which it had not asked for, was moved away after its end.
    PutAside { call: CallId, things: Vec<Aside> },
    /// The program ended and nothing of it is left.
    ExecutionFinished { call: CallId, status: ExitStatus, ran_ms: u64, excluded_ms: u64 },
    /// What a call ran, or made, is a picture that people can be shown; its model was not shown it.
    PictureMade { call: CallId, picture: Picture },
    /// A call is about to change a file, and what stood there is kept if it could be. Whether it did
    /// is told by its result, or by the file.
    ChangeBegun { call: CallId, change: Change },
    /// A call has its result. `decision` stands here when the call never started.
    CallFinished {
        call: CallId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
        origin: Origin,
        result: ToolResult,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision: Option<Decision>,
    },
    /// The person chose another mode.
    ModeChanged { from: Mode, to: Mode },
    /// A standing yes was taken back: of a session, or out of the person's rules.
    RuleRevoked { rule: Cited },
    /// The call started an agent; the agent has a journal of its own.
    ChildStarted { call: CallId, child: SessionId, agent: String, task: String },
    /// The session says something to another, which may not have got it yet.
    SignalSent { signal: SignalId, to: SessionId, what: Signal },
    /// Another session said something; `agent` is its path. The model is told at its next request.
    SignalReceived { signal: SignalId, from: SessionId, agent: Vec<String>, what: Signal },
    /// What a signal says was the result of this call, so the model is not told again.
    SignalTaken { signal: SignalId, call: CallId },
    /// What the session means to do is this now, by that call.
    TodoChanged { call: CallId, items: Vec<Item> },
    /// The session is over and takes no more messages.
    SessionFinished { outcome: Outcome },
}

/// Where the beginning of a session was copied from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A session of this store.
    Here,
    /// A file, which anybody may have written.
    File,
}

/// Why a model stopped writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Stop {
    /// It had said all.
    End,
    /// It wants results of calls.
    Calls,
    /// It reached its own limit of length: what it said is cut off.
    Length,
    /// A person stopped it.
    Interrupted,
    /// The provider failed; `message` says how and what to do.
    Failed { message: String },
}

/// How an exchange or a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "result")]
pub enum Outcome {
    /// The model had no more to do.
    Done,
    /// A person stopped it, or the agent above it.
    Stopped,
    /// It could not go on; `message` says why and what to do.
    Failed { message: String },
    /// A limit was reached; `message` names it.
    Limit { message: String },
}

/// One call, with the exact input that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its name.
    pub id: CallId,
    /// The capability.
    pub name: String,
    /// The arguments.
    pub input: Value,
    /// Who called.
    pub origin: Origin,
    /// The call inside which it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<CallId>,
}

/// Who made a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum Origin {
    /// The model, directly.
    Model,
    /// Python that runs in an execution, or is about to; `line` of its script, where known.
    Python {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// A person, by hand.
    Person,
}

/// What the gate said to a call, and in whose name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Allowed or not.
    pub allowed: bool,
    /// Who or what decided.
    pub by: Decider,
    /// What the call would have done to the world, where it did not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
}

/// Who or what decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "who")]
pub enum Decider {
    /// The table of modes.
    Mode { mode: Mode },
    /// A standing yes of this session, in journals from before there were rules.
    Grant,
    /// A rule, of a file or of a yes in this session.
    Rule { rule: Box<Cited> },
    /// The monitor, which only ever says no.
    Monitor(Doubt),
    /// The person at the keys.
    Person,
    /// Nobody: it had to be asked, and nobody was there.
    Nobody,
    /// Nobody: it was asked, and the time for an answer ran out.
    Expiry,
    /// Nobody: an earlier run of the same script made it, and its result is the one from there.
    Record { run: SessionId },
}

/// What the sandbox of an execution lets it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seal {
    /// No sandbox: it can do what the person can.
    None,
    /// It computes and reads, and writes nothing but its own scratch folder.
    Sealed,
    /// It may also write the workspace, but nothing there that is obeyed without being told.
    Workspace,
    /// Left open although it could have been sealed: it can do what the person can.
    Open,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum ExitStatus {
    /// By itself, with this code.
    Exited { code: i32 },
    /// By a signal that was not ours.
    Signalled { signal: i32 },
    /// Its running time was used up.
    TimedOut,
    /// All its processes together used more than one run may.
    OverLimit { limit: Exceeded },
    /// It was stopped with the call that ran it.
    Cancelled,
    /// It could not be started; `message` says why and what to do.
    NotStarted { message: String },
}

/// What a run used too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exceeded {
    /// Memory.
    Memory,
    /// Processor time, which goes on while the clock of running time stands still.
    Cpu,
    /// Room for files of its own, or their number.
    Scratch,
}

impl Exceeded {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Cpu, Self::Scratch];

    /// The name in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Cpu => "cpu",
            Self::Scratch => "scratch",
        }
    }
}

impl Event {
    /// Somebody's words, with no picture.
    pub fn said(text: impl Into<String>) -> Self {
        Self::MessageSent { text: text.into(), pictures: Vec::new() }
    }

    /// The pictures that it tells of.
    pub fn pictures(&self) -> &[Picture] {
        if let Self::MessageSent { pictures, .. } = self {
            pictures
        } else if let Self::CallFinished { result, .. } = self {
            &result.attachments
        } else if let Self::PictureMade { picture, .. } = self {
            std::slice::from_ref(picture)
        } else {
            &[]
        }
    }

    /// Its `type` in the journal.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStarted { .. } => "session_started",
            Self::SessionResumed { .. } => "session_resumed",
            Self::SessionForked { .. } => "session_forked",
            Self::SessionNamed { .. } => "session_named",
            Self::ConversationRewound { .. } => "conversation_rewound",
            Self::MessageSent { .. } => "message_sent",
            Self::TurnStarted { .. } => "turn_started",
            Self::AnswerDelayed(_) => "answer_delayed",
            Self::TextStreamed { .. } => "text_streamed",
            Self::ThinkingStreamed { .. } => "thinking_streamed",
            Self::TurnFinished { .. } => "turn_finished",
            Self::CompactionStarted { .. } => "compaction_started",
            Self::ContextCompacted { .. } => "context_compacted",
            Self::ExchangeFinished { .. } => "exchange_finished",
            Self::CallStarted { .. } => "call_started",
            Self::CallJudged { .. } => "call_judged",
            Self::ApprovalRequested { .. } => "approval_requested",
            Self::ApprovalAnswered { .. } => "approval_answered",
            Self::ApprovalWithdrawn { .. } => "approval_withdrawn",
            Self::ExecutionStarted { .. } => "execution_started",
            Self::OutputWritten { .. } => "output_written",
            Self::PutAside { .. } => "put_aside",
            Self::ExecutionFinished { .. } => "execution_finished",
            Self::PictureMade { .. } => "picture_made",
            Self::ChangeBegun { .. } => "change_begun",
            Self::CallFinished { .. } => "call_finished",
            Self::ModeChanged { .. } => "mode_changed",
            Self::RuleRevoked { .. } => "rule_revoked",
            Self::ChildStarted { .. } => "child_started",
            Self::SignalSent { .. } => "signal_sent",
            Self::SignalReceived { .. } => "signal_received",
            Self::SignalTaken { .. } => "signal_taken",
            Self::TodoChanged { .. } => "todo_changed",
            Self::SessionFinished { .. } => "session_finished",
        }
    }
}

impl Decision {
    /// Let through.
    pub fn allowed(by: Decider) -> Self {
        Self { allowed: true, by, category: None }
    }

    /// Not let through.
    pub fn denied(by: Decider) -> Self {
        Self { allowed: false, by, category: None }
    }
}
