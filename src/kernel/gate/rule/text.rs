//! The text of rules: read with the place of every fault, and what still holds where there is one.

use std::{fmt, ops::Range, path::Path};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{
    Effect, Keys, Place, Rule, Until,
    pattern::{AgentPattern, Arguments, CallPattern, Fault, HostPattern, PathPattern, absolute},
};
use crate::kernel::{
    port::Level,
    setting::{explain, place},
};

/// What a reader must know that the text does not say.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Where `~/` begins, if anybody knows.
    pub home: Option<&'a Path>,
    /// How long rules last that are kept here.
    pub lasting: Lasting,
}

/// How long rules last that are kept at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// With a session.
    Session,
    /// In a file.
    File,
}

/// Why a text holds no rules, in a line and what to do in another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {fault}\n{hint}")]
pub struct RuleFault {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub fault: String,
    /// What to do.
    pub hint: String,
}

/// What a fault leaves of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    /// There is none.
    None,
    /// Its denies and asks could all be read, and hold.
    AllowsLost,
    /// Nobody knows what it denies, so every effect is asked for.
    AsksAll,
}

/// What a text says.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The rules that count, each with its line.
    pub rules: Vec<(usize, Rule)>,
    /// The first fault, if there is one. Then no allow counts.
    pub fault: Option<RuleFault>,
    /// What it leaves.
    pub left: Faults,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    allow: Vec<Spanned<Table>>,
    ask: Vec<Spanned<Table>>,
    deny: Vec<Spanned<Table>>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Table {
    call: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Spanned<Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Spanned<OneOrMore>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seal: Option<Level>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    network: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    agents: Option<Spanned<String>>,
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    place: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Spanned<String>>,
}

/// One text or a list of them.
#[derive(Clone, Debug)]
struct OneOrMore(Vec<String>);

impl Serialize for OneOrMore {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = OneOrMore;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OneOrMore, E> {
                Ok(OneOrMore(vec![text.to_owned()]))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> Result<OneOrMore, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMore(texts))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A fault and the bytes it stands in.
type At = (Range<usize>, Fault);

/// Reads a text. Where it has a fault, its denies and asks still hold, and every effect is asked for
/// if one of those cannot be read either: what could not be read must not allow more.
pub fn parse(text: &str, reading: Reading<'_>) -> Parsed {
    match strictly(text, reading) {
        Ok(rules) => Parsed { rules, fault: None, left: Faults::None },
        Err((span, Fault(fault, hint))) => {
            let (line, column) = place(text, span.start);
            let fault = RuleFault { line, column, fault, hint };
            let kept = narrowing(text, reading);
            let left = if kept.is_some() { Faults::AllowsLost } else { Faults::AsksAll };
            let everything = || vec![(line, ask_everything())];
            Parsed { rules: kept.unwrap_or_else(everything), fault: Some(fault), left }
        }
    }
}

/// Reads the text of exactly one allow, as a person answers with.
pub fn parse_one(text: &str, reading: Reading<'_>) -> Result<Rule, RuleFault> {
    let parsed = parse(text, reading);
    if let Some(fault) = parsed.fault {
        return Err(fault);
    }
    let at_top = |fault: &str| RuleFault {
        line: 1,
        column: 1,
        fault: fault.to_owned(),
        hint: "write one [[allow]] table".to_owned(),
    };
    match parsed.rules.as_slice() {
        [(_, rule)] if rule.effect() == Effect::Allow => Ok(rule.clone()),
        [_] => Err(at_top("a yes can only allow")),
        rules => Err(at_top(&format!("there are {} rules, and not one", rules.len()))),
    }
}

fn strictly(text: &str, reading: Reading<'_>) -> Result<Vec<(usize, Rule)>, At> {
    let file: File = toml::from_str(text).map_err(|error| {
        let (fault, hint) = explain(text, &error);
        (error.span().unwrap_or(0..0), Fault(fault, hint))
    })?;
    let tables = [(Effect::Allow, file.allow), (Effect::Ask, file.ask), (Effect::Deny, file.deny)];
    let mut rules = Vec::new();
    for (effect, tables) in tables {
        for table in tables {
            let (line, _) = place(text, table.span().start);
            rules.push((line, compile(effect, table.into_inner(), reading)?));
        }
    }
    rules.sort_by_key(|(line, _)| *line);
    Ok(rules)
}

/// The denies and asks of a text with a fault; nothing if one of them cannot be read.
fn narrowing(text: &str, reading: Reading<'_>) -> Option<Vec<(usize, Rule)>> {
    let document: toml::Table = toml::from_str(text).ok()?;
    let mut rules = Vec::new();
    for (key, tables) in document {
        let effect = match key.as_str() {
            "allow" => continue,
            "ask" => Effect::Ask,
            "deny" => Effect::Deny,
            _ => return None,
        };
        for table in tables.as_array()? {
            let table: Table = toml::from_str(&toml::to_string(table).ok()?).ok()?;
            // Where it stands is lost with the fault; its words are told.
            rules.push((0, compile(effect, table, reading).ok()?));
        }
    }
    Some(rules)
}

fn ask_everything() -> Rule {
    Rule {
        effect: Effect::Ask,
        says: "everything, since this file has a fault".to_owned(),
        text: "[[ask]]\ncall = \"*\"\n".to_owned(),
        call: CallPattern::All,
        on: Keys::default(),
        agents: None,
        place: None,
        until: Until::Always,
    }
}

fn compile(effect: Effect, table: Table, reading: Reading<'_>) -> Result<Rule, At> {
    let blind = effect != Effect::Allow;
    let on = Keys {
        args: at(table.args.as_ref(), |words| Arguments::new(words))?,
        path: at(table.path.as_ref(), |paths| {
            if paths.0.is_empty() {
                return Err(Fault(
                    "`path` is empty".to_owned(),
                    "name a place, or take it out".to_owned(),
                ));
            }
            paths.0.iter().map(|path| PathPattern::new(path, reading.home, blind)).collect()
        })?
        .unwrap_or_default(),
        host: at(table.host.as_ref(), |host| HostPattern::new(host))?,
        input: at(table.input.as_ref(), |input| exact_input(input))?,
        seal: table.seal,
        network: table.network,
    };
    let call = at(Some(&table.call), |call| CallPattern::new(call))?;
    // It was there.
    let call = call.unwrap_or(CallPattern::All);
    let agents = at(table.agents.as_ref(), |agents| AgentPattern::new(agents))?;
    let place = at(table.place.as_ref(), |place| workspace(place, reading.home))?;
    let until = at(table.until.as_ref(), |until| lasting(until, reading.lasting))?;
    let until = until.unwrap_or(match reading.lasting {
        Lasting::Session => Until::Session,
        Lasting::File => Until::Always,
    });
    if effect == Effect::Allow {
        if let (Some(args), Some(written)) = (&on.args, &table.args)
            && let Some(why) = args.why_too_wide()
        {
            let hint = "write every argument out: of such a program only exact calls are allowed";
            return Err((written.span(), Fault(why, hint.to_owned())));
        }
        if let Some(fault) = too_wide(&call, &on) {
            return Err((table.call.span(), fault));
        }
    }
    let text = written(effect, &table);
    let says = words(&table);
    Ok(Rule { effect, says, text, call, on, agents, place, until })
}

fn at<T, U>(
    written: Option<&Spanned<T>>,
    read: impl FnOnce(&T) -> Result<U, Fault>,
) -> Result<Option<U>, At> {
    let read =
        |written: &Spanned<T>| read(written.get_ref()).map_err(|fault| (written.span(), fault));
    written.map(read).transpose()
}

/// Calls that an allow must say more about, and by which keys; else it would match nothing.
const NEEDS: [(&str, &str); 11] = [
    ("process.run", "args"),
    ("process.start", "args"),
    ("terminal.open", "args"),
    ("files.write", "path"),
    ("files.edit", "path"),
    ("git.commit", "path"),
    ("memory.write", "path"),
    ("memory.append", "path"),
    ("memory.delete", "path"),
    ("execute_code", "seal"),
    ("install_packages", "args"),
];

/// Why an allow would allow everything, or nothing.
fn too_wide(call: &CallPattern, on: &Keys) -> Option<Fault> {
    let fault = |what: &str, hint: &str| Some(Fault(what.to_owned(), hint.to_owned()));
    match call {
        CallPattern::All => fault(
            "this would allow every call there is",
            "name a call, such as \"files.write\", and what it may act on",
        ),
        CallPattern::Module(_) if on.is_empty() => fault(
            "this would allow everything that a module does",
            "say what it may act on: `path`, `args` or `host`",
        ),
        CallPattern::One(name) => {
            let (_, key) = NEEDS.iter().find(|(call, _)| call == name)?;
            let named = match *key {
                "args" => on.args.is_some(),
                "path" => !on.path.is_empty(),
                _ => on.seal.is_some(),
            };
            let hint = format!("add `{key}`, or `input` for one exact call");
            (!named && on.input.is_none())
                .then(|| Fault(format!("this does not say what {name} may do"), hint))
        }
        CallPattern::Module(_) => None,
    }
}

fn exact_input(text: &str) -> Result<serde_json::Value, Fault> {
    let wrong = |what: String| {
        Fault(what, "write the call's exact arguments, as the journal has them".to_owned())
    };
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| wrong(format!("`input` is no JSON: {error}")))?;
    if value.is_object() { Ok(value) } else { Err(wrong("`input` is no object".to_owned())) }
}

fn workspace(text: &str, home: Option<&Path>) -> Result<Place, Fault> {
    let text = match text.strip_prefix("~/") {
        // Not a pattern, so nothing of it is escaped.
        Some(rest) if home.is_some() => {
            home.unwrap_or(Path::new("")).join(rest).display().to_string()
        }
        _ => absolute(text, home)?,
    };
    let (folder, below) = match text.strip_suffix("/**") {
        Some(folder) => (folder, true),
        None => (text.as_str(), false),
    };
    let folder = folder.trim_end_matches('/');
    if !text.starts_with('/') || folder.contains("/../") || folder.ends_with("/..") {
        return Err(Fault(
            format!("{} is no place of a workspace", crate::kernel::text::quoted(&text)),
            "write it from `/` or `~/`; with `/**` for every workspace below".to_owned(),
        ));
    }
    Ok(Place { folder: if folder.is_empty() { "/" } else { folder }.into(), below })
}

fn lasting(text: &str, kept: Lasting) -> Result<Until, Fault> {
    let fault = |what: &str, hint: &str| Err(Fault(what.to_owned(), hint.to_owned()));
    match (text, kept) {
        ("session", Lasting::Session) => Ok(Until::Session),
        ("always", Lasting::File) => Ok(Until::Always),
        ("session", Lasting::File) => {
            fault("what is in a file outlives a session", "write \"always\" or a day")
        }
        ("always", Lasting::Session) => {
            fault("this is kept with the session only", "save it for always, or write \"session\"")
        }
        (day, _) => match day.parse() {
            Ok(day) => Ok(Until::Day(day)),
            Err(_) => fault(
                &format!("{} is no time", crate::kernel::text::quoted(text)),
                "write \"session\", \"always\" or a day such as \"2026-12-31\"",
            ),
        },
    }
}

/// The rule as a table, in the order of its keys.
fn written(effect: Effect, table: &Table) -> String {
    // A table of texts always is TOML.
    format!("[[{}]]\n{}", effect.name(), toml::to_string(table).unwrap_or_default())
}

fn words(table: &Table) -> String {
    let call = table.call.get_ref();
    if let Some(args) = &table.args {
        return args.get_ref().join(" ");
    }
    let on = match (&table.path, &table.host, &table.input) {
        (Some(paths), ..) => paths.get_ref().0.join(", "),
        (None, Some(host), _) => host.get_ref().clone(),
        (None, None, Some(_)) => "exactly one call".to_owned(),
        (None, None, None) => return call.clone(),
    };
    format!("{call} {on}")
}
