//! The history of a Deployment: which revision each of its ReplicaSets is, and how many are kept.
//!
//! `kubectl rollout undo` puts an earlier template back: its set becomes the newest revision, and remembers what it was.

use serde_json::{Map, Value};

use super::super::plan::Plan;
use super::super::replica_set::SETS;
use super::super::view::{annotation, integer};
use super::sets::Sets;
use super::{REVISION, count, limits, replicas, wanted};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;

/// The revision of a set or Deployment.
pub(super) fn of(object: &Object) -> i64 {
    annotation(object, REVISION).parse().unwrap_or_default()
}

/// The revision that a new set gets.
pub(super) fn next<'s>(sets: impl Iterator<Item = &'s Object>) -> i64 {
    sets.map(of).max().unwrap_or_default() + 1
}

/// Sees that the set of the template is the newest, and carries what the Deployment says.
pub(super) fn keep(deployment: &Object, sets: &Sets, new: &Object, plan: &mut Plan) {
    let mut kept = new.clone();
    let known = of(new);
    let newest = next(sets.old.iter());
    let mut annotations = new.metadata().get("annotations").and_then(Value::as_object).cloned().unwrap_or_default();
    annotations.extend(inherited(deployment));
    if known < newest {
        if known > 0 {
            let before = annotation(new, HISTORY);
            let before = if before.is_empty() { known.to_string() } else { format!("{before},{known}") };
            annotations.insert(HISTORY.to_owned(), before.into());
        }
        annotations.insert(REVISION.to_owned(), newest.to_string().into());
    }
    kept.set_meta("annotations", annotations);
    if let Some(seconds) = deployment.at("/spec/minReadySeconds").cloned() {
        kept.change_field("spec", |spec| drop(spec.insert("minReadySeconds".to_owned(), seconds)));
    }
    plan.update(SETS, new, kept);
}

/// Says in a set's annotations what its Deployment wants.
pub(super) fn describe(annotations: &mut Map<String, Value>, wanted: i64, most: i64) {
    annotations.insert(DESIRED.to_owned(), wanted.to_string().into());
    annotations.insert(MOST.to_owned(), most.to_string().into());
}

/// A set scaled, with what its Deployment wants.
pub(super) fn described(deployment: &Object, set: &Object, count: i64) -> Object {
    let mut scaled = set.clone();
    let mut annotations = set.metadata().get("annotations").and_then(Value::as_object).cloned().unwrap_or_default();
    describe(&mut annotations, wanted(deployment), limits(deployment).most(wanted(deployment)));
    scaled.set_meta("annotations", annotations);
    scaled.change_field("spec", |spec| drop(spec.insert("replicas".to_owned(), count.into())));
    scaled
}

/// The annotations of a Deployment that its sets get, too.
pub(super) fn inherited(deployment: &Object) -> Map<String, Value> {
    let all = deployment.metadata().get("annotations").and_then(Value::as_object).cloned().unwrap_or_default();
    all.into_iter().filter(|(name, _)| !NOT_INHERITED.contains(&name.as_str())).collect()
}

/// How many pods the Deployment wanted when a set was scaled last.
pub(super) fn desired(set: &Object) -> Option<i64> {
    annotation(set, DESIRED).parse().ok()
}

/// How many pods there could be at most when a set was scaled last.
pub(super) fn most(set: &Object) -> Option<i64> {
    annotation(set, MOST).parse().ok()
}

/// Deletes the oldest sets beyond those that are to be kept, once the rollout is over.
pub(super) fn cut_history(deployment: &Object, sets: &Sets, plan: &mut Plan) {
    let Some(new) = &sets.new else { return };
    let is_over = count(new, "availableReplicas") >= wanted(deployment) && count(new, "replicas") == wanted(deployment);
    let limit = integer(deployment, "/spec/revisionHistoryLimit").and_then(|limit| usize::try_from(limit).ok());
    let is_empty = |set: &&Object| replicas(set) == 0 && count(set, "replicas") == 0 && !set.is_deleting();
    let mut empty: Vec<&Object> = sets.old.iter().filter(is_empty).collect();
    let Some(surplus) = empty.len().checked_sub(limit.unwrap_or(HISTORY_LIMIT)).filter(|_| is_over) else { return };
    empty.sort_by_key(|set| of(set));
    for set in empty.into_iter().take(surplus) {
        plan.delete(SETS, set, Propagation::Background, None);
    }
}

/// The revision that the Deployment shows: that of its template's set.
pub(super) fn shown(deployment: &Object, sets: &Sets) -> Object {
    let mut shown = deployment.clone();
    if let Some(new) = sets.new.as_ref().filter(|new| of(new) > 0 && of(new) != of(deployment)) {
        let revision = of(new).to_string();
        shown.change(|object| object["metadata"]["annotations"][REVISION] = revision.into());
    }
    shown
}

const HISTORY: &str = "deployment.kubernetes.io/revision-history";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MOST: &str = "deployment.kubernetes.io/max-replicas";

const NOT_INHERITED: &[&str] = &[
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    HISTORY,
    DESIRED,
    MOST,
];

/// The default of `revisionHistoryLimit`.
const HISTORY_LIMIT: usize = 10;
