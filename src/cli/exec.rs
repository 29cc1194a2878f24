//! `footplate exec`: work without a screen and with nobody to ask.

use std::{future::pending, io::Read as _, sync::Arc, time::Duration};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::{
    args::Common,
    edited::{Asked, Edited},
    exit::{Exit, Failure},
    print::{self, Closed},
    setup::{self, Setup},
    signal::stop_signal,
};
use crate::{
    host::{Attendance, Host},
    kernel::{
        event::{Decider, Envelope, Event, Outcome, Stop},
        gate::monitor::Tier,
        id::SessionId,
        patience::within,
        port::{Aside, Watch},
        text::Pieces,
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
    let edited = Edited::begin(&setup.host, &setup.home, &setup.workspace, &Asked::Nobody);
    let worked = work(&setup, common, text, output).await;
    edited.end().await;
    setup.host.shutdown().await;
    worked
}

/// Says that to a session, a new one where none is meant, and prints what comes of it.
async fn work(
    setup: &Setup,
    common: &Common,
    text: String,
    output: Output,
) -> Result<Exit, Failure> {
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
            setup.start(model)?
        }
    };
    // Before the work begins: a signal may come as soon as it shows.
    let stopped = stop_signal();
    setup.host.send(session, text);
    let printer =
        Printer { session, output, nobody: false, said: Said::Nothing, words: Pieces::default() };
    follow(&setup.host, printer, events, stopped).await
}

fn no_model() -> Failure {
    Failure::usage(
        "no model is connected",
        "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or name one: --model PROVIDER/MODEL",
    )
}

/// What to say to the model. A script needs no words.
fn said(prompt: Option<String>, model: Option<&str>) -> Result<String, Failure> {
    let text = match prompt.as_deref() {
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|error| {
                Failure::usage(format!("cannot read the prompt: {error}"), "pipe text into it")
            })?;
            text
        }
        Some(text) => text.to_owned(),
        None if model.is_some_and(model::is_scripted) => "Play the script.".to_owned(),
        None => String::new(),
    };
    // Providers refuse an empty message, and then every one after it.
    if text.trim().is_empty() {
        return Err(Failure::usage(
            "exec needs something to say",
            "footplate exec \"PROMPT\", or `-` to read it from standard input",
        ));
    }
    Ok(text)
}

/// Waits until the session rests and all agents below it are over, until it is stopped, or nobody
/// reads what is printed any more.
async fn follow(
    host: &Host,
    printer: Printer,
    events: Watch,
    stopped: impl Future<Output = ()>,
) -> Result<Exit, Failure> {
    let session = printer.session;
    let over = CancellationToken::new();
    // A thread of its own: whoever reads slowly must not keep a signal from being heard.
    let (runtime, until) = (Handle::current(), over.clone());
    let mut printing =
        tokio::task::spawn_blocking(move || runtime.block_on(printer.print(events, until)));
    let mut quiet = std::pin::pin!(host.quiet(session));
    let mut stopped = std::pin::pin!(stopped);
    let mut interrupted = false;
    let outcome = loop {
        tokio::select! {
            // Losing an arm loses nothing: all of them are pinned or tasks.
            outcome = &mut quiet, if !interrupted => break outcome,
            // Agents below it end with the program.
            outcome = host.idle(session), if interrupted => break outcome,
            () = &mut stopped, if !interrupted => {
                interrupted = true;
                host.interrupt(session);
            }
            // Nobody reads on: as for any filter, that is no failure.
            _ = &mut printing => {
                host.interrupt(session);
                return Ok(Exit::Done);
            }
        }
    };
    over.cancel();
    let printed = tokio::select! {
        // Only a panic loses the thread.
        printed = printing => printed.unwrap_or(Err(Closed)),
        () = &mut stopped, if !interrupted => return Ok(Exit::Interrupted),
        _ = within(LAST_WORDS, pending::<()>()), if interrupted => Err(Closed),
    };
    match (outcome, printed) {
        _ if interrupted => Ok(Exit::Interrupted),
        (_, Err(Closed)) => Ok(Exit::Done),
        (Some(Outcome::Stopped), _) => Ok(Exit::Interrupted),
        (Some(Outcome::Limit { message }), _) => {
            Err(Failure { exit: Exit::Limit, ..Failure::in_two_lines(message) })
        }
        (Some(Outcome::Failed { message }), _) => Err(Failure::in_two_lines(message)),
        (Some(Outcome::Done) | None, Ok(true)) => Ok(Exit::NobodyToAsk),
        (Some(Outcome::Done) | None, Ok(false)) => Ok(Exit::Done),
    }
}

/// Whether it was only denied since nobody was there.
fn wanted_a_person(by: &Decider) -> bool {
    match by {
        Decider::Nobody => true,
        Decider::Monitor(doubt) => doubt.tier != Tier::Hard,
        Decider::Mode { .. }
        | Decider::Grant
        | Decider::Rule { .. }
        | Decider::Person
        | Decider::Record { .. }
        | Decider::Expiry => false,
    }
}

/// How long the last lines may take once somebody has stopped the program.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Prints what happens.
struct Printer {
    session: SessionId,
    output: Output,
    /// Something was denied for want of anyone to ask.
    nobody: bool,
    said: Said,
    words: Pieces,
}

/// How far the answer is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    /// Some words, which may go on.
    Words,
    /// A paragraph: what comes next is another.
    Paragraph,
}

impl Printer {
    /// Prints until it is over and nothing is left, and says whether nobody was there to ask.
    async fn print(mut self, mut events: Watch, over: CancellationToken) -> Result<bool, Closed> {
        loop {
            let envelope = tokio::select! {
                // Everything up to the end is in the channel before it is over.
                biased;
                envelope = events.recv() => envelope,
                () = over.cancelled() => None,
            };
            let Some(envelope) = envelope else { break };
            self.show(&envelope)?;
        }
        if self.said != Said::Nothing {
            // The last line may have no end.
            print::text("\n")?;
        }
        Ok(self.nobody)
    }

    fn show(&mut self, envelope: &Arc<Envelope>) -> Result<(), Closed> {
        if let Event::CallFinished { decision: Some(decision), .. } = &envelope.event
            && wanted_a_person(&decision.by)
        {
            self.nobody = true;
        }
        match self.output {
            Output::Json => print::json(envelope),
            Output::Text => self.tell(envelope),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is in the journal")]
    fn tell(&mut self, envelope: &Envelope) -> Result<(), Closed> {
        match &envelope.event {
            Event::TextStreamed { text } if envelope.session == self.session => {
                // It is for people, also where it goes into a file: data is JSON.
                let text = self.words.lines(text);
                match std::mem::replace(&mut self.said, Said::Words) {
                    Said::Nothing | Said::Words => print::text(&text),
                    Said::Paragraph => print::text(&format!("\n\n{text}")),
                }
            }
            // Turns are paragraphs, where something is said in them.
            Event::TurnFinished { stop: Stop::Calls, .. } if envelope.session == self.session => {
                if self.said == Said::Words {
                    self.said = Said::Paragraph;
                }
                Ok(())
            }
            Event::CallStarted { call, .. } => {
                print::aside(&format!("[{}]", call.name));
                Ok(())
            }
            Event::AnswerDelayed(delay) => {
                print::aside(&format!("[{delay}]"));
                Ok(())
            }
            Event::PutAside { things, .. } => {
                for Aside { was, now } in things {
                    let was = was.display();
                    print::aside(&match now {
                        Some(now) => format!(
                            "[{was} was put aside, which other programs obey: now {}]",
                            now.display()
                        ),
                        None => format!("[{was} is new, and other programs obey it: look at it]"),
                    });
                }
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
