//! One setting changed in a file that the person writes: all else in it, comments too, stays as it is.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use toml::{
    Value,
    de::{DeTable, DeValue},
};

/// Sets `key`, or `table.key`, in the file, which is made if there is none. Blocks for two small file
/// operations; the file is replaced in one step. An error is one line what, one line what to do.
pub fn set(file: &Path, key: &str, value: impl Into<Value>) -> Result<(), String> {
    set_checked(file, key, value, |_| Ok(()))
}

/// The same, unless what would then stand in the file has a fault.
pub fn set_checked(
    file: &Path,
    key: &str,
    value: impl Into<Value>,
    check: impl FnOnce(&str) -> Result<(), String>,
) -> Result<(), String> {
    let shown = file.display();
    let failed = |error: io::Error| format!("{shown} was not written: {error}.");
    // What a link leads to is what is edited.
    let file = &file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let value = value.into().to_string();
    let text = match key.split_once('.') {
        Some((table, key)) => within(&text, table, key, &value),
        None => with(&text, key, &value),
    };
    let text = text.map_err(|left| format!("{shown} {left}, and is left as it is."))?;
    check(&text)?;
    let folder = file.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    new.write_all(text.as_bytes()).map_err(failed)?;
    if let Ok(old) = fs::metadata(file) {
        new.as_file().set_permissions(old.permissions()).map_err(failed)?;
    }
    new.persist(file).map_err(|error| failed(error.error))?;
    Ok(())
}

const FAULTY: &str = "has a fault";

/// The text of the file with that setting; what is in the way, if something is.
fn with(text: &str, key: &str, value: &str) -> Result<String, &'static str> {
    let table = DeTable::parse(text).map_err(|_| FAULTY)?;
    let table = table.get_ref();
    if let Some((_, old)) = table.iter().find(|(known, _)| known.get_ref() == key) {
        let span = old.span();
        return Ok(format!("{}{value}{}", &text[..span.start], &text[span.end..]));
    }
    // Behind the last setting that belongs to no table, for behind a table it would be in there.
    let plain = table.values().filter(|value| !matches!(value.get_ref(), DeValue::Table(_)));
    let line = format!("{key} = {value}\n");
    let Some(end) = plain.map(|value| value.span().end).max() else {
        let gap = if text.is_empty() { "" } else { "\n" };
        return Ok(format!("{line}{gap}{text}"));
    };
    Ok(match text[end..].find('\n') {
        Some(newline) => {
            let (before, after) = text.split_at(end + newline + 1);
            format!("{before}{line}{after}")
        }
        None => format!("{text}\n{line}"),
    })
}

/// The same for a setting of a table.
fn within(text: &str, name: &str, key: &str, value: &str) -> Result<String, &'static str> {
    let all = DeTable::parse(text).map_err(|_| FAULTY)?;
    let line = format!("{key} = {value}\n");
    let table = all.get_ref().iter().find(|(known, _)| known.get_ref() == name);
    let Some((_, table)) = table else {
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return Ok(format!("{text}{gap}[{name}]\n{line}"));
    };
    let DeValue::Table(settings) = table.get_ref() else { return Err(FAULTY) };
    if let Some((_, old)) = settings.iter().find(|(known, _)| known.get_ref() == key) {
        let span = old.span();
        return Ok(format!("{}{value}{}", &text[..span.start], &text[span.end..]));
    }
    // Right below its head, which only stands there if the table is written so.
    let mut at = 0;
    for found in text.split_inclusive('\n') {
        at += found.len();
        let head = found.split('#').next().unwrap_or_default().trim();
        if head.strip_prefix('[').and_then(|head| head.strip_suffix(']')).map(str::trim)
            == Some(name)
        {
            let gap = if found.ends_with('\n') { "" } else { "\n" };
            return Ok(format!("{}{gap}{line}{}", &text[..at], &text[at..]));
        }
    }
    Err("has that table in a form that is edited by hand only")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn one_setting_changes_and_all_else_stays() {
        for (before, after) in [
            ("", "theme = \"nord\"\n"),
            (
                "# mine\n[screen]\nascii = true\n",
                "theme = \"nord\"\n\n# mine\n[screen]\nascii = true\n",
            ),
            (
                "theme = 'old' # dark\nmode = \"plan\"\n",
                "theme = \"nord\" # dark\nmode = \"plan\"\n",
            ),
            ("mode = \"plan\" # careful", "mode = \"plan\" # careful\ntheme = \"nord\"\n"),
            (
                "# a\nmode = \"plan\"  # b\n\n# c\n[screen]\ntheme = 1\n",
                "# a\nmode = \"plan\"  # b\ntheme = \"nord\"\n\n# c\n[screen]\ntheme = 1\n",
            ),
            (
                "model = \"\"\"a\n[x]\n\"\"\"\r\n[screen]\r\n",
                "model = \"\"\"a\n[x]\n\"\"\"\r\ntheme = \"nord\"\n[screen]\r\n",
            ),
        ] {
            assert_eq!(with(before, "theme", "\"nord\"").as_deref(), Ok(after), "{before}");
            let again = with(after, "theme", "\"nord\"");
            assert_eq!(again.as_deref(), Ok(after), "to do it twice changes nothing");
        }
        assert_eq!(with("theme = ", "theme", "1"), Err(FAULTY));
    }

    #[test]
    fn one_setting_of_a_table_changes_and_all_else_stays() {
        for (before, after) in [
            ("", "[screen]\nmouse = false\n"),
            ("# mine\nmode = 'plan'", "# mine\nmode = 'plan'\n\n[screen]\nmouse = false\n"),
            (
                "[ screen ] # looks\nascii = true\n[limits]\n",
                "[ screen ] # looks\nmouse = false\nascii = true\n[limits]\n",
            ),
            ("[screen]\nmouse = true # on\n", "[screen]\nmouse = false # on\n"),
            ("screen = { mouse = true }\n", "screen = { mouse = false }\n"),
            ("screen.mouse = true\n", "screen.mouse = false\n"),
            ("[screen]", "[screen]\nmouse = false\n"),
        ] {
            let changed = within(before, "screen", "mouse", "false");
            assert_eq!(changed.as_deref(), Ok(after), "{before}");
            let again = within(after, "screen", "mouse", "false");
            assert_eq!(again.as_deref(), Ok(after), "to do it twice changes nothing");
        }
        let by_hand = "screen = { ascii = true }\n";
        assert!(within(by_hand, "screen", "mouse", "false").is_err());
        assert_eq!(within("[screen", "screen", "mouse", "false"), Err(FAULTY));
    }

    #[test]
    fn a_value_is_written_as_a_text_whatever_is_in_it() {
        let value = Value::from("a\"\nmode = \"auto").to_string();
        let text = with("", "theme", &value).unwrap();
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table.len(), 1);
        assert_eq!(table["theme"].as_str(), Some("a\"\nmode = \"auto"));
    }

    #[test]
    fn a_file_is_made_a_link_is_followed_and_a_faulty_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        set(&at("new/config.toml"), "theme", "nord").unwrap();
        assert_eq!(fs::read_to_string(at("new/config.toml")).unwrap(), "theme = \"nord\"\n");

        std::os::unix::fs::symlink(at("new/config.toml"), at("link.toml")).unwrap();
        set(&at("link.toml"), "theme", "mine").unwrap();
        assert!(at("link.toml").is_symlink());
        assert_eq!(fs::read_to_string(at("new/config.toml")).unwrap(), "theme = \"mine\"\n");

        fs::write(at("broken.toml"), "theme = [").unwrap();
        let error = set(&at("broken.toml"), "theme", "nord").unwrap_err();
        assert!(error.contains("has a fault"), "{error}");
        assert_eq!(fs::read_to_string(at("broken.toml")).unwrap(), "theme = [");
    }
}
