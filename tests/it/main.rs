//! The one integration binary: each further one would link the whole program again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at the few events it is about")]
#![allow(unreachable_pub, reason = "nothing is reached from outside a binary")]

mod across;
mod agents;
mod bad_input;
mod beside;
mod budget;
mod categories;
mod composer;
mod crash;
mod doctor;
mod files;
mod first_light;
mod git;
mod kills;
mod layers;
mod lines;
mod manners;
mod monitor;
mod notes;
mod packages;
mod parity;
mod pictures;
mod profiles;
mod races;
mod readme;
mod rig;
mod rules;
mod screen;
#[cfg(target_os = "linux")]
mod seal;
mod sessions;
mod signals;
mod sizes;
mod source;
mod stream;
mod support;
mod surroundings;
mod tasks;
mod terminal;
mod terminals;
mod typing;
mod undo;
mod workflows;
mod workstations;
mod worktrees;
