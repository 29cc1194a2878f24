//! What a request to the model may cost, asked before it is made.

use tokio_util::sync::CancellationToken;

use super::{Live, measure::about_tokens};
use crate::kernel::{allowance::Reserved, event::Outcome, message::Usage};

/// Sets aside what the next request is likely to use; waits where requests of other agents must be
/// counted first. The error ends the exchange.
pub(super) async fn may_ask(live: &Live, cancel: &CancellationToken) -> Result<Reserved, Outcome> {
    let reserved = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(Outcome::Stopped),
        reserved = live.allowance.reserve(likely(live)) => reserved,
    };
    reserved.map_err(|exhausted| Outcome::Limit { message: exhausted.to_string() })
}

fn likely(live: &Live) -> Usage {
    if !live.allowance.is_bound() {
        return Usage::default();
    }
    let input = about_tokens(live, &live.session());
    priced(live, Usage { input, ..Usage::default() })
}

/// With what it costs, where the model has a price.
pub(super) fn priced(live: &Live, usage: Usage) -> Usage {
    let cost = live.price.map(|price| price.of(usage)).unwrap_or_default();
    Usage { cost, ..usage }
}
