//! The workstation line by line: through pipes, and at a terminal, which stays as it is.

use std::{
    io::{Read as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use crate::{
    support::{PATIENCE, Place, of_type, runs, runs_open, seals},
    terminal::App,
};

/// Wide and high enough that no line is broken and none scrolls away.
const WIDE: (u16, u16) = (100, 200);

const WRITES: &str =
    "from footplate import files\nfiles.write('a.txt', 'hello\\n')\nprint('wrote it')\n";

/// Somebody reads a question.
const READS: Duration = Duration::from_millis(450);

/// What is said to a line that came before its question could be read.
const TOO_SOON: &str = "Not taken as an answer";

/// The program behind pipes, and what it said.
struct Piped {
    child: Child,
    input: Option<ChildStdin>,
    said: Arc<(Mutex<(String, bool)>, Condvar)>,
}

impl Piped {
    fn start(mut command: Command, arguments: &[&str]) -> Self {
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let said = Arc::new((Mutex::new((String::new(), false)), Condvar::new()));
        let heard = said.clone();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            loop {
                let read = output.read(&mut chunk).unwrap_or(0);
                let mut said = heard.0.lock().unwrap();
                said.0.push_str(std::str::from_utf8(&chunk[..read]).unwrap());
                said.1 = read == 0;
                heard.1.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, said }
    }

    fn wait_until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let said = self.said.0.lock().unwrap();
        let unwanted = |said: &mut (String, bool)| !said.1 && !wanted(&said.0);
        let (said, _) = self.said.1.wait_timeout_while(said, PATIENCE, unwanted).unwrap();
        assert!(wanted(&said.0), "never heard {what}; all that was said:\n{}", said.0);
        said.0.clone()
    }

    fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |said| said.contains(text))
    }

    fn writes(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Answers, and again as often as it came too soon, until this is said.
    #[expect(clippy::disallowed_methods, reason = "it is how long a person reads")]
    fn answers(&mut self, word: &str, until: &str) {
        loop {
            // Nobody reads faster, and no answer counts before.
            std::thread::sleep(READS);
            let before = self.wait_for("").matches(TOO_SOON).count();
            self.writes(&format!("{word}\n"));
            let said = self.wait_until(until, |said| {
                said.contains(until) || said.matches(TOO_SOON).count() > before
            });
            if said.contains(until) {
                return;
            }
        }
    }

    /// Ends the input, and waits for the end.
    fn ends(&mut self) -> i32 {
        self.input = None;
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.child.kill();
    }
}

#[test]
fn a_session_is_driven_through_pipes_by_words() {
    let place = Place::new();
    let model = place.script(&runs_open(WRITES));
    let mut piped = Piped::start(place.footplate(), &["--lines", "--model", &model]);
    piped.wait_for("Type /help");
    piped.writes("write it\n");
    piped.wait_for("EXECUTE main.py");
    piped.answers("yes", "YES, once, by you");
    piped.wait_for("WRITE a.txt, 1 line added, new file");
    assert!(!place.work().join("a.txt").exists());
    piped.answers("no because not yet", "The model reads: not yet");
    let said = piped.wait_for("main: done after");
    assert_eq!(piped.ends(), 0, "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
    assert!(said.contains("you: write it\n"), "{said}");
    let journal = place.journal();
    let answered = of_type(&journal, "approval_answered");
    assert_eq!(answered[1]["answer"]["because"], "not yet");
    assert!(!place.work().join("a.txt").exists());
}

#[test]
fn lines_that_come_at_once_answer_nothing_and_an_end_leaves_the_question() {
    let place = Place::new();
    let model = place.script(&runs_open(WRITES));
    let mut piped = Piped::start(place.footplate(), &["--lines", "--model", &model, "write it"]);
    piped.wait_for("answer 1> ");
    piped.writes("yes\nyes\n");
    piped.wait_for("2 lines came at once");
    assert_eq!(piped.ends(), 3);
    let said = piped.wait_for("Nobody can answer");
    assert!(!said.contains("YES"), "{said}");
    let journal = place.journal();
    assert_eq!(of_type(&journal, "approval_answered").len(), 0);
    assert_eq!(of_type(&journal, "execution_started").len(), 0);
}

#[test]
fn work_comes_to_its_end_after_that_of_the_input() {
    let hello = serde_json::json!({ "turns": [{ "text": "Hello there." }] });
    let place = Place::new();
    let model = place.script(&hello);
    let mut piped = Piped::start(place.footplate(), &["--lines", "--model", &model]);
    piped.writes("say hello\nand then stop\n");
    assert_eq!(piped.ends(), 0);
    piped.wait_for("you: say hello\n  and then stop\nmain: Hello there.\nmain: done after");
    let place = Place::new();
    let model = place.script(&hello);
    let mut piped = Piped::start(place.footplate(), &["--lines", "--model", &model, "say hello"]);
    assert_eq!(piped.ends(), 0);
    piped.wait_for("you: say hello\nmain: Hello there.\nmain: done after");
}

#[test]
fn a_terminal_that_can_show_no_screen_is_spoken_to_in_lines() {
    let place = Place::new().with(&[("TERM", "dumb")]);
    let model = place.script(&runs_open(WRITES));
    let mut app = App::start(&place, WIDE, &["--model", &model, "write it"]);
    app.wait_for("this terminal cannot show a screen");
    app.wait_for("answer 1>");
    app.press("later\r");
    app.wait_until("an answer", |screen| screen.contains("Not now.") || screen.contains(TOO_SOON));
    app.press("/quit\r");
    app.wait_for("QUIT? 1 at work, 1 waiting for you.");
    // The end of input says it a second time.
    app.press("\u{4}");
    assert_eq!(app.ended().exit_code(), 0);
    assert!(!app.bytes().contains(&0x1b), "{:?}", String::from_utf8_lossy(&app.bytes()));
    assert!(app.wait_for("All is kept.").contains("--continue"));
}

#[test]
fn a_word_that_was_begun_before_a_question_is_no_answer_to_it() {
    if !seals() {
        return;
    }
    let place = Place::new();
    let waits =
        "import pathlib, time\nwhile not pathlib.Path('go').exists():\n    time.sleep(0.05)\n";
    let model = place.script(&runs(&format!("print('waits', flush=True)\n{waits}{WRITES}")));
    let mut app = App::start(&place, WIDE, &["--lines", "--model", &model, "write it"]);
    app.wait_for("main.py: waits");
    app.press("ye");
    app.wait_until("the letters", |screen| screen.trim_end().ends_with("ye"));
    std::fs::write(place.work().join("go"), "").unwrap();
    app.wait_for("Your line so far: ye");
    app.press("s\r");
    app.wait_for("It was begun before");
    assert!(!place.work().join("a.txt").exists());
    app.press("/draft\r");
    app.wait_for("Draft: yes");
    let journal = place.journal();
    assert_eq!(of_type(&journal, "approval_answered").len(), 0);
}

#[test]
fn arguments_are_edited_in_the_editor_and_run_as_they_came_back() {
    let place = Place::new();
    let editor = place.user().join("ed.sh");
    std::fs::write(&editor, "sed -i.old s/hello/goodbye/ \"$1\"\n").unwrap();
    let named = format!("/bin/sh {}", editor.display());
    let place = place.with(&[("EDITOR", &named)]);
    let model = place.script(&runs_open(WRITES));
    let mut piped = Piped::start(place.footplate(), &["--lines", "--model", &model, "write it"]);
    piped.wait_for("EXECUTE main.py");
    piped.answers("yes", "YES, once, by you");
    piped.wait_for("WRITE a.txt");
    piped.answers("edit", "EDITED, to run as it stands here:");
    piped.answers("yes", "YES, as edited");
    piped.wait_for("main: done after");
    assert_eq!(piped.ends(), 0);
    assert_eq!(std::fs::read_to_string(place.work().join("a.txt")).unwrap(), "goodbye\n");
}
