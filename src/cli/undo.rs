//! `footplate undo`: takes back what a session wrote through the gate, as far as nothing changed it
//! since. What it will and will not touch is said first.

use std::sync::Arc;

use jiff::{Timestamp, tz::TimeZone};

use super::{
    args::{Common, Undoing},
    ask::{self, Answered},
    exit::{Exit, Failure},
    meant,
    print::{self, one_line},
    setup,
};
use crate::{
    host::{Changes, Choice},
    kernel::{
        change::{Planned, Recorded, Undo},
        event::Origin,
        id::CallId,
        port::Store,
        recorder::Recorder,
        text,
    },
};

pub(super) async fn run(common: &Common, wanted: &Undoing) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let changes = changes(&*store, common, wanted)?;
    let choice = match &wanted.call {
        None => Choice::All,
        Some(end) => Choice::Calls(vec![call(&changes, end)?]),
    };
    let plan = changes.plan(&choice).await.map_err(Failure::in_two_lines)?;
    let zone = TimeZone::system();
    for planned in &plan {
        // Whoever closed our output still wants it done, or has answered no.
        let _ = print::text(&line(planned, &zone));
    }
    let able = plan.iter().filter(|planned| !is_left(planned)).count();
    if plan.is_empty() {
        print::aside("Nothing was written through the gate.");
        return Ok(Exit::Done);
    }
    if wanted.dry_run {
        return Ok(Exit::Done);
    }
    if able == 0 {
        return Err(Failure::new("nothing can be undone", "see above why each is left alone"));
    }
    if !wanted.yes {
        match ask::asked(
            &format!("undo {able} of {}?", plan.len()),
            "look with --dry-run, then say --yes",
        )? {
            Answered::Yes => {}
            Answered::No => {
                print::aside("Nothing was undone.");
                return Ok(Exit::Failed);
            }
        }
    }
    let opened = store.open(changes.root, &mut |_| {})?;
    // From here on nobody else writes it; what was shown is all that is done.
    let changes = Changes::read(&*store, changes.root)?;
    let able: Vec<_> = plan.iter().filter(|planned| !is_left(planned)).collect();
    let choice = Choice::Calls(able.iter().map(|planned| planned.recorded.call).collect());
    let recorder = Recorder::new(opened.journal, Arc::new(|_| {}));
    let all = changes
        .undo(&*store, &recorder, &|_| None, &choice)
        .await
        .map_err(Failure::in_two_lines)?;
    recorder.sync().await?;
    let mut done = 0;
    for undone in &all {
        match &undone.outcome {
            Err(error) => print::aside(&format!("footplate: {}", one_line(&error.message))),
            Ok(()) => done += 1,
        }
    }
    print::aside(&format!("Undone: {done} of {}.", plan.len()));
    Ok(if done == plan.len() { Exit::Done } else { Exit::Failed })
}

/// The changes of the session that is meant: the named one, or the newest of this folder that wrote
/// anything.
fn changes(store: &dyn Store, common: &Common, wanted: &Undoing) -> Result<Changes, Failure> {
    if let Some(words) = &wanted.session {
        return Ok(Changes::read(store, meant::find(store, words)?.spec.id)?);
    }
    let folder = setup::workspace(common)?;
    for session in store.list()? {
        if session.spec.parent.is_none() && session.spec.workspace == folder {
            let changes = Changes::read(store, session.spec.id)?;
            if changes.all().next().is_some() {
                return Ok(changes);
            }
        }
    }
    Err(Failure::new(
        format!("no session wrote anything in {}", folder.display()),
        "name one with --session; see them with: footplate sessions list",
    ))
}

/// The call that is meant: one that wrote, or one inside which others wrote.
fn call(changes: &Changes, end: &str) -> Result<CallId, Failure> {
    let mut named: Vec<CallId> = changes
        .all()
        .flat_map(|recorded| recorded.parent.into_iter().chain([recorded.call]))
        .filter(|id| meant::ends_in(&id.to_string(), end))
        .collect();
    named.sort();
    named.dedup();
    match named.as_slice() {
        [one] => Ok(*one),
        [] => Err(Failure::new(
            format!("no call {} wrote anything", text::quoted(end)),
            "see those that did with: footplate undo --dry-run",
        )),
        several => Err(Failure::usage(
            format!("{} calls end in {}", several.len(), text::quoted(end)),
            "give more of the id; see them with: footplate undo --dry-run",
        )),
    }
}

pub(super) fn is_left(planned: &Planned) -> bool {
    matches!(planned.undo, Undo::LeaveAlone(_))
}

/// `  src/lex.rs  back to the 4,102 bytes of before 12:14  (call 1a2b3c, main, line 12)`
pub(super) fn line(planned: &Planned, zone: &TimeZone) -> String {
    let Recorded { agents, call, origin, at, change, .. } = &planned.recorded;
    let time = |at: Timestamp| zone.to_datetime(at).strftime("%H:%M").to_string();
    let from = match origin {
        Origin::Python { line: Some(line) } => format!(", line {line}"),
        Origin::Python { line: None } | Origin::Model | Origin::Person => String::new(),
    };
    format!(
        "  {}  {}  (call {}, {}{from})\n",
        text::shown(&change.shown),
        one_line(&planned.undo.words(time, *at)),
        call.short(),
        one_line(&agents.join(" › ")),
    )
}
