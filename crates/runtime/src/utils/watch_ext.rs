//! The methods of [`WatchStreamExt`]: what any stream of watch events can be turned into.

use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::stream::{Stream, TryStream};
use pin_project_lite::pin_project;
use pintle_core::Resource;
use pintle_core::reference::Lookup;

use super::{EventModify, Predicate, PredicateConfig, PredicateFilter, StreamBackoff};
use crate::reflector::Writer;
use crate::reflector::reflect::Reflect;
use crate::watcher::backoff::{Backoff, DefaultBackoff};
use crate::watcher::{self, Event};

/// What any stream of watch events can be turned into.
pub trait WatchStreamExt: Stream {
    /// Waits after errors: 800 ms, doubled up to 30 s. A [`watcher`](crate::watcher()) does that by itself, and this
    /// changes nothing about it.
    fn default_backoff(self) -> StreamBackoff<Self, DefaultBackoff>
    where
        Self: TryStream + Sized,
    {
        StreamBackoff::new(self, DefaultBackoff::default()).unless_waited_for()
    }

    /// Waits after errors as `backoff` says, and ends if that ends. A [`watcher`](crate::watcher()) inside then does not wait
    /// by itself after an error that it yields, unless the server asked for it.
    fn backoff<B: Backoff>(self, backoff: B) -> StreamBackoff<Self, B>
    where
        Self: TryStream + Sized,
    {
        StreamBackoff::new(self, backoff)
    }

    /// The objects that came or changed.
    fn applied_objects<K>(self) -> EventDecode<Self>
    where
        Self: Stream<Item = watcher::Result<Event<K>>> + Sized,
    {
        EventDecode { stream: self, with_deletes: false }
    }

    /// The objects that came, changed or went.
    fn touched_objects<K>(self) -> EventDecode<Self>
    where
        Self: Stream<Item = watcher::Result<Event<K>>> + Sized,
    {
        EventDecode { stream: self, with_deletes: true }
    }

    /// Passes each object through `f`, to drop what is not needed before it is stored.
    fn modify<F, K>(self, f: F) -> EventModify<Self, F>
    where
        Self: Stream<Item = watcher::Result<Event<K>>> + Sized,
        F: FnMut(&mut K),
    {
        EventModify::new(self, f)
    }

    /// Drops objects about which nothing changed that `predicate` looks at.
    ///
    /// It sees objects, not events: behind [`touched_objects`](Self::touched_objects) a delete that changed nothing the
    /// predicate looks at is dropped too. `predicates::generation` alone also hides changes of finalizers; combine it
    /// with `predicates::finalizers` where a finalizer is used.
    fn predicate_filter<K, P>(self, predicate: P, config: PredicateConfig) -> PredicateFilter<Self, K, P>
    where
        Self: Stream<Item = watcher::Result<K>> + Sized,
        K: Resource + 'static,
        P: Predicate<K> + 'static,
    {
        PredicateFilter::new(self, predicate, &config)
    }

    /// [`predicate_filter`](Self::predicate_filter) as it is unless configured.
    fn filter_by<K, P>(self, predicate: P) -> PredicateFilter<Self, K, P>
    where
        Self: Stream<Item = watcher::Result<K>> + Sized,
        K: Resource + 'static,
        P: Predicate<K> + 'static,
    {
        self.predicate_filter(predicate, PredicateConfig::default())
    }

    /// Keeps `writer`'s store at what the stream yields and passes everything on.
    ///
    /// Right behind a [`watcher`](crate::watcher()), or its [`backoff`](Self::backoff), the store holds what came, packed; behind anything else a copy of each decoded object, which takes about ten times as much.
    fn reflect<K>(self, writer: Writer<K>) -> Reflect<Self, K>
    where
        Self: Stream<Item = watcher::Result<Event<K>>> + Sized,
        K: Lookup + Clone + 'static,
        K::DynamicType: Eq + Hash + Clone,
    {
        Reflect::new(self, writer)
    }

    /// Keeps a shared `writer`'s store at what the stream yields; its subscribers receive what comes and changes.
    fn reflect_shared<K>(self, writer: Writer<K>) -> impl Stream<Item = Self::Item>
    where
        Self: Stream<Item = watcher::Result<Event<K>>> + Sized,
        K: Lookup + Clone + 'static,
        K::DynamicType: Eq + Hash + Clone,
    {
        self.reflect(writer)
    }
}

impl<S: Stream + ?Sized> WatchStreamExt for S {}

pin_project! {
    /// Events reduced to their objects.
    #[must_use = "streams do nothing unless polled"]
    pub struct EventDecode<S> {
        #[pin]
        stream: S,
        with_deletes: bool,
    }
}

impl<S, K> Stream for EventDecode<S>
where
    S: Stream<Item = watcher::Result<Event<K>>>,
{
    type Item = watcher::Result<K>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            match ready!(this.stream.as_mut().poll_next(cx)) {
                Some(Ok(Event::Apply(object) | Event::InitApply(object))) => return Poll::Ready(Some(Ok(object))),
                Some(Ok(Event::Delete(object))) if *this.with_deletes => return Poll::Ready(Some(Ok(object))),
                Some(Ok(Event::Delete(_) | Event::Init | Event::InitDone)) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}
