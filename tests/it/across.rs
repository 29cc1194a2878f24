//! Several programs over one home: each sees what the others hold, watches it, and takes it over when
//! they let go.

use std::{
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStdout, Stdio},
    sync::Arc,
};

use footplate::{
    host::Host,
    kernel::{
        command::Command,
        event::{Envelope, Event},
        id::SessionId,
        port::{Desk, NotResumed, Store as _, Watch, When, Whereabouts},
        spec::Mode,
    },
    modules,
    store::DiskStore,
};
use serde_json::{Value, json};

use crate::{
    rig,
    support::{Place, of_type},
};

/// A session in another process, whose agent waits in a program.
struct Other {
    child: Child,
    session: SessionId,
    /// Read no further; it goes on while somebody could.
    _lines: Lines<BufReader<ChildStdout>>,
}

fn other(place: &Place) -> Other {
    let code = |code: &str| json!([{ "name": "execute_code", "arguments": { "code": code } }]);
    let waits = "import time\nprint('waits', flush=True)\ntime.sleep(600)\n";
    let model = place.script(&json!({
        "turns": [
            { "calls": code("from footplate import agents\nagents.run('x', name='one')\n") },
            { "text": "Here it goes on." },
        ],
        "agents": { "one": { "turns": [{ "text": "I wait.", "calls": code(waits) }] } },
    }));
    let mut command = place.footplate();
    command.args(["exec", "--json", "--mode", "auto", "--model", &model, "go"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.by_ref().map(Result::unwrap).find(|line| line.contains("\"message_sent\""));
    let said: Value = serde_json::from_str(&said.unwrap()).unwrap();
    let session = serde_json::from_value(said["session"].clone()).unwrap();
    Other { child, session, _lines: lines }
}

/// Another process over the same home: this one.
fn host(place: &Place) -> Host {
    rig::host_of(place, modules::registry(), store(place), None)
}

fn store(place: &Place) -> Arc<DiskStore> {
    Arc::new(DiskStore::new(place.home().join("data")))
}

async fn until(events: &mut Watch, seen: &mut Vec<Arc<Envelope>>, what: impl Fn(&Event) -> bool) {
    loop {
        let envelope = events.recv().await.unwrap();
        let found = what(&envelope.event);
        seen.push(envelope);
        if found {
            return;
        }
    }
}

/// Every event of a journal was told, once, in its order.
fn whole(seen: &[Arc<Envelope>], session: SessionId) -> usize {
    let told: Vec<_> = seen.iter().filter(|event| event.session == session).collect();
    let numbers: Vec<_> = told.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>(), "{session}");
    numbers.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_another_process_is_listed_watched_and_taken_over_when_it_lets_go() {
    let place = Place::new();
    let Other { mut child, session, _lines } = other(&place);
    let host = host(&place);
    let desk: &dyn Desk = &host;
    let mut events = desk.subscribe();
    let mut seen = Vec::new();
    let number = format!("process {}", child.id());
    let listed = desk.sessions().await.unwrap();
    assert_eq!(listed.len(), 1, "its agent is no session of its own here");
    let Whereabouts::There(Some(by)) = &listed[0].place else { panic!("{:?}", listed[0].place) };
    assert!(by.starts_with(&number), "{by}");

    desk.send(Command::Watch { session }).unwrap();
    until(&mut events, &mut seen, |event| matches!(event, Event::OutputWritten { lines: 1.., .. }))
        .await;
    let agent = seen.last().unwrap().clone();
    let Event::OutputWritten { call, .. } = agent.event else { unreachable!() };
    assert_ne!(agent.session, session, "it is the agent's");
    let page = desk.output(agent.session, call, 10).await.unwrap();
    assert_eq!(page.lines, ["waits"]);

    let before = place.journals();
    assert!(desk.send(Command::Send { session, words: "me too".into() }).is_err());
    assert!(desk.send(Command::Delete { session }).is_err());
    let now = desk.resume(session, When::Now).await;
    let Err(NotResumed::Failed(why)) = now else { panic!("{now:?}") };
    assert!(why.contains("is open in another footplate") && why.contains(&number), "{why}");
    assert_eq!(place.journals(), before, "nothing was written to it");

    let waits = tokio::spawn({
        let host = host.clone();
        async move { Desk::resume(&host, session, When::LetGo).await }
    });
    child.kill().unwrap();
    child.wait().unwrap();
    waits.await.unwrap().unwrap();
    let resumed = |event: &Event| matches!(event, Event::SessionResumed { .. });
    until(&mut events, &mut seen, resumed).await;
    desk.send(Command::Send { session, words: "go on".into() }).unwrap();
    let over = |event: &Event| matches!(event, Event::ExchangeFinished { .. });
    // Its agent is mended after it, and told of as well.
    while seen.last().unwrap().session != session || !over(&seen.last().unwrap().event) {
        until(&mut events, &mut seen, over).await;
    }
    assert_eq!(desk.sessions().await.unwrap()[0].place, Whereabouts::Here);
    // What comes after its own mending is told by the host alone.
    let there = desk.resume(session, When::Now).await;
    assert_eq!(there, Ok(None), "it runs here already");
    host.shutdown().await;
    while let Ok(envelope) = events.try_recv() {
        seen.push(envelope);
    }

    let journals = place.journals();
    assert_eq!(whole(&seen, session), journals[0].len());
    assert_eq!(whole(&seen, agent.session), journals[1].len());
    let lost = of_type(&journals[1], "call_finished");
    assert_eq!(lost[0]["result"]["content"]["error"], "interrupted");
    assert_eq!(of_type(&journals[0], "message_sent").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_for_a_session_can_be_given_up_and_a_free_one_is_carried_on_at_once() {
    let place = Place::new();
    let Other { mut child, session, _lines } = other(&place);
    let host = host(&place);
    let waits = tokio::spawn({
        let host = host.clone();
        async move { Desk::resume(&host, session, When::LetGo).await }
    });
    while !waits.is_finished() {
        Desk::send(&host, Command::Unwatch { session }).unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(waits.await.unwrap(), Err(NotResumed::GivenUp));
    child.kill().unwrap();
    child.wait().unwrap();

    let mut events = Desk::subscribe(&host);
    assert_eq!(host.sessions().await.unwrap()[0].place, Whereabouts::Free);
    Desk::resume(&host, session, When::Now).await.unwrap();
    let mut seen = Vec::new();
    let resumed = |event: &Event| matches!(event, Event::SessionResumed { .. });
    until(&mut events, &mut seen, resumed).await;
    assert!(whole(&seen, session) > 1);
    let said = host.said(session).await.unwrap();
    let said: Vec<_> = said.iter().map(|said| (said.number, said.text.as_str())).collect();
    assert_eq!(said, [(1, "go")]);
    let another = rig::host_of(&place, modules::registry(), store(&place), None);
    let held = another.sessions().await.unwrap();
    assert!(matches!(held[0].place, Whereabouts::There(_)), "{:?}", held[0].place);
    host.shutdown().await;
    assert_eq!(another.sessions().await.unwrap()[0].place, Whereabouts::Free);
    Desk::send(&another, Command::Delete { session }).unwrap();
    assert_eq!(place.journals_there(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_left_while_it_is_read_tells_nothing_more() {
    let place = Place::new();
    let held = store(&place);
    let spec = rig::spec(&place, &json!({}), Mode::Default, &[]);
    let id = spec.id;
    let journal = held.create(spec).unwrap();
    let say = || {
        journal
            .append(Event::MessageSent { text: "x".into(), pictures: Vec::new() }, &|_| {})
            .unwrap();
    };
    (0..2_000).for_each(|_| say());
    let host = host(&place);
    let mut events = Desk::subscribe(&host);
    for _ in 0..3 {
        Desk::send(&host, Command::Watch { session: id }).unwrap();
        let first = events.recv().await.unwrap();
        assert_eq!(first.seq, 0, "a new watch begins at the beginning");
        // More of it is on its way by now.
        while events.recv().await.unwrap().seq < 400 {}
        Desk::send(&host, Command::Unwatch { session: id }).unwrap();
        assert!(events.try_recv().is_err());
    }
    host.shutdown().await;
    drop(host);
    assert!(events.try_recv().is_err());
}
