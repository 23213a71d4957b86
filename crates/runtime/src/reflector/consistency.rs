//! Whether a store holds what the server had at its version: for tests, and for those who doubt.
//!
//! client-go has the same as a switch of its CI. It lists once, at exactly the version the store has seen, and compares
//! identities and versions.

use std::collections::BTreeMap;
use std::fmt;

use pintle_client::{Api, Error};
use pintle_core::params::{ListParams, VersionMatch};
use pintle_core::{Resource, ResourceExt};
use serde::de::DeserializeOwned;

use super::shelf::Key;
use super::store::Store;

/// One object about which store and server disagree.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Inconsistency {
    /// Which object.
    pub key: Key,
    /// Its uid and version in the store, if it is there.
    pub in_store: Option<(String, String)>,
    /// Its uid and version on the server, if it is there.
    pub on_server: Option<(String, String)>,
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = |side: &Option<(String, String)>| side.as_ref().map_or("absent".into(), |(_, it)| it.clone());
        write!(f, "{}: {} in the store, {} on the server", self.key, version(&self.in_store), version(&self.on_server))
    }
}

type Versions = BTreeMap<Key, (String, String)>;

impl<K> Store<K>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug,
{
    /// Compares the store with a list of `api`, selected by `params` as the watch is, at exactly the version the store
    /// has seen. Empty is as it should be. A store that is being filled may be ahead of its version; ask when it rests.
    ///
    /// # Errors
    /// If the server does not list, 410 if it has forgotten that version.
    pub async fn inconsistencies(&self, api: &Api<K>, params: &ListParams) -> Result<Vec<Inconsistency>, Error> {
        let version = self.resource_version().unwrap_or_default();
        let in_store: Versions = self
            .scan()
            .iter()
            .map(|entry| (entry.key(), (text(entry.uid()), text(entry.resource_version()))))
            .collect();
        let listed = api.list(&params.clone().at(&version).matching(VersionMatch::Exact)).await?;
        let on_server: Versions = listed
            .items
            .iter()
            .map(|object| (key(object), (text(object.uid()), text(object.resource_version()))))
            .collect();
        Ok(differences(&in_store, &on_server))
    }
}

fn text(value: Option<String>) -> String {
    value.unwrap_or_default()
}

fn key<K: Resource>(object: &K) -> Key {
    Key { namespace: object.namespace().as_deref().map(Into::into), name: object.name_any().into() }
}

fn differences(in_store: &Versions, on_server: &Versions) -> Vec<Inconsistency> {
    let mut keys: Vec<_> = in_store.keys().chain(on_server.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .filter(|key| in_store.get(*key) != on_server.get(*key))
        .map(|key| Inconsistency {
            key: key.clone(),
            in_store: in_store.get(key).cloned(),
            on_server: on_server.get(key).cloned(),
        })
        .collect()
}
