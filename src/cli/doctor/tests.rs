use std::fs;

use super::{findings::room, *};
use crate::{
    executor::seal::{Form, Probe, Refused},
    tui::{picture::Means, theme::Depth},
};

fn linux() -> Facts {
    Facts {
        system: "linux".into(),
        machine: "x86_64".into(),
        kernel: "6.8.0".into(),
        ..Facts::default()
    }
}

#[test]
fn a_seal_that_is_not_full_says_which_step_failed_and_why_and_what_would_help() {
    let refused = |form, fault: &str| Refused { form, fault: fault.to_owned() };
    let full = seal_of(&Probe { form: Form::Full, refused: Vec::new() }, &linux());
    assert_eq!((full.state, full.why, full.how), (State::Good, vec![], vec![]));

    let facts = Facts { apparmor_restrict_unprivileged_userns: Some(1), ..linux() };
    let fault = "cannot make namespaces: Permission denied (os error 13)";
    let probe = Probe { form: Form::WithoutNamespaces, refused: vec![refused(Form::Full, fault)] };
    let weaker = seal_of(&probe, &facts);
    assert_eq!(weaker.state, State::Weaker);
    assert!(weaker.says.contains("Landlock and seccomp alone"), "{weaker:?}");
    assert_eq!(weaker.why[0], format!("full: {fault}"));
    assert!(weaker.why[1].contains("AppArmor") && weaker.how[0].contains("userns"), "{weaker:?}");

    let fault = "cannot rule over files: this kernel has no Landlock";
    let forms = [Form::Full, Form::WithoutNamespaces].map(|form| refused(form, fault));
    let facts = Facts { kernel: "5.4.0".into(), ..linux() };
    let none = seal_of(&Probe { form: Form::None, refused: forms.to_vec() }, &facts);
    assert_eq!(none.says, "this system has no seal: every run asks first");
    // Both forms stumbled over the same, which is said once.
    assert_eq!((none.why.len(), none.how.len()), (3, 1), "{none:?}");

    let facts = Facts { system: "freebsd".into(), ..Facts::default() };
    let none = seal_of(&Probe { form: Form::None, refused: Vec::new() }, &facts);
    assert!(none.why[0].contains("freebsd") && !none.how.is_empty(), "{none:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_broken_and_none_is_made() {
    let top = tempfile::tempdir().unwrap();
    let at = |path: &str| top.path().join(path);
    fs::write(at("file"), "").unwrap();
    std::os::unix::fs::symlink(at("nowhere"), at("link")).unwrap();
    for path in ["", "not/there/yet"] {
        let found = folder("data", &at(path));
        assert!(found.state < State::Broken, "{path}: {found:?}");
        assert!(found.says.starts_with(&at(path).display().to_string()), "{path}: {found:?}");
    }
    for path in ["file", "file/below", "link", "link/below"] {
        let found = folder("data", &at(path));
        assert_eq!((found.state, found.how.len()), (State::Broken, 1), "{path}: {found:?}");
        assert!(found.says.contains("is no folder"), "{path}: {found:?}");
    }
    assert!(!at("not").exists() && !at("nowhere").exists());
}

#[test]
fn a_disk_that_is_almost_full_is_a_warning() {
    for (free, state, says) in [
        (Some(41_000_000_000), State::Good, "/d, 41 GB free"),
        (Some(600_000_000), State::Good, "/d, 600 MB free"),
        (Some(12_000_000), State::Weaker, "/d, only 12 MB free"),
        (Some(0), State::Weaker, "/d, only 0 MB free"),
        (None, State::Good, "/d"),
    ] {
        let found = room("data", std::path::Path::new("/d"), free);
        assert_eq!((found.state, &*found.says), (state, says));
    }
}

#[test]
fn a_terminal_says_what_it_shows_and_what_lies_between() {
    let found = |depth, is_utf8, set: &[&str]| {
        terminal(true, (depth, is_utf8, Means::Blocks), |name: &str| set.contains(&name))
    };
    let plain = found(Depth::True, true, &[]);
    assert_eq!((&*plain.says, plain.how.len()), ("all colours, UTF-8, pictures in half-blocks", 0));
    let remote = found(Depth::Many, true, &["TMUX", "SSH_CONNECTION"]);
    assert_eq!(remote.says, "256 colours, UTF-8, in tmux, over ssh, pictures in half-blocks");
    assert!(remote.state == State::Good && remote.how[0].contains("set-clipboard"), "{remote:?}");
    let poor = found(Depth::Sixteen, false, &[]);
    assert!(poor.state == State::Weaker && poor.how.len() == 2, "{poor:?}");
}

#[test]
fn a_line_says_one_thing_and_hostile_text_stays_on_it() {
    let mut weaker = Finding::weaker("seal", "weak", "do\nthis");
    weaker.why.push("because \u{1b}[2J of it".to_owned());
    let all = [Finding::good("uv", "uv 1\r\n✗ git"), weaker];
    let text = told(&all, &linux(), Marks::unicode());
    let lines: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(lines[0], "✓ uv         uv 1 ✗ git");
    assert_eq!(lines[1], "▲ seal       weak");
    assert!(!text.contains('\u{1b}') && lines[2].contains("because"), "{text}");
    assert_eq!(lines[3], "             to do: do this");
    assert_eq!(lines.last(), Some(&"Everything needed works; 1 thing could be better."));
    assert!(works(&all));
    let all = [Finding::broken("uv", "not found", "get it")];
    assert!(!works(&all));
    let text = told(&all, &linux(), Marks::ascii());
    assert!(text.contains("\nx uv         not found\n"), "{text}");
    assert!(text.ends_with("1 thing that is needed does not work.\n"), "{text}");
}
