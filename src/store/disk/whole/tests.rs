use super::*;
use crate::{
    kernel::{
        event::{Event, Source},
        port::Store,
    },
    store::sample::{SESSION, clock, said, spec},
};

#[test]
fn what_a_cut_off_copy_or_removal_left_is_no_session_and_goes() {
    let data = tempfile::tempdir().unwrap();
    let store = DiskStore::with_clock(data.path().into(), clock());
    drop(store.create(spec(1.into())).unwrap());
    let sessions = data.path().join("sessions");
    let (one, two) = (SessionId::from(7), SessionId::from(8));
    let left = [format!("{NEW}{one}"), format!("{GONE}{two}")].map(|name| sessions.join(name));
    for folder in &left {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join(JOURNAL), "x").unwrap();
    }
    // A copy that another process is just making stays.
    let busy = sessions.join(format!("{NEW}{}", SessionId::from(9)));
    fs::create_dir(&busy).unwrap();
    let lock = Lock::take(9.into(), &busy).unwrap();
    assert_eq!(store.list().unwrap().len(), 1);
    store.delete(&[1.into()]).unwrap();
    assert!(left.iter().all(|folder| !folder.exists()));
    assert!(busy.exists());
    drop(lock);
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn a_copy_that_cannot_be_whole_is_not_there_at_all() {
    let data = tempfile::tempdir().unwrap();
    let store = DiskStore::with_clock(data.path().into(), clock());
    drop(store.create(spec(1.into())).unwrap());
    let mut deep = serde_json::json!("deep");
    for _ in 0..130 {
        deep = serde_json::json!([deep]);
    }
    let call_finished = Event::CallFinished {
        call: 1.into(),
        parent: None,
        origin: crate::kernel::event::Origin::Model,
        result: crate::store::sample::result("x", deep),
        decision: None,
    };
    let unread = || StoreError::Unknown("x".into());
    let envelope = |(seq, event): (u64, Event)| {
        let (at, session) = (jiff::Timestamp::UNIX_EPOCH, 1.into());
        Ok(Arc::new(Envelope { v: 1, seq, at, session, event }))
    };
    let cases = [
        vec![envelope((1, said("x"))), envelope((2, call_finished))],
        vec![envelope((1, said("x"))), Err(unread())],
    ];
    for events in cases {
        let branch = Branch::new(spec(SESSION.into()), u64::MAX, (1.into(), Source::Here));
        assert!(store.branch(branch, &mut events.into_iter()).is_err());
        let names = fs::read_dir(data.path().join("sessions")).unwrap();
        assert_eq!(names.count(), 1);
    }
}
