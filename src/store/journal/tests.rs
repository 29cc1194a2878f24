use std::sync::{
    Barrier,
    atomic::{AtomicUsize, Ordering::SeqCst},
    mpsc,
};

use super::*;
use crate::store::{
    medium::InMemory,
    sample::{SESSION, clock, said},
};

/// A medium whose next operations go as told: `None` fails, `Some(n)` writes at most n bytes.
#[derive(Default)]
struct Faulty {
    kept: InMemory,
    writes: Mutex<Vec<Option<usize>>>,
    truncates_fail: AtomicUsize,
    syncs: AtomicUsize,
    /// Told when a sync begins, and waited for in it.
    in_sync: Option<(mpsc::SyncSender<()>, Barrier)>,
    sync_fails: AtomicUsize,
}

fn take(left: &AtomicUsize) -> bool {
    left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok()
}

impl Medium for Faulty {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.writes.lock().unwrap().pop() {
            None => self.kept.append(bytes),
            Some(None) => Err(io::ErrorKind::StorageFull.into()),
            Some(Some(count)) => self.kept.append(&bytes[..count]),
        }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        if take(&self.truncates_fail) {
            return Err(io::ErrorKind::Other.into());
        }
        self.kept.truncate(len)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.kept.read_at(into, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.syncs.fetch_add(1, SeqCst);
        if let Some((begun, go_on)) = &self.in_sync {
            begun.send(()).unwrap();
            go_on.wait();
        }
        if take(&self.sync_fails) { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
    }
}

fn writer(medium: &Arc<Faulty>) -> Writer {
    let start = Start { session: SESSION.into(), path: "j".into(), next: 0, len: 0 };
    Writer::new(start, medium.clone(), clock(), Box::new(()))
}

fn lines(medium: &Faulty) -> Vec<(u64, Event)> {
    let bytes = medium.kept.bytes();
    assert!(bytes.is_empty() || bytes.ends_with(b"\n"));
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| reader::event(line).unwrap()).map(|it| (it.seq, it.event)).collect()
}

#[test]
fn a_write_that_fails_or_is_short_leaves_nothing_and_is_not_shown() {
    for fault in [None, Some(0), Some(17)] {
        let medium = Arc::new(Faulty::default());
        let writer = writer(&medium);
        writer.append(said("one"), &|_| {}).unwrap();
        medium.writes.lock().unwrap().push(fault);
        let error = writer.append(said("two"), &|_| panic!("shown")).unwrap_err();
        assert!(error.to_string().starts_with("cannot write j: "), "{error}");
        assert_eq!(lines(&medium), [(0, said("one"))]);
        writer.append(said("three"), &|_| {}).unwrap();
        assert_eq!(lines(&medium), [(0, said("one")), (1, said("three"))]);
    }
}

#[test]
fn half_a_line_that_could_not_be_taken_back_is_taken_back_before_the_next() {
    let medium = Arc::new(Faulty::default());
    let writer = writer(&medium);
    writer.append(said("one"), &|_| {}).unwrap();
    medium.writes.lock().unwrap().push(Some(17));
    medium.truncates_fail.store(2, SeqCst);
    assert!(writer.append(said("two"), &|_| {}).is_err());
    let error = writer.append(said("three"), &|_| panic!("shown")).unwrap_err();
    assert!(error.to_string().starts_with("cannot mend j: "), "{error}");
    writer.append(said("four"), &|_| {}).unwrap();
    assert_eq!(lines(&medium), [(0, said("one")), (1, said("four"))]);
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let medium = Arc::new(Faulty::default());
    let writer = writer(&medium);
    let nested = |depth| {
        let input = (0..depth).fold(serde_json::Value::Null, |inner, _| serde_json::json!([inner]));
        let result = crate::store::sample::result("deep", input);
        let origin = crate::kernel::event::Origin::Model;
        Event::CallFinished { call: 1.into(), parent: None, origin, result, decision: None }
    };
    assert!(writer.append(nested(119), &|_| {}).is_err());
    assert_eq!(lines(&medium), []);
    writer.append(nested(118), &|_| {}).unwrap();
    assert_eq!(lines(&medium), [(0, nested(118))]);
}

#[tokio::test]
async fn those_who_sync_while_one_syncs_share_the_next() {
    let (begun, wait) = mpsc::sync_channel(8);
    let medium = Faulty { in_sync: Some((begun, Barrier::new(2))), ..Faulty::default() };
    let medium = Arc::new(medium);
    let writer = writer(&medium);
    writer.append(said("one"), &|_| {}).unwrap();
    // Polled once, so that the first is on its way before there is more to sync.
    let mut one = Box::pin(writer.sync());
    assert!(futures_util::poll!(&mut one).is_pending());
    wait.recv().unwrap();
    writer.append(said("two"), &|_| {}).unwrap();
    let mut two = Box::pin(writer.sync());
    let mut three = Box::pin(writer.sync());
    assert!(futures_util::poll!(&mut two).is_pending());
    assert!(futures_util::poll!(&mut three).is_pending());
    medium.in_sync.as_ref().unwrap().1.wait();
    wait.recv().unwrap();
    medium.in_sync.as_ref().unwrap().1.wait();
    let (first, second, third) = tokio::join!(one, two, three);
    assert!(first.is_ok() && second.is_ok() && third.is_ok());
    assert_eq!(medium.syncs.load(SeqCst), 2);
    // Nothing new: nothing to do.
    writer.sync().await.unwrap();
    assert_eq!(medium.syncs.load(SeqCst), 2);
}

#[tokio::test]
async fn a_sync_that_failed_is_never_taken_for_done() {
    let medium = Arc::new(Faulty { sync_fails: 1.into(), ..Faulty::default() });
    let writer = writer(&medium);
    writer.append(said("one"), &|_| {}).unwrap();
    assert!(writer.sync().await.is_err());
    assert!(writer.sync().await.is_err());
}
