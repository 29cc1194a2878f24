//! No order in which lines and questions come answers what could not be read.

use proptest::prelude::*;

use super::*;
use crate::{
    kernel::gate::approval::{Scope, Then},
    tui::stage::write_question,
};

/// One thing that comes.
#[derive(Clone, Debug)]
enum Comes {
    Line(&'static str),
    Lines(Vec<&'static str>),
    Question,
    /// The oldest one is answered elsewhere, or goes.
    Goes,
    /// What was said so far is known to be written, and this was begun before.
    Reaches(&'static str),
    Text,
    Time(u64),
}

fn comes() -> impl Strategy<Value = Comes> {
    const WORDS: [&str; 12] = [
        "yes", "no", "stop", "more", "full", "later", "next", "wider", "save", "back", "edit",
        "words",
    ];
    let word = || prop::sample::select(WORDS.to_vec());
    prop_oneof![
        6 => word().prop_map(Comes::Line),
        1 => prop::collection::vec(word(), 2..4).prop_map(Comes::Lines),
        2 => Just(Comes::Question),
        1 => Just(Comes::Goes),
        4 => Just(Comes::Reaches("")),
        1 => prop::sample::select(vec!["y", "n", "I think "]).prop_map(Comes::Reaches),
        1 => Just(Comes::Text),
        5 => prop::sample::select(vec![0, 1, 200, 399, 400, 1000]).prop_map(Comes::Time),
    ]
}

/// The headline that was written last, and all that was written behind it.
fn last_asked(out: &str) -> (String, &str) {
    let at = out.rfind("QUESTION ").unwrap_or(0);
    let object = out[at..].lines().nth(1).unwrap_or_default().trim().to_owned();
    (object, &out[at..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_is_to_what_was_asked_last_and_could_be_read(all in prop::collection::vec(comes(), 1..60)) {
        let mut talk = Talk::new(Source::Pipe);
        talk.reaches = false;
        talk.session(1, &["main"], None);
        let (mut asked, mut next) = (Vec::new(), 1_u128);
        // When the last mark was reached, and whether it was the last thing that was said with one.
        let mut reached: Option<u64> = None;
        let mut begun = false;
        for one in all {
            let mut alone = None;
            match one {
                Comes::Line(line) => {
                    alone = (!std::mem::take(&mut begun)).then_some(line);
                    talk.types(line);
                }
                Comes::Lines(lines) => {
                    begun = false;
                    talk.pastes(&lines);
                }
                Comes::Question => {
                    let mut question = write_question(next);
                    question.preview.object = format!("file-{next}.rs");
                    asked.push(next);
                    next += 1;
                    talk.asks(question);
                }
                Comes::Goes => {
                    if !asked.is_empty() {
                        let gone = asked.remove(0);
                        talk.answered(1, gone, Answer::Deny { because: None, then: Then::GoOn }, 5);
                    }
                }
                Comes::Reaches(text) => {
                    if !text.is_empty() && !talk.marks.is_empty() {
                        begun = true;
                    }
                    for (at, mark) in std::mem::take(&mut talk.marks).into_iter().enumerate() {
                        let text = if at == 0 { text } else { "" };
                        talk.hear(Heard::Reached(talk.now(), mark, text.to_owned()));
                    }
                    reached = reached.or(Some(talk.ms));
                }
                Comes::Text => talk.streams(1, "some text\n"),
                Comes::Time(ms) => talk.wait(ms),
            }
            let before = talk.out.clone();
            for (approval, answer) in talk.sent() {
                let line = alone.expect("neither several lines nor the rest of one answer anything");
                let (object, behind) = last_asked(&before);
                let id: u128 = asked.iter().copied().find(|id| ApprovalId::from(*id) == approval)
                    .expect("what does not wait cannot be answered");
                prop_assert!(object.contains(&format!("WRITE file-{id}.rs,")), "{object}");
                let since = talk.ms - reached.expect("nobody knows that it was written");
                prop_assert!(since >= 400, "{since} ms");
                if let Answer::Allow { scope } = &answer {
                    prop_assert!(behind.contains("That was all of it."), "{behind}");
                    prop_assert_eq!(scope == &Scope::Once, line == "yes");
                }
                asked.retain(|known| *known != id);
                talk.answered(1, id, answer, 5);
            }
            if !talk.marks.is_empty() {
                reached = None;
            }
        }
    }
}
