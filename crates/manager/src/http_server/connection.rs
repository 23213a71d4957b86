//! One connection: its handshake, its requests, and its end.

use std::any::Any;
use std::convert::Infallible;
use std::fmt::Display;
use std::future::{Future, poll_fn};
use std::io;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use http::{Request, Response, StatusCode};
use http_body_util::{Either, Full};
use hyper::body::{Body, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::{Service, ServiceExt};

use super::Limits;
use super::activity::{Activity, Overdue};

/// How a connection is answered.
pub(super) struct Connection {
    acceptor: Option<TlsAcceptor>,
    limits: Limits,
    stopped: watch::Receiver<()>,
}

impl Connection {
    pub(super) fn new(acceptor: Option<TlsAcceptor>, limits: Limits, stopped: watch::Receiver<()>) -> Self {
        Self { acceptor, limits, stopped }
    }

    /// Answers what comes until the connection ends.
    pub(super) async fn answer<S, B>(self, stream: TcpStream, service: S)
    where
        S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Display,
        S::Future: Send,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        // Answers are small and should not wait for company; a socket without that option works all the same.
        stream.set_nodelay(true).unwrap_or_default();
        let Some(acceptor) = self.acceptor.clone() else { return self.answer_all(stream, service).await };
        match timeout(HANDSHAKE_MAX, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => self.answer_all(stream, service).await,
            Ok(Err(error)) => tracing::debug!("a TLS handshake failed: {error}"),
            Err(_) => tracing::debug!("a TLS handshake did not end within {HANDSHAKE_MAX:?}"),
        }
    }

    async fn answer_all<S, B>(mut self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, service: S)
    where
        S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Display,
        S::Future: Send,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let activity = Arc::new(Activity::new(Instant::now()));
        let seen = Arc::clone(&activity);
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let running = Running::begin(Arc::clone(&seen), request.version());
            respond(service.clone(), request, running)
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http2().max_concurrent_streams(STREAMS_MAX).max_header_list_size(HEADERS_SIZE_MAX);
        let stream = Observed { stream, activity: Arc::clone(&activity) };
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
        let mut stop = pin!(self.stopped.changed());
        let mut timer = pin!(sleep(self.limits.header_read_timeout));
        let mut is_closing = false;
        let limits = &self.limits;
        let ended = poll_fn(|cx| {
            // Once the server is to stop or nobody uses the connection, what runs is finished and nothing else begun.
            if !is_closing && stop.as_mut().poll(cx).is_ready() {
                is_closing = true;
                connection.as_mut().graceful_shutdown();
            }
            if let Poll::Ready(ended) = connection.as_mut().poll(cx) {
                return Poll::Ready(ended.map_err(|error| error.to_string()));
            }
            match poll_overdue(&activity, limits, timer.as_mut(), cx) {
                Poll::Ready(Overdue::Headers) => Poll::Ready(Err("a request did not arrive in time".to_owned())),
                Poll::Ready(Overdue::Idle) if !is_closing => {
                    is_closing = true;
                    connection.as_mut().graceful_shutdown();
                    connection.as_mut().poll(cx).map_err(|error| error.to_string())
                }
                _ => Poll::Pending,
            }
        });
        if let Err(error) = ended.await {
            tracing::debug!("a connection ended: {error}");
        }
    }
}

/// Ready when the connection has done nothing for too long.
fn poll_overdue(
    activity: &Activity,
    limits: &Limits,
    mut timer: Pin<&mut Sleep>,
    cx: &mut Context<'_>,
) -> Poll<Overdue> {
    // The stream of a cancelled HTTP/2 request may end without waking this task: it looks again after a while.
    let again = || (Instant::now() + limits.idle_timeout, Overdue::Idle);
    let deadline = activity.deadline(limits.header_read_timeout, limits.idle_timeout);
    let (at, overdue) = deadline.unwrap_or_else(again);
    if timer.deadline() != at {
        timer.as_mut().reset(at);
    }
    ready!(timer.poll(cx));
    match deadline {
        Some(_) => Poll::Ready(overdue),
        None => Poll::Pending,
    }
}

/// The answer of a service; where it fails or panics, 500.
async fn respond<S, B>(
    service: S,
    request: Request<Incoming>,
    running: Running,
) -> Result<Response<Either<B, Full<Bytes>>>, Infallible>
where
    S: Service<Request<Incoming>, Response = Response<B>>,
    S::Error: Display,
{
    let path = request.uri().path().to_owned();
    let answer = AssertUnwindSafe(async move { service.oneshot(request).await }).catch_unwind().await;
    drop(running);
    Ok(match answer {
        Ok(Ok(response)) => response.map(Either::Left),
        Ok(Err(error)) => {
            tracing::error!("{path} is answered with 500: {error}");
            internal_error()
        }
        Err(panic) => {
            tracing::error!("{path} is answered with 500 because its handler panicked: {}", panic_message(&*panic));
            internal_error()
        }
    })
}

fn internal_error<B>() -> Response<Either<B, Full<Bytes>>> {
    let mut response = Response::new(Either::Right(Full::from("internal error; the server's log says more\n")));
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    response
}

/// What a panic says, where it says something.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// A request is running as long as this lives.
struct Running(Arc<Activity>);

impl Running {
    fn begin(activity: Arc<Activity>, version: http::Version) -> Self {
        activity.request_came(version);
        Self(activity)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.request_ended(Instant::now());
    }
}

/// A stream that notes when bytes come.
struct Observed<T> {
    stream: T,
    activity: Arc<Activity>,
}

impl<T: AsyncRead + Unpin> AsyncRead for Observed<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.activity.bytes_came(Instant::now());
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Observed<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// A client that says nothing is not waited for longer than this.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

/// How many requests of one connection may run at once: Go's servers allow 250 too.
const STREAMS_MAX: u32 = 250;

/// How large the headers of an HTTP/2 request may be: kube-apiserver sends under 1 KiB, a token of a scraper is a few.
const HEADERS_SIZE_MAX: u32 = 64 * 1024;
