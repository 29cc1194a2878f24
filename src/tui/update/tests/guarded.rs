//! Whatever is pressed, whenever questions come: no answer without the guard's conditions, and no
//! letter lost.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use crate::{
    kernel::{
        command::Command,
        event::Event,
        gate::approval::{Answer, Then},
        id::ApprovalId,
    },
    tui::{
        effect::Effect,
        keymap::{Key, Keymap, Place},
        message::{Input, Message},
        stage::{Stage, Trace, write_question},
        state::{Focus, waiting::Form},
    },
};

#[derive(Clone, Debug)]
enum Step {
    Type(char),
    Press(&'static str),
    Paste,
    Refocus,
    Wait(u64),
    /// Frames no longer reach the terminal, or do again.
    Draws(bool),
    Ask,
    Withdraw,
    /// The host does what was asked.
    Settle,
    Resize(u16, u16),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let letter = prop_oneof![4 => Just('y'), 1 => Just('n'), 1 => Just('N'), 1 => Just('f'),
        1 => Just('w'), 1 => Just('e'), 1 => Just('x'), 1 => Just(' '), 1 => Just('v'), 1 => Just('m'),
        1 => Just('/'), 1 => Just('c'), 1 => Just('p')];
    let key = prop_oneof![
        Just("tab"),
        Just("ctrl+g"),
        Just("pgdn"),
        Just("esc"),
        Just("shift+tab"),
        Just("ctrl+s"),
        Just("alt+up")
    ];
    let step = prop_oneof![
        5 => letter.prop_map(Step::Type),
        3 => key.prop_map(Step::Press),
        1 => Just(Step::Paste),
        1 => Just(Step::Refocus),
        4 => prop_oneof![Just(1_u64), Just(60), Just(140), Just(160), Just(390)].prop_map(Step::Wait),
        3 => prop_oneof![Just(450_u64), Just(900)].prop_map(Step::Wait),
        1 => any::<bool>().prop_map(Step::Draws),
        3 => Just(Step::Ask),
        1 => Just(Step::Withdraw),
        2 => Just(Step::Settle),
        1 => prop_oneof![Just((60, 15)), Just((39, 9)), Just((100, 30))]
            .prop_map(|(width, height)| Step::Resize(width, height)),
    ];
    proptest::collection::vec(step, 1..60)
}

/// Characters that are somewhere: written, remembered, or held by the guard.
fn letters(stage: &Stage) -> usize {
    let state = &stage.state;
    let form = match &state.queue.form {
        Some(Form::Because(_, draft)) => draft.text().chars().count(),
        Some(Form::Search(search)) => search.word.text().chars().count(),
        Some(Form::Wider(wider)) => wider.draft.text().chars().count(),
        // Not a place for words.
        Some(Form::Edit(_)) | None => 0,
    };
    let written = state.composer.draft.text().chars().count();
    let history = state.composer.history().iter().map(|text| text.chars().count());
    form + written
        + sought(stage).unwrap_or(0)
        + history.sum::<usize>()
        + usize::from(state.guard.holding().is_some())
}

/// Whether a letter is a key in a place.
fn bound(place: Place, letter: char) -> bool {
    let event = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
    Keymap::default().action(place, Key::of(&event)).is_some()
}

/// Characters of the word that is looked for in the transcript, where one is.
fn sought(stage: &Stage) -> Option<usize> {
    let find = stage.state.sessions.node()?.transcript.find.as_ref()?;
    Some(find.word.text().chars().count())
}

/// Characters that went to a session.
fn sent(effect: &Effect) -> usize {
    let Effect::Send(Command::Send { words, .. } | Command::Steer { words, .. }) = effect else {
        return 0;
    };
    words.text.chars().count()
}

fn check_answer(stage: &Stage, id: ApprovalId, letter: char) -> Result<(), TestCaseError> {
    let traces = &stage.traces;
    let at = traces.iter().rposition(|(_, trace)| *trace == Trace::Letter(letter));
    let at = at.ok_or_else(|| TestCaseError::fail("an answer without its letter"))?;
    let (pressed, _) = traces[at];
    let stirs = |trace: &&(u64, Trace)| matches!(trace.1, Trace::Letter(_) | Trace::Stir);
    if let Some((before, _)) = traces[..at].iter().rev().find(stirs) {
        prop_assert!(pressed - before >= 400, "a key fell {} ms before", pressed - before);
    }
    if let Some((after, _)) = traces[at + 1..].iter().find(stirs) {
        prop_assert!(after - pressed >= 150, "a key fell {} ms behind", after - pressed);
    }
    let last_stir = traces[..at].iter().rposition(|trace| stirs(&trace));
    let since = last_stir.map_or(0, |at| at + 1);
    let drawn = traces[since..at].iter().any(|(_, trace)| *trace == Trace::Live(id));
    prop_assert!(drawn, "the letters of that question were not on the screen");
    prop_assert!(stage.ms() >= pressed + 150);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_is_answered_unguarded_and_no_letter_is_lost(steps in steps()) {
        let mut stage = Stage::new(60, 15);
        stage.at_work();
        let mut next = 1;
        let mut open: Vec<u128> = Vec::new();
        let steps = [Step::Ask, Step::Wait(450)].into_iter().chain(steps);
        for step in steps {
            let before = letters(&stage);
            let held = stage.state.guard.holding();
            let form = stage.state.queue.form.is_some();
            let done = stage.effects.len();
            // Arguments that are edited, and a list, have the keys: a letter is nothing there.
            let bare = matches!(stage.state.queue.form, Some(Form::Edit(_)))
                && stage.state.focus == Focus::Question;
            let list = stage.state.popup.is_some();
            // Panes that hold no text have keys of their own.
            let place = stage.state.key_place();
            let of_pane = !place.takes_text()
                && place != Place::Question
                && matches!(step, Step::Type(c) if bound(place, c));
            let seeks = sought(&stage).is_some();
            let filters = stage.state.records.filter.typing;
            let letter = matches!(step, Step::Type(_)) && !bare && !list && !of_pane && !filters;
            // Nor are arguments that are edited a place for words of any kind.
            let edits = bare && !list && matches!(stage.state.queue.form, Some(Form::Edit(_)));
            let paste = matches!(step, Step::Paste) && !edits && !filters;
            let typed = usize::from(letter || paste);
            let pressed = stage.ms();
            match step {
                Step::Type(c) => stage.key(&c.to_string()),
                Step::Press(key) => stage.key(key),
                Step::Paste => {
                    stage.send(Message::Input(stage.now(), Input::Paste("y".into())));
                }
                Step::Refocus => stage.send(Message::Input(stage.now(), Input::FocusGained)),
                Step::Wait(ms) => stage.wait(ms),
                Step::Draws(draws) => stage.draws = draws,
                Step::Ask => {
                    stage.asks(write_question(next));
                    open.push(next);
                    next += 1;
                }
                Step::Withdraw => {
                    if let Some(id) = open.pop() {
                        stage.event(1.into(), Event::ApprovalWithdrawn {
                            approval: id.into(),
                            reason: "gone".into(),
                            waited_ms: 0,
                            excluded_ms: 0,
                        });
                    }
                }
                Step::Settle => {
                    for effect in std::mem::take(&mut stage.effects) {
                        if let Effect::Send(Command::Answer { approval, answer }) = effect {
                            stage.answered(1, approval, answer);
                        }
                    }
                }
                Step::Resize(width, height) => stage.resize(width, height),
            }
            let done = done.min(stage.effects.len());
            let mut acted = 0;
            for effect in stage.effects[done..].iter().cloned() {
                let Effect::Send(Command::Answer { approval, answer }) = effect else { continue };
                let letter = match answer {
                    // The second step has keys of its own: an editor's enter, and ctrl+s.
                    _ if form => continue,
                    Answer::Allow { .. } if list => continue,
                    Answer::Deny { .. } if list => {
                        let stirs = stage.traces.iter().filter(|(_, trace)| {
                            matches!(trace, Trace::Letter(_) | Trace::Stir)
                        });
                        let before = stirs.rev().nth(1).map_or(0, |(at, _)| *at);
                        prop_assert!(pressed - before >= 400, "somebody typed in the list");
                        continue;
                    }
                    Answer::Allow { .. } | Answer::AllowEdited { .. } => 'y',
                    Answer::Deny { then: Then::GoOn, .. } => 'n',
                    Answer::Deny { then: Then::StopTurn, .. } => 'N',
                };
                check_answer(&stage, approval, letter)?;
                acted += 1;
            }
            let opened = !form && stage.state.queue.form.is_some();
            // These do something, or say why they do not.
            let refused = matches!(held, Some('w' | 'e' | 'm' | 'v' | '/' | 'c' | 'p'))
                && stage.state.guard.holding().is_none();
            let may_act = usize::from(acted > 0 || opened || refused);
            let closed_words = (form && stage.state.queue.form.is_none())
                || (seeks && sought(&stage).is_none());
            // History keeps the same words once, however often they were sent.
            let sent = stage.effects[done..].iter().map(sent).sum::<usize>();
            let after = letters(&stage) + sent;
            prop_assert!(
                after + may_act >= before + typed || closed_words,
                "{before} letters, {typed} typed, {after} left, in {place:?}"
            );
        }
    }
}
