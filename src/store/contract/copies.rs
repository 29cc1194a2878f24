//! Sessions that begin as a copy.

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::session::branch::{ENDS, Point, end};

pub(super) fn a_copy_goes_its_own_way(store: &dyn Store) {
    let (one, other) = (SessionId::from(SESSION), SessionId::from(SESSION + 1));
    let journal = store.create(spec(one)).unwrap();
    let appended: Vec<_> = story().into_iter().map(|event| append(&*journal, event)).collect();
    store.keep(one, 0x11.into(), b"b\n").unwrap();
    let events = store.read(one).unwrap().events;
    let upto = end(store.some(one, ENDS).unwrap(), Point::End).unwrap().unwrap();
    let copy = || {
        let branch = Branch::new(spec(other), upto, (one, Source::Here));
        store.branch(branch, &mut store.events(one).unwrap())
    };
    // It was being written all the time.
    let copied = copy().unwrap();
    assert!(matches!(store.open(other, &mut |_| {}).map(drop), Err(StoreError::Held { .. })));
    let next = append(&*copied, said("on"));
    drop(copied);
    let read = store.read(other).unwrap();
    assert_eq!(read.notice, None);
    let finished = |event: &Event| matches!(event, Event::SessionFinished { .. });
    for (ours, theirs) in
        read.events[1..].iter().zip(appended.iter().filter(|it| !finished(&it.event)))
    {
        assert_eq!((ours.seq, ours.at, &ours.event), (theirs.seq, theirs.at, &theirs.event));
        assert_eq!(ours.session, other);
    }
    let tail: Vec<_> = read.events.iter().rev().take(2).map(|it| it.event.name()).collect();
    assert_eq!(tail, ["message_sent", "session_forked"]);
    assert_eq!(read.events.last(), Some(&next));
    assert_eq!(store.kept(other, 0x11.into()).unwrap().unwrap(), b"b\n");
    assert_eq!(store.read(one).unwrap().events, events);
    assert!(copy().is_err(), "its name is taken");
    assert_eq!(store.list().unwrap().len(), 2);
}

pub(super) fn a_copy_holds_one_event(store: &dyn Store) {
    let mut past: Vec<std::sync::Weak<Envelope>> = Vec::new();
    let all = (1..50).map(|seq| {
        assert!(past.iter().filter(|event| event.strong_count() > 0).count() <= 1, "{seq}");
        let (at, session) = (jiff::Timestamp::UNIX_EPOCH, 9.into());
        let envelope = Arc::new(Envelope { v: 1, seq, at, session, event: said("x") });
        past.push(Arc::downgrade(&envelope));
        Ok(envelope)
    });
    let branch = Branch::new(spec(SESSION.into()), u64::MAX, (9.into(), Source::File));
    drop(store.branch(branch, &mut { all }).unwrap());
    assert_eq!(store.read(SESSION.into()).unwrap().events.len(), 52);
}
