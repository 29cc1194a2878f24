//! Footplate: a terminal workstation in which developers drive AI agents, see what each of them is
//! doing, and say yes or no to what it wants to do.
//!
//! This page is the map of the house. Three ideas decide when in doubt:
//!
//! 1. **Approve effects, not code.** What asks a person is the effect itself, with its exact
//!    arguments, at the line of Python that wants it. Code that is not sealed is itself an effect;
//!    what a run may do by itself is its level ([`kernel::port::Level`]), and its category follows.
//! 2. **One road.** A call by the model, from inside Python, by a sub-agent at any depth or by hand
//!    is the same [`kernel::registry::Tools::invoke`]. There is no other way to reach a handler.
//! 3. **The log is the truth.** Everything that happened is an event, appended before it is acted
//!    on. Session, screen and model context are folds over it; any process that has the log and the
//!    registry can carry the session on.
//!
//! # The rooms
//!
//! - [`kernel`]: what the program is about. Capabilities and the registry that binds them to a
//!   context; the one road ([`kernel::invoke`]); the [`kernel::gate`] with its table of modes, its
//!   rules ([`kernel::gate::rule`]), its monitor ([`kernel::gate::monitor`]) and the table of waiting questions; the sandbox clock ([`kernel::clock`]); events,
//!   commands and the session they fold to; what sessions say to each other ([`kernel::signal`]); and
//!   [`kernel::port`], the traits that others implement.
//! - [`store`]: the journal (append-only JSON lines, one writer), the spools that keep output, what
//!   was replaced and can be put back, the list of sessions, and a fake in memory. Only it knows the
//!   file formats.
//! - [`executor`]: runs programs, and Python through `uv`: a process group of its own, a fixed small
//!   environment, limits, streaming output, and the host end of the bridge. [`executor::seal`] is the
//!   launcher that gives up what a run may not do, as a hidden subcommand of this program, and the
//!   keeper that stays outside and leaves nothing of the run behind.
//! - [`guest`]: the Python side: the embedded SDK, the modules generated from the registry, and what
//!   a script imports before it runs.
//! - [`model`]: models behind one port: a script, and two wire formats; and a model as the monitor.
//! - [`modules`]: the host's capabilities, one namespace a file, listed in one table.
//! - [`agent`]: one session's loop: turns until the model stops calling tools.
//! - [`host`]: the composition root, and the only place that knows everyone. It owns the sessions
//!   that run here and is what a screen is handed, as [`kernel::port::Desk`].
//! - [`tui`]: the screen: `update(state, message) -> effects`, `view(&state)`; and [`tui::lines`], the
//!   same state and steps for those who want lines instead of a picture.
//! - [`config`], [`telemetry`]: the home folders, settings in layers, files of rules and which project
//!   is trusted to allow, and the log for developers.
//! - [`cli`]: the command line, one file a subcommand, and the only errors with an exit code.
//!
//! # Who may import whom
//!
//! | room | may import |
//! |---|---|
//! | `kernel` | nothing of ours |
//! | `store`, `model`, `modules`, `agent`, `config`, `guest`, `telemetry` | `kernel` |
//! | `executor` | `kernel`, `guest` |
//! | `tui` | `kernel`, `config` |
//! | `host` | all but `tui` and `cli` |
//! | `cli` | everything |
//!
//! A test holds this table, another the size of files and structs.
//!
//! # What is absent, on purpose
//!
//! - The kernel does no I/O: no file, socket, process or screen.
//! - Only the gate decides, and only `invoke` calls a handler: a handler takes a
//!   [`kernel::gate::Permit`], which only the gate can make.
//! - The screen cannot run anything; it can only send a [`kernel::command::Command`].
//! - A level that cannot be held is refused by the executor, never widened; every step of the seal
//!   must succeed, or the program does not begin.
//! - Only [`store`] knows what a journal looks like on disk.
//! - `update` and `view` of the screen are not async and read no clock, file or environment.
//!
//! # Decisions that a reader might question
//!
//! - A picture is in no event: what is known of it is, and its bytes lie beside the journal, named by
//!   their SHA-256, so that a journal stays lines, a copy costs nothing and nobody can put another in its
//!   place. A request reads them back, the last ones alone: upright, PNG or JPEG, no larger than
//!   providers look at, and decoded first, since one damaged picture would have every later request refused.
//!   What becomes of the others is a line of text, so that live, replayed and carried on are one request.
//! - A call is recorded as *started* only after the gate let it through, so that after a crash
//!   "may have taken effect" and "never began" are told apart. What asked is in the question.
//! - A *turn* is one request to the model; all turns from a person's words until the session is idle
//!   are an *exchange*, which has an event of its own at its end.
//! - A journal is appended under a plain lock by whoever has something to say, instead of by a task
//!   of its own: one small write to the page cache costs microseconds, survives our death at once,
//!   and keeps "recorded before acted on" a matter of program order.
//! - A script's clock stands still while an agent works for it, as it does while a person decides:
//!   the agent's session has limits of its own, and a minute of running time is no time for it.
//! - What a person says for the next step of an exchange waits in the same queue as what comes after it:
//!   words for a step that never comes are said in an exchange of their own, and nothing is lost between.
//! - Python that a person runs by hand is a call of theirs, beside the exchange and through the gate. The
//!   model reads of it as a note before its next request, since that is what both talk about then; where
//!   it never ran there is no note.
//! - An agent that was started and is not waited for wakes the one above it when it is over, and so do
//!   words of an agent: only a session that rests with its work done, never one that was stopped,
//!   failed or met a limit, never one that was just carried on, and, by the stop of an agent, none to
//!   which a person speaks. What it then asks its model counts
//!   as part of the last exchange that somebody began, so agents that wake each other come to an end.
//! - An agent is over only after those it started, so no end is told to nobody, and a wait for the
//!   agent above can never end: it is refused. Stopping a turn stops no agent; cancelling one does.
//! - A signal is recorded by its sender, then by its receiver, then it counts. What was sent and had
//!   not come when the program died comes at the next resume; an end is told once for each agent.
//! - Each session bounds how many agents it has at work, not the tree: places that are shared with
//!   those above would be held by whoever waits for one. What is started beyond that is refused; what
//!   is run waits for a place.
//! - A program that goes on beside the calls is the run of the call that began it: one question, one
//!   seal, one spool, under the name of that call. Its end is a signal that the session sends to itself,
//!   so that it wakes who rests and is told once, also by who carries the session on. To wait for it is a
//!   script's own running time: nobody else works for it.
//! - What is typed at a terminal of a program is an effect like any other, and asks each time with the
//!   keys it would send: an interactive program does what it is told, within the seal it was given. The
//!   terminal is made for it; those that look after it stay in another session, where it reaches nobody.
//! - A run may make a `.git` or a `.envrc` where none was, since no system can forbid a name that does
//!   not exist. When it has ended, what it had not asked for is put aside, beside its output.
//! - The network is one thing that is asked for: with it comes every server that this computer
//!   reaches, its own among them, but no socket that has a path, where agents and daemons listen.
//! - A picture that a run made is found by its file and never by what the run says of it: the run hands over
//!   an open file, which it could read itself, or it lies in its own folder when it has ended. What is
//!   shown is its pixels, read within limits and encoded by us, beside the loop; no byte of it reaches
//!   the terminal. What lies over cells (sixels, iTerm2's) is drawn only where all of it is in sight.
//! - What a script wants installed (PEP 723) is one `external` call of its own, made by the call that
//!   runs it, before the clock of the run exists. Whom uv would ask is told in uv's own words. The
//!   environment is made outside the seal, where nothing in it is ever run, and stays at the place
//!   where it was made, since uv keeps what it knows of an interpreter by its path.
//! - Rules match on what a call would really act on ([`kernel::gate::subject`]), which its preview
//!   tells, and never on raw arguments. A person's yes for more than once is a rule as well. Plan mode
//!   and the setting that all code asks stand above every allow; a deny and an ask stand above every
//!   mode. A file of rules with a fault allows nothing; where one of its denies cannot be read, every
//!   effect is asked for. What narrows counts for the agents below as well, what widens only for those
//!   it names.
//! - One budget binds a tree of sessions ([`kernel::allowance`]). Each request sets aside beforehand what
//!   it is likely to use, and waits where that must be known first of others: so a tree goes over its
//!   tokens or money by less than one request. Those to the monitor are among them; where all is used it is
//!   not asked, and its call asks. What was used is in the journals, with its cost by the
//!   price of that day; only time begins anew when a session is carried on: the times in a journal are
//!   those of a clock that may be set, and of a computer that may have slept, and whoever carries a session
//!   on is there and gives it those minutes again.
//! - A profile ([`kernel::profile`]) never widens what its starter has, not even a person's setting of a
//!   stricter mode. A project's counts only with the text that was trusted, and never in the place of
//!   the person's own of the same name.
//! - An agent starts no agents of its own unless whoever starts it hands on that module, by name or in a
//!   profile: a tree grows where somebody meant it to, and what an agent is told of stays short.
//! - A session with a read-only view is held by its env and by the level of its runs, not by its mode:
//!   what could write is refused before anybody is asked, and so is all code where nothing can be sealed.
//! - A run of a saved script ([`kernel::workflow`]) is a session below the one that wants it, in which
//!   the script stands in the place of the model: tree, limits, stop and journal are those of any agent.
//!   Its text is in its description, so what runs is what was shown. It is asked for by its text and not
//!   by whether its project is trusted, since it does nothing until somebody wants it.
//! - A run is carried on by another session, and its calls have their results from the journal of the
//!   first, by order, name and arguments; calls that ran side by side have no order. A call that was
//!   refused or never began is made anew; one that began and has no result is asked for, in every mode.
//!   Nothing is answered from a session of another folder or one that a file brought in, and no run is
//!   carried on twice. Where the script parts from the record, its result says so, and all is new.
//! - The monitor ([`kernel::gate::monitor`]) is a second model that can only narrow. It stands last: what
//!   modes, rules and grants refuse or ask about is not put to it, and whatever they let through is,
//!   reads apart. None leaves it at that; soft asks the person, with its reason; hard refuses; an error,
//!   silence or anything that is no verdict asks. What a person was asked and said yes to is never put
//!   to it. Where it asks, a yes is for once: a rule that spoke for the next call would be a way around
//!   it. With nobody there, soft and hard are refused in its name. It is set in the person's own file
//!   and nowhere else, so that nothing a project brings along chooses its own judge.
//! - A deny binds calls: to keep a file from being read is to keep it from every call that tells what
//!   stands in it ([`kernel::gate::subject`]). What sealed code reads by itself is what its seal lets it read.
//! - A project is trusted with the whole text of its rules and not with a hash of it: no other text can
//!   stand for it, and the file says what was trusted. Where they are edited, or come to be, while sessions run,
//!   in whatever folder, what they deny counts at once, and who is there is asked about them as they are now.
//!   So it is with the rules that count everywhere, which need no trust.
//! - What stands in a file is known by its bytes (SHA-256) and by which file it is. A write carries
//!   that mark from the question to the opened file, and an undo from the journal: neither trusts a
//!   path. A session writes no file anew that another changed since its calls read or wrote it: it has to
//!   read it again, and so it has what it read before it was carried on. The event that a change begins
//!   comes before it, with the bytes of before kept beside the outputs; whether it was made is told by its
//!   result, or by the file.
//! - What is remembered of a project lies outside of it, in a folder that its real path is the key to: a
//!   run or a stranger's commit puts no word into it, and no other project reads one. It asks also where
//!   edits are accepted, since later sessions are told of it.
//! - git is the program and not a library: it runs in the seal, with everything switched off that a
//!   repository could have it run, so that what it says is a read. A commit is made in a scratch folder
//!   before it is asked about, and is a write, since no hook runs.
//! - A worktree of an agent lies in our data folder, at a place that the host chose and no call names.
//!   Making one is a call of its own, an execution, by whoever starts the agent. Its sessions write there
//!   and nowhere else of ours. What a rule denies or asks about in the workspace counts for the same
//!   place in the worktree; what it allows does not. One that ended with the program is never removed, and
//!   one for which no agent began, since the program ended in between, is named at the next resume: its
//!   folder has the id of the call that made it.
//! - An undo is a person's own call in the journal and no capability: nobody but a person may take
//!   something back, and to ask that person again would be to ask twice. It stands in the journal of the
//!   agent that wrote while that is at work, so that the one is told who would build on it; else in that of
//!   the session above all.
//! - A session that begins as a copy keeps the numbers and times of what it copied, and says after it
//!   where that is from: the folds read on as if it were their own, and what was allowed ends there. Of
//!   a file that is brought in only the conversation counts, and those of its agents: no change, mode or
//!   decision in it is believed, and its description is not read for more than a line that tells of it, and
//!   who was below whom.
//! - Going back appends: the fold ends the conversation before the message with that number, and the
//!   files come first, so that the same command can be given again where it was cut off. Of what a
//!   summary stands for only the words of people stay in memory; where a way back leads there, the
//!   journal is read once more for the rest.
//! - A journal is read an event at a time, and what is kept of it is what a fold needs: the
//!   conversation as its model has it, and what the screen shows. Of a conversation that is longer than any
//!   request could hold the older part is let go, with a note in its place; of a long result, the middle.
//!   Whoever wants only some types of events passes over the lines of others. A screen that begins reads back as
//!   fast as it takes and no faster ([`kernel::port::Watch`]). Of a journal that another program put
//!   in another order it is held where each record stands, and it is read twice.
//! - Of a transcript the screen keeps its end, what may still change and what is near the rows in sight; the
//!   rest lies in pages in a file that has no name and is gone with the program, and eight bytes a cell say
//!   how far it is to scroll past. A page is not folded from the journal again: its cells come of
//!   events that stand far apart, of names of other sessions, and of what somebody unfolded.
//! - A long text that a call writes stands in its journal twice: with the question and with the beginning of
//!   the call, either of which may be all there is. What would repeat it (the new text of a diff, the
//!   arguments with the end) refers to them.
//! - Keys that come faster than fingers press them are a paste, for many terminals mark none. A line that a
//!   slow connection has gathered may be taken for one, and wants enter once more: that costs less than a
//!   message or an answer that nobody meant.
//! - Where the screen is a few rows of the terminal, every move is counted from the row in which the cursor
//!   stands. The terminal is not asked where that is: the answer would come among the keys, and late.
//! - The name of a session stands in a file beside the journal as well, so that a list reads no journal
//!   for it. The journal counts.
//! - Somebody looks at the screen while its window is in front; with a terminal that never tells where
//!   that is, until no key was pressed for five minutes. What happens meanwhile is gathered as it comes,
//!   since it is known only later that nobody saw it, and what a journal tells of before is no news.
//! - Money is dollars: models are priced in them, and an amount without its sign would be read as
//!   whatever its reader uses. The tree of sessions is in the order of attention, so its rows move; what is
//!   chosen there moves with its row.
//! - What is written while a session begins or is opened is for that one: it waits in the composer until
//!   that one hears it.
//! - The screen reads a file for a person by windows and by lines that are counted beside the loop. A path
//!   named below the folder that is worked in has to lead there: a link out of it is said and not
//!   followed. One that is named by its own place is somebody's wish.
//! - Python is parsed by tree-sitter, and coloured by it as well: one parser finds syntax errors,
//!   imports and tokens, and no regex engine has to be built for colours.
//! - Line by line ([`tui::lines`]) a word answers only what was said last: once that is known to be written
//!   out, 0.4 s later, and alone. What was typed before, whole or begun, is no answer. A terminal gives a
//!   line away only at its end, so it is made to give away what it has of one whenever something is asked.
//! - The two wire formats are spoken by hand, on reqwest and an event-stream parser: half a call must
//!   never run, and what counts as a whole one is decided here.

pub mod agent;
pub mod cli;
pub mod config;
pub mod executor;
pub mod guest;
pub mod host;
pub mod kernel;
pub mod model;
pub mod modules;
pub mod store;
pub mod telemetry;
pub mod tui;
