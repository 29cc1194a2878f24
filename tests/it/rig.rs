//! The whole program but its command line and screen: a host with somebody at the keys, real files,
//! real programs, and a journal in memory.

use std::{path::PathBuf, sync::Arc};

use footplate::{
    config::{Home, rules::RuleFiles},
    executor::{Local, Settings},
    host::{Attendance, Host, Parts},
    kernel::{
        gate::policy::Runs,
        id::SessionId,
        port::Store,
        registry::Registry,
        spec::{Limits, Mode, SessionSpec},
    },
    model::{Models, scripted::Pace},
    modules,
    store::MemoryStore,
};
use serde_json::Value;

use crate::support::{Place, uv};

/// A host for the files of that place and the rules in its home.
pub fn host(place: &Place) -> Host {
    host_of(place, modules::registry(), Arc::new(MemoryStore::default()), None)
}

/// The same, that can do other things and keeps its sessions elsewhere.
pub fn host_of(
    place: &Place,
    registry: Registry,
    store: Arc<dyn Store>,
    launcher: Option<PathBuf>,
) -> Host {
    let executor = Local::new(Settings {
        launcher,
        private: Vec::new(),
        data: place.home().join("data"),
        cache: place.home().join("cache"),
        home: None,
        search_path: std::env::var_os("PATH").unwrap_or_default(),
        uv: Some(uv().to_owned()),
        notice: Arc::new(|_| {}),
    });
    let rules = RuleFiles::new(&Home::under(&place.home()), None, Arc::new(|_| {}))
        .with_admin(place.home().join("admin.toml"));
    Host::new(Parts {
        store,
        registry,
        models: Models::new(Vec::new(), |_| None, Pace::Instant),
        executor: Arc::new(executor),
        runs: Runs::BySeal,
        attendance: Attendance::Attended,
        monitor: None,
        rules: Arc::default(),
        book: Arc::new(rules),
        memory: None,
        profiles: Arc::new(footplate::kernel::port::NoProfiles),
    })
}

/// A root session in the workspace, whose model plays that script and is offered those tools.
pub fn spec(place: &Place, script: &Value, mode: Mode, tools: &[&str]) -> SessionSpec {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    SessionSpec {
        id: SessionId::fresh(),
        parent: None,
        path: owned(&["main"]),
        workspace: place.work(),
        model: place.script(script),
        mode,
        tools: owned(tools),
        modules: owned(&["files", "process", "agents"]),
        limits: Limits::default(),
        instructions: String::new(),
        agents: None,
        view: footplate::kernel::spec::View::Whole,
        workflow: None,
    }
}
