//! Runs jobs on this machine.

mod aside;
mod folders;
mod guard;
mod indexes;
mod install;
mod lookup;
mod mark;
mod output;
mod packages;
pub mod patience;
mod pictures;
mod process;
mod remove;
mod sealed;
mod session;
mod status;
mod sweep;
mod terminal;
mod tool;
mod uv;
pub mod workspace;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use tokio::sync::OnceCell;

use self::aside::Watch;
use self::folders::{of_the_gone, scratch, sweep};
use self::patience::Patience;
use super::seal::{self, Form, Level};
use crate::{
    guest,
    kernel::{
        BoxFuture,
        error::{CallError, ErrorCode},
        event::{ExitStatus, Seal},
        port::{Bounds, Ended, Executor, Job, Manner, Packages, Pinned, Program, Sought, Wanted},
        registry::Mounts,
        text,
    },
};

/// What the host decides for all runs. Every path is absolute.
#[derive(Clone)]
pub struct Settings {
    /// Where what is kept goes: uv and the Python environment, if we made them.
    pub data: PathBuf,
    /// Where what can be made again goes: uv's cache, the package scripts import, scratch folders.
    pub cache: PathBuf,
    /// The person's home, for the programs of [`Program::Argv`]; Python gets a scratch folder.
    pub home: Option<PathBuf>,
    /// A uv to use instead of looking for one.
    pub uv: Option<PathBuf>,
    /// This program, whose hidden subcommand seals a run; without it nothing can be sealed.
    pub launcher: Option<PathBuf>,
    /// Folders of footplate's own, which no sealed run reads but for what it needs.
    pub private: Vec<PathBuf>,
    /// Where programs are looked for, and what runs get as `PATH`.
    pub search_path: OsString,
    /// Told, in one line, what takes long before a first run, such as fetching uv.
    pub notice: Arc<dyn Fn(String) + Send + Sync>,
}

/// The executor of this machine. Dropping it ends whatever still runs.
pub struct Local {
    settings: Settings,
    marks: mark::Marks,
    prepared: OnceCell<uv::Prepared>,
    /// Environments with packages that were found or made here, and worked.
    environments: Mutex<BTreeMap<Packages, uv::Prepared>>,
    guard: OnceCell<guard::Guard>,
    form: OnceLock<Form>,
    limits: seal::Limits,
    patience: Patience,
}

impl Local {
    /// Looks at nothing yet; uv and Python are made ready by the first run that needs them.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            marks: mark::Marks::fresh(),
            prepared: OnceCell::new(),
            environments: Mutex::default(),
            guard: OnceCell::new(),
            form: OnceLock::new(),
            limits: seal::Limits::here(),
            patience: Patience::default(),
        }
    }

    async fn run_job(&self, job: Job) -> Result<Ended, CallError> {
        let hold = job.clock.hold();
        let (ready, watch) = tokio::select! {
            biased;
            () = job.cancel.cancelled() => return Ok(not_begun()),
            // Losing this arm ends what was begun; the next run begins again.
            ready = self.make_ready(&job) => ready?,
        };
        drop(hold);
        let mark = self.marks.next(job.call);
        let ended = ready.run(job, mark, self.patience).await;
        let aside = watch.end().await;
        ended.map(|ended| Ended { aside, ..ended })
    }

    async fn make_ready(&self, job: &Job) -> Result<(process::Run, Watch), CallError> {
        // Where there is no shell, a run still ends with its call; only our own death is not seen.
        let _ = self.guard.get_or_try_init(|| async { guard::Guard::start(&self.marks) }).await;
        let scratch = scratch(&self.settings.cache)?;
        let mut needed = Vec::new();
        let mut run = match &job.what {
            Program::Python { filename, code, packages, mounts, .. } => {
                let prepared = match packages {
                    Some(packages) => &self.environment(packages).await?,
                    None => self.prepared().await?,
                };
                let package = install::guest(&guest::Package::of(mounts), &self.settings.cache)?;
                let file = scratch.path().join(bare(filename)?);
                std::fs::write(&file, code).map_err(|error| cannot("write", &file, &error))?;
                needed = prepared.needed(&self.settings, &package);
                prepared.python(
                    &self.settings,
                    scratch,
                    &package,
                    (&file, code),
                    job.bounds.level,
                )?
            }
            Program::Argv(argv) => process::Run::program(&self.settings, scratch, argv, &job.cwd)?,
        };
        let obeyed = match job.bounds.level {
            Level::Open => {
                let seal = if self.form() == Form::None { Seal::None } else { Seal::Open };
                run.leave_open(seal);
                let workspace = job.workspace.canonicalize();
                seal::Obeyed::look(workspace.as_ref().map_or(&[], std::slice::from_ref))
            }
            Level::Sealed | Level::Workspace => {
                let (sealing, obeyed) = self.sealing(job, run.scratch(), needed)?;
                run.seal(sealing);
                obeyed
            }
        };
        Ok((run, Watch::begin(job, obeyed)))
    }

    async fn prepared(&self) -> Result<&uv::Prepared, CallError> {
        self.prepared.get_or_try_init(|| uv::prepare(&self.settings)).await
    }

    /// What a run with packages needs; an error if they are not here.
    async fn environment(&self, packages: &Packages) -> Result<uv::Prepared, CallError> {
        match self.made(packages).await? {
            Ok(made) => Ok(made),
            Err(_) => Err(CallError::failed(
                "The packages of this script are gone again.\nRun it once more, and they are asked for.",
            )),
        }
    }

    /// The environment with these packages, or what is wished for if it is not here. One without any
    /// is made: nothing has to be fetched for it.
    async fn made(
        &self,
        packages: &Packages,
    ) -> Result<Result<uv::Prepared, packages::Wish>, CallError> {
        let known = self.environments().get(packages).cloned();
        if let Some(known) = known.filter(|known| known.venv().is_dir()) {
            return Ok(Ok(known));
        }
        let prepared = self.prepared().await?;
        let wish = packages::Wish::of(&self.settings, prepared, packages).await?;
        let made = match wish.made().await {
            Some(made) => made,
            None if packages.requirements.is_empty() => wish.make(&self.settings, prepared).await?,
            None => return Ok(Err(wish)),
        };
        let made = prepared.within(&made.folder);
        self.environments().insert(packages.clone(), made.clone());
        Ok(Ok(made))
    }

    async fn look_for_packages(&self, packages: &Packages) -> Result<Sought, CallError> {
        Ok(match self.made(packages).await? {
            Ok(_) => Sought::Here,
            Err(wish) => {
                let prepared = self.prepared().await?;
                Sought::Away { from: wish.sources(&self.settings, prepared).await? }
            }
        })
    }

    async fn install_packages(&self, packages: &Packages) -> Result<Vec<Pinned>, CallError> {
        let prepared = self.prepared().await?;
        let wish = packages::Wish::of(&self.settings, prepared, packages).await?;
        let made = match wish.made().await {
            Some(made) => made,
            None => wish.make(&self.settings, prepared).await?,
        };
        Ok(made.installed)
    }

    fn environments(&self) -> std::sync::MutexGuard<'_, BTreeMap<Packages, uv::Prepared>> {
        self.environments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, held by this form and no other, whether it is there or not.
    #[must_use]
    pub fn held_by(self, form: Form) -> Self {
        Self { form: OnceLock::from(form), ..self }
    }

    /// The same, where a sealed run may use no more than this.
    #[must_use]
    pub fn bounded_by(self, limits: seal::Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same, where the end of a run may take this long.
    #[must_use]
    pub fn patient(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The uv that a run would use; nothing where the first run would fetch one. The error says
    /// that there is none where the settings say it is.
    pub fn uv(&self) -> Result<Option<PathBuf>, CallError> {
        uv::find(&self.settings)
    }

    /// The Python of our own, once it is made.
    pub fn python(&self) -> PathBuf {
        uv::environment(&self.settings).join("bin/python")
    }

    /// The program of that name on the search path.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        lookup::search(name, &self.settings.search_path)
    }

    fn sealing(
        &self,
        job: &Job,
        scratch: &Path,
        needed: Vec<PathBuf>,
    ) -> Result<(sealed::Sealing, seal::Obeyed), CallError> {
        let bounds = &job.bounds;
        let (form, Some(launcher)) = (self.form(), &self.settings.launcher) else {
            return Err(unsealable(bounds.level));
        };
        // What the sandbox of macOS lets be done with a terminal was never tried.
        let is_untried = form == Form::Profile && matches!(job.manner, Manner::Terminal(_));
        if form == Form::None || is_untried {
            return Err(unsealable(bounds.level));
        }
        self.check_bounds(bounds, &job.workspace)?;
        let roots = self.surroundings(needed).roots((bounds, form), &job.workspace, scratch);
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
        let cpu = job.clock.limit().as_secs().saturating_add(1).saturating_mul(cores);
        let plan = seal::Plan {
            level: bounds.level,
            form,
            // Where it really is, or a link could lead it elsewhere meanwhile.
            cwd: job.cwd.canonicalize().unwrap_or_else(|_| job.cwd.clone()),
            reads: roots.reads,
            writes: roots.writes,
            scratch: scratch.canonicalize().ok(),
            guarded: roots.guarded,
            network: bounds.network,
            terminal: matches!(job.manner, Manner::Terminal(_)),
            channel: None,
            report: None,
            limits: seal::Limits { cpu: cpu.min(self.limits.cpu), ..self.limits },
        };
        Ok((sealed::Sealing { launcher: launcher.clone(), plan }, roots.obeyed))
    }

    fn surroundings(&self, needed: Vec<PathBuf>) -> seal::Surroundings {
        let Settings { home, private, .. } = &self.settings;
        seal::Surroundings { home: home.clone(), private: private.clone(), needed }
    }
}

fn unsealable(level: Level) -> CallError {
    CallError::failed(format!(
        "This system offers no seal, so nothing can be run {} here.\nAsk to run it open.",
        level.name()
    ))
}

impl Executor for Local {
    fn check(&self, code: &str, mounts: &Mounts) -> Result<(), CallError> {
        guest::check(code, mounts)?;
        guest::wanted(code).map(drop)
    }

    fn form(&self) -> Form {
        *self.form.get_or_init(|| match &self.settings.launcher {
            Some(launcher) => seal::available(launcher),
            None => Form::None,
        })
    }

    fn check_bounds(&self, bounds: &Bounds, workspace: &Path) -> Result<(), CallError> {
        let surroundings = self.surroundings(Vec::new());
        let mut asked = bounds.writes.iter();
        asked.try_for_each(|path| surroundings.check(path, (bounds, self.form()), workspace))
    }

    fn check_write(&self, path: &Path, workspace: &Path) -> Result<(), CallError> {
        self.surroundings(Vec::new()).check_own(path, workspace)
    }

    fn secrets(&self, workspace: &Path) -> Vec<PathBuf> {
        self.surroundings(Vec::new()).secrets(workspace)
    }

    fn find(&self, program: &str, cwd: &Path) -> Option<PathBuf> {
        lookup::find(program, &self.settings.search_path, cwd).ok()
    }

    fn check_program(&self, name: &str, cwd: &Path, of: (&Bounds, &Path)) -> Result<(), CallError> {
        let (bounds, workspace) = of;
        let sight = || self.surroundings(Vec::new()).sight((bounds, self.form()), workspace);
        lookup::check(name, &self.settings.search_path, cwd, (bounds.level, sight))
    }

    fn wants(&self, code: &str) -> Result<Option<Wanted>, CallError> {
        guest::wanted(code)
    }

    fn look_for<'a>(&'a self, packages: &'a Packages) -> BoxFuture<'a, Result<Sought, CallError>> {
        Box::pin(self.look_for_packages(packages))
    }

    fn install<'a>(
        &'a self,
        packages: &'a Packages,
    ) -> BoxFuture<'a, Result<Vec<Pinned>, CallError>> {
        Box::pin(self.install_packages(packages))
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        Box::pin(self.run_job(job))
    }
}

fn not_begun() -> Ended {
    Ended {
        status: ExitStatus::Cancelled,
        stdout: String::new(),
        stderr: String::new(),
        leftovers: 0,
        aside: Vec::new(),
        pictures: Vec::new(),
    }
}

/// The file name, if it is no more than that.
fn bare(filename: &str) -> Result<&str, CallError> {
    let folder = |char: char| char.is_control() || matches!(char, '/' | '\\');
    if !matches!(filename, "" | "." | "..") && filename.len() <= 200 && !filename.contains(folder) {
        return Ok(filename);
    }
    Err(CallError::new(
        ErrorCode::InvalidInput,
        format!("{} is no plain file name. Give one such as \"main.py\".", text::quoted(filename)),
    ))
}

fn cannot(doing: &str, path: &Path, error: &std::io::Error) -> CallError {
    CallError::failed(format!(
        "Cannot {doing} {}: {error}.\nMake sure that the folder can be written and the disk is not full.",
        path.display()
    ))
}

#[cfg(test)]
pub mod tests;
