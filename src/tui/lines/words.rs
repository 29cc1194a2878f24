//! The words that are typed, and how things are said without signs.

use crate::{
    kernel::{
        event::Decider,
        gate::approval::{Answer, Scope, Then},
    },
    tui::clean::Piece,
};

/// A word on a line of its own that means something while something is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Yes,
    /// With words for the model, if there are any.
    No(Option<String>),
    Stop,
    Edit,
    Later,
    Wider,
    More,
    Full,
    Script,
    List,
    Next,
    Save,
    Always,
    Session,
    Back,
    Quit,
    WhenDone,
    Watch,
    Wait,
}

/// What a line says, if it is such a word.
pub(super) fn read(line: &str) -> Option<Word> {
    let line = line.trim();
    let lower = line.to_ascii_lowercase();
    Some(match lower.as_str() {
        "yes" => Word::Yes,
        "no" => Word::No(None),
        "stop" => Word::Stop,
        "edit" => Word::Edit,
        "later" => Word::Later,
        "wider" => Word::Wider,
        "more" => Word::More,
        "full" => Word::Full,
        "script" => Word::Script,
        "list" => Word::List,
        "next" => Word::Next,
        "save" => Word::Save,
        "always" => Word::Always,
        "session" => Word::Session,
        "back" => Word::Back,
        "quit" => Word::Quit,
        "when done" => Word::WhenDone,
        "watch" => Word::Watch,
        "wait" => Word::Wait,
        _ => {
            let said = ["no because ", "no, because ", "no because: "];
            let begins = said.iter().find(|begins| lower.starts_with(**begins))?;
            let words = line[begins.len()..].trim();
            Word::No(Some(words.to_owned()).filter(|words| !words.is_empty()))
        }
    })
}

/// Whether a line is so near to an answer that it was surely meant as one.
pub(super) fn is_near(line: &str) -> bool {
    let bare = line.trim().trim_end_matches(['.', '!', '?', ',']).to_ascii_lowercase();
    let near = [
        "y",
        "n",
        "ye",
        "yep",
        "yeah",
        "nope",
        "ok",
        "okay",
        "a",
        "e",
        "w",
        "f",
        "m",
        "s",
        "no because",
    ];
    near.contains(&&*bare) || (bare != line.trim().to_ascii_lowercase() && read(&bare).is_some())
}

/// `4 lines`, `1 line`.
pub(super) fn lines(count: usize) -> String {
    crate::tui::words::count(count, "line")
}

/// Pieces with what is hidden or deceives spelled out.
pub(super) fn spelled(pieces: &[Piece]) -> String {
    let spell = |piece: &Piece| match piece.escape {
        true => format!("(character {})", piece.text.trim_matches(['⟨', '⟩'])),
        false => piece.text.clone(),
    };
    pieces.iter().map(spell).collect()
}

/// What is said on the screen, with the commands of a line in the place of keys.
pub(super) fn without_keys(text: &str) -> String {
    const KEYS: [(&str, &str); 9] = [
        ("ctrl+c, esc, then enter: the tour.", "/tour takes the tour."),
        ("esc, then y says yes to it.", "back, then yes, says yes to it."),
        ("F3", "/waiting"),
        ("F4", "/output"),
        ("F5", "/changes"),
        ("F6", "/grants"),
        ("F7", "/decisions"),
        ("F8", "/mode"),
        ("r carries it on", "/resume carries it on"),
    ];
    KEYS.iter().fold(text.to_owned(), |text, (key, command)| text.replace(key, command))
}

/// Who decided, as the end of a sentence.
pub(super) fn by(by: &Decider) -> String {
    match by {
        Decider::Person => "by you".to_owned(),
        Decider::Mode { mode } => format!("by mode {}", mode.name()),
        Decider::Grant => "by a yes before".to_owned(),
        Decider::Rule { rule } => format!("by the rule {}", rule.says),
        Decider::Monitor(doubt) => format!("by the monitor: {doubt}"),
        Decider::Nobody => "since nobody is there to ask".to_owned(),
        Decider::Expiry => "since no answer came in time".to_owned(),
        Decider::Record { .. } => "by an earlier run".to_owned(),
    }
}

/// An answer, as the beginning of a sentence.
pub(super) fn answered(answer: &Answer) -> &'static str {
    match answer {
        Answer::Allow { scope: Scope::Once } => "YES, once",
        Answer::Allow { scope: Scope::Session { .. } } => "YES, for this session",
        Answer::Allow { scope: Scope::Always { .. } } => "YES, always",
        Answer::AllowEdited { .. } => "YES, as edited",
        Answer::Deny { then: Then::GoOn, .. } => "NO",
        Answer::Deny { then: Then::StopTurn, .. } => "NO, and stop",
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn an_answer_is_a_whole_word_on_a_line_of_its_own() {
        let no = |words: Option<&str>| Some(Word::No(words.map(str::to_owned)));
        for (line, word) in [
            ("yes", Some(Word::Yes)),
            (" Yes ", Some(Word::Yes)),
            ("no", no(None)),
            ("no because It is Wrong", no(Some("It is Wrong"))),
            ("No, because x", no(Some("x"))),
            ("when done", Some(Word::WhenDone)),
            ("yes please", None),
            ("no way", None),
            ("y", None),
            ("yes.", None),
            ("", None),
        ] {
            assert_eq!(read(line), word, "{line:?}");
        }
    }

    #[test]
    fn what_is_nearly_an_answer_is_none_and_no_message_either() {
        for line in ["y", "N", "yes.", "No!", "ok", "no because"] {
            assert!(is_near(line), "{line}");
        }
        for line in ["yes", "please say yes", "no it is wrong", "rename it", ""] {
            assert!(!is_near(line), "{line}");
        }
    }

    #[test]
    fn what_hides_is_spelled_out() {
        let pieces = crate::tui::clean::pieces("a\u{202e}b");
        assert_eq!(spelled(&pieces), "a(character U+202E)b");
    }
}
