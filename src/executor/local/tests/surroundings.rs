//! What a run finds around it.

use super::*;

#[tokio::test]
async fn there_is_no_input_and_no_terminal() {
    let code = r#"
import sys
print(repr(sys.stdin.read()))
for attempt in (lambda: input(), lambda: open("/dev/tty")):
    try:
        attempt()
    except (EOFError, OSError) as error:
        print(type(error).__name__)
"#;
    python(code).await.prints("''\nEOFError\nOSError\n");
}

#[tokio::test]
async fn the_environment_is_small_and_fixed() {
    let code = "import os\nprint(*sorted(os.environ))";
    let ran = python(code).await;
    let names: Vec<&str> = ran.ended.stdout.split_whitespace().collect();
    let known = [
        "FOOTPLATE_FD",
        "FOOTPLATE_RUN",
        "FOOTPLATE_SCRIPT",
        "HOME",
        "LANG",
        "MPLBACKEND",
        "PATH",
        "PYTHONNOUSERSITE",
        "PYTHONPATH",
        "PYTHONUNBUFFERED",
        "PYTHONUTF8",
        "TERM",
        "TMPDIR",
        "UV",
        "UV_CACHE_DIR",
        "UV_NO_CONFIG",
        "UV_NO_PROGRESS",
        "UV_OFFLINE",
        "UV_PYTHON",
        "UV_PYTHON_DOWNLOADS",
        "UV_RUN_RECURSION_DEPTH",
        "VIRTUAL_ENV",
    ];
    let odd: Vec<_> = names.iter().filter(|name| !known.contains(name)).collect();
    assert!(odd.is_empty(), "{odd:?}");
    assert!(names.contains(&"PATH"));
}

#[tokio::test]
async fn a_project_around_is_neither_obeyed_nor_touched() {
    let trial = Trial::new();
    let put =
        |name: &str, text: &str| std::fs::write(trial.folder.path().join(name), text).unwrap();
    put(
        "pyproject.toml",
        "[project]\nname = 'x'\nversion = '1'\ndependencies = ['no-such-thing-at-all']",
    );
    put(".python-version", "3.99");
    put("uv.toml", "nonsense");
    trial
        .python("import os\nprint(os.getcwd())")
        .await
        .prints(&format!("{}\n", trial.folder.path().display()));
    assert_eq!(std::fs::read_dir(trial.folder.path()).unwrap().count(), 3);
}

#[tokio::test]
async fn files_named_like_modules_cannot_replace_ours() {
    for name in ["json", "random", "socket", "asyncio", "typing", "sitecustomize", "footplate"] {
        let trial = Trial::new();
        let shadow = trial.folder.path().join(format!("{name}.py"));
        std::fs::write(shadow, "raise SystemExit('the shadow was imported')").unwrap();
        trial
            .python("import sys\nsys.path.insert(0, '.')\nfrom footplate import demo\nprint(demo.echo('ours'))")
            .await
            .prints("ours\n");
    }
}

#[tokio::test]
async fn the_script_has_its_name_and_leaves_no_scratch() {
    let trial = Trial::new();
    let mut job = trial.job(trial.script("print(__file__)"));
    if let Program::Python { filename, .. } = &mut job.what {
        *filename = "größe.py".to_owned();
    }
    let ended = trial.local.run(job).await.unwrap();
    assert!(ended.stdout.ends_with("/größe.py\n"), "{}", ended.stdout);
    assert!(!Path::new(ended.stdout.trim()).exists());
    for name in ["", ".", "..", "../x.py", "/x.py", "a\\b.py", "a\n.py"] {
        assert!(bare(name).is_err(), "{name:?}");
    }
}

#[tokio::test]
async fn a_missing_uv_or_python_is_said_with_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let broken = data.path().join("broken");
    std::fs::create_dir(&broken).unwrap();
    let script = broken.join("python3");
    std::fs::write(&script, "#!/bin/sh\necho 'No module named pip' >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let nowhere = Settings { search_path: "/nonexistent".into(), ..settings(data.path()) };
    for (settings, expected) in [
        (Settings { uv: Some("/nonexistent/uv".into()), ..nowhere.clone() }, "There is no uv at "),
        (nowhere.clone(), "Running Python needs uv, and there is neither uv nor python3 "),
        (
            Settings { search_path: broken.into(), ..nowhere.clone() },
            "pip could not fetch uv: No module named pip",
        ),
        (
            Settings { uv: Some("/bin/false".into()), ..nowhere },
            "/bin/false could not make a Python ",
        ),
    ] {
        let error = uv::prepare(&settings).await.unwrap_err();
        assert!(error.message.starts_with(expected), "{}", error.message);
        assert_eq!(error.message.lines().count(), 2, "{}", error.message);
    }
    let left = std::fs::read_dir(data.path()).unwrap().flatten().map(|entry| entry.file_name());
    let mut left: Vec<_> = left.collect();
    left.sort();
    assert_eq!(left, ["broken", "cache"], "nothing half made is left");
}

#[tokio::test]
async fn an_environment_that_broke_is_made_anew() {
    let ours = tempfile::tempdir().unwrap();
    let uv = uv::prepare(&settings(data())).await.unwrap();
    let settings = Settings { uv: Some(uv.uv().to_owned()), ..settings(ours.path()) };
    std::fs::create_dir_all(ours.path().join("python/bin")).unwrap();
    std::os::unix::fs::symlink("/gone", ours.path().join("python/bin/python")).unwrap();
    let (first, second) = tokio::join!(uv::prepare(&settings), uv::prepare(&settings));
    assert_eq!(first.unwrap(), second.unwrap());
    assert!(ours.path().join("python/bin/python").exists());
}

#[tokio::test]
async fn a_python_program_that_a_script_starts_finds_its_own_modules() {
    let trial = Trial::new();
    std::fs::write(trial.folder.path().join("sibling.py"), "print('found')").unwrap();
    std::fs::write(trial.folder.path().join("tool.py"), "import sibling").unwrap();
    trial
        .python("import subprocess, sys\nsubprocess.run([sys.executable, 'tool.py'])")
        .await
        .prints("found\n");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn where_memory_runs_out_the_system_ends_a_run_before_its_host() {
    python("print(open('/proc/self/oom_score_adj').read(), end='')").await.prints("1000\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_out_of_sight_of_its_run_is_refused_with_what_would_help() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use crate::kernel::port::{Executor as _, Form};

    let (shims, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in ["python3", "sh", "only"] {
        let file = shims.path().join(name);
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink(shims.path().join("only"), work.path().join("led-away")).unwrap();
    std::fs::copy(shims.path().join("only"), work.path().join("mine")).unwrap();
    let path = [shims.path(), Path::new("/usr/bin"), Path::new("/bin")];
    let search_path = std::env::join_paths(path).unwrap();
    let local = Local::new(Settings { search_path, ..settings(data()) }).held_by(Form::Full);
    let check = |program: &str, level: Level| {
        local.check_program(program, work.path(), (&level.into(), work.path()))
    };
    for level in [Level::Sealed, Level::Workspace] {
        for (program, help) in [
            ("python3", "execute_code"),
            ("sh", "bin/sh\", which it sees, or ask for seal=\"open\""),
            ("only", "ask for seal=\"open\""),
            ("./led-away", "ask for seal=\"open\""),
            ("nowhere", "There is no program \"nowhere\""),
        ] {
            let said = check(program, level).unwrap_err().to_string();
            assert!(said.contains(help), "{program}: {said}");
        }
        for program in ["./mine", "/bin/sh"] {
            check(program, level).unwrap();
        }
    }
    check("only", Level::Open).unwrap();
    assert!(check("nowhere", Level::Open).is_err());
}
