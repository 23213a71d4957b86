//! Server-side apply that is not sent where it would change nothing.
//!
//! ```text
//!   as desired already? (`apply/as_desired.rs`)  ──yes──► nothing is sent
//!                                                ──no───► apply, and remember to which version it led
//! ```
//!
//! Stores decode objects without `metadata.managedFields` unless asked for them, so the client remembers what was last
//! applied through it and its clones. A new process applies each object once.

mod as_desired;

use std::fmt::Debug;

use pintle_client::{Api, Error};
use pintle_core::Resource;
use pintle_core::params::{Patch, PatchParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use as_desired::{Applier, is_as_desired};

/// What came of [`apply_if_changed`].
#[derive(Clone, Debug, PartialEq)]
pub enum Applied<K> {
    /// Everything was as desired, and nothing was sent.
    Unchanged,
    /// It was sent, and this is the object now.
    Sent(Box<K>),
}

/// Applies `desired` to the object `name` unless `current`, as read from a server or a store, is as desired already. `pp`
/// names the field manager, as in `PatchParams::apply("my-controller")`, unless the client does.
///
/// Nothing is sent where the object has the desired values and this manager owns no others, which its
/// `metadata.managedFields` say. Without them (a store leaves them out unless
/// [`with_managed_fields`](crate::reflector::Writer::with_managed_fields) asks for them) nothing is sent where the same
/// was applied before through this client or a clone of it, and its values still hold. So after a restart each object is
/// applied once.
///
/// # Errors
/// If `desired` cannot be written, or the server does not take it.
pub async fn apply_if_changed<K, D>(
    api: &Api<K>,
    name: &str,
    pp: &PatchParams,
    current: Option<&K>,
    desired: &D,
) -> Result<Applied<K>, Error>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
    D: Serialize + Debug,
{
    apply(api, None, name, pp, current, desired).await
}

/// As [`apply_if_changed`], for the status. `desired` is an object with a `status`.
///
/// # Errors
/// If `desired` cannot be written, or the server does not take it.
pub async fn apply_status_if_changed<K, D>(
    api: &Api<K>,
    name: &str,
    pp: &PatchParams,
    current: Option<&K>,
    desired: &D,
) -> Result<Applied<K>, Error>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
    D: Serialize + Debug,
{
    apply(api, Some("status"), name, pp, current, desired).await
}

/// As [`apply_if_changed`], for a subresource that is a part of the object and is answered with the object, such as
/// `status`, `resize` or `approval`. A `scale` is not: it is an object of its own.
///
/// # Errors
/// If `desired` cannot be written, or the server does not take it.
pub async fn apply_subresource_if_changed<K, D>(
    api: &Api<K>,
    subresource: &str,
    name: &str,
    pp: &PatchParams,
    current: Option<&K>,
    desired: &D,
) -> Result<Applied<K>, Error>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
    D: Serialize + Debug,
{
    apply(api, Some(subresource), name, pp, current, desired).await
}

async fn apply<K, D>(
    api: &Api<K>,
    subresource: Option<&str>,
    name: &str,
    pp: &PatchParams,
    current: Option<&K>,
    desired: &D,
) -> Result<Applied<K>, Error>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug,
    D: Serialize + Debug,
{
    let desired = serde_json::to_value(desired).map_err(Error::SerdeError)?;
    let memory = api.applied();
    let manager = pp.field_manager.as_deref().or(api.field_manager());
    let place = (api.resource_url(), name, subresource, manager);
    if let (Some(current), Some(manager)) = (current, manager) {
        let last_version = current.meta().uid.as_deref().and_then(|uid| memory.version_of(&place, uid, &desired));
        let applier = Applier { manager, subresource };
        if is_as_desired(current, &desired, applier, last_version.as_deref()).map_err(Error::SerdeError)? {
            return Ok(Applied::Unchanged);
        }
    }
    let patch = Patch::Apply(&desired);
    let applied = match subresource {
        None => api.patch(name, pp, &patch).await?,
        Some(subresource) => api.patch_subresource(subresource, name, pp, &patch).await?,
    };
    if let (Some(uid), Some(version), false) = (&applied.meta().uid, &applied.meta().resource_version, pp.dry_run) {
        memory.remember(&place, uid, &desired, version);
    }
    Ok(Applied::Sent(Box::new(applied)))
}
