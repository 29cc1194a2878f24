//! A kind of agent, described in a file: what it is told, and how much less it may do than whoever
//! starts it. It never widens: the stricter mode, the rights that both have, the smaller limits.

use std::num::{NonZeroU32, NonZeroU64};

use serde::Deserialize;
use toml::Spanned;

use super::{
    allowance::Ceiling,
    money::Money,
    setting::{explain, near, place},
    spec::{Ground, Limits, Mode, SessionSpec, View},
};

/// A kind of agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Its name: that of its file.
    pub name: String,
    /// Its model; that of its starter if absent.
    pub model: Option<String>,
    /// The mode it is in, or a stricter one.
    pub mode: Option<Mode>,
    /// The tools that its model is offered, of those its starter has.
    pub tools: Option<Vec<String>>,
    /// The modules that its Python may import, of those its starter has.
    pub modules: Option<Vec<String>>,
    /// What bounds it.
    pub limits: Bounds,
    /// The profiles by which it may start agents, of those its starter may.
    pub agents: Option<Vec<String>>,
    /// What its model is told.
    pub instructions: String,
    /// The folder it works in, below that of its starter.
    pub folder: Option<String>,
    /// Which files it works on.
    pub ground: Ground,
    /// What it may do with its workspace, or less.
    pub view: View,
}

/// A table of limits; what is absent leaves them as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bounds {
    tokens: Option<NonZeroU64>,
    cost: Option<Money>,
    minutes: Option<NonZeroU64>,
    turns: Option<NonZeroU32>,
    agents_at_once: Option<u32>,
    depth: Option<u32>,
}

impl Bounds {
    /// Those limits, with what is set here in their place.
    #[must_use]
    pub fn over(self, limits: Limits) -> Limits {
        Limits {
            turns: self.turns.map_or(limits.turns, NonZeroU32::get),
            depth: self.depth.unwrap_or(limits.depth),
            agents_at_once: self.agents_at_once.unwrap_or(limits.agents_at_once),
            ceiling: self.ceiling().or(limits.ceiling),
            ..limits
        }
    }

    /// Those limits, or what is set here where that is less.
    #[must_use]
    pub fn within(self, limits: Limits) -> Limits {
        let all = self.over(limits);
        Limits {
            turns: all.turns.min(limits.turns),
            depth: all.depth.min(limits.depth),
            agents_at_once: all.agents_at_once.min(limits.agents_at_once),
            ceiling: all.ceiling.min(limits.ceiling),
            ..limits
        }
    }

    fn ceiling(self) -> Ceiling {
        Ceiling {
            tokens: self.tokens.map(NonZeroU64::get),
            cost: self.cost,
            minutes: self.minutes.map(NonZeroU64::get),
        }
    }
}

/// The names that a profile may use.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Tools.
    pub tools: Vec<String>,
    /// Modules.
    pub modules: Vec<String>,
    /// Other profiles.
    pub agents: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    model: Option<String>,
    mode: Option<Mode>,
    tools: Option<Vec<Spanned<String>>>,
    modules: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    limits: Bounds,
    agents: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    instructions: String,
    folder: Option<String>,
    #[serde(default)]
    workspace: Ground,
    #[serde(default)]
    view: View,
}

/// Reads a profile. The error is `LINE:COLUMN: what is wrong`, and in a second line what to do.
pub fn parse(name: &str, text: &str, known: &Known) -> Result<Profile, String> {
    let wrong = |at: usize, fault: &str, hint: &str| {
        let (line, column) = place(text, at);
        format!("{line}:{column}: {fault}\n{hint}")
    };
    let file: File = toml::from_str(text).map_err(|error| {
        let (fault, hint) = explain(text, &error);
        wrong(error.span().unwrap_or_default().start, &fault, &hint)
    })?;
    let names = |list: Option<Vec<Spanned<String>>>, what: &str, there: &[String]| {
        let Some(list) = list else { return Ok(None) };
        if let Some(unknown) = list.iter().find(|name| !there.contains(name.get_ref())) {
            let name = unknown.get_ref();
            let hint = match near(name, there.iter().map(String::as_str)) {
                Some(near) => format!("did you mean {}?", crate::kernel::text::quoted(near)),
                None if there.is_empty() => format!("there is no {what} at all; take it out"),
                None => format!("there is: {}", there.join(", ")),
            };
            return Err(wrong(
                unknown.span().start,
                &format!("there is no {what} {}", super::text::quoted(name)),
                &hint,
            ));
        }
        Ok(Some(list.into_iter().map(Spanned::into_inner).collect()))
    };
    Ok(Profile {
        name: name.to_owned(),
        model: file.model,
        mode: file.mode,
        tools: names(file.tools, "tool", &known.tools)?,
        modules: names(file.modules, "module", &known.modules)?,
        limits: file.limits,
        agents: names(file.agents, "agent", &known.agents)?,
        instructions: file.instructions,
        folder: file.folder,
        ground: file.workspace,
        view: file.view,
    })
}

impl Profile {
    /// A description, narrowed to this kind of agent. Its model and folder are not looked at.
    #[must_use]
    pub fn narrow(&self, spec: SessionSpec) -> SessionSpec {
        let mut instructions = spec.instructions;
        if !self.instructions.trim().is_empty() {
            let apart = if instructions.trim().is_empty() { "" } else { "\n\n" };
            instructions = format!("{instructions}{apart}{}", self.instructions.trim());
        }
        SessionSpec {
            mode: stricter(spec.mode, self.mode),
            tools: both(spec.tools, self.tools.as_deref()),
            modules: both(spec.modules, self.modules.as_deref()),
            limits: self.limits.within(spec.limits),
            agents: match (spec.agents, &self.agents) {
                (Some(agents), own) => Some(both(agents, own.as_deref())),
                (None, own) => own.clone(),
            },
            instructions,
            view: spec.view.max(self.view),
            ..spec
        }
    }
}

/// The stricter of two modes.
pub fn stricter(mode: Mode, other: Option<Mode>) -> Mode {
    let is_one = |known: &Mode| *known == mode || Some(*known) == other;
    Mode::ALL.into_iter().find(is_one).unwrap_or(mode)
}

/// Those of the first that are in the second as well, if there is a second.
fn both(names: Vec<String>, others: Option<&[String]>) -> Vec<String> {
    names.into_iter().filter(|name| others.is_none_or(|others| others.contains(name))).collect()
}

/// A name that can be a profile's: no path, and nothing that a screen would not show.
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.chars().count() <= 32 && name.chars().all(plain)
}

#[cfg(test)]
mod tests;
