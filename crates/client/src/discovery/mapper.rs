//! Kinds by whatever people call them, remembered, and asked for again when a name is not known.
//!
//! ```text
//!   "deploy", "Deployment", "deployments.apps", "deployments.v1.apps" ─► RestMapper ─► Mapping
//!                                                                          │  ▲
//!                                                                 not found ▼  │ found
//!                                                                        Discovery, once more
//! ```
//! A kind that was installed since is found by asking again; one that is nowhere costs the same two requests each time
//! it is looked for. Lookups that miss at the same time share one asking.

use std::fmt;
use std::sync::Arc;

use pintle_core::gvk::GroupVersionKind;
use tokio::sync::Mutex;

use super::{ApiCapabilities, ApiGroup, ApiResource, Discovery};
use crate::client::Client;
use crate::error::{DiscoveryError, Error, Result};

/// Where a kind is served, what can be done with it, and what people call it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mapping {
    /// Where it is served.
    pub resource: ApiResource,
    /// What can be done with it.
    pub capabilities: ApiCapabilities,
    /// The singular of the plural.
    pub singular: String,
    /// What people type instead of the plural.
    pub short_names: Vec<String>,
    /// Names for several kinds at once, such as `all`.
    pub categories: Vec<String>,
}

impl Mapping {
    pub(super) fn pair(&self) -> (ApiResource, ApiCapabilities) {
        (self.resource.clone(), self.capabilities.clone())
    }
}

/// Finds kinds by name and remembers them.
///
/// ```no_run
/// # async fn find(client: pintle_client::Client) -> pintle_client::Result<()> {
/// use pintle_client::api::{Api, DynamicObject};
/// use pintle_client::discovery::RestMapper;
///
/// let mapper = RestMapper::new(client.clone());
/// let found = mapper.find("deploy").await?;
/// let api: Api<DynamicObject> = Api::dynamic(client, &found.resource, &found.capabilities.scope);
/// # Ok(())
/// # }
/// ```
pub struct RestMapper {
    client: Client,
    // Held while asking, so that lookups that miss together ask once.
    known: Mutex<Option<Arc<Discovery>>>,
}

impl RestMapper {
    /// Knows nothing yet; the first lookup asks.
    pub fn new(client: Client) -> Self {
        Self { client, known: Mutex::new(None) }
    }

    /// The kind that people call `name`: a plural, a singular, a kind or a short name, alone or followed by its group
    /// (`deployments.apps`) or version and group (`deployments.v1.apps`). Where several groups have it, the core group
    /// wins, then the server's order; within a group the preferred version.
    ///
    /// # Errors
    /// [`DiscoveryError::MissingResource`] where the server has no such kind, and whatever discovery meets.
    pub async fn find(&self, name: &str) -> Result<Mapping> {
        let missing = || Error::Discovery(DiscoveryError::MissingResource(name.to_owned()));
        self.look(|known| by_name(known, name)).await?.ok_or_else(missing)
    }

    /// The kind `gvk`, at exactly that version.
    ///
    /// # Errors
    /// [`DiscoveryError::MissingKind`] where the server has no such kind, and whatever discovery meets.
    pub async fn find_kind(&self, gvk: &GroupVersionKind) -> Result<Mapping> {
        let of_kind = |known: &Discovery| {
            let served = known.get(&gvk.group)?.at(&gvk.version);
            served.iter().find(|served| served.resource.kind == gvk.kind).cloned()
        };
        let missing = || Error::Discovery(DiscoveryError::MissingKind(format!("{} {}", gvk.api_version(), gvk.kind)));
        self.look(of_kind).await?.ok_or_else(missing)
    }

    /// Every kind in a category such as `all`, each at its preferred version. Nothing is asked again where the
    /// category is empty.
    ///
    /// # Errors
    /// Whatever discovery meets.
    pub async fn find_category(&self, category: &str) -> Result<Vec<Mapping>> {
        let known = self.known().await?;
        let preferred = known.groups().flat_map(|group| group.at(group.preferred_version_or_latest()));
        Ok(preferred.filter(|served| served.categories.iter().any(|it| it == category)).cloned().collect())
    }

    /// Forgets everything; the next lookup asks.
    pub async fn forget(&self) {
        *self.known.lock().await = None;
    }

    /// What `find` finds in what is known or, failing that, in what the server says now.
    async fn look(&self, find: impl Fn(&Discovery) -> Option<Mapping>) -> Result<Option<Mapping>> {
        let known = self.known().await?;
        if let Some(found) = find(&known) {
            return Ok(Some(found));
        }
        let mut current = self.known.lock().await;
        let is_newer = current.as_ref().is_some_and(|current| !Arc::ptr_eq(current, &known));
        let newest = match &*current {
            // Another lookup asked while this one waited.
            Some(newer) if is_newer => Arc::clone(newer),
            _ => {
                let asked = Arc::new(Discovery::new(self.client.clone()).run().await?);
                *current = Some(Arc::clone(&asked));
                asked
            }
        };
        Ok(find(&newest))
    }

    async fn known(&self) -> Result<Arc<Discovery>> {
        let mut known = self.known.lock().await;
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let asked = Arc::new(Discovery::new(self.client.clone()).run().await?);
        *known = Some(Arc::clone(&asked));
        Ok(asked)
    }
}

impl fmt::Debug for RestMapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestMapper").finish_non_exhaustive()
    }
}

/// A name and where it may be looked for.
struct Asked<'a> {
    name: &'a str,
    version: Option<&'a str>,
    group: Option<&'a str>,
}

/// How a name can be meant, the surest way first.
const MEANINGS: [fn(&Mapping, &str) -> bool; 3] = [
    |served, name| served.resource.plural.eq_ignore_ascii_case(name),
    |served, name| served.singular.eq_ignore_ascii_case(name) || served.resource.kind.eq_ignore_ascii_case(name),
    |served, name| served.short_names.iter().any(|short| short.eq_ignore_ascii_case(name)),
];

fn by_name(known: &Discovery, text: &str) -> Option<Mapping> {
    readings(text).iter().find_map(|asked| {
        MEANINGS.iter().find_map(|means| {
            let groups = known.groups().filter(|group| asked.group.is_none_or(|name| name == group.name()));
            groups.flat_map(ApiGroup::by_preference).find(|served| asked.fits(served, *means)).cloned()
        })
    })
}

/// `a.b.c` is `a` of group `b.c`, or `a` at version `b` of group `c`.
fn readings(text: &str) -> Vec<Asked<'_>> {
    let Some((name, group)) = text.split_once('.') else {
        return vec![Asked { name: text, version: None, group: None }];
    };
    let pinned = match group.split_once('.') {
        Some((version, group)) => Asked { name, version: Some(version), group: Some(group) },
        // The core group has no name: `pods.v1`.
        None => Asked { name, version: Some(group), group: Some(ApiGroup::CORE_GROUP) },
    };
    vec![pinned, Asked { name, version: None, group: Some(group) }]
}

impl Asked<'_> {
    fn fits(&self, served: &Mapping, means: fn(&Mapping, &str) -> bool) -> bool {
        self.version.is_none_or(|version| version == served.resource.version) && means(served, self.name)
    }
}
