//! The rules that are offered with a question.

use super::*;
use crate::kernel::{
    capability::{Body, Category, Preview, Reach},
    event::{Call, Origin},
    gate::approval::Question,
};

fn question(case: &Case) -> Question {
    Question {
        id: 1.into(),
        session: 2.into(),
        path: case.agent.clone(),
        call: Call {
            id: 3.into(),
            name: case.call.clone(),
            input: case.input.clone(),
            origin: Origin::Model,
            parent: None,
        },
        category: Category::Write,
        preview: Preview {
            object: String::new(),
            facts: Vec::new(),
            wider: Vec::new(),
            reach: Reach::Outside,
            body: Body::Text { text: String::new() },
            subject: case.subject.clone(),
        },
        script: None,
        monitor: None,
    }
}

type Offer = fn(&Question, &str, Lasting) -> String;

fn proposed(offer: Offer, case: &Case, lasting: Lasting) -> Rule {
    let text = offer(&question(case), "/tally", lasting);
    parse_one(&text, Reading { home: None, lasting })
        .unwrap_or_else(|fault| panic!("{text}\n{fault}"))
}

#[test]
fn the_narrowest_rule_covers_its_call_and_nothing_beside_it() {
    let unlike = |case: &Case| {
        let agent = vec!["main".to_owned(), "child".to_owned()];
        [
            Case { agent, ..case.clone() },
            Case { base: "/other".into(), ..case.clone() },
            Case { call: format!("{}x", case.call), ..case.clone() },
        ]
    };
    let rows = [
        (program(&["git", "status"]), vec![program(&["git", "status", "-s"]), program(&["git"])]),
        (
            program(&["ls", "*"]),
            vec![program(&["ls", "x"]), run(&["ls", "*"], Level::Open, false, &[])],
        ),
        (
            run(&["git", "fetch"], Level::Workspace, true, &["/tally/.git", "/srv/*"]),
            vec![run(&["git", "fetch"], Level::Workspace, true, &["/srv/x"])],
        ),
        (program(&["bash", "-c", "a \"b\" 'c'\n\u{202e}"]), vec![program(&["bash", "-c", "b"])]),
        (file("files.write", "/tally/a[b]*{c}?.md"), vec![file("files.write", "/tally/abx.md")]),
        (file("files.write", "/tally/~/x"), vec![file("files.write", "/tally/x")]),
        (file("files.write", "/srv/a\\b"), vec![file("files.write", "/srv/ab")]),
        (case("execute_code", Subject::Code { seal: Level::Open }), vec![]),
        (case("web.fetch", Subject::Host { host: "docs.rs".to_owned() }), vec![]),
        (case("probe.send", Subject::Other), vec![]),
        (case("install_packages", Subject::Packages { asked: words(&["six"]) }), vec![]),
    ];
    for (mut case, others) in rows {
        let input = json!({ "what": "exactly this" });
        case.input = input.clone();
        let offers: [(Offer, Lasting); 4] = [
            (propose, Lasting::Session),
            (propose, Lasting::File),
            (exactly, Lasting::Session),
            (exactly, Lasting::File),
        ];
        for (offer, lasting) in offers {
            let rule = proposed(offer, &case, lasting);
            assert!(rule.matches(&case, TODAY), "{} on {case:?}", rule.text());
            let others = others.iter().map(|other| {
                // Only what is named by its exact input has that input.
                let input =
                    if other.subject == case.subject { json!({}) } else { json!({ "n": 1 }) };
                Case { input, ..other.clone() }
            });
            for other in others.chain(unlike(&case)) {
                assert!(!rule.matches(&other, TODAY), "{} on {other:?}", rule.text());
            }
        }
    }
}
