use std::os::unix::fs::{MetadataExt as _, PermissionsExt, symlink};

use rustix::fs::Mode;

use super::*;
use crate::kernel::port::{MAX_FILE_BYTES, Seen};

struct Place {
    _folder: tempfile::TempDir,
    top: PathBuf,
    workspace: Workspace,
}

/// `top/desk` is the workspace, `top/other` is not.
fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(top.join("desk/src")).unwrap();
    std::fs::create_dir_all(top.join("other/deep")).unwrap();
    let workspace = Workspace::new(&top.join("desk")).unwrap();
    Place { _folder: folder, top, workspace }
}

impl Place {
    fn at(&self, path: &str) -> ResolvedPath {
        self.workspace.resolve_path(path).unwrap()
    }

    async fn look(&self, path: &str) -> Result<Standing, CallError> {
        self.workspace.look(&self.at(path)).await
    }

    async fn seen(&self, path: &str) -> Seen {
        match self.look(path).await.unwrap() {
            Standing::File(seen) => seen,
            Standing::Nothing => panic!("{path} is not there"),
        }
    }

    /// Writes over what stands there now.
    async fn write(&self, path: &str, bytes: &[u8]) -> Result<(), CallError> {
        let place = self.at(path);
        match self.workspace.look(&place).await? {
            Standing::Nothing => {
                self.workspace.write_file(&place, Over::Nothing { mode: None }, bytes).await
            }
            Standing::File(seen) => {
                self.workspace.write_file(&place, Over::File(&seen.mark), bytes).await
            }
        }
    }

    fn file(&self, path: &str) -> PathBuf {
        self.top.join("desk").join(path)
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        std::fs::write(self.file(path), bytes).unwrap();
    }

    fn get(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.file(path)).unwrap()
    }

    /// The names in a folder of the workspace.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.file(folder)).unwrap().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn a_path_leads_where_the_system_would_lead_it() {
    let Place { top, workspace, .. } = &place();
    let link = |target: &str, name: &str| symlink(target, top.join("desk").join(name)).unwrap();
    link("../other", "out");
    link("src", "in");
    link("gone/../../other/new.txt", "dangling");
    link("../other/deep", "deep");
    std::fs::write(top.join("desk/file"), "").unwrap();
    let inside = |path: &str| (top.join("desk").join(path), Reach::Workspace);
    let outside = |path: &str| (top.join(path), Reach::Outside);
    for (path, (real, reach)) in [
        ("a.txt", inside("a.txt")),
        ("./src//x/../y", inside("src/y")),
        (".", inside("")),
        ("in/new/deeper.txt", inside("src/new/deeper.txt")),
        ("out/a.txt", outside("other/a.txt")),
        ("dangling", outside("other/new.txt")),
        ("deep/../a.txt", outside("other/a.txt")),
        ("../desk/a.txt", inside("a.txt")),
        ("../desktop/a.txt", outside("desktop/a.txt")),
        ("/etc/../etc/x/y", (PathBuf::from("/etc/x/y"), Reach::Outside)),
    ] {
        let resolved = workspace.resolve_path(path).unwrap();
        assert_eq!(
            (resolved.real.as_path(), resolved.reach),
            (real.components().as_path(), reach),
            "{path}"
        );
    }
    assert_eq!(workspace.resolve_path("./src/../a").unwrap().shown, "a");
    assert_eq!(workspace.resolve_path(".").unwrap().shown, ".");
    link("loop", "loop");
    for path in ["", "a\0b", "file/x", "loop"] {
        assert!(workspace.resolve_path(path).is_err(), "{path:?}");
    }
}

#[test]
fn a_folder_to_work_in_is_inside_the_workspace_and_there_already() {
    let Place { top, workspace, .. } = &place();
    let link = |target: &str, name: &str| symlink(target, top.join("desk").join(name)).unwrap();
    link("../other", "out");
    link("../gone", "dangling");
    link("src", "in");
    std::fs::write(top.join("desk/file"), "").unwrap();
    for (folder, real) in [("src", "desk/src"), ("in", "desk/src"), ("", "desk")] {
        assert_eq!(workspace.folder(Path::new(folder)).unwrap(), top.join(real), "{folder}");
    }
    for folder in ["out", "out/new", "dangling", "dangling/new", "..", "/", "file", "file/new"] {
        assert!(workspace.folder(Path::new(folder)).is_err(), "{folder}");
    }
    for folder in ["a", "a/b", "in/new", ".git/hooks"] {
        let error = workspace.folder(Path::new(folder)).unwrap_err();
        assert!(error.message.contains("There is no folder"), "{folder}: {}", error.message);
        assert!(!top.join("desk").join(folder).exists(), "{folder}");
    }
    assert!(!top.join("gone").exists());
    assert!(!top.join("other/new").exists());
}

#[tokio::test]
async fn a_file_is_written_whole_and_keeps_its_mode() {
    let place = place();
    let script = place.top.join("other/run.sh");
    std::fs::write(&script, "old").unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o750)).unwrap();
    symlink(&script, place.file("run")).unwrap();

    place.write("run", b"new").await.unwrap();
    assert_eq!(place.workspace.read_file(&place.at("run")).await.unwrap(), b"new");
    assert_eq!(script.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert!(place.file("run").is_symlink(), "the link itself stays");

    place.write("new/folder/é.txt", b"x").await.unwrap();
    assert_eq!(place.names("new/folder"), ["é.txt"], "nothing half made is left");
    let plain = std::fs::File::create(place.file("plain")).unwrap();
    assert_eq!(place.seen("new/folder/é.txt").await.mode, plain.metadata().unwrap().mode() & 0o777);
}

#[tokio::test]
async fn a_file_that_is_no_longer_the_one_that_was_seen_is_left_alone() {
    type Swap = fn(&Place);
    let swaps: [(&str, Swap); 6] = [
        ("other bytes", |place| place.put("a.txt", b"theirs")),
        ("another file with the same bytes", |place| {
            place.put("new", b"seen");
            std::fs::rename(place.file("new"), place.file("a.txt")).unwrap();
        }),
        ("a link to the same bytes", |place| {
            std::fs::write(place.top.join("other/b.txt"), "seen").unwrap();
            std::fs::remove_file(place.file("a.txt")).unwrap();
            symlink("../other/b.txt", place.file("a.txt")).unwrap();
        }),
        ("a hard link to the same bytes", |place| {
            std::fs::write(place.top.join("other/b.txt"), "seen").unwrap();
            std::fs::remove_file(place.file("a.txt")).unwrap();
            std::fs::hard_link(place.top.join("other/b.txt"), place.file("a.txt")).unwrap();
        }),
        ("nothing", |place| std::fs::remove_file(place.file("a.txt")).unwrap()),
        ("a folder", |place| {
            std::fs::remove_file(place.file("a.txt")).unwrap();
            std::fs::create_dir(place.file("a.txt")).unwrap();
        }),
    ];
    for (what, swap) in swaps {
        let place = place();
        place.put("a.txt", b"seen");
        let (resolved, seen) = (place.at("a.txt"), place.seen("a.txt").await);
        swap(&place);
        let before = place.names("");
        let written = place.workspace.write_file(&resolved, Over::File(&seen.mark), b"ours").await;
        let expected = "Not written: a.txt is no longer the file you saw.";
        assert!(written.unwrap_err().message.starts_with(expected), "{what}");
        let removed = place.workspace.remove_file(&resolved, &seen.mark).await;
        let expected = "Not removed: a.txt is no longer the file you saw.";
        assert!(removed.unwrap_err().message.starts_with(expected), "{what}");
        assert_eq!(place.names(""), before, "{what}");
        let elsewhere = std::fs::read(place.top.join("other/b.txt"));
        assert!(elsewhere.is_err() || elsewhere.unwrap() == b"seen", "{what}");
    }
}

#[tokio::test]
async fn what_came_where_nothing_was_is_left_alone() {
    let place = place();
    let resolved = place.at("new.txt");
    assert_eq!(place.look("new.txt").await.unwrap(), Standing::Nothing);
    let nothing = Over::Nothing { mode: None };
    let come: [&dyn Fn(); 3] = [
        &|| place.put("new.txt", b"theirs"),
        &|| symlink("../other/b.txt", place.file("new.txt")).unwrap(),
        &|| std::fs::create_dir(place.file("new.txt")).unwrap(),
    ];
    for come in come {
        come();
        let error = place.workspace.write_file(&resolved, nothing, b"ours").await.unwrap_err();
        assert!(error.message.starts_with("Not written: new.txt is no longer"), "{error}");
        let file = place.file("new.txt");
        std::fs::remove_file(&file).or_else(|_| std::fs::remove_dir(&file)).unwrap();
    }
    assert!(!place.top.join("other/b.txt").exists());
    assert_eq!(place.names(""), ["src"]);
}

#[tokio::test]
async fn a_place_that_changed_after_it_was_resolved_is_refused() {
    let place = place();
    place.put("src/b.txt", b"seen");
    let (file, below, fresh) = (place.at("a.txt"), place.at("src/b.txt"), place.at("fresh/c.txt"));
    let mark = place.seen("src/b.txt").await.mark;
    std::fs::write(place.top.join("other/b.txt"), "kept").unwrap();
    symlink("../other/b.txt", place.file("a.txt")).unwrap();
    std::fs::rename(place.file("src"), place.file("gone")).unwrap();
    symlink("../other", place.file("src")).unwrap();
    symlink("../other", place.file("fresh")).unwrap();
    for (path, over) in [
        (&file, Over::Nothing { mode: None }),
        (&below, Over::File(&mark)),
        (&fresh, Over::Nothing { mode: None }),
    ] {
        let error = place.workspace.write_file(path, over, b"overwritten").await.unwrap_err();
        assert!(error.message.contains("is no longer the file you saw"), "{error}");
        let error = place.workspace.read_file(path).await.unwrap_err();
        assert!(error.message.contains("a link stands in its place"), "{error}");
        let error = place.workspace.look(path).await.unwrap_err();
        assert!(error.message.contains("a link stands in its place"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(place.top.join("other/b.txt")).unwrap(), "kept");
    assert!(!place.top.join("other/c.txt").exists());
}

#[tokio::test]
async fn what_is_no_file_is_refused_in_words() {
    let place = place();
    let pipe = place.file("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::from_raw_mode(0o600)).unwrap();
    place.put("fixed", b"");
    std::fs::set_permissions(place.file("fixed"), PermissionsExt::from_mode(0o444)).unwrap();
    let large = std::fs::File::create(place.file("large")).unwrap();
    large.set_len(MAX_FILE_BYTES + 1).unwrap();
    let says = |result: Result<(), CallError>, expected: &str| {
        let error = result.unwrap_err();
        assert!(error.message.contains(expected), "{error}");
    };
    let read = async |path: &str| place.workspace.read_file(&place.at(path)).await.map(drop);
    says(read("pipe").await, "Cannot read pipe: it is no regular file");
    says(place.write("pipe", b"").await, "Cannot write pipe: it is no regular file");
    says(read("src").await, "it is a folder");
    says(place.write("src", b"").await, "it is a folder");
    says(place.write(".", b"").await, "it is a folder");
    says(read("gone").await, "it is not there");
    says(read("large").await, "are more than the");
    says(place.write("large", b"").await, "are more than the");
    says(place.write("fixed", b"").await, "Cannot write fixed: it is read-only");
    let gone = Workspace::new(&place.top.join("gone")).unwrap_err();
    assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    assert_eq!(
        Workspace::new(&place.file("fixed")).unwrap_err().kind(),
        io::ErrorKind::NotADirectory
    );
}

#[tokio::test]
async fn a_file_with_more_names_changes_under_all_of_them() {
    let place = place();
    place.put("a", b"before, and longer than after");
    std::fs::hard_link(place.file("a"), place.top.join("other/b")).unwrap();
    assert_eq!(place.seen("a").await.names, 2);
    for bytes in [&b"after"[..], b"after, and now longer than ever before, by far", b""] {
        place.write("a", bytes).await.unwrap();
        assert_eq!(place.get("a"), bytes);
        assert_eq!(std::fs::read(place.top.join("other/b")).unwrap(), bytes);
    }
    assert_eq!(place.names(""), ["a", "src"]);
}

#[tokio::test]
async fn owner_and_attributes_stay() {
    let place = place();
    place.put("a", b"before");
    let file = std::fs::File::open(place.file("a")).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    let named = rustix::fs::fsetxattr(&file, "user.origin", b"here", flags).is_ok();
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(place.file("a"), Some(1234), Some(2345)).unwrap();
    }
    let before = file.metadata().unwrap();
    place.write("a", b"after").await.unwrap();
    let after = std::fs::metadata(place.file("a")).unwrap();
    assert_ne!(after.ino(), before.ino(), "it was replaced");
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    if named {
        let file = std::fs::File::open(place.file("a")).unwrap();
        let mut value = [0; 16];
        let length = rustix::fs::fgetxattr(&file, "user.origin", &mut value[..]).unwrap();
        assert_eq!(&value[..length], b"here");
    }
}

#[tokio::test]
async fn what_a_killed_process_left_is_swept_away_and_what_another_writes_is_not() {
    use rustix::fs::FlockOperation;
    let place = place();
    let (dead, busy) = (".footplate-dead.partial", ".footplate-busy.partial");
    place.put(dead, b"half");
    place.put(busy, b"half");
    let held = std::fs::File::open(place.file(busy)).unwrap();
    rustix::fs::flock(&held, FlockOperation::LockExclusive).unwrap();
    place.write("a", b"x").await.unwrap();
    assert_eq!(place.names(""), [busy, "a", "src"]);
}

#[test]
fn a_place_of_secrets_is_known_with_all_that_is_in_it() {
    let place = place();
    let hiding = place.workspace.clone().hiding(vec![place.file(".ssh")]);
    for (path, secret) in [(".ssh", true), (".ssh/id", true), (".sshx", false), ("a", false)] {
        assert_eq!(hiding.is_secret(&place.file(path)), secret, "{path}");
    }
}

#[test]
fn a_workspace_in_a_place_of_secrets_is_shown_and_nothing_else_there() {
    let place = place();
    let root = place.file("src");
    std::fs::create_dir_all(root.join("own")).unwrap();
    let workspace = Workspace::new(&root).unwrap();
    let hiding = workspace.hiding(vec![place.workspace.root().to_owned(), root.join("own")]);
    for (path, secret) in [
        ("src/a", false),
        ("src", false),
        ("src/own/a", true),
        ("srcx", true),
        ("sessions/1/journal.jsonl", true),
    ] {
        assert_eq!(hiding.is_secret(&place.workspace.root().join(path)), secret, "{path}");
    }
}
