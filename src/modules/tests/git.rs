//! `git`: what it is run with, and what is asked where it cannot be sealed.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use super::{rules::ruled, support::Rig};
use crate::kernel::{
    BoxFuture,
    capability::{Body, Category},
    error::{CallError, ErrorCode},
    event::{ExitStatus, Seal},
    gate::approval::{Answer, Scope},
    port::{Bounds, Ended, Executor, Form, Job, Level, Notice, Program},
    registry::Mounts,
    spec::Mode,
};

const READS: [&str; 6] =
    ["git.status", "git.diff", "git.log", "git.show", "git.branches", "git.worktrees"];

/// The arguments of a run, and what bounded it.
type Ran = (Vec<String>, Bounds);

/// Says these words for git, and remembers with what it was run.
#[derive(Clone)]
struct Git {
    form: Form,
    status: ExitStatus,
    out: &'static str,
    ran: Arc<Mutex<Vec<Ran>>>,
}

impl Git {
    fn that(form: Form, status: ExitStatus, out: &'static str) -> Self {
        Self { form, status, out, ran: Arc::default() }
    }

    fn runs(&self) -> Vec<Ran> {
        self.ran.lock().unwrap().clone()
    }
}

impl Executor for Git {
    fn check(&self, _: &str, _: &Mounts) -> Result<(), CallError> {
        Ok(())
    }

    fn form(&self) -> Form {
        self.form
    }

    fn find(&self, program: &str, _: &Path) -> Option<PathBuf> {
        (program == "git").then(|| PathBuf::from("/usr/bin/git"))
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        let Program::Argv(argv) = job.what else { panic!("git is no Python") };
        self.ran.lock().unwrap().push((argv, job.bounds));
        (job.notice)(Notice::Started(Seal::None, self.form));
        let ended = Ended {
            status: self.status.clone(),
            stdout: self.out.to_owned(),
            stderr: "fatal: words of git\n".to_owned(),
            leftovers: 0,
            aside: Vec::new(),
            pictures: Vec::new(),
        };
        Box::pin(async move { Ok(ended) })
    }
}

const DONE: ExitStatus = ExitStatus::Exited { code: 0 };

/// A session in a folder with a repository, as far as it is looked at from here.
fn rig(mode: Mode, git: &Git) -> Rig {
    let mut rig = Rig::new(mode);
    rig.put(".git/HEAD", "ref: refs/heads/main\n");
    rig.context.executor = Some(Arc::new(git.clone()));
    rig
}

fn input(name: &str) -> Value {
    match name {
        "git.commit" => json!({"paths": ["a"], "message": "m"}),
        _ => json!({}),
    }
}

#[tokio::test]
async fn a_read_runs_unasked_in_every_mode_and_may_do_nothing_else() {
    for mode in Mode::ALL {
        let git = Git::that(Form::Full, DONE, "");
        let rig = rig(mode, &git);
        for name in READS {
            let result = rig.call(name, json!({})).await;
            assert!(result.ok, "{mode:?} {name}: {result:?}");
        }
        for (argv, bounds) in git.runs() {
            assert_eq!(bounds, Level::Sealed.into(), "{argv:?}");
            assert_eq!(argv[..2], ["sh", "-c"]);
            assert!(argv[4].ends_with("/ws/.git") && argv[5].ends_with("/ws"), "{argv:?}");
        }
    }
}

#[tokio::test]
async fn the_repository_of_a_linked_worktree_may_be_read_and_nothing_else() {
    let git = Git::that(Form::Full, DONE, "");
    let rig = Rig::new(Mode::Plan);
    let linked = rig.outside().join(".git/worktrees/ws");
    fs::create_dir_all(&linked).unwrap();
    rig.put(".git", format!("gitdir: {}\n", linked.display()));
    fs::write(linked.join("gitdir"), rig.workspace().join(".git").to_str().unwrap()).unwrap();
    fs::write(linked.join("commondir"), "../..").unwrap();
    let mut rig = rig;
    rig.context.executor = Some(Arc::new(git.clone()));
    assert!(rig.call("git.log", json!({})).await.ok);
    let (_, bounds) = &git.runs()[0];
    let reads = vec![rig.outside().join(".git"), linked];
    assert_eq!(*bounds, Bounds { reads, ..Level::Sealed.into() });
}

#[tokio::test]
async fn where_nothing_is_sealed_each_call_asks_as_the_program_it_is() {
    let git = Git::that(Form::None, DONE, "# branch.head main\n");
    let rig = rig(Mode::Default, &git);
    for name in READS {
        let yes = Answer::Allow { scope: Scope::Once };
        let result = rig.call_asked(name, json!({}), yes, |question| {
            assert_eq!(question.category, Category::Execute, "{name}");
            let Body::Program { argv, file, .. } = &question.preview.body else { panic!("{name}") };
            assert_eq!(argv[0], "git");
            assert_eq!(file.as_deref(), Some(Path::new("/usr/bin/git")));
            assert!(question.preview.wider[0].contains("no seal here"), "{name}");
        });
        assert!(result.await.ok, "{name}");
    }
    assert!(git.runs().iter().all(|(_, bounds)| bounds.level == Level::Open));
    // To show a commit it would have to run already.
    let commit = rig.call("git.commit", input("git.commit")).await;
    assert!(commit.text().contains("Use process.run, which asks"), "{commit:?}");
    let plan = Rig::new(Mode::Plan);
    let blocked = plan.call("git.status", json!({})).await;
    assert_eq!(blocked.error_code(), Some(ErrorCode::BlockedInPlanMode));
}

#[tokio::test]
async fn what_a_rule_keeps_is_left_out_of_changes_whether_or_not_anything_is_sealed() {
    let deny = "[[deny]]\ncall = \"files.read\"\npath = \"secret/**\"\n";
    for form in [Form::Full, Form::None] {
        for name in ["git.diff", "git.show"] {
            let git = Git::that(form, DONE, "a.txt\nsecret/key\n");
            let rig = ruled(rig(Mode::Auto, &git), deny);
            let result = rig.call(name, json!({})).await;
            assert!(result.text().contains("Files that a rule keeps"), "{form:?}: {result:?}");
            let [(names, _), (told, _)] = &git.runs()[..] else { panic!("{name}: two runs") };
            assert!(names.contains(&"--name-only".to_owned()), "{names:?}");
            let (_, paths) = told.split_at(told.iter().rposition(|word| word == "--").unwrap());
            assert_eq!(paths, ["--", "a.txt"]);
        }
    }
}

#[tokio::test]
async fn each_end_of_git_is_told_in_its_own_words() {
    let code = |code| ExitStatus::Exited { code };
    for (status, error, expected) in [
        (code(128), ErrorCode::Failed, "failed with status 128: fatal: words of git"),
        (ExitStatus::Signalled { signal: 9 }, ErrorCode::Failed, "was ended by signal 9"),
        (ExitStatus::TimedOut, ErrorCode::BudgetSpent, "took longer than 60 s"),
        (ExitStatus::Cancelled, ErrorCode::Interrupted, "Interrupted"),
    ] {
        let rig = rig(Mode::Plan, &Git::that(Form::Full, status, ""));
        for name in READS {
            let result = rig.call(name, json!({})).await;
            assert_eq!(result.error_code(), Some(error), "{name}: {result:?}");
            assert!(result.text().contains(expected), "{name}: {result:?}");
        }
    }
    let mut rig = Rig::new(Mode::Plan);
    rig.context.executor = None;
    let result = rig.call("git.status", json!({})).await;
    assert!(result.is_error, "{result:?}");
}

#[tokio::test]
async fn a_long_answer_says_that_it_is_not_all() {
    let out = "? a\n[… 10 bytes, 2 lines left out …]\n? b\n";
    let rig = rig(Mode::Plan, &Git::that(Form::Full, DONE, out));
    let status = rig.call("git.status", json!({})).await;
    assert_eq!(status.content["changes"].as_array().map(Vec::len), Some(2));
    assert!(status.content["note"].as_str().unwrap().contains("There is more"), "{status:?}");
    let diff = rig.call("git.diff", json!({})).await;
    assert!(diff.text().contains("This is not all of it"), "{diff:?}");
}

#[tokio::test]
async fn no_argument_becomes_an_option_of_git() {
    let git = Git::that(Form::Full, DONE, "");
    let rig = rig(Mode::Plan, &git);
    for (name, input) in [
        ("git.show", json!({"revision": "--output=x"})),
        ("git.log", json!({"revision": "-p"})),
        ("git.diff", json!({"base": "--no-index"})),
        ("git.diff", json!({"base": "a", "to": "-O/x"})),
        ("git.diff", json!({"paths": ["../outside"]})),
        ("git.log", json!({"paths": ["/etc/passwd"]})),
        ("git.log", json!({"revision": "a\nb"})),
        ("git.log", json!({"count": 0})),
        ("git.diff", json!({"paths": vec!["a"; 1_001]})),
    ] {
        let result = rig.call(name, input.clone()).await;
        assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{input}: {result:?}");
    }
    assert!(git.runs().is_empty());
    // Behind the two dashes everything is a path.
    assert!(rig.call("git.log", json!({"paths": ["--all", "./src/:(top)x"]})).await.ok);
    let (argv, _) = &git.runs()[0];
    assert_eq!(argv[argv.len() - 3..], ["--", "--all", "./src/:(top)x"]);
}
