//! `footplate sessions`: what there is to carry on, and what can be done with it.

mod copies;
mod export;
mod markdown;
mod remove;
mod rewind;
mod search;

use std::path::PathBuf;

use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;

use super::{
    args::{Common, SessionsAction},
    decisions,
    exit::{Exit, Failure},
    meant,
    print::{self, one_line},
    setup,
};
use crate::{
    host,
    kernel::{
        id::SessionId,
        port::{SessionSummary, Store},
        session::{Said, branch::Point},
        text,
    },
};

/// How something is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Text,
    Json,
}

fn told(json: bool) -> Told {
    if json { Told::Json } else { Told::Text }
}

pub(super) async fn run(common: &Common, action: Option<SessionsAction>) -> Result<Exit, Failure> {
    match action.unwrap_or(SessionsAction::List { json: false }) {
        SessionsAction::List { json } => list(told(json)),
        SessionsAction::Show { id, decisions: true, json } => {
            let how = if json { decisions::Output::Json } else { decisions::Output::Text };
            decisions::show(&id, how)
        }
        SessionsAction::Show { id, decisions: false, json } => show(&id, told(json)),
        SessionsAction::Fork { id, at, turn } => {
            let point = match (at, turn) {
                (Some(message), _) => Point::Message(message),
                (None, Some(turn)) => Point::Turn(turn),
                (None, None) => Point::End,
            };
            copies::fork(common, &id, point)
        }
        SessionsAction::Rewind { id, to, dry_run, yes } => {
            let how = match (dry_run, yes) {
                (true, _) => rewind::How::Look,
                (false, true) => rewind::How::Unasked,
                (false, false) => rewind::How::Asked,
            };
            rewind::run(&id, to, how).await
        }
        SessionsAction::Export { id, format, output } => export::run(&id, format, output),
        SessionsAction::Import { file } => copies::import(common, &file),
        SessionsAction::Delete { ids, yes } => remove::run(&ids, yes),
        SessionsAction::Rename { id, name } => rename(&id, &name),
        SessionsAction::Search { words, limit, json } => search::run(&words, limit, told(json)),
    }
}

/// A session in a list, as JSON.
#[derive(Serialize)]
struct Listed<'a> {
    id: SessionId,
    name: Option<&'a str>,
    title: Option<&'a str>,
    started: Timestamp,
    changed: Timestamp,
    workspace: &'a std::path::Path,
    model: &'a str,
}

impl<'a> Listed<'a> {
    fn of(session: &'a SessionSummary) -> Self {
        let SessionSummary { spec, started, changed, title, name } = session;
        Self {
            id: spec.id,
            name: name.as_deref(),
            title: title.as_deref(),
            started: *started,
            changed: *changed,
            workspace: &spec.workspace,
            model: &spec.model,
        }
    }
}

/// Of as many sessions it is told why they cannot be read.
const UNLISTED_TOLD: usize = 3;

fn list(how: Told) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let listed = store.list()?;
    let unlisted = store.unlisted(&listed)?;
    let sessions = meant::spoken(listed);
    if sessions.is_empty() && unlisted.is_empty() {
        print::aside("No sessions yet.");
        return Ok(Exit::Done);
    }
    let zone = TimeZone::system();
    for session in &sessions {
        let printed = match how {
            Told::Json => print::json(&Listed::of(session)),
            Told::Text => print::text(&line(session, &zone)),
        };
        if printed.is_err() {
            break;
        }
    }
    tell_unlisted(&*store, &unlisted);
    Ok(Exit::Done)
}

/// Tells of those that are in no list: they are there.
fn tell_unlisted(store: &dyn Store, unlisted: &[(SessionId, PathBuf)]) {
    for (id, folder) in unlisted.iter().take(UNLISTED_TOLD) {
        let why = one_line(&meant::unreadable(store, *id));
        print::aside(&format!(
            "footplate: {why}\nnothing of it was touched: it is in {}",
            folder.display()
        ));
    }
    if let Some(more @ 1..) = unlisted.len().checked_sub(UNLISTED_TOLD) {
        print::aside(&format!("footplate: {} cannot be read", text::count(more, "more session")));
    }
}

fn line(session: &SessionSummary, zone: &TimeZone) -> String {
    let changed = minute(session.changed, zone);
    let title = title(session, 60);
    let folder = session.spec.workspace.display().to_string();
    let folder = text::shown(&folder);
    format!("{}  {changed}  {folder}  {title}\n", session.spec.id.short())
}

fn minute(at: Timestamp, zone: &TimeZone) -> impl std::fmt::Display {
    zone.to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string()
}

/// What a session is called, in so many characters.
fn title(session: &SessionSummary, most: usize) -> String {
    one_line(session.called().unwrap_or("(nothing said)")).chars().take(most).collect()
}

/// A message of a conversation, as JSON.
#[derive(Serialize)]
struct Message<'a> {
    number: usize,
    at: Timestamp,
    text: &'a str,
}

fn show(id: &str, how: Told) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let id = meant::find(&*store, id)?.spec.id;
    let mut said = Said::default();
    let mut events = store.some(id, Said::KINDS)?;
    for envelope in events.by_ref() {
        said.take(&*envelope?);
    }
    if let Some(notice) = events.notice() {
        print::aside(&format!("footplate: {notice}"));
    }
    let zone = TimeZone::system();
    for (words, number) in said.all().iter().zip(1..) {
        let printed = match how {
            Told::Json => print::json(&Message { number, at: words.at, text: &words.text }),
            Told::Text => {
                let at = minute(words.at, &zone);
                let text: String = one_line(&words.text).chars().take(100).collect();
                print::text(&format!("{number:>4}  {at}  {text}\n"))
            }
        };
        if printed.is_err() {
            break;
        }
    }
    if said.all().is_empty() {
        print::aside("Nothing is said in it.");
    }
    Ok(Exit::Done)
}

fn rename(id: &str, words: &str) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let id = meant::find(&*store, id)?.spec.id;
    let name = host::name(words)
        .map_err(|fault| Failure::usage(fault, "give it another, of letters you can type"))?;
    host::rename(&*store, id, &name)?;
    print::aside(&format!("Session {} is called {name}.", id.short()));
    Ok(Exit::Done)
}
