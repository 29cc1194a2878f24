//! The one integration binary: each further one would link the whole program again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(unreachable_pub, reason = "nothing is reached from outside a binary")]

mod categories;
mod layers;
mod sizes;
mod source;
