//! Apply: the fields a manager states become its share, those it no longer states go, and those that others set
//! otherwise are conflicts.
//!
//! In: the live object and the stated one. Out: the merged object, or nothing where it is the live one; or what stands
//! in the way.

use serde_json::Value;

use super::Writer;
use super::managers::{Manager, Managers, Share};
use super::prune::prune;
use super::track::{Comparison, stripped, take};
use super::versions::Versions;
use crate::managed_fields::merge::check::check;
use crate::managed_fields::merge::combine::combine;
use crate::managed_fields::merge::owned::owned;
use crate::managed_fields::merge::{FieldPath, FieldSet};

/// Why nothing was applied.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Others have set what is stated otherwise; in the order of managers and paths.
    Conflicts(Vec<Conflict>),
    /// What is stated does not fit the schema.
    Malformed(String),
}

/// One field that another manager has set.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// As messages name it.
    pub(crate) manager: String,
    pub(crate) path: FieldPath,
}

/// Applies what is stated, and notes it in the managers.
pub(super) fn apply(
    managers: &mut Managers,
    versions: &Versions,
    writer: &Writer,
    live: &Value,
    stated: &Value,
    force: bool,
) -> Result<Option<Value>, Refused> {
    let Some(schema) = versions.schema(&writer.api_version) else {
        return Err(Refused::Malformed(format!("no schema for {}", writer.api_version)));
    };
    check(schema, stated).map_err(Refused::Malformed)?;
    let me = Manager::of(writer);
    let mut fields = owned(schema, stated);
    fields.clear_below(&writer.reset);
    let time = managers.0.get(&me).and_then(|share| share.time.clone());
    let last = managers.0.insert(me.clone(), Share { api_version: writer.api_version.clone(), fields, time });
    let merged = prune(combine(schema, live, stated), managers, versions, last.as_ref());

    let mut seen = Comparison::new(versions, writer, live, &merged);
    let taken = seen.taken(managers, Some(&me));
    if !force && !taken.is_empty() {
        return Err(Refused::Conflicts(conflicts(&taken)));
    }
    for (manager, fields) in &taken {
        take(managers, manager, fields);
    }
    seen.settle(managers, Some(&me));
    take(managers, &me, &stripped());
    managers.drop_idle();
    // What this path does not write counts here, though it will not be written: the manager counts as having written now.
    let is_same = seen.is_same(&writer.api_version);
    Ok((!is_same).then_some(merged))
}

fn conflicts(taken: &[(Manager, FieldSet)]) -> Vec<Conflict> {
    let of_one = |(manager, fields): &(Manager, FieldSet)| {
        let manager = manager.to_string();
        fields.paths().into_iter().map(move |path| Conflict { manager: manager.clone(), path }).collect::<Vec<_>>()
    };
    taken.iter().flat_map(of_one).collect()
}
