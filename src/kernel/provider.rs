//! Who answers for a model, as a person writes it down: names and addresses, never a key.

/// A wire format that this program speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// Anthropic's Messages.
    AnthropicMessages,
    /// OpenAI's Chat Completions, which many servers speak.
    OpenaiChat,
}

impl Api {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::AnthropicMessages, Self::OpenaiChat];

    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenaiChat => "openai-chat",
        }
    }
}

/// What the models of a provider are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sees {
    /// Pictures as well.
    #[default]
    Pictures,
    /// Text alone; a line stands for each picture.
    Text,
}

/// Whether a model is asked to think before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Think {
    /// Nothing is said of it: the provider does what it does. Many models decide that well, some cannot
    /// think and refuse to be asked, and nobody pays for thinking who did not ask for it.
    #[default]
    AsProvided,
    /// It should not.
    Off,
    /// It should, with about so many tokens at most for one answer.
    Within(u32),
}

impl Think {
    /// The fewest tokens it can be given.
    pub const LEAST: u32 = 1024;
    /// The most.
    pub const MOST: u32 = 1 << 20;
}

/// One provider of models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The part before the slash in `PROVIDER/MODEL`.
    pub name: String,
    /// What it speaks.
    pub api: Api,
    /// Where it is.
    pub base_url: String,
    /// The variable that holds its key; absent where it needs none.
    pub api_key_env: Option<String>,
    /// The longest answer to ask for, in tokens, where the person set one.
    pub max_tokens: Option<u32>,
    /// How many tokens its models take in one request, where the person set it.
    pub context_tokens: Option<u32>,
    /// Whether its models take pictures.
    pub sees: Sees,
    /// Whether its models are asked to think.
    pub think: Think,
    /// The model that is used where only the provider is named.
    pub model: Option<String>,
}

/// The providers that are known, in the order they are tried.
pub type Providers = Vec<Provider>;
