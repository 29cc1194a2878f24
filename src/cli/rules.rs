//! `footplate rules` and `footplate trust`: which rules count in a folder, and from where.

use std::{path::Path, sync::Arc};

use super::{
    args::{Common, RulesAction},
    exit::{Exit, Failure},
    print::{self, one_line},
    setup,
};
use crate::{
    config::rules::{RuleFile, Standing, Trust, TrustError, of_project},
    kernel::{
        gate::{
            law::Placed,
            rule::{Effect, Lasting, Reading, parse},
        },
        text,
    },
};

pub(super) fn run(common: &Common, action: RulesAction) -> Result<Exit, Failure> {
    match action {
        RulesAction::List => list(common),
        RulesAction::Check { file } => check(&file),
    }
}

fn list(common: &Common) -> Result<Exit, Failure> {
    let workspace = setup::workspace(common)?;
    let files = setup::rule_files(&setup::home()?, Arc::new(|_| {})).files(&[workspace]);
    if files.iter().all(|file| file.rules.is_empty() && file.faults.is_empty()) {
        print::aside("No rules. Every effect is asked for, as the mode says.");
    }
    // A reader that went away has seen what it wanted.
    let _ = print::text(&files.iter().map(told).collect::<String>());
    for fault in files.iter().flat_map(|file| &file.faults) {
        print::aside(fault);
    }
    let faulty = files.iter().any(|file| file.standing == Standing::Faulty);
    Ok(if faulty { Exit::Failed } else { Exit::Done })
}

fn told(file: &RuleFile) -> String {
    let worth = match file.standing {
        Standing::Whole => "",
        Standing::Faulty => "  it has a fault, so it only denies and asks",
        Standing::Untrusted => "  not trusted as it is now, so it only denies and asks",
    };
    let path = text::shown(&file.path.display().to_string()).into_owned();
    let mut text = format!("{}  {path}{worth}\n", file.layer.name());
    text.extend(file.rules.iter().map(line));
    text
}

fn line(placed: &Placed) -> String {
    let line = placed.cited.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
    // Its head is said by the column before.
    let keys = placed.rule.text().lines().skip(1).collect::<Vec<_>>().join("  ");
    format!("{line:>5}  {:5}  {}\n", placed.cited.effect.name(), one_line(&keys))
}

fn check(file: &Path) -> Result<Exit, Failure> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::usage(format!("cannot read {name}: {error}"), "name a file of rules")
    })?;
    let home = setup::real_home();
    let parsed = parse(&text, Reading { home: home.as_deref(), lasting: Lasting::File });
    if let Some(fault) = parsed.fault {
        return Err(Failure::in_two_lines(format!("{name}:{fault}")));
    }
    let count = |effect| parsed.rules.iter().filter(|(_, rule)| rule.effect() == effect).count();
    let [allow, ask, deny] = [Effect::Allow, Effect::Ask, Effect::Deny].map(count);
    let _ = print::text(&format!("{name}: {allow} allow, {ask} ask, {deny} deny\n"));
    let of_reads = |placed: &&(usize, crate::kernel::gate::rule::Rule)| {
        placed.1.effect() == Effect::Deny && placed.1.text().contains("path = ")
    };
    if parsed.rules.iter().any(|rule| of_reads(&rule)) {
        print::aside(
            "A deny with `path` binds calls; Python in its seal reads the workspace by itself.",
        );
    }
    Ok(Exit::Done)
}

/// Trusts the rules of the project here, as they are now, or no more.
pub(super) fn trust(common: &Common, revoke: bool) -> Result<Exit, Failure> {
    let workspace = setup::workspace(common)?;
    let trust = Trust::new(&setup::home()?);
    let name = of_project(&workspace);
    if revoke {
        trust.take(&workspace).map_err(Failure::in_two_lines)?;
        print::aside(&format!("Not trusted any more: {}", name.display()));
        return Ok(Exit::Done);
    }
    let profiles = trust.give_profiles(&workspace).map_err(Failure::in_two_lines)?;
    let rules = match trust.give(&workspace) {
        Err(TrustError::NoRules(_)) if !profiles.is_empty() => None,
        rules => Some((name, rules.map_err(Failure::in_two_lines)?)),
    };
    for (name, text) in rules.into_iter().chain(profiles) {
        let _ = print::text(&text::lines(&text));
        print::aside(&format!(
            "Trusted, as it stands above: {}. A changed file is trusted anew.",
            text::shown(&name.display().to_string())
        ));
    }
    Ok(Exit::Done)
}
