//! HTTP/2 servers that say goodbye: a kube-apiserver that has to end, or that sheds connections now and then
//! (`--goaway-chance`), sends GOAWAY. What it has begun it finishes; what it has not looked at is sent again.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use h2::server::SendResponse;
use http::{Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::{Api, PostParams, WatchEvent, WatchParams};
use pintle_client::core::ResourceExt;
use pintle_client::{Client, Config, ErrorKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::served::{Notes, Tls, VERSION, authority};

/// Serves each connection, with its number from 1, by `serve`; gives back how to reach it.
async fn start<F: Future<Output = ()> + Send + 'static>(
    serve: impl Fn(TlsStream<TcpStream>, usize) -> F + Send + Sync + 'static,
) -> Config {
    let authority = authority();
    let acceptor = TlsAcceptor::from(Arc::new(Tls::of(&authority).server_config()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let connections = AtomicUsize::new(0);
        while let Ok((stream, _)) = listener.accept().await {
            let number = connections.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::spawn(serve(acceptor.accept(stream).await.unwrap(), number));
        }
    });
    let mut config = Config::new(format!("https://{address}").parse().unwrap());
    config.root_cert = Some(vec![authority.der().to_vec()]);
    config
}

/// What the test asks of the server, and learns from it.
#[derive(Clone)]
struct Stage {
    /// How many connections, from the first, have received a goodbye.
    goodbyes: watch::Receiver<usize>,
    /// Lets one slow call, or the next event of one watch, through.
    gate: Arc<Semaphore>,
    /// Which connection was asked what.
    asked: Notes<(usize, String)>,
}

impl Stage {
    async fn serve(self, stream: TlsStream<TcpStream>, number: usize) {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        let mut goodbyes = self.goodbyes.clone();
        let mut is_leaving = false;
        loop {
            tokio::select! {
                biased;
                reached = goodbyes.wait_for(|count| *count >= number), if !is_leaving => {
                    is_leaving = true;
                    if reached.is_ok() {
                        connection.graceful_shutdown();
                    }
                }
                accepted = connection.accept() => {
                    let Some(Ok((request, respond))) = accepted else { return };
                    tokio::spawn(self.clone().answer(request, respond, number));
                }
            }
        }
    }

    async fn answer(self, request: Request<h2::RecvStream>, mut respond: SendResponse<Bytes>, number: usize) {
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let is_slow = request.uri().path().ends_with("/slow");
        self.asked.add((number, request.uri().path().to_owned()));
        if is_slow {
            self.gate.acquire().await.unwrap().forget();
        }
        let mut body = respond.send_response(Response::new(()), false).unwrap();
        if !is_watch {
            return body.send_data(VERSION.into(), true).unwrap();
        }
        for version in 1.. {
            self.gate.acquire().await.unwrap().forget();
            let object = format!(r#"{{"metadata":{{"name":"on-{number}","resourceVersion":"{version}"}}}}"#);
            let event = format!("{{\"type\":\"MODIFIED\",\"object\":{object}}}\n");
            if body.send_data(event.into(), false).is_err() {
                return;
            }
        }
    }
}

/// Which connection a watch comes from, by its next event.
async fn connection_of(
    events: &mut (impl futures::Stream<Item = pintle_client::Result<WatchEvent<ConfigMap>>> + Unpin),
) -> String {
    match events.try_next().await.unwrap() {
        Some(WatchEvent::Modified(map)) => map.name_any(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn after_a_goodbye_what_was_begun_is_finished_and_the_rest_goes_on_elsewhere() {
    let (goodbye, goodbyes) = watch::channel(0);
    let (gate, asked) = (Arc::new(Semaphore::new(0)), Notes::default());
    let stage = Stage { goodbyes, gate: gate.clone(), asked: asked.clone() };
    let config = start(move |stream, number| stage.clone().serve(stream, number)).await;
    let client = Client::try_from(config).unwrap();
    let maps: Api<ConfigMap> = Api::all(client.clone());

    // A call on the first connection, a watch on the second, and a call that has no answer yet.
    client.apiserver_version().await.unwrap();
    let mut old = maps.watch(&WatchParams::default(), "1").await.unwrap().boxed();
    let request = |path: &str| Request::get(path).body(Vec::new()).unwrap();
    let slow = tokio::spawn({
        let client = client.clone();
        async move { client.request_text(request("/slow")).await }
    });
    while asked.all().len() < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(asked.all().iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 1]);

    goodbye.send(2).unwrap();
    // Until the client has heard it, the first connection may be used; nothing fails meanwhile.
    while asked.all().last().unwrap().0 == 1 {
        client.request_text(request("/next")).await.unwrap();
    }
    assert_eq!(asked.all().last().unwrap(), &(3, "/next".to_owned()), "a new connection");
    let mut new = maps.watch(&WatchParams::default(), "1").await.unwrap().boxed();
    assert_eq!(asked.all().last().unwrap().0, 4, "and another for watches");

    // One for the slow call and one for each watch: they are let through in turn.
    gate.add_permits(3);
    assert_eq!(slow.await.unwrap().unwrap(), VERSION, "what was begun is finished where it was begun");
    let events = (connection_of(&mut old).await, connection_of(&mut new).await);
    assert_eq!(events, ("on-2".to_owned(), "on-4".to_owned()), "the old watch goes on until it ends");
}

/// A server that says goodbye at the first request, having looked at streams up to `last`, and hangs up.
async fn leave(mut stream: TlsStream<TcpStream>, last: u32) {
    const HEADERS: u8 = 1;
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    stream.write_all(&settings).await.unwrap();
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await.unwrap();
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        stream.read_exact(&mut vec![0; length.try_into().unwrap()]).await.unwrap();
        if head[3] == HEADERS {
            break;
        }
    }
    let goaway = [&[0, 0, 8, 7, 0, 0, 0, 0, 0][..], &last.to_be_bytes(), &0_u32.to_be_bytes()].concat();
    stream.write_all(&goaway).await.unwrap();
    stream.shutdown().await.unwrap();
    // What the client still says is read, so that hanging up is not a reset.
    stream.read_to_end(&mut Vec::new()).await.unwrap_or_default();
}

/// Answers every request with a config map.
async fn stay(stream: TlsStream<TcpStream>, asked: Notes<String>) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        asked.add(request.method().to_string());
        let mut body = respond.send_response(Response::new(()), false).unwrap();
        body.send_data(r#"{"metadata":{"name":"a"}}"#.into(), true).unwrap();
    }
}

/// A config map is created at a server that leaves first; gives back what came of it and what the next connection saw.
async fn create_while_leaving(last: u32) -> (pintle_client::Result<ConfigMap>, Vec<String>) {
    let asked = Notes::default();
    let noted = asked.clone();
    let config = start(move |stream, number| {
        let noted = noted.clone();
        async move { if number == 1 { leave(stream, last).await } else { stay(stream, noted).await } }
    })
    .await;
    let maps: Api<ConfigMap> = Api::namespaced(Client::try_from(config).unwrap(), "ns");
    let created = maps.create(&PostParams::default(), &ConfigMap::default()).await;
    (created, asked.all())
}

#[tokio::test]
async fn a_write_that_a_goodbye_left_unprocessed_is_sent_again() {
    let (created, asked) = create_while_leaving(0).await;
    assert_eq!(created.unwrap().name_any(), "a");
    assert_eq!(asked, ["POST"]);
}

#[tokio::test]
async fn a_write_that_was_looked_at_before_the_goodbye_is_not_sent_again() {
    let (created, asked) = create_while_leaving(1).await;
    let error = created.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error:?}");
    assert!(error.maybe_executed(), "{error:?}");
    assert!(asked.is_empty(), "{asked:?}");
}
