//! `footplate exec`: work without a screen and with nobody to ask.

use std::{io::Read as _, sync::Arc};

use tokio::sync::mpsc;

use super::{
    args::Common,
    exit::{Exit, Failure},
    print::{self, Closed},
    setup::{self, Setup},
};
use crate::{
    host::Attendance,
    kernel::{
        event::{Decider, Envelope, Event, Outcome},
        id::SessionId,
    },
    model,
};

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// The model's words on standard output, what it does on standard error.
    Text,
    /// The journal's lines, of the session and its agents.
    Json,
}

pub(super) async fn run(
    common: &Common,
    prompt: Option<String>,
    output: Output,
) -> Result<Exit, Failure> {
    let setup = Setup::new(common, Attendance::Alone, setup::aside())?;
    // Before there is a session that nobody would say anything to.
    let text = said(prompt, setup.config.model.as_deref())?;
    let events = setup.host.events();
    let session = match setup.wanted(common)? {
        Some(session) => {
            if let Some(notice) = setup.host.resume(session)? {
                print::aside(&format!("footplate: {notice}"));
            }
            session
        }
        None => {
            let model = setup.host.models().choose(setup.config.model.as_deref());
            let model = model.ok_or_else(no_model)?;
            setup.host.start(setup.spec(model))?
        }
    };
    setup.host.send(session, text);
    let exit = Watch { setup: &setup, session, output, nobody: false }.follow(events).await;
    setup.host.shutdown().await;
    exit
}

fn no_model() -> Failure {
    Failure::usage(
        "no model is connected",
        "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or name one: --model PROVIDER/MODEL",
    )
}

/// What to say to the model. A script needs no words.
fn said(prompt: Option<String>, model: Option<&str>) -> Result<String, Failure> {
    match prompt.as_deref() {
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|error| {
                Failure::usage(format!("cannot read the prompt: {error}"), "pipe text into it")
            })?;
            Ok(text)
        }
        Some(text) => Ok(text.to_owned()),
        None if model.is_some_and(model::is_scripted) => Ok("Play the script.".to_owned()),
        None => Err(Failure::usage(
            "exec needs something to say",
            "footplate exec \"PROMPT\", or `-` to read it from standard input",
        )),
    }
}

/// Prints what happens until the session is idle.
struct Watch<'a> {
    setup: &'a Setup,
    session: SessionId,
    output: Output,
    /// Something was denied for want of anyone to ask.
    nobody: bool,
}

impl Watch<'_> {
    async fn follow(
        mut self,
        mut events: mpsc::UnboundedReceiver<Arc<Envelope>>,
    ) -> Result<Exit, Failure> {
        let host = &self.setup.host;
        let mut idle = std::pin::pin!(host.idle(self.session));
        let mut stopped = std::pin::pin!(stop_signal());
        let mut interrupted = false;
        let outcome = loop {
            tokio::select! {
                // Losing an arm loses nothing: events stay in the channel, the others are pinned.
                Some(envelope) = events.recv() => {
                    if self.show(&envelope).is_err() {
                        // Nobody reads on: as for any filter, that is no failure.
                        host.interrupt(self.session);
                        return Ok(Exit::Done);
                    }
                }
                () = &mut stopped, if !interrupted => {
                    interrupted = true;
                    host.interrupt(self.session);
                }
                outcome = &mut idle => break outcome,
            }
        };
        // Everything up to the end is in the channel by now.
        while let Ok(envelope) = events.try_recv() {
            if self.show(&envelope).is_err() {
                return Ok(Exit::Done);
            }
        }
        if self.output == Output::Text {
            // The last line may have no end.
            let _ = print::text("\n");
        }
        match outcome {
            _ if interrupted => Ok(Exit::Interrupted),
            Some(Outcome::Stopped) => Ok(Exit::Interrupted),
            Some(Outcome::Limit { message }) => {
                Err(Failure { exit: Exit::Limit, ..Failure::in_two_lines(message) })
            }
            Some(Outcome::Failed { message }) => Err(Failure::in_two_lines(message)),
            Some(Outcome::Done) | None if self.nobody => Ok(Exit::NobodyToAsk),
            Some(Outcome::Done) | None => Ok(Exit::Done),
        }
    }

    fn show(&mut self, envelope: &Arc<Envelope>) -> Result<(), Closed> {
        if let Event::CallFinished { decision: Some(decision), .. } = &envelope.event
            && decision.by == Decider::Nobody
        {
            self.nobody = true;
        }
        match self.output {
            Output::Json => print::json(envelope),
            Output::Text => self.tell(envelope),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is in the journal")]
    fn tell(&self, envelope: &Envelope) -> Result<(), Closed> {
        match &envelope.event {
            Event::TextStreamed { text } if envelope.session == self.session => print::text(text),
            Event::CallStarted { call, .. } => {
                print::aside(&format!("[{}]", call.name));
                Ok(())
            }
            Event::CallFinished { result, .. } if result.is_error => {
                let message = result.content["message"].as_str().unwrap_or_default();
                print::aside(&format!("[{}: {message}]", result.name));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Ends when somebody wants the program to end.
async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};

    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    let waits = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
    futures_util::future::select_all(waits).await;
}
