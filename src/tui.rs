//! The screen: a state that messages change, a view of it, and a loop around the two. It can run
//! nothing; what it wants it asks of the desk it is handed.

pub mod app;
pub mod attach;
pub mod cell;
pub mod clean;
pub mod diff;
pub mod effect;
pub mod file;
pub mod files;
pub mod frame;
pub mod guard;
pub mod highlight;
pub mod hints;
pub mod ink;
pub mod keymap;
pub mod layout;
pub mod lines;
pub mod markdown;
pub mod message;
pub mod paper;
pub mod picture;
pub mod row;
pub mod sheet;
pub mod shell;
pub mod slash;
#[cfg(test)]
mod stage;
pub mod state;
#[cfg(test)]
mod tally;
pub mod terminal;
pub mod theme;
pub mod update;
pub mod view;
pub mod watch;
pub mod words;
pub mod wrap;
