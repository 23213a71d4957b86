//! One API group: its versions and what each serves.
//!
//! Versions are sorted by how much is promised of them, the most stable and newest first, whatever order the server
//! gives. The server's own preference is kept beside that.

use std::cmp::Reverse;

use pintle_core::Version;

use super::mapper::Mapping;
use super::{ApiCapabilities, ApiResource};

/// One API group, at every version it is served at.
///
/// The server prefers versions of groups, not of kinds: where the kinds of a group are served at different versions,
/// [`resources_by_stability`](Self::resources_by_stability) finds them all, and
/// [`recommended_resources`](Self::recommended_resources) only those at the preferred one.
#[derive(Debug)]
pub struct ApiGroup {
    name: String,
    // Never empty; the most stable version first.
    versions: Vec<(String, Vec<Mapping>)>,
    preferred: Option<String>,
}

impl ApiGroup {
    /// The name of the core group.
    pub const CORE_GROUP: &'static str = "";

    /// A group, or `None` where it has no version.
    pub(super) fn new(
        name: String,
        mut versions: Vec<(String, Vec<Mapping>)>,
        preferred: Option<String>,
    ) -> Option<Self> {
        versions.sort_by_cached_key(|(version, _)| Reverse(Version::parse(version).priority()));
        // A version that is preferred but not there is of no use.
        let preferred = preferred.filter(|preferred| versions.iter().any(|(version, _)| version == preferred));
        (!versions.is_empty()).then_some(Self { name, versions, preferred })
    }

    /// The group's name, empty for the core group.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its versions, the most stable and newest first; there is at least one.
    pub fn versions(&self) -> impl Iterator<Item = &str> {
        self.versions.iter().map(|(version, _)| version.as_str())
    }

    /// The version that the server prefers.
    pub fn preferred_version(&self) -> Option<&str> {
        self.preferred.as_deref()
    }

    /// The version that the server prefers, or else the most stable one.
    pub fn preferred_version_or_latest(&self) -> &str {
        self.preferred_version().unwrap_or_else(|| &self.versions[0].0)
    }

    /// What is served at `ver`; nothing where there is no such version.
    pub fn versioned_resources(&self, ver: &str) -> Vec<(ApiResource, ApiCapabilities)> {
        self.at(ver).iter().map(Mapping::pair).collect()
    }

    /// What is served at the preferred version, or else at the most stable one.
    pub fn recommended_resources(&self) -> Vec<(ApiResource, ApiCapabilities)> {
        self.versioned_resources(self.preferred_version_or_latest())
    }

    /// Every kind of the group, each at the most stable version that has it.
    pub fn resources_by_stability(&self) -> Vec<(ApiResource, ApiCapabilities)> {
        let mut found: Vec<&Mapping> = Vec::new();
        for served in self.versions.iter().flat_map(|(_, served)| served) {
            if !found.iter().any(|known| known.resource.kind == served.resource.kind) {
                found.push(served);
            }
        }
        found.into_iter().map(Mapping::pair).collect()
    }

    /// The kind at the version that is preferred for the whole group, or else at the most stable one; `None` where it
    /// is not served there. So it is not found once another definition brings a newer version to the group:
    /// [`resources_by_stability`](Self::resources_by_stability) and `RestMapper` find it then, too.
    pub fn recommended_kind(&self, kind: &str) -> Option<(ApiResource, ApiCapabilities)> {
        let recommended = self.at(self.preferred_version_or_latest());
        recommended.iter().find(|served| served.resource.kind == kind).map(Mapping::pair)
    }

    pub(super) fn at(&self, version: &str) -> &[Mapping] {
        self.versions.iter().find(|(name, _)| name == version).map_or(&[], |(_, served)| served)
    }

    /// Everything, the preferred version first.
    pub(super) fn by_preference(&self) -> impl Iterator<Item = &Mapping> {
        let preferred = self.preferred_version_or_latest();
        let others = self.versions.iter().filter(move |(version, _)| version != preferred);
        self.at(preferred).iter().chain(others.flat_map(|(_, served)| served))
    }
}
