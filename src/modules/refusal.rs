//! What a program says when the seal refused it something, read for what to ask for instead.

use std::path::{Component, Path, PathBuf};

use crate::kernel::{
    capability::Reach,
    context::Context,
    obeyed::is_obeyed,
    port::{Bounds, Form, Level},
};

/// What was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// To reach the network.
    Network,
    /// To write, or to see, a place, where that could be read from what was said.
    Place(Option<String>),
}

/// What programs say of a network that is not there.
const NO_NETWORK: [&str; 11] = [
    "Temporary failure in name resolution",
    "Name or service not known",
    "Could not resolve host",
    "Could not resolve hostname",
    "unable to resolve host",
    "failed to lookup address",
    "getaddrinfo",
    "EAI_AGAIN",
    "Network is unreachable",
    "Failed to create socket",
    "dns error",
];

/// What they say of a place they may not write or see.
const NO_PLACE: [&str; 2] = ["Read-only file system", "Permission denied"];

/// The longest line that is looked into for a path.
const LONGEST: usize = 1000;

/// What these bounds refused a program that said this, if anything.
pub(super) fn of(said: &str, bounds: &Bounds) -> Option<Refusal> {
    if bounds.level == Level::Open {
        return None;
    }
    // Which of several came first is told apart by nobody; the last is what it ended with.
    said.lines().rev().find_map(|line| {
        let is_socket = line.contains("Operation not permitted") && said.contains("socket");
        if !bounds.network && (is_socket || NO_NETWORK.iter().any(|words| line.contains(words))) {
            return Some(Refusal::Network);
        }
        let at = NO_PLACE.iter().find_map(|words| line.find(words).map(|at| (at, words.len())));
        let (at, length) = at?;
        let (before, after) = (&line[..at], &line[at + length..]);
        let path = if line.len() > LONGEST { None } else { named(before, after) };
        Some(Refusal::Place(path.map(str::to_owned)))
    })
}

/// The path that a message names, after its words as Python does or before them as most do.
fn named<'a>(before: &'a str, after: &'a str) -> Option<&'a str> {
    let after = after.strip_prefix(": ").and_then(|rest| rest.strip_prefix(['\'', '"']));
    if let Some(path) = after.and_then(|rest| rest.split(['\'', '"']).next()) {
        return Some(path).filter(|path| !path.is_empty());
    }
    let before = before.trim_end().trim_end_matches(['(', ':']).trim_end();
    for (open, close) in [('\'', '\''), ('‘', '’'), ('"', '"'), ('`', '`')] {
        let quoted = before.strip_suffix(close).and_then(|rest| rest.rsplit_once(open));
        if let Some((_, path)) = quoted.filter(|(_, path)| !path.is_empty()) {
            return Some(path);
        }
    }
    let word = before.rsplit(char::is_whitespace).next()?;
    (word.contains('/') || word.starts_with('.')).then_some(word).filter(|word| word.len() > 1)
}

/// The place to ask for: what is obeyed as a whole, and anything else itself.
fn to_ask(path: &str) -> PathBuf {
    let mut place = PathBuf::new();
    for part in Path::new(path).components() {
        place.push(part);
        if let Component::Normal(name) = part
            && is_obeyed(name)
        {
            break;
        }
    }
    place
}

/// What to do about it, for a program: which words of `process.run` ask for more.
pub(super) fn advice(refusal: &Refusal, level: Level, form: Form) -> String {
    let advice = said(refusal, level.name());
    match (refusal, level, form) {
        (Refusal::Place(_), Level::Workspace, Form::WithoutNamespaces) => {
            format!("{advice}. {WITHOUT_NAMESPACES}: writes=[\".\"] asks for all of the workspace")
        }
        (Refusal::Network | Refusal::Place(_), _, _) => advice,
    }
}

const WITHOUT_NAMESPACES: &str = "Without namespaces, as here, nothing can be made or moved right in a \
                                  folder that holds what others obey, such as .git";

fn said(refusal: &Refusal, seal: &str) -> String {
    match refusal {
        Refusal::Network => format!(
            "It ran with seal {seal:?}, which has no network. If it needs that, run it again with \
             network=True, which is asked for"
        ),
        Refusal::Place(Some(path)) => format!(
            "It ran with seal {seal:?}, which may have kept {path:?} from it. If it needs that, run it \
             again with writes=[{:?}] (or a folder that is there and holds it), or with seal=\"open\"; \
             both are asked for",
            to_ask(path)
        ),
        Refusal::Place(None) => format!(
            "It ran with seal {seal:?}, which may have kept something from it. If it needs to write \
             elsewhere, run it again with writes=[…] naming what, or with seal=\"open\"; both are asked \
             for"
        ),
    }
}

/// Where a script was refused a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// Among the plain files of the workspace, or nobody knows where.
    Workspace,
    /// Where no seal lets a script write: outside the workspace, or what others obey inside it.
    Beyond,
    /// Among what is shown to no model.
    Secret,
}

impl Where {
    /// Where the place of a refusal is.
    pub(super) fn of(refusal: &Refusal, cx: &Context) -> Self {
        let Refusal::Place(Some(path)) = refusal else { return Self::Workspace };
        match cx.env.resolve_path(path) {
            Ok(place) if cx.env.is_secret(&place.real) => Self::Secret,
            Ok(place) if place.reach == Reach::Workspace => {
                let is_obeyed = Path::new(&place.shown).iter().any(is_obeyed);
                if is_obeyed { Self::Beyond } else { Self::Workspace }
            }
            Ok(_) | Err(_) => Self::Beyond,
        }
    }
}

/// The same for a script, whose effects go through the modules.
pub(super) fn advice_for_a_script(
    refusal: &Refusal,
    (level, form): (Level, Form),
    place: Where,
) -> String {
    let seal = level.name();
    let wider = match (level, place) {
        (Level::Sealed, Where::Workspace) => "run the script with seal=\"workspace\"",
        (Level::Sealed, Where::Beyond | Where::Secret) | (Level::Workspace | Level::Open, _) => {
            "run the script with seal=\"open\""
        }
    };
    match (refusal, place) {
        (Refusal::Network, _) => format!(
            "The script ran with seal {seal:?}, which has no network: use process.run([…], \
             network=True), which is asked for"
        ),
        (Refusal::Place(Some(path)), Where::Secret) => format!(
            "The script ran with seal {seal:?}, which keeps {path:?} from it, since secrets are shown to \
             no model. Go on without it, or ask the person for what you need of it"
        ),
        (Refusal::Place(path), _) => {
            let what = path.as_ref().map_or("something".to_owned(), |path| format!("{path:?}"));
            let writes =
                path.as_ref().map_or("…".to_owned(), |path| format!("{:?}", to_ask(path)));
            let beside = match (form, place) {
                (Form::WithoutNamespaces, Where::Workspace) => format!(
                    ". {WITHOUT_NAMESPACES}: that takes process.run([…], writes=[\".\"]) or \
                     seal=\"open\""
                ),
                _ => String::new(),
            };
            format!(
                "The script ran with seal {seal:?}, which may have kept {what} from it: use files.write, \
                 process.run([…], writes=[{writes}]), or {wider}; each is asked for{beside}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str) -> Option<Refusal> {
        Some(Refusal::Place(Some(path.to_owned())))
    }

    #[test]
    fn what_programs_say_is_read_for_what_was_refused() {
        for (said, expected) in [
            ("curl: (6) Could not resolve host: example.org", Some(Refusal::Network)),
            (
                "socket.gaierror: [Errno -3] Temporary failure in name resolution",
                Some(Refusal::Network),
            ),
            ("ping: connect: Network is unreachable", Some(Refusal::Network)),
            (
                "  File \"/usr/lib/python3.13/socket.py\", line 233, in __init__\n\
                 PermissionError: [Errno 1] Operation not permitted",
                Some(Refusal::Network),
            ),
            ("chown: changing owner of 'x': Operation not permitted", None),
            ("OSError: [Errno 30] Read-only file system: '/data/out.txt'", place("/data/out.txt")),
            ("PermissionError: [Errno 13] Permission denied: 'new'", place("new")),
            ("touch: cannot touch '/data/x y': Read-only file system", place("/data/x y")),
            ("mkdir: cannot create directory ‘out’: Permission denied", place("out")),
            ("sh: 1: cannot create .git/hooks/a: Read-only file system", place(".git/hooks/a")),
            (
                "fatal: Unable to create '/w/.git/index.lock': Read-only file system",
                place("/w/.git/index.lock"),
            ),
            ("error: Read-only file system (os error 30)", Some(Refusal::Place(None))),
            (
                "warning: x\nerror: failed\n  Permission denied (os error 13)",
                Some(Refusal::Place(None)),
            ),
            ("it works", None),
            ("", None),
        ] {
            assert_eq!(of(said, &Level::Workspace.into()), expected, "{said}");
            assert_eq!(of(said, &Level::Open.into()), None, "{said}");
        }
        let network = Bounds { network: true, ..Level::Sealed.into() };
        assert_eq!(of("curl: (6) Could not resolve host: example.org", &network), None);
    }

    #[test]
    fn advice_names_exactly_what_to_ask_for() {
        use self::{Where::*, advice_for_a_script as script};

        let (sealed, workspace) = ((Level::Sealed, Form::Full), (Level::Workspace, Form::Full));
        let named = |path: &str| Refusal::Place(Some(path.to_owned()));
        for (advice, expected) in [
            (advice(&Refusal::Network, Level::Workspace, Form::Full), "network=True"),
            (
                advice(&named("/w/.git/index.lock"), Level::Workspace, Form::Full),
                "writes=[\"/w/.git\"]",
            ),
            (advice(&named("../out/x"), Level::Workspace, Form::Full), "writes=[\"../out/x\"]"),
            (advice(&Refusal::Place(None), Level::Workspace, Form::Full), "seal=\"open\""),
            (advice(&named("new"), Level::Workspace, Form::WithoutNamespaces), "writes=[\".\"]"),
            (script(&Refusal::Network, sealed, Workspace), "process.run([…], network=True)"),
            (script(&named("a"), sealed, Workspace), "files.write"),
            (script(&named("a"), sealed, Workspace), "seal=\"workspace\"; each is asked for"),
            (script(&named("a"), workspace, Workspace), "seal=\"open\"; each is asked for"),
            (
                script(&named("a"), (Level::Sealed, Form::WithoutNamespaces), Workspace),
                "writes=[\".\"]",
            ),
            (script(&named("/out/a"), sealed, Beyond), "seal=\"open\"; each is asked for"),
            (script(&named(".git/x"), sealed, Beyond), "seal=\"open\"; each is asked for"),
            (script(&named(".git/x"), workspace, Beyond), "writes=[\".git\"]"),
            (script(&named("/home/me/.ssh/id"), sealed, Secret), "ask the person"),
        ] {
            assert!(advice.contains(expected) && !advice.contains('\n'), "{advice}");
        }
    }
}
