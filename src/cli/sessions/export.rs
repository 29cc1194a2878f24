//! `sessions export`: a session for people, or for another computer.

use std::{
    collections::BTreeSet,
    fs::OpenOptions,
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::PathBuf,
};

use jiff::tz::TimeZone;

use super::{
    super::{
        args::Format,
        exit::{Exit, Failure},
        meant,
        print::{self, one_line},
        setup,
    },
    markdown,
};
use crate::{
    host,
    kernel::{
        event::Envelope,
        id::SessionId,
        port::{SessionSummary, Store},
        text,
    },
};

pub(super) fn run(words: &str, format: Format, output: Option<PathBuf>) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let session = meant::find(&*store, words)?;
    let Some(path) = output else {
        let written = write(&*store, &session, format, &mut BufWriter::new(io::stdout().lock()))?;
        return match written {
            Ok(()) => Ok(Exit::Done),
            // Nobody reads on: as for any filter, that is no failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
            Err(error) => {
                Err(Failure::new(format!("cannot write: {error}"), "name a file with -o"))
            }
        };
    };
    let shown = text::shown(&path.display().to_string()).into_owned();
    let unwritable = |error: io::Error| {
        let hint = if error.kind() == io::ErrorKind::AlreadyExists {
            "name another file, or remove that one first"
        } else {
            "name a file that can be written, on a disk with room"
        };
        Failure::new(format!("cannot write {shown}: {error}"), hint)
    };
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let mut file = BufWriter::new(file.map_err(unwritable)?);
    let written = write(&*store, &session, format, &mut file);
    if !matches!(written, Ok(Ok(()))) {
        // Half of it would be taken for all of it.
        let _ = std::fs::remove_file(&path);
    }
    written?.map_err(unwritable)?;
    print::aside(&format!("Written to {shown}."));
    Ok(Exit::Done)
}

/// The outer error is of reading, the inner one of writing.
fn write(
    store: &dyn Store,
    session: &SessionSummary,
    format: Format,
    out: &mut dyn Write,
) -> Result<io::Result<()>, Failure> {
    let written = match format {
        Format::Markdown => {
            let zone = TimeZone::system();
            let mut page = match markdown::Page::new(session, &zone, out) {
                Ok(page) => page,
                Err(error) => return Ok(Err(error)),
            };
            let written = each(store, session.spec.id, &mut |envelope| page.event(envelope))?;
            written.and_then(|()| page.end())
        }
        Format::Json => {
            let mut family = host::family(store, &[session.spec.id])?;
            // The session itself first: whoever brings it in begins with it.
            family.reverse();
            lines(store, family, out)?
        }
    };
    Ok(written.and_then(|()| out.flush()))
}

fn lines(
    store: &dyn Store,
    family: Vec<SessionId>,
    out: &mut dyn Write,
) -> Result<io::Result<()>, Failure> {
    for id in family {
        let written = each(store, id, &mut |envelope| {
            let line = serde_json::to_string(envelope).map_err(io::Error::from)?;
            writeln!(out, "{}", print::escaped(&line))
        })?;
        if written.is_err() {
            return Ok(written);
        }
    }
    Ok(Ok(()))
}

/// Hands on the events of a session until one cannot be written.
fn each(
    store: &dyn Store,
    id: SessionId,
    write: &mut dyn FnMut(&Envelope) -> io::Result<()>,
) -> Result<io::Result<()>, Failure> {
    let mut events = store.events(id)?;
    let mut pictures = BTreeSet::new();
    for envelope in events.by_ref() {
        let envelope = envelope?;
        pictures.extend(envelope.event.pictures().iter().map(|picture| picture.id));
        let written = write(&envelope);
        if written.is_err() {
            return Ok(written);
        }
    }
    if !pictures.is_empty() {
        let named = text::count(pictures.len(), "picture");
        print::aside(&format!(
            "footplate: {named} named there, whose files stay with the session."
        ));
    }
    if let Some(notice) = events.notice() {
        print::aside(&format!("footplate: {}", one_line(&notice)));
    }
    Ok(Ok(()))
}
