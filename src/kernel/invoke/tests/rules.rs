//! The gate with rules: what they decide, in whose name, and for whom that already waits.
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at some events")]

use super::*;
use crate::kernel::{
    event::Decision,
    gate::{
        law::{Cited, Layer, Placed},
        policy::Runs,
        rule::{Lasting, Reading, parse},
    },
};

pub(super) fn placed(text: &str) -> Vec<Placed> {
    let parsed = parse(text, Reading { home: None, lasting: Lasting::File });
    assert_eq!(parsed.fault, None);
    let place = |(line, rule)| Placed::new(rule, Layer::User, "rules.toml", line);
    parsed.rules.into_iter().map(place).collect()
}

/// A table for the files of this call.
pub(super) fn table(effect: &str, call: &str, path: &str) -> String {
    format!("[[{effect}]]\ncall = \"{call}\"\npath = \"{path}\"\n")
}

pub(super) fn session(path: &str) -> Answer {
    Answer::Allow { scope: Scope::Session { rule: table("allow", "change", path) } }
}

impl Fixture {
    fn ruled(mode: Mode, text: &str) -> Self {
        let fixture = fixture(mode, Attended::Yes);
        fixture.rules.replace(placed(text));
        fixture
    }

    /// Who decided each call, in order.
    fn deciders(&self) -> Vec<Decider> {
        let by = |event: Event| match event {
            Event::CallStarted { decision, .. } => Some(decision.by),
            Event::CallFinished { decision: Some(decision), .. } => Some(decision.by),
            _ => None,
        };
        self.events().into_iter().filter_map(by).collect()
    }
}

fn rule_of(by: &Decider) -> &Cited {
    let Decider::Rule { rule } = by else { panic!("not by a rule: {by:?}") };
    rule
}

#[tokio::test]
async fn a_rule_that_allows_decides_in_its_own_name() {
    let fixture = Fixture::ruled(Mode::Default, &table("allow", "change", "docs/**"));
    assert!(fixture.word("change", "docs/a").await.ok);
    let deciders = fixture.deciders();
    let rule = rule_of(&deciders[0]);
    assert_eq!((rule.layer, rule.line), (Layer::User, Some(1)));
    assert_eq!((rule.file.as_deref(), &*rule.says), (Some("rules.toml"), "change docs/**"));
    let other = tokio::spawn(fixture.word("change", "src/a"));
    fixture.question().await;
    other.abort();
}

#[tokio::test]
async fn a_rule_that_denies_holds_in_every_mode_and_names_itself() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Auto] {
        let fixture = Fixture::ruled(mode, &table("deny", "*", "secret"));
        for call in ["change", "look"] {
            let result = fixture.word(call, "secret").await;
            assert_eq!(result.error_code(), Some(ErrorCode::DeniedByRule), "{mode:?} {call}");
            assert_eq!(result.content["rule"], "* secret");
            assert_eq!(
                (&result.content["file"], &result.content["line"]),
                (&json!("rules.toml"), &json!(1))
            );
            assert!(result.content["message"].as_str().unwrap().contains("rules.toml:1"));
        }
        assert!(fixture.word("look", "open").await.ok);
        assert_eq!(fixture.ran(), ["open"]);
        let Event::CallFinished { decision: Some(decision), .. } = &fixture.events()[0] else {
            panic!("the refusal says who decided")
        };
        assert_eq!(rule_of(&decision.by).layer, Layer::User);
        assert!(!decision.allowed);
    }
}

#[tokio::test]
async fn what_is_denied_is_not_even_looked_at() {
    // The preview of this word fails, which would tell what is there.
    let fixture = Fixture::ruled(Mode::Default, &table("deny", "*", "bad"));
    let result = fixture.word("change", "bad").await;
    assert_eq!(result.error_code(), Some(ErrorCode::DeniedByRule));
}

#[tokio::test]
async fn a_rule_that_asks_asks_in_auto_as_well_but_never_for_a_read() {
    let fixture = Fixture::ruled(Mode::Auto, &table("ask", "*", "**"));
    assert!(fixture.word("look", "a").await.ok);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    // Nor can a yes for the session take it back.
    let refused = fixture.waiting.answer(id, session("a"));
    let Err(NotAnswered::Refused(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("always asks") && why.contains("rules.toml:1"), "{why}");
    fixture.waiting.answer(id, YES).unwrap();
    assert!(call.await.unwrap().ok);
}

#[tokio::test]
async fn plan_mode_and_nobody_at_the_keys_stand_above_every_allow() {
    let fixture = Fixture::ruled(Mode::Plan, &table("allow", "change", "**"));
    let result = fixture.word("change", "a").await;
    assert_eq!(result.error_code(), Some(ErrorCode::BlockedInPlanMode));
    let alone = super::fixture(Mode::Default, Attended::No);
    alone.rules.replace(placed(&table("allow", "change", "a")));
    assert!(alone.word("change", "a").await.ok);
    assert_eq!(alone.word("change", "b").await.error_code(), Some(ErrorCode::NoApprover));
}

#[tokio::test]
async fn a_setting_that_all_code_asks_stands_above_every_allow() {
    let mut fixture = Fixture::ruled(Mode::Default, "[[allow]]\ncall = \"start\"\n");
    assert!(fixture.word("start", "a").await.ok);
    let gate = fixture.tools.context.gate.clone();
    fixture.tools.context.gate = gate.with_runs(Runs::Asked);
    let call = tokio::spawn(fixture.word("start", "a"));
    let id = fixture.question().await;
    let bare = Answer::Allow { scope: Scope::Session { rule: String::new() } };
    assert!(matches!(fixture.waiting.answer(id, bare), Err(NotAnswered::Refused(_))));
    fixture.waiting.answer(id, YES).unwrap();
    assert!(call.await.unwrap().ok);
}

#[tokio::test]
async fn a_new_grant_answers_all_others_that_it_covers_once_each_and_no_more() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let mut calls = Vec::new();
    let mut asked = Vec::new();
    for word in ["docs/a", "docs/b", "src/c"] {
        calls.push(tokio::spawn(fixture.word("change", word)));
        asked.push(fixture.question().await);
    }
    fixture.waiting.answer(asked[0], session("docs/*")).unwrap();
    for call in calls.drain(..2) {
        assert!(call.await.unwrap().ok);
    }
    assert_eq!(fixture.waiting.len(), 1, "the third still waits");
    let answers = fixture.answers();
    assert_eq!(answers.len(), 2);
    let of = |id| answers.iter().find(|(approval, ..)| *approval == id).unwrap();
    assert_eq!(of(asked[0]).2, Decider::Person);
    assert_eq!(of(asked[0]).1, session("docs/*"));
    let rule = rule_of(&of(asked[1]).2);
    assert_eq!((rule.layer, rule.grant), (Layer::Session, Some(asked[0])));
    // A late answer does nothing.
    assert_eq!(fixture.waiting.answer(asked[1], YES), Err(NotAnswered::NobodyWaits));
    for call in calls {
        call.abort();
    }
}

#[tokio::test]
async fn a_rule_that_comes_later_answers_what_waits_either_way() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let yes = tokio::spawn(fixture.word("change", "a"));
    fixture.question().await;
    let no = tokio::spawn(fixture.word("change", "b"));
    fixture.question().await;
    let text = table("allow", "change", "a") + &table("deny", "change", "b");
    fixture.rules.replace(placed(&text));
    assert!(yes.await.unwrap().ok);
    assert_eq!(no.await.unwrap().error_code(), Some(ErrorCode::DeniedByRule));
    assert!(fixture.waiting.is_empty());
    assert_eq!(
        fixture.answers().iter().map(|(_, _, by)| rule_of(by).line).collect::<Vec<_>>().len(),
        2
    );
}

#[tokio::test]
async fn a_revoked_grant_asks_again_at_once() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    fixture.waiting.answer(id, session("a")).unwrap();
    assert!(call.await.unwrap().ok);
    assert!(fixture.word("change", "a").await.ok);
    let grants = fixture.tools.context.gate.law().grants().clone();
    assert_eq!(grants.revoke(id).unwrap().cited.says, "change a");
    assert_eq!(grants.revoke(id), None);
    let again = tokio::spawn(fixture.word("change", "a"));
    fixture.question().await;
    again.abort();
}

#[tokio::test]
async fn a_grant_of_a_session_reaches_an_agent_below_only_where_it_says_so() {
    let mut fixture = fixture(Mode::Default, Attended::Yes);
    let grant = |agents: &str| Answer::Allow {
        scope: Scope::Session {
            rule: format!("{}agents = \"{agents}\"\n", table("allow", "change", "a")),
        },
    };
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    fixture.waiting.answer(id, grant("root")).unwrap();
    assert!(call.await.unwrap().ok);
    let mut spec = (*fixture.tools.context.spec).clone();
    spec.path.push("child".to_owned());
    let root = std::mem::replace(&mut fixture.tools.context.spec, Arc::new(spec));
    let child = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    fixture.waiting.answer(id, grant("root/**")).unwrap();
    assert!(child.await.unwrap().ok);
    assert!(fixture.word("change", "a").await.ok);
    fixture.tools.context.spec = root;
    assert!(fixture.word("change", "a").await.ok);
}

#[tokio::test]
async fn a_decision_of_before_there_were_rules_is_still_read() {
    let old = r#"{"allowed":true,"by":{"who":"grant"}}"#;
    let decision: Decision = serde_json::from_str(old).unwrap();
    assert_eq!(decision, Decision::allowed(Decider::Grant));
}
