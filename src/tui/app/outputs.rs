//! Outputs, read beside the loop: the lines around those in sight, a word in all of them, and all of
//! them into a file.

use std::{
    io::{self, Write as _},
    ops::ControlFlow,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::task::JoinSet;

use crate::{
    kernel::{
        id::{CallId, SessionId},
        port::{Desk, OutputPage, StoreError, Visit},
    },
    tui::{
        effect::Part,
        message::Came,
        state::output::{LINE, LINES},
    },
};

/// Places that are told of in a search.
const FOUND: usize = 100_000;

pub(super) fn read(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    session: SessionId,
    call: CallId,
    part: Part,
) {
    work.spawn(async move {
        let page = match part {
            Part::Last => desk.output(session, call, LINES).await,
            Part::From(line) => window(&*desk, session, call, line).await,
        };
        if let Err(error) = &page {
            tracing::warn!(%error, "an output could not be read");
        }
        let page = page.ok().map(|mut page| {
            page.lines.iter_mut().for_each(cut);
            page
        });
        Came::Output(call, page)
    });
}

/// Keeps of a line what a screen can show.
fn cut(line: &mut String) {
    if line.len() > LINE {
        let left = line.len() - line.floor_char_boundary(LINE);
        line.truncate(line.floor_char_boundary(LINE));
        line.push_str(&format!(" [… {left} bytes more in this line of its file]"));
        line.shrink_to_fit();
    }
}

/// What a visitor of lines gathers.
struct Gathered<T>(Arc<Mutex<T>>);

impl<T: Default> Gathered<T> {
    fn take(&self) -> T {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A visitor that adds to it.
    fn by(
        &self,
        mut add: impl FnMut(&mut T, u64, &str) -> ControlFlow<()> + Send + 'static,
    ) -> Visit
    where
        T: Send + 'static,
    {
        let gathered = self.0.clone();
        Box::new(move |number, line| {
            add(&mut gathered.lock().unwrap_or_else(PoisonError::into_inner), number, line)
        })
    }
}

async fn window(
    desk: &dyn Desk,
    session: SessionId,
    call: CallId,
    from: u64,
) -> Result<OutputPage, StoreError> {
    let found = Gathered::<OutputPage>(Arc::default());
    let visit = found.by(move |page, number, line| {
        if page.lines.is_empty() {
            page.first = number;
        }
        let most = line.floor_char_boundary(LINE + 1);
        let mut kept = line[..most].to_owned();
        if most < line.len() {
            kept = line.to_owned();
            cut(&mut kept);
        }
        page.lines.push(kept);
        if page.lines.len() < LINES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let total = desk.lines(session, call, from, visit).await?;
    let page = found.take();
    let first = if page.lines.is_empty() { from.min(total) } else { page.first };
    Ok(OutputPage { first, total, ..page })
}

pub(super) fn find(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    session: SessionId,
    call: CallId,
    word: String,
) {
    work.spawn(async move {
        let lower = word.to_lowercase();
        let found = Gathered::<Vec<u64>>(Arc::default());
        let visit = found.by(move |lines, number, line| {
            if line.to_lowercase().contains(&lower) {
                lines.push(number);
            }
            if lines.len() <= FOUND { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Err(error) = desk.lines(session, call, 0, visit).await {
            tracing::warn!(%error, "an output could not be searched");
        }
        let mut lines = found.take();
        let more = lines.len() > FOUND;
        lines.truncate(FOUND);
        Came::Lines { call, word, lines, more }
    });
}

pub(super) fn save(
    work: &mut JoinSet<Came>,
    desk: Arc<dyn Desk>,
    session: SessionId,
    call: CallId,
    file: PathBuf,
) {
    work.spawn(async move {
        let said = |error: String| format!("Not saved to {}: {error}.", file.display());
        // What is there already is left alone.
        let open = || std::fs::OpenOptions::new().write(true).create_new(true).open(&file);
        let into = match open() {
            Ok(into) => into,
            Err(error) => return Came::Saved(Err(said(error.to_string()))),
        };
        let written = copy(&*desk, session, call, into).await;
        Came::Saved(written.map(|()| file.clone()).map_err(said))
    });
}

/// Writes all of an output, a line each, as it is shown.
pub(super) async fn copy(
    desk: &dyn Desk,
    session: SessionId,
    call: CallId,
    into: std::fs::File,
) -> Result<(), String> {
    let fault = Gathered::<Option<io::Error>>(Arc::default());
    let mut into = io::BufWriter::new(into);
    let visit = fault.by(move |fault, _, line| {
        let written = into.write_all(line.as_bytes()).and_then(|()| into.write_all(b"\n"));
        *fault = written.err();
        if fault.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    desk.lines(session, call, 0, visit).await.map_err(|error| error.to_string())?;
    match fault.take() {
        Some(error) => Err(error.to_string()),
        None => Ok(()),
    }
}
