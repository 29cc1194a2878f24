//! `git`, with the real program: what a repository says is told, what it wants run is not run, and a
//! commit is what was shown.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process,
    sync::Arc,
};

use footplate::{
    executor::{Local, Settings},
    host::{Attendance, Host, Parts},
    kernel::{
        capability::{Body, Category, Reach},
        command::Command,
        event::Event,
        gate::{
            approval::{Answer, Question, Scope},
            law::Rules,
            policy::Runs,
        },
        id::SessionId,
        port::{Desk, NoBook, Watch},
        spec::{Limits, Mode, SessionSpec},
    },
    model::{self, Models, scripted::Pace},
    modules,
    store::MemoryStore,
};
use serde_json::{Value, json};

use crate::support::{Place, seals, uv};

/// Git as the person runs it in that folder.
fn by_hand(folder: &Path, words: &[&str]) -> process::Output {
    process::Command::new("git")
        .env_clear()
        .envs([
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", folder.display().to_string()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z".to_owned()),
            ("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z".to_owned()),
        ])
        .current_dir(folder)
        .args(words)
        .output()
        .unwrap()
}

/// What it says.
fn git(folder: &Path, words: &[&str]) -> String {
    let ran = by_hand(folder, words);
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// A repository in a folder, with one commit.
fn begun(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["config", "user.name", "Ada"]);
    git(folder, &["config", "user.email", "ada@example.org"]);
    fs::write(folder.join("a.txt"), "one\n").unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "begin"]);
}

/// One call by hand.
fn call(place: &Place, mode: &str, name: &str, input: &Value) -> Value {
    let ran = place.run(&["--mode", mode, "--tool", name, "--tool-input", &input.to_string()]);
    serde_json::from_str(&ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()))
}

fn message(result: &Value) -> &str {
    result["content"]["message"].as_str().unwrap_or_default()
}

#[test]
fn a_repository_is_read_in_plan_mode_and_left_as_it_is() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work();
    begun(&work);
    fs::write(work.join("a.txt"), "one\ntwo\n").unwrap();
    fs::write(work.join("new é.txt"), "new\n").unwrap();
    fs::write(work.join("staged.txt"), "staged\n").unwrap();
    git(&work, &["add", "staged.txt"]);
    git(&work, &["branch", "topic"]);
    let index = fs::read(work.join(".git/index")).unwrap();
    let head = git(&work, &["rev-parse", "HEAD"]).trim().to_owned();
    let told = |name: &str, input: Value| {
        let result = call(&place, "plan", name, &input);
        assert_eq!(result["ok"], true, "{name}: {result}");
        result["content"].clone()
    };
    let expected = json!({
        "branch": "main", "head": head, "upstream": null, "ahead": null, "behind": null,
        "changes": [
            {"path": "a.txt", "unstaged": "modified"},
            {"path": "staged.txt", "staged": "added"},
            {"path": "new é.txt", "unstaged": "untracked"},
        ],
    });
    assert_eq!(told("git.status", json!({})), expected);
    let diff = told("git.diff", json!({"paths": ["a.txt"]}));
    assert!(diff.as_str().unwrap().ends_with("@@ -1 +1,2 @@\n one\n+two\n"), "{diff}");
    let staged = told("git.diff", json!({"staged": true, "stat": true}));
    assert!(staged.as_str().unwrap().contains("staged.txt | 1 +"), "{staged}");
    assert_eq!(told("git.diff", json!({"base": "main", "to": "topic"})), json!(""));
    let log = told("git.log", json!({"revision": "topic", "count": 1}));
    let expected = json!({"commits": [{
        "commit": head, "author": "Ada <ada@example.org>", "date": "2026-01-02T03:04:05Z",
        "subject": "begin",
    }]});
    let log = log.to_string().replace("+00:00", "Z");
    assert_eq!(serde_json::from_str::<Value>(&log).unwrap(), expected);
    let shown = told("git.show", json!({}));
    assert!(shown.as_str().unwrap().contains("    begin\n"), "{shown}");
    assert_eq!(told("git.show", json!({"revision": "topic", "path": "a.txt"})), json!("one\n"));
    let branches = told("git.branches", json!({}));
    let names: Vec<_> = branches["branches"].as_array().unwrap().iter().collect();
    assert_eq!(names.len(), 2);
    assert!(names.iter().any(|it| it["name"] == "main" && it["current"] == true), "{names:?}");
    let trees = told("git.worktrees", json!({}));
    let real = work.canonicalize().unwrap();
    let expected = json!([{"path": real, "head": head, "branch": "main"}]);
    assert_eq!(trees["worktrees"], expected);
    assert_eq!(fs::read(work.join(".git/index")).unwrap(), index, "nothing was written");
}

#[test]
fn what_cannot_be_told_is_said_plainly() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work();
    let status = call(&place, "plan", "git.status", &json!({}));
    assert!(message(&status).contains("This folder is no git repository"), "{status}");
    begun(&work);
    for (name, input, expected) in [
        ("git.show", json!({"revision": "--output=x"}), "that is no revision"),
        ("git.log", json!({"revision": "gone"}), "gone"),
        ("git.diff", json!({"paths": ["../home"]}), "is not inside the workspace"),
        ("git.diff", json!({"to": "main"}), "give it with base"),
        ("git.show", json!({"path": "/etc/passwd"}), "is not inside the workspace"),
        ("git.show", json!({"path": "gone.txt"}), "gone.txt"),
    ] {
        let result = call(&place, "plan", name, &input);
        assert!(message(&result).contains(expected), "{name}: {result}");
    }
    fs::create_dir(work.join("sub")).unwrap();
    let below = place.run(&["-C", "sub", "--tool", "git.status", "--tool-input", "{}"]);
    assert!(below.stdout().contains("It lies in one"), "{}", below.stdout());
    let poor = Place::new().with(&[("PATH", "/nowhere")]);
    begun(&poor.work());
    let result = call(&poor, "plan", "git.status", &json!({}));
    assert!(message(&result).contains("There is no git program"), "{result}");
}

/// A program that leaves a mark, and passes on what it is given.
fn trap(folder: &Path, mark: &Path) -> PathBuf {
    let trap = folder.join("trap.sh");
    let text = format!("#!/bin/sh\necho ran >> {}\necho TRAPPED\ncat\n", mark.display());
    fs::write(&trap, text).unwrap();
    fs::set_permissions(&trap, PermissionsExt::from_mode(0o755)).unwrap();
    trap
}

/// Has a repository run that program wherever it can.
fn booby_trapped(work: &Path, trap: &Path) {
    let trap = trap.to_str().unwrap();
    for (key, value) in [
        ("core.fsmonitor", trap),
        ("core.pager", trap),
        ("pager.diff", trap),
        ("pager.log", trap),
        ("core.editor", trap),
        ("core.sshCommand", trap),
        ("core.gitProxy", trap),
        ("diff.external", trap),
        ("diff.d.command", trap),
        ("diff.d.textconv", trap),
        ("filter.f.clean", trap),
        ("filter.f.smudge", trap),
        ("filter.f.process", trap),
        ("filter.f.required", "true"),
        ("filter.a=b.clean", trap),
        ("filter.\u{1b}[mx.clean", trap),
        ("gpg.program", trap),
        ("log.showSignature", "true"),
        ("commit.gpgSign", "true"),
        ("credential.helper", trap),
        ("alias.status", &format!("!{trap}")),
        ("remote.origin.url", &format!("ext::{trap}")),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
        ("extensions.partialClone", "origin"),
        ("protocol.ext.allow", "always"),
        ("merge.m.driver", trap),
        ("status.submoduleSummary", "true"),
        ("diff.submodule", "diff"),
        ("interactive.diffFilter", trap),
        ("sequence.editor", trap),
    ] {
        git(work, &["config", key, value]);
    }
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-index-change",
        "reference-transaction",
        "post-checkout",
    ] {
        fs::copy(trap, work.join(".git/hooks").join(hook)).unwrap();
    }
    let attributes = "a.txt diff=d filter=f merge=m\nb.txt filter=a=b\nc.txt filter=\u{1b}[mx\n";
    fs::write(work.join(".git/info/attributes"), attributes).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_runs_that_a_repository_wants_run() {
    let place = Place::new();
    let work = place.work();
    begun(&work);
    for name in ["b.txt", "c.txt", "d.txt"] {
        fs::write(work.join(name), "one\n").unwrap();
    }
    git(&work, &["add", "."]);
    git(&work, &["commit", "-q", "-m", "more"]);
    // Where a run that may write the repository can leave it, too.
    let mark = work.join(".git/mark");
    let trap = trap(&work, &mark);
    booby_trapped(&work, &trap);
    for name in ["a.txt", "b.txt", "c.txt", "d.txt"] {
        fs::write(work.join(name), "two\n").unwrap();
    }
    // It is a trap: git by hand runs into it.
    let ran = by_hand(&work, &["status"]);
    assert!(mark.exists(), "{}", String::from_utf8_lossy(&ran.stderr));
    fs::remove_file(&mark).unwrap();
    let reads = [
        ("git.status", json!({})),
        ("git.diff", json!({})),
        ("git.diff", json!({"base": "HEAD"})),
        ("git.diff", json!({"staged": true})),
        ("git.log", json!({})),
        ("git.show", json!({})),
        ("git.show", json!({"path": "a.txt"})),
        ("git.branches", json!({})),
        ("git.worktrees", json!({})),
    ];
    // Unsealed, nothing but what is switched off keeps them from running.
    let open = Attended::at(&place, None, Mode::Auto);
    for (name, input) in &reads {
        let result = open.host.call(open.session, name, input.to_string()).await.unwrap();
        assert!(result.ok, "{name}: {result:?}");
        assert!(!result.text().contains("TRAPPED"), "{name}: {result:?}");
        assert!(!mark.exists(), "{name}: it ran");
    }
    open.host.shutdown().await;
    if !seals() {
        return;
    }
    let commit = ("git.commit", json!({"paths": ["d.txt"], "message": "two"}));
    for (name, input) in reads.into_iter().chain([commit]) {
        let result = call(&place, "auto", name, &input);
        assert_eq!(result["ok"], true, "{name}: {result}");
        assert!(!result.to_string().contains("TRAPPED"), "{name}: {result}");
        assert!(!mark.exists(), "{name}: it ran");
    }
    let status = call(&place, "auto", "git.status", &json!({}));
    let paths: Vec<_> = status["content"]["changes"].as_array().unwrap().iter().collect();
    assert_eq!(paths.len(), 4, "{status}");
    // Its bytes without the filter would be others than those of everybody else.
    for path in ["a.txt", "b.txt", "c.txt"] {
        let input = json!({"paths": [path], "message": "two"});
        let result = call(&place, "auto", "git.commit", &input);
        assert!(message(&result).contains("pass through a filter"), "{path}: {result}");
    }
    // An object that is missing is not fetched, by whatever program.
    let blob = git(&work, &["-c", "core.fsmonitor=false", "rev-parse", "HEAD~2:a.txt"]);
    fs::remove_file(&mark).ok();
    let blob = blob.trim();
    fs::remove_file(work.join(".git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    let result = call(&place, "auto", "git.show", &json!({"revision": "HEAD~2", "path": "a.txt"}));
    assert_eq!(result["ok"], false, "{result}");
    assert!(!mark.exists() && !result.to_string().contains("TRAPPED"), "{result}");
}

#[test]
fn a_linked_worktree_is_read_and_one_that_only_says_so_is_not() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let main = place.user().join("main");
    fs::create_dir(&main).unwrap();
    begun(&main);
    fs::remove_dir(place.work()).unwrap();
    git(&main, &["worktree", "add", "-q", "-b", "tree", place.work().to_str().unwrap()]);
    fs::write(place.work().join("a.txt"), "two\n").unwrap();
    let status = call(&place, "plan", "git.status", &json!({}));
    assert_eq!(status["content"]["branch"], "tree", "{status}");
    let input = json!({"paths": ["a.txt"], "message": "two"});
    let committed = call(&place, "auto", "git.commit", &input);
    assert_eq!(committed["ok"], true, "{committed}");
    assert_eq!(git(&main, &["show", "tree:a.txt"]), "two\n");
    assert_eq!(git(&place.work(), &["status", "--porcelain"]), "");
    let evil = place.user().join("evil");
    fs::create_dir(&evil).unwrap();
    let linked = fs::read_to_string(place.work().join(".git")).unwrap();
    fs::write(evil.join(".git"), linked).unwrap();
    let evil = evil.to_str().unwrap();
    let ran = place.run(&["-C", evil, "--tool", "git.log", "--tool-input", "{}"]);
    assert!(ran.stdout().contains("does not say that this is a worktree of its own"));
}

/// A host with somebody at the keys, in that place.
struct Attended {
    host: Host,
    session: SessionId,
    events: Watch,
}

impl Attended {
    fn at(place: &Place, launcher: Option<PathBuf>, mode: Mode) -> Self {
        let executor = Local::new(Settings {
            launcher,
            private: vec![place.home()],
            data: place.home().join("data"),
            cache: place.home().join("cache"),
            home: Some(place.user()),
            search_path: std::env::var_os("PATH").unwrap_or_default(),
            uv: Some(uv().to_owned()),
            notice: Arc::new(|_| {}),
        });
        let host = Host::new(Parts {
            store: Arc::new(MemoryStore::default()),
            registry: modules::registry(),
            models: Models::new(Vec::new(), |_| None, Pace::Instant),
            executor: Arc::new(executor),
            monitor: None,
            runs: Runs::BySeal,
            attendance: Attendance::Attended,
            rules: Arc::new(Rules::default()),
            book: Arc::new(NoBook),
            profiles: Arc::new(footplate::kernel::port::NoProfiles),
            memory: None,
            worktrees: None,
        });
        let events = host.subscribe();
        let session = host
            .start(SessionSpec {
                id: SessionId::fresh(),
                parent: None,
                path: vec!["main".to_owned()],
                workspace: place.work(),
                model: model::NONE.to_owned(),
                mode,
                tools: Vec::new(),
                modules: vec!["git".to_owned()],
                limits: Limits::default(),
                instructions: String::new(),
                agents: None,
                view: footplate::kernel::spec::View::Whole,
                worktree: None,
                workflow: None,
            })
            .unwrap();
        Self { host, session, events }
    }

    /// Makes a call and says yes to its question, after a look at it.
    async fn asked(&mut self, input: &Value, look: impl FnOnce(&Question)) -> Value {
        let host = self.host.clone();
        let (session, input) = (self.session, input.to_string());
        let call = tokio::spawn(async move { host.call(session, "git.commit", input).await });
        let question = loop {
            match &self.events.recv().await.unwrap().event {
                Event::ApprovalRequested { question } => break question.clone(),
                Event::CallFinished { result, .. } => panic!("not asked: {result:?}"),
                Event::ExecutionStarted { .. } => panic!("it ran before it was asked"),
                _ => {}
            }
        };
        look(&question);
        let answer = Answer::Allow { scope: Scope::Once };
        let command = Command::Answer { approval: question.id, answer };
        Desk::send(&self.host, command).unwrap();
        let result = call.await.unwrap().unwrap();
        while self.events.try_recv().is_ok() {}
        json!(result)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_is_exactly_what_was_shown() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work();
    begun(&work);
    fs::write(work.join("a.txt"), "two\n").unwrap();
    fs::write(work.join("new.txt"), "new\n").unwrap();
    fs::write(work.join("other.txt"), "staged, and not meant\n").unwrap();
    symlink("a.txt", work.join("link")).unwrap();
    git(&work, &["add", "other.txt"]);
    let launcher = Some(env!("CARGO_BIN_EXE_footplate").into());
    let mut there = Attended::at(&place, launcher, Mode::AcceptEdits);
    let input = json!({"paths": ["a.txt", "new.txt", "link"], "message": "Second\n\nand more \n"});
    let before = git(&work, &["count-objects"]);
    let committed = there.asked(&input, |question| {
        let preview = &question.preview;
        assert_eq!((question.category, preview.reach), (Category::Write, Reach::Outside));
        assert_eq!(preview.object, "commit on main");
        let expected = ["as Ada <ada@example.org>", "no hook runs", "in the workspace"];
        assert_eq!(preview.facts, expected);
        let Body::Text { text } = &preview.body else { panic!("{preview:?}") };
        for part in ["commit on main\n", "\nSecond\n\nand more\n", "-one\n+two\n", "\n+new", "link"]
        {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        assert!(!text.contains("not meant"), "{text}");
        assert_eq!(git(&work, &["count-objects"]), before, "nothing is made for a question");
    });
    let committed = committed.await;
    assert_eq!(committed["ok"], true, "{committed}");
    let head = git(&work, &["rev-parse", "HEAD"]);
    assert_eq!(committed["content"]["commit"], json!(head.trim()));
    assert_eq!(git(&work, &["log", "-1", "--format=%B"]).trim(), "Second\n\nand more");
    let files = git(&work, &["ls-tree", "--name-only", "HEAD"]);
    assert_eq!(files, "a.txt\nlink\nnew.txt\n");
    assert_eq!(git(&work, &["status", "--porcelain"]), "A  other.txt\n");

    // A file that goes, and one that changes while somebody thinks.
    fs::remove_file(work.join("new.txt")).unwrap();
    let input = json!({"paths": ["new.txt", "a.txt"], "message": "Third"});
    let refused = there.asked(&input, |_| fs::write(work.join("a.txt"), "behind\n").unwrap()).await;
    assert!(message(&refused).contains("no longer those you saw"), "{refused}");
    assert_eq!(git(&work, &["rev-parse", "HEAD"]), head);
    let committed = there.asked(&input, |_| {}).await;
    assert_eq!(committed["ok"], true, "{committed}");
    assert_eq!(git(&work, &["ls-tree", "--name-only", "HEAD"]), "a.txt\nlink\n");
    there.host.shutdown().await;
}

#[test]
fn a_commit_that_cannot_be_made_is_refused_with_the_reason_before_anybody_is_asked() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work();
    git(&work, &["init", "-q", "-b", "main"]);
    fs::write(work.join("a.txt"), "one\n").unwrap();
    fs::write(work.join(".gitignore"), "ignored\n").unwrap();
    fs::write(work.join("ignored"), "x\n").unwrap();
    let commit = |paths: &[&str], said: &str| {
        call(&place, "default", "git.commit", &json!({"paths": paths, "message": said}))
    };
    let unknown = commit(&["a.txt"], "x");
    assert!(message(&unknown).contains("auto-detection is disabled"), "{unknown}");
    git(&work, &["config", "user.name", "Ada"]);
    git(&work, &["config", "user.email", "ada@example.org"]);
    for (paths, said, expected) in [
        (&["gone.txt"][..], "x", "did not match any files"),
        (&["ignored"], "x", "ignored"),
        (&["a.txt"], " ", "it is empty"),
        (&["a.txt"], "a\u{1b}[2J", "control characters"),
        (&["../x"], "x", "is not inside the workspace"),
        (&[".git/config"], "x", "nothing has changed"),
    ] {
        let result = commit(paths, said);
        assert!(message(&result).contains(expected), "{paths:?}: {result}");
    }
    // Nobody is there to be asked.
    assert_eq!(commit(&["a.txt"], "first")["content"]["error"], "no_approver");
    let first = json!({"paths": ["."], "message": "first"});
    let made = call(&place, "auto", "git.commit", &first);
    assert_eq!(made["ok"], true, "{made}");
    assert_eq!(git(&work, &["ls-tree", "--name-only", "HEAD"]), ".gitignore\na.txt\n");
    let again = call(&place, "auto", "git.commit", &first);
    assert!(message(&again).contains("nothing has changed"), "{again}");
    fs::write(work.join("a.txt"), "two\n").unwrap();
    fs::write(work.join(".git/MERGE_HEAD"), "").unwrap();
    let merging = call(&place, "auto", "git.commit", &first);
    assert!(message(&merging).contains("is going on"), "{merging}");
}

#[test]
fn what_a_rule_keeps_from_being_read_is_in_no_change_that_git_tells_of() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let work = place.work();
    begun(&work);
    fs::create_dir(work.join("private")).unwrap();
    fs::write(work.join("private/key.txt"), "KEY=1\n").unwrap();
    fs::write(work.join("a.txt"), "two\n").unwrap();
    git(&work, &["add", "."]);
    git(&work, &["commit", "-q", "-m", "more"]);
    fs::write(work.join("private/key.txt"), "KEY=2\n").unwrap();
    fs::write(work.join("a.txt"), "three\n").unwrap();
    fs::create_dir_all(place.home().join("config")).unwrap();
    let deny = "[[deny]]\ncall = \"files.read\"\npath = \"private/**\"\n";
    fs::write(place.home().join("config/rules.toml"), deny).unwrap();
    for (name, input, expected) in [
        ("git.diff", json!({}), "+three"),
        ("git.diff", json!({"base": "HEAD~1", "to": "HEAD"}), "+two"),
        ("git.diff", json!({"paths": ["private"]}), "left out"),
        ("git.show", json!({}), "+two"),
        ("git.show", json!({"path": "a.txt"}), "two"),
        ("git.show", json!({"path": "private/key.txt"}), "denied_by_rule"),
        ("git.show", json!({"path": "private/./key.txt"}), "denied_by_rule"),
        ("git.show", json!({"revision": "HEAD:private/key.txt"}), "the file by path"),
        ("git.diff", json!({"base": "HEAD:private/key.txt"}), "the file by path"),
    ] {
        let result = call(&place, "plan", name, &input).to_string();
        assert!(result.contains(expected), "{name} {input}: {result}");
        assert!(!result.contains("KEY="), "{name} {input}: {result}");
    }
}
