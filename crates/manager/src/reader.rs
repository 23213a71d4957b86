//! Reads from the stores that controllers and caches fill, and never starts a watch.
//!
//! A read of a kind that nobody declared is an error that says how to declare it: a watch that begins because of a read
//! costs memory and permissions that nobody has seen coming.

use std::fmt;
use std::sync::Arc;

use pintle_core::Resource;
use pintle_core::discovery::ApiResource;
use pintle_runtime::reflector::{NoSuchIndex, ObjectRef, Query, Store};
use pintle_runtime::shared_informers::{SharedInformers, WatchScope};

/// Reads from the stores of a manager or cluster; from [`Manager::reader`](crate::Manager::reader). Clones read the same.
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use pintle_manager::{Manager, ReadError};
/// # use pintle_runtime::{reflector::{ObjectRef, Query}, watcher};
/// # use pintle_client::Api;
/// # fn example(manager: &Manager) -> Result<(), ReadError> {
/// manager.cache(Api::<ConfigMap>::all(manager.client()), watcher::Config::default());
/// let reader = manager.reader();
/// let settings = reader.get(&ObjectRef::<ConfigMap>::new("settings").within("shop"))?;
/// let all_of_shop = reader.list::<ConfigMap>(&Query::new().within("shop"))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    informers: SharedInformers,
}

/// Why a store could not be read.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No controller works on this kind and no cache of it was declared.
    #[error(
        "{kind} of {api_version} is not cached: nothing declared it, and a read starts no watch. Declare it before the manager \
         runs: manager.cache(Api::<{kind}>::all(client), watcher::Config::default())"
    )]
    #[non_exhaustive]
    NotCached {
        /// The kind.
        kind: String,
        /// Its group and version.
        api_version: String,
    },
    /// What is cached is not all that was asked for.
    #[error(
        "{kind} of {api_version} in {wanted} are not all cached, only these: {}. Declare them: manager.cache(api, config), or \
         read from the Store that was returned for what is cached", Scopes(.cached)
    )]
    #[non_exhaustive]
    OutOfScope {
        /// The kind.
        kind: String,
        /// Its group and version.
        api_version: String,
        /// What was asked for.
        wanted: Box<WatchScope>,
        /// What there is.
        cached: Vec<WatchScope>,
    },
    /// The first list is not complete.
    #[error(
        "{kind} of {api_version} cannot be read yet: its first list is not complete. Wait for Store::wait_until_ready"
    )]
    #[non_exhaustive]
    NotSynced {
        /// The kind.
        kind: String,
        /// Its group and version.
        api_version: String,
    },
    /// The query names an index that is not there.
    #[error(transparent)]
    NoSuchIndex(#[from] NoSuchIndex),
}

impl Reader {
    pub(crate) fn new(informers: SharedInformers) -> Self {
        Self { informers }
    }

    /// The object `key` names, if it exists.
    ///
    /// # Errors
    /// If objects of its kind and namespace are not all cached, or not yet.
    pub fn get<K>(&self, key: &ObjectRef<K>) -> Result<Option<Arc<K>>, ReadError>
    where
        K: Resource + Send + Sync + 'static,
    {
        Ok(self.store_for::<K>(key.namespace.as_deref(), &key.dyntype)?.get(key))
    }

    /// The objects for which all of `query` holds: of a namespace, with labels, found by an index.
    ///
    /// # Errors
    /// If objects of that kind and namespace are not all cached, or not yet; or it names an index that is not there.
    pub fn list<K>(&self, query: &Query) -> Result<Vec<Arc<K>>, ReadError>
    where
        K: Resource + Send + Sync + 'static,
        K::DynamicType: Default,
    {
        self.list_with(query, &K::DynamicType::default())
    }

    /// As [`list`](Self::list), for a kind known only at run time.
    ///
    /// # Errors
    /// As `list`.
    pub fn list_with<K>(&self, query: &Query, dyntype: &K::DynamicType) -> Result<Vec<Arc<K>>, ReadError>
    where
        K: Resource + Send + Sync + 'static,
    {
        Ok(self.store_for::<K>(query.namespace(), dyntype)?.select(query)?)
    }

    /// A store with all objects of the kind in `namespace`, or in all.
    fn store_for<K>(&self, namespace: Option<&str>, dyntype: &K::DynamicType) -> Result<Store<K>, ReadError>
    where
        K: Resource + Send + Sync + 'static,
    {
        let stores = self.informers.stores::<K>(dyntype);
        let ApiResource { kind, api_version, .. } = ApiResource::erase::<K>(dyntype);
        if stores.is_empty() {
            return Err(ReadError::NotCached { kind, api_version });
        }
        let has_all = |scope: &WatchScope| {
            scope.is_unselected() && (scope.namespace.is_none() || scope.namespace.as_deref() == namespace)
        };
        let mut whole: Vec<_> = stores.iter().filter(|(scope, _)| has_all(scope)).map(|(_, store)| store).collect();
        // One that can be read comes first.
        whole.sort_by_key(|store| !store.is_ready());
        match whole.first() {
            Some(store) if store.is_ready() => Ok((*store).clone()),
            Some(_) => Err(ReadError::NotSynced { kind, api_version }),
            None => {
                let cached = stores.into_iter().map(|(scope, _)| scope).collect();
                let wanted = Box::new(WatchScope::of_namespace(namespace));
                Err(ReadError::OutOfScope { kind, api_version, wanted, cached })
            }
        }
    }
}

struct Scopes<'a>(&'a [WatchScope]);

impl fmt::Display for Scopes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scopes: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&scopes.join("; "))
    }
}
