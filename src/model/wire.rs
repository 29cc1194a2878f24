//! The way to a provider and back: one request, tried again while nothing of an answer has come,
//! and one stream of events, read to its end and not beyond.

mod fault;
mod stream;

use std::{fmt, sync::Once, time::Duration};

use reqwest::{
    Client, Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};

pub(super) use self::fault::Fault;
use self::fault::Trouble;
use super::{answer::Answer, request::meant, text::clean};
use crate::kernel::{
    event::Stop,
    message::Delay,
    port::{Delta, ModelError},
    provider::{Api, Provider, Sees},
    registry::ToolDefinition,
};

/// How long to wait for what, and how often to try.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Requests for one answer, the first included.
    pub(super) tries: u32,
    /// The wait before the second try; it doubles.
    pub(super) backoff: Duration,
    /// The longest wait a provider may ask for.
    pub(super) longest_wait: Duration,
    /// Until a connection stands.
    pub(super) connect: Duration,
    /// Until the answer begins: a model may have to be loaded first.
    pub(super) first: Duration,
    /// From one piece of the stream to the next.
    pub(super) idle: Duration,
    /// For what follows an answer that has said it is whole.
    pub(super) tail: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 3,
            backoff: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
            connect: Duration::from_secs(15),
            first: Duration::from_secs(300),
            idle: Duration::from_secs(120),
            tail: Duration::from_secs(5),
        }
    }
}

/// Reads the events of one wire format.
pub(super) trait Reader: Send {
    /// Takes one event in.
    fn take(&mut self, event: &Value) -> Result<Taken, Told>;

    /// The answer so far.
    fn answer(&mut self) -> &mut Answer;

    /// Whether the answer counts as ended if nothing more comes.
    fn is_complete(&self) -> bool;
}

/// What an event was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// Some words, as they came: of what the model thinks, then of what it says.
    Words { thinking: String, text: String },
    /// Nothing to show.
    Nothing,
    /// The end; what follows is not read.
    End,
}

impl Taken {
    pub(super) fn text(text: String) -> Self {
        Self::Words { thinking: String::new(), text }
    }

    pub(super) fn thinking(thinking: String) -> Self {
        Self::Words { thinking, text: String::new() }
    }
}

/// The provider told of a fault inside the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// Its kind, in the provider's words.
    pub(super) kind: String,
    /// What it says.
    pub(super) message: String,
}

/// One provider, ready to be asked. The key is in no error and no debug text.
#[derive(Clone)]
pub(super) struct Wire {
    client: Client,
    base: Url,
    provider: String,
    key: Option<SecretString>,
    key_env: Option<String>,
    sees: Sees,
    patience: Patience,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("provider", &self.provider).finish_non_exhaustive()
    }
}

impl Wire {
    /// Prepares the way; connects to nobody yet.
    pub(super) fn new(
        provider: &Provider,
        key: Option<SecretString>,
        patience: Patience,
    ) -> Result<Self, Fault> {
        let base = Url::parse(&provider.base_url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| {
                Fault::new(
                    "its base_url is no http address",
                    "set base_url to something like https://HOST/v1",
                )
            })?;
        let headers = headers(provider, key.as_ref())?;
        use_ring();
        let mut client = Client::builder()
            .user_agent(concat!("footplate/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(patience.connect)
            // A key must not follow wherever an answer points.
            .redirect(Policy::none());
        if is_this_computer(&base) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| {
            Fault::new(
                format!("no secure connection can be made ({})", fault::cause(&error)),
                "check that this computer has CA certificates installed",
            )
        })?;
        let (sees, key_env) = (provider.sees, provider.api_key_env.clone());
        Ok(Self { client, base, provider: provider.name.clone(), key, key_env, sees, patience })
    }

    /// Whether its models take pictures.
    pub(super) fn sees(&self) -> Sees {
        self.sees
    }

    /// The address of `path` below the base.
    pub(super) fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// The last part of the base's path.
    pub(super) fn base_ends_with(&self, part: &str) -> bool {
        self.base.path().trim_end_matches('/').ends_with(part)
    }

    /// The full name of that model of the provider.
    pub(super) fn named(&self, model: &str) -> String {
        format!("{}/{model}", self.provider)
    }

    /// Whether the provider is at that host.
    pub(super) fn is_at(&self, host: &str) -> bool {
        self.base.host_str() == Some(host)
    }

    /// Asks, and hands on the deltas of the answer, from a task that ends when the receiver is
    /// dropped.
    pub(super) fn ask(
        &self,
        url: Url,
        body: Value,
        tools: Vec<ToolDefinition>,
        reader: fn() -> Box<dyn Reader>,
    ) -> mpsc::Receiver<Result<Delta, ModelError>> {
        let (deltas, receiver) = mpsc::channel(64);
        let exchange = Exchange { wire: self.clone(), url, body, tools, deltas: deltas.clone() };
        tokio::spawn(async move {
            tokio::select! {
                // Losing the exchange is what a receiver that has gone wants.
                () = deltas.closed() => {}
                () = exchange.run(reader) => {}
            }
        });
        receiver
    }

    /// The words with the key taken out, should a provider repeat it.
    fn without_key(&self, words: String) -> String {
        match &self.key {
            Some(key) if !key.expose_secret().is_empty() => {
                words.replace(key.expose_secret(), "[key]")
            }
            Some(_) | None => words,
        }
    }
}

/// One question to a provider.
struct Exchange {
    wire: Wire,
    url: Url,
    body: Value,
    tools: Vec<ToolDefinition>,
    deltas: mpsc::Sender<Result<Delta, ModelError>>,
}

impl Exchange {
    async fn run(self, reader: fn() -> Box<dyn Reader>) {
        let patience = self.wire.patience;
        let mut wait = patience.backoff;
        let mut tries = 1;
        let trouble = loop {
            let Err(trouble) = self.attempt(reader()).await else { return };
            let asked = trouble.retry_after.unwrap_or(wait);
            if !trouble.may_pass || tries == patience.tries || asked > patience.longest_wait {
                break trouble;
            }
            tracing::info!(provider = %self.wire.provider, tries, "asking the provider again");
            tries += 1;
            self.send(Ok(Delta::Delayed(Delay {
                why: trouble.brief,
                wait_ms: u64::try_from(asked.as_millis()).unwrap_or(u64::MAX),
                next: tries,
                of: patience.tries,
            })))
            .await;
            sleep_until(Instant::now() + asked).await;
            wait *= 2;
        };
        let message = self.wire.without_key(trouble.fault.to_string());
        self.send(Err(ModelError { message, refused: trouble.refused })).await;
    }

    /// One try. An error means that nothing of an answer has been handed on.
    async fn attempt(&self, mut reader: Box<dyn Reader>) -> Result<(), Trouble> {
        let response = self.response().await?;
        let mut events = stream::events(response);
        let mut began = false;
        let trouble = loop {
            let complete = reader.is_complete();
            let patience = self.wire.patience;
            let patience = if complete { patience.tail } else { patience.idle };
            let event = match timeout(patience, stream::next(&mut events)).await {
                // All that counts has come; only the count of tokens may be missing.
                Ok(Ok(None) | Err(_)) | Err(_) if complete => break None,
                Ok(Ok(Some(event))) => event,
                Ok(Ok(None)) => break Some(Trouble::ended(&self.wire.provider)),
                Ok(Err(broken)) => break Some(Trouble::broken(&self.wire.provider, &broken)),
                Err(_) => break Some(Trouble::silent(&self.wire.provider, patience)),
            };
            let Some(event) = event.json(&self.wire.provider) else { break None };
            match event.and_then(|event| {
                reader.take(&event).map_err(|told| Trouble::told(&self.wire.provider, &told))
            }) {
                Ok(Taken::Words { thinking, text }) => {
                    let (thinking, text) = (clean(&thinking), clean(&text));
                    reader.answer().thinking.said += text.len();
                    // Once it is on the screen, a second try would think or say it once more.
                    began |= !thinking.is_empty() || !text.is_empty();
                    if !thinking.is_empty() {
                        self.send(Ok(Delta::Thinking(thinking))).await;
                    }
                    if !text.is_empty() {
                        self.send(Ok(Delta::Text(text))).await;
                    }
                }
                Ok(Taken::Nothing) => {}
                Ok(Taken::End) => break None,
                Err(trouble) => break Some(trouble),
            }
        };
        began |= reader.answer().has_calls();
        let answer = std::mem::take(reader.answer());
        match trouble {
            Some(trouble) if !began => Err(trouble),
            Some(trouble) => {
                let message = self.wire.without_key(trouble.fault.to_string());
                let stop = Stop::Failed { message };
                self.send(Ok(Delta::Finished { stop, usage: answer.usage })).await;
                Ok(())
            }
            None => {
                let from = self.wire.named(self.body["model"].as_str().unwrap_or_default());
                for mut delta in answer.finish() {
                    match &mut delta {
                        Delta::Call { name, .. } => *name = meant(&self.tools, name),
                        Delta::Thought(thought) => thought.from.clone_from(&from),
                        Delta::Delayed(_)
                        | Delta::Text(_)
                        | Delta::Thinking(_)
                        | Delta::Finished { .. } => {}
                    }
                    self.send(Ok(delta)).await;
                }
                Ok(())
            }
        }
    }

    /// An answer that is a stream of events, as far as its head tells.
    async fn response(&self) -> Result<Response, Trouble> {
        let provider = &self.wire.provider;
        let request = self.wire.client.post(self.url.clone()).json(&self.body).send();
        let patience = self.wire.patience.first;
        let response = timeout(patience, request)
            .await
            .map_err(|_| Trouble::silent(provider, patience))?
            .map_err(|error| Trouble::unreachable(provider, &self.url, &error))?;
        let status = response.status();
        if status.is_success() {
            let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            let kind = kind.unwrap_or_default().to_ascii_lowercase();
            if kind.starts_with("text/html") || kind.starts_with("application/json") {
                return Err(Trouble::no_stream(provider, &kind));
            }
            return Ok(response);
        }
        let after = response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok());
        let after = after.and_then(|after| after.trim().parse().ok()).map(Duration::from_secs);
        let body = stream::beginning(response).await;
        let key_env = self.wire.key_env.as_deref();
        Err(Trouble { retry_after: after, ..Trouble::refused(provider, key_env, status, &body) })
    }

    async fn send(&self, delta: Result<Delta, ModelError>) {
        // A receiver that has gone ends the task at its next step.
        let _ = self.deltas.send(delta).await;
    }
}

fn headers(provider: &Provider, key: Option<&SecretString>) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::new();
    let (name, value) = match provider.api {
        Api::AnthropicMessages => {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
            ("x-api-key", key.map(|key| key.expose_secret().to_owned()))
        }
        Api::OpenaiChat => {
            ("authorization", key.map(|key| format!("Bearer {}", key.expose_secret())))
        }
    };
    if let Some(value) = value {
        let mut value = HeaderValue::try_from(value).map_err(|_| {
            Fault::new(
                "its key has characters that no key has",
                format!("check {}", provider.api_key_env.as_deref().unwrap_or("the key")),
            )
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// A server on this computer is never behind a proxy.
pub(super) fn is_this_computer(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Chooses the cryptography of all TLS in this process.
pub(super) fn use_ring() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error means that somebody chose before us, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests;
