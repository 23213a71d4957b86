//! Adds time limits to an answer: for its headers, for each pause, and for the whole.
//!
//! Innermost, so that only the server's time counts: neither the wait for a turn nor the tries before, nor what a reader
//! does between two pieces of the body.
//!
//! A watch waits for its headers like any other call, but may then be silent until it should have ended; what is open
//! for as long as its reader likes has no limit here. A peer that is really gone is noticed by the connection's own
//! pings in all cases.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::future::FutureExt;
use http::Request;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};
use tower::BoxError;

use crate::client::body::Body;
use crate::client::layers::wrapped::{Answer, Inner, WrapsCalls};
use crate::client::reporter::stalled::{Stage, Stalled};
use crate::client::request::class::RequestClass;
use crate::client::request::info::RequestInfo;

/// How long headers may take: the server gives up at 60 s and then says so, which is worth five more.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(65);

/// How long a plain answer may pause: no server thinks for a minute in the middle of a list.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long the server may take for a plain call as a whole: longer than any server works on one, shorter than a person waits.
pub(in crate::client) const WHOLE_TIMEOUT: Duration = Duration::from_secs(300);

/// How much longer than it asked for a watch may live: the server ends it in time, unless the connection is gone.
const WATCH_GRACE: Duration = Duration::from_secs(30);

/// Limits the time of answers.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct TimeoutsLayer {
    headers: Duration,
    silence: Duration,
}

impl TimeoutsLayer {
    /// `read_timeout` is what the configuration allows headers and pauses to take, if it says so.
    pub(in crate::client) fn new(read_timeout: Option<Duration>) -> Self {
        Self { headers: read_timeout.unwrap_or(HEADERS_TIMEOUT), silence: read_timeout.unwrap_or(SILENCE_TIMEOUT) }
    }
}

impl WrapsCalls for TimeoutsLayer {
    fn call<S: Inner>(&self, inner: &mut S, request: Request<Body>) -> Answer {
        let limits = Limits::new(RequestInfo::of(&request).class(), *self);
        let answer = inner.call(request);
        let started = Instant::now();
        async move {
            let Some(limit) = limits.headers else {
                return answer.await;
            };
            let Ok(answer) = tokio::time::timeout(limit, answer).await else {
                return Err(Stalled::new(Stage::Headers, limit).into());
            };
            Ok(answer?.map(|body| Body::wrap_body(TimedBody::new(body, limits, started))))
        }
        .boxed()
    }
}

/// What the stages of one answer may take.
#[derive(Clone, Copy)]
struct Limits {
    headers: Option<Duration>,
    silence: Option<Duration>,
    whole: Option<(Stage, Duration)>,
}

impl Limits {
    fn new(class: RequestClass, TimeoutsLayer { headers, silence }: TimeoutsLayer) -> Self {
        match class {
            RequestClass::Plain => {
                let whole = Some((Stage::Whole, WHOLE_TIMEOUT.max(headers)));
                Self { headers: Some(headers), silence: Some(silence), whole }
            }
            RequestClass::Watch(life) => {
                let whole = life.map(|life| (Stage::Watch, life.saturating_add(WATCH_GRACE)));
                Self { headers: Some(headers), silence: None, whole }
            }
            RequestClass::Follow | RequestClass::Upgrade => Self { headers: None, silence: None, whole: None },
        }
    }
}

/// A body that may pause, and keep its reader waiting, for a limited time only. What the reader does between two pieces
/// is the reader's time: a list that is handed on object by object may take as long as its consumer.
struct TimedBody {
    inner: Body,
    limits: Limits,
    /// How long the server has kept the call waiting so far.
    waited: Duration,
    /// Since when it keeps the reader waiting, and what it is then too late for.
    waiting: Option<(Instant, Stalled)>,
    // Made when the reader first waits: for most bodies it never does.
    timer: Option<Pin<Box<Sleep>>>,
}

impl TimedBody {
    /// A body whose headers took until now, since `started`.
    fn new(inner: Body, limits: Limits, started: Instant) -> Self {
        Self { inner, limits, waited: started.elapsed(), waiting: None, timer: None }
    }

    /// A piece came.
    fn go_on(&mut self) {
        let Some((since, _)) = self.waiting.take() else { return };
        // The server was not silent for longer than it may: beyond that, it was the reader that did not look.
        let elapsed = since.elapsed();
        self.waited += self.limits.silence.map_or(elapsed, |silence| elapsed.min(silence));
    }

    /// No piece is there.
    fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<Stalled> {
        if self.waiting.is_none() {
            let Some((left, stalled)) = self.next_limit() else { return Poll::Pending };
            let now = Instant::now();
            // What no clock can hold never comes.
            let Some(end) = now.checked_add(left) else { return Poll::Pending };
            self.waiting = Some((now, stalled));
            self.timer.get_or_insert_with(|| Box::pin(sleep_until(end))).as_mut().reset(end);
        }
        match (&mut self.timer, self.waiting) {
            (Some(timer), Some((_, stalled))) => timer.as_mut().poll(context).map(|()| stalled),
            _ => Poll::Pending,
        }
    }

    /// Which limit is reached first if nothing comes, and in how long.
    fn next_limit(&self) -> Option<(Duration, Stalled)> {
        let silence = self.limits.silence.map(|limit| (limit, Stalled::new(Stage::Body, limit)));
        let whole = self.limits.whole.map(|(stage, limit)| {
            let left = limit.saturating_sub(self.waited);
            (left, Stalled::new(stage, limit))
        });
        [silence, whole].into_iter().flatten().min_by_key(|(left, _)| *left)
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        // What has come in time is read, however late.
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            self.go_on();
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let stalled = ready!(self.poll_wait(context));
        Poll::Ready(Some(Err(stalled.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::{StreamExt, stream};
    use http::Response;
    use http_body_util::{BodyExt, StreamBody};
    use tower::{Service, ServiceExt, service_fn};

    use super::*;
    use crate::error::{Error, ErrorKind};

    /// Headers after `headers` seconds, then `count` pieces, each after `piece` seconds.
    fn slow(
        headers: u64,
        piece: u64,
        count: usize,
    ) -> impl Service<Request<Body>, Response = Response<Body>, Error = BoxError> {
        let wait = |seconds| tokio::time::sleep(Duration::from_secs(seconds));
        let inner = service_fn(move |_: Request<Body>| async move {
            wait(headers).await;
            let pieces = stream::iter(vec!["a"; count]).then(move |text| async move {
                wait(piece).await;
                Ok::<_, Infallible>(Frame::data(Bytes::from(text)))
            });
            Ok::<_, BoxError>(Response::new(Body::wrap_body(StreamBody::new(pieces.boxed()))))
        });
        TimeoutsLayer::new(None).layer(inner)
    }

    async fn ask(uri: &str, headers: u64, piece: u64, count: usize) -> Result<usize, ErrorKind> {
        let request = Request::builder().uri(uri).body(Body::empty()).unwrap();
        let kind = |error| Error::of_service(error).kind();
        let response = slow(headers, piece, count).oneshot(request).await.map_err(kind)?;
        Ok(response.into_body().collect().await.map_err(|error| error.kind())?.to_bytes().len())
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_may_be_slow_but_not_silent_and_not_endless() {
        assert_eq!(ask("/api/v1/pods?", 64, 59, 2).await, Ok(2));
        assert_eq!(ask("/api/v1/pods?", 66, 0, 2).await, Err(ErrorKind::Interrupted));
        assert_eq!(ask("/api/v1/pods?", 0, 61, 2).await, Err(ErrorKind::Interrupted));
        assert_eq!(ask("/api/v1/pods?", 0, 50, 5).await, Ok(5));
        assert_eq!(ask("/api/v1/pods?", 0, 50, 7).await, Err(ErrorKind::Interrupted));
    }

    /// Reads an answer whose pieces come at once, each of which keeps the reader busy for so many seconds.
    async fn read_slowly(uri: &str, count: usize, busy: u64) -> Result<usize, ErrorKind> {
        let request = Request::builder().uri(uri).body(Body::empty()).unwrap();
        let mut body = slow(0, 0, count).oneshot(request).await.unwrap().into_body();
        let mut read = 0;
        while let Some(frame) = body.frame().await {
            read += frame.map_err(|error| error.kind())?.into_data().map_or(0, |data| data.len());
            tokio::time::sleep(Duration::from_secs(busy)).await;
        }
        Ok(read)
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_may_take_its_time() {
        assert_eq!(read_slowly("/api/v1/pods?", 20, 100).await, Ok(20));
        assert_eq!(read_slowly("/api/v1/pods?&watch=true&timeoutSeconds=290", 20, 100).await, Ok(20));
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_its_time_does_not_excuse_the_server() {
        let request = Request::builder().uri("/api/v1/pods?").body(Body::empty()).unwrap();
        let mut body = slow(0, 50, 7).oneshot(request).await.unwrap().into_body();
        let mut read = 0;
        let error = loop {
            match body.frame().await.unwrap() {
                Ok(_) => read += 1,
                Err(error) => break error,
            }
            tokio::time::sleep(Duration::from_secs(1000)).await;
        };
        assert_eq!((error.kind(), read), (ErrorKind::Interrupted, 6), "300 s are six pieces of 50 s");
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_may_be_silent_but_has_to_begin_and_to_end() {
        assert_eq!(ask("/api/v1/pods?&watch=true", 1, 3600, 2).await, Ok(2));
        assert_eq!(ask("/api/v1/pods?&watch=true", 66, 0, 2).await, Err(ErrorKind::Interrupted));
        assert_eq!(ask("/api/v1/pods?&watch=true&timeoutSeconds=290", 1, 100, 3).await, Ok(3));
        let started = Instant::now();
        assert_eq!(ask("/api/v1/pods?&watch=true&timeoutSeconds=290", 1, 9999, 1).await, Err(ErrorKind::Interrupted));
        assert_eq!(started.elapsed().as_secs(), 320);
    }

    #[tokio::test(start_paused = true)]
    async fn a_log_that_is_followed_has_no_limit() {
        assert_eq!(ask("/api/v1/namespaces/a/pods/b/log?&follow=true", 3600, 3600, 2).await, Ok(2));
    }
}
