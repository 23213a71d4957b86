//! What kube-apiserver of the assets leaves with etcd of the assets when it ends, and finds there when it begins.
//!
//! In real life everything is in etcd, so a test that stops and starts its API server finds its objects again. Here they are sent
//! to the stub at the end and fetched at the beginning. An etcd that is gone, or a real one, is no reason to fail: there is
//! nothing to be had then, as with an etcd that is new.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Where the stub keeps it.
pub(super) const PATH: &str = "/pintle/state";

/// Something that keeps the state: the stub behind a URL.
pub(super) struct KeptState<'a>(&'a str);

impl<'a> KeptState<'a> {
    /// Of the first of `--etcd-servers`.
    pub(super) fn at(url: &'a str) -> KeptState<'a> {
        KeptState(url)
    }

    /// What was left there, if anything was.
    pub(super) async fn fetch(&self) -> Option<String> {
        let (status, body) = self.exchange(Method::GET, Bytes::new()).await?;
        (status == StatusCode::OK).then_some(body).and_then(|body| String::from_utf8(body.to_vec()).ok())
    }

    /// Leaves it there; says whether it was taken.
    pub(super) async fn leave(&self, state: String) -> bool {
        let answer = self.exchange(Method::PUT, Bytes::from(state)).await;
        answer.is_some_and(|(status, _)| status == StatusCode::OK)
    }

    async fn exchange(&self, method: Method, body: Bytes) -> Option<(StatusCode, Bytes)> {
        let exchange = async {
            let host = self.0.strip_prefix("http://")?.trim_end_matches('/');
            let stream = TcpStream::connect(host).await.ok()?;
            let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.ok()?;
            // It ends with the request.
            tokio::spawn(connection);
            let request =
                Request::builder().method(method).uri(PATH).header("host", host).body(Full::new(body)).ok()?;
            let response = sender.send_request(request).await.ok()?;
            let status = response.status();
            Some((status, response.into_body().collect().await.ok()?.to_bytes()))
        };
        timeout(PATIENCE, exchange).await.ok().flatten()
    }
}

/// The stub is on loopback and answers at once; something else may never answer.
const PATIENCE: Duration = Duration::from_secs(5);
