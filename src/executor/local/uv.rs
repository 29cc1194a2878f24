//! Makes uv and a Python of our own ready, once; neither the person's environment nor a project
//! around the workspace has a part in it.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Stdio,
};

use tempfile::TempDir;
use tokio::process::Command;

use super::{
    Settings,
    lookup::{is_program, search},
    process::Run,
};
use crate::{
    executor::seal::{Level, installation},
    kernel::{error::CallError, text},
};

/// What every run of Python needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prepared {
    uv: PathBuf,
    /// A small virtual environment with nothing in it.
    venv: PathBuf,
}

/// Finds uv, or gets it by pip; makes the Python environment. Nothing half made is left where it
/// would be found, so it may be cut off at any time, and two may do it at once.
pub(super) async fn prepare(settings: &Settings) -> Result<Prepared, CallError> {
    for folder in [&settings.data, &settings.cache] {
        std::fs::create_dir_all(folder).map_err(|error| super::cannot("make", folder, &error))?;
    }
    super::sweep_scratch(&settings.cache);
    let uv = match find(settings)? {
        Some(uv) => uv,
        None => fetch(settings).await?,
    };
    let venv = environment(settings);
    if !works(&venv.join("bin/python")).await {
        make_venv(settings, &uv, &venv).await?;
    }
    Ok(Prepared { uv, venv })
}

impl Prepared {
    #[cfg(test)]
    pub(super) fn uv(&self) -> &Path {
        &self.uv
    }

    /// `uv run python FILE`, with the package of this run first on Python's path.
    pub(super) fn python(
        &self,
        settings: &Settings,
        scratch: TempDir,
        package: &Path,
        (file, code): (&Path, &str),
        level: Level,
    ) -> Result<Run, CallError> {
        let mut command = Command::new(&self.uv);
        command.args(["run", "--quiet", "--no-project", "--no-env-file", "python"]).arg(file);
        let (shared, python) = (settings.cache.join("uv"), self.venv.join("bin/python"));
        let cache = match level {
            Level::Open => shared,
            Level::Sealed | Level::Workspace => own_cache(&shared, scratch.path())
                .map_err(|error| super::cannot("make a cache in", scratch.path(), &error))?,
        };
        let mut environment: Vec<(&str, &OsStr)> = hermetic(&cache);
        environment.extend([
            ("UV_PYTHON", python.as_os_str()),
            ("VIRTUAL_ENV", self.venv.as_os_str()),
            ("PYTHONPATH", package.as_os_str()),
            ("PYTHONNOUSERSITE", OsStr::new("1")),
            ("PYTHONSAFEPATH", OsStr::new("1")),
            ("FOOTPLATE_SCRIPT", file.as_os_str()),
        ]);
        if code.contains("footplate") {
            environment.push(("FOOTPLATE_PRELOAD", OsStr::new("1")));
        }
        Ok(Run::python(settings, scratch, command, &environment))
    }

    /// What Python reads beside the system and the workspace.
    pub(super) fn needed(&self, settings: &Settings, package: &Path) -> Vec<PathBuf> {
        let mut needed = installation(&self.venv.join("bin/python"), settings.home.as_deref());
        let more = [&*self.uv, &*self.venv, package, &*settings.cache.join("uv")];
        needed.extend(more.into_iter().map(Path::to_owned));
        needed
    }
}

/// A cache for one run, in which the shared one is read and never written.
fn own_cache(shared: &Path, scratch: &Path) -> std::io::Result<PathBuf> {
    let own = scratch.join(".uv");
    std::fs::create_dir(&own)?;
    for entry in std::fs::read_dir(shared).into_iter().flatten().flatten() {
        // What uv keeps in folders is shared, but for the one it writes into at every start.
        let is_written = entry.file_name().as_encoded_bytes().starts_with(b"sdists");
        if entry.file_type()?.is_dir() && !is_written {
            std::os::unix::fs::symlink(entry.path(), own.join(entry.file_name()))?;
        }
    }
    Ok(own)
}

/// What keeps uv from looking at anything but what we give it.
fn hermetic(cache: &Path) -> Vec<(&'static str, &OsStr)> {
    let mut environment = vec![("UV_CACHE_DIR", cache.as_os_str())];
    environment.extend(
        [
            ("UV_PYTHON_DOWNLOADS", "never"),
            ("UV_OFFLINE", "1"),
            ("UV_NO_CONFIG", "1"),
            ("UV_NO_PROGRESS", "1"),
        ]
        .map(|(name, value)| (name, OsStr::new(value))),
    );
    environment
}

/// Where the Python environment of all runs is, or will be.
pub(super) fn environment(settings: &Settings) -> PathBuf {
    settings.data.join("python")
}

/// The uv that was named, else our own, else the one on the search path.
pub(super) fn find(settings: &Settings) -> Result<Option<PathBuf>, CallError> {
    if let Some(named) = &settings.uv {
        return if is_program(named) {
            Ok(Some(named.clone()))
        } else {
            Err(CallError::failed(format!(
                "There is no uv at {}, where the settings say it is.\nCorrect the setting, or take it \
                 out and footplate finds or fetches one.",
                named.display()
            )))
        };
    }
    let own = settings.data.join("uv/bin/uv");
    Ok(if is_program(&own) { Some(own) } else { search("uv", &settings.search_path) })
}

/// Gets uv by pip into the data folder.
async fn fetch(settings: &Settings) -> Result<PathBuf, CallError> {
    let Some(python) = search("python3", &settings.search_path) else {
        return Err(CallError::failed(
            "Running Python needs uv, and there is neither uv nor python3 on the search path.\n\
             Install uv (https://docs.astral.sh/uv), or python3 with pip and footplate fetches it.",
        ));
    };
    (settings.notice)("uv is not installed; fetching it with pip, once".to_owned());
    let partial = beside(&settings.data)?;
    let mut command = Command::new(&python);
    command
        .args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"])
        .args(["--only-binary", ":all:", "--no-compile", "--target"])
        .arg(partial.path())
        .arg("uv");
    let advice = "Install uv yourself (https://docs.astral.sh/uv), or make `python3 -m pip install uv` \
                  work, then run it again.";
    // The person's own environment, as their own pip would have: it knows the way to the network.
    run(&mut command, &settings.data)
        .await
        .map_err(|fault| CallError::failed(format!("pip could not fetch uv: {fault}\n{advice}")))?;
    let own = settings.data.join("uv");
    settle(partial, &own)?;
    let uv = own.join("bin/uv");
    if is_program(&uv) {
        (settings.notice)("uv is ready".to_owned());
        return Ok(uv);
    }
    Err(CallError::failed(format!("pip put no uv into {}.\n{advice}", own.display())))
}

async fn make_venv(settings: &Settings, uv: &Path, venv: &Path) -> Result<(), CallError> {
    let partial = beside(&settings.data)?;
    let cache = settings.cache.join("uv");
    let mut command = Command::new(uv);
    command
        .args(["venv", "--quiet", "--no-project", "--allow-existing", "--relocatable"])
        .args(["--python", ">=3.9"])
        .arg(partial.path())
        .env("PATH", &settings.search_path)
        .env_remove("UV_PYTHON")
        .env_remove("VIRTUAL_ENV")
        .env_remove("CONDA_PREFIX")
        .env_remove("PYTHONHOME")
        .env_remove("PYTHONPATH")
        .envs(hermetic(&cache));
    run(&mut command, &settings.data).await.map_err(|fault| {
        CallError::failed(format!(
            "{} could not make a Python environment: {fault}\nInstall Python 3.9 or newer, and see \
             that `uv venv` works, then run it again.",
            uv.display()
        ))
    })?;
    settle(partial, venv)
}

/// A folder in the data folder for something that is not whole yet.
fn beside(data: &Path) -> Result<TempDir, CallError> {
    tempfile::Builder::new()
        .prefix("partial-")
        .tempdir_in(data)
        .map_err(|error| super::cannot("make a folder in", data, &error))
}

/// Moves what is whole now to its place; what stood there and did not work goes.
fn settle(partial: TempDir, place: &Path) -> Result<(), CallError> {
    if place.symlink_metadata().is_ok() {
        let away = beside(place.parent().unwrap_or(place))?;
        // Gone already if another process was as far as this.
        let _ = std::fs::rename(place, away.path().join("old"));
    }
    match std::fs::rename(partial.path(), place) {
        Ok(()) => {
            // Moved away: there is nothing left for the guard to remove.
            let _ = partial.keep();
            Ok(())
        }
        // Another process was faster; its work is as good.
        Err(_) if place.is_dir() => Ok(()),
        Err(error) => Err(super::cannot("make", place, &error)),
    }
}

/// Whether this Python starts at all.
async fn works(python: &Path) -> bool {
    let mut command = Command::new(python);
    command.args(["-I", "-S", "-c", ""]).env_clear();
    run(&mut command, Path::new("/")).await.is_ok()
}

/// Runs a program of our own to its end; the error is the last thing it said.
async fn run(command: &mut Command, cwd: &Path) -> Result<(), String> {
    // Not the workspace: `python -m` would import from it.
    command.current_dir(cwd).stdin(Stdio::null()).process_group(0).kill_on_drop(true);
    let output = command.output().await.map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = text::clean(&output.stderr);
    let said = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
    Err(said.map_or_else(|| output.status.to_string(), str::to_owned))
}
