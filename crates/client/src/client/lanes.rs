//! As many connections as the open answers need.
//!
//! On HTTP/2 all calls share one connection, and a server lets only so many streams be open on it (kube-apiserver: 100
//! unless told otherwise). With that many watches open the next call would wait for one of them to end. So answers that
//! are being read are counted, and when one connection carries enough of them the next call gets another.
//!
//! In: requests. Out: answers, whose bodies hold their place until they are dropped. On HTTP/1.1 each call has a
//! connection of its own anyway, and nothing changes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::Connect;
use hyper_util::client::legacy::{Client as HyperClient, Error};
use tower::Service;

use super::body::Body;

/// Open answers per connection: below the 100 that servers allow, with room for calls that have just begun.
const ANSWERS_PER_LANE: usize = 90;

/// Makes the client of one more connection.
type NewLane<C> = Box<dyn Fn() -> HyperClient<C, Body> + Send>;

/// The connections to one cluster.
pub(super) struct Lanes<C> {
    new_lane: NewLane<C>,
    lanes: Vec<Lane<C>>,
}

struct Lane<C> {
    client: HyperClient<C, Body>,
    // Every open answer holds one more.
    places: Arc<()>,
}

impl<C> Lanes<C> {
    pub(super) fn new(new_lane: impl Fn() -> HyperClient<C, Body> + Send + 'static) -> Self {
        Self { new_lane: Box::new(new_lane), lanes: Vec::new() }
    }

    /// The first lane with a free place; lanes that are empty and not the first are let go.
    fn lane(&mut self) -> &Lane<C> {
        let is_first = std::cell::Cell::new(true);
        self.lanes.retain(|lane| is_first.replace(false) || lane.open() > 0);
        let free = self.lanes.iter().position(|lane| lane.open() < ANSWERS_PER_LANE);
        let at = free.unwrap_or_else(|| {
            self.lanes.push(Lane { client: (self.new_lane)(), places: Arc::new(()) });
            self.lanes.len() - 1
        });
        &self.lanes[at]
    }
}

impl<C> Lane<C> {
    fn open(&self) -> usize {
        Arc::strong_count(&self.places) - 1
    }
}

impl<C: Connect + Clone + Send + Sync + 'static> Service<Request<Body>> for Lanes<C> {
    type Response = Response<Held>;
    type Error = Error;
    type Future = BoxFuture<'static, Result<Self::Response, Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        // A connection is made when there is a request for it.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let lane = self.lane();
        let place = Arc::clone(&lane.places);
        let answer = lane.client.request(request);
        async move { Ok(answer.await?.map(|body| Held { body, _place: place })) }.boxed()
    }
}

/// A body that holds its place in a lane.
pub(super) struct Held {
    body: Incoming,
    _place: Arc<()>,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
