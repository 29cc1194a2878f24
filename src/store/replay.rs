//! What is read back is what was lived: whatever happened, in whatever order, the folds of a journal
//! are those that were kept while it was written.

use std::sync::Mutex;

use proptest::prelude::*;

use super::{
    DiskStore, MemoryStore,
    reader::TYPES,
    sample::{SESSION, clock, open, since, spec, story},
};
use crate::kernel::{
    event::{Call, Event, Source},
    gate::approval::Question,
    message::ModelCall,
    port::Store,
    session::{Said, Session, branch::Branch, decisions::decisions, standing::Tally},
};

/// One of each type at least.
fn samples() -> Vec<Event> {
    let first = Event::SessionStarted { spec: spec(SESSION.into()) };
    [vec![first], story(), since()].concat()
}

#[test]
fn every_type_of_event_is_among_those_that_are_tried() {
    let samples = samples();
    for kind in TYPES {
        assert!(samples.iter().any(|event| event.name() == kind), "{kind}");
    }
}

/// The same event about other things, of which there are few, so that events meet. A type that is
/// added must say here what varies in it.
fn varied(event: &Event, id: u128, number: u64) -> Event {
    let call = |call: &Call, id: u128| Call {
        id: id.into(),
        parent: (number.is_multiple_of(3)).then(|| (id + 1).into()),
        ..call.clone()
    };
    let mut event = event.clone();
    match &mut event {
        Event::SessionStarted { .. }
        | Event::TurnStarted { .. }
        | Event::AnswerDelayed(_)
        | Event::ExchangeFinished { .. }
        | Event::SessionResumed { .. }
        | Event::SessionFinished { .. }
        | Event::ModeChanged { .. } => {}
        Event::CompactionStarted { summarised } | Event::ContextCompacted { summarised, .. } => {
            *summarised = usize::try_from(number % 9).unwrap();
        }
        Event::SessionNamed { name } => *name = format!("name {number}"),
        Event::SessionForked { from, source } => {
            *from = id.into();
            *source = if number.is_multiple_of(2) { Source::Here } else { Source::File };
        }
        Event::ConversationRewound { to } => *to = number,
        Event::MessageSent { text, .. }
        | Event::TextStreamed { text }
        | Event::ThinkingStreamed { text } => *text = format!("{number} "),
        Event::TurnFinished { calls, .. } => {
            let wanted = id..id + u128::from(number % 4);
            let call = |id: u128| ModelCall {
                id: id.into(),
                provider_id: format!("p{id}"),
                name: "files.read".into(),
                arguments: "{}".into(),
            };
            *calls = wanted.map(call).collect();
        }
        Event::CallStarted { call: started, .. } => *started = call(started, id),
        Event::ApprovalRequested { question } => {
            let asked = call(&question.call, id);
            *question = Question { id: id.into(), call: asked, ..question.clone() };
        }
        Event::ApprovalAnswered { approval, .. } | Event::ApprovalWithdrawn { approval, .. } => {
            *approval = id.into();
        }
        Event::ExecutionStarted { call, .. }
        | Event::OutputWritten { call, .. }
        | Event::PutAside { call, .. }
        | Event::ExecutionFinished { call, .. }
        | Event::PictureMade { call, .. }
        | Event::ChangeBegun { call, .. }
        | Event::ChildStarted { call, .. }
        | Event::TodoChanged { call, .. }
        | Event::CallJudged { call, .. }
        | Event::CallFinished { call, .. } => *call = id.into(),
        Event::SignalSent { signal, .. } | Event::SignalReceived { signal, .. } => {
            *signal = id.into();
        }
        Event::SignalTaken { signal, call } => (*signal, *call) = (id.into(), id.into()),
        Event::RuleRevoked { rule } => rule.grant = Some(id.into()),
    }
    event
}

fn any_event() -> impl Strategy<Value = Event> {
    (proptest::sample::select(samples()), 1_u128..6, 0_u64..40)
        .prop_map(|(event, id, number)| varied(&event, id, number))
}

/// What is kept while a session lives.
struct Live {
    session: Session,
    tally: Tally,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_replayed_is_what_was_lived(
        events in proptest::collection::vec(any_event(), 0..60),
        again in 0_usize..60,
    ) {
        let store = MemoryStore::with_clock(clock());
        lived_is_replayed(&store, &events, again)?;
    }
}

proptest! {
    // Each of these opens files.
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn what_is_replayed_from_the_disk_is_what_was_lived(
        events in proptest::collection::vec(any_event(), 0..60),
        again in 0_usize..60,
    ) {
        let data = tempfile::tempdir().unwrap();
        let store = DiskStore::with_clock(data.path().into(), clock());
        lived_is_replayed(&store, &events, again)?;
    }
}

/// Writes all of it, in two processes' time, and reads it back.
fn lived_is_replayed(
    store: &dyn Store,
    events: &[Event],
    again: usize,
) -> Result<(), TestCaseError> {
    let id = SESSION.into();
    let mut journal = store.create(spec(id)).unwrap();
    let live = Live { session: Session::new(spec(id)), tally: Tally::default() };
    let live = Mutex::new(live);
    for (at, event) in events.iter().enumerate() {
        if at == again {
            drop(journal);
            let opened = open(store, id);
            prop_assert_eq!(opened.replay.notice, None);
            journal = opened.journal;
        }
        journal
            .append(event.clone(), &|envelope| {
                let mut live = live.lock().unwrap();
                live.session.apply(envelope.seq, &envelope.event);
                live.tally.apply(envelope);
            })
            .unwrap();
    }
    drop(journal);
    let live = live.into_inner().unwrap();
    let replay = store.read(id).unwrap();
    prop_assert_eq!(replay.events.len(), events.len() + 1);
    let mut said = Said::default();
    for envelope in store.some(id, Said::KINDS).unwrap() {
        said.take(&envelope.unwrap());
    }
    let said: Vec<_> = said.all().iter().map(|words| (words.seq, words.text.as_str())).collect();
    prop_assert_eq!(said, live.session.numbered());
    prop_assert_eq!(Session::replay(&replay.events), Some(live.session));
    let mut tally = Tally::default();
    replay.events.iter().skip(1).for_each(|envelope| tally.apply(envelope));
    prop_assert_eq!(tally, live.tally);

    // A copy of it, wherever it stands, is a session that can go on.
    for source in [Source::Here, Source::File] {
        let copy = Branch::new(spec(2.into()), u64::MAX, (id, source));
        let journal = store.branch(copy, &mut store.events(id).unwrap()).unwrap();
        drop(journal);
        let events = store.read(2.into()).unwrap().events;
        let session = Session::replay(&events).unwrap();
        prop_assert_eq!(session.interruptions(), []);
        prop_assert!(session.questions.is_empty() && !session.is_busy());
        let mut tally = Tally::default();
        events.iter().for_each(|envelope| tally.apply(envelope));
        prop_assert_eq!(tally.grants(), []);
        if source == Source::File {
            prop_assert_eq!(decisions(&events), []);
        }
        store.delete(&[2.into()]).unwrap();
    }
    Ok(())
}
