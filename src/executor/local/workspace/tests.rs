use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

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
fn a_folder_is_made_inside_the_workspace_and_nowhere_else() {
    let Place { top, workspace, .. } = &place();
    let link = |target: &str, name: &str| symlink(target, top.join("desk").join(name)).unwrap();
    link("../other", "out");
    link("../gone", "dangling");
    link("src", "in");
    std::fs::write(top.join("desk/file"), "").unwrap();
    for (folder, real) in [("a/b", "desk/a/b"), ("in/new", "desk/src/new"), ("", "desk")] {
        let real = top.join(real);
        assert_eq!(workspace.make_folder(Path::new(folder)).unwrap(), real, "{folder}");
        assert!(real.is_dir(), "{folder}");
    }
    for folder in ["out", "out/new", "dangling", "dangling/new", "..", "/", "file", "file/new"] {
        assert!(workspace.make_folder(Path::new(folder)).is_err(), "{folder}");
    }
    assert!(!top.join("gone").exists());
    assert!(!top.join("other/new").exists());
}

#[tokio::test]
async fn a_file_is_written_whole_and_keeps_its_mode() {
    let Place { top, workspace, .. } = &place();
    let script = top.join("other/run.sh");
    std::fs::write(&script, "old").unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o750)).unwrap();
    symlink(&script, top.join("desk/run")).unwrap();

    let resolved = workspace.resolve_path("run").unwrap();
    workspace.write_file(&resolved, b"new").await.unwrap();
    assert_eq!(workspace.read_file(&resolved).await.unwrap(), b"new");
    assert_eq!(script.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert!(top.join("desk/run").is_symlink(), "the link itself stays");

    let fresh = workspace.resolve_path("new/folder/é.txt").unwrap();
    workspace.write_file(&fresh, b"x").await.unwrap();
    let names: Vec<_> = std::fs::read_dir(top.join("desk/new/folder")).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "nothing half made is left: {names:?}");
}

#[tokio::test]
async fn a_place_that_changed_after_it_was_resolved_is_refused() {
    let Place { top, workspace, .. } = &place();
    let file = workspace.resolve_path("a.txt").unwrap();
    let below = workspace.resolve_path("src/b.txt").unwrap();
    let fresh = workspace.resolve_path("fresh/c.txt").unwrap();
    std::fs::write(top.join("other/b.txt"), "kept").unwrap();
    symlink("../other/b.txt", top.join("desk/a.txt")).unwrap();
    std::fs::remove_dir(top.join("desk/src")).unwrap();
    symlink("../other", top.join("desk/src")).unwrap();
    symlink("../other", top.join("desk/fresh")).unwrap();
    for path in [&file, &below, &fresh] {
        let error = workspace.write_file(path, b"overwritten").await.unwrap_err();
        assert!(error.message.contains("a link stands in its place"), "{error}");
        let error = workspace.read_file(path).await.unwrap_err();
        assert!(error.message.contains("a link stands in its place"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(top.join("other/b.txt")).unwrap(), "kept");
    assert!(!top.join("other/c.txt").exists());
}

#[tokio::test]
async fn what_is_no_file_is_refused_in_words() {
    let Place { top, workspace, .. } = &place();
    let pipe = top.join("desk/pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::from_raw_mode(0o600)).unwrap();
    std::fs::write(top.join("desk/fixed"), "").unwrap();
    std::fs::set_permissions(top.join("desk/fixed"), PermissionsExt::from_mode(0o444)).unwrap();
    let large = std::fs::File::create(top.join("desk/large")).unwrap();
    large.set_len(MAX_FILE_BYTES + 1).unwrap();
    let says = |result: Result<(), CallError>, expected: &str| {
        let error = result.unwrap_err();
        assert!(error.message.contains(expected), "{error}");
    };
    let at = |path: &str| workspace.resolve_path(path).unwrap();
    says(
        workspace.read_file(&at("pipe")).await.map(drop),
        "Cannot read pipe: it is no regular file",
    );
    says(workspace.write_file(&at("pipe"), b"").await, "Cannot write pipe: it is no regular file");
    says(workspace.read_file(&at("src")).await.map(drop), "it is a folder");
    says(workspace.write_file(&at("src"), b"").await, "it is a folder");
    says(workspace.write_file(&at("."), b"").await, "it is a folder");
    says(workspace.read_file(&at("gone")).await.map(drop), "it is not there");
    says(workspace.read_file(&at("large")).await.map(drop), "are more than the");
    says(workspace.write_file(&at("fixed"), b"").await, "it is read-only");
    let gone = Workspace::new(&top.join("gone")).unwrap_err();
    assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    assert_eq!(
        Workspace::new(&top.join("desk/fixed")).unwrap_err().kind(),
        io::ErrorKind::NotADirectory
    );
}
