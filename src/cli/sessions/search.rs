//! `sessions search`: the lines that hold all the words, as they are found.

use std::{ops::ControlFlow, time::Duration};

use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;
use tokio::time::Instant;

use super::{
    super::{
        exit::{Exit, Failure},
        print::{self, one_line},
        setup,
    },
    Told, minute,
};
use crate::kernel::{
    id::SessionId,
    port::{Found, Voice},
};

/// How long it looks; a person waits no longer without asking why.
const LONGEST: Duration = Duration::from_secs(20);

/// A line that was found, as JSON.
#[derive(Serialize)]
struct Line<'a> {
    id: SessionId,
    name: Option<&'a str>,
    title: Option<&'a str>,
    at: Timestamp,
    voice: Voice,
    line: &'a str,
}

pub(super) fn run(words: &[String], limit: usize, how: Told) -> Result<Exit, Failure> {
    let words: Vec<String> =
        words.iter().flat_map(|words| words.split_whitespace()).map(str::to_owned).collect();
    if words.is_empty() {
        return Err(Failure::usage("search needs a word", "footplate sessions search WORDS"));
    }
    let store = setup::store(&setup::home()?);
    let zone = TimeZone::system();
    let (begun, mut shown, mut closed) = (Instant::now(), 0, false);
    let searched = store.search(&words, &|| begun.elapsed() < LONGEST, &mut |found| {
        if shown == limit {
            return ControlFlow::Break(());
        }
        shown += 1;
        let printed = match how {
            Told::Json => print::json(&Line {
                id: found.session.spec.id,
                name: found.session.name.as_deref(),
                title: found.session.title.as_deref(),
                at: found.at,
                voice: found.voice,
                line: &found.line,
            }),
            Told::Text => print::text(&line(&found, &zone)),
        };
        closed = printed.is_err();
        if closed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if closed {
        return Ok(Exit::Done);
    }
    if searched.too_long > 0 {
        print::aside(&format!("Records too long to be searched: {}.", searched.too_long));
    }
    let unreadable = searched.unreadable + store.unlisted(&store.list()?)?.len();
    if unreadable > 0 {
        print::aside(&format!("Sessions that could not be read: {unreadable}."));
    }
    let looked_at = searched.whole + searched.unreadable;
    let all = looked_at == searched.all;
    match shown {
        0 if all => print::aside("Nothing was found."),
        0 => print::aside(&format!(
            "Nothing was found in {looked_at} of {} sessions, newest first; for the others there was no \
             time.",
            searched.all
        )),
        _ if all => {}
        _ => print::aside(&format!(
            "Stopped after {shown} lines; {} of {} sessions were looked through, newest first. \
             More words find less; --limit shows more.",
            searched.whole, searched.all
        )),
    }
    Ok(Exit::Done)
}

fn line(found: &Found, zone: &TimeZone) -> String {
    let voice = match found.voice {
        Voice::Person => "said",
        Voice::Model => "model",
        Voice::Call => "call",
        Voice::Result => "result",
    };
    let (id, at) = (found.session.spec.id.short(), minute(found.at, zone));
    format!("{id}  {at}  {voice:<6}  {}\n", one_line(&found.line))
}
