//! `sessions delete`: for good, once it is said what goes.

use jiff::tz::TimeZone;

use super::{
    super::{
        ask::{self, Answered},
        exit::{Exit, Failure},
        meant, print, setup,
    },
    line,
};
use crate::{config::draft, host, kernel::text};

pub(super) fn run(ids: &[String], yes: bool) -> Result<Exit, Failure> {
    let home = setup::home()?;
    let store = setup::store(&home);
    let mut roots = Vec::new();
    let zone = TimeZone::system();
    for words in ids {
        let session = meant::find(&*store, words)?;
        if roots.contains(&session.spec.id) {
            continue;
        }
        roots.push(session.spec.id);
        // Whoever closed our output still wants it done, or has answered no.
        let _ = print::text(&line(&session, &zone));
    }
    let family = host::family(&*store, &roots)?;
    let below = family.len() - roots.len().min(family.len());
    let what = match (roots.len(), below) {
        (1, 0) => "this session".to_owned(),
        (1, below) => format!("this session and {} below it", text::count(below, "agent")),
        (several, 0) => format!("these {several} sessions"),
        (several, below) => {
            format!("these {several} sessions and {} below them", text::count(below, "agent"))
        }
    };
    if below > 0 || !yes {
        print::aside(&format!("Goes for good: {what}, with all they printed and replaced."));
    }
    if !yes {
        match ask::asked(&format!("delete {what}?"), "look at them, then say --yes")? {
            Answered::Yes => {}
            Answered::No => {
                print::aside("Nothing was deleted.");
                return Ok(Exit::Failed);
            }
        }
    }
    store.delete(&family)?;
    for session in &family {
        // Mostly there is none.
        let _ = std::fs::remove_file(draft(&home.drafts(), *session));
    }
    print::aside(&format!("Deleted: {}.", family.len()));
    Ok(Exit::Done)
}
