//! What a call really did, where that is another thing than it asked for.

use serde_json::Value;

use super::{Transcript, made::object};
use crate::{
    kernel::{change::Change, id::CallId},
    tui::words,
};

impl Transcript {
    /// A person made other arguments of those of a call.
    pub fn edited(&mut self, call: CallId, input: &Value) {
        self.change(call, |called| called.object = object(input));
    }

    /// A call is about to change a file: what it really does stands in its line.
    pub fn changes(&mut self, call: CallId, change: &Change) {
        let lines = words::lines(change.more, change.fewer);
        let object = format!("{} {lines}", change.shown);
        self.change(call, |called| called.object = object.trim_end().to_owned());
    }
}
