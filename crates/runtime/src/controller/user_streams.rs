//! Streams that the user brings instead of an `Api`: of the controller's own objects, of others, of wishes.
//!
//! Nothing is listed for them and reconciles do not wait for them; the store of a stream of own objects is waited for.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use futures::stream::{Stream, StreamExt};
use pintle_core::Resource;
use pintle_core::reference::{Lookup, ObjectRef};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use crate::controller::source::read_store::read;
use crate::controller::source::trigger::{Owners, key_of};
use crate::controller::source::watched_kind::WatchedKind;
use crate::controller::source::{Source, user_stream};
use crate::controller::{Beginning, Controller, Planned};
use crate::reflector::Store;
use crate::watcher;

impl<K> Controller<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
    K::DynamicType: Eq + Hash + Clone,
{
    /// A controller of the objects that `trigger` yields and that the program keeps in `reader`'s store.
    ///
    /// ```no_run
    /// # use futures::StreamExt;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use pintle_client::{Api, Client};
    /// # use pintle_runtime::{Controller, WatchStreamExt, reflector, watcher};
    /// # fn controller(client: Client) -> Controller<ConfigMap> {
    /// let (reader, writer) = reflector::store();
    /// let maps = watcher(Api::<ConfigMap>::all(client), watcher::Config::default());
    /// Controller::for_stream(maps.reflect(writer).applied_objects(), reader)
    /// # }
    /// ```
    #[must_use]
    pub fn for_stream(trigger: impl Stream<Item = watcher::Result<K>> + Send + 'static, reader: Store<K>) -> Self
    where
        K::DynamicType: Default,
    {
        Self::for_stream_with(trigger, reader, K::DynamicType::default())
    }

    /// As [`for_stream`](Self::for_stream), for a kind known only at run time.
    #[must_use]
    pub fn for_stream_with(
        trigger: impl Stream<Item = watcher::Result<K>> + Send + 'static,
        reader: Store<K>,
        dyntype: K::DynamicType,
    ) -> Self {
        Self::given(dyntype, reader, |beginning| user_stream::objects::<K, K>(trigger, beginning.backoff))
    }

    /// As [`for_stream`](Self::for_stream), for a stream of shared objects, as a
    /// [`ReflectHandle`](crate::reflector::ReflectHandle) is.
    #[must_use]
    pub fn for_shared_stream(trigger: impl Stream<Item = Arc<K>> + Send + 'static, reader: Store<K>) -> Self
    where
        K::DynamicType: Default,
    {
        Self::for_shared_stream_with(trigger, reader, K::DynamicType::default())
    }

    /// As [`for_shared_stream`](Self::for_shared_stream), for a kind known only at run time.
    #[must_use]
    pub fn for_shared_stream_with(
        trigger: impl Stream<Item = Arc<K>> + Send + 'static,
        reader: Store<K>,
        dyntype: K::DynamicType,
    ) -> Self {
        Self::given(dyntype, reader, |_| user_stream::objects::<K, Arc<K>>(trigger.map(Ok), None))
    }

    fn given(
        dyntype: K::DynamicType,
        reader: Store<K>,
        begin: impl FnOnce(Beginning) -> Source<K> + Send + 'static,
    ) -> Self {
        // There is no receiver: a stream cannot be pointed elsewhere.
        let (orders, _) = mpsc::unbounded_channel();
        Self::of(dyntype, reader, Planned { awaited: None, begin: Box::new(begin) }, orders)
    }

    /// Reconciles the owner of each object that `trigger` yields.
    #[must_use]
    pub fn owns_stream<Child>(self, trigger: impl Stream<Item = watcher::Result<Child>> + Send + 'static) -> Self
    where
        Child: Resource<DynamicType = ()> + Send + 'static,
    {
        self.owns_stream_with(trigger, ())
    }

    /// As [`owns_stream`](Self::owns_stream), for a kind known only at run time.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature")]
    pub fn owns_stream_with<Child>(
        self,
        trigger: impl Stream<Item = watcher::Result<Child>> + Send + 'static,
        dyntype: Child::DynamicType,
    ) -> Self
    where
        Child: Resource + Send + 'static,
        Child::DynamicType: fmt::Debug + Eq + Hash + Clone,
    {
        let (owners, watched) = (Owners::of::<K>(&self.dyntype), WatchedKind::new::<Child>(&dyntype, None));
        self.with(move |beginning| user_stream::owned::<Child, Child, K>(trigger, owners, watched, beginning.backoff))
    }

    /// As [`owns_stream`](Self::owns_stream), for a stream of shared objects.
    #[must_use]
    pub fn owns_shared_stream<Child>(self, trigger: impl Stream<Item = Arc<Child>> + Send + 'static) -> Self
    where
        Child: Resource<DynamicType = ()> + Send + 'static,
    {
        self.owns_shared_stream_with(trigger, ())
    }

    /// As [`owns_shared_stream`](Self::owns_shared_stream), for a kind known only at run time.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "kube's signature")]
    pub fn owns_shared_stream_with<Child>(
        self,
        trigger: impl Stream<Item = Arc<Child>> + Send + 'static,
        dyntype: Child::DynamicType,
    ) -> Self
    where
        Child: Resource + Send + 'static,
        Child::DynamicType: fmt::Debug + Eq + Hash + Clone,
    {
        let (owners, watched) = (Owners::of::<K>(&self.dyntype), WatchedKind::new::<Child>(&dyntype, None));
        self.with(move |_| user_stream::owned::<Child, Arc<Child>, K>(trigger.map(Ok), owners, watched, None))
    }

    /// Reconciles those objects that `mapper` names for each object that `trigger` yields.
    #[must_use]
    pub fn watches_stream<Other, I>(
        self,
        trigger: impl Stream<Item = watcher::Result<Other>> + Send + 'static,
        mapper: impl Fn(Other) -> I + Sync + Send + 'static,
    ) -> Self
    where
        Other: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        Other::DynamicType: Default + fmt::Debug + Clone,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
        I::IntoIter: Send,
    {
        self.watches_stream_with(trigger, mapper, Other::DynamicType::default())
    }

    /// As [`watches_stream`](Self::watches_stream), for a kind known only at run time.
    #[must_use]
    pub fn watches_stream_with<Other, I>(
        self,
        trigger: impl Stream<Item = watcher::Result<Other>> + Send + 'static,
        mapper: impl Fn(Other) -> I + Sync + Send + 'static,
        dyntype: Other::DynamicType,
    ) -> Self
    where
        Other: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        Other::DynamicType: fmt::Debug + Clone,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
        I::IntoIter: Send,
    {
        let watched = WatchedKind::new::<Other>(&dyntype, None);
        self.with(move |beginning| user_stream::watched(trigger, key_of::<Other>, mapper, watched, beginning.backoff))
    }

    /// As [`watches_stream`](Self::watches_stream), for a stream of shared objects.
    #[must_use]
    pub fn watches_shared_stream<Other, I>(
        self,
        trigger: impl Stream<Item = Arc<Other>> + Send + 'static,
        mapper: impl Fn(Arc<Other>) -> I + Sync + Send + 'static,
    ) -> Self
    where
        Other: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        Other::DynamicType: Default + fmt::Debug + Clone,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
        I::IntoIter: Send,
    {
        self.watches_shared_stream_with(trigger, mapper, Other::DynamicType::default())
    }

    /// As [`watches_shared_stream`](Self::watches_shared_stream), for a kind known only at run time.
    #[must_use]
    pub fn watches_shared_stream_with<Other, I>(
        self,
        trigger: impl Stream<Item = Arc<Other>> + Send + 'static,
        mapper: impl Fn(Arc<Other>) -> I + Sync + Send + 'static,
        dyntype: Other::DynamicType,
    ) -> Self
    where
        Other: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
        Other::DynamicType: fmt::Debug + Clone,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
        I::IntoIter: Send,
    {
        let watched = WatchedKind::new::<Other>(&dyntype, None);
        self.with(move |_| {
            user_stream::watched(trigger.map(Ok), user_stream::shared_key::<Other>, mapper, watched, None)
        })
    }

    /// Reconciles everything whenever `trigger` yields.
    #[must_use]
    pub fn reconcile_all_on(self, trigger: impl Stream<Item = ()> + Send + 'static) -> Self {
        self.with(|_| user_stream::everything(trigger))
    }

    /// Reconciles the objects that `trigger` names.
    #[must_use]
    pub fn reconcile_on(self, trigger: impl Stream<Item = ObjectRef<K>> + Send + 'static) -> Self {
        self.with(|_| user_stream::references(trigger))
    }

    /// Lets reconciles wait until `store`, too, has what the last one of the same object wrote and what woke this one: for
    /// stores that the reconciler reads and this controller does not fill, as by `watcher(…).reflect(writer)` beside it. No
    /// key is woken by what happens there, and a store that is filled otherwise holds no key.
    #[must_use]
    pub fn reads<T>(self, store: &Store<T>) -> Self
    where
        T: Lookup + Send + Sync + 'static,
        T::DynamicType: Default,
    {
        self.reads_with(store, &T::DynamicType::default())
    }

    /// As [`reads`](Self::reads), for a kind known only at run time.
    #[must_use]
    pub fn reads_with<T>(self, store: &Store<T>, dyntype: &T::DynamicType) -> Self
    where
        T: Lookup + Send + Sync + 'static,
    {
        let (store, watched) = (store.clone(), WatchedKind::new::<T>(dyntype, None));
        self.with(move |beginning| read(store, beginning.progress.add_read(&watched.kind)))
    }

    /// Adds a source that reconciles do not wait for.
    fn with(mut self, begin: impl FnOnce(Beginning) -> Source<K> + Send + 'static) -> Self {
        self.others.push(Planned { awaited: None, begin: Box::new(begin) });
        self
    }
}
