//! Events of the core group and of `events.k8s.io`: the same fields under other names.

use crate::codec::object::Object;

/// Gives the fields the names that they have in a group.
pub(super) fn rename_fields(event: &mut Object, group: &str) {
    for (core, events) in FIELDS {
        let (from, to) = if group.is_empty() { (events, core) } else { (core, events) };
        if let Some(value) = event.remove(from) {
            event.set(to, value);
        }
    }
}

/// A field's name in `v1` and in `events.k8s.io/v1`.
const FIELDS: &[(&str, &str)] = &[
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];
