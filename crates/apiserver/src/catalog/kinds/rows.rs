//! The words the table is written in, so that a resource is one line, and what a line becomes.

use super::{Kind, Origin, Storage, Subresource, owned};
use crate::registry::strategy;
use crate::storage::store::Resource;

pub(super) use super::{EVERY, GET_PATCH_UPDATE};

/// An update without a resourceVersion is refused.
pub(super) const VERSION_NEEDED: u8 = 1;
/// A PUT to a missing name creates the object.
pub(super) const CREATE_ON_UPDATE: u8 = 2;
/// DELETE answers with the object that is gone.
pub(super) const RETURNS_DELETED: u8 = 4;
/// `metadata.generation` is kept.
pub(super) const GENERATION: u8 = 8;
/// A status sent with a create is kept.
pub(super) const KEEPS_STATUS: u8 = 16;

/// One line of the table.
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) plural: &'static str,
    singular: &'static str,
    kind: &'static str,
    namespaced: bool,
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    verbs: &'static [&'static str],
    subresources: &'static [RowSubresource],
    kept: u8,
    first_phase: Option<&'static str>,
    selectable: &'static [&'static str],
    deprecation: Option<&'static str>,
}

/// A subresource in the table.
pub(super) struct RowSubresource {
    name: &'static str,
    group_version: &'static str,
    kind: &'static str,
    verbs: &'static [&'static str],
}

#[expect(clippy::too_many_arguments, reason = "a line of the table reads best as one row of values")]
pub(super) const fn row(
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    singular: &'static str,
    kind: &'static str,
    namespaced: bool,
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    verbs: &'static [&'static str],
    subresources: &'static [RowSubresource],
) -> Row {
    Row {
        group,
        version,
        plural,
        singular,
        kind,
        namespaced,
        short_names,
        categories,
        verbs,
        subresources,
        kept: 0,
        first_phase: None,
        selectable: &[],
        deprecation: None,
    }
}

pub(super) const fn subresource(
    name: &'static str,
    group_version: &'static str,
    kind: &'static str,
    verbs: &'static [&'static str],
) -> RowSubresource {
    RowSubresource { name, group_version, kind, verbs }
}

impl Row {
    pub(super) const fn kept(self, kept: u8) -> Self {
        Self { kept, ..self }
    }

    pub(super) const fn phase(self, phase: &'static str) -> Self {
        Self { first_phase: Some(phase), ..self }
    }

    pub(super) const fn selectable(self, selectable: &'static [&'static str]) -> Self {
        Self { selectable, ..self }
    }

    pub(super) const fn deprecated(self, warning: &'static str) -> Self {
        Self { deprecation: Some(warning), ..self }
    }

    pub(super) fn kind(&self) -> Kind {
        Kind {
            group: self.group.to_owned(),
            version: self.version.to_owned(),
            plural: self.plural.to_owned(),
            singular: self.singular.to_owned(),
            kind: self.kind.to_owned(),
            list_kind: format!("{}List", self.kind),
            namespaced: self.namespaced,
            short_names: owned(self.short_names),
            categories: owned(self.categories),
            verbs: owned(self.verbs),
            subresources: self.subresources.iter().map(RowSubresource::subresource).collect(),
            origin: Origin::BuiltIn,
            stored_as: self.stored_as(),
            strategy: strategy::of(self.group, self.plural),
            storage: self.storage(),
            scale: None,
            schema: None,
            since: 0,
            printer_columns: Vec::new(),
            selectable_fields: owned(self.selectable).into(),
            conversion: None,
            deprecation: self.deprecation.map(str::to_owned),
        }
    }

    fn stored_as(&self) -> Resource {
        match (self.group, self.plural) {
            // Both groups serve the same events.
            ("events.k8s.io", "events") => Resource::new("", "events"),
            (group, plural) => Resource::new(group, plural),
        }
    }

    fn storage(&self) -> Storage {
        let is_set = |flag| self.kept & flag != 0;
        Storage {
            needs_version: is_set(VERSION_NEEDED),
            creates_on_update: is_set(CREATE_ON_UPDATE),
            returns_deleted: is_set(RETURNS_DELETED),
            has_generation: is_set(GENERATION),
            keeps_status: is_set(KEEPS_STATUS),
            first_phase: self.first_phase,
            version: None,
        }
    }
}

impl RowSubresource {
    fn subresource(&self) -> Subresource {
        Subresource {
            name: self.name.to_owned(),
            group_version: self.group_version.to_owned(),
            kind: self.kind.to_owned(),
            verbs: owned(self.verbs),
        }
    }
}
