//! What is said of what happens.

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::{
        event::{ExitStatus, Outcome, Stop},
        gate::approval::Scope,
        message::Usage,
    },
    tui::stage::write_question,
};

/// The first lines, which every talk begins with.
fn begun(source: Source) -> Talk {
    let mut talk = Talk::new(source);
    assert_eq!(
        talk.said(),
        "Footplate, line by line, in tally. Type /help to hear how.\n\
         Model: claude. A line is said to it.\n"
    );
    talk
}

#[test]
fn a_write_is_asked_told_in_full_and_answered_by_words() {
    let mut talk = begun(Source::Pipe);
    talk.at_work();
    talk.prints(1, 10, &["2 places found".to_owned()]);
    talk.asks(write_question(1));
    talk.answers("more");
    talk.wait(40_000);
    let spent = Duration::from_millis(3140);
    let excluded = Duration::from_secs(41);
    let clock = crate::kernel::clock::Reading { spent, excluded, held: true };
    talk.hear(Heard::Told(Message::Tick(talk.now(), vec![(10.into(), clock)])));
    talk.types("yes");
    let once = Answer::Allow { scope: Scope::Once };
    assert_eq!(talk.sent(), [(1.into(), once.clone())]);
    talk.answered(1, 1, once, 41_000);
    insta::assert_snapshot!("a_write_is_asked_and_answered", talk.said());
}

#[test]
fn words_of_a_model_come_in_whole_lines_with_its_name_before_the_first() {
    let mut talk = begun(Source::Terminal);
    talk.session(1, &["main"], None);
    talk.says(1, "why?");
    talk.said();
    for piece in ["Beca", "use\nit ", "is.\n\nAnd", " so on"] {
        talk.streams(1, piece);
    }
    assert_eq!(talk.said(), "main: Because\n  it is.\n");
    let usage = Usage { input: 11_000, output: 1_000, ..Usage::default() };
    let (calls, thoughts) = (Vec::new(), Vec::new());
    talk.event(1, Event::TurnFinished { stop: Stop::End, usage, calls, thoughts });
    talk.wait(116_000);
    talk.event(1, Event::ExchangeFinished { outcome: Outcome::Done });
    assert_eq!(talk.said(), "  And so on\nmain: done after 1:56, 12k tokens.\n");
}

#[test]
fn agents_have_their_path_before_what_they_say() {
    let mut talk = begun(Source::Terminal);
    talk.session(1, &["main"], None);
    talk.says(1, "go");
    talk.said();
    let (agent, task) = ("tests".to_owned(), "write cases".to_owned());
    talk.session(2, &["main", "tests"], Some(1));
    talk.event(1, Event::ChildStarted { call: 5.into(), child: 2.into(), agent, task });
    talk.says(2, "write cases");
    talk.streams(2, "I do.\n");
    talk.event(2, Event::ExchangeFinished { outcome: Outcome::Done });
    let failed = Outcome::Failed { message: "no answer\ntry again".into() };
    talk.event(1, Event::ExchangeFinished { outcome: failed });
    assert_eq!(
        talk.said(),
        "main: starts agent tests: write cases\n\
         main, tests: I do.\n\
         main, tests: done after 0:00.\n\
         main: Failed: no answer\n  try again\n"
    );
}

#[test]
fn an_output_is_told_up_to_a_bound_and_then_by_a_word() {
    let mut talk = begun(Source::Terminal);
    talk.session(1, &["main"], None);
    talk.says(1, "go");
    talk.runs(1, 10, "main.py", "print()\n");
    talk.said();
    let lines: Vec<_> = (1..=140).map(|n| format!("line {n}\u{1b}[31m")).collect();
    talk.prints(1, 10, &lines);
    let status = ExitStatus::Exited { code: 1 };
    let (call, ran_ms, excluded_ms) = (10.into(), 2100, 0);
    talk.event(1, Event::ExecutionFinished { call, status, ran_ms, excluded_ms });
    let said = talk.said();
    let told: Vec<_> = said.lines().collect();
    assert_eq!(told[0], "main.py: line 1⟨U+001B⟩[31m");
    assert_eq!(told.len(), 20 + 1 + 5 + 1 + 1, "{said}");
    assert_eq!(told[20], "main.py, the last lines:");
    assert_eq!(
        &told[26..],
        ["main.py: 120 more lines. Type: output", "main: main.py exit 1, used 2.1 of 60 s."]
    );
    talk.answers("output");
    assert!(
        talk.said()
            .ends_with("main.py: line 60⟨U+001B⟩[31m\nmain.py: 80 more lines. Type: output\n")
    );
}

#[test]
fn what_happened_before_is_told_in_short() {
    let mut talk = begun(Source::Terminal);
    talk.lines.teller = super::super::tell::Teller::since(talk.now().wall + Duration::from_secs(1));
    talk.rests = false;
    talk.session(1, &["main"], None);
    for n in 0..40 {
        talk.says(1, &format!("words {n}"));
    }
    let said = talk.said();
    assert!(said.is_empty(), "{said}");
    talk.wait(2000);
    talk.event(1, Event::SessionResumed { notice: None });
    let said = talk.said();
    let told: Vec<_> = said.lines().collect();
    assert_eq!(told.first(), Some(&"29 lines of before are not told; these are the last."));
    assert_eq!(
        told[told.len() - 2..],
        ["you: words 39", "main: Carried on from where it was left."]
    );
    assert_eq!(told.len(), 14);
}

#[test]
fn nothing_from_outside_is_a_command_to_the_terminal() {
    let mut talk = begun(Source::Pipe);
    let evil = "a\u{1b}[2J\u{202e}\r\u{7}b";
    talk.session(1, &["main"], None);
    talk.says(1, evil);
    talk.streams(1, &format!("{evil}\n"));
    let mut question = write_question(1);
    question.preview.object = evil.into();
    question.path = vec![evil.into()];
    talk.asks(question);
    talk.types(evil);
    talk.event(1, Event::ExchangeFinished { outcome: Outcome::Failed { message: evil.into() } });
    let said = talk.said();
    let odd = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!said.contains(odd), "{said:?}");
    assert!(said.contains("4 characters here can deceive the eye"), "{said}");
}
