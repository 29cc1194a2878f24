//! Whether the model that would answer can be reached: a connection is made, and nothing is said.

use std::time::Duration;

use reqwest::Url;
use tokio::net::TcpStream;

use crate::{
    cli::{checks::Finding, setup::variable},
    config::Config,
    model::{Models, scripted::Pace},
};

/// The longest that a server may take to take a connection.
const LONGEST: Duration = Duration::from_secs(5);

const NAME: &str = "reach";

/// What came of trying; nothing where no server would be asked.
pub(super) async fn model(config: &Config) -> Option<Finding> {
    let models = Models::new(config.providers.clone(), variable, Pace::Instant);
    let chosen = models.choose(config.model.as_deref())?;
    let (provider, _) = chosen.split_once('/')?;
    let provider = config.providers.iter().find(|known| known.name == provider)?;
    let proxy = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let proxy = proxy.into_iter().find(|name| variable(name).is_some());
    Some(reached(&provider.base_url, proxy).await)
}

/// Tries the server of that address; through a proxy it cannot be tried without saying something.
async fn reached(base_url: &str, proxy: Option<&str>) -> Finding {
    let url = Url::parse(base_url).ok();
    let Some((url, host)) = url.and_then(|url| Some((url.clone(), url.host_str()?.to_owned())))
    else {
        let says = format!("{base_url:?} is no address of a server");
        return Finding::weaker(NAME, says, "set base_url to something like https://HOST/v1");
    };
    if let Some(proxy) = proxy {
        return Finding::good(NAME, format!("{host}, by way of {proxy}; not tried"));
    }
    let port = url.port_or_known_default().unwrap_or(443);
    let connect = TcpStream::connect((host.trim_matches(['[', ']']), port));
    let fault = match tokio::time::timeout(LONGEST, connect).await {
        Ok(Ok(_)) => return Finding::good(NAME, format!("{host} takes a connection")),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", LONGEST.as_secs()),
    };
    let how = match host.as_str() {
        "localhost" | "127.0.0.1" | "[::1]" => "start the server there, or correct base_url",
        _ => "look at the network; behind a proxy, set HTTPS_PROXY",
    };
    Finding::weaker(NAME, format!("{host} cannot be reached: {fault}"), how)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::cli::checks::State;

    #[tokio::test]
    async fn a_server_that_listens_is_reached_and_one_that_does_not_says_what_to_do() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let found = reached(&url, None).await;
        assert_eq!((found.state, &*found.says), (State::Good, "127.0.0.1 takes a connection"));
        let found = reached(&url, Some("HTTPS_PROXY")).await;
        assert!(found.says.ends_with("not tried"), "{found:?}");
        drop(listener);
        let found = reached(&url, None).await;
        assert_eq!((found.state, found.how.len()), (State::Weaker, 1), "{found:?}");
        let found = reached("nonsense", None).await;
        assert_eq!((found.state, found.how.len()), (State::Weaker, 1), "{found:?}");
    }
}
