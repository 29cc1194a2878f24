//! What was on its way when the program died.

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{
    event::Stop,
    id::{CallId, SignalId},
    message::Usage,
    signal::Ending,
    spec::Worktree,
};

/// A root session that has answered and rests, and an agent of it that is at work: what is left of
/// them after a crash. Each may have more events.
fn crashed(rig: &Rig, of_root: Vec<Event>, of_agent: Vec<Event>) -> (SessionId, SessionId) {
    let root = rig.spec(Mode::Default);
    let mut agent = SessionSpec { id: SessionId::fresh(), parent: Some(root.id), ..root.clone() };
    agent.path.push("a".to_owned());
    let call = CallId::fresh();
    let started =
        Event::ChildStarted { call, child: agent.id, agent: "a".into(), task: "do".into() };
    let said = |text: &str| Event::said(text);
    let turn = Event::TurnStarted { turn: 1, model: "m".into() };
    let usage = Usage::default();
    let ends = Event::TurnFinished { stop: Stop::End, usage, calls: vec![], thoughts: vec![] };
    let rests = Event::ExchangeFinished { outcome: Outcome::Done };
    let ids = (root.id, agent.id);
    for (spec, first, more) in [
        (root, vec![said("go"), turn.clone(), started, ends, rests], of_root),
        (agent, vec![said("do"), turn], of_agent),
    ] {
        let journal = rig.store.create(spec).unwrap();
        for event in first.into_iter().chain(more) {
            journal.append(event, &|_| {}).unwrap();
        }
    }
    ids
}

fn ended(text: &str) -> Signal {
    let (outcome, text, usage) = (Outcome::Done, text.to_owned(), Usage::default());
    Signal::Ended { ending: Ending { outcome, text, turns: 1, usage, worktree: None } }
}

/// Resumes that many times, each time in another process, and says something at last.
async fn resumed(rig: &Rig, root: SessionId, times: usize) -> Vec<Event> {
    for _ in 0..times {
        let host = host(rig.store.clone());
        host.resume(root).unwrap();
        assert_eq!(host.idle(root).await, None, "nothing happens until somebody speaks");
        host.shutdown().await;
    }
    let host = host(rig.store.clone());
    host.resume(root).unwrap();
    host.send(root, "on".to_owned());
    host.quiet(root).await;
    host.shutdown().await;
    rig.journal(root)
}

fn rig() -> Rig {
    Rig::new(json!([says("1"), says("2"), says("3")]), json!({}))
}

#[tokio::test]
async fn what_was_sent_and_had_not_come_is_delivered_exactly_once() {
    let rig = rig();
    let id = SessionId::fresh();
    let to = |to, what| Event::SignalSent { signal: SignalId::fresh(), to, what };
    let words = Signal::Words { text: "look here".into() };
    // The session of the root is not known before it is made.
    let (root, agent) = crashed(&rig, Vec::new(), Vec::new());
    let opened = rig.store.open(agent, &mut |_| {}).unwrap();
    for event in [to(root, words), to(root, ended("found it")), to(id, ended("astray"))] {
        opened.journal.append(event, &|_| {}).unwrap();
    }
    drop(opened);
    let journal = resumed(&rig, root, 2).await;
    let got = |event: &Event| matches!(event, Event::SignalReceived { .. });
    assert_eq!(count(&journal, got), 2);
    assert_eq!(rig.told(root), ["> look here", "> found it"]);
    let over = rig.journal(agent);
    assert_eq!(over.last(), Some(&Event::SessionFinished { outcome: Outcome::Done }));
}

#[tokio::test]
async fn what_had_come_does_not_come_again() {
    let rig = rig();
    let signal = SignalId::fresh();
    let (root, agent) = crashed(&rig, Vec::new(), Vec::new());
    let append = |session, event| {
        let opened = rig.store.open(session, &mut |_| {}).unwrap();
        opened.journal.append(event, &|_| {}).unwrap();
    };
    let what = ended("found it");
    append(agent, Event::SignalSent { signal, to: root, what: what.clone() });
    let path = vec!["main".to_owned(), "a".to_owned()];
    append(root, Event::SignalReceived { signal, from: agent, agent: path, what });
    let journal = resumed(&rig, root, 1).await;
    assert_eq!(count(&journal, is_end), 1);
    assert_eq!(rig.told(root), ["> found it"]);
}

#[tokio::test]
async fn an_agent_that_died_with_the_program_is_told_of_once() {
    let rig = rig();
    let (root, agent) = crashed(&rig, Vec::new(), Vec::new());
    let journal = resumed(&rig, root, 2).await;
    assert_eq!(count(&journal, is_end), 1);
    assert_eq!(rig.told(root), ["[The agent a failed: Ended with the program that ran it.]"]);
    let sent = |event: &Event| matches!(event, Event::SignalSent { .. });
    assert_eq!(count(&rig.journal(agent), sent), 1);
}

#[tokio::test]
async fn an_end_that_only_the_one_above_could_record_is_not_told_twice() {
    let rig = rig();
    let (root, agent) = crashed(&rig, Vec::new(), Vec::new());
    let path = vec!["main".to_owned(), "a".to_owned()];
    let (signal, what) = (SignalId::fresh(), ended("found it"));
    let got = Event::SignalReceived { signal, from: agent, agent: path, what };
    rig.store.open(root, &mut |_| {}).unwrap().journal.append(got, &|_| {}).unwrap();
    let journal = resumed(&rig, root, 1).await;
    assert_eq!(count(&journal, is_end), 1);
    assert_eq!(rig.told(root), ["> found it"]);
}

#[tokio::test]
async fn agents_from_before_there_were_signals_are_not_told_of_again() {
    let rig = rig();
    let finished = Event::SessionFinished { outcome: Outcome::Done };
    let (root, _) = crashed(&rig, Vec::new(), vec![finished]);
    let journal = resumed(&rig, root, 1).await;
    assert_eq!(count(&journal, is_end), 0);
}

#[tokio::test]
async fn the_agents_of_a_session_that_is_carried_on_can_be_asked_for() {
    let rig = rig();
    let (root, agent) = crashed(&rig, Vec::new(), Vec::new());
    let opened = rig.store.open(agent, &mut |_| {}).unwrap();
    let sent = Event::SignalSent { signal: SignalId::fresh(), to: root, what: ended("found it") };
    opened.journal.append(sent, &|_| {}).unwrap();
    drop(opened);
    let host = host(rig.store.clone());
    host.resume(root).unwrap();
    let call = async |name, input: Value| host.call(root, name, input.to_string()).await.unwrap();
    let listed = call("agents.list", json!({})).await;
    assert_eq!(listed.content[0]["name"], json!("a"), "{listed:?}");
    let waited = call("agents.wait", json!({})).await;
    assert_eq!(waited.content["over"][0]["text"], json!("found it"), "{waited:?}");
    host.shutdown().await;
    let last = host_resumed_and_told(&rig, root).await;
    assert_eq!(last, Vec::<String>::new(), "a call was given it");
}

async fn host_resumed_and_told(rig: &Rig, root: SessionId) -> Vec<String> {
    resumed(rig, root, 0).await;
    rig.told(root)
}

#[tokio::test]
async fn a_worktree_of_an_agent_that_died_is_told_of_and_worked_in_when_that_goes_on() {
    let rig = rig();
    let (root, dead) = crashed(&rig, Vec::new(), Vec::new());
    let spec = Session::replay(&rig.store.read(dead).unwrap().events).unwrap().spec;
    let tree = rig.workspace().with_file_name("tree");
    std::fs::create_dir(&tree).unwrap();
    let told = |there: &str| {
        format!("[The agent b failed: Ended with the program that ran it. Its worktree {there}]")
    };
    let worktree = Worktree { of: rig.workspace(), commit: "abc".to_owned() };
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (id, path) = (SessionId::fresh(), vec!["main".to_owned(), "b".to_owned()]);
        let worktree = Some(Box::new(worktree.clone()));
        let spec = SessionSpec { id, path, workspace: tree.clone(), worktree, ..spec.clone() };
        ids.push(id);
        let journal = rig.store.create(spec).unwrap();
        journal.append(Event::said("do"), &|_| {}).unwrap();
    }
    let started = |child| Event::ChildStarted {
        call: CallId::fresh(),
        child,
        agent: "b".into(),
        task: "do".into(),
    };
    let starts = |child| {
        let opened = rig.store.open(root, &mut |_| {}).unwrap();
        opened.journal.append(started(child), &|_| {}).unwrap();
    };
    starts(ids[0]);
    let host = host(rig.store.clone());
    host.resume(ids[1]).unwrap();
    let worked_in = host.0.get(ids[1]).unwrap();
    assert_eq!(worked_in.context.env.root(), tree, "the same is used");
    let law = worked_in.context.gate.law();
    assert_eq!(law.base(), rig.workspace(), "under the rules of the project");
    drop(worked_in);
    host.shutdown().await;
    resumed(&rig, root, 1).await;
    let kept = told(&format!("is kept: {}", tree.display()));
    let kept = kept.trim_end_matches(']');
    assert!(rig.told(root).iter().any(|told| told.starts_with(kept)), "{:?}", rig.told(root));

    std::fs::remove_dir(&tree).unwrap();
    starts(ids[1]);
    let host = super::host(rig.store.clone());
    let error = host.resume(ids[1]).map(drop).unwrap_err().to_string();
    assert!(error.contains(&format!("cannot work in {}", tree.display())), "{error}");
    host.shutdown().await;
    resumed(&rig, root, 1).await;
    let gone = told(&format!("{} is not there any more", tree.display()));
    let gone = gone.trim_end_matches(']');
    assert!(rig.told(root).iter().any(|told| told.starts_with(gone)), "{:?}", rig.told(root));
}

#[tokio::test]
async fn what_a_session_names_that_is_not_there_is_said_when_it_goes_on() {
    let rig = rig();
    let named = |names: &[&str], odd: &str| {
        let names = names.iter().copied().chain([odd]);
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let (tools, modules) = (named(&["files.write"], "tele\u{1b}port"), named(&["files"], "warp"));
    let spec = SessionSpec { tools, modules, ..rig.spec(Mode::Default) };
    let id = spec.id;
    drop(rig.store.create(spec).unwrap());
    let host = host(rig.store.clone());
    let notice = host.resume(id).unwrap().unwrap();
    let said = "It goes on without what this footplate does not have: tele⟨U+001B⟩port, warp.";
    assert!(notice.contains(said), "{notice}");
    let result = host.call(id, "files.write", write("a")[1].to_string());
    tokio::select! {
        biased;
        result = result => panic!("nobody was asked: {result:?}"),
        () = tokio::task::yield_now() => {}
    }
    host.shutdown().await;
}
