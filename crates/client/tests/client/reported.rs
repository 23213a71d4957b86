//! What a client says when it gets no answer: one line, soon, with call, server, cause and remedy; and one when it is over.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_apiserver::Server;
use pintle_client::api::{Api, ListParams};
use pintle_client::client::Body;
use pintle_client::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle_client::{Client, Error};
use tokio::net::TcpListener;

use crate::logged::Log;
use crate::served::{Asked, Notes, Served, VERSION, json, refused};

/// The lines of this library at a level.
fn lines(log: &Log, level: &str) -> Vec<String> {
    let is_ours = |line: &&str| line.contains(&format!(" {level} ")) && line.contains(" pintle_client");
    let is_event = |line: &&str| !line.ends_with(": new") && !line.contains(": close ") && !line.contains(": enter");
    log.text().lines().filter(is_ours).filter(is_event).map(str::to_owned).collect()
}

/// An address where no server listens.
async fn no_server() -> Config {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    Config::new(format!("http://{}", listener.local_addr().unwrap()).parse().unwrap())
}

async fn config_of(kubeconfig: &str) -> Config {
    let file = Kubeconfig::from_yaml(kubeconfig).unwrap();
    Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap()
}

async fn list(client: &Client) -> Result<(), Error> {
    Api::<ConfigMap>::default_namespaced(client.clone()).list(&ListParams::default()).await.map(|_| ())
}

/// One warning, which says all of this.
fn assert_one_warning(log: &Log, parts: &[&str]) {
    let warnings = lines(log, "WARN");
    assert_eq!(warnings.len(), 1, "{}", log.text());
    for part in parts {
        assert!(warnings[0].contains(part), "{part:?} in {}", warnings[0]);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_within_a_second_and_once() {
    let log = Log::default();
    let _recording = log.record();
    let config = no_server().await;
    let url = config.cluster_url.to_string();
    let client = Client::try_from(config).unwrap();
    let calls = async { tokio::join!(list(&client), list(&client), list(&client)) };
    tokio::time::timeout(Duration::from_secs(1), calls).await.unwrap_err();
    let call = format!("GET {url}api/v1/namespaces/default/configmaps got no answer: ");
    assert_one_warning(&log, &[&call, "Connection refused", "is the API server running"]);
    assert!(log.text().contains("HTTP{") && log.text().contains(r#"otel.name="list""#), "kube's span: {}", log.text());
    let retried = lines(&log, "INFO");
    assert_eq!(retried.len(), 3, "each call says once that it is tried again: {retried:?}");
    assert!(retried[0].contains("is tried again in") && retried[0].contains("(2 of 10): "), "{retried:?}");
}

#[tokio::test]
async fn a_wrong_token_is_said_and_that_it_is_accepted_again() {
    let log = Log::default();
    let _recording = log.record();
    let is_accepted = Arc::new(AtomicBool::new(false));
    let accepts = is_accepted.clone();
    let served = Served::plain(move |_: Asked| {
        let is_accepted = accepts.load(Ordering::Relaxed);
        async move { if is_accepted { json(VERSION) } else { refused(401, "Unauthorized", "Unauthorized") } }
    })
    .await;
    let client = Client::try_from(served.config()).unwrap();
    for _ in 0..5 {
        assert!(client.apiserver_version().await.unwrap_err().is_logged_by_client());
    }
    let call = format!("GET http://{}/version was refused: 401 Unauthorized", served.address);
    assert_one_warning(&log, &[&call, "check the token"]);
    assert!(lines(&log, "INFO").is_empty());
    is_accepted.store(true, Ordering::Relaxed);
    client.clone().apiserver_version().await.unwrap();
    client.apiserver_version().await.unwrap();
    let over = lines(&log, "INFO");
    assert!(over.len() == 1 && over[0].contains("accepts the credentials again"), "{over:?}");
}

#[tokio::test]
async fn a_wrong_authority_is_said_with_what_to_check() {
    let log = Log::default();
    let _recording = log.record();
    let [one, other] = [Server::new(), Server::new()];
    let serving = one.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let stranger = other.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let mut config = config_of(&serving.kubeconfig()).await;
    config.root_cert = config_of(&stranger.kubeconfig()).await.root_cert;
    let client = Client::try_from(config).unwrap();
    let error = list(&client).await.unwrap_err();
    list(&client).await.unwrap_err();
    assert_one_warning(&log, &["GET https://127.0.0.1:", "certificate", "check `certificate-authority`"]);
    let said = error.to_string();
    assert!(said.starts_with("the request failed: GET https://127.0.0.1:"), "{said}");
    assert_eq!(said.matches("invalid peer certificate").count(), 1, "each cause once: {said}");
}

#[tokio::test]
async fn a_connection_that_breaks_once_is_not_a_warning() {
    let log = Log::default();
    let _recording = log.record();
    let notes = Notes::<()>::default();
    let noted = notes.clone();
    let breaks = tower::service_fn(move |_: Request<Body>| {
        noted.add(());
        let is_first = noted.all().len() == 1;
        async move { if is_first { Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset)) } else { Ok(version()) } }
    });
    Client::layered(breaks, "default").apiserver_version().await.unwrap();
    assert_eq!((notes.all().len(), lines(&log, "WARN").len(), lines(&log, "INFO").len()), (2, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stays_away_is_said_once_a_minute_and_its_return_once() {
    let log = Log::default();
    let _recording = log.record();
    let is_there = Arc::new(AtomicBool::new(false));
    let there = is_there.clone();
    let service = tower::service_fn(move |_: Request<Body>| {
        let is_there = there.load(Ordering::Relaxed);
        async move {
            if is_there { Ok(version()) } else { Err(std::io::Error::from(std::io::ErrorKind::ConnectionRefused)) }
        }
    });
    // Without layers, too: every client has a reporter.
    let client = Client::new(service, "default");
    for _ in 0..150 {
        assert!(client.apiserver_version().await.unwrap_err().is_logged_by_client());
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(lines(&log, "WARN").len(), 3, "{}", log.text());
    is_there.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        client.apiserver_version().await.unwrap();
    }
    let over = lines(&log, "INFO");
    assert!(over.len() == 1 && over[0].contains("answers again, after 150.0 s"), "{over:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_is_said_to_wait_after_five_seconds() {
    let log = Log::default();
    let _recording = log.record();
    let slow = tower::service_fn(|request: Request<Body>| async move {
        let is_slow = request.uri().path() == "/version";
        tokio::time::sleep(Duration::from_secs(if is_slow { 7 } else { 4 })).await;
        Ok::<_, Infallible>(version())
    });
    let client = Client::layered(slow, "default");
    client.request_text(Request::get("/healthz").body(Vec::new()).unwrap()).await.unwrap();
    assert!(lines(&log, "INFO").is_empty());
    let calls = (0..3).map(|_| client.apiserver_version());
    futures::future::try_join_all(calls).await.unwrap();
    let waits = lines(&log, "INFO");
    assert_eq!(waits.len(), 1, "{waits:?}");
    assert!(waits[0].contains("still waiting for GET /version after 5 s: it was sent"), "{waits:?}");
    assert!(lines(&log, "WARN").is_empty());
}

#[tokio::test]
async fn a_connection_that_hangs_is_said_to_wait() {
    // Takes connections, and never says a word of TLS.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = Config::new(format!("https://{}", listener.local_addr().unwrap()).parse().unwrap());
    config.root_cert = Some(vec![crate::served::authority().der().to_vec()]);
    let log = Log::default();
    let _recording = log.record();
    let client = Client::try_from(config).unwrap();
    tokio::time::timeout(Duration::from_secs(6), list(&client)).await.unwrap_err();
    assert_one_warning(&log, &["still waiting for GET https://127.0.0.1:", "the TLS handshake has not ended"]);
    drop(listener);
}

fn version() -> Response<Body> {
    Response::new(Body::from(VERSION.as_bytes().to_vec()))
}

#[tokio::test]
async fn a_printed_error_names_call_server_and_causes_each_once() {
    let config = no_server().await;
    let url = config.cluster_url.to_string();
    let mut hasty = config.clone();
    hasty.default_retry = false;
    let error = list(&Client::try_from(hasty).unwrap()).await.unwrap_err().to_string();
    let expected = format!("the request failed: GET {url}api/v1/namespaces/default/configmaps got no answer: ");
    assert!(error.starts_with(&expected) && error.contains("is the API server running"), "{error}");
    for cause in ["client error (Connect)", "Connection refused"] {
        assert_eq!(error.matches(cause).count(), 1, "{cause} in {error}");
    }
    let client = Client::try_from(config).unwrap().with_timeout(Duration::from_millis(20));
    let late = list(&client).await.unwrap_err().to_string();
    assert_eq!(late, format!("{} the whole call took longer than 20ms", expected.trim_end()));
}

#[tokio::test]
async fn an_answer_that_is_not_a_status_names_its_call() {
    let served = Served::plain(|_: Asked| async { refused_by_a_proxy() }).await;
    let error = Client::try_from(served.config()).unwrap().apiserver_version().await.unwrap_err().to_string();
    let expected = format!("the API server refused: GET http://{}/version: the server answered 502", served.address);
    assert!(error.starts_with(&expected), "{error}");
}

fn refused_by_a_proxy() -> crate::served::Answer {
    let mut answer = json("bad gateway");
    *answer.status_mut() = http::StatusCode::BAD_GATEWAY;
    answer
}

#[test]
fn errors_of_a_configuration_say_what_is_wrong_with_which_file() {
    let missing = Kubeconfig::read_from("/no/such/kubeconfig").unwrap_err().to_string();
    assert_eq!(missing, "cannot read kubeconfig `/no/such/kubeconfig`: No such file or directory (os error 2)");
    let given = Error::from(Kubeconfig::from_yaml("clusters: 7").unwrap_err()).to_string();
    assert!(given.starts_with("the kubeconfig that was given cannot be used: "), "{given}");
    assert!(!given.contains('\n') && given.contains("line 1"), "{given}");
}
