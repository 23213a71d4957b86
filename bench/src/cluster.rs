//! A cluster with objects of one kind: a tower service that answers list and watch from prepared bytes.
//!
//! In: requests for them, with `limit` and `continue` as the client likes, and what the measurement wants to happen next.
//! Out: pages and frames, sent in chunks as a socket would hand them over, each a fresh copy. It checks nothing and knows
//! no other kind.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::stream::{self, Stream, StreamExt};
use http::{HeaderValue, Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use http_body_util::combinators::UnsyncBoxBody;
use tower::Service;

use crate::answer::{around_page, expired, modified};
use crate::objects::Objects;

/// The service under a client; cloning shares the cluster.
#[derive(Clone)]
pub(crate) struct Cluster(Arc<State>);

struct State {
    objects: RwLock<Objects>,
    watch: Mutex<Option<UnboundedSender<Happening>>>,
}

/// What happens on a watch.
enum Happening {
    /// Every object has changed.
    Changes,
    /// Its version is too old.
    Expiry,
}

type Chunks = UnsyncBoxBody<Bytes, Infallible>;

impl Cluster {
    pub(crate) fn new(objects: Objects) -> Self {
        Self(Arc::new(State { objects: RwLock::new(objects), watch: Mutex::default() }))
    }

    /// Changes every object; nobody is told.
    pub(crate) fn change_all(&self) {
        self.0.objects.write().unwrap_or_else(PoisonError::into_inner).change_all();
    }

    /// Whether a watch is open.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.watch.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Sends every object's change on the watch that is open.
    pub(crate) fn send_changes(&self) {
        self.happens(Happening::Changes);
    }

    /// Ends the watch that is open, so that its client lists again.
    pub(crate) fn expire_watch(&self) {
        self.happens(Happening::Expiry);
    }

    fn happens(&self, happening: Happening) {
        let watch = self.0.watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch.as_ref().expect("a watch is open").unbounded_send(happening).expect("the watch is read");
    }

    fn objects(&self) -> RwLockReadGuard<'_, Objects> {
        self.0.objects.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, query: &str) -> Chunks {
        let parameter = |name: &str| {
            let mut parameters = form_urlencoded::parse(query.as_bytes());
            parameters.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        if parameter("watch").is_some() {
            return self.watch();
        }
        let first: usize = parameter("continue").and_then(|token| token.parse().ok()).unwrap_or(0);
        let limit: usize = parameter("limit").and_then(|limit| limit.parse().ok()).unwrap_or(usize::MAX);
        let end = first.saturating_add(limit).min(self.objects().len());
        let (before, behind) = around_page(&self.objects(), first, end);
        let cluster = self.clone();
        let starts = (0..self.objects().items(first, end).len()).step_by(CHUNK_BYTES);
        let items = starts.map(move |start| {
            let objects = cluster.objects();
            let rest = &objects.items(first, end)[start..];
            Bytes::copy_from_slice(&rest[..rest.len().min(CHUNK_BYTES)])
        });
        chunked(stream::iter([Bytes::from(before)].into_iter().chain(items).chain([Bytes::from_static(behind)])))
    }

    fn watch(&self) -> Chunks {
        let (sender, happenings) = unbounded();
        *self.0.watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        let cluster = self.clone();
        let frames = happenings.flat_map(move |happening| {
            let cluster = cluster.clone();
            let count = if matches!(happening, Happening::Changes) { cluster.objects().len() } else { 1 };
            stream::iter((0..count).map(move |index| {
                let objects = cluster.objects();
                Bytes::from(match happening {
                    Happening::Changes => modified(&objects, index),
                    Happening::Expiry => expired(objects.encoding()),
                })
            }))
        });
        chunked(frames)
    }
}

fn chunked(chunks: impl Stream<Item = Bytes> + Send + 'static) -> Chunks {
    UnsyncBoxBody::new(StreamBody::new(chunks.map(|bytes| Ok(Frame::data(bytes)))))
}

impl<B> Service<Request<B>> for Cluster {
    type Response = Response<Chunks>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let query = request.uri().query().unwrap_or_default();
        let content_type = match (self.objects().encoding().content_type(), query.contains("watch=")) {
            (plain, false) => HeaderValue::from_static(plain),
            (plain, true) => HeaderValue::from_str(&format!("{plain};stream=watch")).expect("a media type"),
        };
        let mut response = Response::new(self.answer(query));
        response.headers_mut().insert(http::header::CONTENT_TYPE, content_type);
        ready(Ok(response))
    }
}

/// What one read of a busy HTTP/2 connection gives: a DATA frame of the default size.
const CHUNK_BYTES: usize = 16 * 1024;
