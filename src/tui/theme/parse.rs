//! Theme files: TOML in which every role stands and nothing else does.

use std::ops::Range;

use ratatui::style::Modifier;
use toml::de::{DeTable, DeValue};

use super::{Paint, Rgb, Role};
use crate::kernel::setting::twice;

/// Why a theme file cannot be used, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct ThemeError {
    pub file: String,
    /// From 1; the whole file where there is no better place.
    pub line: usize,
    pub what: String,
    pub hint: String,
}

/// Where in which file an error is.
struct Place<'a> {
    file: &'a str,
    source: &'a str,
}

impl Place<'_> {
    fn error(&self, span: Range<usize>, what: impl Into<String>, hint: &str) -> ThemeError {
        let before = self.source.get(..span.start).unwrap_or(self.source);
        ThemeError {
            file: self.file.to_owned(),
            line: before.bytes().filter(|&b| b == b'\n').count() + 1,
            what: what.into(),
            hint: hint.to_owned(),
        }
    }
}

/// The name and the paint of each role, in the order of [`Role::ALL`].
pub(super) fn parse(file: &str, source: &str) -> Result<(String, Vec<Paint>), ThemeError> {
    let place = Place { file, source };
    let table = DeTable::parse(source).map_err(|error| {
        let span = error.span().unwrap_or_default();
        let (what, hint) = twice(source, &error).unwrap_or_else(|| {
            let hint = "write it as TOML: role = \"#rrggbb\"".to_owned();
            (error.message().to_owned(), hint)
        });
        place.error(span, what, &hint)
    })?;
    let mut name = None;
    let mut paints: Vec<Option<Paint>> = vec![None; Role::ALL.len()];
    for (key, value) in table.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("name", DeValue::String(text)) => name = Some(text.to_string()),
            ("name", _) => {
                return Err(place.error(value.span(), "name is not a text", "name = \"my-theme\""));
            }
            ("roles", DeValue::Table(roles)) => read_roles(&place, "", roles, &mut paints)?,
            ("roles", _) => {
                return Err(place.error(value.span(), "roles is not a table", "write [roles]"));
            }
            (other, _) => {
                let what = format!("unknown key {other}");
                return Err(place.error(key.span(), what, "only name and [roles] belong here"));
            }
        }
    }
    let end = source.len()..source.len();
    let name = name.ok_or_else(|| place.error(0..0, "missing name", "name = \"my-theme\""))?;
    let missing: Vec<&str> = Role::ALL
        .iter()
        .zip(&paints)
        .filter(|(_, paint)| paint.is_none())
        .map(|(role, _)| role.name())
        .collect();
    if !missing.is_empty() {
        let what = format!("missing {}", missing.join(", "));
        return Err(place.error(end, what, "give each a colour: role = \"#rrggbb\""));
    }
    Ok((name, paints.into_iter().flatten().collect()))
}

/// Roles may be written `"code.name"`, `code.name` or under `[roles.code]`.
fn read_roles(
    place: &Place<'_>,
    prefix: &str,
    table: &DeTable<'_>,
    paints: &mut [Option<Paint>],
) -> Result<(), ThemeError> {
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        if let (None, "code", DeValue::Table(inner)) = (role(&name), name.as_str(), value.get_ref())
        {
            read_roles(place, "code.", inner, paints)?;
            continue;
        }
        let Some(role) = role(&name) else {
            let what = format!("unknown role {name}");
            let known: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
            let hint = format!("the roles are {}", known.join(", "));
            return Err(place.error(key.span(), what, &hint));
        };
        let slot = &mut paints[role as usize];
        if slot.is_some() {
            return Err(place.error(key.span(), format!("{name} twice"), "keep one of them"));
        }
        *slot = Some(paint(place, role, value)?);
    }
    Ok(())
}

fn role(name: &str) -> Option<Role> {
    Role::ALL.iter().copied().find(|role| role.name() == name)
}

type Value<'a> = toml::Spanned<DeValue<'a>>;

fn paint(place: &Place<'_>, role: Role, value: &Value<'_>) -> Result<Paint, ThemeError> {
    let ground = matches!(role, Role::Ground | Role::Raised);
    let mut paint = Paint::default();
    let Some(table) = value.get_ref().as_table() else {
        let color = Some(color(place, role, value)?);
        let (fg, bg) = if ground { (None, color) } else { (color, None) };
        return Ok(Paint { fg, bg, ..paint });
    };
    for (key, value) in table {
        let modifier = match key.get_ref().as_ref() {
            "fg" if !ground => {
                paint.fg = Some(color(place, role, value)?);
                continue;
            }
            "bg" => {
                paint.bg = Some(color(place, role, value)?);
                continue;
            }
            "bold" => Modifier::BOLD,
            "dim" => Modifier::DIM,
            "italic" => Modifier::ITALIC,
            "underline" => Modifier::UNDERLINED,
            "reversed" => Modifier::REVERSED,
            other => {
                let what = format!("unknown key {other} in {}", role.name());
                let hint = match ground {
                    true => "a ground has bg only",
                    false => "fg, bg, bold, dim, italic, underline and reversed are known",
                };
                return Err(place.error(key.span(), what, hint));
            }
        };
        match value.get_ref().as_bool() {
            Some(true) => paint.modifier |= modifier,
            Some(false) => {}
            None => {
                let what = format!("{} in {} is no yes or no", key.get_ref(), role.name());
                return Err(place.error(value.span(), what, "write true or false"));
            }
        }
    }
    if if ground { paint.bg.is_none() } else { paint.fg.is_none() } {
        let what = format!("{} has no colour", role.name());
        let hint = if ground { "add bg = \"#rrggbb\"" } else { "add fg = \"#rrggbb\"" };
        return Err(place.error(value.span(), what, hint));
    }
    Ok(paint)
}

fn color(place: &Place<'_>, role: Role, value: &Value<'_>) -> Result<Rgb, ThemeError> {
    let text = value.get_ref().as_str();
    text.and_then(Rgb::parse).ok_or_else(|| {
        let what = match text {
            Some(text) => {
                format!("{} has no colour in {}", role.name(), crate::kernel::text::quoted(text))
            }
            None => format!("{} is {}, not a colour", role.name(), value.get_ref().type_str()),
        };
        place.error(value.span(), what, "write colours as \"#rrggbb\"")
    })
}
