//! A server on a socket, without TLS, and requests to it: for tests of what is there on a socket alone.

use std::net::SocketAddr;

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use pintle_apiserver::{ServeOptions, Server, Serving};
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::net::TcpStream;

pub(crate) struct Socket {
    pub(crate) serving: Serving,
}

impl Socket {
    pub(crate) async fn serve(server: &Server, options: ServeOptions) -> Socket {
        let serving = server.serve_http_with("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
        Socket { serving }
    }

    /// The administrator's token.
    pub(crate) fn token(&self) -> &str {
        self.serving.token().expose_secret()
    }

    /// The token of the admin path.
    pub(crate) fn admin_token(&self) -> String {
        let kubeconfig = self.serving.admin_kubeconfig().unwrap();
        kubeconfig.split("token: \"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    /// Sends a request and reads its answer; what is not JSON is a string.
    pub(crate) async fn ask(&self, method: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let response = send(self.serving.local_addr(), request(method, path, token, body)).await;
        let code = response.status().as_u16();
        let read = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&read).into_owned();
        (code, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Begins a watch or another answer that goes on.
    pub(crate) async fn begin(&self, path: &str, token: &str) -> Events {
        let response = send(self.serving.local_addr(), request("GET", path, token, &Value::Null)).await;
        assert_eq!(response.status(), 200, "{path}");
        Events { body: response.into_body(), read: Vec::new() }
    }

    /// A connection that speaks HTTP/2.
    pub(crate) async fn http2(&self) -> hyper::client::conn::http2::SendRequest<Full<Bytes>> {
        let stream = TcpStream::connect(self.serving.local_addr()).await.unwrap();
        let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = handshake.await.unwrap();
        tokio::spawn(connection);
        sender
    }
}

pub(crate) fn request(method: &str, path: &str, token: &str, body: &Value) -> Request<Full<Bytes>> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    Request::builder()
        .method(method)
        .uri(path)
        .header("host", "x")
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {token}"))
        .body(Full::from(body))
        .unwrap()
}

async fn send(address: SocketAddr, request: Request<Full<Bytes>>) -> Response<Incoming> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender.send_request(request).await.unwrap()
}

/// The events of a watch.
pub(crate) struct Events {
    body: Incoming,
    read: Vec<u8>,
}

impl Events {
    pub(crate) fn of(body: Incoming) -> Events {
        Events { body, read: Vec::new() }
    }

    /// The next event; none where the watch has ended or broken.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let frame = self.body.frame().await?.ok()?;
            self.read.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
        }
    }
}
