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

    use super::*;

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
