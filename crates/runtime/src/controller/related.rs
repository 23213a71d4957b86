//! Other kinds that a controller watches: what its objects own, and what concerns them.
//!
//! Every form is a thin one over [`owns_when`](Controller::owns_when) and [`watches_when`](Controller::watches_when).

use std::fmt;
use std::hash::Hash;

use pintle_client::Api;
use pintle_core::reference::ObjectRef;
use pintle_core::{PartialObjectMeta, Resource};
use serde::de::DeserializeOwned;

use crate::controller::source::own_watch::OwnWatch;
use crate::controller::source::trigger::Owners;
use crate::controller::source::watched_kind::WatchedKind;
use crate::controller::source::{self, watches};
use crate::controller::{Beginning, Changed, Controller, Planned};
use crate::watcher;

impl<K> Controller<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
    K::DynamicType: Eq + Hash + Clone,
{
    /// Reconciles the owner when an object of `api` changes that a `K` owns. Only metadata is watched.
    #[must_use]
    pub fn owns<Child>(self, api: Api<Child>, wc: watcher::Config) -> Self
    where
        Child: Resource<DynamicType = ()> + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
    {
        self.owns_with(api, (), wc)
    }

    /// As [`owns`](Self::owns), for a kind known only at run time.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature")]
    pub fn owns_with<Child>(self, api: Api<Child>, dyntype: Child::DynamicType, wc: watcher::Config) -> Self
    where
        Child: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        Child::DynamicType: fmt::Debug + Eq + Hash + Clone,
    {
        self.own(api, &dyntype, wc, None)
    }

    /// As [`owns_with`](Self::owns_with), waking the owner only when this of an object has changed; its arrival and its
    /// deletion always count.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "the same shape as owns_with, which is kube's")]
    pub fn owns_when<Child>(
        self,
        api: Api<Child>,
        dyntype: Child::DynamicType,
        wc: watcher::Config,
        changed: Changed,
    ) -> Self
    where
        Child: Resource + DeserializeOwned + Send + 'static,
    {
        self.own(api, &dyntype, wc, Some(changed))
    }

    fn own<Child>(
        self,
        api: Api<Child>,
        dyntype: &Child::DynamicType,
        wc: watcher::Config,
        changed: Option<Changed>,
    ) -> Self
    where
        Child: Resource + DeserializeOwned + Send + 'static,
    {
        let owners = Owners::of::<K>(&self.dyntype);
        let mut watched = WatchedKind::new::<Child>(dyntype, changed);
        let api: Api<PartialObjectMeta<Child>> = api.into_metadata();
        let begin = move |beginning: Beginning| {
            let progress = beginning.progress.add(&watched.kind);
            watched.progress = Some(beginning.progress);
            if let Some(informers) = beginning.informers {
                return watches::owned_shared(informers.heads(api, wc, &watched.kind, progress), owners, watched);
            }
            let bound = beginning.bounds.follow();
            watches::owned(OwnWatch::new(api, wc, None, beginning.backoff, progress, bound), owners, watched)
        };
        self.awaiting(Child::kind(dyntype).into_owned(), begin)
    }

    /// Reconciles those objects that `mapper` names when an object of `api` changes: those it names for what was there
    /// before, and those it names for what is there now.
    #[must_use]
    pub fn watches<Other, I>(
        self,
        api: Api<Other>,
        wc: watcher::Config,
        mapper: impl Fn(Other) -> I + Sync + Send + 'static,
    ) -> Self
    where
        Other: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        Other::DynamicType: Default + fmt::Debug + Clone + Eq + Hash,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
        I::IntoIter: Send,
    {
        self.watches_with(api, Other::DynamicType::default(), wc, mapper)
    }

    /// As [`watches`](Self::watches), for a kind known only at run time.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature")]
    pub fn watches_with<Other, I>(
        self,
        api: Api<Other>,
        dyntype: Other::DynamicType,
        wc: watcher::Config,
        mapper: impl Fn(Other) -> I + Sync + Send + 'static,
    ) -> Self
    where
        Other: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
        I::IntoIter: Send,
        Other::DynamicType: fmt::Debug + Clone + Eq + Hash,
    {
        self.watch(api, &dyntype, wc, None, mapper)
    }

    /// As [`watches_with`](Self::watches_with), asking `mapper` only when this of an object has changed; its arrival
    /// and its deletion always count.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "the same shape as watches_with, which is kube's")]
    pub fn watches_when<Other, I>(
        self,
        api: Api<Other>,
        dyntype: Other::DynamicType,
        wc: watcher::Config,
        changed: Changed,
        mapper: impl Fn(Other) -> I + Sync + Send + 'static,
    ) -> Self
    where
        Other: Resource + DeserializeOwned + fmt::Debug + Send + 'static,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
    {
        self.watch(api, &dyntype, wc, Some(changed), mapper)
    }

    fn watch<Other, I>(
        self,
        api: Api<Other>,
        dyntype: &Other::DynamicType,
        wc: watcher::Config,
        changed: Option<Changed>,
        mapper: impl Fn(Other) -> I + Sync + Send + 'static,
    ) -> Self
    where
        Other: Resource + DeserializeOwned + fmt::Debug + Send + 'static,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
    {
        let mut watched = WatchedKind::new::<Other>(dyntype, changed);
        let begin = move |beginning: Beginning| {
            let progress = beginning.progress.add(&watched.kind);
            watched.progress = Some(beginning.progress);
            if let Some(informers) = beginning.informers {
                return watches::watched_shared(informers.objects(api, wc, &watched.kind, progress), mapper, watched);
            }
            let bound = beginning.bounds.follow();
            watches::watched(OwnWatch::new(api, wc, None, beginning.backoff, progress, bound), mapper, watched)
        };
        self.awaiting(Other::kind(dyntype).into_owned(), begin)
    }

    /// Adds a source whose first list reconciles wait for.
    fn awaiting(mut self, kind: String, begin: impl FnOnce(Beginning) -> source::Source<K> + Send + 'static) -> Self {
        self.others.push(Planned { awaited: Some(kind), begin: Box::new(begin) });
        self
    }
}
