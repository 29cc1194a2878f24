//! The rules that bind sessions: those of files, which all sessions of a host share, and what a
//! person granted to one session and the agents below it.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use super::{
    grant::Grants,
    rule::{Effect, Lasting, Reading, Rule},
    subject::{Case, Subject, text},
};
use crate::kernel::id::ApprovalId;

/// Where a rule is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// By whoever runs this computer.
    Admin,
    /// By the person, for everything they do.
    User,
    /// In the project, for everybody who works on it.
    Project,
    /// With the session: a yes that was given in it.
    Session,
}

impl Layer {
    /// The name that people read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::User => "yours",
            Self::Project => "project",
            Self::Session => "this session",
        }
    }
}

/// A rule as decisions name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cited {
    /// Where it is kept.
    pub layer: Layer,
    /// What it does.
    pub effect: Effect,
    /// It in a few words.
    pub says: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The question that it was the answer to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<ApprovalId>,
}

/// `"git push **" (/home/ada/.config/footplate/rules.toml:3)`.
impl fmt::Display for Cited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.says)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " ({file}:{line})"),
            (Some(file), None) => write!(f, " ({file})"),
            (None, _) => write!(f, " ({})", self.layer.name()),
        }
    }
}

/// A rule at its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The rule.
    pub rule: Rule,
    /// How it is named.
    pub cited: Cited,
    /// The project it is of: it counts only for sessions there.
    pub within: Option<PathBuf>,
}

impl Placed {
    /// A rule from that line of a file; line 0 is none in particular.
    pub fn new(rule: Rule, layer: Layer, file: &str, line: usize) -> Self {
        let cited = Cited {
            layer,
            effect: rule.effect(),
            says: rule.says().to_owned(),
            file: Some(file.to_owned()),
            line: (line > 0).then_some(line),
            grant: None,
        };
        Self { rule, cited, within: None }
    }

    /// A yes of a session.
    pub fn granted(rule: Rule, grant: ApprovalId) -> Self {
        let cited = Cited {
            layer: Layer::Session,
            effect: rule.effect(),
            says: rule.says().to_owned(),
            file: None,
            line: None,
            grant: Some(grant),
        };
        Self { rule, cited, within: None }
    }

    fn matches(&self, case: &Case, today: Date) -> bool {
        self.within.as_ref().is_none_or(|project| case.base == *project)
            && self.rule.matches(case, today)
    }
}

/// What a set of rules says of a call: the strongest effect of those that match, and the first rule
/// that has it. In which order they stand makes no difference to the effect.
pub fn judge<'a>(
    rules: impl IntoIterator<Item = &'a Placed>,
    case: &Case,
    today: Date,
) -> Option<(Effect, &'a Cited)> {
    let matching = rules.into_iter().filter(|placed| placed.matches(case, today));
    let named = matching.map(|placed| (placed.rule.effect(), &placed.cited));
    named.reduce(|first, next| if next.0 > first.0 { next } else { first })
}

/// Tells which day it is.
pub type Today = Arc<dyn Fn() -> Date + Send + Sync>;

/// The rules of files, shared by all sessions of a host. Reading them costs no more than a lock that
/// nobody holds for long.
pub struct Rules {
    placed: watch::Sender<Arc<[Placed]>>,
    today: Today,
    home: Option<PathBuf>,
}

impl Rules {
    /// None yet; `home` is where `~/` begins.
    pub fn new(today: Today, home: Option<PathBuf>) -> Self {
        Self { placed: watch::Sender::new(Arc::new([])), today, home }
    }

    /// These from now on. All that waits is looked at again.
    pub fn replace(&self, rules: Vec<Placed>) {
        self.placed.send_replace(rules.into());
    }

    /// Those that count now.
    pub fn now(&self) -> Arc<[Placed]> {
        self.placed.borrow().clone()
    }

    /// Which day it is.
    pub fn today(&self) -> Date {
        (self.today)()
    }
}

impl Default for Rules {
    /// None, on a day before any other.
    fn default() -> Self {
        Self::new(Arc::new(|| Date::MIN), None)
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.now().iter().map(|placed| &placed.cited)).finish()
    }
}

/// What binds one session and the agents below it. Clones share everything.
#[derive(Clone, Debug)]
pub struct Law {
    rules: Arc<Rules>,
    grants: Arc<Grants>,
    base: Arc<Path>,
    /// A worktree, and the place in the workspace that it stands for.
    stands: Option<Arc<(PathBuf, PathBuf)>>,
}

impl Law {
    /// For a root session in that workspace, without grants.
    pub fn new(rules: Arc<Rules>, base: &Path) -> Self {
        Self { rules, grants: Arc::default(), base: base.into(), stands: None }
    }

    /// For an agent in a worktree of the workspace `of`: what a rule denies or asks about there counts
    /// here as well. What a rule allows there is allowed there alone.
    #[must_use]
    pub fn in_worktree(&self, tree: &Path, of: &Path) -> Self {
        let of = self.meant(of).unwrap_or_else(|| of.to_owned());
        Self { stands: Some(Arc::new((tree.to_owned(), of))), ..self.clone() }
    }

    /// The place that one in the worktree stands for.
    fn meant(&self, real: &Path) -> Option<PathBuf> {
        let (tree, of) = self.stands.as_deref()?;
        real.strip_prefix(tree)
            .ok()
            .map(|rest| if rest.as_os_str().is_empty() { of.clone() } else { of.join(rest) })
    }

    /// What was granted to the session.
    pub fn grants(&self) -> &Arc<Grants> {
        &self.grants
    }

    /// The workspace of the root session.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// How the text of a yes is read.
    pub fn reading(&self, lasting: Lasting) -> Reading<'_> {
        Reading { home: self.rules.home.as_deref(), lasting }
    }

    /// A call as rules see it.
    pub fn case(&self, call: &str, input: Value, subject: Subject, agent: &[String]) -> Case {
        let base = self.base.to_path_buf();
        Case { call: call.to_owned(), input, subject, agent: agent.to_owned(), base }
    }

    /// What they say of a call.
    pub fn judge(&self, case: &Case) -> Option<(Effect, Cited)> {
        let (rules, granted) = (self.rules.now(), self.grants.now());
        let all = granted.iter().chain(rules.iter());
        let said = judge(all, case, self.rules.today());
        let there = self.stands.as_ref().and_then(|_| {
            let meant = |place: &str| self.meant(Path::new(place)).map(|real| text(&real));
            Some(Case { subject: case.subject.elsewhere(&meant)?, ..case.clone() })
        });
        let narrows = |placed: &&Placed| placed.rule.effect() != Effect::Allow;
        let narrowed = there
            .as_ref()
            .and_then(|there| judge(rules.iter().filter(narrows), there, self.rules.today()));
        let stronger = said
            .into_iter()
            .chain(narrowed)
            .reduce(|first, next| if next.0 > first.0 { next } else { first });
        stronger.map(|(effect, cited)| (effect, cited.clone()))
    }

    /// The rule that denies a call, if one does.
    pub fn denied(&self, case: &Case) -> Option<Cited> {
        let denied = |(effect, cited)| (effect == Effect::Deny).then_some(cited);
        self.judge(case).and_then(denied)
    }

    /// Whether anything is denied at all.
    pub fn denies(&self) -> bool {
        self.rules.placed.borrow().iter().any(|placed| placed.rule.effect() == Effect::Deny)
    }

    /// The rule that denies a whole capability to that agent, if one does.
    pub fn denied_outright(&self, call: &str, agent: &[String]) -> Option<Cited> {
        let case = self.case(call, Value::Null, Subject::Other, agent);
        let (rules, today) = (self.rules.now(), self.rules.today());
        let denies = |placed: &&Placed| {
            placed.rule.effect() == Effect::Deny
                && placed.matches(&case, today)
                && placed.rule.is_outright()
        };
        rules.iter().find(denies).map(|placed| placed.cited.clone())
    }

    /// Whether that rule would allow that call from now on: nothing, or why not.
    pub fn why_not(&self, rule: &Rule, case: &Case) -> Option<String> {
        if !rule.matches(case, self.rules.today()) {
            return Some("this rule does not cover the call that asks".to_owned());
        }
        match self.judge(case) {
            Some((Effect::Ask | Effect::Deny, cited)) => {
                Some(format!("the rule {cited} always asks; a yes can only be for once"))
            }
            Some((Effect::Allow, _)) | None => None,
        }
    }

    /// The rules that may say something of a call here: what was granted, then those of the files.
    pub fn here(&self) -> Vec<Placed> {
        let of_here =
            |placed: &&Placed| placed.within.as_ref().is_none_or(|project| self.base() == project);
        let (granted, rules) = (self.grants.now(), self.rules.now());
        granted.iter().chain(rules.iter().filter(of_here)).cloned().collect()
    }

    /// Whether two sessions share what is granted.
    pub fn shares_grants(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.grants, &other.grants)
    }

    /// Hears of every change from now on.
    pub(super) fn watch(&self) -> Changes {
        Changes { rules: self.rules.placed.subscribe(), grants: self.grants.subscribe() }
    }
}

impl Default for Law {
    fn default() -> Self {
        Self::new(Arc::default(), Path::new("/"))
    }
}

/// Hears when rules or grants change.
pub(super) struct Changes {
    rules: watch::Receiver<Arc<[Placed]>>,
    grants: watch::Receiver<Arc<[Placed]>>,
}

impl Changes {
    pub(super) async fn changed(&mut self) {
        // The law of the session keeps both senders.
        tokio::select! {
            Ok(()) = self.rules.changed() => {}
            Ok(()) = self.grants.changed() => {}
            else => std::future::pending().await,
        }
    }
}
