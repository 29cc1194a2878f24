//! Effects, done: at once what takes no time, all else beside the loop.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::task::JoinSet;

use super::{Beginning, Keep, Remember};
use crate::{
    kernel::{
        command::Command,
        gate::approval::{NotAnswered, Question},
        id::{ApprovalId, CallId, SessionId},
        message::Words,
        port::{Desk, When},
    },
    tui::{
        diff::Diff,
        effect::{Setting, Start},
        file::{Ask, Reader},
        highlight,
        ink::Brush,
        layout::Remembered,
        message::Came,
        paper,
        sheet::{Index, Shape},
        state::waiting::Sheet,
        theme::{Depth, Marks, Theme},
    },
};

/// Asks the host for something; an answer that nobody waits for comes back as refused. What takes its
/// time is told of if nothing came of it.
pub(super) fn send(work: &mut JoinSet<Came>, desk: &dyn Desk, command: Command) -> Option<Came> {
    let approval = match &command {
        Command::Answer { approval, .. } => Some(*approval),
        Command::Send { .. }
        | Command::Steer { .. }
        | Command::TakeBack { .. }
        | Command::Run { .. }
        | Command::Interrupt { .. }
        | Command::Cancel { .. }
        | Command::SetMode { .. }
        | Command::Revoke { .. }
        | Command::RevokeSaved { .. }
        | Command::ReadRules
        | Command::Judge { .. }
        | Command::Undo { .. }
        | Command::Fork { .. }
        | Command::Rewind { .. }
        | Command::Rename { .. }
        | Command::Watch { .. }
        | Command::Unwatch { .. }
        | Command::Delete { .. } => None,
    };
    match desk.begin(command) {
        Ok(sequel) => {
            if let Some(sequel) = sequel {
                work.spawn(async { sequel.await.map_or_else(Came::InVain, |()| Came::Nothing) });
            }
            None
        }
        Err(NotAnswered::NobodyWaits) => approval.map(Came::Refused),
        Err(NotAnswered::Refused(why)) => {
            tracing::info!(why, "a command was refused");
            Some(Came::NotDone(why))
        }
    }
}

pub(super) fn start(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    begin: Arc<dyn Fn(Start) -> Result<Beginning, String> + Send + Sync>,
    what: Start,
    message: Option<Words>,
) {
    work.spawn_blocking(move || {
        let begun = begin(what).and_then(|beginning| {
            let message = message.or(beginning.message.map(Words::from));
            desk.start(beginning.spec, message).map_err(|error| error.to_string())
        });
        match begun {
            Ok(session) => Came::Started(session),
            Err(fault) => Came::NotStarted(fault),
        }
    });
}

pub(super) fn list(work: &mut JoinSet<Came>, desk: Arc<dyn Desk>) {
    work.spawn(
        async move { Came::Listed(desk.sessions().await.map_err(|error| error.to_string())) },
    );
}

pub(super) fn resume(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    session: SessionId,
    when: When,
) {
    work.spawn(async move { Came::Resumed(session, desk.resume(session, when).await) });
}

/// Deletes a session, and what was being written for it.
pub(super) fn delete(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    session: SessionId,
    draft: Option<PathBuf>,
) {
    work.spawn_blocking(move || {
        let gone = desk.send(Command::Delete { session });
        if let (Ok(()), Some(draft)) = (&gone, draft) {
            // Mostly there is none.
            let _ = std::fs::remove_file(draft);
        }
        Came::Deleted(gone.map_err(|error| error.to_string()))
    });
}

/// Renames a session that runs nowhere: its journal may be long, and is read for that.
pub(super) fn rename(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    session: SessionId,
    name: String,
) {
    work.spawn_blocking(move || {
        let named = desk.send(Command::Rename { session, name });
        Came::Renamed(named.map_err(|error| error.to_string()))
    });
}

pub(super) fn read_said(work: &mut JoinSet<Came>, desk: Arc<dyn Desk>, session: SessionId) {
    work.spawn(async move {
        Came::Said(session, desk.said(session).await.map_err(|error| error.to_string()))
    });
}

/// What keeps the sizes of panes: one writer at a time, and the last ones win.
pub(super) struct Memory {
    write: Remember,
    latest: Arc<Mutex<Option<Remembered>>>,
    writing: Arc<Mutex<()>>,
}

impl Memory {
    pub(super) fn of(write: Remember) -> Self {
        Self { write, latest: Arc::default(), writing: Arc::default() }
    }

    pub(super) fn keep(&self, work: &mut JoinSet<Came>, sizes: Remembered) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(sizes);
        let (write, latest, writing) =
            (self.write.clone(), self.latest.clone(), self.writing.clone());
        work.spawn_blocking(move || {
            let _one = writing.lock().unwrap_or_else(PoisonError::into_inner);
            let sizes = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
            // Absent where another one has written them already.
            Came::Remembered(sizes.map_or(Ok(()), |sizes| write(&sizes)))
        });
    }
}

pub(super) fn read_rules(work: &mut JoinSet<Came>, desk: Arc<dyn Desk>, session: SessionId) {
    work.spawn_blocking(move || {
        // Somebody may have changed a file since.
        if let Err(why) = desk.send(Command::ReadRules) {
            tracing::warn!(%why, "the rules were not read anew");
        }
        Came::Rules(session, desk.rules(session), desk.rule_faults())
    });
}

pub(super) fn read_changes(work: &mut JoinSet<Came>, desk: Arc<dyn Desk>, session: SessionId) {
    work.spawn(async move {
        let changes = desk.changes(session).await;
        Came::Changes(session, changes.map_err(|error| error.to_string()))
    });
}

pub(super) fn plan_undo(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    session: SessionId,
    calls: Vec<CallId>,
) {
    work.spawn(async move {
        let planned = desk.plan_undo(session, calls.clone()).await;
        Came::Planned(calls, planned)
    });
}

pub(super) fn compare(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    session: SessionId,
    call: CallId,
) {
    work.spawn(async move {
        let texts = match desk.compare(session, call).await {
            Ok(texts) => texts,
            Err(why) => return Came::Compared(call, Err(why)),
        };
        let compared = tokio::task::spawn_blocking(move || {
            let after = texts.after.as_deref().unwrap_or_default();
            Sheet::Diff(Diff::new(texts.before.as_deref(), after))
        });
        let compared = compared.await.map(Arc::new).map_err(|error| error.to_string());
        Came::Compared(call, compared)
    });
}

pub(super) fn colour(work: &mut JoinSet<Came>, session: SessionId, call: CallId, code: String) {
    work.spawn_blocking(move || Came::Coloured(session, call, highlight::highlight(&code)));
}

pub(super) fn prepare(work: &mut JoinSet<Came>, desk: Arc<dyn Desk>, question: Box<Question>) {
    work.spawn_blocking(move || {
        let capability = desk.capability(&question.call.name);
        Came::Prepared(question.id, Arc::new(paper::of(&question)), capability)
    });
}

pub(super) fn lay_out(
    work: &mut JoinSet<Came>,
    question: ApprovalId,
    sheet: Arc<Sheet>,
    shape: Shape,
) {
    work.spawn_blocking(move || Came::LaidOut(question, Arc::new(Index::of(&sheet, shape))));
}

pub(super) fn lay_out_change(
    work: &mut JoinSet<Came>,
    call: CallId,
    sheet: Arc<Sheet>,
    shape: Shape,
) {
    work.spawn_blocking(move || Came::ChangeLaidOut(call, Arc::new(Index::of(&sheet, shape))));
}

pub(super) fn find(
    work: &mut JoinSet<Came>,
    question: ApprovalId,
    (sheet, index): (Arc<Sheet>, Arc<Index>),
    word: String,
    marks: Marks,
) {
    work.spawn_blocking(move || {
        let hits = index.find(&sheet, &word, Brush::of_text(marks));
        Came::Found(question, index, word, hits)
    });
}

/// Reads something of a file. Whoever looks at another one waits for nothing of it any more.
pub(super) fn read_file(
    work: &mut JoinSet<Came>,
    reader: &Reader,
    root: PathBuf,
    file: PathBuf,
    ask: Ask,
) {
    if ask == Ask::Close {
        reader.open();
        return;
    }
    let visit = reader.visit(root, file.clone());
    work.spawn_blocking(move || {
        visit.ask(ask).map_or(Came::Nothing, |read| Came::File(file, read))
    });
}

pub(super) fn read_theme(work: &mut JoinSet<Came>, file: PathBuf, depth: Depth) {
    work.spawn_blocking(move || {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let theme = match std::fs::read_to_string(&file) {
            Ok(source) => Theme::parse(&name, &source, depth).map_err(|fault| fault.to_string()),
            Err(error) => Err(format!("{name} cannot be read: {error}.")),
        };
        Came::Theme(file, theme)
    });
}

pub(super) fn keep(work: &mut JoinSet<Came>, keep: Keep, setting: Setting) {
    work.spawn_blocking(move || {
        let kept = keep(setting.clone());
        Came::Kept(setting, kept)
    });
}
