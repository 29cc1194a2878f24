//! What a line is: an answer, a command, or words for a session.

use super::{
    Burst, Line, Lines, Source, answer,
    ask::{self, Open},
    command, help, words,
};
use crate::{
    kernel::command::Command,
    tui::{
        clean,
        effect::Effect,
        state::{
            Leave,
            composer::When,
            draft::Draft,
            status::{Player, Twice},
        },
        update::steps,
    },
};

/// Lines that came at once.
pub(super) fn typed(lines: &mut Lines, burst: Burst) -> Vec<Effect> {
    let Burst { lines: mut typed, goes_on } = burst;
    lines.state.status.disarm();
    for line in &typed {
        lines.said.push(Line::Wrote(clean::shown(line).into_owned()));
    }
    let begun = std::mem::take(&mut lines.begun);
    if let (false, Some(first)) = (begun.is_empty(), typed.first_mut()) {
        first.insert_str(0, &begun);
        keep(lines, &typed.join("\n"));
        return answer::refuse(
            lines,
            &format!("It was begun before this could be read, so it is no answer. {KEPT}"),
        );
    }
    if let ([line], false) = (&typed[..], goes_on) {
        return one(lines, line);
    }
    if typed.iter().any(|line| lines.open.reads(line).is_some() || is_stray(lines, line)) {
        keep(lines, &typed.join("\n"));
        let count = typed.len();
        return answer::refuse(
            lines,
            &format!("{} came at once, so none of it is an answer. {KEPT}", words::lines(count)),
        );
    }
    let mut effects = Vec::new();
    let mut text: Vec<String> = Vec::new();
    for line in typed {
        if command::is_one(&line) {
            effects.extend(say(lines, &std::mem::take(&mut text).join("\n")));
            effects.extend(one(lines, &line));
        } else {
            text.push(line);
        }
    }
    effects.extend(say(lines, &text.join("\n")));
    effects
}

const KEPT: &str = "It is kept as a draft: /draft tells it, /send says it, /drop drops it.";

/// An answer to something that is not asked any more, or not known to be read yet.
fn is_stray(lines: &Lines, line: &str) -> bool {
    lines.open == Open::Nothing
        && words::read(line).is_some()
        && !lines.guard.counts(lines.state.now)
        || matches!(lines.open, Open::Sent(_)) && words::read(line).is_some()
}

/// One line that stood alone.
fn one(lines: &mut Lines, line: &str) -> Vec<Effect> {
    if line.trim().is_empty() {
        help::here(lines);
        ask::prompt(lines);
        return Vec::new();
    }
    if let Some(word) = lines.open.reads(line) {
        if lines.guard.counts(lines.state.now) {
            return answer::act(lines, word);
        }
        keep(lines, line);
        return answer::refuse(
            lines,
            "Not taken as an answer: it came before this could be read. It is kept as a draft. \
             Type it again.",
        );
    }
    if is_stray(lines, line) {
        keep(lines, line);
        lines.say("Nothing waits for that answer any more. It is kept as a draft: /send says it.");
        return Vec::new();
    }
    let asks = !matches!(lines.open, Open::Nothing | Open::Sent(_));
    if asks && (words::is_near(line) || words::read(line).is_some()) {
        let may = lines.open.may();
        return answer::refuse(
            lines,
            &format!("Nothing was answered. A word here is one of: {may}."),
        );
    }
    if line.trim().eq_ignore_ascii_case("output") && lines.outputs.offers() {
        return super::outputs::more(lines);
    }
    if command::is_one(line) {
        let effects = command::run(lines, line);
        ask::prompt(lines);
        return effects;
    }
    let effects = say(lines, line);
    ask::prompt(lines);
    effects
}

/// Keeps a text with the draft.
fn keep(lines: &mut Lines, text: &str) {
    let draft = &mut lines.state.composer.draft;
    let before = draft.text();
    *draft =
        Draft::of(&if before.is_empty() { text.to_owned() } else { format!("{before}\n{text}") });
}

/// The text of a line that had no end when something was said: what follows is the rest of it.
pub(super) fn begun(lines: &mut Lines, text: &str) {
    lines.begun.push_str(text);
    if !text.is_empty() {
        lines.say(format!("Your line so far: {}", lines.begun.clone()));
        ask::prompt(lines);
    }
}

/// Says words to the session that is listened to, by the way the composer takes.
pub(super) fn say(lines: &mut Lines, text: &str) -> Vec<Effect> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let nobody = matches!(lines.state.place.player, Player::Nobody { .. });
    if lines.state.sessions.viewed().is_none() && nobody {
        keep(lines, text);
        lines.say("No model is connected, so nobody hears it. It is kept as a draft. Type /model to hear how one is connected, or /tour.");
        return Vec::new();
    }
    let draft = std::mem::replace(&mut lines.state.composer.draft, Draft::of(text));
    let effects = steps::send(&mut lines.state, When::AfterTurn);
    let left = lines.state.composer.draft.text();
    lines.state.composer.draft = draft;
    if !left.is_empty() {
        keep(lines, &left);
    }
    let is_sent = |effect: &&Effect| {
        matches!(
            effect,
            Effect::Send(Command::Send { .. } | Command::Run { .. }) | Effect::Start { .. }
        )
    };
    lines.owed += effects.iter().filter(is_sent).count();
    let works = effects.iter().any(|effect| matches!(effect, Effect::Send(Command::Send { .. })))
        && lines.state.sessions.node().is_some_and(|node| node.doing.works());
    if works {
        lines.say("It is said when this turn has ended.");
    }
    lines.after(effects)
}

/// ctrl+c: the draft goes first, then the turn, then footplate; each but the draft only on the second.
pub(super) fn interrupted(lines: &mut Lines) -> Vec<Effect> {
    let now = lines.state.now.at;
    let begun = std::mem::take(&mut lines.begun);
    if !begun.is_empty() {
        lines.say(format!("Line dropped: {begun}"));
        ask::prompt(lines);
        return Vec::new();
    }
    let state = &mut lines.state;
    if !state.composer.draft.is_empty() {
        let text = state.composer.take().text();
        lines.say(format!("Draft dropped: {text}"));
        ask::prompt(lines);
        return Vec::new();
    }
    let at_work =
        state.sessions.node().filter(|node| node.doing.works() || !node.by_hand.is_empty());
    let effects = match at_work.map(|node| node.spec.id) {
        Some(session) if state.status.twice(Twice::StopTurn, now) => {
            vec![Effect::Send(Command::Interrupt { session })]
        }
        Some(_) => {
            lines.say("ctrl+c again stops this turn. Agents go on.");
            Vec::new()
        }
        None if state.status.twice(Twice::Quit, now) => {
            steps::quit(state);
            Vec::new()
        }
        None => {
            lines.say("ctrl+c again quits.");
            Vec::new()
        }
    };
    let effects = lines.after(effects);
    ask::prompt(lines);
    effects
}

/// Nothing more comes: from a pipe for good, from a terminal for now.
pub(super) fn ended(lines: &mut Lines) -> Vec<Effect> {
    if lines.open == Open::Quit {
        lines.state.place.leave = Some(Leave::Quit);
        return lines.settle();
    }
    if lines.source == Source::Pipe {
        lines.ended = true;
        return Vec::new();
    }
    lines.open = Open::Nothing;
    steps::quit(&mut lines.state);
    lines.after(Vec::new())
}

/// Where nobody can say anything any more, nothing waits for an answer, and what is at work comes to its
/// end.
pub(super) fn leave(lines: &mut Lines) -> Vec<Effect> {
    let state = &lines.state;
    if !lines.ended || state.place.leave.is_some() {
        return Vec::new();
    }
    if state.queue.calls() > 0 {
        lines.say("Nobody can answer: the input has ended. What asks is withdrawn, and not done.");
        lines.state.place.leave = Some(Leave::Unanswered);
    } else if lines.owed == 0 && state.place.starting.is_none() && state.sessions.at_work() == 0 {
        lines.state.place.leave = Some(Leave::Quit);
    } else {
        return Vec::new();
    }
    lines.settle()
}
