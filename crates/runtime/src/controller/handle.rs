//! The watches of a running controller, changed from outside.
//!
//! A [`Handle`] adds watches and points the controller's own one elsewhere; each added [`Watch`] can be pointed
//! elsewhere or removed. What a change of scope hides is forgotten and not taken for deleted. Reconciles do not wait
//! for a watch that was added: what it lists wakes whom it concerns.

use std::fmt;

use pintle_client::Api;
use pintle_core::reference::ObjectRef;
use pintle_core::{PartialObjectMeta, Resource};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use crate::controller::source::namespaces::{Bounds, Namespaces};
use crate::controller::source::own_watch::{Order, OwnWatch};
use crate::controller::source::trigger::Owners;
use crate::controller::source::watch_progress::WatchProgresses;
use crate::controller::source::watched_kind::WatchedKind;
use crate::controller::source::{Source, watches};
use crate::watcher;

/// Changes what a running controller of `K`s watches; from [`Controller::handle`](super::Controller::handle).
pub struct Handle<K: Resource> {
    pub(super) main: mpsc::UnboundedSender<Order<K>>,
    pub(super) added: mpsc::UnboundedSender<Source<K>>,
    pub(super) dyntype: K::DynamicType,
    pub(super) progress: WatchProgresses,
    pub(super) bounds: Bounds,
}

/// A watch that was added to a running controller.
pub struct Watch<T> {
    rescope: Box<dyn Fn(Api<T>, watcher::Config) -> Result<(), NotWatching> + Send + Sync>,
    remove: Box<dyn FnOnce() + Send + Sync>,
}

/// The controller has stopped, the watch was removed before, or others look at it, too: nothing is changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "the controller has stopped, the watch was removed, or it is shared with other controllers \
     (Controller::without_sharing), so it cannot be changed"
)]
pub struct NotWatching;

impl<K> Handle<K>
where
    K: Resource + 'static,
{
    /// Points the controller's own watch at other objects of its kind: another namespace, other selectors. Objects that
    /// are out of scope leave the store and are not reconciled; their deletion is not noticed.
    ///
    /// # Errors
    /// When the controller has stopped, was given a stream instead of an `Api`, or shares its watch with others
    /// (see [`Controller::without_sharing`](super::Controller::without_sharing)).
    pub fn rescope(&self, api: Api<K>, config: watcher::Config) -> Result<(), NotWatching> {
        self.main.send(Order::Rescope(Box::new((api, config)))).map_err(|_| NotWatching)
    }

    /// Works in these namespaces alone from now on, with all watches it opened itself. What is out of scope then leaves the
    /// store, is not reconciled and not taken for deleted.
    ///
    /// # Errors
    /// When the controller has stopped, or shares its watches with others.
    #[expect(clippy::needless_pass_by_value, reason = "the same shape as Controller::namespaces")]
    pub fn namespaces(&self, namespaces: Namespaces) -> Result<(), NotWatching> {
        if self.added.is_closed() || self.bounds.is_fixed() {
            return Err(NotWatching);
        }
        self.bounds.set(&namespaces);
        Ok(())
    }

    /// Watches another kind whose objects belong to the controller's, as
    /// [`Controller::owns_with`](super::Controller::owns_with).
    ///
    /// # Errors
    /// When the controller has stopped.
    #[expect(clippy::needless_pass_by_value, reason = "the same shape as Controller::owns_with, which is kube's")]
    pub fn owns_with<Child>(
        &self,
        api: Api<Child>,
        dyntype: Child::DynamicType,
        config: watcher::Config,
    ) -> Result<Watch<Child>, NotWatching>
    where
        Child: Resource + DeserializeOwned + Send + 'static,
    {
        let (orders, received) = mpsc::unbounded_channel();
        let watched = WatchedKind::new::<Child>(&dyntype, None);
        let progress = self.progress.add(&watched.kind);
        let (api, bound) = (api.into_metadata(), self.bounds.follow());
        let watch = OwnWatch::<PartialObjectMeta<Child>>::new(api, config, Some(received), None, progress, bound);
        self.add(watches::owned(watch, Owners::of::<K>(&self.dyntype), watched))?;
        Ok(Watch::new(orders, Api::into_metadata))
    }

    /// Watches another kind whose objects concern those that `mapper` names, as
    /// [`Controller::watches_with`](super::Controller::watches_with).
    ///
    /// # Errors
    /// When the controller has stopped.
    #[expect(clippy::needless_pass_by_value, reason = "the same shape as Controller::watches_with, which is kube's")]
    pub fn watches_with<Other, I>(
        &self,
        api: Api<Other>,
        dyntype: Other::DynamicType,
        config: watcher::Config,
        mapper: impl Fn(Other) -> I + Send + Sync + 'static,
    ) -> Result<Watch<Other>, NotWatching>
    where
        Other: Resource + DeserializeOwned + fmt::Debug + Send + 'static,
        I: IntoIterator<Item = ObjectRef<K>> + 'static,
    {
        let (orders, received) = mpsc::unbounded_channel();
        let watched = WatchedKind::new::<Other>(&dyntype, None);
        let (progress, bound) = (self.progress.add(&watched.kind), self.bounds.follow());
        let watch = OwnWatch::new(api, config, Some(received), None, progress, bound);
        self.add(watches::watched(watch, mapper, watched))?;
        Ok(Watch::new(orders, |api| api))
    }

    fn add(&self, source: Source<K>) -> Result<(), NotWatching> {
        self.added.send(source).map_err(|_| NotWatching)
    }
}

impl<K: Resource> Clone for Handle<K>
where
    K::DynamicType: Clone,
{
    fn clone(&self) -> Self {
        Self {
            main: self.main.clone(),
            added: self.added.clone(),
            dyntype: self.dyntype.clone(),
            progress: self.progress.clone(),
            bounds: self.bounds.clone(),
        }
    }
}

impl<K: Resource> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("is_stopped", &self.added.is_closed()).finish_non_exhaustive()
    }
}

impl<T: 'static> Watch<T> {
    fn new<F: 'static>(orders: mpsc::UnboundedSender<Order<F>>, form: fn(Api<T>) -> Api<F>) -> Self {
        let removed = orders.clone();
        let rescope =
            move |api, config| orders.send(Order::Rescope(Box::new((form(api), config)))).map_err(|_| NotWatching);
        // A controller that has stopped watches nothing either.
        let remove = move || drop(removed.send(Order::Remove));
        Self { rescope: Box::new(rescope), remove: Box::new(remove) }
    }

    /// Points the watch at other objects of its kind. Whom the objects that are out of scope concern is woken.
    ///
    /// # Errors
    /// When the controller has stopped.
    pub fn rescope(&self, api: Api<T>, config: watcher::Config) -> Result<(), NotWatching> {
        (self.rescope)(api, config)
    }

    /// Ends the watch; no key is woken by that.
    pub fn remove(self) {
        (self.remove)();
    }
}

impl<T> fmt::Debug for Watch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}
