//! The patterns that a rule is made of, compiled; each refuses what could not mean anything.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use globset::{GlobBuilder, GlobMatcher};

use super::program::{file_name, why_exact_only};
use crate::kernel::obeyed::is_obeyed;

/// What is wrong with a pattern, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault(pub(super) String, pub(super) String);

fn fault(what: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault(what.into(), hint.into())
}

/// A capability, a whole module, or everything.
#[derive(Clone, Debug)]
pub(super) enum CallPattern {
    One(String),
    Module(String),
    All,
}

impl CallPattern {
    pub(super) fn new(text: &str) -> Result<Self, Fault> {
        let plain = |name: &str| {
            let first = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            first && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        };
        match (text, text.strip_suffix(".*")) {
            ("*", _) => Ok(Self::All),
            (_, Some(module)) if plain(module) => Ok(Self::Module(format!("{module}."))),
            (name, None) if plain(name) && !name.ends_with('.') => Ok(Self::One(name.to_owned())),
            _ => Err(fault(
                format!("{} names no call", crate::kernel::text::quoted(text)),
                "name one such as \"files.write\", or a module's with \"files.*\"",
            )),
        }
    }

    pub(super) fn matches(&self, call: &str) -> bool {
        match self {
            Self::One(name) => call == name,
            Self::Module(module) => call.starts_with(module),
            Self::All => true,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Argument {
    Is(String),
    One,
}

/// The arguments of a program, itself first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    fixed: Vec<Argument>,
    /// Whether any others may follow.
    rest: bool,
}

impl Arguments {
    pub(super) fn new(words: &[String]) -> Result<Self, Fault> {
        let (words, rest) = match words.split_last() {
            Some((last, before)) if last == "**" => (before, true),
            _ => (words, false),
        };
        if words.iter().any(|word| word == "**") {
            return Err(fault("`**` stands for any further arguments", "put it last"));
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err(fault("no argument can hold a NUL character", "take it out"));
        }
        if words.first().is_none_or(|program| program == "*" || program.is_empty()) {
            return Err(fault(
                "`args` names no program",
                "begin with it, as in [\"git\", \"log\"]",
            ));
        }
        let argument = |word: &String| match word.as_str() {
            "*" => Argument::One,
            _ => Argument::Is(word.clone()),
        };
        Ok(Self { fixed: words.iter().map(argument).collect(), rest })
    }

    /// Why these may not be allowed, if they may not.
    pub(super) fn why_too_wide(&self) -> Option<String> {
        let is = |argument: &Argument| match argument {
            Argument::Is(word) => Some(word.clone()),
            Argument::One => None,
        };
        let fixed: Vec<String> = self.fixed.iter().map_while(is).collect();
        if !self.rest && fixed.len() == self.fixed.len() {
            return None;
        }
        why_exact_only(&fixed.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Word for word.
    pub(super) fn cover(&self, argv: &[String]) -> bool {
        let enough = argv.len() == self.fixed.len() || self.rest && argv.len() > self.fixed.len();
        enough && self.fixed.iter().zip(argv).all(|(argument, word)| argument.is(word))
    }

    /// As [`Arguments::cover`], and by whatever path the program is called.
    pub(super) fn touch(&self, argv: &[String]) -> bool {
        if self.cover(argv) {
            return true;
        }
        let Some((program, rest)) = argv.split_first() else { return false };
        let named: Vec<String> =
            std::iter::once(file_name(program).to_owned()).chain(rest.iter().cloned()).collect();
        self.cover(&named)
    }

    /// Whether one of these words is among them.
    pub(super) fn have(&self, word: &str) -> bool {
        self.rest || self.fixed.iter().any(|argument| argument.is(word))
    }
}

impl Argument {
    fn is(&self, word: &str) -> bool {
        match self {
            Self::Is(exact) => exact == word,
            Self::One => true,
        }
    }
}

/// A glob over real places.
#[derive(Clone, Debug)]
pub(super) struct PathPattern {
    glob: GlobMatcher,
    /// From the root of the file system, and not from the workspace.
    absolute: bool,
    /// The folders before the first wildcard.
    fixed: PathBuf,
    /// The one place it means, where it holds no wildcard.
    exact: Option<PathBuf>,
    /// Its parts, as they stand there.
    parts: Vec<String>,
}

const WILD: [char; 4] = ['*', '?', '[', '{'];

impl PathPattern {
    /// `~/` begins in `home`. `blind` is for case.
    pub(super) fn new(text: &str, home: Option<&Path>, blind: bool) -> Result<Self, Fault> {
        let text = absolute(text, home)?;
        let names_nothing = |part: &str| matches!(part, "" | "." | "..");
        let relative = text.strip_prefix('/').unwrap_or(&text);
        if relative.split('/').any(names_nothing) && text != "/" {
            return Err(fault(
                format!(
                    "{} can match nothing: a real path has no empty part, `.` or `..`",
                    crate::kernel::text::quoted(&text)
                ),
                "write it from the workspace or from `/`, as in \"docs/**\"",
            ));
        }
        let glob = GlobBuilder::new(&text)
            .literal_separator(true)
            .backslash_escape(false)
            .case_insensitive(blind)
            .build();
        let glob = glob.map_err(|error| {
            fault(
                format!("{} is no pattern: {}", crate::kernel::text::quoted(&text), error.kind()),
                "correct it",
            )
        })?;
        let fixed = text.split('/').take_while(|part| !part.contains(WILD)).collect::<Vec<_>>();
        let fixed = PathBuf::from(if text.starts_with('/') {
            format!("/{}", fixed.join("/").trim_start_matches('/'))
        } else {
            fixed.join("/")
        });
        Ok(Self {
            glob: glob.compile_matcher(),
            absolute: text.starts_with('/'),
            fixed,
            exact: literal(&text),
            parts: text.split('/').map(unescaped).collect(),
        })
    }

    /// Whether an allow with it reaches that place: what other programs run or obey must be named.
    pub(super) fn allows(&self, base: &Path, real: &str) -> bool {
        self.matches(base, real) && self.names_what_is_obeyed(base, real)
    }

    /// Whether each folder or file on the way that something else runs or obeys is named in it, and
    /// not just meant by a wildcard.
    fn names_what_is_obeyed(&self, base: &Path, real: &str) -> bool {
        let Some(place) = self.within(base, real) else { return false };
        let named = |name: &OsStr| self.parts.iter().any(|part| name.eq_ignore_ascii_case(part));
        place.iter().filter(|name| is_obeyed(name)).all(named)
    }

    /// Whether it means that very place.
    pub(super) fn matches(&self, base: &Path, real: &str) -> bool {
        self.within(base, real).is_some_and(|place| self.glob.is_match(place))
    }

    /// Whether it means that place and everything that could be below.
    pub(super) fn covers_all_of(&self, base: &Path, real: &str) -> bool {
        let Some(place) = self.within(base, real) else { return false };
        let same = self.exact.as_deref() == Some(place.as_path());
        let below = ["x", "x/y/z"].iter().all(|below| self.glob.is_match(place.join(below)));
        (same || below) && self.names_what_is_obeyed(base, real)
    }

    /// Whether it may mean something at or below that place. A doubt counts as yes.
    pub(super) fn reaches_into(&self, base: &Path, real: &str) -> bool {
        let real = Path::new(real);
        let fixed = if self.absolute { self.fixed.clone() } else { base.join(&self.fixed) };
        // `a/**/b` may be anywhere below `a`; a pattern without wildcard is one place.
        fixed.starts_with(real) || self.exact.is_none() && real.starts_with(&fixed)
    }

    fn within(&self, base: &Path, real: &str) -> Option<PathBuf> {
        let real = Path::new(real);
        let place = if self.absolute { Ok(real) } else { real.strip_prefix(base) };
        place.ok().map(Path::to_owned)
    }
}

/// The text of a pattern without wildcards, escapes taken away.
fn literal(pattern: &str) -> Option<PathBuf> {
    let plain = unescaped(pattern);
    (globset::escape(&plain) == pattern).then(|| PathBuf::from(plain))
}

/// Undoes [`globset::escape`], which writes `[*]` for `*`.
fn unescaped(pattern: &str) -> String {
    let mut plain = pattern.to_owned();
    for wild in ['*', '?', '[', ']', '{', '}'] {
        plain = plain.replace(&format!("[{wild}]"), &wild.to_string());
    }
    plain
}

/// With `~/` written out.
pub(super) fn absolute(text: &str, home: Option<&Path>) -> Result<String, Fault> {
    let Some(rest) = text.strip_prefix("~/") else { return Ok(text.to_owned()) };
    let home = home
        .and_then(Path::to_str)
        .ok_or_else(|| fault("nobody knows here where `~` is", "write the path from `/`"))?;
    Ok(format!("{}/{rest}", globset::escape(home.trim_end_matches('/'))))
}

/// A pattern over the path of agents, `root/child`.
#[derive(Clone, Debug)]
pub(super) struct AgentPattern {
    glob: GlobMatcher,
    /// For `x/**`: `x` itself.
    top: Option<GlobMatcher>,
}

impl AgentPattern {
    pub(super) fn new(text: &str) -> Result<Self, Fault> {
        let wrong = || {
            let hint = "name them from the root, as in \"main/tests\" or \"main/**\"";
            fault(format!("{} names no agent", crate::kernel::text::quoted(text)), hint)
        };
        if text.split('/').any(str::is_empty) {
            return Err(wrong());
        }
        let compile = |text: &str| {
            let glob = GlobBuilder::new(text).literal_separator(true).build();
            glob.map(|glob| glob.compile_matcher()).map_err(|_| wrong())
        };
        let top = text.strip_suffix("/**").map(compile).transpose()?;
        Ok(Self { glob: compile(text)?, top })
    }

    /// Whether it means that agent.
    pub(super) fn matches(&self, agent: &[String]) -> bool {
        let path = agent_path(agent);
        self.glob.is_match(&path) || self.top.as_ref().is_some_and(|top| top.is_match(&path))
    }

    /// Whether it means that agent or one above it.
    pub(super) fn binds(&self, agent: &[String]) -> bool {
        (1..=agent.len()).any(|depth| self.matches(&agent[..depth]))
    }
}

/// The path of an agent as rules write it. A name with a slash in it is still one name.
pub(super) fn agent_path(agent: &[String]) -> String {
    agent.iter().map(|name| name.replace('/', "\u{2215}")).collect::<Vec<_>>().join("/")
}

/// A host by name; `*.` in front means every name below.
#[derive(Clone, Debug)]
pub(super) struct HostPattern {
    name: String,
    below: bool,
}

impl HostPattern {
    pub(super) fn new(text: &str) -> Result<Self, Fault> {
        let (name, below) = match text.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (text, false),
        };
        let allowed =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '[' | ']');
        if name.is_empty() || !name.chars().all(allowed) || name.starts_with('.') {
            let hint = "write a name such as \"docs.rs\", or \"*.python.org\" for all below";
            return Err(fault(format!("{} is no host", crate::kernel::text::quoted(text)), hint));
        }
        Ok(Self { name: name.to_ascii_lowercase(), below })
    }

    pub(super) fn matches(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        if !self.below {
            return host == self.name;
        }
        host.strip_suffix(&self.name).is_some_and(|before| before.ends_with('.'))
    }
}
