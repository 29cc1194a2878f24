//! `footplate workflows`: the Python that is saved here to be run again.

use super::{
    args::Common,
    exit::{Exit, Failure},
    print::{self, one_line},
    setup,
};
use crate::modules;

pub(super) fn list(common: &Common) -> Result<Exit, Failure> {
    let saved = modules::saved(&setup::workspace(common)?);
    if saved.workflows.is_empty() {
        print::aside(
            "Nothing is saved here. A workflow is Python in .footplate/workflows/NAME.py.",
        );
    }
    let width = saved.workflows.iter().map(|script| script.name.chars().count()).max();
    let width = width.unwrap_or_default();
    let line = |script: &modules::Script| {
        let line = format!("{:width$}  {}", script.name, one_line(&script.about));
        format!("{}\n", line.trim_end())
    };
    // A reader that went away has seen what it wanted.
    let _ = print::text(&saved.workflows.iter().map(line).collect::<String>());
    for name in saved.left_out {
        print::aside(&format!(
            "Left out, as it is no script with a plain name: {}",
            one_line(&name)
        ));
    }
    Ok(Exit::Done)
}
