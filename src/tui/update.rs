//! What a message does to the screen's state. Plain functions: what must happen outside comes back
//! as effects, and time is whatever the message says.

mod attach;
mod away;
mod begin;
mod compose;
mod controls;
mod edit;
mod events;
mod file;
mod input;
mod leave;
mod log;
mod long;
mod moves;
mod output;
mod outside;
mod palette;
mod panes;
mod paste;
mod picture;
mod pointer;
mod question;
mod records;
mod save;
mod several;
mod signals;
mod slash;
mod themes;
mod transcript;
mod tree;
mod trust;
mod wider;
mod written;

#[cfg(test)]
pub(in crate::tui) mod tests;

pub(crate) use question::asker;
pub(in crate::tui) use tree::place as whereabouts;

/// The steps that a line takes by its words, as keys take them on the screen.
pub(in crate::tui) mod steps {
    pub(in crate::tui) use super::{
        compose::send,
        edit::{came as edited, editor, open as edit},
        leave::quit,
        question::{answer, confirm, says},
        records::revoke,
        slash::run,
        tree::{carry_on, watch},
        trust::NOT_NOW,
        wider::{open as wider, save, switch},
    };
}

use super::{
    effect::Effect,
    guard::Due,
    keymap::{Action, Edit},
    message::{Came, Message, News},
    state::{Drawn, Focus, Leave, Moment, Popup, State, compared::Compared, several::Settled},
    view,
};
use crate::kernel::{id::CallId, port::Form};

/// Applies one message.
pub fn update(state: &mut State, message: Message) -> Vec<Effect> {
    let grew =
        if let Message::Happened(envelope) = &message { Some(envelope.session) } else { None };
    let mut effects = match message {
        Message::Tick(now, clocks) => {
            pass(state, now);
            state.output.clocks = clocks.into_iter().collect();
            // Here alone a letter answers: all keys that were read have been told of. One that is
            // heard of before this was typed right behind it, whatever the clock says.
            let mut effects = match state.guard.due(now.at) {
                Some(Due::Letter(question, letter)) => question::letter(state, question, letter),
                Some(Due::Enter) => input::act(state, Action::Edit(Edit::Send)),
                None => Vec::new(),
            };
            effects.extend(away::ring(state));
            effects
        }
        Message::Input(now, input) => {
            pass(state, now);
            away::heard(state, &input);
            input::apply(state, input)
        }
        Message::Drawn(now, drawn) => {
            pass(state, now);
            let mut effects = note(state, *drawn);
            effects.extend(pointer::copied(state));
            effects
        }
        Message::Happened(envelope) => {
            let before = away::before(state, &envelope);
            let chosen = tree::chosen_there(state);
            state.records.take(&envelope);
            written::take(state, &envelope);
            let effects = events::apply(state, &envelope);
            if chosen.is_some() {
                tree::hold(state, chosen);
            }
            away::happened(state, before, &envelope);
            log::happened(state, &envelope);
            effects
        }
        Message::Came(came) => take(state, came),
        Message::Told(News::Check(at, check)) => {
            if let Some(place) = state.place.checks.get_mut(at) {
                *place = check;
            }
            Vec::new()
        }
        Message::Told(News::Seal(form)) => {
            state.place.seal = Some(form);
            let weaker = match form {
                Form::Full | Form::Profile => None,
                Form::WithoutNamespaces => Some(
                    "No user namespaces here: sealed by Landlock and seccomp alone. footplate \
                     doctor says more.",
                ),
                Form::None => Some(
                    "This system has no seal. Every run asks first. footplate doctor says more.",
                ),
            };
            if let Some(weaker) = weaker {
                state.status.say(weaker, state.now.at);
            }
            Vec::new()
        }
        Message::Told(News::Models(models)) => {
            state.controls.models = models;
            Vec::new()
        }
        Message::Told(News::Pictures(how)) => {
            state.look.show_pictures(how);
            Vec::new()
        }
        Message::Told(News::Said(text)) => {
            state.status.say(text, state.now.at);
            Vec::new()
        }
        Message::Told(News::Untrusted(id, rules)) => trust::ask(state, id, rules),
        Message::Themed(Ok(theme)) => {
            state.look.change(theme);
            Vec::new()
        }
        Message::Themed(Err(fault)) => {
            state.status.fault(fault, state.now.at);
            Vec::new()
        }
        Message::Rekeyed(Ok(keys)) => {
            state.controls.keys = keys;
            state.look.again();
            Vec::new()
        }
        Message::Rekeyed(Err(fault)) => {
            state.status.fault(fault, state.now.at);
            Vec::new()
        }
        Message::Signalled => {
            state.place.leave = Some(Leave::Signal);
            Vec::new()
        }
    };
    settle(state);
    effects.extend(records::follow(state));
    effects.extend(wider::follow(state));
    effects.extend(written::follow(state));
    effects.extend(long::follow(state));
    effects.extend(file::follow(state));
    effects.extend(tree::follow(state));
    effects.extend(picture::follow(state));
    effects.extend(outside::follow(state, grew));
    tree::refuse(state, &mut effects);
    if state.place.leaving && state.has_ended() {
        state.place.leave = Some(Leave::Quit);
    }
    // After it is known whether the screen is left.
    effects.extend(compose::follow(state));
    let in_sight = view::in_sight(state);
    if let Some((session, call, part)) = state.output.want(&in_sight, state.sessions.viewed()) {
        effects.push(Effect::ReadOutput(session, call, part));
    }
    effects
}

/// Lets time pass. It never goes back: a key that was read before the last frame was reported is
/// that old.
fn pass(state: &mut State, now: Moment) {
    state.now = now;
    state.status.tick(now);
}

/// Takes in what the last frame showed.
fn note(state: &mut State, drawn: Drawn) -> Vec<Effect> {
    let mut effects = Vec::new();
    if drawn.width != state.drawn.width {
        // Rows are other rows now.
        state.queue.unsee();
    }
    match &drawn.question {
        Some(seen) => {
            state.guard.drawn(seen.id, seen.live, state.now.at);
            if let Some(waiting) = state.queue.get_mut(seen.id) {
                waiting.top = seen.top;
                waiting.saw(seen.top..seen.top + seen.rows, seen.total);
            }
        }
        None => state.guard.hidden(),
    }
    if let Some(node) = state.sessions.node_mut() {
        let text = drawn.transcript;
        let session = node.spec.id;
        let bare = node.transcript.saw(text.top.0..text.end, text.height);
        effects.extend(bare.into_iter().map(|(call, code)| Effect::Colour(session, call, code)));
    }
    if let Some((session, printed)) = drawn.printed {
        state.panes.printed = Some(session);
        if let Some(node) = state.sessions.get_mut(session) {
            node.transcript.printed = printed;
        }
    }
    state.look.fit(drawn.height);
    state.drawn = drawn;
    effects
}

/// Keeps what belongs together together: the guard watches over the question in view, and the
/// question takes the keys from an empty, quiet composer.
fn settle(state: &mut State) {
    if let Focus::Output(call) = state.focus
        && state.output.run(call).is_none()
    {
        state.focus = state.beside();
    }
    if state.status.away.told.is_none() {
        state.popup.take_if(|popup| matches!(popup, Popup::Away { .. }));
        if state.focus == Focus::Away {
            state.focus = state.beside();
        }
    }
    let current = state.queue.current().map(|waiting| waiting.question.id);
    if let Some(letter) = state.guard.attend(current) {
        question::typed(state, letter);
    }
    match current {
        None => {
            state.queue.declined = None;
            if state.focus == Focus::Question {
                state.focus = state.beside();
            }
        }
        Some(id) => {
            let free = matches!(state.focus, Focus::Composer | Focus::Start)
                && state.popup.is_none()
                && state.composer.draft.is_empty()
                && !state.offers()
                && state.queue.declined != Some(id);
            if free && state.guard.live(state.now.at) {
                state.focus = Focus::Question;
            }
        }
    }
    state.panes.settle(state.focus, state.popup);
}

/// What is shown of that change, wherever it is.
fn compared(state: &mut State, call: CallId) -> impl Iterator<Item = &mut Compared> {
    let written = state.records.written.compared.iter_mut();
    let file = state.panes.viewer.file.iter_mut().filter_map(|file| file.change.as_mut());
    written.chain(file).filter(move |compared| compared.call == call)
}

fn take(state: &mut State, came: Came) -> Vec<Effect> {
    match came {
        Came::Refused(id) => {
            let script = state.queue.get(id).map(question::asker);
            let who = script.unwrap_or_else(|| "it".to_owned());
            if !several::settled(state, id, Settled::Late) {
                let said = format!("Not done: {who} had ended before your yes.");
                state.status.say(said, state.now.at);
            }
            question::gone(state, id);
        }
        Came::Started(session) => {
            let words = state.place.starting.take();
            // Its first event may come later than this: it comes into view with that.
            state.sessions.prefer(Some(session));
            state.sessions.show(session);
            state.focus = Focus::Composer;
            let ran = words.and_then(|draft| compose::by_hand(session, &draft.text()));
            return ran.into_iter().collect();
        }
        Came::NotStarted(fault) => compose::not_started(state, fault),
        Came::Listed(came) => tree::listed(state, came),
        Came::Resumed(session, came) => return tree::resumed(state, session, came),
        Came::Deleted(came) => return tree::deleted(state, came),
        Came::Renamed(came) => return tree::renamed(state, came),
        Came::Said(of, came) => tree::told(state, of, came),
        Came::Output(call, page) => {
            if let Some((session, last)) = state.output.came(call, page)
                && let Some(node) = state.sessions.get_mut(session)
            {
                node.transcript.printed(call, last);
            }
        }
        Came::Nothing => {}
        Came::Picture(wanted, came) => return attach::read(state, &wanted, came),
        Came::Files(words, found) if matches!(state.popup, Some(Popup::Files { .. })) => {
            file::found(state, &words, found);
        }
        Came::Files(words, found) => return compose::found(state, &words, found),
        Came::File(path, read) => file::came(state, &path, read),
        Came::Draft(session, text) => compose::kept(state, session, &text),
        Came::Lines { call, word, lines, more } => output::found(state, call, &word, lines, more),
        Came::Saved(Ok(file)) => {
            state.status.say(format!("Saved: {}", file.display()), state.now.at);
        }
        Came::Saved(Err(why)) => state.status.fault(why, state.now.at),
        Came::Coloured(session, call, colours) => {
            let node = state.sessions.get_mut(session);
            if let Some(node) = node {
                node.transcript.coloured(call, colours);
            }
        }
        Came::Back(session, page, cells) => outside::back(state, session, page, cells),
        Came::FoundOutside(session, word, cells) => outside::found(state, session, &word, cells),
        Came::Painted(of, how, painted) => state.look.pictures.came(&of, how, painted),
        Came::Changes(of, came) => written::came(state, of, came),
        Came::Planned(calls, came) => written::planned(state, &calls, came),
        Came::Compared(call, came) => {
            for compared in compared(state, call) {
                compared.came(came.clone());
            }
        }
        Came::ChangeLaidOut(call, index) => {
            for compared in compared(state, call) {
                compared.laid_out(index.clone());
            }
        }
        Came::Considered(id, scope, came) => wider::considered(state, id, &scope, came),
        Came::Rules(session, rules, faults) => {
            let viewed = state.sessions.viewed();
            if viewed.is_some_and(|viewed| state.records.root(viewed) == session) {
                (state.records.rules.placed, state.records.rules.faults) = (rules, faults);
            }
        }
        Came::Prepared(id, paper, capability) => {
            if let Some(waiting) = state.queue.get_mut(id) {
                waiting.paper = Some(paper);
                waiting.capability = capability;
            }
        }
        Came::LaidOut(id, index) => long::laid_out(state, id, index),
        Came::Found(id, index, word, hits) => long::found(state, id, &index, &word, hits),
        Came::Edited(id, field, text) => edit::came(state, id, field, text),
        Came::Visited(came) => {
            // Whatever it was, it may be another text now.
            (state.records.stale, state.records.written.stale) = (true, true);
            state.records.written.compared = None;
            if let Err(why) = came {
                state.status.fault(why, state.now.at);
            }
        }
        Came::NotDone(why) => {
            wider::refused(state, &why);
            state.status.fault(why, state.now.at);
        }
        Came::Remembered(Ok(())) => {}
        Came::Theme(file, theme) => themes::came(state, &file, theme),
        Came::Kept(setting, kept) => controls::kept(state, setting, kept),
        Came::InVain(why) | Came::Remembered(Err(why)) | Came::NotSuspended(why) => {
            state.status.fault(why, state.now.at)
        }
    }
    Vec::new()
}
