//! The lists of the screen as lines, said once each time that they are asked for. Their numbers are what
//! commands name.

use super::{
    Lines, Wanted,
    ask::{self, Open, say_in},
    forms, outputs, paper, tell, words,
};
use crate::{
    kernel::{
        change::{Planned, Undo},
        id::SessionId,
        port::Whereabouts,
    },
    tui::{
        clean,
        effect::Effect,
        message::{Came, Message},
        state::{
            filter::Filter,
            records::{
                decided::line,
                standing::{Row, does, kept},
            },
        },
        update::steps,
        view::state_words,
        words::{clock, count, tokens},
    },
};

/// Rows of a list that are said at once.
const MOST: usize = 20;

/// The session that no agent started, of the one that is listened to.
pub(super) fn root(lines: &Lines) -> Option<SessionId> {
    let viewed = lines.state.sessions.viewed()?;
    Some(lines.state.records.root(viewed))
}

/// What an effect came to.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for the state alone")]
pub(super) fn came(lines: &mut Lines, came: Came) -> Vec<Effect> {
    match came {
        Came::Output(call, page) => outputs::came(lines, call, page),
        Came::Edited(id, _, text) => forms::edited(lines, id, text),
        Came::Considered(id, scope, came) => {
            let told = Came::Considered(id, scope.clone(), came.clone());
            let effects = lines.turn(Message::Came(told));
            forms::considered(lines, id, &scope, &came);
            effects
        }
        Came::Planned(calls, Ok(plan)) => {
            let told: Vec<_> = plan.iter().map(|planned| undoing(lines, planned)).collect();
            let left = |planned: &&Planned| matches!(planned.undo, Undo::LeaveAlone(_));
            let able = plan.len() - plan.iter().filter(left).count();
            forms::undo(lines, calls, told, able);
            Vec::new()
        }
        Came::Planned(_, Err(why)) | Came::Changes(_, Err(why)) | Came::Said(_, Err(why)) => {
            lines.numbered.wanted = None;
            lines.say(why);
            Vec::new()
        }
        Came::Changes(of, Ok(all)) => changes(lines, of, &all),
        Came::Said(_, Ok(said)) => {
            lines.numbered.wanted = None;
            for one in &said {
                lines.say(format!("{}: {}", one.number, crate::tui::words::first_line(&one.text)));
            }
            lines.say("Type: /rewind N, to go back to before that one, files as well.");
            Vec::new()
        }
        Came::Rules(..) => {
            let effects = lines.turn(Message::Came(came));
            match lines.numbered.wanted.take() {
                Some(Wanted::Revoke(number)) => revoke(lines, number, effects),
                _ => {
                    grants(lines);
                    effects
                }
            }
        }
        Came::Listed(_) => {
            let effects = lines.turn(Message::Came(came));
            if lines.numbered.wanted.take_if(|wanted| *wanted == Wanted::Sessions).is_some() {
                sessions(lines);
            }
            effects
        }
        Came::Draft(..) | Came::NotStarted(_) => {
            if let Came::NotStarted(_) = came {
                lines.owed = 0;
            }
            let before = lines.state.composer.draft.text();
            let effects = lines.turn(Message::Came(came));
            let draft = lines.state.composer.draft.text();
            if draft != before {
                lines.say(format!("Kept as a draft: {draft}"));
            }
            effects
        }
        Came::NotDone(_) => {
            lines.owed = lines.owed.saturating_sub(1);
            let effects = lines.turn(Message::Came(came));
            if let Open::Sent(_) = lines.open {
                // It still waits, and is asked anew.
                lines.open = Open::Nothing;
            } else if let Open::Wider(_) = lines.open {
                ask::ask_again(lines);
            }
            effects
        }
        other => lines.turn(Message::Came(other)),
    }
}

/// All that waits.
pub(super) fn waiting(lines: &mut Lines) {
    let all = lines.state.queue.ordered();
    let now = lines.state.now.wall;
    let told: Vec<_> = all
        .iter()
        .enumerate()
        .map(|(at, waiting)| {
            let put_off = if waiting.put_off { ", not now" } else { "" };
            let age = clock(crate::tui::words::seconds(waiting.asked, now));
            let (who, effect) = (paper::who(waiting), paper::effect(waiting));
            format!("{}: {who}: {effect}, waits {age}{put_off}", at + 1)
        })
        .collect();
    if told.is_empty() {
        lines.say("Nothing waits.");
        return;
    }
    lines.say(format!("{} wait. Type: /waiting N, to have that one asked.", told.len()));
    for line in told {
        say_in(lines, &line);
    }
}

/// The sessions that are here and their agents.
pub(super) fn agents(lines: &mut Lines) {
    let rows = lines.state.sessions.rows();
    if rows.is_empty() {
        lines.say("There is no session yet.");
        return;
    }
    let state = &lines.state;
    let told = rows.iter().enumerate().map(|(at, row)| {
        let who = tell::who(state, row.session);
        let node = state.sessions.get(row.session);
        let time = node.and_then(|node| node.time(state.now.wall));
        let time = time.map_or_else(String::new, |seconds| format!(", {}", clock(seconds)));
        let used = node.map(|node| tell::used(&node.usage)).unwrap_or_default();
        let here =
            if state.sessions.viewed() == Some(row.session) { ", you speak to it" } else { "" };
        let words = state_words(state, row.session);
        let words = if words.is_empty() { "idle".to_owned() } else { words };
        format!("{}: {who}: {words}{time}{used}{here}", at + 1)
    });
    let told: Vec<_> = told.collect();
    lines.numbered.agents = rows.iter().map(|row| row.session).collect();
    lines.say("Sessions and agents here. Type: /to N, to speak to one; /stop N, to stop one.");
    for line in told {
        say_in(lines, &line);
    }
}

/// All sessions of this home.
fn sessions(lines: &mut Lines) {
    let listed = &lines.state.sessions.tree.listed;
    let told: Vec<_> = listed
        .iter()
        .take(MOST)
        .enumerate()
        .map(|(at, listed)| {
            let called = listed.session.called().unwrap_or("nothing said");
            let place = match &listed.place {
                Whereabouts::Here => "here".to_owned(),
                Whereabouts::There(Some(by)) => format!("open in {by}"),
                Whereabouts::There(None) => "open elsewhere".to_owned(),
                Whereabouts::Free => "not open".to_owned(),
            };
            let folder = lines.state.records.short(&listed.session.spec.workspace);
            format!("{}: {}, {place}, in {folder}", at + 1, crate::tui::words::first_line(called))
        })
        .collect();
    let numbered = listed.iter().take(MOST);
    let numbered =
        numbered.map(|listed| (listed.session.spec.id, listed.place.clone())).collect::<Vec<_>>();
    let more = listed.len().saturating_sub(MOST);
    lines.numbered.sessions = numbered;
    if told.is_empty() {
        lines.say("There is no session of before.");
        return;
    }
    lines.say("Sessions, newest first. Type: /resume N, to carry one on here.");
    for line in told {
        say_in(lines, &line);
    }
    if more > 0 {
        say_in(lines, &format!("and {more} more: footplate sessions list."));
    }
}

/// What was decided, the newest last, since that is what is heard last.
pub(super) fn decisions(lines: &mut Lines) {
    let Some(root) = root(lines) else {
        lines.say("There is no session yet.");
        return;
    };
    let decided = lines.state.records.decided(root);
    if decided.is_empty() {
        lines.say("Nothing was decided yet.");
        return;
    }
    let told: Vec<_> = decided
        .iter()
        .take(MOST)
        .rev()
        .map(|(_, decided)| line(decided, &lines.state.records.second(decided.at)))
        .collect();
    lines.say(format!("The last {} of {}:", told.len(), count(decided.len(), "decision")));
    for line in told {
        say_in(lines, &line.replace(" › ", ", "));
    }
}

fn grants(lines: &mut Lines) {
    let rules = &lines.state.records.rules;
    let told: Vec<_> = rules
        .rows(&Filter::default())
        .iter()
        .enumerate()
        .map(|(at, row)| match row {
            Row::Fault(fault) => format!("{}: a file has a fault: {fault}", at + 1),
            Row::Rule(placed) => {
                let does = does(placed.cited.effect);
                format!("{}: {does}: {}. {}", at + 1, placed.cited.says, kept(placed))
            }
        })
        .collect();
    if told.is_empty() {
        lines.say("No standing yes. Every effect is asked for.");
        return;
    }
    lines.say("What is allowed or denied. Type: /revoke N, to take a yes of yours back.");
    for line in told {
        say_in(lines, &line);
    }
}

fn revoke(lines: &mut Lines, number: usize, mut effects: Vec<Effect>) -> Vec<Effect> {
    let count = lines.state.records.rules.rows(&Filter::default()).len();
    match number.checked_sub(1).filter(|row| *row < count) {
        Some(row) => {
            lines.state.records.filter = Filter::default();
            let revoked = steps::revoke(&mut lines.state, row);
            effects.extend(lines.after(revoked));
        }
        None => lines.say(format!("There is no rule {number}; /grants numbers them.")),
    }
    effects
}

/// What was written came: it is told, or one of it is to be undone.
fn changes(lines: &mut Lines, of: SessionId, all: &[Planned]) -> Vec<Effect> {
    let wanted = lines.numbered.wanted.take();
    let calls: Vec<_> = all.iter().map(|planned| planned.recorded.call).collect();
    if all.is_empty() {
        lines.say("Nothing was written through the gate.");
        return Vec::new();
    }
    if let Some(Wanted::Undo(number)) = wanted {
        // Without a number, the last one that can be taken back.
        let able = |planned: &Planned| !matches!(planned.undo, Undo::LeaveAlone(_));
        let at = match number {
            Some(number) => number.checked_sub(1),
            None => all.iter().position(able).or(Some(0)),
        };
        // The numbers are those of the list that was said, if one was.
        let numbers = if number.is_some() && !lines.numbered.changes.is_empty() {
            &lines.numbered.changes
        } else {
            &calls
        };
        let Some(call) = at.and_then(|at| numbers.get(at)).copied() else {
            lines.say("There is no such change; /changes numbers them.");
            return Vec::new();
        };
        return vec![Effect::PlanUndo(of, vec![call])];
    }
    let told: Vec<_> = all
        .iter()
        .take(MOST)
        .enumerate()
        .map(|(at, planned)| {
            let change = &planned.recorded.change;
            let amount = format!("{} added, {} removed", change.more, change.fewer);
            let time = lines.state.records.minute(planned.recorded.at);
            format!(
                "{}: {}, {amount}, at {time}; undo: {}",
                at + 1,
                change.shown,
                words_of(lines, planned)
            )
        })
        .collect();
    lines.numbered.changes = calls;
    lines.say(format!("{}, the last first. Type: /undo N.", count(all.len(), "change")));
    for line in told {
        say_in(lines, &line);
    }
    Vec::new()
}

fn words_of(lines: &Lines, planned: &Planned) -> String {
    let recorded = &planned.recorded;
    planned.undo.words(|at| lines.state.records.minute(at), recorded.at)
}

fn undoing(lines: &Lines, planned: &Planned) -> String {
    let shown = words::spelled(&clean::asked_pieces(&planned.recorded.change.shown, 0));
    format!("{shown}: {}", words_of(lines, planned))
}

/// Tokens as a word.
pub(super) fn in_tokens(number: u64) -> String {
    format!("{} tokens", tokens(number))
}
