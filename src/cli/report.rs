//! `footplate --context-report`: what the model would be given, and how much of it.

use std::sync::Arc;

use super::{
    args::Common,
    exit::{Exit, Failure},
    print,
    setup::{self, Setup},
};
use crate::{host::Attendance, model, store::MemoryStore};

pub(super) async fn run(common: &Common) -> Result<Exit, Failure> {
    // A session that leaves no trace.
    let setup = Setup::with_store(
        common,
        Attendance::Alone,
        setup::aside(),
        Arc::new(MemoryStore::default()),
    )?;
    let session = setup.start(model::NONE)?;
    let report = setup.host.report(session).map(|report| format!("{report}\n")).unwrap_or_default();
    setup.host.shutdown().await;
    // A reader that went away has seen what it wanted.
    let _ = print::text(&report);
    Ok(Exit::Done)
}
