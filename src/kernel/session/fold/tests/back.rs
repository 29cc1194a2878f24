//! Ways back, before summaries and to what they stand for.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn going_back_ends_the_conversation_before_a_message_and_keeps_what_it_cost() {
    let exchange = |words: &str| {
        let end = Event::ExchangeFinished { outcome: Outcome::Done };
        vec![said(words), turn(), text("yes"), answered(Stop::Calls, &[1]), done(1), end]
    };
    let all: Vec<_> = [exchange("one"), exchange("two"), exchange("three")].concat();
    let back = |to| after(all.iter().cloned().chain([Event::ConversationRewound { to }]));
    let one = ["user: one", "assistant: yes → p1", "results: p1=result 1"];
    assert_eq!(told(&back(7)), one);
    assert_eq!(told(&back(6)), one, "the first message from there on");
    assert_eq!(told(&back(1)), [""; 0]);
    assert_eq!(told(&back(99)), told(&after(all.clone())));
    assert_eq!(
        (back(1).turns, back(1).usage),
        (3, Usage { input: 9, output: 6, ..Usage::default() })
    );
    assert!(!back(7).is_busy() && !back(1).is_busy());
    let mut on = back(7);
    on.apply(20, &said("other"));
    assert_eq!(on.numbered(), [(1, "one"), (20, "other")]);
}

#[test]
fn a_way_back_leads_before_a_summary_and_to_what_it_stands_for() {
    let one = |words: &str| vec![said(words), turn(), text("yes"), answered(Stop::End, &[])];
    let talk = [one("one"), one("two"), vec![summed_up(3)], one("three"), vec![summed_up(3)]];
    let all: Vec<_> = talk.concat();
    let back = |to| after(all.iter().cloned().chain([Event::ConversationRewound { to }]));
    let whole = after(all.clone());
    assert_eq!(whole.numbered(), [(1, "one"), (5, "two"), (10, "three")]);
    assert_eq!(told(&back(5)), ["user: one", "assistant: yes"], "both summaries are gone");
    assert_eq!(told(&back(1)), [""; 0]);
    let first = told(&back(10));
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first[0].contains("notes") && first[0].ends_with("two"), "{first:?}");
    assert_eq!(back(10).numbered(), [(1, "one"), (5, "two")]);
    assert_eq!(told(&back(14)), told(&whole));
    // Whoever judges by what people said hears no summary, and no file.
    assert_eq!(whole.said(), ["one", "two", "three"]);
    let forked = Event::SessionForked { from: 7.into(), source: Source::File };
    let brought_in = after(all.into_iter().chain([forked, said("here")]));
    assert_eq!(brought_in.said(), ["here"]);
}

#[test]
fn what_a_summary_stands_for_is_kept_only_where_the_way_back_to_it_is_known() {
    let one = |words: &str| vec![said(words), turn(), text("yes"), answered(Stop::End, &[])];
    let talk = [one("one"), one("two"), one("three"), vec![summed_up(5)]].concat();
    let live = taken(session(), talk.clone());
    assert_eq!(live.numbered(), [(1, "one"), (5, "two"), (9, "three")]);
    assert!(live.talk.summed[0].whole.is_none() && !live.lacks());

    let back = Event::ConversationRewound { to: 9 };
    let all = talk.into_iter().chain([back]);
    let live = taken(session(), all.clone());
    assert!(live.lacks(), "the answers are in the journal alone");
    assert_eq!(told(&live), ["user: one", "user: two"]);
    assert_eq!(live.upto(), 14);
    let read_again = after(all);
    assert!(!read_again.lacks());
    let whole = ["user: one", "assistant: yes", "user: two", "assistant: yes"];
    assert_eq!(told(&read_again), whole);
    assert_eq!(read_again.numbered(), live.numbered());
}
