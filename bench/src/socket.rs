//! A cluster behind a socket: HTTP/1.1 on a free port of this machine, for as long as it is held.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};

use http::{Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tower::Service;

use crate::BoxError;
use crate::cluster::Cluster;
use crate::source::Step;

/// A cluster that is being served; it ends when this is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    _runtime: Runtime,
}

impl Served {
    /// Serves a cluster.
    pub(crate) fn new(cluster: Cluster) -> Result<Self, BoxError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let cluster = cluster.clone();
                let answer = service_fn(move |request| answer(cluster.clone(), request));
                // A client that goes away is none of the measurement's business.
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            }
        });
        Ok(Self { address, _runtime: runtime })
    }
}

async fn answer(
    mut cluster: Cluster,
    request: Request<Incoming>,
) -> Result<Response<UnsyncBoxBody<Bytes, Infallible>>, Infallible> {
    let Some(step) = Step::of(request.uri().path()) else { return cluster.call(request).await };
    let mut response = Response::new(UnsyncBoxBody::new(Empty::new().boxed_unsync()));
    if !step.perform(&cluster) {
        *response.status_mut() = StatusCode::CONFLICT;
    }
    Ok(response)
}
