//! Where kinds of agents are described.

use std::path::Path;

use crate::kernel::profile::Profile;

/// Finds kinds of agents.
pub trait Profiles: Send + Sync {
    /// The profile of that name that counts in a workspace. May block for a few small files. The
    /// error is for a person and for a model: one line what is wrong, one line what to do.
    fn find(&self, workspace: &Path, name: &str) -> Result<Profile, String>;
}

/// There are none.
pub struct NoProfiles;

impl Profiles for NoProfiles {
    fn find(&self, _: &Path, name: &str) -> Result<Profile, String> {
        Err(format!(
            "there is no profile {}\nleave it out: there are no profiles here",
            crate::kernel::text::quoted(name)
        ))
    }
}
