//! `footplate`: the workstation itself.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::{
    args::Common,
    checks, doctor,
    edited::{Asked, Edited},
    exit::{Exit, Failure},
    keep::{ChosenModel, keep},
    meant, print,
    setup::{Setup, placed},
    surface,
};
use crate::{
    config::Surface,
    host::Attendance,
    kernel::{
        id::{ApprovalId, SessionId},
        port::{Executor as _, Hold},
        spec::{Mode, SessionSpec},
    },
    model::{self, Key},
    tui::{
        app::{self, Beginning, Dress, Here, Manners, Meant, Opening, Own, Player, Remember},
        effect::Start,
        keymap::Keymap,
        layout::Remembered,
        message::News,
        state::Leave,
        theme::Theme,
    },
};

/// The file with what the screen remembers.
const SCREEN: &str = "screen.toml";

pub(super) async fn run(common: &Common, prompt: Option<String>) -> Result<Exit, Failure> {
    let (began, owed) = (Timestamp::now(), usize::from(prompt.is_some()));
    let (tell, news) = mpsc::unbounded_channel();
    let said = tell.clone();
    // Fails only when the screen is gone.
    let notice = move |text| drop(said.send(News::Said(text)));
    let setup = Setup::new(common, Attendance::Attended, Arc::new(notice))?;
    let surface = surface::possible(setup.config.screen.surface)?;
    let wanted = setup.wanted(common)?;
    // Before a session reads them: what is asked need not be told.
    let project = folder(&setup, wanted)?;
    let untrusted = setup.host.untrusted(&project);
    let edited = Edited::begin(&setup.host, &setup.home, &project, &Asked::Person(tell.clone()));
    // It can be watched, and taken over; but nothing can be said to it.
    let held = wanted.filter(|id| prompt.is_none() && is_held(&setup, *id));
    let session = match held {
        Some(session) => Some(Meant::Elsewhere(session)),
        None => open(&setup, wanted, prompt, &tell)?.map(Meant::Here),
    };
    if let Some(rules) = untrusted {
        // Fails only when the screen is gone.
        let _ = tell.send(News::Untrusted(ApprovalId::fresh(), rules));
    }
    let opening = opening(&setup, session, &tell, news)?;
    let looking = look(&setup, &opening.player, &tell);
    let desk = Arc::new(setup.host.clone());
    let farewell = match surface {
        Surface::Whole | Surface::Inline => Box::pin(app::run(desk, opening)).await,
        Surface::Lines => Box::pin(app::run_lines(desk, opening, began, owed)).await,
    };
    edited.end().await;
    // What is still being looked at nobody wants to know any more.
    looking.abort();
    if let Err(error) = looking.await
        && error.is_panic()
    {
        tracing::error!(%error, "this computer could not be looked at");
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
        (Leave::Unanswered, _) => Exit::NobodyToAsk,
        (Leave::Signal, code) => code.map_or(Exit::Failed, Exit::Signal),
    })
}

/// Whether another process has that session.
fn is_held(setup: &Setup, session: SessionId) -> bool {
    matches!(setup.store.hold(session), Ok(Hold::Held(_)))
}

/// Looks at this computer beside the screen, and tells what is found as it is found: the seal, which is
/// found by trying, always; the rest for the first screen.
fn look(
    setup: &Setup,
    player: &Player,
    tell: &mpsc::UnboundedSender<News>,
) -> tokio::task::JoinHandle<()> {
    let (executor, data) = (setup.executor.clone(), setup.home.data.clone());
    let ollama = setup.config.providers.iter().find(|provider| provider.name == "ollama");
    let ollama = ollama.map(|provider| provider.base_url.clone());
    let first = matches!(player, Player::Nobody { .. });
    let tell = tell.clone();
    // Fails only when the screen is gone.
    let tell = move |news| drop(tell.send(news));
    tokio::spawn(async move {
        let trying = executor.clone();
        let form = tokio::task::spawn_blocking(move || trying.form()).await;
        if let Ok(form) = form {
            tell(News::Check(checks::SEAL, checks::seal_of(form)));
            tell(News::Seal(form));
        }
        if !first {
            return;
        }
        let disk = {
            let data = data.clone();
            tokio::task::spawn_blocking(move || doctor::folder("disk", &data)).await
        };
        if let Ok(disk) = disk {
            tell(News::Check(checks::DISK, checks::disk_of(&disk, &data)));
        }
        if let Some(base_url) = ollama {
            let models = model::listed(&base_url, checks::OLLAMA_PATIENCE).await;
            tell(News::Check(checks::OLLAMA, checks::ollama_of(models.as_deref())));
            let names = models.unwrap_or_default();
            tell(News::Models(names.iter().map(|name| format!("ollama/{name}")).collect()));
        }
        let uv = doctor::with_version(checks::uv(&executor), &executor).await;
        let python = doctor::python(&executor, &uv).await;
        tell(News::Check(checks::UV, checks::python_of(&uv, &python)));
    })
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
    session: Option<Meant>,
    tell: &mpsc::UnboundedSender<News>,
    news: mpsc::UnboundedReceiver<News>,
) -> Result<Opening, Failure> {
    let resumed = session.and_then(|meant| match meant {
        Meant::Here(session) => setup.host.spec(session),
        Meant::Elsewhere(_) => None,
    });
    let model = match &resumed {
        Some(spec) => Some(spec.model.clone()),
        None => chosen(setup)?,
    };
    let (theme, theme_file) = theme(setup, tell)?;
    let screen = setup.config.screen;
    let chosen_here = ChosenModel::default();
    let here = meant::here(&*setup.store, &setup.workspace);
    let player = player(setup, model.as_deref());
    let mut looked_at = checks::all(&setup.executor, theme.depth());
    if let Player::Nobody { .. } = player {
        looked_at.push(checks::ollama());
    }
    Ok(Opening {
        here: Here {
            name: name_of(resumed.as_ref().map_or(&setup.workspace, |spec| &spec.workspace)),
            folder: setup.workspace.clone(),
            home: super::setup::real_home(),
            drafts: Some(setup.home.drafts()),
            cache: Some(setup.home.cache.clone()),
            log: setup.log.as_ref().and_then(|log| Some(log.file()?.to_owned())),
        },
        player,
        mode: resumed.as_ref().map_or(setup.config.mode, |spec| spec.mode),
        runs: setup.config.runs,
        session,
        looked_at,
        last_here: here.first().map(last_here),
        begin: begin(setup, model, chosen_here.clone()),
        look: Dress {
            theme,
            marks: checks::marks(screen.glyphs),
            motion: screen.motion,
            own: own(setup, theme_file, chosen_here, tell),
        },
        manners: Manners {
            mouse: screen.mouse,
            surface: screen.surface,
            notice: screen.notice,
            reflows: checks::reflows(),
            in_tmux: checks::in_tmux(),
        },
        sizes: setup.home.recall(SCREEN).map(|text| Remembered::read(&text)).unwrap_or_default(),
        remember: remember(setup),
        history: here.iter().rev().filter_map(|session| session.title.clone()).collect(),
        news,
    })
}

/// Keeps the sizes of panes in the home.
fn remember(setup: &Setup) -> Remember {
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

/// The person's own files, and how choices are kept in them.
fn own(
    setup: &Setup,
    theme: Option<PathBuf>,
    chosen: ChosenModel,
    tell: &mpsc::UnboundedSender<News>,
) -> Own {
    let keys = setup.home.keys_file();
    let keymap = match std::fs::read_to_string(&keys) {
        Ok(source) => Keymap::read(&name_of(&keys), &source).map_err(|fault| fault.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Keymap::default()),
        Err(error) => Err(format!("{} cannot be read: {error}.", name_of(&keys))),
    };
    let keymap = keymap.unwrap_or_else(|fault| {
        let _ = tell.send(News::Said(fault));
        Keymap::default()
    });
    Own {
        theme,
        themes: setup.home.themes(),
        asks_ground: checks::asks_ground(&setup.config),
        pictures: checks::pictures(setup.config.screen),
        measure: checks::cell,
        keymap,
        keep: keep(setup, chosen),
        keys,
        rules: crate::config::rules::of_person(&setup.home),
    }
}

/// Describes the session to start when the person says something, or takes the tour.
fn begin(
    setup: &Setup,
    model: Option<String>,
    chosen: ChosenModel,
) -> Arc<dyn Fn(Start) -> Result<Beginning, String> + Send + Sync> {
    let here = setup.spec(model.unwrap_or(model::NONE.to_owned()));
    let home = setup.home.clone();
    Arc::new(move |start| {
        let chosen = chosen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let model = chosen.unwrap_or_else(|| here.model.clone());
        let spec = SessionSpec { id: SessionId::fresh(), model, ..here.clone() };
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
    let Some(name) = &setup.config.theme else {
        let light = checks::ground() == Some(true);
        return Ok((if light { Theme::light(depth) } else { Theme::dark(depth) }, None));
    };
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
                    format!("there is no theme {}", crate::kernel::text::quoted(name)),
                    format!("themes are: {known}, or a file of yours, {}", file.display()),
                ))
            }
        },
    }
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
    let more = if line.chars().nth(40).is_some() { "…" } else { "" };
    let short: String = line.chars().take(40).collect();
    format!("{}{more}, {ago}", short.trim_end())
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}
