//! Taints of devices, which stand in slices and in rules.

use serde_json::Value;

use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::{Object, put_if_absent};

/// A taint says since when it is there.
pub(super) fn date(snapshot: &ClusterSnapshot, object: &mut Object) {
    let now = snapshot.clock.timestamp();
    object.change(|value| {
        let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut) else { return };
        let of_rule = spec.get_mut("taint").and_then(Value::as_object_mut);
        of_rule.into_iter().for_each(|taint| put_if_absent(taint, "timeAdded", now.as_str().into()));
        let devices = spec.get_mut("devices").and_then(Value::as_array_mut).into_iter().flatten();
        let lists = devices.filter_map(|device| device.get_mut("taints").and_then(Value::as_array_mut));
        for taint in lists.flatten().filter_map(Value::as_object_mut) {
            put_if_absent(taint, "timeAdded", now.as_str().into());
        }
    });
}
