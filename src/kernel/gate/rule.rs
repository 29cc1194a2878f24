//! Rules: what a person has said once about calls to come. A rule is a table of TOML:
//!
//! ```toml
//! [[allow]]                                  # or [[ask]], [[deny]]
//! call    = "process.run"                    # a capability, or a module's: "files.*"
//! args    = ["cargo", "test", "--lib", "**"] # `*` is one argument, `**` any further ones
//! seal    = "workspace"                      # the most such a run may be
//! network = true                             # it may also reach the network
//! path    = "docs/**"                        # real places, from the workspace or from `/`
//! agents  = "main/**"                        # main and every agent below it
//! where   = "~/code/tally"                   # in this workspace
//! until   = "2026-12-31"                     # or "session", "always"
//! ```
//!
//! Other keys are `host`, for what leaves this computer, and `input`, the exact arguments as JSON.
//!
//! An *allow* covers a call only if everything that the call acts on is named by a key of the rule: a
//! program by `args` (or `input`), with no wider seal, no network and no extra place to write beyond
//! what stands there; a file by `path`, of which a wildcard never means what other programs run or obey
//! (`.git`, `.envrc`, …); a script by its `input`, or by its `seal`. A *deny* or an *ask*
//! touches a call as soon as each of its keys applies to some of it; its `seal` is the least such a run
//! must be, it finds a program by any path, an extra folder to write if anything in it may be meant,
//! it binds the agents below those it names, one of
//! `process.run` binds every call that begins a program, and one of `files.read` every call that tells
//! what stands in a file.

mod pattern;
mod program;
mod propose;
mod text;

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use serde_json::Value;

use self::pattern::{AgentPattern, Arguments, CallPattern, HostPattern, PathPattern};
use super::subject::{Case, Reached, Subject};
use crate::kernel::port::Level;

pub use self::{
    propose::{exactly, propose},
    text::{Faults, Lasting, Parsed, Reading, RuleFault, parse, parse_one},
};

/// What a rule does with a call; the later is the stronger.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It runs unasked.
    Allow,
    /// A person decides, whatever the mode and other rules allow.
    Ask,
    /// It is refused, in every mode.
    Deny,
}

impl Effect {
    /// The name of its tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// The call that runs a program: what is denied or asked there is so for all that do.
const PROGRAMS: &str = "process.run";

/// The call that reads a file: what is denied there is so for all that tell what stands in it.
const READS: &str = "files.read";

/// One rule, checked and compiled.
#[derive(Clone, Debug)]
pub struct Rule {
    effect: Effect,
    says: String,
    text: String,
    call: CallPattern,
    on: Keys,
    agents: Option<AgentPattern>,
    place: Option<Place>,
    until: Until,
}

/// What the call must act on.
#[derive(Clone, Debug, Default)]
struct Keys {
    args: Option<Arguments>,
    path: Vec<PathPattern>,
    host: Option<HostPattern>,
    input: Option<Value>,
    seal: Option<Level>,
    network: bool,
}

#[derive(Clone, Debug)]
struct Place {
    folder: PathBuf,
    /// Whether folders below count too.
    below: bool,
}

/// How long a rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// While the session runs.
    Session,
    /// Until somebody takes it back.
    Always,
    /// To the end of that day.
    Day(Date),
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Rule {
    /// What it does.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// It in a few words: `cargo test --lib **`.
    pub fn says(&self) -> &str {
        &self.says
    }

    /// It as a table of TOML.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How long it counts.
    pub fn until(&self) -> Until {
        self.until
    }

    /// Whether it says anything about this call.
    pub fn matches(&self, case: &Case, today: Date) -> bool {
        let agents = self.agents.as_ref();
        let binds = agents.is_none_or(|agents| match self.effect {
            Effect::Allow => agents.matches(&case.agent),
            Effect::Ask | Effect::Deny => agents.binds(&case.agent),
        });
        binds && self.is_here(case, today) && self.is_of(case) && {
            match self.effect {
                Effect::Allow => self.on.cover(case),
                Effect::Ask | Effect::Deny => self.on.touch(case),
            }
        }
    }

    /// Whether it is about this call. To refuse a program is to refuse it however it is kept, and to
    /// refuse a file to be read is to refuse what stands in it, whoever tells of it.
    fn is_of(&self, case: &Case) -> bool {
        let refuses = self.effect != Effect::Allow;
        let of_program = refuses && matches!(case.subject, Subject::Program { .. });
        let of_file = refuses && case.subject.is_read();
        self.call.matches(&case.call)
            || (of_program && self.call.matches(PROGRAMS))
            || (of_file && self.call.matches(READS))
    }

    /// Whether it is about the whole capability, whatever it acts on.
    pub fn is_outright(&self) -> bool {
        self.on.is_empty()
    }

    fn is_here(&self, case: &Case, today: Date) -> bool {
        let in_time = match self.until {
            Until::Session | Until::Always => true,
            Until::Day(day) => today <= day,
        };
        in_time
            && self.place.as_ref().is_none_or(|place| {
                case.base == place.folder || place.below && case.base.starts_with(&place.folder)
            })
    }
}

impl Keys {
    fn is_empty(&self) -> bool {
        let Self { args, path, host, input, seal, network } = self;
        let of_effect = args.is_none() && path.is_empty() && host.is_none();
        of_effect && input.is_none() && seal.is_none() && !network
    }

    /// For an allow: all that the call acts on is named.
    fn cover(&self, case: &Case) -> bool {
        let same = self.input.as_ref().map(|input| *input == case.input);
        if same == Some(false) {
            return false;
        }
        let whole = same == Some(true);
        let (args, path, host) = (self.args.is_some(), !self.path.is_empty(), self.host.is_some());
        match &case.subject {
            Subject::Other => !args && !path && !host && self.seal.is_none() && !self.network,
            Subject::Path { real, .. } => {
                !args && !host && (path || whole) && self.names_or_is_silent(case, real)
            }
            Subject::Program { argv, run } => {
                let named = self.args.as_ref().map_or(whole, |args| args.cover(argv));
                let inside = Path::new(&run.cwd).starts_with(&case.base) || whole;
                !host && named && inside && self.cover_bounds(case, run)
            }
            Subject::Code { seal } => {
                let named = whole || self.seal.is_some();
                named && !args && !path && !host && *seal <= self.seal.unwrap_or_default()
            }
            Subject::Packages { asked } => {
                let named = self.args.as_ref();
                let named = named.map_or(whole, |args| asked.iter().all(|asked| args.have(asked)));
                named && !path && !host && self.seal.is_none()
            }
            Subject::Host { host: name } => {
                let named = self.host.as_ref().map_or(whole, |host| host.matches(name));
                named && !args && !path && self.seal.is_none()
            }
        }
    }

    /// Whether a path is among those of the rule, if it has any.
    fn names_or_is_silent(&self, case: &Case, real: &str) -> bool {
        let known = !real.contains(char::REPLACEMENT_CHARACTER);
        let named = self.path.iter().any(|pattern| pattern.allows(&case.base, real));
        known && (named || self.path.is_empty())
    }

    fn cover_bounds(&self, case: &Case, bounds: &Reached) -> bool {
        let named = |place: &String| {
            !place.contains(char::REPLACEMENT_CHARACTER)
                && self.path.iter().any(|pattern| pattern.covers_all_of(&case.base, place))
        };
        bounds.seal <= self.seal.unwrap_or(Level::Workspace)
            && (self.network || !bounds.network)
            && bounds.writes.iter().all(named)
    }

    /// For a deny or an ask: each key applies.
    fn touch(&self, case: &Case) -> bool {
        let subject = &case.subject;
        self.input.as_ref().is_none_or(|input| *input == case.input)
            && self.args.as_ref().is_none_or(|args| touch_words(args, subject))
            && (self.path.is_empty() || self.touch_places(case))
            && self.host.as_ref().is_none_or(
                |host| matches!(subject, Subject::Host { host: name } if host.matches(name)),
            )
            && self.seal.is_none_or(|least| subject.seal().is_some_and(|seal| seal >= least))
            && (!self.network || subject.network())
    }

    fn touch_places(&self, case: &Case) -> bool {
        let any = |test: &dyn Fn(&PathPattern) -> bool| self.path.iter().any(test);
        match &case.subject {
            Subject::Path { real, .. } => any(&|pattern| pattern.matches(&case.base, real)),
            Subject::Program { run, .. } => run.writes.iter().any(|place| {
                any(&|pattern| {
                    pattern.matches(&case.base, place) || pattern.reaches_into(&case.base, place)
                })
            }),
            Subject::Other
            | Subject::Code { .. }
            | Subject::Packages { .. }
            | Subject::Host { .. } => false,
        }
    }
}

fn touch_words(args: &Arguments, subject: &Subject) -> bool {
    match subject {
        Subject::Program { argv, .. } => args.touch(argv),
        Subject::Packages { asked } => asked.iter().any(|asked| args.have(asked)),
        Subject::Other | Subject::Path { .. } | Subject::Code { .. } | Subject::Host { .. } => {
            false
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
