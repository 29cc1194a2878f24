//! What a session may do without a question: the word of each mode that binds it.

use tokio::sync::watch;

use super::policy::{Verdict, strictest};
use crate::kernel::{
    capability::{Category, Reach},
    spec::Mode,
};

/// The modes that bind a session: its own and those of every session above it.
#[derive(Clone, Debug)]
pub struct Rights(Vec<watch::Receiver<Mode>>);

impl Rights {
    /// Of no mode at all: nothing but reads.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// The rights of a root session.
    pub fn of(mode: watch::Receiver<Mode>) -> Self {
        Self(vec![mode])
    }

    /// The rights of a child: these, and its own mode.
    #[must_use]
    pub fn narrowed(&self, mode: watch::Receiver<Mode>) -> Self {
        let mut modes = self.0.clone();
        modes.push(mode);
        Self(modes)
    }

    pub(super) fn verdict(&self, category: Category, reach: Reach) -> (Verdict, Mode) {
        strictest(self.0.iter().map(|mode| *mode.borrow()), category, reach)
    }

    /// Waits until one of the modes changes.
    pub(super) async fn changed(&mut self) {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        let changes = self.0.iter_mut().map(|mode| {
            Box::pin(async {
                if mode.changed().await.is_err() {
                    // The session that owned the mode is gone; what it said last still binds.
                    std::future::pending::<()>().await;
                }
            })
        });
        futures_util::future::select_all(changes).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::gate::{policy::ruled, rule::Effect};

    /// What a chain of sessions may do: each the child of the one before it.
    fn chain(modes: &[watch::Sender<Mode>]) -> Vec<Rights> {
        let mut chain: Vec<Rights> = Vec::new();
        for mode in modes {
            chain.push(match chain.last() {
                Some(parent) => parent.narrowed(mode.subscribe()),
                None => Rights::of(mode.subscribe()),
            });
        }
        chain
    }

    /// All that can be said to each call: of what category, where, by which rule and setting.
    fn verdicts(rights: &Rights) -> Vec<Verdict> {
        let rules = [None, Some(Effect::Allow), Some(Effect::Ask), Some(Effect::Deny)];
        let mut all = Vec::new();
        for category in Category::ALL {
            for reach in [Reach::Workspace, Reach::Outside] {
                let (by_mode, _) = rights.verdict(category, reach);
                all.push(by_mode);
                for rule in rules {
                    all.extend(
                        [Verdict::Allow, Verdict::Ask].map(|least| ruled(by_mode, least, rule)),
                    );
                }
            }
        }
        all
    }

    fn never_wider(child: &Rights, parent: &Rights) -> bool {
        verdicts(child).iter().zip(verdicts(parent)).all(|(child, parent)| *child >= parent)
    }

    fn mode() -> impl Strategy<Value = Mode> {
        proptest::sample::select(Mode::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn at_any_depth_a_child_may_never_do_more_than_its_parents_whatever_modes_change(
            modes in prop::collection::vec(mode(), 1..12),
            changes in prop::collection::vec((any::<prop::sample::Index>(), mode()), 0..24),
        ) {
            let modes: Vec<_> = modes.into_iter().map(watch::Sender::new).collect();
            let chain = chain(&modes);
            let changes = changes.into_iter().map(Some);
            for change in std::iter::once(None).chain(changes) {
                if let Some((which, mode)) = change {
                    modes[which.index(modes.len())].send_replace(mode);
                }
                for (depth, child) in chain.iter().enumerate() {
                    let own = Rights::of(modes[depth].subscribe());
                    prop_assert!(never_wider(child, &own), "{depth}");
                    for parent in &chain[..depth] {
                        prop_assert!(never_wider(child, parent), "{depth}: {child:?} {parent:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_session_that_is_gone_hides_no_change_of_another_one() {
        let (gone, of_the_gone) = watch::channel(Mode::Default);
        let (root, of_the_root) = watch::channel(Mode::Default);
        let mut rights = Rights::of(of_the_gone).narrowed(of_the_root);
        drop(gone);
        assert!(rights.changed().now_or_never().is_none());
        root.send_replace(Mode::Plan);
        assert!(rights.changed().now_or_never().is_some());
    }
}
