//! `footplate doctor`: what works on this computer, and how to get what does not. It looks, and
//! changes and fetches nothing.

mod asked;
mod findings;
mod reach;

use std::{
    io::{IsTerminal as _, stdout},
    sync::Arc,
};

use serde_json::json;

use self::findings::{configuration, model, monitor, own, probe, seal_of, terminal};
pub(super) use self::findings::{folder, python, with_version};
use super::{
    args::Common,
    checks::{self, Finding, State},
    exit::{Exit, Failure},
    print, setup,
};
use crate::{
    config::{Config, Screen},
    executor::{Local, seal::Facts},
    kernel::text,
    tui::theme::Marks,
};

/// How it is told.
#[derive(Clone, Copy)]
pub(super) enum Output {
    Text,
    Json,
}

pub(super) async fn run(common: &Common, how: Output) -> Result<Exit, Failure> {
    let home = setup::home();
    let facts = Facts::read();
    let mut screen = Screen::default();
    let probe = probe(setup::launcher().as_deref()).await;
    let mut all = vec![seal_of(&probe, &facts)];
    match home {
        // Without a home there is no place for anything of ours.
        Err(failure) => all.push(Finding::broken("folders", failure.what, failure.hint)),
        Ok(home) => {
            let executor = setup::executor(&home, Arc::new(|_| {}));
            all.extend(programs(&executor).await);
            for (name, path) in
                [("data", &home.data), ("cache", &home.cache), ("state", &home.state)]
            {
                all.push(folder(name, path));
            }
            let config = setup::flags(common).and_then(|flags| {
                Config::load(&home, &setup::raw, flags).map_err(Failure::usage_in_two_lines)
            });
            all.push(configuration(&home, config.as_ref().err()));
            if let Ok(config) = config {
                screen = config.screen;
                all.push(monitor(&config));
                all.extend(own(&home, &config));
                let reached = reach::model(&config).await;
                all.push(model(config));
                all.extend(reached);
            }
        }
    }
    let is_utf8 = checks::is_utf8();
    let around = |name: &str| setup::raw(name).is_some();
    let mut pictures = checks::pictures(screen);
    if let Err(error) = asked::ask(&mut pictures) {
        tracing::debug!(%error, "the terminal was not asked");
    }
    let shown = pictures.means(checks::cell());
    all.push(terminal(stdout().is_terminal(), (checks::depth(), is_utf8, shown), around));
    // A reader that went away has seen what it wanted.
    let _ = match how {
        Output::Json => print::json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "works": works(&all),
            "seal": probe.form.name(),
            "checks": all,
            "system": facts,
        })),
        Output::Text => {
            let marks = checks::marks(screen.glyphs);
            print::text(&told(&all, &facts, marks))
        }
    };
    Ok(if works(&all) { Exit::Done } else { Exit::Failed })
}

/// What runs Python, and what keeps agents apart.
async fn programs(executor: &Local) -> Vec<Finding> {
    let uv = with_version(checks::uv(executor), executor).await;
    let python = python(executor, &uv).await;
    let git = with_version(checks::git(executor), executor).await;
    vec![uv, python, git]
}

fn works(all: &[Finding]) -> bool {
    all.iter().all(|finding| finding.state < State::Broken)
}

/// All of it as lines: a mark, a name and a few words each; below, why it is so and what to do.
fn told(all: &[Finding], facts: &Facts, marks: Marks) -> String {
    const BELOW: &str = "             ";
    let mut lines = vec![
        format!(
            "footplate {} on {} {} {}",
            env!("CARGO_PKG_VERSION"),
            facts.system,
            facts.kernel,
            facts.machine
        ),
        String::new(),
    ];
    for finding in all {
        let mark = marks.get(finding.state.mark());
        lines.push(format!("{mark} {:10} {}", finding.name, one_line(&finding.says)));
        lines.extend(finding.why.iter().map(|why| format!("{BELOW}{}", one_line(why))));
        lines.extend(finding.how.iter().map(|how| format!("{BELOW}to do: {}", one_line(how))));
    }
    lines.push(String::new());
    let count = |state| all.iter().filter(|finding| finding.state == state).count();
    lines.push(match (count(State::Broken), count(State::Weaker)) {
        (0, 0) => "Everything works.".to_owned(),
        (0, 1) => "Everything needed works; 1 thing could be better.".to_owned(),
        (0, weaker) => format!("Everything needed works; {weaker} things could be better."),
        (1, _) => "1 thing that is needed does not work.".to_owned(),
        (broken, _) => format!("{broken} things that are needed do not work."),
    });
    lines.push(String::new());
    lines.join("\n")
}

/// Text from outside, made safe to print on a line.
fn one_line(words: &str) -> String {
    text::clean(words.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
