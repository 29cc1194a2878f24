//! What a screen is handed.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::Host;
use crate::kernel::{
    BoxFuture,
    clock::Reading,
    command::Command,
    event::Envelope,
    gate::{
        approval::{NotAnswered, Scope},
        law::Placed,
    },
    id::{ApprovalId, CallId, SessionId},
    port::{Desk, OutputPage, StartError, StoreError},
    spec::SessionSpec,
};

impl Desk for Host {
    fn subscribe(&self) -> mpsc::UnboundedReceiver<Arc<Envelope>> {
        self.events()
    }

    fn send(&self, command: Command) -> Result<(), NotAnswered> {
        match command {
            Command::Send { session, text } => self.send(session, text),
            Command::Answer { approval, answer } => {
                return self.0.answer(approval, answer);
            }
            Command::Interrupt { session } => self.interrupt(session),
            Command::Revoke { grant } => return self.0.revoke(grant),
            Command::RevokeSaved { session, rule } => return self.0.revoke_saved(session, rule),
            Command::ReadRules => self.0.laws.reload(),
            Command::SetMode { session, mode } => {
                if let Err(error) = self.0.set_mode(session, mode) {
                    tracing::error!(%error, "a change of mode was not recorded, so it does not hold");
                }
            }
        }
        Ok(())
    }

    fn rules(&self, session: SessionId) -> Vec<Placed> {
        self.0.get(session).map(|live| live.context.gate.law().here()).unwrap_or_default()
    }

    fn consider(&self, approval: ApprovalId, scope: &Scope) -> Result<usize, NotAnswered> {
        let waiting = self.0.waiting.as_ref().ok_or(NotAnswered::NobodyWaits)?;
        waiting.consider(approval, scope)
    }

    fn start(&self, spec: SessionSpec, message: Option<String>) -> Result<SessionId, StartError> {
        let id = self.start(spec).map_err(|error| StartError(error.to_string()))?;
        if let Some(text) = message {
            self.send(id, text);
        }
        Ok(id)
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

    fn clock(&self, call: CallId) -> Option<Reading> {
        self.0.board.read(call)
    }
}
