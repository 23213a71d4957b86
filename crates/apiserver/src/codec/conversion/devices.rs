//! Claims to devices and slices of them: in `resource.k8s.io/v1beta1` a request holds itself what it asks for, and a device
//! keeps what it is like in `basic`; since then it is the other way round.

use serde_json::{Map, Value};

use crate::codec::object::Object;

/// The version that differs from all others.
pub(super) const FIRST: &str = "v1beta1";

/// Makes an object one of the first version.
pub(super) fn to_first(plural: &str, object: &mut Object) {
    object.change(|value| match plural {
        "resourceslices" => each(value, DEVICES, |device| {
            let basic = take(device, |field| field != "name");
            device.insert("basic".to_owned(), Value::Object(basic));
        }),
        _ => each(value, requests(plural), |request| {
            if let Some(Value::Object(exactly)) = request.remove("exactly") {
                request.extend(exactly);
            }
        }),
    });
}

/// Makes an object of the first version one of the others.
pub(super) fn from_first(plural: &str, object: &mut Object) {
    object.change(|value| match plural {
        "resourceslices" => {
            // Two fields that could not be left unsaid in the first version.
            let says_nothing = |field: &str, value: &Value| {
                matches!(field, "allNodes" | "nodeName") && (*value == false || *value == "")
            };
            let spec = value.get_mut("spec").and_then(Value::as_object_mut);
            spec.into_iter().for_each(|spec| spec.retain(|field, value| !says_nothing(field, value)));
            each(value, DEVICES, |device| {
                if let Some(Value::Object(basic)) = device.remove("basic") {
                    device.extend(basic);
                }
            });
        }
        _ => each(value, requests(plural), |request| {
            let mut exactly = take(request, |field| !matches!(field, "name" | "firstAvailable"));
            exactly.retain(|_, value| !value.is_null() && value != "" && value != 0);
            if !exactly.is_empty() {
                request.insert("exactly".to_owned(), Value::Object(exactly));
            }
        }),
    });
}

/// Changes the entries of a list of objects.
fn each(value: &mut Value, pointer: &str, change: impl Fn(&mut Map<String, Value>)) {
    let list = value.pointer_mut(pointer).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut).for_each(change);
}

/// Takes some fields out of an object.
fn take(object: &mut Map<String, Value>, is_taken: impl Fn(&str) -> bool) -> Map<String, Value> {
    let (taken, left) = std::mem::take(object).into_iter().partition(|(field, _)| is_taken(field));
    *object = left;
    taken
}

fn requests(plural: &str) -> &'static str {
    if plural == "resourceclaims" { "/spec/devices/requests" } else { "/spec/spec/devices/requests" }
}

const DEVICES: &str = "/spec/devices";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_slice_of_the_first_version_loses_only_what_says_nothing() {
        let spec = json!({"allNodes": false, "nodeName": "", "driver": "d", "perDeviceNodeSelection": false});
        let slice =
            json!({"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceSlice", "metadata": {}, "spec": spec});
        let mut slice = Object::from_value(slice).unwrap();
        from_first("resourceslices", &mut slice);
        assert_eq!(slice.get("spec"), Some(&json!({"driver": "d", "perDeviceNodeSelection": false})));
    }
}
