//! From flags, files and environment to a host: the one place that reads them.

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    args::Common,
    exit::Failure,
    meant::{named, spoken},
    print,
};
use crate::{
    config::{Config, Flags, Home, Surface, profiles::ProfileFiles, rules::RuleFiles},
    executor::{Local, Settings},
    host::{Attendance, Host, Parts},
    kernel::{
        allowance::Ceiling,
        gate::{law::Rules, monitor::Lookout},
        id::SessionId,
        port::{Profiles as _, Store},
        profile::Profile,
        spec::{Ground, Limits, Mode, SessionSpec},
    },
    model::{self, Models, scripted::Pace},
    modules,
    store::DiskStore,
    telemetry,
};

/// What a model is offered directly; the rest it reaches from Python.
const TOOLS: [&str; 2] = ["execute_code", "view_image"];

/// Told, in a line, what takes long.
pub(super) type Notice = Arc<dyn Fn(String) + Send + Sync>;

/// A notice for who works without a screen.
pub(super) fn aside() -> Notice {
    Arc::new(|text| print::aside(&format!("footplate: {text}")))
}

/// Everything a subcommand needs.
pub(super) struct Setup {
    pub(super) home: Home,
    pub(super) config: Config,
    pub(super) host: Host,
    pub(super) store: Arc<dyn Store>,
    pub(super) workspace: PathBuf,
    pub(super) executor: Arc<Local>,
    /// What `--profile` means.
    profile: Option<Profile>,
    pub(super) log: Option<telemetry::Guard>,
}

/// One variable of the environment as it is; an empty one counts as absent.
pub(super) fn raw(name: &str) -> Option<std::ffi::OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// One variable of the environment whose value may as well be absent where it is no text.
pub(super) fn variable(name: &str) -> Option<String> {
    raw(name)?.into_string().ok()
}

/// Where our files are.
pub(super) fn home() -> Result<Home, Failure> {
    Home::find(&raw).map_err(Failure::usage_in_two_lines)
}

/// Where sessions are kept.
pub(super) fn store(home: &Home) -> Arc<dyn Store> {
    Arc::new(DiskStore::new(home.data.clone()))
}

/// What runs programs, with our folders in `home`. Looks at nothing yet.
pub(super) fn executor(home: &Home, notice: Notice) -> Local {
    Local::new(Settings {
        data: home.data.clone(),
        cache: home.cache.clone(),
        home: user_home(),
        search_path: env::var_os("PATH").unwrap_or_default(),
        uv: raw("FOOTPLATE_UV").map(PathBuf::from),
        launcher: launcher(),
        private: vec![
            home.config.clone(),
            home.data.clone(),
            home.state.clone(),
            home.cache.clone(),
        ],
        notice,
    })
}

/// The person's home folder, if the environment names one.
fn user_home() -> Option<PathBuf> {
    raw("HOME").map(PathBuf::from)
}

/// Where it really is: rules are about real places.
pub(super) fn real_home() -> Option<PathBuf> {
    user_home().map(|home| home.canonicalize().unwrap_or(home))
}

/// The files with rules.
pub(super) fn rule_files(home: &Home, notice: Notice) -> RuleFiles {
    RuleFiles::new(home, real_home(), notice)
}

/// Which day it is here.
pub(super) fn today() -> jiff::civil::Date {
    jiff::tz::TimeZone::system().to_datetime(jiff::Timestamp::now()).date()
}

fn surface(common: &Common) -> Option<Surface> {
    let inline = common.inline.then_some(Surface::Inline);
    common.lines.then_some(Surface::Lines).or(inline)
}

/// What the command line sets.
pub(super) fn flags(common: &Common) -> Result<Flags, Failure> {
    Ok(Flags {
        model: common.model.clone(),
        mode: common.mode.as_deref().map(mode).transpose()?,
        theme: common.theme.clone(),
        surface: surface(common),
        ceiling: Ceiling { tokens: common.max_tokens, cost: common.max_cost, minutes: None },
    })
}

impl Setup {
    /// Reads the settings and builds the host; nothing is started yet.
    pub(super) fn new(
        common: &Common,
        attendance: Attendance,
        notice: Notice,
    ) -> Result<Self, Failure> {
        let store = store(&home()?);
        Self::with_store(common, attendance, notice, store)
    }

    /// As [`Setup::new`], with sessions kept elsewhere.
    pub(super) fn with_store(
        common: &Common,
        attendance: Attendance,
        notice: Notice,
        store: Arc<dyn Store>,
    ) -> Result<Self, Failure> {
        let home = home()?;
        let level = raw("FOOTPLATE_LOG").map(|level| level.to_string_lossy().into_owned());
        let log = match telemetry::start(&home.state, level.as_deref()) {
            Ok(guard) => Some(guard),
            Err(error) => {
                print::aside(&format!("footplate: goes on without a log: {error}"));
                None
            }
        };
        let config = Config::load(&home, &raw, flags(common)?);
        let mut config = config.map_err(Failure::usage_in_two_lines)?;
        let workspace = workspace(common)?;
        let rules = rule_files(&home, notice.clone());
        let executor = Arc::new(executor(&home, notice));
        let pace = match attendance {
            Attendance::Attended => Pace::Live,
            Attendance::Alone => Pace::Instant,
        };
        let models = Models::new(config.providers.clone(), variable, pace)
            .with_prices(config.prices.clone());
        let monitor = monitor(&config, &models)?;
        let registry = modules::registry();
        let owned = |name: &str| name.to_owned();
        let tools = registry.all().iter().map(|known| owned(known.name())).collect();
        let modules = registry.module_names().into_iter().map(owned).collect();
        let profiles = Arc::new(ProfileFiles::new(&home, tools, modules));
        let profile = common.profile.as_deref().map(|name| profiles.find(&workspace, name));
        let profile = profile.transpose().map_err(Failure::usage_in_two_lines)?;
        // Whoever is promised a copy must not be given the folder itself.
        if profile.as_ref().is_some_and(|profile| profile.ground == Ground::Worktree) {
            return Err(Failure::usage(
                "that profile works in a worktree of its own, which only an agent gets",
                "have it started by a session: agents.run(task, agent=NAME); or take workspace out",
            ));
        }
        let workspace = match profile.as_ref().and_then(|profile| profile.folder.as_deref()) {
            Some(folder) => below(&workspace, folder)?,
            None => workspace,
        };
        let own = profile.as_ref().and_then(|profile| profile.model.clone());
        if let (None, Some(model)) = (&common.model, own) {
            config.model = Some(model);
        }
        let host = Host::new(Parts {
            store: store.clone(),
            registry,
            models,
            executor: executor.clone(),
            attendance,
            monitor,
            runs: config.runs,
            rules: Arc::new(Rules::new(Arc::new(today), real_home())),
            book: Arc::new(rules),
            memory: Some(home.data.join("memory")),
            worktrees: Some(home.data.join("worktrees")),
            profiles,
        });
        Ok(Self { home, config, host, store, workspace, executor, profile, log })
    }

    /// Starts a new session here, or the tour in a folder of its own.
    pub(super) fn start(&self, model: impl Into<String>) -> Result<SessionId, Failure> {
        let spec = placed(&self.home, self.spec(model)).map_err(Failure::in_two_lines)?;
        Ok(self.host.start(spec)?)
    }

    /// The description of a new session here.
    pub(super) fn spec(&self, model: impl Into<String>) -> SessionSpec {
        let modules = self.host.registry().module_names();
        // A person may offer a model any tool.
        let tools = self.profile.as_ref().and_then(|profile| profile.tools.clone());
        let spec = SessionSpec {
            id: SessionId::fresh(),
            parent: None,
            path: vec!["main".to_owned()],
            workspace: self.workspace.clone(),
            model: model.into(),
            mode: self.config.mode,
            tools: tools.unwrap_or_else(|| TOOLS.map(str::to_owned).to_vec()),
            modules: modules.into_iter().map(str::to_owned).collect(),
            limits: Limits {
                execution_ms: self.config.ceiling_ms,
                usual_ms: self.config.timeout_ms,
                approval_ms: self.config.expires_s.map(|seconds| seconds.saturating_mul(1000)),
                ..self.config.limits
            },
            instructions: String::new(),
            agents: None,
            view: crate::kernel::spec::View::Whole,
            worktree: None,
            workflow: None,
        };
        match &self.profile {
            Some(profile) => profile.narrow(spec),
            None => spec,
        }
    }

    /// The session that `--continue` or `--resume` means, if either was given.
    pub(super) fn wanted(&self, common: &Common) -> Result<Option<SessionId>, Failure> {
        if !common.carry_on && common.resume.is_none() {
            return Ok(None);
        }
        let listed = self.store.list()?;
        let all = spoken(listed.clone());
        let Some(end) = &common.resume else {
            let here = all.iter().find(|session| session.spec.workspace == self.workspace);
            if let Some(session) = here {
                return Ok(Some(session.spec.id));
            }
            let session = match self.store.unlisted(&listed)?.is_empty() {
                true => "no session",
                false => "no session that can be read",
            };
            return Err(Failure::new(
                format!("{session} was started in {}", self.workspace.display()),
                "see all of them with: footplate sessions list",
            ));
        };
        if end.is_empty() {
            let none = || Failure::new("there is no session yet", "start one with: footplate");
            return all.first().map(|session| Some(session.spec.id)).ok_or_else(none);
        }
        named(&*self.store, &listed, &all, end).map(Some)
    }
}

/// Who judges calls, where somebody is set. One that cannot be asked is an error of the settings: with
/// it every effect would ask, and nobody would know why.
pub(super) fn monitor(config: &Config, models: &Models) -> Result<Option<Lookout>, Failure> {
    let Some(set) = &config.monitor else { return Ok(None) };
    let judge = models.monitor(&set.model);
    let judge = judge.map_err(|error| {
        Failure::usage_in_two_lines(format!("the monitor cannot be asked: {error}"))
    })?;
    Ok(Some(Lookout::new(judge, &set.model, Duration::from_secs(set.timeout_s))))
}

/// Gives the tour a scratch folder of its own, wherever it was asked for: it writes files that
/// nobody wants among theirs. Any other session stays where it is.
pub(super) fn placed(home: &Home, spec: SessionSpec) -> Result<SessionSpec, String> {
    if spec.model != model::TOUR_NAME {
        return Ok(spec);
    }
    let workspace = home.data.join("tour").join(spec.id.short()).join("tour");
    match std::fs::create_dir_all(&workspace) {
        Ok(()) => Ok(SessionSpec { workspace, ..spec }),
        Err(error) => Err(format!(
            "cannot make the tour's folder {}: {error}\nmake it writable, or set FOOTPLATE_HOME",
            workspace.display()
        )),
    }
}

/// This very program, also once another version stands in its place on disk.
pub(super) fn launcher() -> Option<PathBuf> {
    if cfg!(target_os = "linux") {
        Some(PathBuf::from("/proc/self/exe"))
    } else {
        env::current_exe().ok()
    }
}

fn mode(name: &str) -> Result<Mode, Failure> {
    let known = Mode::ALL.into_iter().find(|mode| mode.name() == name);
    known.ok_or_else(|| {
        let names = Mode::ALL.map(Mode::name).join(", ");
        Failure::usage(
            format!("there is no mode {}", print::quoted(name)),
            format!("modes are: {names}"),
        )
    })
}

/// The folder of a profile, really below the workspace.
fn below(workspace: &Path, folder: &str) -> Result<PathBuf, Failure> {
    let hint = "name a folder that is there, below the one you work in";
    let unusable = |fault: &dyn std::fmt::Display| {
        Failure::usage(format!("cannot work in {folder}: {fault}"), hint)
    };
    let real = workspace.join(folder).canonicalize().map_err(|error| unusable(&error))?;
    if real.starts_with(workspace) && real.is_dir() {
        return Ok(real);
    }
    Err(unusable(&"it leads out of the workspace, or is no folder"))
}

/// The folder to work in: absolute, real, readable, and with a name that can be recorded.
pub(super) fn workspace(common: &Common) -> Result<PathBuf, Failure> {
    let dir = common.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let unusable = |error: std::io::Error| {
        Failure::usage(
            format!("cannot work in {}: {error}", dir.display()),
            "name another folder with -C, or make this one readable",
        )
    };
    let real = dir.canonicalize().map_err(unusable)?;
    std::fs::read_dir(&real).map_err(unusable)?;
    if real.to_str().is_none() {
        // Journals are JSON, and a name that is not quite the folder's would be another folder's.
        return Err(Failure::usage(
            format!("cannot work in {}: its name is not UTF-8", real.display()),
            "rename it, or name another folder with -C",
        ));
    }
    Ok(real)
}
