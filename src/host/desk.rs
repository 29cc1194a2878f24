//! What a screen is handed.

use std::sync::Arc;

use super::{Changes, Choice, Host, Inner, orders};
use crate::kernel::{
    BoxFuture,
    capability::Capability,
    change::{Planned, Texts},
    clock::Reading,
    command::Command,
    error::CallError,
    gate::{
        approval::{NotAnswered, Scope},
        law::Placed,
        unrecorded,
    },
    id::{ApprovalId, CallId, SessionId},
    message::Words,
    picture::PictureId,
    port::{
        Desk, Listed, NotResumed, Numbered, OutputPage, Sequel, StartError, StoreError, Visit,
        Watch, When,
    },
    spec::SessionSpec,
};

impl Desk for Host {
    fn subscribe(&self) -> Watch {
        self.events()
    }

    fn send(&self, command: Command) -> Result<(), NotAnswered> {
        self.begin(command).map(drop)
    }

    fn begin(&self, command: Command) -> Result<Option<Sequel>, NotAnswered> {
        match command {
            Command::Undo { session, calls } => {
                let inner = self.0.clone();
                return Ok(Some(self.0.goes_on(session, "Nothing was undone", async move {
                    inner.undo(session, calls).await.map_err(|error| error.message)
                })));
            }
            Command::Fork { session, before } => return Ok(Some(self.fork(session, before))),
            Command::Rewind { session, before } => return self.0.rewind(session, before).map(Some),
            Command::Send { session, words } => self.say(session, |to| to.send(words))?,
            Command::Steer { session, words } => self.say(session, |to| to.steer(words))?,
            Command::TakeBack { session, text } => self.0.take_back(session, &text)?,
            Command::Run { session, code } => self.0.run_by_hand(session, code)?,
            Command::Answer { approval, answer } => self.0.answer(approval, answer)?,
            Command::Interrupt { session } => self.interrupt(session),
            Command::Cancel { session, extent } => self.0.cancel_by_hand(session, extent),
            Command::Revoke { grant } => self.0.revoke(grant)?,
            Command::RevokeSaved { session, rule } => self.0.revoke_saved(session, rule)?,
            Command::Judge { project, text, said } => self.0.laws.judge(&project, &text, said)?,
            Command::ReadRules => self.0.laws.reload(),
            Command::SetMode { session, mode } => {
                let failed = |error: StoreError| format!("The mode is what it was: {error}");
                let set = self.0.set_mode(session, mode).map_err(failed);
                set.map_err(NotAnswered::Refused)?;
            }
            Command::Rename { session, name } => self.0.rename(session, &name)?,
            Command::Watch { session } => self.watch(session),
            Command::Unwatch { session } => self.0.watches.leave(session),
            Command::Delete { session } => self.0.delete(session)?,
        }
        Ok(None)
    }

    fn rules(&self, session: SessionId) -> Vec<Placed> {
        self.0.get(session).map(|live| live.context.gate.law().here()).unwrap_or_default()
    }

    fn rule_faults(&self) -> Vec<String> {
        self.0.laws.faults()
    }

    fn consider(&self, approval: ApprovalId, scope: &Scope) -> Result<usize, NotAnswered> {
        let waiting = self.0.waiting.as_ref().ok_or(NotAnswered::NobodyWaits)?;
        waiting.consider(approval, scope)
    }

    fn start(&self, spec: SessionSpec, message: Option<Words>) -> Result<SessionId, StartError> {
        let id = self.start(spec).map_err(|error| StartError(error.to_string()))?;
        if let Some(words) = message {
            self.send(id, words);
        }
        Ok(id)
    }

    fn sessions(&self) -> BoxFuture<'_, Result<Vec<Listed>, StoreError>> {
        let inner = self.0.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || inner.listed());
            // Only a panic or the end of the program loses the task.
            read.await.unwrap_or_else(|_| Ok(Vec::new()))
        })
    }

    fn said(&self, session: SessionId) -> BoxFuture<'_, Result<Vec<Numbered>, StoreError>> {
        let store = self.0.parts.store.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || orders::said(&*store, session));
            // Only a panic or the end of the program loses the task.
            read.await.unwrap_or_else(|_| Ok(Vec::new()))
        })
    }

    fn resume(
        &self,
        session: SessionId,
        when: When,
    ) -> BoxFuture<'_, Result<Option<String>, NotResumed>> {
        Box::pin(self.take_over(session, when))
    }

    fn output(
        &self,
        session: SessionId,
        call: CallId,
        lines: usize,
    ) -> BoxFuture<'_, Result<OutputPage, StoreError>> {
        let store = self.0.parts.store.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || store.output(session, call, lines));
            // Only a panic or the end of the program loses the task.
            read.await.unwrap_or_else(|_| Ok(OutputPage::default()))
        })
    }

    fn lines(
        &self,
        session: SessionId,
        call: CallId,
        from: u64,
        mut visit: Visit,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        let store = self.0.parts.store.clone();
        Box::pin(async move {
            let read =
                tokio::task::spawn_blocking(move || store.lines(session, call, from, &mut *visit));
            // Only a panic or the end of the program loses the task.
            read.await.unwrap_or(Ok(0))
        })
    }

    fn picture(
        &self,
        session: SessionId,
        picture: PictureId,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, StoreError>> {
        let store = self.0.parts.store.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || store.picture(session, picture));
            // Only a panic or the end of the program loses the task.
            read.await.unwrap_or(Ok(None))
        })
    }

    fn changes(&self, session: SessionId) -> BoxFuture<'_, Result<Vec<Planned>, StoreError>> {
        let store = self.0.parts.store.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || Changes::read(&*store, session));
            // Only a panic or the end of the program loses the task.
            let Ok(changes) = read.await else { return Ok(Vec::new()) };
            // Where nothing can be looked at, there is nothing to undo either.
            Ok(changes?.plan(&Choice::All).await.unwrap_or_default())
        })
    }

    fn capability(&self, name: &str) -> Option<Arc<Capability>> {
        self.registry().find(name)
    }

    fn plan_undo(
        &self,
        session: SessionId,
        calls: Vec<CallId>,
    ) -> BoxFuture<'_, Result<Vec<Planned>, String>> {
        Box::pin(async move {
            let changes = self.0.changes(session).await.map_err(|error| error.message)?;
            changes.plan(&Choice::Calls(calls)).await.map_err(|error| error.message)
        })
    }

    fn compare(&self, session: SessionId, call: CallId) -> BoxFuture<'_, Result<Texts, String>> {
        Box::pin(async move {
            let changes = self.0.changes(session).await.map_err(|error| error.message)?;
            changes.texts(&*self.0.parts.store, call).await.map_err(|error| error.message)
        })
    }

    fn clock(&self, call: CallId) -> Option<Reading> {
        self.0.board.read(call)
    }
}

impl Inner {
    /// What was written in a session, as its journals tell it.
    pub(super) async fn changes(&self, session: SessionId) -> Result<Changes, CallError> {
        let store = self.parts.store.clone();
        let read = tokio::task::spawn_blocking(move || Changes::read(&*store, session)).await;
        let ended = |error: tokio::task::JoinError| CallError::failed(error.to_string());
        read.map_err(ended)?.map_err(unrecorded)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::{
        host::{Attendance, Parts},
        kernel::{
            change::{Undo, Why},
            event::Event,
            gate::policy::Runs,
            invoke::ToolResult,
            port::{Ended, Executor, Job, NoBook, NoProfiles},
            registry::Mounts,
            spec::Mode,
        },
        model::{Models, NONE, scripted::Pace},
        store::MemoryStore,
    };

    struct NoPrograms;

    impl Executor for NoPrograms {
        fn check(&self, _: &str, _: &Mounts) -> Result<(), CallError> {
            Ok(())
        }

        fn run(&self, _: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
            Box::pin(async { Err(CallError::failed("nothing runs here")) })
        }
    }

    fn host() -> Host {
        Host::new(Parts {
            store: Arc::new(MemoryStore::new()),
            registry: crate::modules::registry(),
            models: Models::new(Vec::new(), |_| None, Pace::Instant),
            executor: Arc::new(NoPrograms),
            attendance: Attendance::Attended,
            monitor: None,
            runs: Runs::default(),
            rules: Arc::default(),
            book: Arc::new(NoBook),
            memory: None,
            worktrees: None,
            profiles: Arc::new(NoProfiles),
        })
    }

    fn spec(workspace: PathBuf) -> SessionSpec {
        SessionSpec {
            workspace,
            model: NONE.to_owned(),
            mode: Mode::Auto,
            ..SessionSpec::sample(SessionId::fresh())
        }
    }

    /// The result of the next undo.
    async fn finished(events: &mut Watch) -> ToolResult {
        loop {
            let envelope = events.recv().await.unwrap();
            if let Event::CallFinished { result, .. } = &envelope.event
                && result.name == "undo"
            {
                return result.clone();
            }
        }
    }

    #[tokio::test]
    async fn a_screen_asks_for_a_name_a_copy_and_a_way_back_and_sees_them() {
        let folder = tempfile::tempdir().unwrap();
        let host = host();
        let session = host.start(spec(folder.path().to_owned())).unwrap();
        let desk: &dyn Desk = &host;
        let mut events = desk.subscribe();
        let write = |text: &str| json!({ "path": "a.txt", "text": text }).to_string();
        for text in ["one", "two"] {
            host.send(session, text.to_owned());
            host.idle(session).await.unwrap();
            assert!(host.call(session, "files.write", write(text)).await.unwrap().ok);
        }
        desk.send(Command::Rename { session, name: " the  boiler ".into() }).unwrap();
        assert_eq!(host.0.parts.store.list().unwrap()[0].name.as_deref(), Some("the boiler"));
        let odd = desk.send(Command::Rename { session, name: "\u{1b}[2J".into() });
        assert!(matches!(odd, Err(NotAnswered::Refused(_))), "{odd:?}");

        desk.send(Command::Fork { session, before: Some(2) }).unwrap();
        let resumed = |event: &Event| matches!(event, Event::SessionResumed { .. });
        let mut copy = Vec::new();
        while !copy.last().is_some_and(resumed) {
            let envelope = events.recv().await.unwrap();
            if envelope.session != session {
                copy.push(envelope.event.clone());
            }
        }
        assert!(matches!(copy[0], Event::SessionStarted { .. }), "seen from its beginning");
        let said = copy.iter().filter(|event| matches!(event, Event::MessageSent { .. }));
        assert_eq!(said.count(), 1);

        desk.send(Command::Rewind { session, before: 2 }).unwrap();
        let rewound = |event: &Event| matches!(event, Event::ConversationRewound { .. });
        while !rewound(&events.recv().await.unwrap().event) {}
        assert_eq!(std::fs::read(folder.path().join("a.txt")).unwrap(), b"one");
        let nowhere = Command::Rewind { session: 9.into(), before: 1 };
        assert!(desk.send(nowhere).is_err());

        let vain = [
            (Command::Rewind { session, before: 9 }, "Did not go back: "),
            (Command::Fork { session, before: Some(9) }, "Not copied: "),
            (Command::Fork { session: 9.into(), before: None }, "Not copied: "),
            (Command::Undo { session: 9.into(), calls: Vec::new() }, "Nothing was undone: "),
        ];
        for (command, expected) in vain {
            let sequel = desk.begin(command).unwrap().unwrap();
            let why = sequel.await.expect_err(expected);
            assert!(why.starts_with(expected) && why.len() > expected.len(), "{why}");
        }
        host.shutdown().await;
    }

    #[tokio::test]
    async fn a_screen_sees_what_was_written_and_asks_to_take_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().canonicalize().unwrap().join("a.txt");
        std::fs::write(&file, "old\n").unwrap();
        let host = host();
        let session = host.start(spec(folder.path().to_owned())).unwrap();
        let desk: &dyn Desk = &host;
        let mut events = desk.subscribe();
        for text in ["new\n", "newer\n"] {
            let input = json!({ "path": "a.txt", "text": text }).to_string();
            let result = host.call(session, "files.write", input).await.unwrap();
            assert!(result.ok, "{result:?}");
        }
        let changes = desk.changes(session).await.unwrap();
        let undo: Vec<_> = changes.iter().map(|planned| planned.undo.clone()).collect();
        assert_eq!(undo, [Undo::Restore { bytes: 4 }, Undo::Restore { bytes: 4 }]);

        let texts = desk.compare(session, changes[1].recorded.call).await.unwrap();
        let text = |text: &str| Some(text.to_owned());
        let first = Texts { before: text("old\n"), after: text("new\n") };
        assert_eq!(texts, first, "also of a change on which a later one stands");
        let first = vec![changes[1].recorded.call];
        let alone = desk.plan_undo(session, first).await.unwrap();
        let later = Undo::LeaveAlone(Why::Later(changes[0].recorded.call));
        assert_eq!(alone.iter().map(|it| &it.undo).collect::<Vec<_>>(), [&later]);

        let calls = vec![changes[0].recorded.call];
        desk.send(Command::Undo { session, calls }).unwrap();
        let undone = finished(&mut events).await;
        assert!(undone.ok, "{undone:?}");
        assert_eq!(std::fs::read(&file).unwrap(), b"new\n");

        std::fs::write(&file, "theirs\n").unwrap();
        let calls = vec![changes[1].recorded.call];
        desk.send(Command::Undo { session, calls }).unwrap();
        let left = finished(&mut events).await;
        assert!(left.text().contains("left alone: another program changed it at"), "{left:?}");
        assert_eq!(std::fs::read(&file).unwrap(), b"theirs\n");
        host.shutdown().await;
    }
}
