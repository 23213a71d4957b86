//! Controllers that share their watches with others.

use std::fmt;
use std::hash::Hash;

use pintle_client::Api;
use pintle_core::Resource;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use crate::SharedInformers;
use crate::controller::source::subscription::Subscription;
use crate::controller::source::watched_kind::WatchedKind;
use crate::controller::source::watches;
use crate::controller::{Beginning, Controller, Planned};
use crate::reflector::Store;
use crate::reflector::memory::storage::ManagedFields;
use crate::watcher;

/// With whom a controller shares its watches, and what its own one looks at.
pub(super) struct Sharing<K> {
    informers: SharedInformers,
    api: Api<K>,
    config: watcher::Config,
}

impl<K> Sharing<K> {
    pub(super) fn informers(&self) -> SharedInformers {
        self.informers.clone()
    }

    /// The store of the controller's objects, and the source that follows it.
    fn main(&self, dyntype: &K::DynamicType, managed_fields: ManagedFields) -> (Store<K>, Planned<K>)
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
        K::DynamicType: Clone,
    {
        let watch = self.informers.whole(self.api.clone(), self.config.clone(), dyntype, managed_fields);
        let (store, kind) = (watch.cache.clone(), dyntype.clone());
        let begin = move |beginning: Beginning| {
            let watched = WatchedKind::new::<K>(&kind, beginning.changed);
            let progress = beginning.progress.add(&watched.kind);
            watches::itself(Subscription::new(watch, progress), watched)
        };
        (store, Planned { awaited: Some(K::kind(dyntype).into_owned()), begin: Box::new(begin) })
    }
}

impl<K> Controller<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + Sync + 'static,
    K::DynamicType: Eq + Hash + Clone,
{
    /// As [`new_with`](Self::new_with), with watches and stores that are shared with all who ask `informers` for the same:
    /// its own objects, those it owns and those it watches. `informers` must [run](SharedInformers::run).
    ///
    /// What a shared watch meets is logged by it and shows in [`readiness`](Self::readiness); it is not an item of this
    /// controller's stream.
    #[must_use]
    pub fn new_shared_with(
        informers: &SharedInformers,
        main_api: Api<K>,
        wc: watcher::Config,
        dyntype: K::DynamicType,
    ) -> Self {
        let sharing = Sharing { informers: informers.clone(), api: main_api, config: wc };
        let (store, main) = sharing.main(&dyntype, ManagedFields::Skipped);
        // There is no receiver: a watch that others look at, too, cannot be pointed elsewhere.
        let (orders, _) = mpsc::unbounded_channel();
        let controller = Self::of(dyntype, store, main, orders);
        controller.handle.bounds.fix(true);
        Self { sharing: Some(sharing), ..controller }
    }

    /// Opens watches of its own, though it was made to share them: then they can be changed by its [`Handle`](super::Handle)
    /// while it runs. [`namespaces`](Self::namespaces) and [`trigger_backoff`](Self::trigger_backoff) do the same. Call them
    /// before [`store`](Self::store), [`handle`](Self::handle) and the probes.
    #[must_use]
    pub fn without_sharing(mut self) -> Self {
        let Some(Sharing { api, config, .. }) = self.sharing.take() else { return self };
        let (store, main, orders) = Self::own_main(api, config, &self.dyntype);
        (self.store, self.main, self.handle.main) = (store, main, orders);
        self.known_store.set(&self.store);
        self.handle.bounds.fix(false);
        self
    }

    /// The same, sharing a store of objects as it wants them now.
    pub(super) fn share_again(mut self) -> Self {
        if let Some(sharing) = &self.sharing {
            let kept = if self.keeps_managed_fields { ManagedFields::Kept } else { ManagedFields::Skipped };
            (self.store, self.main) = sharing.main(&self.dyntype, kept);
            self.known_store.set(&self.store);
        }
        self
    }
}
