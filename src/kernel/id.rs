//! Names of things that live longer than the process that made them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new name, unlike every other; later names sort after earlier ones.
            pub fn fresh() -> Self {
                Self(Uuid::now_v7())
            }

            /// The last eight hex digits: enough for a person to tell two apart.
            pub fn short(&self) -> String {
                let text = self.0.simple().to_string();
                text[text.len() - 8..].to_owned()
            }
        }

        impl From<u128> for $name {
            fn from(number: u128) -> Self {
                Self(Uuid::from_u128(number))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id!(
    /// One session: a journal and a list of names.
    SessionId
);
id!(
    /// One call on the one road.
    CallId
);
id!(
    /// One question to a person.
    ApprovalId
);
id!(
    /// One signal from a session to another.
    SignalId
);

impl CallId {
    /// The name of what a call's program says of itself.
    pub fn as_signal(self) -> SignalId {
        SignalId(self.0)
    }
}
