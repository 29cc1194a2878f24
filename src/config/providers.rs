//! The providers that are known without being told, and what the person says of them.

use super::{ConfigError, Lookup, file::ProviderSettings, spoken};
use crate::kernel::provider::{Api, Provider, Providers, Sees, Think};

/// The built-in providers, in the order in which one with a key is looked for.
pub fn built_in() -> Providers {
    let provider =
        |name: &str, api, base_url: &str, key: Option<&str>, model: Option<&str>| Provider {
            name: name.to_owned(),
            api,
            base_url: base_url.to_owned(),
            api_key_env: key.map(str::to_owned),
            max_tokens: None,
            context_tokens: None,
            sees: Sees::Pictures,
            think: Think::AsProvided,
            model: model.map(str::to_owned),
        };
    vec![
        provider(
            "anthropic",
            Api::AnthropicMessages,
            "https://api.anthropic.com",
            Some("ANTHROPIC_API_KEY"),
            Some("claude-sonnet-4-5"),
        ),
        provider(
            "openai",
            Api::OpenaiChat,
            "https://api.openai.com/v1",
            Some("OPENAI_API_KEY"),
            Some("gpt-5.1"),
        ),
        provider(
            "gemini",
            Api::OpenaiChat,
            "https://generativelanguage.googleapis.com/v1beta/openai",
            Some("GEMINI_API_KEY"),
            Some("gemini-2.5-pro"),
        ),
        // Which models it has only the person knows.
        provider("ollama", Api::OpenaiChat, "http://localhost:11434/v1", None, None),
    ]
}

/// The built-in providers with the usual variables and then the person's settings laid over them;
/// providers of the person's own come after.
pub(super) fn merged(
    settings: Vec<(String, ProviderSettings)>,
    env: &Lookup<'_>,
) -> Result<Providers, ConfigError> {
    let mut providers = built_in();
    for provider in &mut providers {
        let variable = match provider.name.as_str() {
            "anthropic" => "ANTHROPIC_BASE_URL",
            "openai" => "OPENAI_BASE_URL",
            _ => continue,
        };
        if let Some(base_url) = spoken(env, variable)? {
            provider.base_url = base_url;
        }
    }
    for (name, set) in settings {
        match providers.iter_mut().find(|known| known.name == name) {
            Some(known) => {
                known.api = set.api.unwrap_or(known.api);
                known.max_tokens = set.max_tokens.or(known.max_tokens);
                known.context_tokens = set.context_tokens.or(known.context_tokens);
                known.sees = set.pictures.map_or(known.sees, sees);
                known.think = set.thinking.unwrap_or(known.think);
                known.model = set.model.or(known.model.take());
                known.api_key_env = set.api_key_env.or(known.api_key_env.take());
                if let Some(base_url) = set.base_url {
                    known.base_url = base_url;
                }
            }
            // The file was refused if one of these two was missing.
            None => providers.extend(set.api.zip(set.base_url).map(|(api, base_url)| Provider {
                name,
                api,
                base_url,
                api_key_env: set.api_key_env,
                max_tokens: set.max_tokens,
                context_tokens: set.context_tokens,
                sees: set.pictures.map_or(Sees::Pictures, sees),
                think: set.thinking.unwrap_or_default(),
                model: set.model,
            })),
        }
    }
    Ok(providers)
}

fn sees(pictures: bool) -> Sees {
    if pictures { Sees::Pictures } else { Sees::Text }
}
