//! `etcd` of the assets: it stores nothing and says so.
//!
//! envtest starts an etcd, waits until its `/health` answers, and passes its address to kube-apiserver. Ours keeps everything in
//! its own memory, so all that is left to do here is to answer, until SIGTERM.

use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::failure::Failure;
use crate::log::{self, Requests};
use crate::narrator::Narrator;
use crate::stop::Stop;

/// Answers on the client URLs until it is stopped. Its other flags are about what it does not do.
pub(super) async fn run(words: Vec<String>, narrator: &Narrator) -> Result<(), Failure> {
    if words.iter().any(|word| matches!(word.as_str(), "-h" | "--help" | "-help")) {
        narrator.announce(HELP);
        return Ok(());
    }
    if words.iter().any(|word| matches!(word.as_str(), "--version" | "-version")) {
        narrator.announce(format_args!("etcd Version: none (pintle {})", env!("CARGO_PKG_VERSION")));
        return Ok(());
    }
    log::start(None, Requests::Unlogged)?;
    let stop = Stop::listen(None);
    let mut answering = JoinSet::new();
    for url in client_urls(&words) {
        let listener = listen(&url).await?;
        answering.spawn(answer_all(listener));
    }
    narrator.remark(SAYS);
    stop.wait().await;
    Ok(())
}

/// The URLs that clients are to use.
fn client_urls(words: &[String]) -> Vec<String> {
    let flag = words.iter().rposition(|word| word.trim_start_matches('-').starts_with("listen-client-urls"));
    let said = flag.and_then(|at| match words[at].split_once('=') {
        Some((_, urls)) => Some(urls),
        None => words.get(at + 1).map(String::as_str),
    });
    said.unwrap_or(DEFAULT_URL).split(',').map(str::to_owned).collect()
}

async fn listen(url: &str) -> Result<TcpListener, Failure> {
    let wrong = |why: String| Failure::new(format!("cannot listen on {url}"), why);
    let Some(host) = url.strip_prefix("http://") else {
        return Err(wrong("only http://HOST:PORT is possible: there is nothing here to protect".to_owned()));
    };
    let host = host.trim_end_matches('/');
    let mut addresses = tokio::net::lookup_host(host).await.map_err(|error| wrong(error.to_string()))?;
    let address = addresses.find(|address: &SocketAddr| address.ip().is_loopback());
    let address = address.ok_or_else(|| wrong("it is not a loopback address".to_owned()))?;
    TcpListener::bind(address).await.map_err(|error| wrong(error.to_string()))
}

async fn answer_all(listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        // A connection that cannot be accepted is tried again by who waits for the health.
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(answer_connection(stream));
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn answer_connection(stream: TcpStream) {
    let service = hyper::service::service_fn(|request| async move { Ok::<_, Infallible>(answer(&request)) });
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::debug!("a connection ended: {error}");
    }
}

fn answer(request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let (code, text) = match request.uri().path() {
        "/health" | "/livez" | "/readyz" => (200, r#"{"health":"true","reason":""}"#),
        _ => (404, SAYS),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = http::StatusCode::from_u16(code).unwrap_or_default();
    response
}

/// etcd's.
const DEFAULT_URL: &str = "http://localhost:2379";

const SAYS: &str = "this is not etcd: it is healthy and stores nothing, because Pintle's kube-apiserver keeps its objects in its own memory";

const HELP: &str = "\
etcd of Pintle's assets, for envtest: answers /health on its client URLs and stores nothing, because the kube-apiserver
beside it keeps its objects in its own memory. Every flag of etcd is accepted; one has an effect.

Flags:
  --listen-client-urls 'http://localhost:2379'
    Where to answer.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_urls_are_found_among_other_flags() {
        for (line, expected) in [
            (
                "--data-dir=/x --listen-client-urls=http://127.0.0.1:1,http://[::1]:1",
                vec!["http://127.0.0.1:1", "http://[::1]:1"],
            ),
            (
                "-listen-client-urls http://127.0.0.1:2 --listen-peer-urls=http://127.0.0.1:3",
                vec!["http://127.0.0.1:2"],
            ),
            ("--unsafe-no-fsync", vec![DEFAULT_URL]),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(client_urls(&words), expected, "{line}");
        }
    }
}
