use std::sync::atomic::AtomicUsize;

use tokio::sync::oneshot;

use super::*;

fn beginning(call: u128) -> Beginning {
    let (program, bounds) = (format!("p{call}"), Level::default().into());
    Beginning { call: call.into(), program, bounds, spool: None, terminal: None }
}

fn ended(call: u128) -> ProgramEnded {
    let status = Some(ExitStatus::Exited { code: 0 });
    let (program, last) = (format!("p{call}"), String::new());
    ProgramEnded { call: call.into(), program, status, last, notes: Vec::new() }
}

/// One that ends when it is stopped.
fn endless(programs: &Programs, call: u128) -> Result<Arc<Beside>, CallError> {
    programs.begin(beginning(call), async move |stop: CancellationToken| {
        stop.cancelled().await;
        ended(call)
    })
}

#[tokio::test]
async fn only_so_many_go_on_at_a_time_and_one_that_is_over_makes_room() {
    let programs = Programs::new(|| {});
    let all: Vec<_> = (0..8).map(|call| endless(&programs, call).unwrap()).collect();
    let error = endless(&programs, 8).unwrap_err();
    assert!(error.message.contains("8 programs go on"), "{error:?}");
    assert!(programs.find(8.into()).is_none());
    all[3].stop();
    assert_eq!(all[3].over().await, ended(3));
    endless(&programs, 8).unwrap();
    programs.close().await;
    assert!(programs.all().iter().all(|beside| beside.ended().is_some()));
    assert!(endless(&programs, 9).unwrap_err().message.contains("ending"));
}

#[tokio::test]
async fn the_last_of_those_that_are_over_are_remembered_and_no_more() {
    let programs = Programs::new(|| {});
    programs.remember(ended(0));
    for call in 1..=100 {
        let beside = endless(&programs, call).unwrap();
        beside.stop();
        beside.over().await;
    }
    let known: Vec<_> = programs.all().iter().map(|beside| beside.is.call).collect();
    assert_eq!(known.len(), MOST_OVER);
    assert_eq!(known.last(), Some(&100.into()));
}

#[tokio::test]
async fn an_end_wakes_once_it_is_known_and_is_taken_once() {
    let woken = Arc::new(AtomicUsize::new(0));
    let count = woken.clone();
    let programs = Programs::new(move || {
        count.fetch_add(1, Ordering::AcqRel);
    });
    let (end, told) = oneshot::channel();
    let beside = programs
        .begin(beginning(1), async move |_| {
            told.await.unwrap();
            ended(1)
        })
        .unwrap();
    assert_eq!((beside.ended(), woken.load(Ordering::Acquire)), (None, 0));
    end.send(()).unwrap();
    beside.over().await;
    programs.close().await;
    assert_eq!(woken.load(Ordering::Acquire), 1);
    assert!(beside.take() && !beside.take());
}

#[tokio::test]
async fn one_whose_task_dies_is_over_as_well() {
    let programs = Programs::new(|| {});
    let work = async |_| panic!("on purpose");
    let beside = programs.begin(beginning(1), work).unwrap();
    assert_eq!(beside.over().await.status, Some(ExitStatus::Cancelled));
    programs.close().await;
}
