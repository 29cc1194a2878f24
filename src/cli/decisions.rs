//! `footplate sessions show ID --decisions`: who or what decided each effect, from the journals alone.

use jiff::tz::TimeZone;

use super::{
    exit::{Exit, Failure},
    meant,
    print::{self, one_line},
    setup,
};
use crate::kernel::{
    event::{Decider, Event},
    gate::approval::Scope,
    id::SessionId,
    port::{Store, StoreError},
    session::decisions::{Decided, Log, Outcome, Ruling},
    text,
};

/// How it is told.
#[derive(Clone, Copy)]
pub(super) enum Output {
    Text,
    Json,
}

pub(super) fn show(end: &str, how: Output) -> Result<Exit, Failure> {
    let store = setup::store(&setup::home()?);
    let id = meant::find(&*store, end)?.spec.id;
    let all = of_tree(&*store, id)?;
    if all.is_empty() {
        print::aside("Nothing was decided: it only read.");
    }
    let zone = TimeZone::system();
    for decided in &all {
        let printed = match how {
            Output::Json => print::json(decided),
            Output::Text => print::text(&line(decided, &zone)),
        };
        if printed.is_err() {
            break;
        }
    }
    Ok(Exit::Done)
}

/// The decisions of a session and all agents below it, oldest first.
fn of_tree(store: &dyn Store, root: SessionId) -> Result<Vec<Decided>, StoreError> {
    let mut wanted = vec![root];
    let mut all = Vec::new();
    while let Some(id) = wanted.pop() {
        let mut log = Log::default();
        match read(store, id, &mut log, &mut wanted) {
            // An agent whose journal is gone decides nothing more.
            Err(error) if id != root => print::aside(&format!("footplate: left out: {error}")),
            read => read?,
        }
        all.extend_from_slice(log.made());
    }
    all.sort_by_key(|decided| decided.at);
    Ok(all)
}

/// What was decided in one session, and the agents it started.
fn read(
    store: &dyn Store,
    id: SessionId,
    log: &mut Log,
    agents: &mut Vec<SessionId>,
) -> Result<(), StoreError> {
    let mut events = store.events(id)?;
    for envelope in events.by_ref() {
        let envelope = envelope?;
        if let Event::ChildStarted { child, .. } = envelope.event {
            agents.push(child);
        }
        log.apply(&envelope);
    }
    if let Some(notice) = events.notice() {
        print::aside(&format!("footplate: {notice}"));
    }
    Ok(())
}

fn line(decided: &Decided, zone: &TimeZone) -> String {
    let at = zone.to_datetime(decided.at).strftime("%H:%M:%S");
    let mark = match decided.verdict {
        Ruling::Allowed => "✓",
        Ruling::Denied => "⊘",
        Ruling::Withdrawn => "–",
        Ruling::Open => "»",
    };
    let category = decided.category.map_or("-", |category| category.name()).to_uppercase();
    let effect = text::shown(&decided.effect);
    let effect: String = effect.chars().take(48).collect();
    let (waited, left_out) =
        (seconds(decided.waited.waited_ms), seconds(decided.waited.excluded_ms));
    let agent = one_line(&decided.agent.join(" › "));
    let place = decided.line.map_or(agent.clone(), |line| format!("{agent}:{line}"));
    let by = one_line(&by(decided));
    let came = decided.outcome.as_ref().and_then(Outcome::words);
    let came = came.map(|words| format!("  ({})", one_line(&words))).unwrap_or_default();
    format!(
        "{at}  {mark} {category:<8}  {effect:<32}  {by}  {waited:>8}  {left_out:>8}  {place}{came}\n"
    )
}

/// Who or what decided, and how far it reached.
fn by(decided: &Decided) -> String {
    let who = match (&decided.by, decided.verdict) {
        (None, Ruling::Withdrawn) => "withdrawn".to_owned(),
        (None, _) => "still open".to_owned(),
        (Some(Decider::Mode { mode }), _) => format!("mode {}", mode.name()),
        (Some(Decider::Grant), _) => "a yes of this session".to_owned(),
        (Some(Decider::Rule { rule }), _) => format!("rule {rule}"),
        (Some(Decider::Monitor(doubt)), _) => {
            format!("monitor: {} {}", doubt.tier.name(), text::quoted(&doubt.reason))
        }
        (Some(Decider::Nobody), _) => "nobody there".to_owned(),
        (Some(Decider::Expiry), _) => "nobody in time".to_owned(),
        (Some(Decider::Record { run }), _) => format!("made by the run {run}"),
        (Some(Decider::Person), Ruling::Denied) => "you: no".to_owned(),
        (Some(Decider::Person), _) => match &decided.scope {
            Some(Scope::Session { .. }) => "you, for this session".to_owned(),
            Some(Scope::Always { .. }) => "you, for always".to_owned(),
            Some(Scope::Once) | None => "you, once".to_owned(),
        },
    };
    let words =
        decided.words.as_ref().map(|words| format!(" {}", text::quoted(words))).unwrap_or_default();
    let asked = decided.monitor.as_ref();
    let asked = asked
        .map(|doubt| format!(" (monitor: {} {})", doubt.tier.name(), text::quoted(&doubt.reason)));
    format!("{who}{words}{}", asked.unwrap_or_default())
}

/// `0:40.2`, or a dash for nothing.
fn seconds(ms: u64) -> String {
    if ms == 0 {
        return "-".to_owned();
    }
    format!("{}:{:02}.{}", ms / 60_000, ms / 1000 % 60, ms / 100 % 10)
}
