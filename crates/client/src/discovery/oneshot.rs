//! One group or one kind, without asking for the rest.
//!
//! A group whose own server is down is the server's refusal here: nothing else was asked for.

use pintle_core::gvk::{GroupVersion, GroupVersionKind};

use super::mapper::Mapping;
use super::{ApiCapabilities, ApiGroup, ApiResource, Wanted, load};
use crate::client::Client;
use crate::error::{DiscoveryError, Error, Result};

/// The group `apigroup`, at all its versions.
///
/// # Errors
/// When there is no such group, or its server is down, among others.
pub async fn group(client: &Client, apigroup: &str) -> Result<ApiGroup> {
    let mut found = load::load(client, &Wanted::Only(vec![apigroup.to_owned()])).await?;
    if let Some(down) = found.unavailable.first()
        && found.groups.iter().all(|group| group.by_preference().next().is_none())
    {
        // Asked for by itself, so that the refusal is the server's own.
        load::version(client, &down.group_version).await?;
    }
    found.groups.pop().ok_or_else(|| Error::Discovery(DiscoveryError::MissingApiGroup(apigroup.to_owned())))
}

/// One version of a group; one request.
///
/// # Errors
/// When there is no such group or version, among others.
pub async fn pinned_group(client: &Client, gv: &GroupVersion) -> Result<ApiGroup> {
    let served = load::version(client, gv).await?;
    let group = ApiGroup::new(gv.group.clone(), vec![(gv.version.clone(), served)], Some(gv.version.clone()));
    group.ok_or_else(|| Error::Discovery(DiscoveryError::EmptyApiGroup(gv.api_version())))
}

/// Where one kind is served and what can be done with it; one request.
///
/// # Errors
/// When there is no such group, version or kind, among others.
pub async fn pinned_kind(client: &Client, gvk: &GroupVersionKind) -> Result<(ApiResource, ApiCapabilities)> {
    let served = load::version(client, &GroupVersion::gv(&gvk.group, &gvk.version)).await?;
    let kind = served.iter().find(|served| served.resource.kind == gvk.kind).map(Mapping::pair);
    kind.ok_or_else(|| Error::Discovery(DiscoveryError::MissingKind(format!("{gvk:?}"))))
}
