//! Something the host can do, as a value that knows no session.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use jsonschema::Validator;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    BoxFuture,
    context::Context,
    error::CallError,
    gate::{Permit, subject::Subject},
    picture::Picture,
    port::Mark,
    schema,
};

/// What a capability does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// No side effect.
    Read,
    /// Changes local files.
    Write,
    /// Runs programs.
    Execute,
    /// Leaves this machine, or concerns third parties.
    External,
}

impl Category {
    /// All of them, mildest first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Execute, Self::External];

    /// The name in the journal and the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
            Self::External => "external",
        }
    }
}

/// Whether an effect stays in the session's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Every file it touches lies in the workspace, symlinks resolved.
    Workspace,
    /// It touches something else, or that cannot be known.
    Outside,
}

/// What a person sees of an effect before it happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// What it acts on: a path, a program.
    pub object: String,
    /// Short facts about it, such as `+4 −2` and `in the workspace`.
    pub facts: Vec<String>,
    /// What it may do beyond the usual, each as a line of its own: `the network`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wider: Vec<String>,
    /// Whether it stays in the workspace.
    pub reach: Reach,
    /// The effect in full.
    pub body: Body,
    /// What rules match on.
    #[serde(default, skip_serializing_if = "Subject::is_other")]
    pub subject: Subject,
}

/// The full text of an effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Body {
    /// A file before and after; `old` is absent for a new file, and where it cannot be shown. `mark`
    /// is what the file is known by that stands there now.
    Diff {
        old: Option<String>,
        new: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<Mark>,
    },
    /// A program with its arguments, where it runs, its limit, and which file it is, where that is
    /// known.
    Program {
        argv: Vec<String>,
        cwd: PathBuf,
        limit_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<PathBuf>,
    },
    /// Python to run.
    Code { filename: String, code: String },
    /// Packages to fetch: from where, which, for which Python if that is said, and what bounds the
    /// run that wants them.
    Packages { from: Vec<String>, asked: Vec<String>, python: Option<String>, run: Option<String> },
    /// Anything else, as text.
    Text { text: String },
}

/// What a capability gives back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// The value: text for most, an object where Python gets fields.
    pub value: Value,
    /// Pictures, which are kept with the session.
    pub attachments: Vec<Picture>,
}

impl<V: Into<Value>> From<V> for Content {
    fn from(value: V) -> Self {
        Self { value: value.into(), attachments: Vec::new() }
    }
}

type Status = dyn Fn(&Value) -> String + Send + Sync;
type TypedStatus<P> = dyn Fn(&P) -> String + Send + Sync;
type CategoryOf = dyn Fn(&Context, &Value) -> Category + Send + Sync;
type SubjectOf = dyn Fn(&Context, &Value) -> Subject + Send + Sync;
type Previewer =
    dyn Fn(Context, Value) -> BoxFuture<'static, Result<Preview, CallError>> + Send + Sync;
type Handler =
    dyn Fn(Permit, Context, Value) -> BoxFuture<'static, Result<Content, CallError>> + Send + Sync;

/// A name, what it takes, what it does to the world, and the function that does it.
#[derive(Clone)]
pub struct Capability {
    name: &'static str,
    description: &'static str,
    category: Category,
    category_of: Option<Arc<CategoryOf>>,
    subject: Option<Arc<SubjectOf>>,
    schema: Value,
    validator: Arc<OnceLock<Validator>>,
    status: Arc<Status>,
    preview: Arc<Previewer>,
    handler: Arc<Handler>,
}

impl Capability {
    /// Begins a definition. `P` is the parameter type: its schema is shown, its fields are checked
    /// (give it `deny_unknown_fields`). The category is never guessed.
    pub fn define<P>(
        name: &'static str,
        description: &'static str,
        category: Category,
    ) -> Definition<P>
    where
        P: DeserializeOwned + JsonSchema + Send + 'static,
    {
        Definition {
            name,
            description,
            category,
            category_of: None,
            subject: None,
            status: None,
            preview: None,
        }
    }

    /// `module.function`, or a bare name for what belongs to no module.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The module it is imported from, if it has one.
    pub fn module(&self) -> Option<&'static str> {
        self.name.split_once('.').map(|(module, _)| module)
    }

    /// What a model is told about it.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// What it does to the world, where a call does not say otherwise.
    pub fn category(&self) -> Category {
        self.category
    }

    /// What this call of it does to the world.
    pub fn category_of(&self, cx: &Context, input: &Value) -> Category {
        self.category_of.as_ref().map_or(self.category, |category_of| category_of(cx, input))
    }

    /// What a call of it acts on, as far as can be told without looking at more than paths: so that
    /// what is denied is refused unseen, reads as well.
    pub fn subject(&self, cx: &Context, input: &Value) -> Subject {
        self.subject.as_ref().map_or(Subject::Other, |subject| subject(cx, input))
    }

    /// The JSON Schema of its arguments: always of type `object`.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// One line for a person about this call.
    pub fn status(&self, input: &Value) -> String {
        (self.status)(input)
    }

    /// Checks the arguments; the error says which one and what was expected.
    pub fn validate(&self, input: &Value) -> Result<(), CallError> {
        let validator = self.validator.get_or_init(|| {
            jsonschema::validator_for(&self.schema)
                .expect("a schema made by schemars is a valid schema")
        });
        schema::check(self.name, validator, input)
    }

    /// What a person would be shown; also the last check before anybody is asked.
    pub(super) fn preview(
        &self,
        cx: Context,
        input: Value,
    ) -> BoxFuture<'static, Result<Preview, CallError>> {
        (self.preview)(cx, input)
    }

    /// Does it. Only the gate can make the permit.
    pub(super) fn run(
        &self,
        permit: Permit,
        cx: Context,
        input: Value,
    ) -> BoxFuture<'static, Result<Content, CallError>> {
        (self.handler)(permit, cx, input)
    }
}

impl fmt::Debug for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capability")
            .field("name", &self.name)
            .field("category", &self.category)
            .finish_non_exhaustive()
    }
}

/// A capability in the making.
pub struct Definition<P> {
    name: &'static str,
    description: &'static str,
    category: Category,
    category_of: Option<Arc<CategoryOf>>,
    subject: Option<Arc<SubjectOf>>,
    status: Option<Arc<TypedStatus<P>>>,
    preview: Option<Arc<Previewer>>,
}

impl<P> Definition<P>
where
    P: DeserializeOwned + JsonSchema + Send + 'static,
{
    /// One line for people about a call, such as `write a.txt`.
    #[must_use]
    pub fn status(mut self, status: impl Fn(&P) -> String + Send + Sync + 'static) -> Self {
        self.status = Some(Arc::new(status));
        self
    }

    /// Where its category depends on the call. Arguments that cannot be read count as the category
    /// of the definition.
    #[must_use]
    pub fn category_of(
        mut self,
        category_of: impl Fn(&Context, &P) -> Category + Send + Sync + 'static,
    ) -> Self {
        let (name, most) = (self.name, self.category);
        self.category_of = Some(Arc::new(move |cx, input| {
            parse(name, input.clone()).map_or(most, |parameters| category_of(cx, &parameters))
        }));
        self
    }

    /// What a call acts on, for rules that deny. Does not block for long.
    #[must_use]
    pub fn subject(
        mut self,
        subject: impl Fn(&Context, &P) -> Subject + Send + Sync + 'static,
    ) -> Self {
        let name = self.name;
        self.subject = Some(Arc::new(move |cx, input| {
            parse(name, input.clone()).map_or(Subject::Other, |input| subject(cx, &input))
        }));
        self
    }

    /// What a person sees before it happens. An error here refuses the call before anybody is asked.
    #[must_use]
    pub fn preview<F, Fut>(mut self, preview: F) -> Self
    where
        F: Fn(Context, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Preview, CallError>> + Send + 'static,
    {
        let (name, preview) = (self.name, Arc::new(preview));
        self.preview = Some(Arc::new(move |cx, input| {
            let preview = preview.clone();
            Box::pin(async move { preview(cx, parse(name, input)?).await })
        }));
        self
    }

    /// The function that does it, which ends the definition.
    pub fn handler<F, Fut>(self, handler: F) -> Capability
    where
        F: Fn(Permit, Context, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Content, CallError>> + Send + 'static,
    {
        let (name, handler) = (self.name, Arc::new(handler));
        let status = self.status;
        Capability {
            name,
            description: self.description,
            category: self.category,
            category_of: self.category_of,
            subject: self.subject,
            schema: schema::of::<P>(),
            validator: Arc::default(),
            status: Arc::new(move |input| match (&status, parse(name, input.clone())) {
                (Some(status), Ok(parameters)) => status(&parameters),
                (None, _) | (_, Err(_)) => name.to_owned(),
            }),
            preview: self.preview.unwrap_or_else(|| {
                Arc::new(move |_, input| Box::pin(async move { Ok(plain(name, &input)) }))
            }),
            handler: Arc::new(move |permit, cx, input| {
                let handler = handler.clone();
                Box::pin(async move { handler(permit, cx, parse(name, input)?).await })
            }),
        }
    }
}

fn parse<P: DeserializeOwned>(name: &str, input: Value) -> Result<P, CallError> {
    serde_json::from_value(input).map_err(|error| schema::invalid(name, &error.to_string()))
}

/// The preview of a capability that gave none: its arguments, and the wider reach.
fn plain(name: &str, input: &Value) -> Preview {
    Preview {
        object: name.to_owned(),
        facts: Vec::new(),
        wider: Vec::new(),
        reach: Reach::Outside,
        body: Body::Text { text: serde_json::to_string_pretty(input).unwrap_or_default() },
        subject: Subject::Other,
    }
}
