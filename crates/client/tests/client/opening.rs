//! How a watch is opened that is not repaired.

use std::io::ErrorKind;
use std::time::Duration;

use futures::StreamExt;
use http::{Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::{Api, WatchParams};
use pintle_client::client::Body;
use pintle_client::{Client, Error, ErrorKind as Kind};
use pintle_runtime::watcher::StreamWatcher;
use tokio::time::Instant;

use crate::served::Notes;

/// How a server answers, one request after the other; the last answer is that of all later ones.
#[derive(Clone, Copy)]
enum Said {
    Code(u16, Option<u64>),
    Breaks(ErrorKind),
}

const EVENT: &str =
    r#"{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"7"}}}"#;

/// A client made as one from a configuration is, and a count of its requests.
fn client(said: &'static [Said]) -> (Api<ConfigMap>, Notes<()>) {
    let asked = Notes::<()>::default();
    let noted = asked.clone();
    let service = tower::service_fn(move |_: Request<Body>| {
        let at = noted.all().len();
        noted.add(());
        async move {
            let (code, after) = match said[at.min(said.len() - 1)] {
                Said::Breaks(kind) => return Err(std::io::Error::from(kind)),
                Said::Code(code, after) => (code, after),
            };
            let mut response = Response::new(Body::from(EVENT.as_bytes().to_vec()));
            *response.status_mut() = code.try_into().unwrap();
            if let Some(seconds) = after {
                response.headers_mut().insert("retry-after", seconds.into());
            }
            Ok(response)
        }
    });
    (Api::default_namespaced(Client::layered(service, "default")), asked)
}

/// How many events came, or the error; how many requests that took, and seconds.
async fn open(said: &'static [Said]) -> (Result<usize, Error>, usize, u64) {
    let (maps, asked) = client(said);
    let begun = Instant::now();
    let opened = match maps.watch(&WatchParams::default(), "5").await {
        Ok(events) => Ok(events.count().await),
        Err(error) => Err(error),
    };
    (opened, asked.all().len(), begun.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_another_try_gets_it_when_it_says() {
    let (opened, asked, seconds) =
        open(&[Said::Code(429, Some(3)), Said::Code(503, Some(4)), Said::Code(200, None)]).await;
    assert_eq!((opened.unwrap(), asked), (1, 3));
    assert!((7..=10).contains(&seconds), "3 s and 4 s, and up to half of that again; it took {seconds} s");
    let (refused, asked, _) = open(&[Said::Code(429, Some(1))]).await;
    assert!(matches!(refused, Err(Error::Api(status)) if status.code == 429));
    assert_eq!(asked, 10);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_while_a_watch_is_opened_is_made_anew() {
    let (opened, asked, _) = open(&[Said::Breaks(ErrorKind::ConnectionReset), Said::Code(200, None)]).await;
    assert_eq!((opened.unwrap(), asked), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_always_breaks_is_a_watch_without_events() {
    for kind in [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset] {
        let begun = Instant::now();
        let (maps, asked) = client(match kind {
            ErrorKind::UnexpectedEof => &[Said::Breaks(ErrorKind::UnexpectedEof)],
            _ => &[Said::Breaks(ErrorKind::ConnectionReset)],
        });
        let mut watch = StreamWatcher::open(&maps, &WatchParams::default(), "5").await.unwrap();
        assert!(watch.next().await.is_none());
        assert_eq!(watch.last_resource_version().as_deref(), Some("5"));
        assert_eq!(asked.all().len(), 10);
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_there_is_an_error_at_once() {
    let (opened, asked, seconds) = open(&[Said::Code(403, None)]).await;
    assert!(matches!(opened, Err(Error::Api(status)) if status.code == 403));
    assert_eq!((asked, seconds), (1, 0));
    let (opened, asked, seconds) = open(&[Said::Breaks(ErrorKind::ConnectionRefused)]).await;
    assert_eq!((opened.unwrap_err().kind(), asked, seconds), (Kind::Interrupted, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_a_watcher_repairs_is_opened_once() {
    for said in [Said::Code(429, Some(1)), Said::Breaks(ErrorKind::ConnectionReset)] {
        let said: &'static [Said] = Box::leak(Box::new([said]));
        let (maps, asked) = client(said);
        assert!(maps.watch_packed(&WatchParams::default(), "5").await.is_err());
        assert_eq!(asked.all().len(), 1);
    }
}
