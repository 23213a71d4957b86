//! The objects of one kind in a cluster: answers list and watch from prepared bytes.
//!
//! In: the query of a request, with `limit` and `continue` as the client likes, and what the measurement wants to happen next.
//! Out: pages and frames, sent in chunks as a socket would hand them over, each a fresh copy.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use bytes::Bytes;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::stream::{self, Stream, StreamExt};
use http_body::Frame;
use http_body_util::StreamBody;
use http_body_util::combinators::UnsyncBoxBody;

use crate::answer::{around_page, expired, modified};
use crate::objects::Objects;

/// All objects of a kind; cloning shares them.
#[derive(Clone)]
pub(crate) struct Collection(Arc<State>);

struct State {
    objects: RwLock<Objects>,
    watch: Mutex<Option<UnboundedSender<Happening>>>,
}

/// What happens on a watch.
pub(crate) enum Happening {
    /// Every object has changed.
    Changes,
    /// Its version is too old.
    Expiry,
}

/// The body of an answer.
pub(crate) type Chunks = UnsyncBoxBody<Bytes, Infallible>;

impl Collection {
    pub(crate) fn new(objects: Objects) -> Self {
        Self(Arc::new(State { objects: RwLock::new(objects), watch: Mutex::default() }))
    }

    pub(crate) fn objects(&self) -> RwLockReadGuard<'_, Objects> {
        self.0.objects.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes every object; nobody is told.
    pub(crate) fn change_all(&self) {
        self.0.objects.write().unwrap_or_else(PoisonError::into_inner).change_all();
    }

    /// Whether a watch is open.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.watch.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Lets something happen on the watch that is open.
    pub(crate) fn happens(&self, happening: Happening) {
        let watch = self.0.watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch.as_ref().expect("a watch is open").unbounded_send(happening).expect("the watch is read");
    }

    /// Answers a list or a watch.
    pub(crate) fn answer(&self, query: &str) -> Chunks {
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
        let collection = self.clone();
        let starts = (0..self.objects().items(first, end).len()).step_by(CHUNK_BYTES);
        let items = starts.map(move |start| {
            let objects = collection.objects();
            let rest = &objects.items(first, end)[start..];
            Bytes::copy_from_slice(&rest[..rest.len().min(CHUNK_BYTES)])
        });
        chunked(stream::iter([Bytes::from(before)].into_iter().chain(items).chain([Bytes::from_static(behind)])))
    }

    fn watch(&self) -> Chunks {
        let (sender, happenings) = unbounded();
        *self.0.watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        let collection = self.clone();
        let frames = happenings.flat_map(move |happening| {
            let collection = collection.clone();
            let count = if matches!(happening, Happening::Changes) { collection.objects().len() } else { 1 };
            stream::iter((0..count).map(move |index| {
                let objects = collection.objects();
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

/// What one read of a busy HTTP/2 connection gives: a DATA frame of the default size.
const CHUNK_BYTES: usize = 16 * 1024;
