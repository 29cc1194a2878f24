//! Makes uv and a Python of our own ready, once; neither the person's environment nor a project
//! around the workspace has a part in it.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use tokio::process::Command;

use super::{
    Settings,
    folders::Scratch,
    lookup::{is_program, search},
    process::Run,
    tool::run,
};
use crate::{
    executor::seal::{Level, installation},
    kernel::error::CallError,
};

/// How the names of folders begin that are not whole yet; a process id follows.
const PARTIAL: &str = "partial-";

/// What every run of Python needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prepared {
    uv: PathBuf,
    /// A virtual environment: a small one with nothing in it, unless packages are asked for.
    venv: PathBuf,
}

/// Finds uv, or gets it by pip; makes the Python environment. Nothing half made is left where it
/// would be found, so it may be cut off at any time, and two may do it at once.
pub(super) async fn prepare(settings: &Settings) -> Result<Prepared, CallError> {
    for folder in [&settings.data, &settings.cache] {
        std::fs::create_dir_all(folder).map_err(|error| super::cannot("make", folder, &error))?;
    }
    super::sweep(&settings.cache.join("runs"), "");
    super::sweep(&settings.data, PARTIAL);
    super::packages::sweep(settings);
    let uv = match find(settings)? {
        Some(uv) => uv,
        None => fetch(settings).await?,
    };
    let venv = environment(settings);
    let works = works(&venv.join("bin/python")).await;
    if !works {
        make_venv(settings, &uv, &venv).await?;
    }
    if !works || !knows_interpreters(&settings.cache.join("uv")) {
        // A sealed run can only read what uv knows, and would find it out each time.
        let mut find = ours(settings, &uv);
        find.args(["python", "find", "--no-project"]).arg(venv.join("bin/python"));
        find.envs(hermetic(&settings.cache.join("uv")));
        if let Err(fault) = run(&mut find, Path::new("/")).await {
            tracing::warn!(fault, "uv cannot tell what it knows of Python");
        }
    }
    Ok(Prepared { uv, venv })
}

impl Prepared {
    pub(super) fn uv(&self) -> &Path {
        &self.uv
    }

    pub(super) fn venv(&self) -> &Path {
        &self.venv
    }

    /// The Python of the small environment.
    pub(super) fn interpreter(&self) -> PathBuf {
        self.venv.join("bin/python")
    }

    /// The same, with another environment.
    pub(super) fn within(&self, venv: &Path) -> Self {
        Self { uv: self.uv.clone(), venv: venv.to_owned() }
    }

    /// `uv run python FILE`, with the package of this run first on Python's path.
    pub(super) fn python(
        &self,
        settings: &Settings,
        scratch: Scratch,
        package: &Path,
        (file, code): (&Path, &str),
        level: Level,
    ) -> Result<Run, CallError> {
        let mut command = Command::new(&self.uv);
        command.args(["run", "--quiet", "--no-project", "--no-env-file", "python"]).arg(file);
        let (shared, python) = (settings.cache.join("uv"), self.interpreter());
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
            ("MPLBACKEND", OsStr::new("module://footplate._figures")),
        ]);
        if level != Level::Sealed {
            environment.push(("FOOTPLATE_NOTES", OsStr::new("1")));
        }
        if code.contains("footplate") {
            environment.push(("FOOTPLATE_PRELOAD", OsStr::new("1")));
        }
        Ok(Run::python(settings, scratch, command, &environment))
    }

    /// What Python reads beside the system and the workspace.
    pub(super) fn needed(&self, settings: &Settings, package: &Path) -> Vec<PathBuf> {
        let mut needed = installation(&self.interpreter(), settings.home.as_deref());
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
        let (from, to) = (entry.path(), own.join(entry.file_name()));
        let name = entry.file_name();
        // What uv keeps in folders is shared, but for the one it writes into at every start.
        if !entry.file_type()?.is_dir() || name.as_encoded_bytes().starts_with(b"sdists") {
            continue;
        }
        if name.as_encoded_bytes().starts_with(INTERPRETERS) {
            // It adds here what it does not know yet, or no more.
            link_files(&from, &to)?;
        } else {
            std::os::unix::fs::symlink(from, to)?;
        }
    }
    Ok(own)
}

/// How the folder's name begins in which uv keeps what it knows of interpreters.
const INTERPRETERS: &[u8] = b"interpreter";

/// Folders of one's own, with the files of others in them.
fn link_files(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            link_files(&entry.path(), &to)?;
        } else {
            std::os::unix::fs::symlink(entry.path(), to)?;
        }
    }
    Ok(())
}

fn knows_interpreters(cache: &Path) -> bool {
    let mut entries = std::fs::read_dir(cache).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().as_encoded_bytes().starts_with(INTERPRETERS))
}

/// What keeps uv from looking at anything but what we give it.
pub(super) fn hermetic(cache: &Path) -> Vec<(&'static str, &OsStr)> {
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
    make_venv_at(settings, uv, partial.path(), OsStr::new(">=3.9")).await?;
    settle(partial, venv)
}

/// Makes an environment with nothing in it, of a Python that is named by path or by version.
pub(super) async fn make_venv_at(
    settings: &Settings,
    uv: &Path,
    venv: &Path,
    python: &OsStr,
) -> Result<(), CallError> {
    let mut command = ours(settings, uv);
    command
        .args(["venv", "--quiet", "--no-project", "--allow-existing", "--relocatable", "--python"])
        .args([python, venv.as_os_str()])
        .envs(hermetic(&settings.cache.join("uv")));
    run(&mut command, &settings.data).await.map(drop).map_err(|fault| {
        CallError::failed(format!(
            "{} could not make a Python environment: {fault}\nInstall Python 3.9 or newer, and see \
             that `uv venv` works, then run it again.",
            uv.display()
        ))
    })
}

/// uv in the person's own environment, but for what would lead it to another Python or to a project.
pub(super) fn ours(settings: &Settings, uv: &Path) -> Command {
    const LEADING: [&str; 9] = [
        "UV_PYTHON",
        "UV_SYSTEM_PYTHON",
        "UV_PROJECT",
        "UV_WORKING_DIR",
        "UV_VENV_SEED",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "PYTHONHOME",
        "PYTHONPATH",
    ];
    let mut command = Command::new(uv);
    command.env("PATH", &settings.search_path);
    for name in LEADING {
        command.env_remove(name);
    }
    command
}

/// A folder in the data folder for something that is not whole yet.
pub(super) fn beside(data: &Path) -> Result<TempDir, CallError> {
    tempfile::Builder::new()
        .prefix(&format!("{PARTIAL}{}-", std::process::id()))
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
pub(super) async fn works(python: &Path) -> bool {
    let mut command = Command::new(python);
    command.args(["-I", "-S", "-c", ""]).env_clear();
    run(&mut command, Path::new("/")).await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_reads_what_uv_knows_and_adds_to_a_cache_of_its_own() {
        let (shared, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for file in
            ["interpreter-v9/ab/one.msgpack", "archive-v0/x/y", "sdists-v3/z", "CACHEDIR.TAG"]
        {
            let file = shared.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "known").unwrap();
        }
        let own = own_cache(shared.path(), scratch.path()).unwrap();
        assert_eq!(std::fs::read(own.join("interpreter-v9/ab/one.msgpack")).unwrap(), b"known");
        std::fs::write(own.join("interpreter-v9/ab/two.msgpack"), "new").unwrap();
        assert!(!shared.path().join("interpreter-v9/ab/two.msgpack").exists());
        assert!(own.join("archive-v0").is_symlink());
        assert!(!own.join("sdists-v3").exists());
    }

    #[test]
    fn what_a_host_that_is_gone_left_half_made_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        // No process has the highest number.
        let (gone, here) = (i32::MAX, std::process::id());
        let names = [format!("partial-{gone}-a"), format!("partial-{here}-a"), "python".to_owned()];
        for name in &names {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        super::super::sweep(folder.path(), PARTIAL);
        let left: Vec<_> = names.iter().map(|name| folder.path().join(name).exists()).collect();
        assert_eq!(left, [false, true, true]);
    }
}
