//! Signals by which somebody wants the program to end.

use tokio::signal::unix::{SignalKind, signal};

/// Ends when one of them comes; from then on none of them ends the program by itself.
pub(super) async fn stop_signal() {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    let waits = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
    futures_util::future::select_all(waits).await;
}
