//! One connection: the client at its other end, its requests, and one task that answers all of them. Where a request has made
//! something else of it (a WebSocket, SPDY), the same task goes on with that.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::dispatcher::Dispatcher;
use super::outbox;
use super::streams::Streams;
use super::successor::{Successor, speak};
use super::upgrade::Offer;
use crate::observation::SourceAddress;
use crate::request::user::User;
use crate::response::body::Interrupted;
use crate::server::BoxError;

/// Answers what comes on a connection until it ends.
pub(super) async fn answer(
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    dispatcher: Arc<Dispatcher>,
    stopped: watch::Receiver<()>,
) {
    let source = stream.peer_addr().ok().map(|address| SourceAddress(address.ip()));
    // Events are small and should not wait for company; a socket without that option works all the same.
    stream.set_nodelay(true).unwrap_or_default();
    let Some(acceptor) = acceptor else {
        return answer_all(stream, None, source, dispatcher, stopped).await;
    };
    let Ok(Ok(stream)) = timeout(HANDSHAKE_MAX, acceptor.accept(stream)).await else {
        tracing::debug!("a connection ended before its TLS handshake did");
        return;
    };
    let certificate = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
    let holder = certificate.and_then(|certificate| dispatcher.holder(certificate));
    answer_all(stream, holder, source, dispatcher, stopped).await;
}

/// The same, once it is known whose client certificate, if any, was shown.
async fn answer_all(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    holder: Option<User>,
    source: Option<SourceAddress>,
    dispatcher: Arc<Dispatcher>,
    mut stopped: watch::Receiver<()>,
) {
    let (mut streams, successor) = (Streams::default(), Successor::default());
    let left_behind = successor.clone();
    let service = hyper::service::service_fn(move |mut request| {
        let (dispatcher, holder, left_behind) = (Arc::clone(&dispatcher), holder.clone(), left_behind.clone());
        async move {
            let offer = Offer::take(&mut request);
            let mut response = dispatcher.answer(request, holder, source).await?;
            if let Some(speaking) = offer.and_then(|offer| offer.accept(&mut response)) {
                left_behind.leave(speaking);
            }
            Ok::<_, Interrupted>(response)
        }
    });
    let (stream, outbox) = outbox::gather(stream);
    let mut builder = auto::Builder::new(streams.executor());
    builder.http2().max_concurrent_streams(STREAMS_MAX);
    let mut connection = pin!(builder.serve_connection_with_upgrades(TokioIo::new(stream), service));
    let mut stop = pin!(stopped.changed());
    let mut is_stopping = false;
    let ended = poll_fn(|cx| {
        if !is_stopping && stop.as_mut().poll(cx).is_ready() {
            is_stopping = true;
            connection.as_mut().graceful_shutdown();
        }
        let ended = loop {
            // First those that answer, so that the connection takes along what they have to send.
            streams.poll(cx);
            let ended = connection.as_mut().poll(cx);
            if ended.is_ready() || !streams.take_in() {
                break ended;
            }
        };
        match outbox.poll_send(cx) {
            Poll::Ready(Err(error)) if ended.is_pending() => Poll::Ready(Err(BoxError::from(error))),
            _ => ended,
        }
    });
    if let Err(error) = ended.await {
        return tracing::debug!("a connection ended: {error}");
    }
    if let Some(speaking) = successor.take().filter(|_| !is_stopping) {
        tokio::select! {
            biased;
            // First, because a server that stops waits for nobody who types.
            _ = stop => {}
            () = speak(speaking, &outbox) => {}
        }
    }
}

/// A client that says nothing is not waited for longer than this.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

/// One connection may carry so many watches: a large controller has dozens, kubectl one.
const STREAMS_MAX: u32 = 1000;
