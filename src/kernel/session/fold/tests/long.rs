//! Conversations that are longer than any request could hold, and that nobody summed up.

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{message::LONGEST_RESULT, session::fold::span::MOST};

/// So much text of a model in one answer.
const LONG: usize = 1 << 20;

fn one(words: &str) -> Vec<Event> {
    let answer = text(&"x".repeat(LONG));
    vec![said(words), turn(), answer, answered(Stop::Calls, &[7]), done(7)]
}

fn bytes(session: &Session) -> usize {
    session.messages().iter().map(Message::bytes).sum()
}

#[test]
fn the_older_part_is_let_go_with_a_note_and_how_it_began_and_the_words_of_people_are_known() {
    let all: Vec<_> = (0..40).flat_map(|number| one(&format!("part {number}"))).collect();
    let session = taken(session(), all);
    assert!(bytes(&session) <= MOST, "{}", bytes(&session));
    let messages = session.messages();
    let Message::User { text: note, .. } = &messages[0] else { panic!("a note") };
    assert!(note.starts_with("[The conversation before this is longer than any"), "{note}");
    assert!(note.ends_with("began with this:]\n\npart 0"), "{note}");
    assert!(!matches!(messages[1], Message::Results(_)), "no result is without its call");
    assert!(matches!(messages.last(), Some(Message::Results(_))));
    assert_eq!(session.numbered().len(), 40);
    assert_eq!(session.stands_for(messages.len()), 3 * 40, "all that there were");
}

#[test]
fn a_summary_counts_what_was_let_go() {
    let mut session = taken(session(), (0..20).flat_map(|number| one(&format!("part {number}"))));
    let first = session.messages().len() - 3;
    let summarised = session.stands_for(first);
    assert_eq!(summarised, 3 * 19);
    session.apply(200, &summed_up(summarised));
    let now = told(&session);
    assert_eq!(now.len(), 4, "the summary and the last exchange");
    assert!(now[0].contains("notes") && now[1] == "user: part 19", "{:?}", &now[..2]);
    assert_eq!(session.stands_for(4), 4);

    // One of before there was such a bound, for less than what is gone here.
    let mut session = taken(self::session(), (0..20).flat_map(|_| one("on")));
    let all = session.stands_for(session.messages().len());
    session.apply(200, &summed_up(3));
    assert_eq!(session.stands_for(session.messages().len()), all - 3 + 1);
}

#[test]
fn a_way_back_to_what_was_let_go_has_all_of_it_where_it_is_known_beforehand() {
    let back = Event::ConversationRewound { to: 6 };
    let all: Vec<_> = (0..20).flat_map(|_| one("on")).chain([back]).collect();
    let live = taken(session(), all.clone());
    assert!(live.lacks());
    assert_eq!(told(&live), ["user: on"]);
    let read_again = after(all);
    assert!(!read_again.lacks());
    assert_eq!(read_again.messages().len(), 3);
    assert_eq!(bytes(&read_again), LONG + "onresult 7tool{\"n\":7}".len());
}

#[test]
fn of_a_long_result_what_a_model_is_given_is_kept() {
    let mut events = vec![said("x"), turn(), answered(Stop::Calls, &[7]), done(7)];
    if let Some(Event::CallFinished { result, .. }) = events.last_mut() {
        result.content = format!("head{}tail", "x".repeat(5 << 20)).into();
    }
    let messages = taken(session(), events).messages();
    let Some(Message::Results(results)) = messages.last() else { panic!("results") };
    let text = results[0].result.text();
    assert!(text.len() <= LONGEST_RESULT && text.starts_with("head") && text.ends_with("tail"));
    assert!(text.contains(" bytes left out here: too long."));
}
