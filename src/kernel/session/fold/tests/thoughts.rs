//! What a model thought, in the conversation it goes on with.

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::message::Thought;

fn thinks(text: &str) -> Event {
    Event::ThinkingStreamed { text: text.into() }
}

fn thought(streamed: usize, words: Option<&str>) -> Thought {
    Thought {
        from: "p/m".into(),
        kind: "thinking".into(),
        signature: "sig".into(),
        streamed,
        words: words.map(str::to_owned),
        after_text: 0,
        after_calls: 0,
    }
}

fn called(thoughts: Vec<Thought>) -> Event {
    let Event::TurnFinished { stop, usage, calls, .. } = answered(Stop::Calls, &[1]) else {
        panic!("an answer ends like that")
    };
    Event::TurnFinished { stop, usage, calls, thoughts }
}

/// The words of the thoughts in the conversation.
fn words(session: &Session) -> Vec<String> {
    let of = |message: &Message| match message {
        Message::Assistant { thoughts, .. } => thoughts.clone(),
        Message::User { .. } | Message::Agent(_) | Message::Results(_) => Vec::new(),
    };
    let thoughts = session.messages().iter().flat_map(of).collect::<Vec<_>>();
    thoughts.into_iter().map(|thought| thought.words.unwrap()).collect()
}

fn exchange(thoughts: Vec<Thought>) -> Vec<Event> {
    vec![
        said("go"),
        turn(),
        thinks("is "),
        thinks("it?"),
        text("so"),
        thinks("b"),
        called(thoughts),
    ]
}

#[test]
fn thoughts_have_their_words_until_the_exchange_is_over() {
    let thoughts = vec![thought(6, None), thought(0, None), thought(1, Some("b\r"))];
    let mut session = after(exchange(thoughts));
    assert_eq!(words(&session), ["is it?", "", "b\r"]);
    assert_eq!(told(&session)[1], "assistant: so → p1");
    session.apply(20, &Event::ExchangeFinished { outcome: Outcome::Done });
    assert_eq!(words(&session), [""; 0]);
    assert_eq!(told(&session)[1], "assistant: so → p1");
}

#[test]
fn they_go_back_all_or_not_at_all() {
    let lost = after(exchange(vec![thought(6, None), thought(2, None)]));
    assert_eq!(words(&lost), [""; 0]);
    let mut forked = after(exchange(vec![thought(6, None)]));
    assert_eq!(words(&forked), ["is it?"]);
    forked.apply(20, &Event::SessionForked { from: 9.into(), source: Source::Here });
    assert_eq!(words(&forked), [""; 0]);
}
