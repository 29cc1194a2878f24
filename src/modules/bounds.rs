//! What bounds a run, and how that is told to who decides about it.

use std::path::Path;

use crate::kernel::{
    capability::Reach,
    context::Context,
    error::CallError,
    gate::subject::{Reached, text},
    obeyed::is_obeyed,
    port::{Bounds, Executor, Form, Level, ResolvedPath},
    spec::View,
};

/// What was asked for beside a level.
#[derive(Default)]
pub(super) struct Asked {
    /// The network.
    pub(super) network: bool,
    /// To write these as well.
    pub(super) writes: Vec<ResolvedPath>,
}

impl Asked {
    /// With the real places of these paths, if a run may be given them.
    pub(super) fn of(
        cx: &Context,
        executor: &dyn Executor,
        (level, network, writes): (Level, bool, &[String]),
    ) -> Result<Self, CallError> {
        let writes: Result<_, _> = writes.iter().map(|path| cx.env.resolve_path(path)).collect();
        let asked = Self { network, writes: writes? };
        let bounds = asked.bounds(held(executor, level));
        fits(cx, &bounds)?;
        executor.check_bounds(&bounds, cx.env.root())?;
        Ok(asked)
    }

    /// The bounds at this level.
    pub(super) fn bounds(&self, level: Level) -> Bounds {
        let writes = self.writes.iter().map(|place| place.real.clone()).collect();
        Bounds { network: self.network, writes, ..level.into() }
    }

    /// What a run of that level really gets, as rules see it.
    pub(super) fn reached(&self, executor: &dyn Executor, wanted: Level, cwd: &Path) -> Reached {
        let writes = self.writes.iter().map(|place| text(&place.real)).collect();
        Reached { cwd: text(cwd), seal: held(executor, wanted), network: self.network, writes }
    }

    /// What it makes wider than `usual`, a line each.
    pub(super) fn wider(
        &self,
        executor: &dyn Executor,
        wanted: Level,
        usual: Level,
    ) -> Vec<String> {
        let mut wider = Vec::new();
        match (usual, wanted, held(executor, wanted)) {
            (_, Level::Open, Level::Open) => {
                wider.push("open: not sealed, it can do what you can".to_owned());
            }
            (_, _, Level::Open) => {
                let line = "open, as there is no seal here: it can do what you can";
                wider.push(line.to_owned());
            }
            (Level::Sealed, _, Level::Workspace) => wider.push("writes the workspace".to_owned()),
            (_, _, Level::Sealed | Level::Workspace) => {}
        }
        if self.network {
            wider.push("the network, and the servers of this computer".to_owned());
        }
        wider.extend(self.writes.iter().map(|place| {
            if place.shown == "." && executor.form() == Form::WithoutNamespaces {
                return "writes all of this folder, with .git and what else others run or obey in it"
                    .to_owned();
            }
            let obeyed = Path::new(&place.shown).iter().any(is_obeyed);
            let why = if obeyed { ", which other programs run or obey" } else { "" };
            match place.reach {
                Reach::Workspace => format!("writes {}{why}", place.shown),
                Reach::Outside => format!("reads and writes {}{why}", place.shown),
            }
        }));
        wider
    }
}

/// Refuses what could write where the session only reads.
pub(super) fn fits(cx: &Context, bounds: &Bounds) -> Result<(), CallError> {
    let only_reads = bounds.level == Level::Sealed && bounds.writes.is_empty();
    if only_reads || cx.env.view() == View::Whole {
        return Ok(());
    }
    Err(CallError::failed(
        "Not run: this session only reads its workspace, and this could write there. Run it with \
         seal=\"sealed\" and without writes, or leave it to the agent above.",
    ))
}

/// The level a run gets: where nothing can be sealed, what was let through runs open.
pub(super) fn held(executor: &dyn Executor, wanted: Level) -> Level {
    if executor.seals(wanted) { wanted } else { Level::Open }
}

/// Whether a run of that level can change nothing, so that it counts as a read: only where the seal
/// really holds.
pub(super) fn changes_nothing(cx: &Context, wanted: Level) -> bool {
    wanted == Level::Sealed && cx.executor.as_ref().is_some_and(|executor| executor.seals(wanted))
}

/// What bounds such a run, as short facts.
pub(super) fn facts(executor: &dyn Executor, wanted: Level, network: bool) -> Vec<String> {
    let seal = match held(executor, wanted) {
        Level::Sealed => "sealed",
        // Modes and times of other files are not held there.
        Level::Workspace if executor.form() == Form::WithoutNamespaces => "weaker workspace seal",
        Level::Workspace => "workspace seal",
        Level::Open => return vec!["unsealed".to_owned()],
    };
    let network = if network { None } else { Some("no network") };
    std::iter::once(seal).chain(network).map(str::to_owned).collect()
}
