//! What a person does at the terminal, and where it goes.

use crossterm::event::{KeyEvent, KeyEventKind};

use super::{
    begin, compose, controls, file, leave, log, moves, output, palette, panes, paste, pointer,
    question, records, save, several, themes, transcript, tree, wider, written,
};
use crate::tui::{
    cell::Fold,
    effect::{Effect, Setting},
    guard::{Haste, Press},
    keymap::{Action, Edit, Go, Key, Keymap, Place},
    message::Input,
    state::{
        Focus, Popup, State,
        composer::When,
        records::written::View,
        status::Twice,
        tree::Below,
        waiting::{Compare, Form},
    },
    view,
};

pub(super) fn apply(state: &mut State, input: Input) -> Vec<Effect> {
    match input {
        Input::Key(event) if event.kind == KeyEventKind::Press => key(state, &event),
        Input::Key(event) if event.kind == KeyEventKind::Repeat => key(state, &event),
        Input::Key(_) => Vec::new(),
        Input::Paste(text) => paste::whole(state, &text),
        Input::Burst(keys) => paste::burst(state, &keys),
        Input::Mouse(pointed) => {
            // What was live when it was pressed; the press itself is a sign that someone is there.
            let live = state.letters_live();
            let typing = stir(state);
            pointer::apply(state, pointed, live && !typing)
        }
        // What is asked about has moved, so it has to be looked at again.
        Input::Resized => {
            stir(state);
            Vec::new()
        }
        Input::FocusGained => {
            stir(state);
            state.panes.pointer.fronted(state.now.at);
            Vec::new()
        }
        Input::FocusLost => Vec::new(),
    }
}

/// Somebody is there; a letter that was about to answer was text.
fn stir(state: &mut State) -> bool {
    let letter = state.guard.stir(state.now.at);
    if let Some(letter) = letter {
        question::typed(state, letter);
    }
    letter.is_some()
}

fn key(state: &mut State, event: &KeyEvent) -> Vec<Effect> {
    let key = Key::of(event);
    if palette::asks(state) {
        stir(state);
        return palette::given(state, key);
    }
    let haste = state.guard.haste(key.writes(), state.now.at);
    match (haste, key.writes()) {
        // An enter that stands alone ends what was typed, also where it was typed by a program.
        (Haste::Pasted, Some('\n')) if state.key_place() == Place::Composer => {
            pressed(state, key, Haste::Behind)
        }
        (Haste::Pasted, Some(c)) => paste::one_more(state, c),
        _ => pressed(state, key, haste),
    }
}

/// A key that is one, however it came.
pub(super) fn pressed(state: &mut State, key: Key, haste: Haste) -> Vec<Effect> {
    let place = state.key_place();
    let action = state.controls.keys.action(place, key);
    if let (Place::Question, Some(action), Some(letter)) = (place, action, key.typed()) {
        let press = if matches!(action, Action::Answer(_)) {
            state.guard.press(letter, state.now.at)
        } else {
            // It answers nothing, and is a letter all the same.
            state.guard.lean(letter, state.now.at)
        };
        match press {
            Press::Held => {}
            Press::Text => question::typed(state, letter),
            Press::Typing(before) => {
                question::typed(state, before);
                question::typed(state, letter);
            }
        }
        return Vec::new();
    }
    let quiet = state.guard.is_quiet(state.now.at);
    let typing = stir(state);
    if action == Some(Action::Refuse) && !typing {
        return several::no(state, quiet);
    }
    // A letter turned out to be text, so this key goes where the letter went; but what ends a
    // line must not send a word that was never meant to be one.
    let action = match typing {
        true => state.controls.keys.action(state.key_place(), key),
        false => action,
    };
    let behind = haste != Haste::Pressed;
    if typing && !behind && matches!(action, Some(Action::Edit(Edit::Send))) {
        return Vec::new();
    }
    if behind && (typing || key.writes() == Some('\t')) && state.key_place() == Place::Composer {
        key.writes().into_iter().for_each(|c| compose::typed(state, c));
        return Vec::new();
    }
    if state.is_unreadable() && goes_by_what_is_read(action) {
        return Vec::new();
    }
    let trails = state.guard.trails() || behind && key.writes() == Some('\n');
    match action {
        Some(Action::Edit(Edit::Send))
            if trails && place == Place::Composer && !state.composer.draft.is_empty() =>
        {
            state.guard.enter(state.now.at);
            Vec::new()
        }
        Some(action) if trails && does_more_than_write(state, action) => {
            state.status.say("Keys right behind a paste only write. Press it again.", state.now.at);
            Vec::new()
        }
        Some(action) => {
            if !matches!(action, Action::Leave | Action::Clear) {
                state.status.disarm();
            }
            act(state, action)
        }
        None => {
            let Some(c) = key.typed() else { return Vec::new() };
            if state.finding() {
                return output::write(state, |search| search.word.type_char(c));
            }
            text(state, c);
            Vec::new()
        }
    }
}

/// Whether a key has an effect on anything but a text and what of it is in sight.
fn does_more_than_write(state: &State, action: Action) -> bool {
    let empties = action == Action::Clear && !state.composer.draft.is_empty();
    !empties && !matches!(action, Action::Edit(_) | Action::Move(_))
}

/// Whether a key means nothing to somebody who cannot read what it is about.
fn goes_by_what_is_read(action: Option<Action>) -> bool {
    action.is_some_and(|action| {
        let sends = action == Action::Edit(Edit::Send);
        let blind = matches!(action, Action::Edit(_) | Action::Move(_) | Action::Clear);
        let leaves = matches!(action, Action::Leave | Action::Quit | Action::Suspend);
        sends || !blind && !leaves
    })
}

/// A character that is no key here is text; lists have none.
fn text(state: &mut State, c: char) {
    if records::typed(state, c) {
        return;
    }
    match state.popup {
        Some(_) if c.is_alphanumeric() => state.status.no_key(c, state.now.at),
        Some(_) => {}
        None => match (state.focus, &state.queue.form) {
            (Focus::Question, Some(Form::Because(..) | Form::Search(_) | Form::Edit(_))) => {
                question::write(state, |draft| draft.type_char(c));
            }
            _ => {
                compose::typed(state, c);
                state.focus = Focus::Composer;
            }
        },
    }
}

pub(super) fn act(state: &mut State, action: Action) -> Vec<Effect> {
    let now = state.now.at;
    match action {
        Action::Edit(edit) => return write(state, edit),
        Action::Choose if matches!(state.popup, Some(Popup::Changes { .. })) => {
            return written::choose(state);
        }
        Action::Undo if state.key_place() == Place::Transcript => panes::go(state, Go::Changes),
        Action::Undo => return written::ask(state),
        Action::Confirm if matches!(state.popup, Some(Popup::Changes { .. })) => {
            return written::confirm(state);
        }
        Action::Confirm if state.popup == Some(Popup::Sessions) => tree::filter(state, false),
        Action::Confirm if matches!(state.popup, Some(Popup::Rename { .. })) => {
            return tree::rename_chosen(state);
        }
        Action::Confirm if matches!(state.popup, Some(Popup::Save { .. })) => {
            return save::confirm(state);
        }
        Action::Confirm if state.key_place() == Place::Filter => records::filter(state, false),
        Action::Confirm => return question::confirm(state),
        Action::Lasting => wider::switch(state),
        Action::Filter if state.key_place() == Place::Sessions => tree::filter(state, true),
        Action::Filter => records::filter(state, true),
        Action::Delete => return tree::delete(state),
        Action::Resume => return tree::resume(state),
        Action::Message => return tree::message(state),
        Action::Add if matches!(state.popup, Some(Popup::Grants { .. })) => {
            return vec![Effect::RulesFile];
        }
        Action::Add => return tree::add(state),
        Action::Rename => tree::rename(state),
        Action::Said => return tree::said(state),
        Action::Revoke => {
            if let Some(Popup::Grants { row }) = state.popup {
                return records::revoke(state, row);
            }
        }
        Action::Begin(begin) => return begin::with(state, begin),
        Action::Leave => return leave::leave(state),
        Action::Suspend => return vec![Effect::Suspend],
        Action::Clear if !state.composer.draft.is_empty() || state.offers() => {
            compose::clear(state);
        }
        // It was asked, and has to be chosen.
        Action::Clear if matches!(state.popup, Some(Popup::Quit { .. })) => {}
        Action::Clear if state.status.twice(Twice::Quit, now) => leave::quit(state),
        Action::Clear => {
            let key = state.controls.key(Place::Everywhere, Action::Clear);
            let does = if leave::asks(state) { "asks whether to quit" } else { "quits" };
            state.status.say(format!("{key} again {does}."), now);
        }
        Action::Quit => leave::quit(state),
        Action::Go(Go::KeysFile) => return vec![Effect::KeysFile],
        Action::Go(go) => panes::go(state, go),
        Action::Move(by) if matches!(state.popup, Some(Popup::Themes { .. })) => {
            return themes::choose(state, by);
        }
        Action::Move(by) => moves::scroll(state, by),
        Action::Zoom => panes::zoom(state),
        Action::Size(grow) => return panes::size(state, grow),
        Action::Open => return panes::open(state),
        Action::Copy => match (state.popup, state.output_here()) {
            (Some(Popup::Decisions { row }), _) => return records::copy(state, row),
            (Some(Popup::Log { row }), _) => return log::copy(state, row),
            (Some(Popup::File), _) => return file::copy(state),
            (_, Some(call)) => return output::copy(state, call),
            (None, None) if state.focus == Focus::Transcript => return transcript::copy(state),
            _ => return question::copy(state),
        },
        Action::Script => question::script(state),
        Action::Compare if matches!(state.popup, Some(Popup::Changes { .. })) => {
            written::show(state, View::Sides);
        }
        Action::Compare if state.popup == Some(Popup::File) => {
            file::compare(state, Compare::Sides);
        }
        Action::Compare => question::compare(state),
        Action::Changed => file::compare(state, Compare::Unified),
        Action::Line => file::line(state),
        Action::File if matches!(state.popup, Some(Popup::Changes { .. })) => {
            file::open_changed(state);
        }
        Action::File => file::open_called(state),
        Action::Search => match state.output_here() {
            _ if state.popup == Some(Popup::File) => file::search(state),
            Some(call) => output::search(state, call),
            None if state.focus == Focus::Transcript => transcript::search(state),
            None => question::search(state),
        },
        Action::Output(what) => return output::act(state, what),
        Action::Fold if state.key_place() == Place::Sessions => tree::fold(state, Below::Folded),
        Action::Unfold if state.key_place() == Place::Sessions => tree::fold(state, Below::Shown),
        Action::Fold => transcript::fold(state, Fold::Shut),
        Action::Unfold => transcript::fold(state, Fold::Full),
        Action::Jump(to) => transcript::jump(state, to),
        Action::Steer => return compose::send(state, When::NextStep),
        Action::Recall => compose::search(state),
        Action::Complete => return compose::complete(state),
        Action::Order if state.key_place() == Place::Sessions => tree::order(state),
        Action::Order => state.queue.order = state.queue.order.next(),
        Action::Several => panes::several(state),
        Action::Choose => several::choose(state),
        Action::Editor(part) => match (state.popup, state.output_here()) {
            (Some(Popup::Changes { row }), _) => return written::visit(state, row),
            (Some(Popup::Grants { row }), _) => return records::visit(state, row),
            (Some(Popup::Log { .. }), _) => return log::visit(state),
            (Some(Popup::File), _) => return file::edit(state),
            (_, Some(call)) => return output::page(state, call),
            _ => return super::edit::editor(state, part),
        },
        Action::Stop => tree::stop(state),
        Action::Preset(preset) => {
            state.controls.keys = Keymap::of(preset);
            state.look.again();
            return controls::keep(Setting::Preset(preset));
        }
        Action::Mouse => return controls::mouse(state),
        Action::Rekey => palette::ask(state),
        Action::Motion => return controls::motion(state),
        Action::Fork => return tree::fork(state),
        Action::NotNow => panes::not_now(state),
        // Answers go through the guard and nowhere else.
        Action::Answer(_) | Action::Refuse => {}
    }
    Vec::new()
}

fn write(state: &mut State, edit: Edit) -> Vec<Effect> {
    if state.finding() {
        return output::edit(state, edit);
    }
    if records::edit(state, edit) {
        return Vec::new();
    }
    if state.focus == Focus::Question && matches!(state.queue.form, Some(Form::Edit(_))) {
        super::edit::write(state, edit);
        return Vec::new();
    }
    if state.focus == Focus::Question && state.queue.writing().is_some() {
        let words = matches!(state.queue.form, Some(Form::Because(..)));
        let rows = view::composer::layout_of_form(state).filter(|_| words);
        question::write(state, |draft| {
            draft.edit_in(edit, rows);
        });
        return Vec::new();
    }
    compose::edit(state, edit)
}
