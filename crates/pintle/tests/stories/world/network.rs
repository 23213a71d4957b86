//! The road between client and server, as a tower layer that can cut watches and notes what passes.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http::{Request, Response};
use pintle::client::Body;
use tokio::sync::watch;
use tower::{BoxError, Layer, Service};

/// How many times the watches were cut, and whether they may be opened.
#[derive(Clone, Copy, Default)]
struct Weather {
    cuts: usize,
    is_without_watches: bool,
    is_down: bool,
}

#[derive(Clone)]
pub(crate) struct Network {
    weather: Arc<watch::Sender<Weather>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Default for Network {
    fn default() -> Self {
        Self { weather: Arc::new(watch::Sender::new(Weather::default())), requests: Arc::default() }
    }
}

impl Network {
    pub(crate) fn cut_watches(&self) {
        self.weather.send_modify(|weather| weather.cuts += 1);
    }

    pub(crate) fn without_watches(&self) -> impl Drop + use<'_> {
        self.bad_weather(|weather, is_bad| weather.is_without_watches = is_bad)
    }

    pub(crate) fn without_server(&self) -> impl Drop + use<'_> {
        self.bad_weather(|weather, is_bad| weather.is_down = is_bad)
    }

    fn bad_weather(&self, change: fn(&mut Weather, bool)) -> impl Drop + use<'_> {
        struct Bad<'a>(&'a Network, fn(&mut Weather, bool));
        impl Drop for Bad<'_> {
            fn drop(&mut self) {
                self.0.weather.send_modify(|weather| self.1(weather, false));
            }
        }
        self.weather.send_modify(|weather| {
            weather.cuts += 1;
            change(weather, true);
        });
        Bad(self, change)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl<S> Layer<S> for Network {
    type Service = Road<S>;

    fn layer(&self, server: S) -> Road<S> {
        Road { network: self.clone(), server }
    }
}

pub(crate) struct Road<S> {
    network: Network,
    server: S,
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Cuttable>, BoxError>> + Send>>;

impl<S, B> Service<Request<Body>> for Road<S>
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
        let weather = self.network.weather.subscribe();
        let before = *weather.borrow();
        if before.is_down || (is_watch && before.is_without_watches) {
            return Box::pin(async { Err("the network is down".into()) });
        }
        let answer = self.server.call(request);
        Box::pin(async move {
            let answer = answer.await.map_err(Into::into)?;
            Ok(answer.map(|body| Cuttable::new(body, is_watch.then_some((weather, before.cuts)))))
        })
    }
}

/// A body that ends early when the watches are cut.
pub(crate) struct Cuttable {
    body: Pin<Box<dyn http_body::Body<Data = bytes::Bytes, Error = BoxError> + Send>>,
    cut: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Cuttable {
    fn new<B>(body: B, watch: Option<(watch::Receiver<Weather>, usize)>) -> Self
    where
        B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        use http_body_util::BodyExt;
        let cut = watch.map(|(mut weather, cuts)| -> Pin<Box<dyn Future<Output = ()> + Send>> {
            Box::pin(async move {
                let _ = weather.wait_for(|weather| weather.cuts > cuts).await;
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
