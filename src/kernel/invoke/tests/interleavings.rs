//! Any order of what can happen to the questions of a session and the agents below it: each waiter
//! is answered once, each question closed once, and nothing runs that nothing allows at that moment.
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at some events")]

mod told;

use std::collections::{BTreeMap, BTreeSet};

use tokio::task::JoinHandle;

use self::told::{Closed, Told};
use super::{
    rules::{placed, session, table},
    *,
};
use crate::kernel::gate::{
    approval::EDIT_REFUSED,
    policy::{Verdict, ruled, strictest},
    rule::Effect,
};

/// The session, an agent, and an agent of that one.
const DEPTHS: usize = 3;
const CALLS: [&str; 4] = ["look", "change", "start", "send"];
const WORDS: [&str; 5] = ["docs/a", "docs/b", "c", "for ever", "bad"];

/// What is in the files of rules.
const RULES: [(&str, &str); 5] =
    [("allow", "**"), ("allow", "docs/*"), ("deny", "docs/*"), ("ask", "**"), ("deny", "**")];

#[derive(Clone, Copy, Debug)]
enum Says {
    Yes,
    No,
    StopTurn,
    ForSession(&'static str),
    Edited(&'static str),
    /// For always; the rule can be saved, or not.
    Always(bool),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Call {
        depth: usize,
        name: &'static str,
        word: &'static str,
    },
    Answer(usize, Says),
    /// Whoever made the call is gone.
    Leave(usize),
    Rules(Option<(&'static str, &'static str)>),
    Revoke(usize),
    Mode(usize, Mode),
    Stop(usize),
    /// The session is over, and the agents below it.
    End(usize),
    /// So many others get their turn.
    Let(usize),
    Pass(Duration),
}

fn says() -> impl Strategy<Value = Says> {
    prop_oneof![
        4 => Just(Says::Yes),
        2 => Just(Says::No),
        1 => Just(Says::StopTurn),
        3 => prop::sample::select(vec!["**", "docs/*", "c", ""]).prop_map(Says::ForSession),
        2 => prop::sample::select(&WORDS[..]).prop_map(Says::Edited),
        2 => any::<bool>().prop_map(Says::Always),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let call = (0..DEPTHS, prop::sample::select(&CALLS[..]), prop::sample::select(&WORDS[..]));
    let rules = prop::option::of(prop::sample::select(&RULES[..]));
    prop_oneof![
        8 => call.prop_map(|(depth, name, word)| Step::Call { depth, name, word }),
        8 => (0..12_usize, says()).prop_map(|(which, says)| Step::Answer(which, says)),
        2 => (0..12_usize).prop_map(Step::Leave),
        2 => rules.prop_map(Step::Rules),
        1 => (0..4_usize).prop_map(Step::Revoke),
        3 => (0..DEPTHS, prop::sample::select(&Mode::ALL[..])).prop_map(|(at, to)| Step::Mode(at, to)),
        1 => (0..DEPTHS).prop_map(Step::Stop),
        1 => (1..DEPTHS).prop_map(Step::End),
        8 => (1..6_usize).prop_map(Step::Let),
        1 => (1..8_u64).prop_map(|s| Step::Pass(Duration::from_secs(s))),
    ]
}

/// A session with agents below it, and what a test knows of them beside the journal.
struct Tree {
    fixture: Fixture,
    modes: Arc<Vec<watch::Sender<Mode>>>,
    levels: Vec<Tools>,
    calls: Vec<(usize, CallId, JoinHandle<ToolResult>)>,
    depths: Arc<Mutex<BTreeMap<CallId, usize>>>,
    faults: Arc<Mutex<Vec<String>>>,
    accepted: Vec<(ApprovalId, Answer)>,
    revoked: BTreeSet<ApprovalId>,
}

fn path(depth: usize) -> Vec<String> {
    ["root", "child", "grandchild"][..=depth].iter().map(|&name| name.to_owned()).collect()
}

impl Tree {
    fn new() -> Self {
        let limits = Limits { approval_ms: Some(5_000), ..Limits::default() };
        let fixture = limited(Mode::Default, Attended::Yes, limits);
        let modes: Vec<_> = (0..DEPTHS).map(|_| watch::Sender::new(Mode::Default)).collect();
        let (modes, depths) = (Arc::new(modes), Arc::new(Mutex::default()));
        let faults: Arc<Mutex<Vec<String>>> = Arc::default();
        let law = fixture.tools.context.gate.law().clone();
        let recorder = watched(&fixture, &law, &modes, &depths, &faults);
        let mut rights = Rights::of(modes[0].subscribe());
        let mut levels = Vec::new();
        for depth in 0..DEPTHS {
            if depth > 0 {
                rights = rights.narrowed(modes[depth].subscribe());
            }
            let mut tools = fixture.tools.clone();
            let gate = Gate::new(rights.clone(), Some(fixture.waiting.clone()));
            tools.context.gate = gate.with_law(law.clone());
            tools.context.recorder = recorder.clone();
            let spec = SessionSpec { path: path(depth), ..(*tools.context.spec).clone() };
            tools.context.spec = Arc::new(spec);
            tools.context.cancel = CancellationToken::new();
            levels.push(tools);
        }
        let (calls, accepted) = (Vec::new(), Vec::new());
        Self { fixture, modes, levels, calls, depths, faults, accepted, revoked: BTreeSet::new() }
    }

    fn asked(&self) -> Vec<ApprovalId> {
        let question = |event| match event {
            Event::ApprovalRequested { question } => Some(question.id),
            _ => None,
        };
        self.fixture.events().into_iter().filter_map(question).collect()
    }

    fn call(&mut self, depth: usize, name: &str, word: &str) {
        let Some(tools) = self.levels.get_mut(depth) else { return };
        if tools.context.cancel.is_cancelled() {
            tools.context.cancel = CancellationToken::new();
        }
        let (id, tools) = (CallId::fresh(), tools.clone());
        self.depths.lock().unwrap().insert(id, depth);
        let input = Input::Value(json!({ "word": word }));
        let request = CallRequest { id, name: name.to_owned(), input, origin: Origin::Model };
        let call = tokio::spawn(async move { tools.invoke(request).await });
        self.calls.push((depth, id, call));
    }

    /// Answers one of all the questions there ever were.
    fn answer(&mut self, which: usize, says: Says) {
        let asked = self.asked();
        let Some(id) = asked.get(which % asked.len().max(1)).copied() else { return };
        let no = |then| Answer::Deny { because: None, then };
        let (answer, kept) = match says {
            Says::Yes => (YES, true),
            Says::No => (no(Then::GoOn), true),
            Says::StopTurn => (no(Then::StopTurn), true),
            Says::ForSession("") => {
                (Answer::Allow { scope: Scope::Session { rule: "".into() } }, true)
            }
            Says::ForSession(place) => (session(place), true),
            Says::Edited(word) => (Answer::AllowEdited { input: json!({ "word": word }) }, true),
            Says::Always(kept) => (
                Answer::Allow { scope: Scope::Always { rule: table("allow", "change", "**") } },
                kept,
            ),
        };
        let keep = |_: &str| kept.then_some(()).ok_or("the disk is full".to_owned());
        if self.fixture.waiting.answer_kept(id, answer.clone(), keep).is_ok() {
            self.accepted.push((id, answer));
        }
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Call { depth, name, word } => self.call(depth, name, word),
            Step::Answer(which, says) => self.answer(which, says),
            Step::Leave(which) => {
                if let Some((.., call)) = self.calls.get(which) {
                    call.abort();
                }
            }
            Step::Rules(rule) => {
                let text = rule.map(|(effect, place)| table(effect, "change", place));
                self.fixture.rules.replace(placed(&text.unwrap_or_default()));
            }
            Step::Revoke(which) => {
                let grants = self.levels[0].context.gate.law().grants().clone();
                let grant = grants.now().get(which).and_then(|placed| placed.cited.grant);
                if let Some(grant) = grant {
                    assert!(grants.revoke(grant).is_some());
                    self.revoked.insert(grant);
                }
            }
            Step::Mode(depth, mode) => drop(self.modes[depth].send_replace(mode)),
            Step::Stop(depth) => {
                if let Some(level) = self.levels.get(depth) {
                    level.context.cancel.cancel();
                }
            }
            Step::End(from) => {
                for level in self.levels.drain(from.min(self.levels.len())..) {
                    level.context.cancel.cancel();
                }
                let below = self.calls.iter().filter(|(depth, ..)| *depth >= from);
                below.for_each(|(.., call)| call.abort());
            }
            Step::Let(turns) => {
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
            }
            Step::Pass(time) => tokio::time::sleep_until(Instant::now() + time).await,
        }
    }

    /// Everybody leaves, and the journal is looked at.
    async fn ends(mut self) {
        let mut made = Vec::new();
        for (_, id, call) in std::mem::take(&mut self.calls) {
            call.abort();
            match call.await {
                Ok(_) => made.push(id),
                Err(error) => assert!(error.is_cancelled(), "{error}"),
            }
        }
        assert_eq!(*self.faults.lock().unwrap(), Vec::<String>::new());
        let told = Told::of(&self.fixture.events());
        told.each_call_ends_once(made);
        assert_eq!(self.fixture.ran().len(), told.started.len(), "what began is what ran");
        let mut by_person: Vec<_> = told.answered_by_person();
        let mut accepted = self.accepted.clone();
        // An edit that cannot be taken is told in the withdrawal; and what nobody lived to hear comes
        // to nothing, unless it is a yes for more than once.
        accepted.retain(|(id, answer)| match told.closed[id] {
            Closed::Withdrawn(ref reason) => {
                let stands = matches!(answer, Answer::Allow { scope } if *scope != Scope::Once);
                assert!(!stands, "{answer:?}: {reason}");
                false
            }
            Closed::Answered(..) => true,
        });
        let named = |all: &mut Vec<(ApprovalId, Answer)>| {
            all.sort_by_key(|(id, _)| *id);
            all.iter().map(|(id, answer)| (*id, std::mem::discriminant(answer))).collect::<Vec<_>>()
        };
        assert_eq!(named(&mut by_person), named(&mut accepted), "told and recorded are the same");
        let for_session = |(id, answer): &(ApprovalId, Answer)| {
            matches!(answer, Answer::Allow { scope: Scope::Session { .. } }).then_some(*id)
        };
        let recorded: BTreeSet<_> = by_person.iter().filter_map(for_session).collect();
        let grants = self.fixture.tools.context.gate.law().grants().now();
        let live: BTreeSet<_> = grants.iter().filter_map(|placed| placed.cited.grant).collect();
        assert_eq!(live, &recorded - &self.revoked, "what stands is what was recorded");
        assert!(self.fixture.waiting.is_empty());
        assert!(!self.fixture.clock.read().held);
    }
}

/// The recorder of the tree: looks at each call that begins, at the moment it does.
fn watched(
    fixture: &Fixture,
    law: &Law,
    modes: &Arc<Vec<watch::Sender<Mode>>>,
    depths: &Arc<Mutex<BTreeMap<CallId, usize>>>,
    faults: &Arc<Mutex<Vec<String>>>,
) -> Recorder {
    let (law, modes) = (law.clone(), modes.clone());
    let (depths, faults) = (depths.clone(), faults.clone());
    let watch = move |envelope: &Arc<Envelope>| {
        let Event::CallStarted { call, category, decision, subject } = &envelope.event else {
            return;
        };
        let depth = depths.lock().unwrap()[&call.id];
        let now: Vec<Mode> = modes[..=depth].iter().map(|mode| *mode.borrow()).collect();
        let (by_mode, _) = strictest(now.iter().copied(), *category, Reach::Workspace);
        let case = law.case(&call.name, call.input.clone(), subject.clone(), &path(depth));
        let rule = law.judge(&case).map(|(effect, _)| effect);
        let rule = rule.filter(|effect| *category != Category::Read || *effect == Effect::Deny);
        let verdict = ruled(by_mode, Verdict::Allow, rule);
        let by_person = decision.by == Decider::Person;
        if verdict == Verdict::Block || (verdict == Verdict::Ask && !by_person) {
            let fault = format!("{verdict:?} in {now:?}, {rule:?}: {call:?}, {decision:?}");
            faults.lock().unwrap().push(fault);
        }
    };
    Recorder::new(fixture.journal.clone(), Arc::new(watch))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn in_any_order_each_waiter_is_answered_once_and_nothing_runs_that_is_not_allowed(
        steps in prop::collection::vec(step(), 1..48),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut tree = Tree::new();
            for step in steps {
                tree.step(step).await;
            }
            tree.ends().await;
        });
    }
}
