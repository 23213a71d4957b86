//! What goes because its manager no longer states it.
//!
//! Everything the manager stated last time is taken out of the merged object; then everything that anybody states or has
//! set, this manager's new share included, is put back; and nothing goes that the manager did not own itself.

use std::collections::BTreeMap;

use serde_json::Value;

use super::managers::{Managers, Share};
use super::versions::Versions;
use crate::merge::declared::with_declared_fields;
use crate::merge::owned::owned;
use crate::merge::remove::without;
use crate::merge::{FieldSet, Schema};

/// The merged object without what only the last share had.
pub(super) fn prune(merged: Value, managers: &Managers, versions: &Versions, last: Option<&Share>) -> Value {
    let Some(last) = last.filter(|last| !last.fields.is_empty()) else { return merged };
    let Some(schema) = versions.schema(&last.api_version) else { return merged };
    let stated = with_declared_fields(&last.fields, schema);
    let mut kept = without(schema, &merged, &stated);
    for (schema, fields) in shares_by_version(managers, versions, &last.api_version) {
        let back = fields_of(schema, &kept).union(&with_declared_fields(&fields, schema));
        kept = without(schema, &merged, &fields_of(schema, &merged).difference(&back));
    }
    let gone = fields_of(schema, &merged).difference(&fields_of(schema, &kept));
    without(schema, &merged, &gone.intersection(&stated))
}

fn fields_of(schema: Schema<'_>, value: &Value) -> FieldSet {
    with_declared_fields(&owned(schema, value), schema)
}

/// What anybody owns, by version, the given one first.
fn shares_by_version<'v>(managers: &Managers, versions: &'v Versions, first: &str) -> Vec<(Schema<'v>, FieldSet)> {
    let mut by_version: BTreeMap<(bool, &str), FieldSet> = BTreeMap::new();
    for share in managers.0.values() {
        let key = (share.api_version != first, share.api_version.as_str());
        let all = by_version.entry(key).or_default();
        *all = all.union(&share.fields);
    }
    let with_schema = by_version.into_iter().filter_map(|((_, version), all)| Some((versions.schema(version)?, all)));
    with_schema.collect()
}
