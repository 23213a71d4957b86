//! Many watches on one connection, as clients of Kubernetes have them: HTTP/2, and their events leave together.

use std::future::poll_fn;

use bytes::Bytes;
use h2::RecvStream;
use h2::client::{Builder, SendRequest};
use http::Request;
use pintle_apiserver::{Server, Serving};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::world::{MAPS, World};

/// A client with one connection.
struct Client {
    sender: SendRequest<Bytes>,
    address: String,
    authorization: String,
}

impl Client {
    /// Connects; a stream that is not read takes no more than its window.
    async fn connect(serving: &Serving) -> Client {
        let stream = TcpStream::connect(serving.local_addr()).await.unwrap();
        let mut builder = Builder::new();
        builder.initial_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
        let (sender, connection) = builder.handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let authorization = format!("Bearer {}", serving.token().expose_secret());
        Client { sender, address: serving.local_addr().to_string(), authorization }
    }

    /// Creates a config map; returns the status of the answer.
    async fn create(&mut self, name: &str) -> u16 {
        let uri = format!("http://{}{MAPS}", self.address);
        let request = Request::post(uri).header("authorization", &self.authorization).body(()).unwrap();
        let (answer, mut body) = self.sender.clone().ready().await.unwrap().send_request(request, false).unwrap();
        body.send_data(json!({"metadata": {"name": name}}).to_string().into(), true).unwrap();
        answer.await.unwrap().status().as_u16()
    }

    async fn watch(&mut self) -> Watch {
        let uri = format!("http://{}{MAPS}?watch=true&fieldSelector=metadata.name%3Dcounter", self.address);
        let request = Request::get(uri).header("authorization", &self.authorization).body(()).unwrap();
        let (answer, _) = self.sender.clone().ready().await.unwrap().send_request(request, true).unwrap();
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), 200);
        Watch { body: answer.into_body(), begun: Vec::new() }
    }
}

/// One watch.
struct Watch {
    body: RecvStream,
    /// The beginning of an event.
    begun: Vec<u8>,
}

impl Watch {
    /// The number in the next event; none at the end.
    async fn next(&mut self) -> Option<u64> {
        loop {
            if let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.begun.drain(..=end).collect();
                let event: Value = serde_json::from_slice(&line).unwrap();
                return Some(event["object"]["data"]["number"].as_str().unwrap().parse().unwrap());
            }
            let data = self.body.data().await?.unwrap();
            self.body.flow_control().release_capacity(data.len()).unwrap();
            self.begun.extend_from_slice(&data);
        }
    }

    /// The numbers up to one, or all there are.
    async fn up_to(&mut self, last: u64) -> Vec<u64> {
        let mut numbers = Vec::new();
        while numbers.last() != Some(&last)
            && let Some(number) = self.next().await
        {
            numbers.push(number);
        }
        numbers
    }
}

async fn served(server: Server) -> (World, Serving) {
    let serving = server.serve_http("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let world = World { server };
    let counter = json!({"metadata": {"name": "counter"}, "data": {"number": "0", "filling": "x".repeat(500)}});
    world.post(MAPS, counter).await.expect(201);
    (world, serving)
}

async fn count(world: &World, number: u64) {
    let patch = json!({"data": {"number": number.to_string()}});
    world.merge(&format!("{MAPS}/counter"), patch).await.expect(200);
}

#[tokio::test]
async fn each_of_many_watches_gets_every_change_once_and_in_order_and_a_slow_one_later() {
    let (world, serving) = served(Server::new()).await;
    let mut client = Client::connect(&serving).await;
    let mut slow = client.watch().await;
    let mut watches = Vec::new();
    for _ in 0..150 {
        watches.push(client.watch().await);
    }
    let writing = async {
        for number in 1..=100 {
            count(&world, number).await;
            if number % 7 == 0 {
                // Sometimes one change at a time, sometimes several.
                tokio::task::yield_now().await;
            }
        }
    };
    let reading = futures::future::join_all(watches.iter_mut().map(|watch| watch.up_to(100)));
    let ((), received) = tokio::join!(writing, reading);
    let expected: Vec<u64> = (0..=100).collect();
    for numbers in received {
        assert_eq!(numbers, expected);
    }
    assert_eq!(slow.up_to(100).await, expected, "it was not read until now");
    serving.shutdown().await;
}

#[tokio::test]
async fn a_watch_that_is_overtaken_ends_without_a_gap_and_delays_no_other() {
    let (world, serving) = served(Server::builder().history(3).build()).await;
    let mut client = Client::connect(&serving).await;
    let (mut slow, mut fast) = (client.watch().await, client.watch().await);
    assert_eq!(fast.next().await, Some(0));
    for number in 1..=100 {
        count(&world, number).await;
        assert_eq!(fast.next().await, Some(number));
    }
    let received = slow.up_to(100).await;
    let until = received.len() as u64;
    assert_eq!(received, (0..until).collect::<Vec<_>>());
    assert!(until < 101, "what it did not read was kept for it");
    serving.shutdown().await;
}

/// A dozen events or so.
const STREAM_WINDOW: u32 = 10_000;

/// More than all streams together take.
const CONNECTION_WINDOW: u32 = 16 << 20;

/// A source of uids that panics stands for any defect.
#[tokio::test]
async fn a_request_that_makes_the_server_panic_is_answered_with_500_and_ends_no_other() {
    let mut given = 0_u128;
    let uids = move || {
        given += 1;
        assert!(given < 100, "no more uids");
        uuid::Uuid::from_u128(given)
    };
    let (world, serving) = served(Server::builder().uids(uids).build()).await;
    let mut client = Client::connect(&serving).await;
    let mut watch = client.watch().await;
    assert_eq!(watch.next().await, Some(0));
    for number in 0..200 {
        let code = client.create(&format!("m{number}")).await;
        if code != 201 {
            assert_eq!((code, number > 50), (500, true));
            break;
        }
        assert!(number < 199, "it never panicked");
    }
    count(&world, 1).await;
    assert_eq!(watch.next().await, Some(1), "the watch on the same connection goes on");
}

/// As much as Go's server reads of a body that it does not want.
const UNWANTED: usize = 256 * 1024;

/// Requests that are refused whatever their body is: path, credential and code.
const REFUSED: [(&str, bool, u16); 4] = [
    ("/nothing", true, 404),
    ("/api/v1/nodes/a/nothing", true, 404),
    (MAPS, false, 401),
    ("/api/v1/nodes/a", true, 405),
];

#[tokio::test]
async fn over_http_1_a_body_that_is_not_wanted_is_read_and_its_connection_goes_on() {
    let (_world, serving) = served(Server::new()).await;
    let token = serving.token().expose_secret().to_owned();
    for (path, is_known, code) in REFUSED {
        for size in [UNWANTED, 4 * 1024 * 1024] {
            let token = if is_known { token.as_str() } else { "wrong" };
            let mut stream = TcpStream::connect(serving.local_addr()).await.unwrap();
            let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n");
            let request = format!("{head}content-length: {size}\r\n\r\n{}", "x".repeat(size));
            stream.write_all(request.as_bytes()).await.unwrap();
            // The same connection answers the next request, which asks for its end.
            let next = b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
            stream.write_all(next).await.unwrap();
            let mut answers = String::new();
            stream.read_to_string(&mut answers).await.unwrap();
            assert!(answers.starts_with(&format!("HTTP/1.1 {code} ")), "{path}, {size}: {answers}");
            assert!(answers.contains("HTTP/1.1 200 OK"), "{path}, {size}: {answers}");
        }
    }
}

#[tokio::test]
async fn over_http_2_a_body_that_is_not_wanted_is_read_and_its_stream_is_answered() {
    let (_world, serving) = served(Server::new()).await;
    let client = Client::connect(&serving).await;
    for (path, is_known, code) in REFUSED {
        let token = if is_known { client.authorization.as_str() } else { "Bearer wrong" };
        let request = Request::post(format!("http://{}{path}", client.address)).header("authorization", token);
        let sender = client.sender.clone().ready().await;
        let (answer, mut body) = sender.unwrap().send_request(request.body(()).unwrap(), false).unwrap();
        body.reserve_capacity(UNWANTED);
        let mut left = UNWANTED;
        while left > 0 {
            let granted = poll_fn(|cx| body.poll_capacity(cx)).await.unwrap().unwrap().min(left);
            left -= granted;
            body.send_data(vec![b'x'; granted].into(), left == 0).unwrap();
        }
        assert_eq!(answer.await.unwrap().status().as_u16(), code, "{path}");
    }
}
