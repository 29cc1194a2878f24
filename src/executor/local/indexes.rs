//! Whom the person's own uv would ask for packages, for people to read before they say yes. In uv's
//! own words: its settings come from many places, and what it obeys is what must be told.

use std::path::Path;

use reqwest::Url;
use tokio::process::Command;

use super::tool::run;
use crate::kernel::error::CallError;

/// The places as `uv` names them when it is asked to list them for no package at all, without the
/// secrets that addresses may hold. Nobody is asked for anything.
pub(super) async fn sources(mut uv: Command) -> Result<Vec<String>, CallError> {
    uv.args(["pip", "compile", "--quiet", "--offline", "--no-header"])
        // Nothing on standard input is nothing to compile.
        .args(["--emit-index-url", "--emit-find-links", "-"]);
    let said = run(&mut uv, Path::new("/")).await.map_err(|fault| {
        CallError::failed(format!(
            "uv does not say where it would get packages: {fault}\nSee that `uv pip compile` works."
        ))
    })?;
    Ok(told(&said))
}

fn told(said: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in said.lines().filter_map(|line| line.trim().strip_prefix("--")) {
        let Some((_, address)) = line.split_once([' ', '=']) else { continue };
        let place = place(address.trim());
        if !all.contains(&place) {
            all.push(place);
        }
    }
    all
}

/// An address as people know it: its host, or its folder.
fn place(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return address.to_owned() };
    match (url.host_str(), url.port()) {
        (Some("pypi.org"), None) => "PyPI".to_owned(),
        (Some(host), None) => host.to_owned(),
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (None, _) => url.path().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_who_is_asked_for_packages_is_named_without_their_secrets() {
        for (said, expected) in [
            ("", vec![]),
            ("--index-url https://pypi.org/simple\n\n", vec!["PyPI"]),
            (
                "--index-url https://me:secret@a.example:8443/simple?token=secret\n\
                 --extra-index-url https://b.example/one\n--extra-index-url https://b.example/two\n\
                 --find-links /a/b c\n--find-links file:///d\n",
                vec!["a.example:8443", "b.example", "/a/b c", "/d"],
            ),
        ] {
            assert_eq!(told(said), expected, "{said}");
        }
    }
}
