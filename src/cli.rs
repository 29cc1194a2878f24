//! The command line: what was typed becomes one action; whatever goes wrong leaves with an exit
//! code, one line that says what, and one that says what to do.

mod args;
mod ask;
mod capabilities;
mod checks;
mod completions;
mod decisions;
mod doctor;
mod edited;
mod exec;
mod exit;
mod keep;
mod meant;
mod print;
mod report;
mod rules;
mod sessions;
mod setup;
mod signal;
mod surface;
mod tool;
mod undo;
mod workflows;
mod workstation;

use std::{process::ExitCode, sync::Arc};

use clap::Parser as _;

use self::{
    args::{Cli, Subject},
    exit::{Exit, Failure},
};
use crate::executor::seal;

/// Runs the program to its end.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == seal::SUBCOMMAND) {
        // Before there is a second thread: a launcher may have but one.
        return seal::launch(words);
    }
    // A file that may not get longer is an error like a full disk, and no reason to be killed.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too.
            let text = error.render().to_string();
            if error.use_stderr() {
                // What was typed stands in it as it is.
                print::aside(text.trim_end());
                return ExitCode::from(Exit::Usage.code());
            }
            // A closed pipe is no reason to complain.
            let _ = print::text(&text);
            return ExitCode::SUCCESS;
        }
    };
    match run(cli) {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(failure) => {
            print::failure(&failure);
            ExitCode::from(failure.exit.code())
        }
    }
}

fn run(cli: Cli) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}"), ""))?;
    let exit = runtime.block_on(async {
        match cli.command {
            Some(Subject::Exec { prompt, json }) => {
                let how = if json { exec::Output::Json } else { exec::Output::Text };
                exec::run(&cli.common, prompt, how).await
            }
            Some(Subject::Capabilities { json: true }) => capabilities::json(),
            Some(Subject::Capabilities { json: false }) => capabilities::list(),
            Some(Subject::Completions { shell }) => completions::run(shell),
            Some(Subject::Doctor { json }) => {
                let how = if json { doctor::Output::Json } else { doctor::Output::Text };
                doctor::run(&cli.common, how).await
            }
            Some(Subject::Rules { action }) => rules::run(&cli.common, action.unwrap_or_default()),
            Some(Subject::Workflows) => workflows::list(&cli.common),
            Some(Subject::Trust { revoke }) => rules::trust(&cli.common, revoke),
            Some(Subject::Sessions { action }) => sessions::run(&cli.common, action).await,
            Some(Subject::Undo(wanted)) => undo::run(&cli.common, &wanted).await,
            None => match (cli.tool, cli.context_report) {
                (Some(name), _) => {
                    tool::run(&cli.common, &name, cli.tool_input.unwrap_or_default()).await
                }
                (None, true) => report::run(&cli.common).await,
                (None, false) => workstation::run(&cli.common, cli.prompt).await,
            },
        }
    });
    // A blocking read of a terminal or a pipe must not keep the program from ending.
    runtime.shutdown_background();
    exit
}
