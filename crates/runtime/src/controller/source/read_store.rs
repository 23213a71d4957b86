//! A store that the program fills and the reconciler reads: it wakes no key, and is waited for after a write.

use std::sync::Arc;

use futures::stream::{self, StreamExt};
use pintle_core::reference::Lookup;

use crate::controller::source::watch_progress::WatchProgress;
use crate::controller::source::{Source, Triggered};
use crate::reflector::Store;
use crate::watcher::Health;

/// Lets `progress` see as far as the store does. One that no watch of ours fills has no version to wait for, and holds no key.
pub(in crate::controller) fn read<T, K>(store: Store<T>, progress: Arc<WatchProgress>) -> Source<K>
where
    T: Lookup + Send + Sync + 'static,
    K: Send + 'static,
{
    let shelf = store.clone();
    progress.look_by(move |key, see| {
        if let Some(entry) = shelf.entry_by(key) {
            entry.show(|head, body| see(head, Some(body)));
        }
    });
    let follow = move |health: Option<Health>| {
        let (store, progress) = (store.clone(), Arc::clone(&progress));
        async move {
            let mut health = match health {
                Some(mut health) => health.moved().await.then_some(health)?,
                None => first_health(&store, &progress).await?,
            };
            if let Some(version) = health.take_version_number() {
                progress.caught_up(&version.into(), tokio::time::Instant::now());
            }
            Some((Ok(Triggered::default()), Some(health)))
        }
    };
    stream::unfold(None, follow).boxed()
}

/// The watch that fills the store, once its first list is complete.
async fn first_health<T: Lookup>(store: &Store<T>, progress: &WatchProgress) -> Option<Health> {
    store.wait_until_ready().await.ok()?;
    let health = store.health()?;
    let scope = health.scope();
    progress.point_at(scope.namespace.as_deref(), &scope.config);
    progress.set_health(health.clone());
    Some(health)
}
