//! `etcd` of the assets: a stub, which says so.
//!
//! envtest starts an etcd, waits until its `/health` answers, and passes its address to kube-apiserver. Ours has its objects in
//! its own memory, so all that is left to do here is to answer until SIGTERM, and to keep what an API server leaves when it ends
//! ([`kept_state`]).

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::kept_state;
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
    let (mut answering, state) = (JoinSet::new(), State::default());
    for url in client_urls(&words) {
        let listener = listen(&url).await?;
        answering.spawn(answer_all(listener, Arc::clone(&state)));
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

/// What an API server left.
type State = Arc<Mutex<Option<Bytes>>>;

async fn answer_all(listener: TcpListener, state: State) {
    let mut connections = JoinSet::new();
    loop {
        // A connection that cannot be accepted is tried again by who waits for the health.
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(answer_connection(stream, Arc::clone(&state)));
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn answer_connection(stream: TcpStream, state: State) {
    let service = hyper::service::service_fn(|request| answer(request, Arc::clone(&state)));
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::debug!("a connection ended: {error}");
    }
}

async fn answer(request: Request<Incoming>, state: State) -> hyper::Result<Response<Full<Bytes>>> {
    let (status, body) = match (request.method(), request.uri().path()) {
        (_, "/health" | "/livez" | "/readyz") => (StatusCode::OK, Bytes::from(r#"{"health":"true","reason":""}"#)),
        (&Method::PUT, kept_state::PATH) => {
            let left = request.into_body().collect().await?.to_bytes();
            *state.lock().unwrap_or_else(PoisonError::into_inner) = Some(left);
            (StatusCode::OK, Bytes::new())
        }
        (&Method::GET, kept_state::PATH) => {
            let left = state.lock().unwrap_or_else(PoisonError::into_inner).clone();
            left.map_or((StatusCode::NOT_FOUND, Bytes::new()), |left| (StatusCode::OK, left))
        }
        _ => (StatusCode::NOT_FOUND, Bytes::from(SAYS)),
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    Ok(response)
}

/// etcd's.
const DEFAULT_URL: &str = "http://localhost:2379";

const SAYS: &str =
    "this is not etcd: it is healthy, and all it keeps is what Pintle's kube-apiserver leaves with it when it ends";

const HELP: &str = "\
etcd of Pintle's assets, for envtest: answers /health on its client URLs. The kube-apiserver beside it has its objects in its
own memory, leaves them here when it ends, and fetches them when it begins. Every flag of etcd is accepted; one has an effect.

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
