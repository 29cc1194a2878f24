//! `footplate completions SHELL`: what a shell needs to complete our command line.

use clap::{CommandFactory as _, ValueEnum};
use clap_complete::Shell;

use super::{
    args::Cli,
    exit::{Exit, Failure},
    print,
};

/// The shells whose users are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum For {
    Bash,
    Zsh,
    Fish,
}

/// Prints the script for that shell.
pub(super) fn run(shell: For) -> Result<Exit, Failure> {
    // A reader that went away has seen what it wanted.
    let _ = print::text(&script(shell));
    Ok(Exit::Done)
}

fn script(shell: For) -> String {
    let shell = match shell {
        For::Bash => Shell::Bash,
        For::Zsh => Shell::Zsh,
        For::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "footplate", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of all that can be asked for, at any depth.
    fn names(of: &clap::Command) -> Vec<String> {
        let below = of.get_subcommands().flat_map(|command| {
            std::iter::once(command.get_name().to_owned()).chain(names(command))
        });
        below.collect()
    }

    #[test]
    fn each_shell_is_told_every_subcommand() {
        let names = names(&Cli::command());
        assert!(names.len() > 15 && names.contains(&"completions".to_owned()), "{names:?}");
        for shell in For::value_variants() {
            let script = script(*shell);
            for name in &names {
                assert!(script.contains(name.as_str()), "{shell:?} does not know {name}");
            }
            for flag in ["--model", "--dry-run"] {
                let long = flag.trim_start_matches("--");
                assert!(script.contains(flag) || script.contains(&format!("-l {long}")), "{flag}");
            }
        }
    }
}
