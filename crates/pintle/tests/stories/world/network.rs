//! The network between client and server: a tower layer that records requests, cuts watches and simulates outages.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http::{Request, Response};
use pintle::client::Body;
use tokio::sync::watch;
use tower::{BoxError, Layer, Service};

/// How often the watches were cut, and what is down at the moment.
#[derive(Clone, Copy, Default)]
struct NetworkState {
    cuts: usize,
    are_watches_down: bool,
    is_down: bool,
}

#[derive(Clone)]
pub(crate) struct Network {
    state: Arc<watch::Sender<NetworkState>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Default for Network {
    fn default() -> Self {
        Self { state: Arc::new(watch::Sender::new(NetworkState::default())), requests: Arc::default() }
    }
}

impl Network {
    pub(crate) fn cut_watches(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    pub(crate) fn without_watches(&self) -> impl Drop + use<'_> {
        self.outage(|state, is_down| state.are_watches_down = is_down)
    }

    pub(crate) fn without_server(&self) -> impl Drop + use<'_> {
        self.outage(|state, is_down| state.is_down = is_down)
    }

    fn outage(&self, change: fn(&mut NetworkState, bool)) -> impl Drop + use<'_> {
        struct Outage<'a>(&'a Network, fn(&mut NetworkState, bool));
        impl Drop for Outage<'_> {
            fn drop(&mut self) {
                self.0.state.send_modify(|state| self.1(state, false));
            }
        }
        self.state.send_modify(|state| {
            state.cuts += 1;
            change(state, true);
        });
        Outage(self, change)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl<S> Layer<S> for Network {
    type Service = NetworkService<S>;

    fn layer(&self, server: S) -> NetworkService<S> {
        NetworkService { network: self.clone(), server }
    }
}

pub(crate) struct NetworkService<S> {
    network: Network,
    server: S,
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Cuttable>, BoxError>> + Send>>;

impl<S, B> Service<Request<Body>> for NetworkService<S>
where
    S: Service<Request<Body>, Response = Response<B>>,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Cuttable>;
    type Error = BoxError;
    type Future = Answer;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.server.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        let line = format!("{} {}", request.method(), request.uri());
        let is_watch = line.contains("watch=true");
        self.network.requests.lock().unwrap().push(line);
        let state = self.network.state.subscribe();
        let before = *state.borrow();
        if before.is_down || (is_watch && before.are_watches_down) {
            return Box::pin(async { Err("the network is down".into()) });
        }
        let answer = self.server.call(request);
        Box::pin(async move {
            let answer = answer.await.map_err(Into::into)?;
            Ok(answer.map(|body| Cuttable::new(body, is_watch.then_some((state, before.cuts)))))
        })
    }
}

/// A body that ends early if the watches are cut.
pub(crate) struct Cuttable {
    body: Pin<Box<dyn http_body::Body<Data = bytes::Bytes, Error = BoxError> + Send>>,
    cut: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Cuttable {
    fn new<B>(body: B, watch: Option<(watch::Receiver<NetworkState>, usize)>) -> Self
    where
        B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        use http_body_util::BodyExt;
        let cut = watch.map(|(mut state, cuts)| -> Pin<Box<dyn Future<Output = ()> + Send>> {
            Box::pin(async move {
                let _ = state.wait_for(|state| state.cuts > cuts).await;
            })
        });
        Self { body: Box::pin(body.map_err(Into::into)), cut }
    }
}

impl http_body::Body for Cuttable {
    type Data = bytes::Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<bytes::Bytes>, BoxError>>> {
        if let Some(cut) = &mut self.cut
            && cut.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(None);
        }
        self.body.as_mut().poll_frame(cx)
    }
}
