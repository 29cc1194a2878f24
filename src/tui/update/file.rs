//! Looking at files: which one, what of it is read, and moving in it. Nothing here changes a file.

use std::path::PathBuf;

use super::written;
use crate::{
    kernel::id::SessionId,
    tui::{
        cell::Body,
        effect::Effect,
        file::{Ask, Read},
        files::Found,
        keymap::Move,
        state::{
            Popup, State,
            compared::Compared,
            draft::Draft,
            file::{Choice, Field, Seek, Side, Viewed, Whose},
            waiting::Compare,
        },
        words,
    },
};

/// The folder that is worked in: that of the session in view, else the one we are in.
fn root(state: &State) -> PathBuf {
    state.sessions.node().map_or(&state.place.folder, |node| &node.spec.workspace).clone()
}

/// Opens the list of files, of all or of these.
pub(super) fn choose(state: &mut State, given: Option<Vec<PathBuf>>) {
    if matches!(state.popup, Some(Popup::Files { .. })) && given.is_none() {
        state.popup = state.panes.viewer.choice.under.take();
        return;
    }
    let under = state.popup.filter(|popup| *popup == Popup::File);
    let choice = Choice { root: root(state), given, under, ..Choice::default() };
    state.panes.viewer.choice = choice;
    state.panes.viewer.choice.sift();
    state.popup = Some(Popup::Files { row: 0 });
}

/// Files came that fit some words.
pub(super) fn found(state: &mut State, words: &str, mut found: Found) {
    let choice = &mut state.panes.viewer.choice;
    if choice.given.is_none() && choice.words.text() == words {
        found.names.retain(|name| !name.path.ends_with('/'));
        choice.found = found;
    }
}

/// Opens the file of the chosen row.
pub(super) fn open_chosen(state: &mut State) {
    let Some(Popup::Files { row }) = state.popup else { return };
    let Some(path) = state.panes.viewer.choice.path(row) else { return };
    let under = state.panes.viewer.choice.under.take().filter(|under| *under != Popup::File);
    open(state, path, None, under);
}

/// Shows a file, with that line of it (from 0) in sight.
fn open(state: &mut State, path: PathBuf, line: Option<u64>, under: Option<Popup>) {
    let session = state.sessions.viewed().unwrap_or_else(|| SessionId::from(0));
    let of = Whose { root: root(state), path, session, under };
    let change = state.records.last_change(&of.path).map(Compared::of);
    let mut file = Viewed::of(of, line);
    file.change = change;
    state.panes.viewer.file = Some(file);
    state.popup = Some(Popup::File);
}

/// Shows the file of the chosen change, where the change stands that is in sight.
pub(super) fn open_changed(state: &mut State) {
    let Some(popup @ Popup::Changes { row }) = state.popup else { return };
    let written = &state.records.written;
    let Some(planned) = written.all.get(row) else { return };
    let call = planned.recorded.call;
    let compared = written.compared.as_ref().filter(|compared| compared.call == call);
    let line = compared.and_then(Compared::line);
    let path = planned.recorded.change.path.clone();
    let known = compared.cloned();
    open(state, path, line, Some(popup));
    if let Some(file) = &mut state.panes.viewer.file {
        file.asked.compare = known.as_ref().is_some_and(|known| known.sheet().is_some());
        file.change = Some(known.unwrap_or_else(|| Compared::of(call)));
    }
}

/// Shows the file that the chosen part of the transcript read or wrote; where it is several, they are
/// listed.
pub(super) fn open_called(state: &mut State) {
    let mut all = called(state);
    all.dedup();
    match all.len() {
        0 => {
            let said = "shift+↑ chooses a part; this one read and wrote no file by a call.";
            state.status.say(said, state.now.at);
        }
        1 => open(state, all.remove(0), None, None),
        _ => choose(state, Some(all)),
    }
}

/// The files of the chosen part: what it wrote, then what it read.
fn called(state: &State) -> Vec<PathBuf> {
    let Some(node) = state.sessions.node() else { return Vec::new() };
    let log = &node.transcript;
    let Some(at) = log.here else { return Vec::new() };
    let wrote = log.calls_of(at).filter_map(|call| state.records.changed_by(call));
    let mut all: Vec<PathBuf> = wrote.collect();
    all.sort();
    all.dedup();
    let read: Vec<String> = match log.cells.get(at).map(|cell| &cell.body) {
        Some(Body::Code(code)) => code.reads.files.clone(),
        Some(Body::Call(called)) if called.name.starts_with("files.") && all.is_empty() => {
            vec![called.object.clone()]
        }
        _ => Vec::new(),
    };
    let read = read.into_iter().map(|path| node.spec.workspace.join(path));
    for path in read {
        if !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

/// Something of a file came.
pub(super) fn came(state: &mut State, path: &PathBuf, read: Read) {
    let now = state.now.wall;
    let rows = rows(state);
    let file = state.panes.viewer.file.as_mut().filter(|file| file.of.path == *path);
    let Some(file) = file else { return };
    let sought = matches!(&read, Read::Found { word, .. } if *word == file.seek.word);
    file.came(read, now);
    if sought {
        look(file, rows);
    }
}

fn rows(state: &State) -> usize {
    state.drawn.file.map_or(1, |drawn| drawn.rows)
}

/// Brings the place that is looked at into sight.
fn look(file: &mut Viewed, rows: usize) {
    let line = file.seek.lines.as_ref().and_then(|lines| lines.get(file.seek.at)).copied();
    if let Some(line) = line {
        file.go(line, rows);
    }
}

/// The text that is being typed in the list or for the file.
pub(super) fn field(state: &mut State) -> Option<&mut Draft> {
    match state.popup {
        Some(Popup::Files { .. }) => Some(&mut state.panes.viewer.choice.words),
        Some(Popup::File) => state.panes.viewer.file.as_mut()?.field.as_mut().map(Field::draft),
        _ => None,
    }
}

/// Begins to type a word that is looked for.
pub(super) fn search(state: &mut State) {
    if let Some(file) = shown(state) {
        file.side = Side::Now;
        file.field = Some(Field::Word(Draft::default()));
        file.seek = Seek::default();
    }
}

/// Begins to type the number of a line.
pub(super) fn line(state: &mut State) {
    if let Some(file) = shown(state) {
        file.side = Side::Now;
        file.field = Some(Field::Line(Draft::default()));
    }
}

fn shown(state: &mut State) -> Option<&mut Viewed> {
    let here = state.popup == Some(Popup::File);
    state.panes.viewer.file.as_mut().filter(|_| here)
}

/// enter or ↑ in the field: the next place or the one before; the line of that number.
pub(super) fn next(state: &mut State, forward: bool) {
    let rows = rows(state);
    let now = state.now.at;
    let Some(file) = shown(state) else { return };
    match &mut file.field {
        Some(Field::Word(_)) => {
            if let Some(count @ 1..) = file.seek.lines.as_ref().map(Vec::len) {
                file.seek.at = (file.seek.at + if forward { 1 } else { count - 1 }) % count;
                look(file, rows);
            }
        }
        Some(Field::Line(draft)) => {
            let typed = draft.text();
            match typed.trim().replace([',', '_'], "").parse::<u64>() {
                Ok(number @ 1..) => {
                    let last = file.count.unwrap_or(u64::MAX).max(1);
                    file.field = None;
                    file.go(number.min(last) - 1, rows);
                }
                Ok(0) | Err(_) => {
                    let said = format!("{typed:?} is no number of a line: they begin with 1.");
                    state.status.say(said, now);
                }
            }
        }
        None => {}
    }
}

/// Moves in what is shown.
pub(super) fn scroll(state: &mut State, by: Move) {
    let (rows, changed) = (rows(state), state.drawn.change.map_or(1, |drawn| drawn.rows));
    let Some(file) = shown(state) else { return };
    match (file.side, &mut file.change) {
        (Side::Change(_), Some(change)) => change.scroll(by, changed),
        (Side::Now | Side::Change(_), _) => file.scroll(by, rows),
    }
}

/// Shows what was changed, in that way, or the file again.
pub(super) fn compare(state: &mut State, how: Compare) {
    let width = usize::from(state.drawn.layout.popup.width);
    let now = state.now.at;
    let Some(file) = shown(state) else { return };
    let why = match &file.change {
        _ if file.side == Side::Change(how) => {
            file.side = Side::Now;
            return;
        }
        None => Some("Nothing was written to it through the gate.".to_owned()),
        Some(change) if how == Compare::Sides => change.why_not_sides(width),
        Some(_) => None,
    };
    match why {
        Some(why) => state.status.say(why, now),
        None => file.side = Side::Change(how),
    }
}

/// Opens it in the person's own editor, at the line that is looked at.
pub(super) fn edit(state: &State) -> Vec<Effect> {
    let file = state.panes.viewer.file.as_ref();
    file.map(|file| Effect::VisitLine(file.of.path.clone(), file.here() + 1)).into_iter().collect()
}

/// The lines in sight, for the clipboard.
pub(super) fn copy(state: &mut State) -> Vec<Effect> {
    let Some(drawn) = state.drawn.file else { return Vec::new() };
    let Some(file) = &state.panes.viewer.file else { return Vec::new() };
    let Some(page) = &file.page else { return Vec::new() };
    let lines = (page.first..).zip(&page.lines);
    let lines = lines.filter(|(number, _)| (drawn.first..=drawn.last).contains(number));
    let lines: Vec<&str> = lines.map(|(_, line)| line.as_str()).collect();
    let said = format!("Copied: {}.", words::count(lines.len(), "line"));
    let text = lines.join("\n");
    state.status.show(said, state.now.at);
    vec![Effect::Copy(text)]
}

/// esc: first what is being typed is left, then the file or the list. Whether that was all.
pub(super) fn leave(state: &mut State) -> bool {
    let viewer = &mut state.panes.viewer;
    match state.popup {
        Some(Popup::Files { .. }) => state.popup = viewer.choice.under.take(),
        Some(Popup::File) => {
            let typed = viewer.file.as_mut().and_then(|file| file.field.take());
            if typed.is_none() {
                state.popup = viewer.file.take().and_then(|file| file.of.under);
            }
        }
        _ => return false,
    }
    true
}

/// Asks for what is in sight and not known, or may be old.
pub(super) fn follow(state: &mut State) -> Vec<Effect> {
    let mut effects = Vec::new();
    let (now, drawn) = (state.now.at, state.drawn.change);
    let viewer = &mut state.panes.viewer;
    if let Some(Popup::Files { .. }) = state.popup {
        let words = viewer.choice.words.text();
        let choice = &mut viewer.choice;
        if choice.asked.as_ref() != Some(&words) {
            if choice.given.is_none() {
                effects.push(Effect::FindFiles(choice.root.clone(), words.clone()));
            }
            choice.asked = Some(words);
            choice.sift();
        }
    }
    let looked_at = state.popup == Some(Popup::File);
    let Some(file) = viewer.file.as_mut().filter(|_| looked_at) else {
        if viewer.file.is_none() && std::mem::take(&mut viewer.reads) {
            effects.push(Effect::File(PathBuf::new(), PathBuf::new(), Ask::Close));
        }
        return effects;
    };
    let mut asks = Vec::new();
    if file.mark().is_none() && file.asked.page.is_none() && file.fault.is_none() {
        // Another file: what is still read of the one before is left.
        asks.push(Ask::Close);
        viewer.reads = true;
    }
    if file.asked.last && !std::mem::replace(&mut file.asked.sent, true) {
        asks.push(Ask::Last);
    } else if let Some(line) = file.wants() {
        file.asked.page = Some(line);
        asks.push(Ask::Page(line));
    }
    if file.wants_rest() {
        asks.extend([Ask::Count, Ask::Colours]);
    }
    if let Some(Field::Word(draft)) = &file.field {
        let word = draft.text();
        let again = file.seek.lines.is_none() && !file.seek.looks;
        if word != file.seek.word || (again && !word.is_empty()) {
            let looks = !word.is_empty();
            let lines = if looks { None } else { Some(Vec::new()) };
            file.seek = Seek { word: word.clone(), lines, looks, ..Seek::default() };
            asks.extend(looks.then_some(Ask::Find(word)));
        }
    }
    if file.looks(now) {
        asks.push(Ask::Look(file.mark()));
    }
    if let (Some(change), false) = (&file.change, file.asked.compare) {
        file.asked.compare = true;
        effects.push(Effect::Compare(state.records.root(file.of.session), change.call));
    }
    effects.extend(written::unlaid(drawn, &mut file.change));
    let Whose { root, path, .. } = &file.of;
    let asks = asks.into_iter();
    effects.extend(asks.map(|ask| Effect::File(root.clone(), path.clone(), ask)));
    effects
}
