//! Name → capability, by module. A module's capabilities are made when it is first used.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    capability::Capability,
    context::Context,
    invoke::{CallRequest, ToolResult, invoke},
};

/// A namespace of capabilities: what Python imports.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// The name Python imports.
    pub name: &'static str,
    /// One sentence for the model.
    pub summary: &'static str,
    /// Makes its capabilities, each named `name.function`.
    pub load: fn() -> Vec<Capability>,
}

/// A name that is taken already.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is registered already")]
pub struct Duplicate(pub String);

/// Everything this program can do, by name.
#[derive(Default)]
pub struct Registry {
    tools: Vec<Arc<Capability>>,
    modules: Vec<Entry>,
}

struct Entry {
    module: Module,
    loaded: OnceLock<Vec<Arc<Capability>>>,
}

impl Entry {
    fn capabilities(&self) -> &[Arc<Capability>] {
        self.loaded.get_or_init(|| (self.module.load)().into_iter().map(Arc::new).collect())
    }
}

impl Registry {
    /// Adds a capability that belongs to no module.
    pub fn register(&mut self, capability: Capability) -> Result<(), Duplicate> {
        if self.tools.iter().any(|known| known.name() == capability.name()) {
            return Err(Duplicate(capability.name().to_owned()));
        }
        self.tools.push(Arc::new(capability));
        Ok(())
    }

    /// Adds a module, without making its capabilities yet.
    pub fn register_module(&mut self, module: Module) -> Result<(), Duplicate> {
        if self.modules.iter().any(|known| known.module.name == module.name) {
            return Err(Duplicate(module.name.to_owned()));
        }
        self.modules.push(Entry { module, loaded: OnceLock::new() });
        Ok(())
    }

    /// The capability of that name.
    pub fn find(&self, name: &str) -> Option<Arc<Capability>> {
        let among = match name.split_once('.') {
            Some((module, _)) => self.entry(module)?.capabilities(),
            None => &self.tools,
        };
        among.iter().find(|known| known.name() == name).cloned()
    }

    /// Every capability, those without a module first.
    pub fn all(&self) -> Vec<Arc<Capability>> {
        let in_modules = self.modules.iter().flat_map(|entry| entry.capabilities());
        self.tools.iter().chain(in_modules).cloned().collect()
    }

    /// The names of the modules, in the order they were registered.
    pub fn module_names(&self) -> Vec<&'static str> {
        self.modules.iter().map(|entry| entry.module.name).collect()
    }

    /// The modules of those names, in that order; an unknown one is skipped and reported.
    pub fn mount(&self, names: &[String], mut on_unknown: impl FnMut(&str)) -> Mounts {
        let mut mounts = Mounts::default();
        for name in names {
            match self.entry(name) {
                Some(entry) => {
                    mounts.modules.push(entry.module);
                    mounts.capabilities.extend_from_slice(entry.capabilities());
                }
                None => on_unknown(name),
            }
        }
        mounts
    }

    /// Binds the capabilities of those names, in that order; an unknown one is skipped and reported.
    pub fn build(
        &self,
        names: &[String],
        context: Context,
        mut on_unknown: impl FnMut(&str),
    ) -> Tools {
        let mut capabilities = Vec::with_capacity(names.len());
        for name in names {
            match self.find(name) {
                Some(capability) => capabilities.push(capability),
                None => on_unknown(name),
            }
        }
        Tools { capabilities, context }
    }

    fn entry(&self, module: &str) -> Option<&Entry> {
        self.modules.iter().find(|known| known.module.name == module)
    }
}

/// What the Python of one session may import.
#[derive(Clone, Debug, Default)]
pub struct Mounts {
    /// The modules, in the order the session names them.
    pub modules: Vec<Module>,
    /// Their capabilities.
    pub capabilities: Vec<Arc<Capability>>,
}

impl Mounts {
    /// Those of which the name is `offered`, and the modules that still have any.
    #[must_use]
    pub fn only(mut self, offered: impl Fn(&str) -> bool) -> Self {
        self.capabilities.retain(|capability| offered(capability.name()));
        let left = |name: &str| self.capabilities.iter().any(|known| known.module() == Some(name));
        self.modules.retain(|module| left(module.name));
        self
    }

    /// Binds all of them to the context of one execution.
    pub fn bind(&self, context: Context) -> Tools {
        Tools { capabilities: self.capabilities.clone(), context }
    }
}

/// What a model is told of one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// The name it calls.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// The JSON Schema of the arguments.
    pub schema: Value,
}

/// Capabilities bound to a context: what can be called.
#[derive(Clone, Debug)]
pub struct Tools {
    pub(super) capabilities: Vec<Arc<Capability>>,
    pub(super) context: Context,
}

impl Tools {
    /// The same tools for as long as `cancel` is not cancelled.
    #[must_use]
    pub fn until(&self, cancel: CancellationToken) -> Self {
        let context = Context { cancel, ..self.context.clone() };
        Self { capabilities: self.capabilities.clone(), context }
    }

    /// What a model is told, in the order the session names them.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        let define = |capability: &Arc<Capability>| ToolDefinition {
            name: capability.name().to_owned(),
            description: capability.description().to_owned(),
            schema: capability.schema().clone(),
        };
        self.capabilities.iter().map(define).collect()
    }

    /// The names, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.capabilities.iter().map(|capability| capability.name()).collect()
    }

    /// Makes one call. Never an `Err`: a failed or denied call is a result as well. Dropping the
    /// future interrupts the call, and the journal says so.
    pub async fn invoke(&self, request: CallRequest) -> ToolResult {
        invoke(self, request).await
    }
}
