//! `footplate sessions`: what there is to carry on.

use jiff::tz::TimeZone;

use super::{
    args::SessionsAction,
    decisions,
    exit::{Exit, Failure},
    print, setup,
};
use crate::kernel::{port::SessionSummary, text};

pub(super) fn run(action: SessionsAction) -> Result<Exit, Failure> {
    match action {
        SessionsAction::List => list(),
        // Without `--decisions` the command line is refused: there is nothing else to show yet.
        SessionsAction::Show { id, decisions: _, json } => {
            let how = if json { decisions::Output::Json } else { decisions::Output::Text };
            decisions::show(&id, how)
        }
    }
}

fn list() -> Result<Exit, Failure> {
    let sessions = setup::spoken(setup::store(&setup::home()?).list()?);
    if sessions.is_empty() {
        print::aside("No sessions yet.");
        return Ok(Exit::Done);
    }
    let zone = TimeZone::system();
    for session in &sessions {
        if print::text(&line(session, &zone)).is_err() {
            break;
        }
    }
    Ok(Exit::Done)
}

fn line(session: &SessionSummary, zone: &TimeZone) -> String {
    let changed = zone.to_datetime(session.changed).strftime("%Y-%m-%d %H:%M");
    let title = session.title.as_deref().unwrap_or("(nothing said)");
    let title = one_line(title);
    let title: String = title.chars().take(60).collect();
    let folder = one_line(&session.spec.workspace.display().to_string());
    format!("{}  {changed}  {folder}  {title}\n", session.spec.id.short())
}

/// Text from a journal, made safe to print on a line.
pub(super) fn one_line(words: &str) -> String {
    text::clean(words.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ")
}
