//! Pictures: which are made ready, and one alone.

use super::moves::step_in;
use crate::kernel::picture::{Format, Picture};
use crate::tui::{
    cell::{Scene, picture},
    effect::Effect,
    keymap::Move,
    picture::{Others, Wanted},
    state::{Popup, State},
    view,
};

/// What of pictures is in or near sight is made ready; all else is let go.
pub(super) fn follow(state: &mut State) -> Vec<Effect> {
    let near = near(state).unwrap_or_default();
    // What lies over the transcript leaves it as it was.
    let others = match state.drawn.transcript.width {
        0 => Others::Stay,
        _ => Others::Go,
    };
    state.look.pictures.want(near, others)
}

fn near(state: &State) -> Option<Vec<Wanted>> {
    let node = state.sessions.node()?;
    let session = node.spec.id;
    let wanted = |picture: &Picture, shape| Wanted { session, picture: picture.id, shape };
    let mut all = Vec::new();
    if let Some(Popup::Picture { at }) = state.popup
        && let Some((_, picture)) = node.transcript.pictures().nth(at)
    {
        let size = view::picture::body(&state.drawn.layout);
        all.extend(view::picture::whole(state, picture, size).map(|shape| wanted(picture, shape)));
    }
    let seen = state.drawn.transcript;
    let scene = Scene {
        width: seen.width,
        look: &state.look,
        now: state.now.wall,
        sessions: &state.sessions,
        output: &state.output,
        queue: &state.queue,
        controls: &state.controls,
        speaker: "",
    };
    // A cell has a row at least.
    for picture in node.transcript.pictures_near(seen.top.0..seen.end, seen.height) {
        all.extend(picture::shape(picture, &scene).map(|shape| wanted(picture, shape)));
    }
    Some(all)
}

/// Shows a picture alone: one of the part that keys act on, else the last in sight or above.
pub(super) fn open(state: &mut State) {
    let Some(node) = state.sessions.node() else { return };
    let end = match node.transcript.part() {
        Some(part) => part.end,
        None => state.drawn.transcript.end.max(1),
    };
    let all: Vec<usize> = node.transcript.pictures().map(|(cell, _)| cell).collect();
    let first = node.transcript.part().and_then(|part| all.iter().position(|at| part.contains(at)));
    let at = first.or(all.iter().rposition(|cell| *cell < end)).or((!all.is_empty()).then_some(0));
    match at {
        Some(at) => state.popup = Some(Popup::Picture { at }),
        None => state.status.say("There is no picture in this session.", state.now.at),
    }
}

/// To another one.
pub(super) fn step(state: &mut State, by: Move) {
    let count = state.sessions.node().map_or(0, |node| node.transcript.pictures().count());
    if let Some(Popup::Picture { at }) = &mut state.popup {
        *at = step_in(*at, count, 1, by);
    }
}

/// Saves the one that is shown alone to a file in the folder worked in.
pub(super) fn save(state: &State, at: usize) -> Option<Effect> {
    let node = state.sessions.node()?;
    let (_, picture) = node.transcript.pictures().nth(at)?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = picture.name.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let name = name.trim_matches(['-', '.']);
    // Whatever it was called, it becomes a file that nothing but a viewer opens.
    let end = picture.format.media_type().trim_start_matches("image/");
    let name = match Format::of_name(name) {
        Some(_) => name.to_owned(),
        None => format!("{}.{end}", if name.is_empty() { "picture" } else { name }),
    };
    Some(Effect::SavePicture(node.spec.id, picture.id, node.spec.workspace.join(name)))
}
