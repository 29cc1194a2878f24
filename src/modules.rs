//! What the host can do, as one table of namespaces. Each is one file; nothing here runs before the
//! gate lets it.

mod agents;
mod bounds;
mod echo;
mod execute;
mod files;
mod git;
mod memory;
mod packages;
mod process;
mod refusal;
mod run;
mod search;
mod terminal;
#[cfg(test)]
mod tests;
mod todo;
mod view_image;
mod workflows;

pub use git::{ADD_WORKTREE, left, put_away};
pub use workflows::{Saved, Script, saved};

use crate::kernel::registry::{Module, Registry};

/// The modules that Python can import, in the order people are shown them.
pub const MODULES: &[Module] = &[
    files::MODULE,
    search::MODULE,
    process::MODULE,
    terminal::MODULE,
    agents::MODULE,
    git::MODULE,
    todo::MODULE,
    memory::MODULE,
    workflows::MODULE,
];

/// The calls of which the program goes on when they have their result.
pub const BESIDE: [&str; 2] = ["process.start", "terminal.open"];

/// Everything this program can do: the tools without a module, then [`MODULES`].
pub fn registry() -> Registry {
    let mut registry = Registry::default();
    let unlike = "the names in this file are unlike each other";
    for tool in [
        echo::echo(),
        execute::execute_code(),
        view_image::view_image(),
        packages::install_packages(),
    ] {
        registry.register(tool).expect(unlike);
    }
    for module in MODULES {
        registry.register_module(*module).expect(unlike);
    }
    registry
}
