//! `footplate`: the workstation itself.

use std::{
    io::{IsTerminal as _, stdin, stdout},
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::{
    args::Common,
    checks,
    exit::{Exit, Failure},
    print,
    setup::{Setup, placed, spoken},
};
use crate::{
    host::Attendance,
    kernel::{
        id::{ApprovalId, SessionId},
        port::{Executor as _, Hold},
        spec::{Mode, SessionSpec},
    },
    model::{self, Key},
    tui::{
        app::{self, Beginning, Opening, Player},
        effect::Start,
        layout::Remembered,
        message::News,
        state::Leave,
        theme::Theme,
    },
};

/// The file with what the screen remembers.
const SCREEN: &str = "screen.toml";

pub(super) async fn run(common: &Common, prompt: Option<String>) -> Result<Exit, Failure> {
    if !stdout().is_terminal() || !stdin().is_terminal() {
        return Err(Failure::usage(
            "the workstation needs a terminal",
            "without one: footplate exec \"PROMPT\"",
        ));
    }
    let (tell, news) = mpsc::unbounded_channel();
    let said = tell.clone();
    // Fails only when the screen is gone.
    let notice = move |text| drop(said.send(News::Said(text)));
    let setup = Setup::new(common, Attendance::Attended, Arc::new(notice))?;
    let wanted = setup.wanted(common)?;
    // Before a session reads them: what is asked need not be told.
    let untrusted = setup.host.untrusted(&folder(&setup, wanted)?);
    // It can be watched, and taken over; but nothing can be said to it.
    let held = wanted.filter(|id| prompt.is_none() && is_held(&setup, *id));
    let session = if held.is_some() { None } else { open(&setup, wanted, prompt, &tell)? };
    if let Some(rules) = untrusted {
        // Fails only when the screen is gone.
        let _ = tell.send(News::Untrusted(ApprovalId::fresh(), rules));
    }
    let opening = Opening { held, ..opening(&setup, session, &tell, news)? };
    let (executor, known) = (setup.executor.clone(), tell.clone());
    let ollama = setup.config.providers.iter().find(|provider| provider.name == "ollama");
    let ollama = ollama.filter(|_| matches!(opening.player, Player::Nobody { .. }));
    let ollama = ollama.map(|provider| provider.base_url.clone());
    // Found out by trying, which takes some milliseconds: not before the first frame.
    let probing = tokio::task::spawn_blocking(move || {
        let form = executor.form();
        for news in [News::Check(checks::SEAL, checks::seal_of(form)), News::Seal(form)] {
            // Fails only when the screen is gone.
            let _ = known.send(news);
        }
        if let Some(base_url) = ollama {
            let found = checks::ollama_of(&base_url);
            let _ = known.send(News::Check(checks::OLLAMA, found));
        }
    });
    let farewell = app::run(Arc::new(setup.host.clone()), opening);
    let farewell = farewell.await;
    if let Err(error) = probing.await {
        tracing::error!(%error, "the seal could not be tried");
    }
    let roots = setup.host.roots();
    let in_view = farewell.as_ref().ok().and_then(|farewell| farewell.session);
    let left = roots.iter().find(|spec| Some(spec.id) == in_view).or(roots.last()).cloned();
    setup.host.shutdown().await;
    let farewell = farewell.map_err(|error| {
        Failure::new(format!("the terminal cannot be used: {error}"), "all so far is kept")
    })?;
    if let Some(spec) = left {
        let how = match spec.workspace == setup.workspace {
            true => "--continue".to_owned(),
            false => format!("--resume {}", spec.id.short()),
        };
        print::aside(&format!("All is kept. Carry on: footplate {how}"));
    }
    Ok(match (farewell.leave, farewell.signal.and_then(|signal| signal.exit_code())) {
        (Leave::Quit, _) => Exit::Done,
        (Leave::Signal, code) => code.map_or(Exit::Failed, Exit::Signal),
    })
}

/// Whether another process has that session.
fn is_held(setup: &Setup, session: SessionId) -> bool {
    matches!(setup.store.hold(session), Ok(Hold::Held(_)))
}

/// The folder that is worked in from the beginning.
fn folder(setup: &Setup, wanted: Option<SessionId>) -> Result<PathBuf, Failure> {
    let Some(wanted) = wanted else { return Ok(setup.workspace.clone()) };
    let all = setup.store.list()?;
    let spec = all.into_iter().map(|session| session.spec).find(|spec| spec.id == wanted);
    Ok(spec.map_or(setup.workspace.clone(), |spec| spec.workspace))
}

/// The session that is there from the beginning, if the command line names one or says something.
fn open(
    setup: &Setup,
    wanted: Option<SessionId>,
    prompt: Option<String>,
    tell: &mpsc::UnboundedSender<News>,
) -> Result<Option<SessionId>, Failure> {
    if let Some(session) = wanted {
        if let Some(notice) = setup.host.resume(session)? {
            let _ = tell.send(News::Said(notice));
        }
        if let Some(prompt) = prompt {
            setup.host.send(session, prompt);
        }
        return Ok(Some(session));
    }
    let model = chosen(setup)?;
    match (prompt, model) {
        (None, _) => Ok(None),
        (Some(prompt), model) => {
            let session = setup.start(model.unwrap_or(model::NONE.to_owned()))?;
            setup.host.send(session, prompt);
            Ok(Some(session))
        }
    }
}

/// The model to use, known to be one that can be used; absent if none is connected.
fn chosen(setup: &Setup) -> Result<Option<String>, Failure> {
    let models = setup.host.models();
    let model = models.choose(setup.config.model.as_deref());
    if let Some(name) = &model {
        models.resolve(name).map_err(Failure::usage_in_two_lines)?;
    }
    Ok(model)
}

fn opening(
    setup: &Setup,
    session: Option<SessionId>,
    tell: &mpsc::UnboundedSender<News>,
    news: mpsc::UnboundedReceiver<News>,
) -> Result<Opening, Failure> {
    let resumed = session.and_then(|id| setup.host.spec(id));
    let model = match &resumed {
        Some(spec) => Some(spec.model.clone()),
        None => chosen(setup)?,
    };
    let (theme, theme_file) = theme(setup, tell)?;
    let here = here(setup);
    let player = player(setup, model.as_deref());
    let mut looked_at = checks::all(&setup.executor, theme.depth());
    if let Player::Nobody { .. } = player {
        looked_at.push(checks::ollama());
    }
    Ok(Opening {
        folder: setup.workspace.clone(),
        workspace: name_of(resumed.as_ref().map_or(&setup.workspace, |spec| &spec.workspace)),
        player,
        mode: resumed.as_ref().map_or(setup.config.mode, |spec| spec.mode),
        runs: setup.config.runs,
        home: super::setup::real_home(),
        session,
        held: None,
        looked_at,
        last_here: here.first().map(last_here),
        begin: begin(setup, model),
        theme,
        theme_file,
        marks: checks::marks(setup.config.glyphs),
        notice: setup.config.notice,
        sizes: setup.home.recall(SCREEN).map(|text| Remembered::read(&text)).unwrap_or_default(),
        remember: remember(setup),
        mouse: setup.config.mouse,
        history: here.iter().rev().filter_map(|session| session.title.clone()).collect(),
        news,
    })
}

/// Keeps the sizes of panes in the home.
fn remember(setup: &Setup) -> Arc<dyn Fn(&Remembered) -> Result<(), String> + Send + Sync> {
    let home = setup.home.clone();
    Arc::new(move |sizes| {
        home.remember(SCREEN, &sizes.text())
            .map_err(|error| format!("The sizes of panes are not kept: {error}."))
    })
}

fn player(setup: &Setup, model: Option<&str>) -> Player {
    match model {
        None | Some(model::NONE) => Player::Nobody {
            looked_for: setup
                .host
                .models()
                .available()
                .into_iter()
                .filter_map(|provider| match provider.key {
                    Key::Missing(variable) => Some(variable),
                    Key::Present(_) | Key::NotNeeded => None,
                })
                .collect(),
        },
        Some(name) if model::is_scripted(name) => Player::Script(name.to_owned()),
        Some(name) => Player::Model(name.to_owned()),
    }
}

/// Describes the session to start when the person says something, or takes the tour.
fn begin(
    setup: &Setup,
    model: Option<String>,
) -> Arc<dyn Fn(Start) -> Result<Beginning, String> + Send + Sync> {
    let here = setup.spec(model.unwrap_or(model::NONE.to_owned()));
    let home = setup.home.clone();
    Arc::new(move |start| {
        let spec = SessionSpec { id: SessionId::fresh(), ..here.clone() };
        match start {
            Start::Here => Ok(Beginning { spec: placed(&home, spec)?, message: None }),
            Start::Tour => {
                let model = model::TOUR_NAME.to_owned();
                // Its questions are what it shows.
                let spec = SessionSpec { model, mode: Mode::Default, ..spec };
                let message = Some("Show me around.".to_owned());
                Ok(Beginning { spec: placed(&home, spec)?, message })
            }
        }
    })
}

/// The theme, and the file to watch if it comes from one. A faulty file is told of and the
/// built-in theme taken: nobody should be kept out by a colour.
fn theme(
    setup: &Setup,
    tell: &mpsc::UnboundedSender<News>,
) -> Result<(Theme, Option<PathBuf>), Failure> {
    let depth = checks::depth();
    let name = &setup.config.theme;
    let themes = setup.home.config.join("themes");
    let file = themes.join(format!("{name}.toml"));
    let built_in = Theme::built_in(name, depth);
    match std::fs::read_to_string(&file) {
        Ok(source) => {
            let parsed = Theme::parse(&name_of(&file), &source, depth);
            let theme = parsed.unwrap_or_else(|fault| {
                let _ = tell.send(News::Said(fault.to_string()));
                built_in.unwrap_or_else(|| Theme::dark(depth))
            });
            Ok((theme, Some(file)))
        }
        Err(_) => match built_in {
            Some(theme) => Ok((theme, None)),
            None => {
                let known = Theme::BUILT_IN.map(|(name, _)| name).join(", ");
                Err(Failure::usage(
                    format!("there is no theme {name:?}"),
                    format!("themes are: {known}, or a file of yours, {}", file.display()),
                ))
            }
        },
    }
}

/// The sessions of this folder, newest first. Without a list there is less to show, no more.
fn here(setup: &Setup) -> Vec<crate::kernel::port::SessionSummary> {
    let mut all = spoken(setup.store.list().unwrap_or_default());
    all.retain(|session| session.spec.workspace == setup.workspace);
    all.truncate(100);
    all
}

fn last_here(session: &crate::kernel::port::SessionSummary) -> String {
    let ago = Timestamp::now() - session.changed;
    let minutes = ago.as_mins().unsigned_abs();
    let ago = match minutes {
        0..60 => format!("{minutes} min ago"),
        60..2880 => format!("{} h ago", minutes / 60),
        2880.. => format!("{} days ago", minutes / 1440),
    };
    let title = session.title.as_deref().unwrap_or_default();
    let line = title.lines().next().unwrap_or_default();
    let short: String = line.chars().take(40).collect();
    format!("{short}, {ago}")
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}
