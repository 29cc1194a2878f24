//! Which models a server on this computer has.

use std::time::Duration;

use reqwest::{Client, Url, redirect::Policy};
use serde::Deserialize;

use super::wire::{is_this_computer, use_ring};

/// Longest answer that is read.
const LARGEST: usize = 1 << 20;

#[derive(Deserialize)]
struct Answer {
    data: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
}

/// The models of the server at that address, by the list that servers of the OpenAI kind have; nothing
/// if it is not on this computer, does not answer in time, or says something else. No key is sent.
/// Dropping the future ends the asking.
pub async fn listed(base_url: &str, patience: Duration) -> Option<Vec<String>> {
    let base = Url::parse(base_url).ok().filter(is_this_computer)?;
    use_ring();
    let client = Client::builder().no_proxy().redirect(Policy::none()).timeout(patience).build();
    let url = format!("{}/models", base.as_str().trim_end_matches('/'));
    let mut response = client.ok()?.get(url).send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.ok()? {
        body.extend_from_slice(&part);
        if body.len() > LARGEST {
            return None;
        }
    }
    let answer: Answer = serde_json::from_slice(&body).ok()?;
    let mut names: Vec<_> = answer.data.into_iter().map(|model| model.id).collect();
    // A name is shown and kept: one that no terminal should see is none.
    names.retain(|name| !name.is_empty() && name.len() < 200 && !name.contains(char::is_control));
    names.truncate(100);
    Some(names)
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;

    async fn of_a_server_that_says(body: &str) -> Option<Vec<String>> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = [0; 1024];
            let count = stream.read(&mut asked).await.unwrap();
            assert!(asked[..count].starts_with(b"GET /v1/models "));
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        let names = listed(&format!("http://{address}/v1"), Duration::from_mins(5)).await;
        serving.await.unwrap();
        names
    }

    #[tokio::test]
    async fn a_server_on_this_computer_says_which_models_it_has() {
        let body =
            r#"{"object":"list","data":[{"id":"llama3.2:3b"},{"id":"a\u001b[2J"},{"id":""}]}"#;
        assert_eq!(of_a_server_that_says(body).await, Some(vec!["llama3.2:3b".to_owned()]));
        assert_eq!(of_a_server_that_says("<html>").await, None);
        assert_eq!(listed("http://example.com/v1", Duration::from_mins(5)).await, None);
        assert_eq!(listed("nonsense", Duration::from_mins(5)).await, None);
    }
}
