//! What the kernel needs of the outside, as traits that others implement: one file each.

mod coordinator;
mod desk;
mod env;
mod executor;
mod factory;
mod model;
mod monitor;
mod packages;
mod pictures;
mod profiles;
mod rules;
mod store;
mod terminal;
mod watch;

pub use coordinator::*;
pub use desk::*;
pub use env::*;
pub use executor::*;
pub use factory::*;
pub use model::*;
pub use monitor::*;
pub use packages::*;
pub use pictures::*;
pub use profiles::*;
pub use rules::*;
pub use store::*;
pub use terminal::*;
pub use watch::*;
