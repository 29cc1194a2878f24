use pretty_assertions::assert_eq;

use super::*;

/// One step of a story, at a millisecond.
#[derive(Clone, Copy, Debug)]
enum Do {
    Attend(u128),
    Gone,
    /// A frame; its letters are live if the guard says so, as the view does it.
    Draw,
    /// A frame that was drawn too small, or with the question out of sight.
    DrawWithout,
    Stir,
    Key(char),
    /// Time passes.
    Wait,
}
use Do::*;

#[derive(Debug, Default, PartialEq)]
struct Story {
    answers: Vec<(u128, char)>,
    text: String,
}

fn tell(steps: &[(u64, Do)]) -> Story {
    let start = Instant::now();
    let mut guard = Guard::default();
    let mut story = Story::default();
    let mut current = 0;
    let mut looked = 0;
    for (ms, step) in steps {
        // It is looked at whenever that is due.
        for passed in looked..=*ms {
            if let Some(Due::Letter(question, letter)) =
                guard.due(start + Duration::from_millis(passed))
            {
                assert_eq!(question, current.into());
                story.answers.push((current, letter));
            }
        }
        looked = *ms;
        let now = start + Duration::from_millis(*ms);
        match step {
            Attend(question) => {
                story.text.extend(guard.attend(Some((*question).into())));
                current = *question;
            }
            Gone => story.text.extend(guard.attend(None)),
            Draw => {
                let live = guard.live(now);
                guard.drawn(current.into(), live, now);
            }
            DrawWithout => guard.hidden(),
            Stir => story.text.extend(guard.stir(now)),
            Key(letter) => match guard.press(*letter, now) {
                Press::Held => {}
                Press::Text => story.text.push(*letter),
                Press::Typing(before) => story.text.extend([before, *letter]),
            },
            Wait => {}
        }
    }
    story
}

fn check(steps: &[(u64, Do)], answers: &[(u128, char)], text: &str) {
    let expected = Story { answers: answers.to_vec(), text: text.to_owned() };
    assert_eq!(tell(steps), expected, "{steps:?}");
}

#[test]
fn a_letter_answers_when_it_was_drawn_and_the_keyboard_was_still() {
    check(&[(0, Attend(1)), (5, Draw), (410, Draw), (420, Key('y')), (570, Wait)], &[(1, 'y')], "");
}

#[test]
fn a_letter_before_the_question_was_drawn_is_text() {
    check(&[(0, Attend(1)), (900, Key('y')), (2000, Wait)], &[], "y");
}

#[test]
fn a_letter_before_it_was_drawn_live_is_text() {
    // The quiet time is over, but the person has not seen a live letter yet.
    check(&[(0, Attend(1)), (5, Draw), (900, Key('y')), (2000, Wait)], &[], "y");
    check(&[(0, Attend(1)), (5, Draw), (404, Draw), (406, Key('y')), (2000, Wait)], &[], "y");
}

#[test]
fn a_key_before_a_letter_makes_it_text_until_it_was_still_and_drawn_again() {
    let early =
        [(0, Attend(1)), (5, Draw), (410, Draw), (500, Stir), (899, Key('y')), (2000, Wait)];
    check(&early, &[], "y");
    let not_redrawn =
        [(0, Attend(1)), (5, Draw), (410, Draw), (500, Stir), (950, Key('y')), (2000, Wait)];
    check(&not_redrawn, &[], "y");
    let late = [
        (0, Attend(1)),
        (5, Draw),
        (410, Draw),
        (500, Stir),
        (901, Draw),
        (902, Key('y')),
        (2000, Wait),
    ];
    check(&late, &[(1, 'y')], "");
}

#[test]
fn keys_before_the_question_count_as_well() {
    check(
        &[(0, Stir), (1, Attend(1)), (2, Draw), (401, Draw), (401, Key('y')), (900, Wait)],
        &[],
        "y",
    );
    check(
        &[(300, Stir), (301, Attend(1)), (302, Draw), (702, Draw), (703, Key('n')), (900, Wait)],
        &[(1, 'n')],
        "",
    );
}

#[test]
fn a_second_letter_right_behind_means_typing() {
    let open = [(0, Attend(1)), (5, Draw), (410, Draw)];
    let then = |rest: &[(u64, Do)]| [&open[..], rest].concat();
    check(&then(&[(500, Key('y')), (649, Key('e')), (2000, Wait)]), &[], "ye");
    check(&then(&[(500, Key('y')), (501, Key('y')), (502, Key('y')), (2000, Wait)]), &[], "yyy");
    check(&then(&[(500, Key('y')), (650, Key('e')), (2000, Wait)]), &[(1, 'y')], "e");
    check(&then(&[(500, Key('n')), (560, Stir), (2000, Wait)]), &[], "n");
}

#[test]
fn each_new_question_starts_again() {
    let steps =
        [(0, Attend(1)), (5, Draw), (410, Draw), (500, Key('y')), (650, Wait), (660, Attend(2))];
    let then = |rest: &[(u64, Do)]| [&steps[..], rest].concat();
    check(&then(&[(661, Key('y')), (2000, Wait)]), &[(1, 'y')], "y");
    check(&then(&[(665, Draw), (1000, Key('y')), (2000, Wait)]), &[(1, 'y')], "y");
    check(
        &then(&[(665, Draw), (1066, Draw), (1067, Key('n')), (2000, Wait)]),
        &[(1, 'y'), (2, 'n')],
        "",
    );
}

#[test]
fn a_question_that_is_replaced_while_a_letter_is_held_is_not_answered() {
    let steps =
        [(0, Attend(1)), (5, Draw), (410, Draw), (500, Key('y')), (520, Attend(2)), (2000, Wait)];
    check(&steps, &[], "y");
    let gone = [(0, Attend(1)), (5, Draw), (410, Draw), (500, Key('y')), (520, Gone), (2000, Wait)];
    check(&gone, &[], "y");
}

#[test]
fn a_question_too_small_to_read_is_never_answered() {
    let steps =
        [(0, Attend(1)), (5, Draw), (410, Draw), (420, DrawWithout), (900, Key('y')), (2000, Wait)];
    check(&steps, &[], "y");
    let again = [(0, Attend(1)), (5, DrawWithout), (900, Draw), (1299, Key('y')), (2000, Wait)];
    check(&again, &[], "y");
}

#[test]
fn a_letter_that_was_pressed_before_the_frame_it_is_told_of_is_text() {
    let steps = [(0, Attend(1)), (5, Draw), (450, Draw), (449, Key('y')), (2000, Wait)];
    check(&steps, &[], "y");
}

#[test]
fn who_looks_too_late_to_know_that_nothing_followed_looks_once_more() {
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let mut guard = Guard::default();
    guard.attend(Some(1.into()));
    guard.drawn(1.into(), false, at(0));
    guard.drawn(1.into(), true, at(400));
    assert_eq!(guard.press('y', at(500)), Press::Held);
    // The whole program stood still: what was typed meanwhile may not have been read yet.
    assert_eq!(guard.due(at(900)), None);
    assert_eq!(guard.deadline(at(900)), Some(at(1_050)));
    let mut typed_on = guard.clone();
    assert_eq!(typed_on.press('e', at(901)), Press::Typing('y'));
    assert_eq!(typed_on.due(at(1_050)), None);
    // However late the next look is, it is the last.
    assert_eq!(guard.due(at(1_049)), None);
    assert_eq!(guard.due(at(2_000)), Some(Due::Letter(1.into(), 'y')));
}

#[test]
fn it_says_when_to_look_again_and_rests_otherwise() {
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let mut guard = Guard::default();
    assert_eq!(guard.deadline(at(0)), None);
    guard.attend(Some(1.into()));
    assert_eq!(guard.deadline(at(0)), None, "not before it is drawn");
    guard.drawn(1.into(), false, at(10));
    assert_eq!(guard.deadline(at(10)), Some(at(410)));
    guard.drawn(1.into(), true, at(410));
    assert_eq!(guard.deadline(at(410)), None);
    assert_eq!(guard.press('y', at(500)), Press::Held);
    assert_eq!(guard.deadline(at(500)), Some(at(650)));
}
