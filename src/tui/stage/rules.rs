//! Rules for stories, and calls that something let through.

use serde_json::json;

use super::{Stage, result};
use crate::{
    kernel::{
        capability::Category,
        event::{Call, Decider, Decision, Event, Origin},
        gate::{
            law::{Layer, Placed},
            rule::{Lasting, Reading, Rule, parse, parse_one},
            subject::{Reached, Subject},
        },
        id::ApprovalId,
        port::{Level, Untrusted},
    },
    tui::message::{Message, News},
};

/// `cargo test --lib **` for as long as that says.
pub(in crate::tui) fn rule(until: &str) -> Rule {
    let lasting = if until == "session" { Lasting::Session } else { Lasting::File };
    let text = format!(
        "[[allow]]\ncall = \"process.run\"\nargs = [\"cargo\", \"test\", \"--lib\", \"**\"]\nuntil = \"{until}\"\n"
    );
    parse_one(&text, Reading { home: None, lasting }).unwrap()
}

/// What a program acts on, in its seal.
pub(in crate::tui) fn program(argv: &[&str]) -> Subject {
    let run = Reached {
        cwd: "/home/me/tally".into(),
        seal: Level::Workspace,
        network: false,
        writes: Vec::new(),
    };
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    Subject::Program { argv, run: Box::new(run) }
}

impl Stage {
    /// The rules of the project here are asked about.
    pub(in crate::tui) fn untrusted(&mut self, text: &str, allows: usize) -> ApprovalId {
        let (id, folder) = (77.into(), std::path::PathBuf::from("/home/me/code/tally"));
        let file = folder.join(".footplate/rules.toml");
        let rules = Untrusted { folder, file, text: text.to_owned(), allows };
        self.state.records.home = Some("/home/me".into());
        self.send(Message::Told(News::Untrusted(id, rules)));
        id
    }

    /// A yes of the session that was the answer to that question, a rule of the person's own, one of
    /// the project, and one of the computer.
    pub(in crate::tui) fn standing(&self, grant: u128) -> Vec<Placed> {
        let read = |text: &str| {
            let reading = Reading { home: None, lasting: Lasting::File };
            parse(text, reading).rules.remove(0).1
        };
        let own = read("[[deny]]\ncall = \"process.run\"\nargs = [\"git\", \"push\", \"**\"]\n");
        let project = read("[[ask]]\ncall = \"files.write\"\npath = \".github/**\"\n");
        let admin = read("[[deny]]\ncall = \"process.run\"\nargs = [\"sudo\", \"**\"]\n");
        vec![
            Placed::granted(rule("session"), grant.into()),
            Placed::new(own, Layer::User, "/home/me/.config/footplate/rules.toml", 3),
            Placed::new(project, Layer::Project, "/home/me/tally/.footplate/rules.toml", 7),
            Placed::new(admin, Layer::Admin, "/etc/footplate/rules.toml", 1),
        ]
    }

    /// A program begins that something let through.
    pub(in crate::tui) fn lets(&mut self, session: u128, call: u128, line: &str, by: Decider) {
        let argv: Vec<&str> = line.split(' ').collect();
        let call = Call {
            id: call.into(),
            name: "process.run".into(),
            input: json!({ "argv": argv }),
            origin: Origin::Python { line: Some(9) },
            parent: None,
        };
        let (category, decision) = (Category::Execute, Decision::allowed(by));
        let subject = program(&argv);
        self.event(session.into(), Event::CallStarted { call, category, decision, subject });
    }

    /// Something that the run with call 10 would send from this machine does not begin.
    pub(in crate::tui) fn refuses(&mut self, session: u128, call: u128, url: &str, by: Decider) {
        let decision = Decision { category: Some(Category::External), ..Decision::denied(by) };
        let (error, message) = match &decision.by {
            Decider::Monitor(_) => ("blocked_by_monitor", "The monitor refused it."),
            Decider::Mode { .. } => ("blocked_in_plan_mode", "Plan mode changes nothing."),
            Decider::Grant
            | Decider::Rule { .. }
            | Decider::Person
            | Decider::Nobody
            | Decider::Record { .. }
            | Decider::Expiry => ("denied_by_rule", "Denied by the rule \"web.fetch\"."),
        };
        let payload = json!({ "error": error, "message": message });
        let mut result = result("web.fetch", false, payload);
        result.input = json!({ "url": url });
        let finished = Event::CallFinished {
            call: call.into(),
            parent: Some(10.into()),
            origin: Origin::Python { line: Some(3) },
            result,
            decision: Some(decision),
        };
        self.event(session.into(), finished);
    }
}
