//! Lets an object pass when something about it changed.
//!
//! A [`Predicate`] reduces an object to a number; the filter remembers the number per object and drops what has the
//! same one again. It knows objects, not events: a delete whose number is the known one is dropped as well, as in kube.
//! The predicates of [`Controller`](crate::Controller)'s own watches see old and new and have no such gap.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::Stream;
use pin_project_lite::pin_project;
use pintle_core::{Resource, ResourceExt};
use tokio::time::Instant;

use crate::watcher;

/// Reduces an object to what matters about it.
pub trait Predicate<K> {
    /// A number that changes when what matters changes; `None` if the object has no such thing, and then it passes.
    fn hash_property(&self, object: &K) -> Option<u64>;

    /// This one, and `other` for objects without what this one looks at.
    fn fallback<F: Predicate<K>>(self, other: F) -> Fallback<Self, F>
    where
        Self: Sized,
    {
        Fallback(self, other)
    }

    /// Both: an object passes if either changed.
    fn combine<F: Predicate<K>>(self, other: F) -> Combine<Self, F>
    where
        Self: Sized,
    {
        Combine(self, other)
    }
}

impl<K, F: Fn(&K) -> Option<u64>> Predicate<K> for F {
    fn hash_property(&self, object: &K) -> Option<u64> {
        self(object)
    }
}

/// See [`Predicate::fallback`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Fallback<A, B>(A, B);

impl<A: Predicate<K>, B: Predicate<K>, K> Predicate<K> for Fallback<A, B> {
    fn hash_property(&self, object: &K) -> Option<u64> {
        self.0.hash_property(object).or_else(|| self.1.hash_property(object))
    }
}

/// See [`Predicate::combine`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Combine<A, B>(A, B);

impl<A: Predicate<K>, B: Predicate<K>, K> Predicate<K> for Combine<A, B> {
    fn hash_property(&self, object: &K) -> Option<u64> {
        match (self.0.hash_property(object), self.1.hash_property(object)) {
            (None, None) => None,
            both => Some(hash(&both)),
        }
    }
}

/// How a predicate filter remembers.
#[derive(Clone, Debug)]
pub struct Config {
    time_to_live: Duration,
}

impl Config {
    /// Forgets an object that was not seen for so long; the next time it passes whatever it looks like.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.time_to_live = ttl;
        self
    }
}

impl Default for Config {
    /// One hour: longer than watches are silent, short enough that what was deleted does not pile up.
    fn default() -> Self {
        Self { time_to_live: Duration::from_secs(60 * 60) }
    }
}

pin_project! {
    /// Drops objects about which nothing changed that `predicate` looks at.
    #[must_use = "streams do nothing unless polled"]
    pub struct PredicateFilter<S, K, P> {
        #[pin]
        stream: S,
        predicate: P,
        seen: Seen,
        has_warned: bool,
        // Not of the stream's item type, so that it is `Send` where the stream is.
        kind: PhantomData<fn() -> K>,
    }
}

impl<S, K, P> PredicateFilter<S, K, P> {
    pub(super) fn new(stream: S, predicate: P, config: &Config) -> Self {
        let seen = Seen { known: HashMap::new(), time_to_live: config.time_to_live, next_sweep: None };
        Self { stream, predicate, seen, has_warned: false, kind: PhantomData }
    }
}

impl<S, K, P> Stream for PredicateFilter<S, K, P>
where
    S: Stream<Item = watcher::Result<K>>,
    K: Resource,
    P: Predicate<K>,
{
    type Item = watcher::Result<K>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            let Some(next) = ready!(this.stream.as_mut().poll_next(cx)) else {
                return Poll::Ready(None);
            };
            let Ok(object) = &next else {
                return Poll::Ready(Some(next));
            };
            let Some(value) = judged(this.predicate, object) else {
                return Poll::Ready(Some(next));
            };
            let finalizers = hash(object.finalizers());
            match this.seen.look(Identity::of(object), value, finalizers, Instant::now()) {
                Verdict::News => return Poll::Ready(Some(next)),
                Verdict::Known => {}
                Verdict::KnownButForFinalizers => {
                    if predicates::generation(object) == Some(value) && !std::mem::replace(this.has_warned, true) {
                        let (kind, name) = (std::any::type_name::<K>(), object.name_any());
                        tracing::warn!(
                            kind,
                            name,
                            "a change of finalizers is filtered out, because only the generation is looked at: use \
                             predicates::generation.combine(predicates::finalizers)"
                        );
                    }
                }
            }
        }
    }
}

/// What the predicate says; an object on which it panics passes.
fn judged<K>(predicate: &impl Predicate<K>, object: &K) -> Option<u64> {
    catch_unwind(AssertUnwindSafe(|| predicate.hash_property(object))).unwrap_or_else(|_| {
        tracing::error!(kind = std::any::type_name::<K>(), "a predicate panicked: the object passes");
        None
    })
}

/// What was seen of each object, and when. Pure.
struct Seen {
    known: HashMap<Identity, Known>,
    time_to_live: Duration,
    next_sweep: Option<Instant>,
}

struct Known {
    value: u64,
    finalizers: u64,
    last: Instant,
}

/// What an object comes to.
#[derive(Debug, Eq, PartialEq)]
enum Verdict {
    News,
    Known,
    /// Nothing changed that the predicate looks at, but its finalizers did.
    KnownButForFinalizers,
}

/// Which object; another one made under the same name is another.
#[derive(Eq, Hash, PartialEq)]
struct Identity {
    namespace: Option<String>,
    name: Option<String>,
    uid: Option<String>,
}

impl Identity {
    fn of<K: Resource>(object: &K) -> Self {
        let meta = object.meta();
        Self { namespace: meta.namespace.clone(), name: meta.name.clone(), uid: meta.uid.clone() }
    }
}

impl Seen {
    fn look(&mut self, identity: Identity, value: u64, finalizers: u64, now: Instant) -> Verdict {
        self.forget_old(now);
        match self.known.insert(identity, Known { value, finalizers, last: now }) {
            None => Verdict::News,
            Some(it) if it.value != value || now.duration_since(it.last) >= self.time_to_live => Verdict::News,
            Some(it) if it.finalizers != finalizers => Verdict::KnownButForFinalizers,
            Some(_) => Verdict::Known,
        }
    }

    /// Goes over everything once per lifetime, so that forgetting costs nothing per object.
    fn forget_old(&mut self, now: Instant) {
        if self.next_sweep.is_some_and(|next| now < next) {
            return;
        }
        let time_to_live = self.time_to_live;
        self.known.retain(|_, it| now.duration_since(it.last) < time_to_live);
        self.next_sweep = now.checked_add(time_to_live);
    }
}

/// What to look at in an object.
pub mod predicates {
    use pintle_core::{Resource, ResourceExt};

    use super::hash;

    /// Its generation: changes of the spec. Neither status nor labels, annotations or finalizers change it.
    pub fn generation<K: Resource>(object: &K) -> Option<u64> {
        object.meta().generation.map(|generation| hash(&generation))
    }

    /// Its resourceVersion: every change.
    pub fn resource_version<K: Resource>(object: &K) -> Option<u64> {
        object.meta().resource_version.as_ref().map(hash)
    }

    /// Its labels.
    pub fn labels<K: Resource>(object: &K) -> Option<u64> {
        Some(hash(object.labels()))
    }

    /// Its annotations.
    pub fn annotations<K: Resource>(object: &K) -> Option<u64> {
        Some(hash(object.annotations()))
    }

    /// Its finalizers.
    pub fn finalizers<K: Resource>(object: &K) -> Option<u64> {
        Some(hash(object.finalizers()))
    }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::predicates::{finalizers, generation, labels};
    use super::*;
    use futures::StreamExt;
    use k8s_openapi::api::core::v1::ConfigMap;

    fn map(name: &str, generation: Option<i64>, label: &str) -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.into());
        map.metadata.generation = generation;
        map.metadata.labels = Some([("l".into(), label.into())].into());
        map
    }

    async fn passes(objects: Vec<ConfigMap>, predicate: impl Predicate<ConfigMap>) -> Vec<usize> {
        let numbered: Vec<_> = objects
            .into_iter()
            .enumerate()
            .map(|(number, mut object)| {
                object.data = Some([("n".into(), number.to_string())].into());
                Ok(object)
            })
            .collect();
        PredicateFilter::new(futures::stream::iter(numbered), predicate, &Config::default())
            .map(|object| object.unwrap().data.unwrap()["n"].parse::<usize>().unwrap())
            .collect()
            .await
    }

    #[tokio::test]
    async fn an_object_passes_when_what_matters_changed() {
        let (a, b) = (|g, l| map("a", Some(g), l), |g, l| map("b", Some(g), l));
        let objects = || vec![a(1, "x"), b(1, "x"), a(1, "y"), a(2, "y"), b(1, "x")];
        assert_eq!(passes(objects(), generation).await, [0, 1, 3]);
        assert_eq!(passes(objects(), labels).await, [0, 1, 2]);
        assert_eq!(passes(objects(), generation.combine(labels)).await, [0, 1, 2, 3]);
        assert_eq!(passes(objects(), |_: &ConfigMap| None).await, [0, 1, 2, 3, 4], "nothing to look at: it passes");
    }

    #[tokio::test]
    async fn a_fallback_looks_only_where_there_is_nothing_else() {
        let objects = vec![map("a", None, "x"), map("a", None, "y"), map("a", Some(1), "y"), map("a", Some(1), "z")];
        assert_eq!(passes(objects, generation.fallback(labels)).await, [0, 1, 2]);
    }

    #[tokio::test]
    async fn generation_alone_hides_finalizers_and_the_two_combined_do_not() {
        let mut finalized = map("a", Some(1), "x");
        finalized.metadata.finalizers = Some(vec!["example.com/f".into()]);
        let objects = || vec![map("a", Some(1), "x"), finalized.clone()];
        assert_eq!(passes(objects(), generation).await, [0]);
        assert_eq!(passes(objects(), generation.combine(finalizers)).await, [0, 1]);
    }

    #[tokio::test]
    async fn another_object_of_the_same_name_passes() {
        let with_uid = |uid: &str| {
            let mut object = map("a", Some(1), "x");
            object.metadata.uid = Some(uid.into());
            object
        };
        assert_eq!(passes(vec![with_uid("1"), with_uid("1"), with_uid("2")], generation).await, [0, 2]);
    }

    #[tokio::test]
    async fn a_predicate_that_panics_lets_pass() {
        let predicate = |_: &ConfigMap| -> Option<u64> { panic!("no") };
        assert_eq!(passes(vec![map("a", None, "x"), map("a", None, "x")], predicate).await, [0, 1]);
    }

    #[test]
    fn what_was_not_seen_for_the_time_to_live_is_forgotten() {
        let identity = |name: &str| Identity { namespace: None, name: Some(name.into()), uid: None };
        let (start, hour) = (Instant::now(), Duration::from_secs(3600));
        let mut seen = Seen { known: HashMap::new(), time_to_live: hour, next_sweep: None };
        assert_eq!(seen.look(identity("a"), 1, 0, start), Verdict::News);
        assert_eq!(seen.look(identity("a"), 1, 0, start + hour / 2), Verdict::Known);
        assert_eq!(seen.look(identity("a"), 1, 0, start + hour), Verdict::Known, "it was seen meanwhile");
        for number in 0..1000 {
            assert_eq!(seen.look(identity(&number.to_string()), 1, 0, start + hour), Verdict::News);
        }
        assert_eq!(seen.look(identity("a"), 1, 0, start + 3 * hour), Verdict::News);
        assert_eq!(seen.known.len(), 1, "and nothing piles up");
    }
}
