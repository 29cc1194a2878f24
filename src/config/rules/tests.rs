use std::fs;

use tempfile::TempDir;

use super::*;
use crate::kernel::gate::rule::Effect;

struct Computer {
    root: TempDir,
    told: Arc<Mutex<Vec<String>>>,
}

impl Computer {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("project/.footplate")).unwrap();
        Self { root, told: Arc::default() }
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project").canonicalize().unwrap()
    }

    fn home(&self) -> Home {
        Home::under(&self.root.path().join("home"))
    }

    fn user(&self) -> PathBuf {
        self.home().config.join("rules.toml")
    }

    fn put(&self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn put_project(&self, text: &str) {
        self.put(&of_project(&self.project()), text);
    }

    fn files(&self) -> RuleFiles {
        let told = self.told.clone();
        let notice = Arc::new(move |text| told.lock().unwrap().push(text));
        RuleFiles::new(&self.home(), None, notice).with_admin(self.root.path().join("admin.toml"))
    }

    fn read(&self, files: &RuleFiles) -> Vec<(Layer, Effect, String)> {
        let rules = files.read(&[self.project()]);
        let told = |placed: Placed| (placed.cited.layer, placed.cited.effect, placed.cited.says);
        rules.into_iter().map(told).collect()
    }

    fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.told.lock().unwrap())
    }
}

const ALLOW: &str = "[[allow]]\ncall = \"process.run\"\nargs = [\"cargo\", \"test\"]\n";
const DENY: &str = "[[deny]]\ncall = \"process.run\"\nargs = [\"git\", \"push\", \"**\"]\n";

fn allow(layer: Layer) -> (Layer, Effect, String) {
    (layer, Effect::Allow, "cargo test".to_owned())
}

fn deny(layer: Layer) -> (Layer, Effect, String) {
    (layer, Effect::Deny, "git push **".to_owned())
}

#[test]
fn without_files_there_are_no_rules_and_nothing_is_said() {
    let computer = Computer::new();
    assert_eq!(computer.read(&computer.files()), []);
    assert_eq!(computer.told(), [""; 0]);
}

#[test]
fn the_rules_of_all_layers_count_each_named_by_its_file_and_line() {
    let computer = Computer::new();
    computer.put(&computer.root.path().join("admin.toml"), DENY);
    computer.put(&computer.user(), &format!("# mine\n\n{ALLOW}"));
    let files = computer.files();
    assert_eq!(computer.read(&files), [deny(Layer::Admin), allow(Layer::User)]);
    let cited = &files.read(&[])[1].cited;
    assert_eq!(cited.file.as_deref(), computer.user().to_str());
    assert_eq!(cited.line, Some(3));
}

#[test]
fn a_project_may_deny_at_once_and_allow_only_once_it_is_trusted_as_it_is() {
    let computer = Computer::new();
    let files = computer.files();
    let trust = Trust::new(&computer.home());
    computer.put_project(&format!("{ALLOW}{DENY}"));
    assert_eq!(computer.read(&files), [deny(Layer::Project)]);
    assert!(computer.told()[0].contains("1 kind of calls"), "said");
    assert_eq!(computer.read(&files), [deny(Layer::Project)]);
    assert_eq!(computer.told(), [""; 0], "and only once");

    assert_eq!(trust.give(&computer.project()).unwrap(), format!("{ALLOW}{DENY}"));
    assert_eq!(computer.read(&files), [allow(Layer::Project), deny(Layer::Project)]);
    // A rule of a project is about that project.
    let rules = files.read(&[computer.project()]);
    assert_eq!(rules[0].within.as_deref(), Some(&*computer.project()));

    computer.put_project(&format!("{ALLOW}{DENY}\n"));
    assert_eq!(computer.read(&files), [deny(Layer::Project)], "one byte more");
    computer.put_project(&format!("{ALLOW}{DENY}"));
    assert_eq!(computer.read(&files).len(), 2, "the bytes that were trusted");

    // The same rules elsewhere are not trusted.
    let elsewhere = computer.root.path().join("elsewhere");
    computer.put(&of_project(&elsewhere), ALLOW);
    assert_eq!(files.read(&[elsewhere.canonicalize().unwrap()]), []);
    trust.take(&computer.project()).unwrap();
    assert_eq!(computer.read(&files), [deny(Layer::Project)]);
}

#[test]
fn a_person_is_asked_about_a_projects_rules_until_they_say_yes_or_never_to_that_text() {
    let computer = Computer::new();
    let files = computer.files();
    let project = computer.project();
    assert_eq!(files.untrusted(&project), None, "there are none");
    computer.put_project(DENY);
    assert_eq!(files.untrusted(&project), None, "they would allow nothing");
    computer.put_project(&format!("{ALLOW}{DENY}"));
    let asked = files.untrusted(&project).unwrap();
    assert_eq!((&*asked.text, asked.allows), (&*format!("{ALLOW}{DENY}"), 1));
    assert_eq!(computer.read(&files), [deny(Layer::Project)]);
    assert_eq!(computer.told(), [""; 0], "who asks has told it");
    assert!(files.untrusted(&project).is_some(), "nothing was said yet");

    files.judge(&project, &asked.text, Trusting::Never).unwrap();
    assert_eq!(files.untrusted(&project), None);
    let anew = computer.files();
    assert_eq!(computer.read(&anew), [deny(Layer::Project)]);
    assert_eq!((anew.untrusted(&project), computer.told()), (None, Vec::new()), "for good");

    computer.put_project(ALLOW);
    let other = files.untrusted(&project).unwrap();
    let late = files.judge(&project, &asked.text, Trusting::Yes).unwrap_err();
    assert_eq!(late, "Not kept: they were changed since you saw them.");
    assert_eq!(computer.read(&files), [], "a yes to another text is none to this one");
    std::fs::remove_dir_all(of_project(&project).parent().unwrap()).unwrap();
    let gone = files.judge(&project, &other.text, Trusting::Yes).unwrap_err();
    assert_eq!(gone, "Not kept: those rules are gone.");
    computer.put_project(ALLOW);
    assert_eq!(computer.read(&files), [], "a yes to what was gone is none to what is back");
    files.judge(&project, &other.text, Trusting::Yes).unwrap();
    assert_eq!(computer.read(&files), [allow(Layer::Project)]);
    assert_eq!(files.untrusted(&project), None);

    files.trust.take(&project).unwrap();
    assert!(files.untrusted(&project).is_some(), "what is taken back is asked about again");
}

#[test]
fn there_is_nothing_to_trust_without_rules_and_broken_trust_is_none() {
    let computer = Computer::new();
    let trust = Trust::new(&computer.home());
    assert!(matches!(trust.give(&computer.project()), Err(TrustError::NoRules(_))));
    computer.put_project(ALLOW);
    trust.give(&computer.project()).unwrap();
    fs::write(computer.home().state.join("trust.toml"), "=").unwrap();
    assert_eq!(computer.read(&computer.files()), []);
    assert!(matches!(trust.give(&computer.project()), Err(TrustError::Io { .. })));
}

#[test]
fn a_file_with_a_fault_is_told_with_its_line_and_only_narrows() {
    let computer = Computer::new();
    let files = computer.files();
    computer.put(&computer.user(), &format!("{ALLOW}{DENY}[[allow]]\ncall = \"*\"\n"));
    assert_eq!(computer.read(&files), [deny(Layer::User)]);
    let told = computer.told();
    assert_eq!(told.len(), 1);
    let expected = format!("{}:8:8: this would allow every call", computer.user().display());
    assert!(told[0].starts_with(&expected), "{}", told[0]);
    assert!(told[0].contains("no [[allow]] of it counts"));

    computer.put(&computer.user(), &format!("{DENY}[[deny]\n"));
    let everything = computer.read(&files);
    assert_eq!(everything.len(), 1);
    assert_eq!(everything[0].1, Effect::Ask);
    assert!(computer.told()[0].contains("every effect is asked for"));
}

#[test]
fn a_file_that_cannot_be_read_asks_for_everything() {
    let computer = Computer::new();
    let files = computer.files();
    let user = computer.user();
    let make: [&dyn Fn(); 3] = [
        &|| fs::create_dir_all(&user).unwrap(),
        &|| computer.put(&user, &"#".repeat(1 << 21)),
        &|| std::os::unix::fs::symlink("nowhere", &user).unwrap(),
    ];
    for make in make {
        make();
        let rules = computer.read(&files);
        assert_eq!(rules.iter().map(|rule| rule.1).collect::<Vec<_>>(), [Effect::Ask]);
        assert!(computer.told()[0].contains("cannot be read"));
        if user.is_dir() { fs::remove_dir(&user).unwrap() } else { fs::remove_file(&user).unwrap() }
    }
}

#[test]
fn a_rule_that_is_kept_stands_behind_all_that_was_there() {
    let computer = Computer::new();
    let files = computer.files();
    files.keep(ALLOW).unwrap();
    assert_eq!(fs::read_to_string(computer.user()).unwrap(), ALLOW);
    let mine = format!("# careful\n{DENY}# the end");
    computer.put(&computer.user(), &mine);
    files.keep(ALLOW).unwrap();
    assert_eq!(fs::read_to_string(computer.user()).unwrap(), format!("{mine}\n\n{ALLOW}"));
    assert_eq!(computer.read(&files), [deny(Layer::User), allow(Layer::User)]);
}

#[test]
fn no_rule_is_kept_where_it_would_not_count() {
    let computer = Computer::new();
    let files = computer.files();
    for old in ["[[allow]]\ncall = \"*\"\n", "allow = []\n", "[["] {
        computer.put(&computer.user(), old);
        let why = files.keep(ALLOW).unwrap_err();
        assert!(why.starts_with("Not saved"), "{why}");
        assert_eq!(fs::read_to_string(computer.user()).unwrap(), old);
    }
    fs::remove_file(computer.user()).unwrap();
    assert!(files.keep("[[allow]]\ncall = \"*\"\n").is_err());
    assert!(!computer.user().exists());
}

#[test]
fn a_link_stays_a_link_and_a_mode_a_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let computer = Computer::new();
    let real = computer.root.path().join("dotfiles/rules.toml");
    computer.put(&real, DENY);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(&computer.home().config).unwrap();
    std::os::unix::fs::symlink(&real, computer.user()).unwrap();
    computer.files().keep(ALLOW).unwrap();
    assert!(computer.user().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), format!("{DENY}\n{ALLOW}"));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_rule_is_taken_out_and_everything_else_stays() {
    let computer = Computer::new();
    let files = computer.files();
    let last =
        "# about pushing\n[[deny]]\ncall = \"process.run\"\nargs = [\"git\", \"push\", \"**\"]\n";
    computer.put(&computer.user(), &format!("# mine\n\n{ALLOW}\n# two\n{ALLOW}{last}"));
    let cited = |at: usize| files.read(&[])[at].cited.clone();
    files.remove(&cited(1)).unwrap();
    let text = || fs::read_to_string(computer.user()).unwrap();
    assert_eq!(text(), format!("# mine\n\n{ALLOW}\n# two\n{last}"));
    // Its line is another now; its words are the same.
    let moved = Cited { line: Some(40), ..cited(0) };
    files.remove(&moved).unwrap();
    assert_eq!(text(), format!("# mine\n\n\n# two\n{last}"));
    assert_eq!(files.remove(&moved).unwrap_err(), "That rule is not there any more.");
}

#[test]
fn what_a_file_of_rules_begins_with_holds_no_rule_and_shows_valid_ones() {
    use crate::kernel::gate::rule::{Lasting, Reading, parse};
    let reading = Reading { home: None, lasting: Lasting::File };
    let empty = parse(TEMPLATE, reading);
    assert_eq!((empty.fault, empty.rules.len()), (None, 0));
    let (_, rules) = TEMPLATE.split_once("#\n").unwrap();
    let rules: Vec<_> = rules.lines().map(|line| line.trim_start_matches(['#', ' '])).collect();
    let shown = parse(&rules.join("\n"), reading);
    assert_eq!((shown.fault, shown.rules.len()), (None, 3));
}
