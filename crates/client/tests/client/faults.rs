//! Faults on a real socket: servers that refuse, break off, say nothing, say too much, or send elsewhere.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures::StreamExt;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::{ListParams, PostParams, WatchParams};
use pintle_client::client::Body;
use pintle_client::config::{Warning, WarningHandler};
use pintle_client::{Api, Client, Error, ErrorKind};
use secrecy::SecretString;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::served::{Answer, Asked, Bell, Notes, Served, VERSION, json, refused, tick, unending, whole};

fn config_map() -> ConfigMap {
    serde_json::from_str(r#"{"metadata":{"name":"a"}}"#).unwrap()
}

/// A client of `served` that tries each call once.
fn once(served: &Served) -> Client {
    let mut config = served.config();
    config.default_retry = false;
    Client::try_from(config).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_429_is_asked_again_when_the_server_says_so_and_on_the_same_connection() {
    tick();
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = tries.clone();
    let served = Served::plain(move |_| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if number == 2 {
                return json(VERSION);
            }
            let mut answer = refused(429, "TooManyRequests", "slow down");
            answer.headers_mut().insert("retry-after", "7".parse().unwrap());
            answer
        }
    })
    .await;
    let client = Client::try_from(served.config()).unwrap();
    let started = tokio::time::Instant::now();
    client.apiserver_version().await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(14), "{:?}", started.elapsed());
    assert_eq!((tries.load(Ordering::SeqCst), served.connections()), (3, 1));
}

/// Takes connections and, once a request has come, writes `beginning` and resets the connection. From connection
/// number `heals_at` on it answers properly.
async fn resetting(beginning: &'static str, heals_at: usize) -> (Client, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            if number >= heals_at {
                let length = VERSION.len();
                let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{VERSION}");
                stream.write_all(answer.as_bytes()).await.unwrap();
            } else {
                stream.write_all(beginning.as_bytes()).await.unwrap();
                // With this, closing resets.
                stream.set_zero_linger().unwrap();
            }
        }
    });
    let config = pintle_client::Config::new(format!("http://{address}").parse().unwrap());
    (Client::try_from(config).unwrap(), connections)
}

#[tokio::test]
async fn a_reset_in_the_middle_of_an_answer_is_an_interruption_that_names_the_call() {
    let (client, _) = resetting("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"major\":", usize::MAX).await;
    let error = client.apiserver_version().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error:?}");
    assert!(error.is_transient() && !error.maybe_executed() && !error.is_timeout());
    let message = error.to_string();
    assert!(message.contains("/version got an answer that broke off"), "{message}");

    let maps: Api<ConfigMap> = Api::namespaced(client, "ns");
    let error = maps.create(&PostParams::default(), &config_map()).await.unwrap_err();
    assert!(error.maybe_executed(), "{error:?}");
    let message = error.to_string();
    assert!(
        message.contains("POST http://127.0.0.1:") && message.contains("/configmaps got an answer that broke off"),
        "{message}"
    );
}

#[tokio::test]
async fn a_reset_before_the_answer_repeats_a_read_and_never_a_write() {
    let (client, connections) = resetting("", 3).await;
    client.apiserver_version().await.unwrap();
    assert_eq!(connections.load(Ordering::SeqCst), 3);

    let (client, connections) = resetting("", 2).await;
    let maps: Api<ConfigMap> = Api::namespaced(client, "ns");
    let error = maps.create(&PostParams::default(), &config_map()).await.unwrap_err();
    assert!(error.maybe_executed() && error.kind() == ErrorKind::Interrupted, "{error:?}");
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_watch_that_is_reset_ends_quietly_and_a_log_with_an_error() {
    let event = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n\
        {\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n{\"type\":";
    let (client, _) = resetting(event, usize::MAX).await;
    let maps: Api<ConfigMap> = Api::all(client.clone());
    let events: Vec<_> = maps.watch(&WatchParams::default(), "1").await.unwrap().collect().await;
    assert!(events.len() <= 1 && events.iter().all(Result::is_ok), "{events:?}");
    let request = Request::get("/api/v1/namespaces/a/pods/b/log?&follow=true").body(Vec::new()).unwrap();
    let mut log = std::pin::pin!(client.request_stream(request).await.unwrap());
    let mut text = Vec::new();
    let error = futures::AsyncReadExt::read_to_end(&mut log, &mut text).await.unwrap_err();
    assert!(error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Error>), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn headers_that_never_come_are_given_up_also_for_a_watch() {
    tick();
    let served = Served::plain(|_| std::future::pending()).await;
    let client = once(&served);
    let error = client.apiserver_version().await.unwrap_err();
    assert!(error.is_timeout() && error.kind() == ErrorKind::Interrupted, "{error:?}");
    let message = error.to_string();
    assert!(message.ends_with("/version got no answer: the API server's answer took longer than 65s"), "{message}");
    let maps: Api<ConfigMap> = Api::all(client);
    let error = maps.watch_packed(&WatchParams::default(), "1").await.map(|_| ()).unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    // As client-go has it: a watch that is not repaired is then one without events.
    assert_eq!(maps.watch(&WatchParams::default(), "1").await.unwrap().count().await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends_is_given_up_whether_it_is_silent_or_talks_on() {
    tick();
    let served = Served::plain(|asked: Asked| {
        let dripping = futures::stream::repeat(()).then(|()| async {
            tokio::time::sleep(Duration::from_secs(10)).await;
            Ok(hyper::body::Frame::data(" ".into()))
        });
        let silent = asked.path() == "/version";
        async move {
            let dripping = http_body_util::StreamBody::new(dripping).boxed_unsync();
            Response::new(if silent { unending(vec!["{"]) } else { dripping })
        }
    })
    .await;
    let client = once(&served);
    let error = client.apiserver_version().await.unwrap_err();
    assert!(error.is_timeout() && error.to_string().contains("the next piece of the API server's answer"), "{error:?}");
    let error = client.list_api_groups().await.unwrap_err();
    assert!(error.is_timeout() && error.to_string().contains("the whole call took longer than 300s"), "{error:?}");
}

fn gzipped(bytes: &[u8]) -> Answer {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    let mut answer = json(encoder.finish().unwrap());
    answer.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
    answer
}

#[tokio::test]
async fn a_packed_answer_is_unpacked_and_a_bomb_is_not() {
    let asked_for = Notes::<String>::default();
    let noted = asked_for.clone();
    let served = Served::plain(move |asked: Asked| {
        noted.add(asked.header("accept-encoding").to_owned());
        async move {
            match asked.path() {
                "/version" => gzipped(VERSION.as_bytes()),
                _ if asked.is_watch() => Response::new(unending(Vec::new())),
                _ => gzipped(&vec![b' '; 64 << 20]),
            }
        }
    })
    .await;
    let client = once(&served);
    assert_eq!(client.apiserver_version().await.unwrap().minor, "37");
    let maps: Api<ConfigMap> = Api::all(client);
    let error = maps.list(&ListParams::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed, "{error:?}");
    assert!(error.to_string().contains("would unpack to more than"), "{error:?}");
    maps.watch(&WatchParams::default(), "1").await.map(|_| ()).unwrap();
    assert_eq!(asked_for.all(), ["gzip", "gzip", "identity"]);
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_token_goes_nowhere_else() {
    let elsewhere = Served::plain(|_| async { json(VERSION) }).await;
    let target = elsewhere.address;
    for code in [301, 302, 303, 307, 308] {
        let served = Served::plain(move |_| async move {
            let location = format!("http://{target}/version");
            Response::builder().status(code).header("location", location).body(whole("")).unwrap()
        })
        .await;
        let mut config = served.config();
        config.auth_info.token = Some(SecretString::from("s3cr3t"));
        let error = Client::try_from(config).unwrap().apiserver_version().await.unwrap_err();
        assert!(matches!(&error, Error::Api(status) if status.code == code), "{error:?}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn a_refusal_that_is_not_read_leaves_its_connection_usable() {
    let served = Served::plain(|_| async { refused(404, "NotFound", &"x".repeat(1000)) }).await;
    let client = once(&served);
    for _ in 0..3 {
        let request = Request::get("/nowhere").body(Body::empty()).unwrap();
        let answer = client.send(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    }
    assert_eq!(served.connections(), 1);
}

#[tokio::test]
async fn what_is_dropped_is_cancelled_on_the_wire_and_the_client_goes_on() {
    let (arrived, gone) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let bells = (arrived.clone(), gone.clone());
    let answer = move |asked: Asked| {
        let (arrived, gone) = bells.clone();
        async move {
            if asked.path() == "/version" {
                return json(VERSION);
            }
            let bell = Bell(gone);
            arrived.add_permits(1);
            if asked.is_watch() {
                let silence = futures::stream::once(async move {
                    let _bell = bell;
                    std::future::pending().await
                });
                return Response::new(http_body_util::StreamBody::new(silence).boxed_unsync());
            }
            let _bell = bell;
            std::future::pending().await
        }
    };
    for served in [Served::plain(answer.clone()).await, Served::http2(answer).await] {
        let client = once(&served);
        let maps: Api<ConfigMap> = Api::all(client.clone());
        let watch = maps.watch(&WatchParams::default(), "1").await.unwrap();
        arrived.acquire().await.unwrap().forget();
        drop(watch);
        gone.acquire().await.unwrap().forget();
        let call = tokio::spawn(async move { maps.list(&ListParams::default()).await.map(|_| ()) });
        arrived.acquire().await.unwrap().forget();
        call.abort();
        gone.acquire().await.unwrap().forget();
        client.apiserver_version().await.unwrap();
    }
}

#[tokio::test]
async fn warnings_of_the_server_reach_the_handler() {
    let served = Served::plain(|_| async {
        let mut answer = json(VERSION);
        for text in [r#"299 - "v1beta1 is deprecated""#, "no warning at all", r#"299 - "unknown field""#] {
            answer.headers_mut().append("warning", text.parse().unwrap());
        }
        answer
    })
    .await;
    let heard = Notes::<Warning>::default();
    let noted = heard.clone();
    let mut config = served.config();
    config.warnings = WarningHandler::call(move |warning| noted.add(warning.clone()));
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
    let expected = ["v1beta1 is deprecated", "unknown field"].map(|text| Warning::new(299, "-", text));
    assert_eq!(heard.all(), expected);
}

#[tokio::test]
async fn an_error_page_of_a_proxy_is_quoted_in_short_and_without_what_may_be_a_secret() {
    let page = "<html><head><title>502 Bad Gateway</title></head><body><h1>upstream is down</h1>\n\
        <!-- Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln --></body></html>";
    let served = Served::plain(move |_| async move {
        let mut answer = Response::new(whole([page, &"filler ".repeat(1000)].concat()));
        *answer.status_mut() = StatusCode::BAD_GATEWAY;
        answer
    })
    .await;
    let error = once(&served).apiserver_version().await.unwrap_err();
    let Error::Api(status) = &error else { panic!("{error:?}") };
    assert_eq!(status.code, 502);
    assert!(status.message.contains("502 Bad Gateway upstream is down"), "{}", status.message);
    assert!(!status.message.contains("eyJ") && status.message.len() < 400, "{}", status.message);
}
