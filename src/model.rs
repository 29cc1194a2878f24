//! Models that answer: one file for each wire format, a script that plays one, and the names by
//! which they are chosen. Keys are looked up here and go nowhere but into requests.
//!
//! What counts as an answer is the same for all formats. Text is handed on as it comes, cleaned of
//! control characters. A call is handed on only when its block is closed, the stream has said that
//! it ended properly, and the arguments are one whole JSON value: a stream that was cut off,
//! refused, garbled or ended at the model's limit of length yields no call at all.

mod answer;
mod anthropic_messages;
mod listed;
mod monitor;
mod openai_chat;
mod request;
pub mod scripted;
mod text;
mod thought;
mod wire;
pub mod workflow;

#[cfg(test)]
mod loopback;

use std::{borrow::Cow, path::Path, sync::Arc};

use secrecy::SecretString;
use tokio::sync::mpsc;

pub use self::listed::listed;
use self::{
    scripted::{Pace, Script, ScriptError, Scripted},
    wire::{Patience, Wire},
};
use crate::kernel::{
    money::{Price, Prices},
    port::{Delta, Model, ModelError, ModelRequest, Monitor, Refused},
    provider::{Api, Provider, Providers},
};

/// The embedded script.
const TOUR: &str = include_str!("model/tour.json");

/// The name of the embedded script.
pub const TOUR_NAME: &str = "scripted:tour";

/// The name of no model: a session with it can be looked at, and its calls made by hand.
pub const NONE: &str = "none";

/// Whether a script plays the model of that name.
pub fn is_scripted(name: &str) -> bool {
    name.starts_with("scripted:")
}

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Finds models by name.
pub struct Models {
    providers: Providers,
    env: Box<Lookup>,
    pace: Pace,
    prices: Prices,
}

/// Why a name leads to no model. `Display` says what is missing and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The name is not of the right form.
    #[error(
        "{} names no model\nwrite PROVIDER/MODEL, scripted:FILE or scripted:tour",
        crate::kernel::text::quoted(.0)
    )]
    Form(String),
    /// Nobody of that name is known.
    #[error(
        "there is no provider {}; known are {known}\nadd [providers.{name}] with api and base_url to config.toml, or name another",
        crate::kernel::text::quoted(.name)
    )]
    UnknownProvider {
        /// The name.
        name: String,
        /// Those there are.
        known: String,
    },
    /// The key is not there.
    #[error(
        "no key for {provider}: {variable} is not set\nset it and start again, for example: export {variable}=…"
    )]
    NoKey {
        /// The provider.
        provider: String,
        /// The variable that should hold it.
        variable: String,
    },
    /// Only the provider was named, and which of its models is meant cannot be guessed.
    #[error(
        "{} is a provider; which of its models is meant is not set\nwrite {provider}/MODEL",
        crate::kernel::text::quoted(.provider)
    )]
    NoModel {
        /// The provider.
        provider: String,
    },
    /// The address or the key cannot be used.
    #[error(
        "the provider {} cannot be used: {fault}\n{hint}",
        crate::kernel::text::quoted(.provider)
    )]
    Unusable {
        /// The provider.
        provider: String,
        /// What is wrong.
        fault: String,
        /// What to do.
        hint: String,
    },
    /// The script cannot be played.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

/// A provider as the first screen shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// The provider.
    pub provider: String,
    /// Whether it could be asked.
    pub key: Key,
}

/// What is known of a provider's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// The variable is set.
    Present(String),
    /// The variable is not set.
    Missing(String),
    /// It needs none; whether its server runs is not known.
    NotNeeded,
}

impl Models {
    /// Knows these providers and finds their keys through `env`. Scripts play at `pace`.
    pub fn new(
        providers: Providers,
        env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
        pace: Pace,
    ) -> Self {
        Self { providers, env: Box::new(env), pace, prices: Prices::new() }
    }

    /// Knows what these models take.
    #[must_use]
    pub fn with_prices(self, prices: Prices) -> Self {
        Self { prices, ..self }
    }

    /// What the model of that name takes, if a person set it. A script takes nothing.
    pub fn price(&self, name: &str) -> Option<Price> {
        // Where only the provider is named, its usual model is meant.
        let provider = self.providers.iter().find(|known| known.name == name);
        let usual = provider.and_then(|known| known.model.as_deref());
        let name = usual.map_or(Cow::Borrowed(name), |model| format!("{name}/{model}").into());
        let free = is_scripted(&name).then_some(Price::NOTHING);
        self.prices.get(&*name).copied().or(free)
    }

    /// The model of that name: `PROVIDER/MODEL`, `PROVIDER`, `scripted:FILE`, `scripted:tour`, or
    /// `none`, which answers every request with what to do about that.
    /// Asks nobody; blocks for the reading of a script at most.
    pub fn resolve(&self, name: &str) -> Result<Arc<dyn Model>, ResolveError> {
        if name == NONE {
            return Ok(Arc::new(Nobody));
        }
        if name == TOUR_NAME {
            let script = Script::parse(Path::new(TOUR_NAME), TOUR)?;
            return Ok(Arc::new(Scripted::new(script, self.pace)));
        }
        if let Some(file) = name.strip_prefix("scripted:") {
            let script = Script::read(Path::new(file))?;
            return Ok(Arc::new(Scripted::new(script, self.pace)));
        }
        let (provider, model) = match name.split_once('/') {
            Some((provider, model)) => (provider, Some(model)),
            None => (name, None),
        };
        if provider.is_empty() || model == Some("") {
            return Err(ResolveError::Form(name.to_owned()));
        }
        let provider = self.provider(provider)?;
        let model = model
            .or(provider.model.as_deref())
            .ok_or_else(|| ResolveError::NoModel { provider: provider.name.clone() })?;
        let wire = self.wire(provider)?;
        Ok(match provider.api {
            Api::AnthropicMessages => Arc::new(
                anthropic_messages::AnthropicMessages::new(wire, model, provider.max_tokens)
                    .within(provider.context_tokens)
                    .thinking(provider.think),
            ),
            Api::OpenaiChat => Arc::new(
                openai_chat::OpenaiChat::new(wire, model, provider.max_tokens)
                    .within(provider.context_tokens)
                    .thinking(provider.think),
            ),
        })
    }

    /// The model of that name, as [`Models::resolve`] finds it, to judge calls.
    pub fn monitor(&self, name: &str) -> Result<Arc<dyn Monitor>, ResolveError> {
        Ok(Arc::new(monitor::Judge::new(self.resolve(name)?)))
    }

    /// Each provider, and whether its key is there.
    pub fn available(&self) -> Vec<Availability> {
        let of = |provider: &Provider| Availability {
            provider: provider.name.clone(),
            key: match &provider.api_key_env {
                None => Key::NotNeeded,
                Some(variable) => match (self.env)(variable) {
                    Some(_) => Key::Present(variable.clone()),
                    None => Key::Missing(variable.clone()),
                },
            },
        };
        self.providers.iter().map(of).collect()
    }

    /// The name of the model to use: the chosen one, else that of the first provider with a key
    /// and a model of its own; nothing if there is none.
    pub fn choose(&self, chosen: Option<&str>) -> Option<String> {
        if let Some(chosen) = chosen {
            return Some(chosen.to_owned());
        }
        self.providers.iter().find_map(|provider| {
            let model = provider.model.as_deref()?;
            (self.env)(provider.api_key_env.as_deref()?)?;
            Some(format!("{}/{model}", provider.name))
        })
    }

    fn provider(&self, name: &str) -> Result<&Provider, ResolveError> {
        self.providers.iter().find(|known| known.name == name).ok_or_else(|| {
            let known: Vec<_> = self.providers.iter().map(|known| known.name.as_str()).collect();
            ResolveError::UnknownProvider { name: name.to_owned(), known: known.join(", ") }
        })
    }

    fn wire(&self, provider: &Provider) -> Result<Wire, ResolveError> {
        let key = match &provider.api_key_env {
            None => None,
            Some(variable) => {
                let key = (self.env)(variable).ok_or_else(|| ResolveError::NoKey {
                    provider: provider.name.clone(),
                    variable: variable.clone(),
                })?;
                Some(SecretString::from(key.trim()))
            }
        };
        Wire::new(provider, key, Patience::default()).map_err(|fault| ResolveError::Unusable {
            provider: provider.name.clone(),
            fault: fault.what,
            hint: fault.hint,
        })
    }
}

/// Stands where no model is connected.
struct Nobody;

impl Model for Nobody {
    fn respond(&self, _: ModelRequest) -> mpsc::Receiver<Result<Delta, ModelError>> {
        let (sender, receiver) = mpsc::channel(1);
        let message = "No model is connected.\n\
                       Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY and start again, \
                       or name one with --model PROVIDER/MODEL.";
        // There is room for one, and the receiver is still here.
        let _ = sender
            .try_send(Err(ModelError { message: message.to_owned(), refused: Refused::Otherwise }));
        receiver
    }
}

#[cfg(test)]
mod tests;
