//! What is known of a program by its name: shells, what runs something else, what writes.

use std::path::Path;

/// A word as it stands, and what it means where no variable or pattern is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) raw: String,
    pub(super) value: Option<String>,
}

impl Word {
    /// `NAME=value` before a program.
    pub(super) fn assigns(&self) -> bool {
        assigns(&self.raw)
    }

    /// Its meaning, or that it has none yet.
    pub(super) fn shown(&self) -> String {
        match &self.value {
            Some(value) => value.clone(),
            None => format!("{} (known when it runs)", self.raw),
        }
    }
}

fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        let first = name.chars().next();
        first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn base(program: &str) -> &str {
    Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program)
}

fn is_shell(program: &str) -> bool {
    matches!(base(program), "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash")
}

/// A program that is given as text for a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The shell and what stands before its text: `["sudo", "bash", "-lc"]`.
    pub before: Vec<String>,
    pub text: String,
    /// Its own name and arguments, as the text sees them.
    pub after: Vec<String>,
}

/// The text a shell is given, if this is a shell with text. Programs that only run another one are
/// looked through where nothing in their arguments could be misread.
pub fn line(argv: &[String]) -> Option<Line> {
    let mut at = 0;
    while let Some(program) = argv.get(at)
        && !is_shell(program)
    {
        at += 1;
        match base(program) {
            "env" => {
                while argv.get(at).is_some_and(|word| assigns(word)) {
                    at += 1;
                }
            }
            "timeout" => at += 1,
            "sudo" | "doas" | "nohup" | "setsid" | "nice" | "busybox" | "time" => {}
            _ => return None,
        }
        if argv[at - 1..argv.len().min(at + 1)].iter().any(|word| word.starts_with('-')) {
            return None;
        }
    }
    argv.get(at)?;
    let mut text = false;
    at += 1;
    while let Some(word) = argv.get(at)
        && word.len() > 1
        && word.starts_with(['-', '+'])
    {
        at += 1;
        if word == "--" {
            break;
        }
        if word.starts_with("--") {
            // Those that take no value.
            if !matches!(
                word.as_str(),
                "--login" | "--norc" | "--noprofile" | "--posix" | "--restricted" | "--verbose"
            ) {
                return None;
            }
            continue;
        }
        text |= word.starts_with('-') && word.contains('c');
        // Each of these takes a name.
        at += word.chars().filter(|c| matches!(c, 'o' | 'O')).count();
    }
    let found = argv.get(at).filter(|_| text)?;
    Some(Line { before: argv[..at].to_vec(), text: found.clone(), after: argv[at + 1..].to_vec() })
}

/// What is to be known of a program that runs something else.
pub fn wrapper(argv: &[String]) -> Option<String> {
    let words: Vec<_> =
        argv.iter().map(|word| Word { raw: word.clone(), value: Some(word.clone()) }).collect();
    // A program is what is run, whatever its name looks like.
    note_of(&words, false)
}

/// The same of a part of a line; `fed` tells that it reads what another one prints.
pub(super) fn note(words: &[Word], fed: bool) -> Option<String> {
    let at = words.iter().position(|word| !word.assigns())?;
    note_of(&words[at..], fed)
}

fn note_of(words: &[Word], fed: bool) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let Some(name) = program.value.as_deref() else {
        return Some("which program, is known when it runs".to_owned());
    };
    let name = base(name);
    let has = |options: &[&str]| {
        arguments.iter().any(|word| options.iter().any(|option| word.raw.starts_with(option)))
    };
    let says = match name {
        "sudo" | "doas" | "su" | "pkexec" | "runuser" => "runs what follows as another user",
        "env" => "runs what follows in another environment",
        "xargs" | "parallel" => "runs what follows with arguments that it reads",
        "find" | "fd" if has(&["-exec", "-ok", "-delete", "-x", "-X", "--exec"]) => {
            "runs or deletes what it finds"
        }
        "nohup" | "setsid" | "nice" | "ionice" | "timeout" | "stdbuf" | "time" | "chroot"
        | "command" | "exec" | "builtin" | "busybox" | "flock" | "watch" | "strace" | "unshare"
        | "nsenter" | "script" | "caffeinate" => "runs what follows",
        "ssh" => "runs what follows on another computer",
        "docker" | "podman" if has(&["run", "exec"]) => "runs what follows in a container",
        "eval" | "source" | "." => "runs text that is not shown here",
        "crontab" | "at" | "batch" => "has something run later",
        shell if is_shell(shell) => match (has(&["-c", "-lc", "-ec"]), arguments.is_empty()) {
            (true, _) => "runs another line, which is not taken apart",
            (false, true) if fed => "runs whatever it reads",
            (false, _) => "runs a script that is not shown here",
        },
        "python" | "python3" | "perl" | "ruby" | "node" | "deno" | "php" | "awk"
            if has(&["-c", "-e", "-E", "--eval"]) =>
        {
            "runs code that is in its arguments"
        }
        "python" | "python3" | "perl" | "ruby" | "node" | "php" if fed && arguments.is_empty() => {
            "runs whatever it reads"
        }
        _ => return None,
    };
    Some(format!("{name} {says}"))
}

/// The files a `tee` writes.
pub(super) fn tee(words: &[Word], writes: &mut Vec<String>) {
    let mut words = words.iter().skip_while(|word| word.assigns());
    if words.next().and_then(|word| word.value.as_deref()).map(base) == Some("tee") {
        let files = words.filter(|word| !word.raw.starts_with('-') || word.raw == "-");
        writes.extend(files.map(Word::shown));
    }
}
