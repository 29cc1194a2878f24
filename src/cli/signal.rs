//! The signals that ask a program without a screen to stop.

use tokio::signal::unix::{SignalKind, signal};

/// Listens from now on, so that none of them ends the program by itself any more; the future ends
/// when one comes. Must be called within a runtime.
pub(super) fn stop_signal() -> impl Future<Output = ()> {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    async move {
        let waits = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures_util::future::select_all(waits).await;
    }
}
