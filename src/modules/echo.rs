//! `echo`: gives back what it was given. The smallest call that goes all the way.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::kernel::capability::{Capability, Category};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    /// The text that comes back.
    text: String,
}

pub(super) fn echo() -> Capability {
    Capability::define::<Echo>("echo", "Gives back the text it was given.", Category::Read)
        .status(|_| "echo".to_owned())
        .handler(|_, _, echo| async move { Ok(echo.text.into()) })
}
