//! `sessions fork` and `sessions import`: a new session that begins as a copy.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use super::{
    super::{
        args::Common,
        exit::{Exit, Failure},
        meant,
        print::{self, one_line},
        setup::{self, Setup},
    },
    title,
};
use crate::{
    host::{self, Attendance},
    kernel::{
        id::SessionId,
        port::StoreError,
        session::branch::Point,
        spec::{Mode, SessionSpec},
        text,
    },
    model, store,
};

pub(super) fn fork(common: &Common, words: &str, point: Point) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let from = meant::find(&*store, words)?;
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
    let unusable = |fault: &str| {
        Failure::new(
            format!("{shown} cannot be brought in: {}", one_line(fault)),
            "write it anew with: footplate sessions export ID --format json",
        )
    };
    let exported = store::exported(BufReader::new(file), path);
    let mut exported = exported.map_err(|fault| unusable(&fault))?;
    let setup = Setup::new(common, Attendance::Alone, setup::aside())?;
    let model = setup.host.models().choose(setup.config.model.as_deref());
    let spec = spec(&setup, model.as_deref());
    let id = spec.id;
    let from = exported.session();
    let agents = exported.others.iter().filter_map(|agent| agent_of(path, *agent));
    let mut agents: Vec<_> = agents.collect();
    let here = host::agents_of((from, &spec), agents.iter().map(|agent| &agent.spec));
    let said = host::import(&*setup.store, (from, exported.by_ref()), spec, &here);
    let said = said.map_err(|error| {
        if let StoreError::Damaged { session, fault } = &error
            && *session == from
        {
            return unusable(fault);
        }
        error.into()
    })?;
    let mut came = 0;
    for agent in &mut agents {
        let there = agent.session();
        let Some(spec) = here.get(&there).cloned() else { continue };
        match host::import(&*setup.store, (there, agent), spec, &here) {
            Ok(_) => came += 1,
            Err(error) => print::aside(&format!("footplate: an agent was left out: {error}")),
        }
    }
    let _ = print::text(&format!("{id}\n"));
    tell(&exported, said, came);
    if model.is_none() {
        print::aside(
            "No model is connected: it can be looked at. To go on in it, bring it in again with --model.",
        );
    }
    print::aside(&format!("Carry on: footplate --resume {}", id.short()));
    Ok(Exit::Done)
}

/// An agent in the file, if it can be read.
fn agent_of(path: &Path, agent: SessionId) -> Option<store::Exported<BufReader<File>>> {
    let read = |error: std::io::Error| error.to_string();
    let found = File::open(path).map_err(read);
    let found = found.and_then(|file| store::exported_of(BufReader::new(file), path, agent));
    let told = |fault: &String| {
        print::aside(&format!("footplate: an agent was left out: {}", one_line(fault)));
    };
    found.inspect_err(told).ok()
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
fn tell(exported: &store::Exported<impl BufRead>, said: usize, agents: usize) {
    if let Some(notice) = exported.notice() {
        print::aside(&format!("footplate: {}", one_line(&notice)));
    }
    let cut = |words: &str| one_line(words).chars().take(80).collect::<String>();
    let spec = &exported.spec;
    let with = match agents {
        0 => String::new(),
        agents => format!(", with {}", text::count(agents, "agent")),
    };
    let left = match exported.others.len() - agents {
        0 => String::new(),
        left => format!(", {} of other sessions", text::count(left, "journal")),
    };
    print::aside(&format!(
        "Brought in: a conversation of {}{with}. It asks for everything again.\n\
         Not taken over: its folder {}, its model {}, its mode {}, what it was allowed{left}{}.",
        text::count(said, "message"),
        cut(&spec.workspace.display().to_string()),
        cut(&spec.model),
        spec.mode.name(),
        if spec.instructions.is_empty() { "" } else { ", its instructions" },
    ));
}
