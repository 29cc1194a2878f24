//! Pictures that are attached to what is being written: read off the loop, then put in the place of the
//! words that named them.

use std::path::PathBuf;

use super::compose;
use crate::{
    kernel::{
        id::SessionId,
        picture::{MOST_AT_ONCE, Picture},
    },
    tui::{
        attach::{Attached, Because, Named, Unread, Wanted, dropped},
        effect::Effect,
        state::{State, composer::When},
    },
};

/// The pictures of a paste that is nothing but their paths. It is words until they are read.
pub(super) fn pasted(state: &mut State, text: &str) -> Vec<Effect> {
    let text = text.replace('\r', "\n");
    // What is folded away is words: nobody sees what it names.
    if !state.composer.draft.ends_with(&text) {
        return Vec::new();
    }
    want(state, dropped(&text), Because::Pasted)
}

/// The picture that was just named with a list of files.
pub(super) fn named(state: &mut State, said: &str) -> Vec<Effect> {
    let named = state.composer.draft.named_pictures().into_iter().filter(|it| it.said == said);
    let named = named.collect();
    want(state, named, Because::Meant)
}

/// A file that somebody wants attached, by its path.
pub(super) fn file(state: &mut State, path: &str) -> Vec<Effect> {
    let path = dropped(path).into_iter().next().map_or_else(|| PathBuf::from(path), |it| it.path);
    want(state, vec![Named { said: String::new(), path }], Because::Meant)
}

/// What must be read before the draft is sent; nothing where it can be sent as it is.
pub(super) fn before_sending(state: &mut State, when: When) -> Option<Vec<Effect>> {
    let looked = std::mem::take(&mut state.composer.looks.looked);
    let mut named = state.composer.draft.named_pictures();
    named.retain(|it| !looked.contains(&it.said));
    let effects = want(state, named, Because::Meant);
    if state.composer.looks.asked.is_empty() {
        return None;
    }
    state.composer.looks.sends = Some(when);
    Some(effects)
}

/// The pictures of words that are to be said again.
pub(super) fn again(state: &mut State, session: SessionId, pictures: &[Picture]) -> Vec<Effect> {
    let wanted = pictures.iter().flat_map(|picture| {
        let named = Named { said: format!("[picture {picture}]"), path: (&*picture.name).into() };
        want(state, vec![named], Because::Said(session, picture.id))
    });
    wanted.collect()
}

fn want(state: &mut State, named: Vec<Named>, because: Because) -> Vec<Effect> {
    let node = state.sessions.node();
    let folder = node.map_or(&state.place.folder, |node| &node.spec.workspace).clone();
    let asked = &mut state.composer.looks.asked;
    let mut effects = Vec::new();
    for named in named {
        if !asked.contains(&named.said) {
            asked.push(named.said.clone());
            let folder = folder.clone();
            effects.push(Effect::ReadPicture(Wanted { named, folder, because }));
        }
    }
    effects
}

/// A picture was read, or is none. The last one that was waited for has the draft sent.
pub(super) fn read(
    state: &mut State,
    wanted: &Wanted,
    came: Result<Attached, Unread>,
) -> Vec<Effect> {
    let (composer, said) = (&mut state.composer, &wanted.named.said);
    // Nobody waits for it where another session is in view by now.
    let Some(at) = composer.looks.asked.iter().position(|asked| asked == said) else {
        return Vec::new();
    };
    composer.looks.asked.remove(at);
    match came {
        Ok(_) if composer.draft.pictures() >= MOST_AT_ONCE => {
            composer.looks.looked.push(said.clone());
            let why = format!("At most {MOST_AT_ONCE} pictures go with one message.");
            state.status.say(why, state.now.at);
        }
        Ok(picture) => {
            composer.draft.attach(said, picture);
        }
        Err(unread) => {
            composer.looks.looked.push(said.clone());
            let name = wanted.named.path.file_name().unwrap_or_default().to_string_lossy();
            let why = match (unread, wanted.because) {
                (Unread::NotThere, Because::Pasted) => None,
                (Unread::NotThere, Because::Meant | Because::Said(..)) => {
                    Some("is not there".to_owned())
                }
                (Unread::Other(why), _) => Some(why),
            };
            if let Some(why) = why {
                state.status.say(format!("Not attached: {name} {why}."), state.now.at);
            }
        }
    }
    match state.composer.looks.sends {
        Some(when) if state.composer.looks.asked.is_empty() => {
            state.composer.looks.sends = None;
            compose::send(state, when)
        }
        Some(_) | None => Vec::new(),
    }
}
