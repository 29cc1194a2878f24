//! `config.toml`, as a person writes it. A word that is no setting is refused, with its place and
//! the setting it was probably meant to be.

use std::{collections::BTreeMap, ops::Range, path::Path};

use serde::{Deserialize, Deserializer, de::Error as _};
use toml::Spanned;

use super::{
    ConfigError, Glyphs, Monitor, Motion, Mouse, Notice, Pictures, Screen, Surface,
    providers::built_in,
};
use crate::kernel::{
    gate::policy::Runs,
    money::{Money, Price, Prices},
    profile::Bounds,
    provider::{Api, Think},
    setting::{explain, place},
    spec::{Limits, Mode},
};

/// What the file sets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) model: Option<String>,
    pub(super) mode: Option<Mode>,
    pub(super) theme: Option<String>,
    pub(super) timeout_ms: u64,
    pub(super) ceiling_ms: u64,
    pub(super) runs: Runs,
    pub(super) expires_s: Option<u64>,
    pub(super) monitor: Option<Monitor>,
    pub(super) screen: Screen,
    pub(super) providers: Vec<(String, ProviderSettings)>,
    pub(super) limits: Limits,
    pub(super) prices: Prices,
}

/// What the file says of one provider.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProviderSettings {
    #[serde(default, deserialize_with = "api")]
    pub(super) api: Option<Api>,
    pub(super) base_url: Option<String>,
    pub(super) api_key_env: Option<String>,
    pub(super) max_tokens: Option<u32>,
    pub(super) context_tokens: Option<u32>,
    pub(super) pictures: Option<bool>,
    #[serde(default, deserialize_with = "thinking")]
    pub(super) thinking: Option<Think>,
    pub(super) model: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    model: Option<String>,
    mode: Option<Mode>,
    theme: Option<String>,
    #[serde(default)]
    execution: Execution,
    #[serde(default)]
    approval: Approval,
    #[serde(default)]
    screen: ScreenSettings,
    #[serde(default)]
    providers: BTreeMap<String, Spanned<ProviderSettings>>,
    #[serde(default)]
    models: BTreeMap<String, ModelSettings>,
    #[serde(default)]
    limits: Bounds,
}

/// What a model takes for a million tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelSettings {
    input_per_mtok: Money,
    output_per_mtok: Money,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Execution {
    timeout_ms: Spanned<u64>,
    ceiling_ms: u64,
    ask_always: bool,
}

impl Default for Execution {
    fn default() -> Self {
        Self { timeout_ms: Spanned::new(0..0, 60_000), ceiling_ms: 600_000, ask_always: false }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Approval {
    expires_s: Option<Spanned<u64>>,
    monitor: Option<MonitorSettings>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MonitorSettings {
    model: Spanned<String>,
    #[serde(default = "patience")]
    timeout_s: Spanned<u64>,
}

/// How many seconds the monitor is waited for where nothing else is set.
fn patience() -> Spanned<u64> {
    Spanned::new(0..0, 10)
}

/// The most seconds it may be given.
const LONGEST_PATIENCE: u64 = 120;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScreenSettings {
    kind: Surface,
    ascii: bool,
    mouse: bool,
    motion: Motion,
    notice: Notice,
    pictures: Pictures,
}

impl Default for ScreenSettings {
    fn default() -> Self {
        Self {
            ascii: false,
            kind: Surface::default(),
            mouse: true,
            motion: Motion::default(),
            notice: Notice::default(),
            pictures: Pictures::default(),
        }
    }
}

/// Reads the text of the file `path`.
pub(super) fn parse(path: &Path, text: &str) -> Result<Settings, ConfigError> {
    let wrong = |span: Range<usize>, fault: String, hint: String| {
        let (line, column) = place(text, span.start);
        ConfigError::Wrong { path: path.to_owned(), line, column, fault, hint }
    };
    let file: File = toml::from_str(text).map_err(|error| {
        let (fault, hint) = explain(text, &error);
        wrong(error.span().unwrap_or(0..0), fault, hint)
    })?;
    let timeout_ms = *file.execution.timeout_ms.get_ref();
    let ceiling_ms = file.execution.ceiling_ms;
    if timeout_ms == 0 || timeout_ms > ceiling_ms {
        return Err(wrong(
            file.execution.timeout_ms.span(),
            format!("execution.timeout_ms is {timeout_ms}, and ceiling_ms is {ceiling_ms}"),
            "set timeout_ms to at least 1 and at most ceiling_ms".to_owned(),
        ));
    }
    if let Some(expires) = &file.approval.expires_s
        && *expires.get_ref() == 0
    {
        return Err(wrong(
            expires.span(),
            "approval.expires_s is 0, so no question could be answered".to_owned(),
            "set it to at least 1, or take it out and questions wait for ever".to_owned(),
        ));
    }
    if let Some(monitor) = &file.approval.monitor {
        if matches!(monitor.model.get_ref().trim(), "" | "none") {
            return Err(wrong(
                monitor.model.span(),
                "approval.monitor.model names no model".to_owned(),
                "write PROVIDER/MODEL; or take [approval.monitor] out, and there is no monitor"
                    .to_owned(),
            ));
        }
        let seconds = *monitor.timeout_s.get_ref();
        if !(1..=LONGEST_PATIENCE).contains(&seconds) {
            return Err(wrong(
                monitor.timeout_s.span(),
                format!("approval.monitor.timeout_s is {seconds}"),
                format!("set it to at least 1 and at most {LONGEST_PATIENCE}"),
            ));
        }
    }
    let known = built_in();
    for (name, provider) in &file.providers {
        let set = provider.get_ref();
        let complete = set.api.is_some() && set.base_url.is_some();
        if !complete && !known.iter().any(|known| known.name == *name) {
            let names: Vec<_> = known.iter().map(|known| known.name.as_str()).collect();
            return Err(wrong(
                provider.span(),
                format!(
                    "the provider {} needs both `api` and `base_url`",
                    crate::kernel::text::quoted(name)
                ),
                format!("add them; only {} are known without", names.join(", ")),
            ));
        }
    }
    let price =
        |set: ModelSettings| Price { input: set.input_per_mtok, output: set.output_per_mtok };
    Ok(Settings {
        limits: file.limits.over(Limits::default()),
        prices: file.models.into_iter().map(|(name, set)| (name, price(set))).collect(),
        model: file.model,
        mode: file.mode,
        theme: file.theme,
        timeout_ms,
        ceiling_ms,
        runs: if file.execution.ask_always { Runs::Asked } else { Runs::BySeal },
        expires_s: file.approval.expires_s.map(Spanned::into_inner),
        monitor: file.approval.monitor.map(|set| Monitor {
            model: set.model.into_inner(),
            timeout_s: set.timeout_s.into_inner(),
        }),
        screen: Screen {
            glyphs: if file.screen.ascii { Glyphs::Ascii } else { Glyphs::Unicode },
            pictures: file.screen.pictures,
            mouse: if file.screen.mouse { Mouse::Footplate } else { Mouse::Terminal },
            surface: file.screen.kind,
            motion: file.screen.motion,
            notice: file.screen.notice,
        },
        providers: file
            .providers
            .into_iter()
            .map(|(name, provider)| (name, provider.into_inner()))
            .collect(),
    })
}

fn api<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Api>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let known = Api::ALL.into_iter().find(|api| api.name() == name);
    known.map(Some).ok_or_else(|| match name.as_str() {
        "openai-responses" | "gemini" => D::Error::custom(format!(
            "the api {} is not spoken by this version; \
             most servers that have it speak \"openai-chat\" as well",
            crate::kernel::text::quoted(&name)
        )),
        _ => D::Error::unknown_variant(&name, &["anthropic-messages", "openai-chat"]),
    })
}

/// `"off"`, or how many tokens a model may think with.
fn thinking<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Think>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Said {
        Tokens(i64),
        Word(String),
        Else(serde::de::IgnoredAny),
    }
    match Said::deserialize(deserializer)? {
        Said::Word(word) if word == "off" => Ok(Some(Think::Off)),
        Said::Tokens(tokens) => match u32::try_from(tokens) {
            Ok(tokens @ Think::LEAST..=Think::MOST) => Ok(Some(Think::Within(tokens))),
            Ok(_) | Err(_) => Err(D::Error::custom(format!(
                "thinking is {tokens}, and takes \"off\" or from {} to {} tokens",
                Think::LEAST,
                Think::MOST
            ))),
        },
        Said::Word(_) | Said::Else(_) => {
            Err(D::Error::custom("thinking takes \"off\" or a number of tokens, for example 8000"))
        }
    }
}
