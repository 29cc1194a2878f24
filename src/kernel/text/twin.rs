//! Letters that are taken for others.

use std::path::{Path, PathBuf};

/// What a letter or sign of another script is taken for.
pub fn twin(c: char) -> Option<&'static str> {
    Some(match c {
        'а' => "Cyrillic, looks like a",
        'с' => "Cyrillic, looks like c",
        'ԁ' => "Cyrillic, looks like d",
        'е' => "Cyrillic, looks like e",
        'һ' => "Cyrillic, looks like h",
        'і' => "Cyrillic, looks like i",
        'ј' => "Cyrillic, looks like j",
        'ӏ' => "Cyrillic, looks like l",
        'о' => "Cyrillic, looks like o",
        'р' => "Cyrillic, looks like p",
        'ԛ' => "Cyrillic, looks like q",
        'ѕ' => "Cyrillic, looks like s",
        'у' => "Cyrillic, looks like y",
        'ԝ' => "Cyrillic, looks like w",
        'х' => "Cyrillic, looks like x",
        'А' => "Cyrillic, looks like A",
        'В' => "Cyrillic, looks like B",
        'С' => "Cyrillic, looks like C",
        'Е' => "Cyrillic, looks like E",
        'Н' => "Cyrillic, looks like H",
        'І' => "Cyrillic, looks like I",
        'Ј' => "Cyrillic, looks like J",
        'К' => "Cyrillic, looks like K",
        'М' => "Cyrillic, looks like M",
        'О' => "Cyrillic, looks like O",
        'Р' => "Cyrillic, looks like P",
        'Ѕ' => "Cyrillic, looks like S",
        'Т' => "Cyrillic, looks like T",
        'Х' => "Cyrillic, looks like X",
        'У' => "Cyrillic, looks like Y",
        'α' => "Greek, looks like a",
        'ι' => "Greek, looks like i",
        'ν' => "Greek, looks like v",
        'ο' => "Greek, looks like o",
        'ρ' => "Greek, looks like p",
        'υ' => "Greek, looks like u",
        'γ' => "Greek, looks like y",
        'Α' => "Greek, looks like A",
        'Β' => "Greek, looks like B",
        'Ε' => "Greek, looks like E",
        'Ζ' => "Greek, looks like Z",
        'Η' => "Greek, looks like H",
        'Ι' => "Greek, looks like I",
        'Κ' => "Greek, looks like K",
        'Μ' => "Greek, looks like M",
        'Ν' => "Greek, looks like N",
        'Ο' => "Greek, looks like O",
        'Ρ' => "Greek, looks like P",
        'Τ' => "Greek, looks like T",
        'Υ' => "Greek, looks like Y",
        'Χ' => "Greek, looks like X",
        '\u{131}' => "looks like i",
        '\u{261}' => "looks like g",
        '\u{2044}' | '\u{2215}' | '\u{29f8}' => "looks like a slash",
        '\u{2024}' => "looks like a full stop",
        '\u{37e}' => "Greek question mark, looks like ;",
        '\u{ff01}'..='\u{ff5e}' => "a wide form of a plain sign",
        '\u{1d400}'..='\u{1d7ff}' => "a sign of mathematics, looks like a plain letter",
        _ => return None,
    })
}

/// The text with the plain letter for each that is taken for one, as far as that is a single one.
fn untwinned(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(c) - 0xff01 + u32::from('!')).unwrap_or(c)
        }
        '\u{2024}' => '.',
        _ => match twin(c).and_then(|why| why.rsplit_once("looks like ")) {
            Some((_, letter)) if letter.chars().count() == 1 => letter.chars().next().unwrap_or(c),
            Some(_) | None => c,
        },
    };
    text.chars().map(plain).collect()
}

/// The name that this one looks like, if it is another and `is_there` says that it exists.
pub fn looks_like(name: &Path, is_there: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let text = name.to_str().filter(|text| !text.is_ascii())?;
    let other = PathBuf::from(untwinned(text));
    (other != name && is_there(&other)).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_by_the_one_it_looks_like_if_that_is_there() {
        let check = |name: &str, expected: Option<&str>| {
            let there = |other: &Path| other == Path::new("src/lex.rs");
            assert_eq!(looks_like(Path::new(name), there), expected.map(PathBuf::from), "{name}");
        };
        check("src/l\u{435}x.rs", Some("src/lex.rs"));
        check("\u{455}r\u{441}/lex\u{2024}rs", Some("src/lex.rs"));
        check("src/\u{ff4c}ex.rs", Some("src/lex.rs"));
        check("src/lex.rs", None);
        check("src/l\u{435}y.rs", None);
        check("src/l\u{e9}x.rs", None);
    }
}
