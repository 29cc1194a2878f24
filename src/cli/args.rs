//! What can be typed. What it means is decided where it is used.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::completions::For;
use crate::kernel::money::Money;

/// A terminal workstation to drive and supervise AI agents.
#[derive(Debug, Parser)]
#[command(name = "footplate", version)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Subject>,

    #[command(flatten)]
    pub(super) common: Common,

    /// Say this to the model at once
    pub(super) prompt: Option<String>,

    /// Make one call by hand, through the gate, and print its result as JSON
    #[arg(long, value_name = "NAME", conflicts_with = "prompt")]
    pub(super) tool: Option<String>,

    /// The arguments of that call: one JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(super) tool_input: Option<String>,

    /// Print what the model would be given: tools, modules, sizes
    #[arg(long, conflicts_with = "tool")]
    pub(super) context_report: bool,
}

/// Flags that mean the same everywhere.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Common {
    /// Work in this folder instead of the current one
    #[arg(global = true, short = 'C', value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,

    /// The model, as PROVIDER/MODEL, scripted:FILE or scripted:tour
    #[arg(global = true, long, value_name = "P/M", conflicts_with_all = ["carry_on", "resume"])]
    pub(super) model: Option<String>,

    /// What runs unasked: plan, default, accept-edits, guarded or auto
    #[arg(global = true, long, value_name = "MODE", conflicts_with_all = ["carry_on", "resume"])]
    pub(super) mode: Option<String>,

    /// The kind of agent: a file in agents/ beside config.toml, or in .footplate/agents
    #[arg(global = true, long, value_name = "NAME", conflicts_with_all = ["carry_on", "resume"])]
    pub(super) profile: Option<String>,

    /// The colours: a built-in theme such as nord, or a file of yours in themes/ beside config.toml
    #[arg(global = true, long, value_name = "NAME")]
    pub(super) theme: Option<String>,

    /// Leave what is over in the terminal's own scrollback, and take a few rows below it
    #[arg(global = true, long)]
    pub(super) inline: bool,

    /// Line after line, nothing drawn over: for screen readers, and for scripts through pipes
    #[arg(global = true, long, conflicts_with = "inline")]
    pub(super) lines: bool,

    /// Begin no request to a model once it and its agents used so many tokens
    #[arg(
        global = true,
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with_all = ["carry_on", "resume"],
    )]
    pub(super) max_tokens: Option<u64>,

    /// The same for money, in dollars; what a model takes stands in config.toml
    #[arg(
        global = true,
        long,
        value_name = "AMOUNT",
        value_parser = money,
        conflicts_with_all = ["carry_on", "resume"],
    )]
    pub(super) max_cost: Option<Money>,

    /// Carry on the newest session of this folder
    #[arg(global = true, long = "continue", conflicts_with = "resume")]
    pub(super) carry_on: bool,

    /// Carry on that session: its name, or the beginning or end of its name or id, is enough; without
    /// one, the newest of any folder
    #[arg(global = true, long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub(super) resume: Option<String>,
}

fn money(text: &str) -> Result<Money, String> {
    let amount: f64 = text.parse().map_err(|_| "expected an amount such as 2.50".to_owned())?;
    Money::try_from(amount).map_err(str::to_owned)
}

/// Everything but the workstation itself.
#[derive(Debug, Subcommand)]
pub(super) enum Subject {
    /// Work without a screen: say PROMPT, print the answer
    Exec {
        /// What to say; `-` reads it from standard input
        prompt: Option<String>,
        /// Print every event of the journal as a JSON line
        #[arg(long)]
        json: bool,
    },
    /// List what a model can be allowed to do: name, category, module
    Capabilities {
        /// As JSON, with schemas
        #[arg(long)]
        json: bool,
    },
    /// See what works on this computer, and how to get what does not
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print what a shell needs to complete this command line
    #[command(
        after_help = "bash: footplate completions bash > ~/.local/share/bash-completion/completions/footplate\n\
                            zsh:  footplate completions zsh > a folder of $fpath, as _footplate\n\
                            fish: footplate completions fish > ~/.config/fish/completions/footplate.fish"
    )]
    Completions {
        /// The shell
        shell: For,
    },
    /// See which rules count here, and from where
    Rules {
        #[command(subcommand)]
        action: Option<RulesAction>,
    },
    /// Let the rules of the project here allow calls, as they are now
    Trust {
        /// No more
        #[arg(long)]
        revoke: bool,
    },
    /// List the Python that is saved here to be run again; by hand: --tool workflows.run
    Workflows,
    /// Take back what a session wrote through the gate, where nothing changed it since
    Undo(Undoing),
    /// Look at the sessions so far
    Sessions {
        #[command(subcommand)]
        action: Option<SessionsAction>,
    },
}

/// What to take back, and whether to ask.
#[derive(Clone, Debug, Args)]
pub(super) struct Undoing {
    /// Of that session and its agents: the end of its id is enough; without one, the newest of this
    /// folder that wrote anything
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,

    /// Only of that call, or of the calls made inside it: the end of its id is enough
    #[arg(long, value_name = "ID")]
    pub(super) call: Option<String>,

    /// Say what would be done, and do nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Do it without a question
    #[arg(long, conflicts_with = "dry_run")]
    pub(super) yes: bool,
}

/// What can be done with sessions.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum SessionsAction {
    /// One line each, newest first
    List {
        /// As JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// What people said in a session, numbered
    Show {
        /// Its name, or the end of its id, as `list` has it
        id: String,
        /// What was decided in it and in the agents below it, by whom or by what
        #[arg(long)]
        decisions: bool,
        /// As JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Begin a new session as a copy of one, which is left as it is; it asks for everything again
    Fork {
        /// Its name, or the end of its id
        id: String,
        /// Only what stands before that message, as `show` numbers them
        #[arg(long, value_name = "N", conflicts_with = "turn")]
        at: Option<usize>,
        /// Only up to the end of that request to the model, counted from 1
        #[arg(long, value_name = "N")]
        turn: Option<usize>,
    },
    /// Go back to before a message: the conversation, and the files where nothing changed them since
    Rewind {
        /// Its name, or the end of its id
        id: String,
        /// The message, as `show` numbers them
        #[arg(long, value_name = "N")]
        to: usize,
        /// Say what would become of the files, and do nothing
        #[arg(long)]
        dry_run: bool,
        /// Do it without a question
        #[arg(long, conflicts_with = "dry_run")]
        yes: bool,
    },
    /// Write a session to a file, for people or for `import`
    Export {
        /// Its name, or the end of its id
        id: String,
        /// Markdown for people, or the events of the journals as JSON lines
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        /// The file, which must not be there yet; without one, standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Begin a new session here with the conversation of an exported one; it asks for everything again
    Import {
        /// What `export --format json` wrote
        file: PathBuf,
    },
    /// Remove sessions for good, with their agents and all they keep
    Delete {
        /// Their names, or the ends of their ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Without a question
        #[arg(long)]
        yes: bool,
    },
    /// Give a session a name, by which it can be resumed
    Rename {
        /// Its name, or the end of its id
        id: String,
        /// The new one
        name: String,
    },
    /// Find a line that holds all of these words, in all sessions, newest first
    Search {
        /// The words, in whatever case
        #[arg(required = true)]
        words: Vec<String>,
        /// Stop after so many lines
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        /// As JSON, one object a line
        #[arg(long)]
        json: bool,
    },
}

/// What a session is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// To read.
    #[default]
    Markdown,
    /// To bring in somewhere else.
    Json,
}

/// What can be done with rules.
#[derive(Clone, Debug, Default, Subcommand)]
pub(super) enum RulesAction {
    /// Every rule that counts in this folder, and what a file is worth
    #[default]
    List,
    /// Whether a file of rules has a fault
    Check {
        /// The file
        file: PathBuf,
    },
}
