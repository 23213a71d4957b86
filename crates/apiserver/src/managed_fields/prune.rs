//! What goes because its manager no longer states it.
//!
//! Everything the manager stated last time is taken out of the merged object; then everything that any manager states
//! or has set, this manager's new share included, is put back; and nothing goes that the manager did not own itself.

use std::collections::BTreeMap;

use serde_json::Value;

use super::managers::{Managers, Share};
use super::versions::Versions;
use crate::managed_fields::merge::declared::with_declared_fields;
use crate::managed_fields::merge::owned::owned;
use crate::managed_fields::merge::remove::without;
use crate::managed_fields::merge::{FieldSet, Schema};

/// The merged object without what only the last share had.
pub(super) fn prune(merged: Value, managers: &Managers, versions: &Versions, last: Option<&Share>) -> Value {
    let Some(last) = last.filter(|last| !last.fields.is_empty()) else { return merged };
    // Where something is yet to be converted, this is done again.
    pruned(&merged, managers, versions, last).unwrap_or(merged)
}

fn pruned(merged: &Value, managers: &Managers, versions: &Versions, last: &Share) -> Option<Value> {
    let (version, schema) = (&last.api_version, versions.schema(&last.api_version)?);
    let stated = with_declared_fields(&last.fields, schema);
    let at_last = versions.at(version, merged)?.into_owned();
    let mut kept = without(schema, &at_last, &stated);
    for (version, schema, fields) in shares_by_version(managers, versions, version) {
        let (merged, known) = (versions.at(version, merged)?, versions.at(version, &kept)?);
        let back = fields_of(schema, &known).union(&with_declared_fields(&fields, schema));
        kept = without(schema, &merged, &fields_of(schema, &merged).difference(&back));
    }
    let kept = versions.at(version, &kept)?;
    let gone = fields_of(schema, &at_last).difference(&fields_of(schema, &kept));
    let pruned = without(schema, &at_last, &gone.intersection(&stated));
    let applied = merged.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    Some(versions.at(applied, &pruned)?.into_owned())
}

fn fields_of(schema: Schema<'_>, value: &Value) -> FieldSet {
    with_declared_fields(&owned(schema, value), schema)
}

/// What all managers own, by version, the given one first.
fn shares_by_version<'v>(
    managers: &'v Managers,
    versions: &'v Versions,
    first: &str,
) -> Vec<(&'v str, Schema<'v>, FieldSet)> {
    let mut by_version: BTreeMap<(bool, &str), FieldSet> = BTreeMap::new();
    for share in managers.0.values() {
        let key = (share.api_version != first, share.api_version.as_str());
        let all = by_version.entry(key).or_default();
        *all = all.union(&share.fields);
    }
    let with_schema =
        by_version.into_iter().filter_map(|((_, version), all)| Some((version, versions.schema(version)?, all)));
    with_schema.collect()
}
