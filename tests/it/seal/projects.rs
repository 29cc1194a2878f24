//! What developers do all day, under the workspace level: the tests of small projects.

use std::{
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use footplate::{
    executor::seal::{Form, Level},
    kernel::event::ExitStatus,
};

use super::runs::Bench;
use crate::support::fetched;

fn put(work: &Path, file: &str, text: &str) {
    let file = work.join(file);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// A bench in each form, with a workspace that holds nothing yet.
fn empty() -> Vec<(Form, Bench, PathBuf)> {
    let benches = Bench::each().into_iter();
    let emptied = benches.map(|(form, bench)| {
        let work = bench.work();
        std::fs::remove_dir_all(&work).unwrap();
        std::fs::create_dir(&work).unwrap();
        (form, bench, work)
    });
    emptied.collect()
}

#[tokio::test]
async fn cargo_test_of_a_small_project_works() {
    for (form, bench, work) in empty() {
        // The compiler of whoever runs the tests, as their home would have it.
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
        let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout).unwrap().trim());
        if let Some(rustup) = sysroot.ancestors().find(|folder| folder.ends_with(".rustup")) {
            symlink(rustup, bench.home().join(".rustup")).unwrap();
        }
        put(&work, "Cargo.toml", "[package]\nname = \"small\"\nedition = \"2021\"\n");
        put(&work, "src/lib.rs", "#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n");
        let cargo = sysroot.join("bin/cargo");
        let script =
            format!("PATH={}:$PATH cargo test --offline", cargo.parent().unwrap().display());
        let ended = bench.shell(Level::Workspace, &script).await;
        let said = format!("{form:?}: {}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.status, ExitStatus::Exited { code: 0 }, "{said}");
        assert!(said.contains("test adds ... ok"), "{said}");
        assert!(work.join("target/debug").is_dir() && work.join("Cargo.lock").is_file());
    }
}

#[tokio::test]
async fn pytest_of_a_small_project_works() {
    for (form, bench, work) in empty() {
        let tools = work.join("tools");
        let copied = Command::new("cp").arg("-r").args([&*fetched("pytest"), &tools]).status();
        assert!(copied.unwrap().success());
        put(&work, "small.py", "def add(a, b):\n    return a + b\n");
        let test = "from small import add\n\ndef test_add(tmp_path):\n    \
                    (tmp_path / 'x').write_text('x')\n    assert add(1, 1) == 2\n";
        put(&work, "test_small.py", test);
        let code = "import sys\nsys.path[:0] = ['.', 'tools']\nimport pytest\n\
                    sys.exit(pytest.main(['-q', 'test_small.py']))\n";
        let ended = bench.python(Level::Workspace, code).await;
        let said = format!("{form:?}: {}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.status, ExitStatus::Exited { code: 0 }, "{said}");
        assert!(said.contains("1 passed"), "{said}");
    }
}
