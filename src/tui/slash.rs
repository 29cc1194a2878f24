//! The commands that begin with a slash: what there is, what they take, and how a line is read as one.
//! Each does what a key or a list does as well; there is none that only a line can do.

use super::theme::Theme;
use crate::kernel::spec::Mode;

/// A command, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Attach,
    New,
    Mode,
    Rename,
    Fork,
    Rewind,
    Stop,
    Changes,
    Grants,
    Decisions,
    Sessions,
    Waiting,
    Output,
    File,
    News,
    Log,
    Theme,
    Help,
    Quit,
}

/// What stands behind the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// One of these, or nothing.
    One(Vec<&'static str>),
    /// Some words, or nothing; this says which.
    Words(&'static str),
}

impl Word {
    pub const ALL: [Self; 19] = [
        Self::Mode,
        Self::Attach,
        Self::Rewind,
        Self::Fork,
        Self::New,
        Self::Rename,
        Self::Stop,
        Self::Changes,
        Self::Decisions,
        Self::Grants,
        Self::Sessions,
        Self::Waiting,
        Self::Output,
        Self::File,
        Self::News,
        Self::Log,
        Self::Theme,
        Self::Help,
        Self::Quit,
    ];

    /// As it is typed, without the slash.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attach => "attach",
            Self::New => "new",
            Self::Mode => "mode",
            Self::Rename => "rename",
            Self::Fork => "fork",
            Self::Rewind => "rewind",
            Self::Stop => "stop",
            Self::Changes => "changes",
            Self::Grants => "grants",
            Self::Decisions => "decisions",
            Self::Sessions => "sessions",
            Self::Waiting => "waiting",
            Self::Output => "output",
            Self::File => "file",
            Self::News => "news",
            Self::Log => "log",
            Self::Theme => "theme",
            Self::Help => "help",
            Self::Quit => "quit",
        }
    }

    pub fn does(self) -> &'static str {
        match self {
            Self::Attach => "show it a picture, with your next words",
            Self::New => "begin another session in this folder",
            Self::Mode => "what runs without asking",
            Self::Rename => "give this session another name",
            Self::Fork => "go on in a copy of this session",
            Self::Rewind => "go back to before a message, files as well",
            Self::Stop => "stop this turn",
            Self::Changes => "what was written, and undo",
            Self::Grants => "every standing yes",
            Self::Decisions => "who decided what",
            Self::Sessions => "sessions and agents",
            Self::Waiting => "all that waits for you",
            Self::Output => "what programs print",
            Self::File => "read a file",
            Self::News => "since you looked away",
            Self::Log => "what was said in passing",
            Self::Theme => "other colours",
            Self::Help => "keys",
            Self::Quit => "leave; all is kept",
        }
    }

    pub fn takes(self) -> Takes {
        match self {
            Self::Mode => Takes::One(Mode::ALL.map(Mode::name).to_vec()),
            Self::Theme => Takes::One(Theme::BUILT_IN.map(|(name, _)| name).to_vec()),
            Self::Attach => Takes::Words("a picture file"),
            Self::Rename => Takes::Words("a name"),
            Self::File => Takes::Words("some letters of its name"),
            Self::Rewind => Takes::Words("the number of a message; else the last"),
            Self::New
            | Self::Fork
            | Self::Stop
            | Self::Changes
            | Self::Grants
            | Self::Decisions
            | Self::Sessions
            | Self::Waiting
            | Self::Output
            | Self::News
            | Self::Log
            | Self::Help
            | Self::Quit => Takes::Nothing,
        }
    }
}

/// A line that is no words for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A command, and what stands behind it.
    Does(Word, String),
    /// Nothing here is called that; a line for the person.
    Unknown(String),
}

/// Reads a text as a command. Nothing if it is none: it does not begin with a slash, or its first word
/// has another slash in it or a dot, as paths have.
pub fn read(text: &str) -> Option<Line> {
    let line = text.strip_prefix('/')?;
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if word.contains(['/', '.']) {
        return None;
    }
    let known = Word::ALL.into_iter().find(|known| known.name() == word);
    Some(match known {
        Some(known) => Line::Does(known, rest.trim().to_owned()),
        None => Line::Unknown(unknown(word)),
    })
}

fn unknown(word: &str) -> String {
    let far = |known: &Word| strsim::damerau_levenshtein(known.name(), word);
    let nearest = Word::ALL.into_iter().min_by_key(far).filter(|known| far(known) <= 2);
    let meant = match nearest {
        Some(known) if !word.is_empty() => format!("The nearest is /{}.", known.name()),
        Some(_) | None => "/help names the keys.".to_owned(),
    };
    format!("No command /{word}. {meant}")
}

/// The mode of that name.
pub fn mode(name: &str) -> Option<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.name() == name)
}

/// What could stand in the place of a line that is being written: the whole line, and what it does.
pub fn offers(line: &str) -> Vec<(String, String)> {
    let Some(line) = line.strip_prefix('/') else { return Vec::new() };
    match line.split_once(' ') {
        None => {
            let begins = |word: &Word| word.name().starts_with(line);
            let holds = |word: &Word| !begins(word) && word.name().contains(line);
            let first = Word::ALL.into_iter().filter(begins);
            let all = first.chain(Word::ALL.into_iter().filter(holds));
            all.map(|word| (format!("/{}", word.name()), word.does().to_owned())).collect()
        }
        Some((word, rest)) => {
            let known = Word::ALL.into_iter().find(|known| known.name() == word);
            match known.map(Word::takes) {
                Some(Takes::One(names)) => names
                    .into_iter()
                    .filter(|name| name.starts_with(rest.trim_start()))
                    .map(|name| (format!("/{word} {name}"), String::new()))
                    .collect(),
                Some(Takes::Words(_) | Takes::Nothing) | None => Vec::new(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_path_is_no_command_and_a_word_that_is_none_is_refused_with_the_nearest() {
        for words in ["/usr/bin/env is gone", "/etc/passwd", "/a.txt", " /mode plan", "and/or", ""]
        {
            assert_eq!(read(words), None, "{words}");
        }
        assert_eq!(read("/mode plan"), Some(Line::Does(Word::Mode, "plan".into())));
        assert_eq!(read("/help"), Some(Line::Does(Word::Help, String::new())));
        for (typed, says) in
            [("/mdoe", "nearest is /mode."), ("/xyzzy", "/help names"), ("/", "/help")]
        {
            let Some(Line::Unknown(why)) = read(typed) else { panic!("{typed}") };
            assert!(why.contains(says), "{why}");
        }
    }

    #[test]
    fn what_begins_so_comes_before_what_only_holds_it() {
        let names = |line| offers(line).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("/re"), ["/rewind", "/rename"]);
        assert_eq!(names("/for"), ["/fork"]);
        assert_eq!(names("/mode a"), ["/mode accept-edits", "/mode auto"]);
        assert_eq!(names("/mode auto"), ["/mode auto"]);
        assert_eq!(names("/rename a"), Vec::<String>::new());
        assert_eq!(names("/").len(), Word::ALL.len());
    }
}
