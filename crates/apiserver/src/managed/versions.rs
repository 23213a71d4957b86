//! The schemas of a kind, by version: what is a set at one may be one value at another.
//!
//! Two states are compared in the shape in which they were written, by the schema of each manager's version. Where shapes
//! differ too (`convert`), what a manager owns under a name that the writer's version does not have is not compared.

use std::sync::Arc;

use pintle_wire::facts;

use crate::catalog::crd::structural::Structural;
use crate::catalog::kinds::Kind;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::merge::Schema;

/// Where the schemas of a kind are.
pub(crate) enum Versions {
    /// In the tables, under this kind.
    BuiltIn(String),
    /// In a definition: by apiVersion.
    Custom(Vec<(String, Arc<Structural>)>),
}

impl Versions {
    /// The schema at a version; none where that version does not exist.
    pub(crate) fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        match self {
            Versions::BuiltIn(kind) => facts::kind_of(api_version, kind).map(Schema::Type),
            Versions::Custom(schemas) => {
                let found = schemas.iter().find(|(version, _)| version == api_version);
                found.map(|(_, schema)| Schema::Resource(schema))
            }
        }
    }
}

impl ClusterSnapshot {
    /// The schemas of a kind.
    pub(crate) fn versions(&self, kind: &Kind) -> Versions {
        if kind.is_custom() {
            Versions::Custom(self.catalog.schemas(&kind.resource()))
        } else {
            Versions::BuiltIn(kind.kind.clone())
        }
    }
}
