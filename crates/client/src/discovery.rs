//! Which groups, versions and kinds a server has, found out by asking it.
//!
//! ```text
//!   /apis, /api ─► aggregated documents ──────────────► ApiGroup ─┬─► Discovery    everything, once
//!              └─► legacy: one more request per version ►         ├─► oneshot      one group or kind
//!                                                                 └─► RestMapper   by any name, asked again on a miss
//! ```
//! The aggregated documents (two answers for everything) are asked for first; a server that does not have them answers
//! the same requests with the legacy ones, which are then followed version by version. A version whose own server is
//! down is named in [`Discovery::unavailable`] and hides nothing else.

mod group;
mod load;
mod mapper;
pub mod oneshot;
mod served;

use std::fmt;

use pintle_core::dynamic::DynamicObject;
use pintle_core::gvk::{GroupVersion, GroupVersionKind};
use pintle_core::metadata::TypeMeta;

pub use group::ApiGroup;
pub use mapper::{Mapping, RestMapper};
pub use oneshot::{group, pinned_group, pinned_kind};
pub use pintle_core::discovery::{ApiCapabilities, ApiResource, Scope, verbs};

use crate::client::Client;
use crate::error::Result;

/// What a server has.
///
/// ```no_run
/// # async fn discover(client: pintle_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use pintle_client::api::{Api, DynamicObject, GroupVersionKind};
/// use pintle_client::discovery::Discovery;
///
/// let discovery = Discovery::new(client.clone()).run().await?;
/// let kind = GroupVersionKind::gvk("cert-manager.io", "v1", "Certificate");
/// if let Some((resource, capabilities)) = discovery.resolve_gvk(&kind) {
///     let certificates: Api<DynamicObject> = Api::dynamic(client, &resource, &capabilities.scope);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Discovery {
    client: Client,
    wanted: Wanted,
    groups: Vec<ApiGroup>,
    unavailable: Vec<Unavailable>,
}

impl Discovery {
    /// Nothing known yet, everything wanted; [`run`](Self::run) asks.
    pub fn new(client: Client) -> Self {
        Self { client, wanted: Wanted::Except(Vec::new()), groups: Vec::new(), unavailable: Vec::new() }
    }

    /// Wants these groups alone; the core group is `""`.
    #[must_use]
    pub fn filter(mut self, allow: &[&str]) -> Self {
        self.wanted = Wanted::Only(allow.iter().map(ToString::to_string).collect());
        self
    }

    /// Wants all groups but these.
    #[must_use]
    pub fn exclude(mut self, deny: &[&str]) -> Self {
        self.wanted = Wanted::Except(deny.iter().map(ToString::to_string).collect());
        self
    }

    /// Asks the server: two requests, or one more per version where it does not aggregate.
    ///
    /// # Errors
    /// When the server refuses or cannot be reached. A group that is served by another server which is down is no
    /// error: see [`Discovery::unavailable`].
    pub async fn run(mut self) -> Result<Self> {
        let found = load::load(&self.client, &self.wanted).await?;
        self.groups = found.groups;
        self.unavailable = found.unavailable;
        Ok(self)
    }

    /// The same as [`run`](Self::run), which asks for the aggregated documents too.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_aggregated(self) -> Result<Self> {
        self.run().await
    }

    /// The groups, the core group first, then in the server's order.
    pub fn groups(&self) -> impl Iterator<Item = &ApiGroup> {
        self.groups.iter()
    }

    /// The groups by name.
    pub fn groups_alphabetical(&self) -> Vec<&ApiGroup> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|group| group.name());
        groups
    }

    /// The group of that name; the core group is [`ApiGroup::CORE_GROUP`].
    pub fn get(&self, group: &str) -> Option<&ApiGroup> {
        self.groups.iter().find(|found| found.name() == group)
    }

    /// Whether the group exists and was wanted.
    pub fn has_group(&self, group: &str) -> bool {
        self.get(group).is_some()
    }

    /// The versions that exist but could not be asked for, because the server behind them is down.
    pub fn unavailable(&self) -> &[Unavailable] {
        &self.unavailable
    }

    /// Where the kind is served and what can be done with it, at exactly that version.
    pub fn resolve_gvk(&self, gvk: &GroupVersionKind) -> Option<(ApiResource, ApiCapabilities)> {
        self.get(&gvk.group)?.at(&gvk.version).iter().find(|served| served.resource.kind == gvk.kind).map(Mapping::pair)
    }

    /// As [`resolve_gvk`](Self::resolve_gvk), for what an object says of itself.
    pub fn resolve_typemeta(&self, tm: &TypeMeta) -> Option<(ApiResource, ApiCapabilities)> {
        self.resolve_gvk(&GroupVersionKind::try_from(tm).ok()?)
    }

    /// As [`resolve_gvk`](Self::resolve_gvk), for an object; `None` too where it does not say what it is.
    pub fn resolve_object(&self, obj: &DynamicObject) -> Option<(ApiResource, ApiCapabilities)> {
        self.resolve_typemeta(obj.types.as_ref()?)
    }
}

impl fmt::Debug for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.groups.iter().map(ApiGroup::name).collect();
        f.debug_struct("Discovery")
            .field("groups", &names)
            .field("unavailable", &self.unavailable)
            .finish_non_exhaustive()
    }
}

/// A version of a group whose own server could not be asked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unavailable {
    /// Which one.
    pub group_version: GroupVersion,
    /// What the API server says of it.
    pub reason: String,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is unavailable: {}", self.group_version.api_version(), self.reason)
    }
}

/// Which groups to ask for.
enum Wanted {
    Only(Vec<String>),
    Except(Vec<String>),
}

impl Wanted {
    fn includes(&self, group: &str) -> bool {
        match self {
            Self::Only(names) => names.iter().any(|name| name == group),
            Self::Except(names) => names.iter().all(|name| name != group),
        }
    }

    /// Whether any named group may be wanted.
    fn includes_named(&self) -> bool {
        match self {
            Self::Only(names) => names.iter().any(|name| name != ApiGroup::CORE_GROUP),
            Self::Except(_) => true,
        }
    }
}
