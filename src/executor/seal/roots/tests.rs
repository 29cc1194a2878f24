//! What a run reads and writes, in a small house.

use super::*;

/// A home with a workspace in it, and footplate's own folder.
fn house() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let home = root.path().canonicalize().unwrap();
    for file in [
        ".ssh/id",
        ".cargo/bin/cargo",
        ".cargo/credentials.toml",
        ".config/git/config",
        ".config/git/credentials",
        ".local/share/uv/credentials/credentials.toml",
        "work/.git/config",
        "work/sub/.venv/bin/python",
        "work/env/pyvenv.cfg",
        "work/src/main.py",
        ".local/share/footplate/sessions/one",
        ".local/share/footplate/tour/a.txt",
        "notes.txt",
    ] {
        let file = home.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
    }
    std::os::unix::fs::symlink(home.join(".ssh"), home.join("link")).unwrap();
    (root, home)
}

fn roots(home: &Path, level: Level, workspace: &Path) -> Roots {
    let surroundings = Surroundings {
        home: Some(home.to_owned()),
        private: vec![home.join(".local/share/footplate")],
        needed: Vec::new(),
    };
    let bounds = Bounds::from(level);
    surroundings.roots((&bounds, Form::Full), workspace, &home.join("scratch"))
}

fn reads(roots: &Roots, path: &Path) -> bool {
    roots.reads.iter().any(|root| path.starts_with(root))
}

#[test]
fn the_workspace_and_tools_are_read_and_the_rest_of_home_is_not() {
    let (_root, home) = house();
    for (workspace, path, expected) in [
        ("work", "work/src/main.py", true),
        ("work", "work/.git/config", true),
        ("work", ".cargo/bin/cargo", true),
        ("work", ".cargo/credentials.toml", false),
        ("work", ".config/git/config", true),
        ("work", ".config/git/credentials", false),
        ("work", ".local/share/uv/credentials/credentials.toml", false),
        ("work", ".ssh/id", false),
        ("work", "notes.txt", false),
        ("work", ".local/share/footplate/sessions/one", false),
        ("", "notes.txt", true),
        ("", "work/src/main.py", true),
        ("", ".ssh/id", false),
        ("", "link/id", false),
        ("", ".cargo/credentials.toml", false),
        ("", ".local/share/footplate/sessions/one", false),
        ("..", "notes.txt", false),
        (".local/share/footplate/tour", ".local/share/footplate/tour/a.txt", true),
        (".local/share/footplate/tour", ".local/share/footplate/sessions/one", false),
    ] {
        let roots = roots(&home, Level::Sealed, &home.join(workspace));
        assert_eq!(reads(&roots, &home.join(path)), expected, "{path} from {workspace:?}");
    }
}

#[test]
fn only_the_workspace_level_writes_and_not_what_is_obeyed() {
    let (_root, home) = house();
    std::fs::create_dir(home.join("scratch")).unwrap();
    let work = home.join("work");
    let sealed = roots(&home, Level::Sealed, &work);
    assert_eq!((sealed.writes, sealed.guarded), (vec![home.join("scratch")], vec![]));
    let mut wide = roots(&home, Level::Workspace, &work);
    wide.guarded.sort();
    assert_eq!(wide.writes, [home.join("scratch"), work.clone()]);
    assert_eq!(wide.guarded, [work.join(".git"), work.join("env"), work.join("sub/.venv")]);
    let whole = roots(&home, Level::Workspace, &home);
    assert!(whole.guarded.contains(&home.join(".ssh")), "{:?}", whole.guarded);
    assert!(whole.guarded.contains(&home.join(".local/share/footplate")));
}

#[test]
fn what_is_asked_for_is_opened_and_what_is_hidden_or_obeyed_in_it_is_not() {
    let (_root, home) = house();
    std::fs::create_dir(home.join("scratch")).unwrap();
    let surroundings = Surroundings {
        home: Some(home.clone()),
        private: vec![home.join(".local/share/footplate")],
        needed: Vec::new(),
    };
    let bounds = Bounds { network: true, writes: vec![home.clone()], ..Level::Sealed.into() };
    // The tour's workspace, in a folder of ours: of that, it and nothing else is given.
    let tour = home.join(".local/share/footplate/tour");
    for form in [Form::Full, Form::WithoutNamespaces] {
        let roots = surroundings.roots((&bounds, form), &tour, &home.join("scratch"));
        for (path, expected) in [
            ("notes.txt", true),
            ("work/src/main.py", true),
            (".ssh/id", false),
            (".cargo/credentials.toml", false),
            (".local/share/footplate/sessions/one", false),
            (".local/share/footplate/tour/a.txt", true),
        ] {
            assert_eq!(reads(&roots, &home.join(path)), expected, "{form:?} {path}");
        }
        for path in [".ssh", "work/.git", ".local/share/footplate"] {
            let path = home.join(path);
            let is_guarded = roots.guarded.contains(&path);
            let is_given = roots.writes.iter().any(|root| path.starts_with(root));
            assert!(is_guarded || !is_given, "{form:?} {path:?}");
        }
        let servers = real(Path::new(NAME_SERVERS));
        assert!(servers.is_none_or(|servers| roots.reads.contains(&servers)));
    }
}

#[test]
fn what_a_run_may_read_as_well_is_the_real_place_that_was_named_and_no_secret() {
    let (_root, home) = house();
    std::fs::create_dir(home.join("scratch")).unwrap();
    std::os::unix::fs::symlink(home.join(".ssh"), home.join("way")).unwrap();
    let surroundings = Surroundings {
        home: Some(home.clone()),
        private: vec![home.join(".local/share/footplate")],
        needed: Vec::new(),
    };
    let work = home.join("work/src");
    for (named, file, expected) in [
        ("work/.git", "work/.git/config", true),
        ("way", ".ssh/id", false),
        (".ssh", ".ssh/id", false),
        (".local/share/footplate/sessions", ".local/share/footplate/sessions/one", false),
    ] {
        let bounds = Bounds { reads: vec![home.join(named)], ..Level::Sealed.into() };
        let roots = surroundings.roots((&bounds, Form::Full), &work, &home.join("scratch"));
        assert_eq!(reads(&roots, &home.join(file)), expected, "{named}");
        let given = roots.writes.iter().any(|root| home.join(file).starts_with(root));
        assert!(!given, "{named}");
    }
}

#[test]
fn the_workspace_by_its_own_name_is_all_of_it_where_parts_cannot_be_kept_from_it() {
    let (_root, home) = house();
    std::fs::create_dir(home.join("scratch")).unwrap();
    let surroundings = Surroundings { home: Some(home.clone()), ..Surroundings::default() };
    let work = home.join("work");
    for (form, workspace, given, guarded) in [
        (Form::Full, &work, &work, vec![".git", "env", "sub/.venv"]),
        (Form::WithoutNamespaces, &work, &work, vec![]),
        (Form::WithoutNamespaces, &home, &home.join("work"), vec![]),
    ] {
        let bounds = Bounds { writes: vec![workspace.clone()], ..Level::Workspace.into() };
        let roots = surroundings.roots((&bounds, form), workspace, &home.join("scratch"));
        let is_given = roots.writes.iter().any(|root| given.join("new").starts_with(root));
        assert!(is_given, "{form:?} {workspace:?}: {:?}", roots.writes);
        assert_eq!(
            roots.guarded,
            guarded.into_iter().map(|name| work.join(name)).collect::<Vec<_>>()
        );
        assert!(!roots.writes.iter().any(|root| home.join(".ssh/id").starts_with(root)));
    }
}

#[test]
fn a_link_in_the_place_of_what_was_asked_for_gives_nothing() {
    let (_root, home) = house();
    let surroundings = Surroundings { home: Some(home.clone()), ..Surroundings::default() };
    for form in [Form::Full, Form::WithoutNamespaces] {
        let bounds = Bounds { writes: vec![home.join("link")], ..Level::Workspace.into() };
        let roots = surroundings.roots((&bounds, form), &home.join("work"), &home.join("scratch"));
        let given = roots.reads.iter().chain(&roots.writes);
        assert!(
            given.clone().all(|root| !root.starts_with(home.join(".ssh"))),
            "{form:?} {roots:?}"
        );
    }
}

#[test]
fn an_interpreter_brings_its_folder_but_never_a_home() {
    let (_root, home) = house();
    for (place, expected) in
        [("python/bin/python3", vec!["python"]), ("bin/python3", vec!["bin/python3", "lib"])]
    {
        let python = home.join(place);
        std::fs::create_dir_all(python.parent().unwrap()).unwrap();
        std::fs::write(&python, "").unwrap();
        let expected: Vec<_> = expected.iter().map(|name| home.join(name)).collect();
        assert_eq!(installation(&python, Some(&home)), expected, "{place}");
    }
}

#[test]
fn a_session_is_shown_no_secret_and_all_of_a_workspace_that_lies_among_them() {
    let (_root, home) = house();
    let surroundings = Surroundings {
        home: Some(home.clone()),
        private: vec![home.join(".local/share/footplate")],
        needed: Vec::new(),
    };
    for (workspace, path, secret) in [
        ("", ".ssh/id", true),
        ("", ".local/share/footplate/sessions/one", true),
        ("", "notes.txt", false),
        ("", "work/src/main.py", false),
        ("work", "work/src/main.py", false),
        // That a workspace in one of them was meant is for who knows what is read.
        (".local/share/footplate/tour", ".local/share/footplate/sessions/a", true),
    ] {
        let secrets = surroundings.secrets(&home.join(workspace));
        let within = secrets.iter().any(|secret| home.join(path).starts_with(secret));
        assert_eq!(within, secret, "{path} in {workspace}");
    }
}
