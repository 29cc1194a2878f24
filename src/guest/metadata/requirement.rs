//! What may be asked for: requirements by name (PEP 508), and versions (PEP 440). Narrower than what
//! an installer reads, so that nothing in it is an option, an address, a path or a variable.

/// Bytes of one requirement.
const LONGEST: usize = 300;

/// Whether this names a package, with versions and a condition at most; why not, if it does not.
pub(super) fn check(text: &str) -> Result<(), &'static str> {
    plain(text)?;
    let (wanted, condition) = match text.split_once(';') {
        Some((wanted, condition)) => (wanted, Some(condition)),
        None => (text, None),
    };
    if wanted.contains('@') {
        return Err("an address is not obeyed; packages are named");
    }
    let name = wanted.trim_start();
    let end = name.find(|c| !is_of_name(c)).unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    is_name(name)?;
    let versions = match rest.trim_start().strip_prefix('[') {
        Some(rest) => {
            let (extras, rest) = rest.split_once(']').ok_or("the bracket of the extras is open")?;
            extras.split(',').try_for_each(|extra| is_name(extra.trim()))?;
            rest
        }
        None => rest,
    };
    let versions = versions.trim();
    let versions = match versions.strip_prefix('(') {
        Some(inner) => inner.strip_suffix(')').ok_or("the bracket of the versions is open")?,
        None => versions,
    };
    if !versions.is_empty() {
        check_versions(versions)?;
    }
    condition.map_or(Ok(()), check_condition)
}

/// Whether this is a list of versions such as `>=3.9, <4`; why not, if it is not.
pub(super) fn check_versions(text: &str) -> Result<(), &'static str> {
    const OPERATORS: [&str; 8] = ["===", "==", "~=", "!=", "<=", ">=", "<", ">"];
    plain(text)?;
    text.split(',').try_for_each(|one| {
        let one = one.trim();
        let version = OPERATORS.iter().find_map(|operator| one.strip_prefix(operator));
        let version = version.ok_or("expected a version behind one of == >= <= > < != ~=")?.trim();
        let is_of_version = |c: char| c.is_ascii_alphanumeric() || ".*+!-_".contains(c);
        let begins = version.starts_with(|c: char| c.is_ascii_alphanumeric());
        if begins && version.chars().all(is_of_version) {
            Ok(())
        } else {
            Err("this is no version")
        }
    })
}

fn plain(text: &str) -> Result<(), &'static str> {
    if text.len() > LONGEST {
        return Err("it is longer than 300 characters");
    }
    if !text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        return Err("it holds characters that no requirement has");
    }
    Ok(())
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-".contains(c)
}

fn is_name(name: &str) -> Result<(), &'static str> {
    let ends = |c: char| c.is_ascii_alphanumeric();
    if name.starts_with(ends) && name.ends_with(ends) && name.chars().all(is_of_name) {
        return Ok(());
    }
    Err("it does not begin with the name of a package")
}

/// Words, texts and comparisons, whatever their order: the installer knows the grammar.
fn check_condition(text: &str) -> Result<(), &'static str> {
    const WORDS: [&str; 16] = [
        "and",
        "or",
        "not",
        "in",
        "python_version",
        "python_full_version",
        "os_name",
        "sys_platform",
        "platform_release",
        "platform_system",
        "platform_version",
        "platform_machine",
        "platform_python_implementation",
        "implementation_name",
        "implementation_version",
        "extra",
    ];
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("the condition behind ; is empty");
    }
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => {
                let end = rest[1..].find(first).ok_or("a text in the condition has no end")?;
                let inner = &rest[1..=end];
                if !inner.chars().all(|c| c.is_ascii_alphanumeric() || " ._+-*!#~".contains(c)) {
                    return Err("a text in the condition holds what no platform's name has");
                }
                end + 2
            }
            '(' | ')' | '<' | '>' | '=' | '!' | '~' | ' ' => 1,
            _ => {
                let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
                if !WORDS.contains(&&rest[..end]) {
                    return Err("the condition holds a word that conditions do not have");
                }
                end
            }
        };
        rest = &rest[length..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_asked_for_by_name_and_by_nothing_else() {
        for good in [
            "six",
            " six ",
            "zope.interface==5.0",
            "numpy>=1.26, <3",
            "numpy (>=1.26,<3)",
            "requests[socks, use_chardet] ~= 2.31",
            "x==1.0.*",
            "x===2024.1+local-1",
            "tomli; python_version < '3.11'",
            "a>=1 ; (os_name == \"nt\" or sys_platform != 'win32') and not extra in 'x y'",
        ] {
            assert_eq!(check(good), Ok(()), "{good:?}");
        }
        for bad in [
            "",
            "-r other.txt",
            "-e .",
            "--index-url https://evil.example",
            "six --index-url https://evil.example",
            "six --hash=sha256:00",
            "six @ https://evil.example/six.whl",
            "six@file:///tmp/six",
            "https://evil.example/six.whl",
            "git+https://evil.example/six",
            "./six",
            "/tmp/six.whl",
            "~/six",
            "${HOME}",
            "six==${VERSION}",
            "six # comment",
            "six \\",
            "six\n-e .",
            "six\r",
            "six\t>=1",
            "six\u{202e}",
            "sıx",
            "_six",
            "six-",
            "six[",
            "six[a",
            "six[]",
            "six[a b]",
            "six>=",
            "six>=1,",
            "six 1.0",
            "six (>=1",
            "six; ",
            "six; --hash=sha256:0",
            "six; import os",
            "six; os_name == 'a",
            "six; os_name == '${HOME}'",
            "six; python_version < '3' # x",
            "six, seven",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert!(check(&"x".repeat(301)).is_err());
    }

    #[test]
    fn python_is_asked_for_by_versions_alone() {
        for good in [">=3.9", ">=3.9, <4", "==3.11.*", "~= 3.11"] {
            assert_eq!(check_versions(good), Ok(()), "{good:?}");
        }
        for bad in
            ["", "3.11", "python3", "/usr/bin/python3", ">=3.9 --x", ">= 3.9;", ">=,", "pypy"]
        {
            assert!(check_versions(bad).is_err(), "{bad:?}");
        }
    }
}
