//! HTTP/2 as clusters use it: hundreds of watches beside calls, answers that are not read, peers that die.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use http::Response;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::{ListParams, PostParams, WatchParams};
use pintle_client::{Api, Client, ErrorKind};
use tokio::sync::{Semaphore, broadcast};
use tokio::time::timeout;

use crate::served::{Asked, Notes, Served, Tls, VERSION, authority, json, tick, unending, whole};

/// Longer than anything here takes, so that a test that hangs says where.
const PATIENCE: Duration = Duration::from_secs(60);

async fn in_time<F: Future>(what: &str, future: F) -> F::Output {
    timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what} waits for something else to end"))
}

fn event(version: usize) -> String {
    format!(
        "{{\"type\":\"MODIFIED\",\"object\":{{\"metadata\":{{\"name\":\"a\",\"resourceVersion\":\"{version}\"}}}}}}\n"
    )
}

/// A watch whose events come whenever the test says so.
fn events_of(events: &broadcast::Sender<usize>) -> crate::served::Answer {
    let events = events.subscribe();
    let pieces = futures::stream::unfold(events, |mut events| async {
        let version = events.recv().await.ok()?;
        Some((Ok(hyper::body::Frame::data(event(version).into())), events))
    });
    Response::new(http_body_util::BodyExt::boxed_unsync(http_body_util::StreamBody::new(pieces)))
}

#[tokio::test]
async fn two_hundred_and_fifty_watches_and_calls_beside_them_all_progress() {
    let events = broadcast::Sender::new(16);
    let (spoken, on) = (events.clone(), Notes::<(bool, usize)>::default());
    let noted = on.clone();
    let served = Served::http2(move |asked: Asked| {
        noted.add((asked.is_watch(), asked.connection));
        let answer = if asked.is_watch() { events_of(&spoken) } else { json(VERSION) };
        async { answer }
    })
    .await;
    let client = Client::try_from(served.config()).unwrap();
    let maps: Api<ConfigMap> = Api::all(client.clone());
    let mut watches = Vec::new();
    for _ in 0..250 {
        let watch = in_time("a watch", maps.watch(&WatchParams::default(), "1")).await.unwrap();
        watches.push(watch.boxed());
    }
    for round in 1..=3 {
        // A hundred calls at once, while every watch is open.
        let calls = (0..100).map(|_| client.apiserver_version());
        in_time("a call", futures::future::try_join_all(calls)).await.unwrap();
        assert_eq!(events.send(round).unwrap(), 250);
        for watch in &mut watches {
            in_time("an event", watch.try_next()).await.unwrap().unwrap();
        }
    }
    let on = on.all();
    let connections = |wanted: bool| -> std::collections::BTreeSet<usize> {
        on.iter().filter(|(is_watch, _)| *is_watch == wanted).map(|(_, connection)| *connection).collect()
    };
    assert_eq!(connections(true).len(), 3, "250 watches need three connections of 100 streams");
    assert!(connections(true).is_disjoint(&connections(false)), "watches and calls share a connection");
}

#[tokio::test]
async fn lists_that_are_not_read_do_not_keep_other_answers_waiting() {
    let served = Served::http2(|asked: Asked| {
        let is_list = asked.request.uri().query().is_some_and(|query| query.contains("limit=500"));
        async move { if is_list { Response::new(whole(vec![b' '; 6 << 20])) } else { json(VERSION) } }
    })
    .await;
    let client = Client::try_from(served.config()).unwrap();
    let maps: Api<ConfigMap> = Api::all(client.clone());
    let mut unread = Vec::new();
    for _ in 0..5 {
        unread.push(maps.list_packed(&ListParams::default().limit(500)).await.unwrap());
    }
    in_time("a call", client.apiserver_version()).await.unwrap();
}

#[tokio::test]
async fn two_mebibytes_come_before_anybody_reads() {
    let sent = Arc::new(AtomicUsize::new(0));
    let enough = Arc::new(Semaphore::new(0));
    let (counted, rung) = (sent.clone(), enough.clone());
    let served = Served::http2(move |_| {
        let (counted, rung) = (counted.clone(), rung.clone());
        let pieces = futures::stream::repeat_with(move || {
            // What is asked for was sent before.
            if counted.fetch_add(64 << 10, Ordering::SeqCst) == 2 << 20 {
                rung.add_permits(1);
            }
            Ok(hyper::body::Frame::data(bytes::Bytes::from(vec![b' '; 64 << 10])))
        });
        async { Response::new(http_body_util::BodyExt::boxed_unsync(http_body_util::StreamBody::new(pieces))) }
    })
    .await;
    let client = Client::try_from(served.config()).unwrap();
    let request = http::Request::get("/api/v1/configmaps").body(pintle_client::client::Body::empty()).unwrap();
    let _unread = client.send(request).await.unwrap();
    in_time("the server", enough.acquire()).await.unwrap().forget();
}

#[tokio::test]
async fn a_thousand_and_twenty_four_calls_are_in_flight_and_watches_are_not_counted() {
    let (now, most, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let full = Arc::new(Semaphore::new(0));
    let (state, rung) = ((now.clone(), most.clone(), gate.clone()), full.clone());
    let served = Served::http2(move |asked: Asked| {
        let ((now, most, gate), rung) = (state.clone(), rung.clone());
        async move {
            if asked.is_watch() {
                return Response::new(unending(Vec::new()));
            }
            let running = now.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(running, Ordering::SeqCst);
            if running == 1024 {
                rung.add_permits(1);
            }
            gate.acquire().await.unwrap().forget();
            now.fetch_sub(1, Ordering::SeqCst);
            json(VERSION)
        }
    })
    .await;
    let client = Client::try_from(served.config()).unwrap();
    let calls: Vec<_> = (0..1100)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.apiserver_version().await })
        })
        .collect();
    in_time("the 1024th call", full.acquire()).await.unwrap().forget();
    let maps: Api<ConfigMap> = Api::all(client.clone());
    let _watch = in_time("a watch", maps.watch(&WatchParams::default(), "1")).await.unwrap();
    gate.add_permits(1100);
    for call in calls {
        in_time("a call", call).await.unwrap().unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 1024);
}

/// The clock runs in small steps; the server's side of the connection stops answering pings once it is mute.
#[tokio::test(start_paused = true)]
async fn a_peer_that_dies_under_a_watch_is_noticed_within_45_seconds() {
    tick();
    let served = Served::http2(|_| async { Response::new(unending(Vec::new())) }).await;
    let (mute, proxy) = crate::relay::Relay::start(served.address).await;
    let mut config = served.config();
    config.cluster_url = format!("https://{proxy}").parse().unwrap();
    let maps: Api<ConfigMap> = Api::all(Client::try_from(config).unwrap());
    let mut watch = maps.watch(&WatchParams::default().timeout(3600), "1").await.unwrap().boxed();
    mute.silence();
    let started = tokio::time::Instant::now();
    assert!(watch.next().await.is_none(), "a watch that breaks ends quietly");
    let waited = started.elapsed();
    assert!(waited <= Duration::from_secs(46), "{waited:?}");
    assert!(waited >= Duration::from_secs(15), "{waited:?}: it was not the ping that noticed");
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_peer_dies_is_an_interruption_long_before_its_own_limit() {
    tick();
    let asked = Arc::new(Semaphore::new(0));
    let rung = asked.clone();
    let served = Served::http2(move |_| {
        rung.add_permits(1);
        std::future::pending()
    })
    .await;
    let (mute, proxy) = crate::relay::Relay::start(served.address).await;
    let mut config = served.config();
    config.cluster_url = format!("https://{proxy}").parse().unwrap();
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
    let call = tokio::spawn(async move { client.apiserver_version().await });
    asked.acquire().await.unwrap().forget();
    mute.silence();
    let started = tokio::time::Instant::now();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error:?}");
    assert!(started.elapsed() <= Duration::from_secs(64), "{:?}", started.elapsed());
}

/// Refuses the first stream of each connection unseen, and answers the others.
async fn refuse_first(stream: tokio::net::TcpStream, acceptor: tokio_rustls::TlsAcceptor, streams: Notes<String>) {
    let mut connection = h2::server::handshake(acceptor.accept(stream).await.unwrap()).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let is_first = streams.all().is_empty();
        streams.add(format!("{} {}", request.method(), request.uri().path()));
        if is_first {
            respond.send_reset(h2::Reason::REFUSED_STREAM);
            continue;
        }
        let mut body = respond.send_response(Response::new(()), false).unwrap();
        body.send_data(r#"{"metadata":{"name":"a"}}"#.into(), true).unwrap();
    }
}

#[tokio::test]
async fn a_stream_that_the_server_refused_is_sent_again_also_where_it_writes() {
    let authority = authority();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(Tls::of(&authority).server_config()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let streams = Notes::default();
    let noted = streams.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(refuse_first(stream, acceptor.clone(), noted.clone()));
        }
    });
    let mut config = pintle_client::Config::new(format!("https://{address}").parse().unwrap());
    config.root_cert = Some(vec![authority.der().to_vec()]);
    let maps: Api<ConfigMap> = Api::namespaced(Client::try_from(config).unwrap(), "ns");
    let created = in_time("a create", maps.create(&PostParams::default(), &ConfigMap::default())).await.unwrap();
    assert_eq!(created.metadata.name.as_deref(), Some("a"));
    assert_eq!(streams.all(), ["POST /api/v1/namespaces/ns/configmaps"; 2]);
}
