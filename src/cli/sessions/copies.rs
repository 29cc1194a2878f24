//! `sessions fork` and `sessions import`: a new session that begins as a copy.

use std::{fs::File, io::BufReader, path::Path, sync::Arc};

use super::{
    super::{
        args::Common,
        exit::{Exit, Failure},
        print,
        setup::{self, Setup},
    },
    find, one_line, title,
};
use crate::{
    host::{self, Attendance},
    kernel::{
        event::{Envelope, Event},
        session::{Session, branch::Point},
        spec::{Mode, SessionSpec},
        text,
    },
    model, store,
};

pub(super) fn fork(common: &Common, words: &str, point: Point) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let from = find(&*store, words)?;
    let workspace = common.dir.as_ref().map(|_| setup::workspace(common)).transpose()?;
    let id = host::fork(&*store, from.spec.id, point, workspace).map_err(Failure::in_two_lines)?;
    let _ = print::text(&format!("{id}\n"));
    print::aside(&format!(
        "Copied from {} ({}). Nothing allowed there is allowed in it.\n\
         Carry on: footplate --resume {}",
        from.spec.id.short(),
        title(&from, 60),
        id.short(),
    ));
    Ok(Exit::Done)
}

/// The largest file that is brought in, in bytes.
const LARGEST: u64 = 1 << 30;

pub(super) fn import(common: &Common, path: &Path) -> Result<Exit, Failure> {
    let shown = text::shown(&path.display().to_string()).into_owned();
    let unreadable = |error: std::io::Error| {
        Failure::new(format!("cannot read {shown}: {error}"), "name a file that can be read")
    };
    let file = File::open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    if !found.is_file() || found.len() > LARGEST {
        return Err(Failure::new(
            format!("{shown} is no exported session"),
            "name a file that was written with: footplate sessions export ID --format json",
        ));
    }
    let replay = store::exported(&mut BufReader::new(file)).map_err(|fault| {
        Failure::new(
            format!("{shown} cannot be brought in: {}", one_line(&fault)),
            "write it anew with: footplate sessions export ID --format json",
        )
    })?;
    let setup = Setup::new(common, Attendance::Alone, setup::aside())?;
    let model = setup.host.models().choose(setup.config.model.as_deref());
    let spec = spec(&setup, model.as_deref());
    let id = spec.id;
    host::import(&*setup.store, &replay.events, spec)?;
    let _ = print::text(&format!("{id}\n"));
    tell(&replay.events, replay.notice.as_deref());
    if model.is_none() {
        print::aside(
            "No model is connected: it can be looked at. To go on in it, bring it in again with --model.",
        );
    }
    print::aside(&format!("Carry on: footplate --resume {}", id.short()));
    Ok(Exit::Done)
}

/// A description of our own: nothing in it is from the file.
fn spec(setup: &Setup, model: Option<&str>) -> SessionSpec {
    let spec = setup.spec(model.unwrap_or(model::NONE));
    let mode = match spec.mode {
        Mode::Plan => Mode::Plan,
        Mode::Default | Mode::AcceptEdits | Mode::Guarded | Mode::Auto => Mode::Default,
    };
    SessionSpec { mode, ..spec }
}

/// What was brought in, and what was not.
fn tell(events: &[Arc<Envelope>], notice: Option<&str>) {
    if let Some(notice) = notice {
        print::aside(&format!("footplate: {}", one_line(notice)));
    }
    let said = Session::replay(events).map_or(0, |session| session.numbered().len());
    let Some(Event::SessionStarted { spec }) = events.first().map(|first| &first.event) else {
        return;
    };
    let cut = |words: &str| one_line(words).chars().take(80).collect::<String>();
    print::aside(&format!(
        "Brought in: a conversation of {}. It asks for everything again.\n\
         Not taken over: its folder {}, its model {}, its mode {}, what it was allowed, its agents{}.",
        text::count(said, "message"),
        cut(&spec.workspace.display().to_string()),
        cut(&spec.model),
        spec.mode.name(),
        if spec.instructions.is_empty() { "" } else { ", its instructions" },
    ));
}
