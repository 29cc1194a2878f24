//! Somebody types fast while questions come: nothing is answered, and every letter is there.

use std::{fs, ops::RangeInclusive};

use serde_json::{Value, json};

use crate::{
    support::{Place, of_type},
    terminal::App,
};

const LARGE: (u16, u16) = (40, 120);
const QUESTIONS: usize = 6;
const ROUNDS: usize = 30;

/// Letters that answer or do something to a question, and some that do not.
const LETTERS: &[u8] = b"yyyynnnNNffeewwmmv/pcaAYlqxz0123456789";

/// The script asks for each of them as soon as the test lets it.
fn asks_when_told() -> Value {
    let code = format!(
        "import os, time
from concurrent.futures import ThreadPoolExecutor
from footplate import Denied, files
def ask(number):
    while not os.path.exists(f'go{{number}}'):
        time.sleep(0.01)
    try:
        files.write(f'made{{number}}.txt', 'x')
    except Denied:
        pass
with ThreadPoolExecutor({QUESTIONS}) as pool:
    list(pool.map(ask, range({QUESTIONS})))
"
    );
    let arguments = json!({ "code": code, "seal": "open", "timeout_ms": 600_000 });
    let mut turns = vec![json!({ "calls": [{ "name": "execute_code", "arguments": arguments }] })];
    turns.extend((0..ROUNDS).map(|turn| json!({ "text": format!("I heard it, {turn}.") })));
    json!({ "turns": turns })
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, range: RangeInclusive<usize>) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let width = (range.end() - range.start() + 1) as u64;
        range.start() + usize::try_from(self.0 % width).unwrap()
    }

    /// Letters right behind each other.
    fn letters(&mut self, count: RangeInclusive<usize>) -> String {
        let count = self.roll(count);
        (0..count).map(|_| char::from(LETTERS[self.roll(0..=LETTERS.len() - 1)])).collect()
    }
}

/// Whoever types, and what must have become of it.
struct Typist {
    app: App,
    place: Place,
    dice: Dice,
    asked: usize,
    /// In the composer, line by line.
    written: Vec<String>,
    /// What enter has sent, for the end of the turn.
    sent: Vec<String>,
    /// There was a paste since the keyboard was last seen to be still.
    pasted: bool,
}

impl Typist {
    fn asks_one_more(&mut self) {
        if self.asked < QUESTIONS {
            fs::write(self.place.work().join(format!("go{}", self.asked)), "").unwrap();
            self.asked += 1;
        }
    }

    fn writes(&mut self, text: &str) {
        let mut lines = text.split('\n');
        let first = lines.next().unwrap_or_default();
        self.written.last_mut().unwrap().push_str(first);
        self.written.extend(lines.map(str::to_owned));
    }

    /// One thing that comes in one piece, as fast as it can.
    fn does_something(&mut self) {
        match self.dice.roll(0..=9) {
            0..=3 => {
                let letters = self.dice.letters(2..=9);
                // Two together, or the first would answer where this test stands still behind it.
                let (together, alone) = letters.split_at(2);
                self.app.press(together);
                alone.chars().for_each(|letter| self.app.press(&letter.to_string()));
                self.writes(&letters);
            }
            4 => {
                let text = ["y", "n", "yes\ny", "N\n", "1", "y\ny\ny"][self.dice.roll(0..=5)];
                self.app.paste(text);
                self.writes(text);
                self.pasted = true;
            }
            // The window comes to the front by a click, on the keys; then one where one writes.
            5 => self.app.press("\x1b[I\x1b[<0;40;36M\x1b[<0;40;36m\x1b[<0;60;39M\x1b[<0;60;39m"),
            // A paste from a terminal that marks none: lines, and a line that is sent.
            6 => {
                let text = format!("{}\n{}", self.dice.letters(2..=5), self.dice.letters(1..=5));
                self.app.press(&text);
                self.writes(&text);
            }
            // Enter right behind a paste sends only if nothing follows, and here something may.
            7 if !self.pasted && !self.written[0].starts_with('/') => {
                let text = self.dice.letters(3..=9);
                let text = format!("l{}z", text.trim_start_matches('/'));
                // The first two together, as above.
                let (together, alone) = text.split_at(2);
                self.app.press(together);
                alone.chars().for_each(|letter| self.app.press(&letter.to_string()));
                self.writes(&text);
                // Read together with the letters, it would be text as they are.
                let last = self.written.last().cloned().unwrap_or_default();
                self.app.wait_until("what is to be sent", |screen| screen.contains(&last));
                self.app.press("\r");
                self.sent
                    .push(std::mem::replace(&mut self.written, vec![String::new()]).join("\n"));
                let sent = self.sent.len();
                self.app.wait_until("that it is sent", |screen| {
                    screen.matches('◌').count() >= sent.min(3)
                        && (sent <= 3 || screen.contains(&format!("{sent} messages wait")))
                });
            }
            // Enter, where nothing is written: the question in full and back, or nothing at all.
            8 if self.written == [""] => self.app.press("\r\r"),
            _ => self.asks_one_more(),
        }
    }

    /// Waits until all of it is to be seen, with every question there is.
    fn sees_it_all(&self, round: usize) {
        let waits = format!("of {} ·", self.asked);
        let sent = self.sent.len();
        let counted = if sent > 3 { format!("{sent} messages wait") } else { String::new() };
        self.app.wait_until(&format!("round {round}: {:?}", self.written), |screen| {
            screen.contains(&waits)
                && screen.contains(&counted)
                && screen.matches('◌').count() >= sent.min(3)
                && self.written.iter().all(|line| screen.contains(&**line))
        });
        let journal = self.place.journal();
        let answered = of_type(&journal, "approval_answered").len();
        assert_eq!(answered, 1, "round {round}: the script alone was allowed");
    }

    /// The composer is empty again.
    fn empties_it(&mut self) {
        if self.written != [""] {
            // So that letters which are live later are seen to be so after a paste.
            self.app.wait_until("text", |screen| !screen.contains("y yes, once"));
            self.app.press("\x03");
            self.app.wait_for("Draft emptied");
            self.written = vec![String::new()];
        }
    }
}

#[test]
fn whatever_is_typed_while_questions_come_answers_nothing_and_is_all_there() {
    let place = Place::new();
    let model = place.script(&asks_when_told());
    let mut app = App::start(&place, LARGE, &["--model", &model, "write it"]);
    app.asks("EXECUTE");
    app.press("y");
    app.wait_until("the script", |screen| !screen.contains("EXECUTE"));
    let dice = Dice(0x5EED_F007);
    let mut typist = Typist {
        app,
        place,
        dice,
        asked: 0,
        written: vec![String::new()],
        sent: Vec::new(),
        pasted: false,
    };
    typist.asks_one_more();
    typist.asks_one_more();
    typist.app.wait_for("1 of 2");
    for round in 0..ROUNDS {
        // The worst moment is when the letters of a question are live.
        if typist.dice.roll(0..=2) > 0 {
            typist.app.wait_for("y yes, once");
            typist.pasted = false;
        }
        for _ in 0..typist.dice.roll(1..=4) {
            typist.does_something();
        }
        typist.sees_it_all(round);
        typist.empties_it();
    }
    while typist.asked < QUESTIONS {
        typist.asks_one_more();
    }
    typist.sees_it_all(ROUNDS);

    // Nor does what a hurried esc makes of a letter.
    let Typist { mut app, place, sent, .. } = typist;
    app.asks("WRITE");
    app.press("\x1by");
    app.asks("WRITE");
    assert_eq!(of_type(&place.journal(), "approval_answered").len(), 1);

    // Somebody who means it is heard.
    let made = || (0..QUESTIONS).filter(|n| place.work().join(format!("made{n}.txt")).exists());
    for (letter, left) in ["y", "n", "y", "n", "y"].iter().zip((1..QUESTIONS).rev()) {
        app.asks("WRITE");
        app.press(letter);
        app.wait_until("one less", |screen| !screen.contains(&format!("of {} ·", left + 1)));
    }
    assert!((2..=3).contains(&made().count()), "the last yes may still be on its way");
    app.asks("WRITE");
    app.press("n");
    app.wait_for("I heard it, 0.");
    assert_eq!(made().count(), 3);
    app.wait_for(&format!("I heard it, {}.", sent.len()));
    let journal = place.journal();
    let said = of_type(&journal, "message_sent");
    let said: Vec<_> = said.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(said[0], "write it");
    assert_eq!(said[1..], sent);
}
