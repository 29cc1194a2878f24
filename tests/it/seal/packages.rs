//! Installed packages, from inside the seal in each form.

use std::{fs, os::unix::fs::MetadataExt as _};

use footplate::{
    executor::seal::Level,
    kernel::{event::ExitStatus, port::Packages},
};
use serde_json::{Value, json};

use super::{runs::Bench, skipped};
use crate::packages::Shop;

#[tokio::test]
async fn a_compiled_wheel_works_sealed_and_neither_it_nor_the_cache_behind_it_can_be_changed() {
    let shop = Shop::new();
    let Some(module) = &shop.native else {
        return skipped("a compiled wheel: this Python has no module to make it from");
    };
    let requirements = vec!["native".to_owned()];
    for (form, bench) in Bench::each() {
        let input = json!({ "requirements": requirements }).to_string();
        let installed = shop
            .place
            .footplate()
            .env("FOOTPLATE_HOME", bench.root.path().join("ours"))
            .args(["--mode", "auto", "--tool", "install_packages", "--tool-input", &input])
            .output()
            .unwrap();
        let result: Value = serde_json::from_slice(&installed.stdout).unwrap();
        assert_eq!(result["content"]["installed"][0]["name"], "native", "{result}");
        let code = "import os
from native import which
print(which.inner.__name__)
link = os.path.join(os.environ['TMPDIR'], 'link')
for change in (
    lambda: open(which.file, 'ab'),
    lambda: os.truncate(which.file, 0),
    lambda: os.unlink(which.file),
    lambda: os.rename(which.file, link),
    lambda: os.link(which.file, link),
    lambda: open(which.file + '.pth', 'w'),
):
    try:
        change()
        print('done')
    except OSError:
        print('refused')
print(which.file)";
        let packages = Packages { requirements: requirements.clone(), requires_python: None };
        let ended = bench.start(Level::Sealed, code, Some(packages)).await.unwrap();
        assert_eq!(ended.stderr, "", "{form:?}");
        assert_eq!(ended.status, ExitStatus::Exited { code: 0 }, "{form:?}");
        let mut said: Vec<_> = ended.stdout.lines().collect();
        let file = fs::metadata(said.pop().unwrap()).unwrap();
        assert_eq!(
            said,
            [&[&*format!("native.{module}")][..], &["refused"; 6]].concat(),
            "{form:?}"
        );
        assert!(file.nlink() > 1 && file.len() > 0, "{form:?}: it is not the cache's own file");
    }
}

#[tokio::test]
async fn packages_that_are_not_here_are_not_fetched_by_a_run() {
    for (form, bench) in Bench::each() {
        let packages = Packages { requirements: vec!["six".to_owned()], requires_python: None };
        let error = bench.start(Level::Sealed, "print(1)", Some(packages)).await.unwrap_err();
        assert!(
            error.message.starts_with("The packages of this script are gone"),
            "{form:?} {error}"
        );
    }
}
