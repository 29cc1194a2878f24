//! Environments with packages, beside the small one: each made once for exactly what was asked for,
//! outside the seal, from wheels alone, so that no code of a package runs; whole or not at all. What
//! runs in them is sealed like any other run, and they are read-only there.
//!
//! No interpreter of such an environment is started out here once packages are in it: their `.pth`
//! files are code, and what they bring may lead it to other files than its own.

use std::{
    hash::Hasher,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::{
    Settings, cannot, indexes,
    tool::run,
    uv::{Prepared, beside, hermetic, make_venv_at, ours, works},
};
use crate::{
    guest,
    kernel::{
        error::CallError,
        port::{Packages, Pinned},
    },
};

/// How the names of their folders begin; the process that made it follows.
const FOLDER: &str = "made-";

/// How long an environment is kept that no script wants. Longer than any run takes.
const KEPT_UNUSED: Duration = Duration::from_hours(90 * 24);

/// How long choosing and fetching packages may take. Nobody waits longer for one script, and it stands
/// still with its clock.
const LONGEST_FILL: Duration = Duration::from_mins(15);

/// What is wanted of an environment: which packages, and the Python that will be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Wish {
    #[serde(flatten)]
    packages: Packages,
    python: PathBuf,
    /// The file that says which folder it is in, once it is whole.
    #[serde(skip)]
    place: PathBuf,
}

/// What became of a wish.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Made {
    #[serde(flatten)]
    wish: Wish,
    /// The environment. It is made where it stays, since uv keeps what it knows of an interpreter by
    /// its path, and nobody asks that interpreter again out here.
    pub(super) folder: PathBuf,
    /// What is in it.
    pub(super) installed: Vec<Pinned>,
}

fn all(settings: &Settings) -> PathBuf {
    settings.data.join("packages")
}

/// Removes what hosts that are gone left half made, and what no script has wanted for
/// [`KEPT_UNUSED`].
pub(super) fn sweep(settings: &Settings) {
    remove_unused(&all(settings), wall());
    let left = super::of_the_gone(&all(settings), FOLDER);
    if left.is_empty() {
        return;
    }
    let made: Vec<Made> = places(&all(settings)).filter_map(|place| read(&place)).collect();
    for folder in left.iter().filter(|left| !made.iter().any(|made| made.folder == **left)) {
        // What cannot be removed now is tried again by the next host.
        let _ = std::fs::remove_dir_all(folder);
    }
}

fn places(all: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(all).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}

/// The time of day, as files carry it.
fn wall() -> SystemTime {
    let since = jiff::Timestamp::now().duration_since(jiff::Timestamp::UNIX_EPOCH);
    SystemTime::UNIX_EPOCH + since.unsigned_abs()
}

/// The time of a place's file is that of its last use. The folder goes first: of what is cut off here
/// the file is left, and says of a folder that is gone that it has to be made.
fn remove_unused(all: &Path, now: SystemTime) {
    for place in places(all) {
        let used = place.metadata().and_then(|metadata| metadata.modified());
        let is_old = |used| now.duration_since(used).is_ok_and(|unused| unused > KEPT_UNUSED);
        if let Some(made) = read(&place)
            && used.is_ok_and(is_old)
            && made.folder.parent() == Some(all)
        {
            // What cannot be removed now is tried again by the next host.
            let _ = std::fs::remove_dir_all(&made.folder);
            let _ = std::fs::remove_file(&place);
        }
    }
}

fn read(place: &Path) -> Option<Made> {
    if place.extension()? != "json" {
        return None;
    }
    serde_json::from_slice(&std::fs::read(place).ok()?).ok()
}

impl Wish {
    pub(super) async fn of(
        settings: &Settings,
        prepared: &Prepared,
        packages: &Packages,
    ) -> Result<Self, CallError> {
        let packages = guest::checked(packages)?;
        let python = interpreter(settings, prepared, packages.requires_python.as_deref()).await?;
        let mut wish = Self { packages, python, place: PathBuf::new() };
        // The name is short and need not be safe from others: what is there is compared.
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(&serde_json::to_vec(&wish).unwrap_or_default());
        wish.place = all(settings).join(format!("{:016x}.json", hasher.finish()));
        Ok(wish)
    }

    /// The environment, if it is made and works.
    pub(super) async fn made(&self) -> Option<Made> {
        let made = read(&self.place)?;
        let same = made.wish.packages == self.packages && made.wish.python == self.python;
        // By its own name alone: the same by the name in the environment reads what stands there.
        let fits = same && self.leads_here(&made.folder) && works(&self.python).await;
        if fits {
            // Only says that it is in use: where that cannot be noted, it is made again some day.
            let file = std::fs::File::open(&self.place);
            let _ = file.and_then(|file| file.set_modified(wall()));
        }
        fits.then_some(made)
    }

    /// Whether the interpreter of that environment is the one it was made from.
    fn leads_here(&self, folder: &Path) -> bool {
        folder.join("bin/python").canonicalize().is_ok_and(|python| python == self.python)
    }

    /// Whom it would be made from.
    pub(super) async fn sources(
        &self,
        settings: &Settings,
        prepared: &Prepared,
    ) -> Result<Vec<String>, CallError> {
        let mut uv = online(settings, prepared.uv());
        uv.env("UV_PYTHON", &self.python);
        indexes::sources(uv).await
    }

    /// Makes it. Dropping the future ends uv and leaves nothing.
    pub(super) async fn make(
        self,
        settings: &Settings,
        prepared: &Prepared,
    ) -> Result<Made, CallError> {
        let all = all(settings);
        std::fs::create_dir_all(&all).map_err(|error| cannot("make", &all, &error))?;
        let folder = tempfile::Builder::new()
            .prefix(&format!("{FOLDER}{}-", std::process::id()))
            .tempdir_in(&all)
            .map_err(|error| cannot("make a folder in", &all, &error))?;
        make_venv_at(settings, prepared.uv(), folder.path(), self.python.as_os_str()).await?;
        let mut installed = Vec::new();
        if !self.packages.requirements.is_empty() {
            (settings.notice)(format!("installing {}", self.packages.requirements.join(", ")));
            let filling = fill(settings, prepared.uv(), folder.path(), &self);
            installed = tokio::time::timeout(LONGEST_FILL, filling).await.unwrap_or_else(|_| {
                Err(refused(&self, "it took more than a quarter of an hour and was ended."))
            })?;
        }
        if let Some(theirs) = self.made().await {
            // Another host was faster, and may be running in it.
            return Ok(theirs);
        }
        let made = Made { folder: folder.path().to_owned(), installed, wish: self };
        let place = &made.wish.place;
        let former = read(place);
        tempfile::NamedTempFile::new_in(&all)
            .and_then(|mut file| {
                serde_json::to_writer_pretty(&mut file, &made)?;
                file.persist(place).map_err(|error| error.error)
            })
            .map_err(|error| cannot("write", place, &error))?;
        // It is whole: there is nothing to be removed any more, but what did not work.
        let _ = folder.keep();
        if let Some(former) = former
            && former.folder.parent() == Some(&all)
        {
            let _ = std::fs::remove_dir_all(former.folder);
        }
        Ok(made)
    }
}

/// Chooses exact versions, then fetches these and nothing else.
async fn fill(
    settings: &Settings,
    uv: &Path,
    folder: &Path,
    wish: &Wish,
) -> Result<Vec<Pinned>, CallError> {
    // Not in the environment, where a run could read what an address of an index holds.
    let lists = beside(&settings.data)?;
    let (wanted, chosen) = (lists.path().join("wanted.in"), lists.path().join("chosen.txt"));
    std::fs::write(&wanted, wish.packages.requirements.join("\n") + "\n")
        .map_err(|error| cannot("write", &wanted, &error))?;
    let mut compile = online(settings, uv);
    compile
        .args(["pip", "compile", "--quiet", "--no-build", "--generate-hashes"])
        .args(["--no-annotate", "--no-header", "--python"])
        .arg(&wish.python)
        .arg("--output-file")
        .args([&chosen, &wanted]);
    run(&mut compile, Path::new("/")).await.map_err(|fault| refused(wish, &fault))?;
    let text = std::fs::read_to_string(&chosen).map_err(|error| cannot("read", &chosen, &error))?;
    let mut install = online(settings, uv);
    install
        .args(["pip", "install", "--quiet", "--no-build", "--require-hashes", "--no-deps"])
        .args(["--no-compile-bytecode", "--link-mode", "hardlink", "--python"])
        // Asked what it is while nothing is in it yet.
        .arg(folder.join("bin/python"))
        .arg("--requirements")
        .arg(&chosen);
    let settings_of_python = folder.join("pyvenv.cfg");
    let before = std::fs::read(&settings_of_python).ok();
    run(&mut install, Path::new("/")).await.map_err(|fault| refused(wish, &fault))?;
    // Packages may put files anywhere in it, and this one says where Python finds its own.
    if std::fs::read(&settings_of_python).ok() != before || !wish.leads_here(folder) {
        let fault = "one of them replaces the interpreter or its pyvenv.cfg, which none needs.";
        return Err(refused(wish, fault));
    }
    compile_sources(wish, &folder.join("lib")).await;
    Ok(pinned(&text))
}

/// How long sources may take to be compiled; it goes without for the rest.
const LONGEST: Duration = Duration::from_secs(60);

/// Compiles what came, which runs none of it: a sealed run could not keep what it compiles, and would
/// do it each time.
async fn compile_sources(wish: &Wish, folder: &Path) {
    let mut python = Command::new(&wish.python);
    python.args(["-I", "-S", "-m", "compileall", "-q"]).arg(folder).env_clear();
    match tokio::time::timeout(LONGEST, run(&mut python, Path::new("/"))).await {
        Ok(Ok(_)) => {}
        // Some packages carry files for other Pythons.
        Ok(Err(fault)) => tracing::debug!(fault, "not every source was compiled"),
        Err(_) => tracing::warn!("compiling packages took too long and was ended"),
    }
}

/// uv as the person has set it up: which indexes it asks, by which way, with which certificates. It
/// runs where no project is around, as their settings do not come from one.
fn online(settings: &Settings, uv: &Path) -> Command {
    let mut command = ours(settings, uv);
    command
        .env("UV_CACHE_DIR", settings.cache.join("uv"))
        .env("UV_PYTHON_DOWNLOADS", "never")
        .env("UV_NO_PROGRESS", "1")
        .env("UV_NO_WRAP", "1")
        .env("NO_COLOR", "1");
    // These would undo what a person was told.
    for name in ["UV_NO_CACHE", "UV_NO_BINARY", "UV_NO_BINARY_PACKAGE", "UV_NO_VERIFY_HASHES"] {
        command.env_remove(name);
    }
    command
}

fn refused(wish: &Wish, fault: &str) -> CallError {
    let names = wish.packages.requirements.join(", ");
    let fault: String = fault.chars().take(1500).collect();
    // What uv says of a package that would have to be built.
    let has_no_wheel = ["--no-build", "no usable wheels", "building source"].iter();
    let advice = if has_no_wheel.into_iter().any(|words| fault.contains(words)) {
        "Only wheels are installed, since building a package runs its code. Name versions that are \
         there as wheels, or do without."
    } else {
        "See that the names are right and that the index can be reached (a person may have to set \
         UV_INDEX_URL, a proxy or SSL_CERT_FILE), or do without."
    };
    CallError::failed(format!("{names} could not be installed: {fault}\n{advice}"))
}

/// The packages of a requirements file with hashes, as uv writes it.
fn pinned(text: &str) -> Vec<Pinned> {
    let mut all: Vec<Pinned> = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_end_matches('\\').trim_end();
        if let Some(hash) = line.strip_prefix("--hash=") {
            if let Some(last) = all.last_mut() {
                last.hashes.push(hash.to_owned());
            }
        } else if let Some((name, version)) = line.split_once("==")
            && !line.starts_with(['-', '#'])
        {
            let version = version.split(';').next().unwrap_or(version).trim();
            let (name, hashes) = (name.trim().to_owned(), Vec::new());
            all.push(Pinned { name, version: version.to_owned(), hashes });
        }
    }
    all
}

/// The Python an environment is made from: the one of the small environment where that will do.
async fn interpreter(
    settings: &Settings,
    prepared: &Prepared,
    versions: Option<&str>,
) -> Result<PathBuf, CallError> {
    let small = prepared.interpreter();
    let Some(versions) = versions else {
        return small.canonicalize().map_err(|error| cannot("find", &small, &error));
    };
    let mut find = ours(settings, prepared.uv());
    find.args(["python", "find", "--no-project", "--resolve-links", versions])
        .envs(hermetic(&settings.cache.join("uv")))
        // Looked at first.
        .env("VIRTUAL_ENV", prepared.venv());
    let found = run(&mut find, Path::new("/")).await.map_err(|fault| {
        let fault: String = fault.chars().take(500).collect();
        CallError::failed(format!(
            "There is no Python {versions} here, which the script requires: {fault}\nInstall one, or \
             change requires-python."
        ))
    })?;
    let found = PathBuf::from(found.trim());
    found.canonicalize().map_err(|error| cannot("find", &found, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_script_wanted_for_long_is_removed_and_what_lies_elsewhere_is_not() {
        let all = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let now = wall();
        let make = |name: &str, folder: PathBuf, unused: Duration| {
            std::fs::create_dir_all(&folder).unwrap();
            let packages = Packages::default();
            let wish = Wish { packages, python: PathBuf::new(), place: PathBuf::new() };
            let made = Made { wish, folder, installed: Vec::new() };
            let place = all.path().join(name);
            std::fs::write(&place, serde_json::to_vec(&made).unwrap()).unwrap();
            std::fs::File::open(place).unwrap().set_modified(now - unused).unwrap();
        };
        let day = Duration::from_hours(24);
        make("old.json", all.path().join("made-1-a"), KEPT_UNUSED + day);
        make("new.json", all.path().join("made-1-b"), KEPT_UNUSED - day);
        make("far.json", elsewhere.path().join("made-1-c"), KEPT_UNUSED + day);
        remove_unused(all.path(), now);
        assert!(!all.path().join("made-1-a").exists() && !all.path().join("old.json").exists());
        assert!(all.path().join("made-1-b").exists() && all.path().join("new.json").exists());
        assert!(elsewhere.path().join("made-1-c").exists());
    }

    #[test]
    fn what_was_chosen_is_read_with_its_hashes_and_nothing_else_is() {
        let text = "# a word\n--index-url https://me:secret@a.example\nsix==1.17.0 \\\n    \
                    --hash=sha256:aa \\\n    --hash=sha256:bb\ntomli==2.0 ; python_version < '3.11' \\\n    \
                    --hash=sha256:cc\n";
        let pin = |name: &str, version: &str, hashes: &[&str]| Pinned {
            name: name.to_owned(),
            version: version.to_owned(),
            hashes: hashes.iter().map(|&hash| hash.to_owned()).collect(),
        };
        let expected = [
            pin("six", "1.17.0", &["sha256:aa", "sha256:bb"]),
            pin("tomli", "2.0", &["sha256:cc"]),
        ];
        assert_eq!(pinned(text), expected);
    }
}
