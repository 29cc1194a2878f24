//! Effects: what the screen wants done, and where it is done.

use std::{io, path::PathBuf};

use super::{App, attached, editor, outputs, pictures, work};
use crate::{
    config::Notice,
    tui::{
        effect::{Effect, Setting},
        message::{Came, Message, News},
    },
};

impl App {
    /// Has an effect done; what is known of it at once comes back.
    pub(super) fn effect(&mut self, effect: Effect) -> Option<Message> {
        match effect {
            Effect::Send(command) => {
                return work::send(&mut self.work, &*self.desk, command).map(Message::Came);
            }
            Effect::Start { what, message } => {
                work::start(&mut self.work, self.desk.clone(), self.begin.clone(), what, message);
            }
            Effect::ListSessions => work::list(&mut self.work, self.desk.clone()),
            Effect::Resume(session, when) => {
                work::resume(&mut self.work, self.desk.clone(), session, when);
            }
            Effect::Delete(session) => {
                let draft = self.writing.file(session);
                work::delete(&mut self.work, self.desk.clone(), session, draft);
            }
            Effect::Rename(session, name) => {
                work::rename(&mut self.work, self.desk.clone(), session, name);
            }
            Effect::ReadSaid(session) => {
                work::read_said(&mut self.work, self.desk.clone(), session);
            }
            Effect::ReadOutput(session, call, part) => {
                outputs::read(&mut self.work, self.desk.clone(), session, call, part);
            }
            Effect::FindInOutput(session, call, word) => {
                outputs::find(&mut self.work, self.desk.clone(), session, call, word);
            }
            Effect::SaveOutput(session, call, file) => {
                outputs::save(&mut self.work, self.desk.clone(), session, call, file);
            }
            Effect::PageOutput(session, call) => {
                let desk = self.desk.clone();
                self.wanted = Some(editor::Wanted::Output { desk, session, call });
            }
            Effect::Paint(wanted, how, count) => {
                pictures::make(&mut self.work, self.desk.clone(), wanted, how, count);
            }
            Effect::SavePicture(session, picture, file) => {
                pictures::save(&mut self.work, self.desk.clone(), (session, picture), file);
            }
            Effect::ReadChanges(of) => work::read_changes(&mut self.work, self.desk.clone(), of),
            Effect::PlanUndo(session, calls) => {
                work::plan_undo(&mut self.work, self.desk.clone(), session, calls);
            }
            Effect::Compare(session, call) => {
                work::compare(&mut self.work, self.desk.clone(), session, call);
            }
            Effect::Consider(approval, scope) => {
                let came = self.desk.consider(approval, &scope);
                return Some(Message::Came(Came::Considered(approval, scope, came)));
            }
            Effect::ReadRules(of) => work::read_rules(&mut self.work, self.desk.clone(), of),
            Effect::ReadPicture(wanted) => {
                let home = std::env::home_dir();
                attached::read(&mut self.work, self.desk.clone(), home, wanted);
            }
            Effect::FindFiles(folder, words) => self.writing.find(&mut self.work, folder, words),
            Effect::File(root, file, ask) => {
                work::read_file(&mut self.work, &self.files.reader, root, file, ask);
            }
            Effect::ReadDraft(session) => self.writing.read(&mut self.work, session),
            Effect::KeepDraft(session, text) => {
                self.writing.keep(&mut self.work, self.state.place.leave, session, text);
            }
            Effect::PutAway(of, page, cells) => {
                self.kept.pages.put(&mut self.work, of, page, cells);
            }
            Effect::BringBack(of, page) => self.kept.pages.read(&mut self.work, of, page),
            Effect::FindOutside(of, word, pages) => {
                self.kept.pages.find(&mut self.work, of, word, pages);
            }
            Effect::Colour(of, call, code) => work::colour(&mut self.work, of, call, code),
            Effect::Prepare(what) => work::prepare(&mut self.work, self.desk.clone(), what),
            Effect::LayOut(of, sheet, shape) => work::lay_out(&mut self.work, of, sheet, shape),
            Effect::LayOutChange(of, sheet, shape) => {
                work::lay_out_change(&mut self.work, of, sheet, shape);
            }
            Effect::Find(question, sheet, index, word, marks) => {
                work::find(&mut self.work, question, (sheet, index), word, marks);
            }
            Effect::Editor { question, field, text } => {
                self.wanted = Some(editor::Wanted::Text { question, field, text });
            }
            Effect::Visit(file) => self.wanted = Some(editor::Wanted::File(file, None)),
            Effect::VisitLine(file, line) => {
                self.wanted = Some(editor::Wanted::File(file, Some(line)));
            }
            Effect::Remember(sizes) => self.kept.sizes.keep(&mut self.work, sizes),
            Effect::Notify(text) => match self.notice {
                Notice::Bell => self.terminal.bell(),
                Notice::Osc9 => self.terminal.notify(&text),
                Notice::Off => {}
            },
            Effect::Copy(text) => {
                if !self.terminal.copy(&text) {
                    let why = "Not copied: too long for a clipboard.".to_owned();
                    return Some(Message::Told(News::Said(why)));
                }
            }
            Effect::ReadTheme(file) => {
                work::read_theme(&mut self.work, file, self.state.look.theme.depth());
            }
            Effect::KeysFile => {
                let made = self.files.make_keys();
                return self.visit(made, "keys");
            }
            Effect::RulesFile => {
                let made = self.files.make_rules();
                return self.visit(made, "rules");
            }
            Effect::Keep(setting) => {
                if let Setting::Theme { file, .. } = &setting {
                    self.files.watch_theme(file.as_deref());
                }
                work::keep(&mut self.work, self.files.keep.clone(), setting);
            }
            Effect::Suspend => self.suspend(),
        }
        None
    }

    /// Has a file of the person's looked at, once it is there.
    fn visit(&mut self, made: io::Result<PathBuf>, of: &str) -> Option<Message> {
        match made {
            Ok(file) => self.wanted = Some(editor::Wanted::File(file, None)),
            Err(error) => {
                let why = format!("The file of {of} cannot be made: {error}.");
                return Some(Message::Told(News::Said(why)));
            }
        }
        None
    }
}
