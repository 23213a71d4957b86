//! Duplicate owner references are stored once, and the client gets a warning.

use serde_json::Value;

/// Leaves each owner reference of an object there once; what the client is warned of if one came again.
pub(crate) fn dedup(object: &mut Value) -> Option<String> {
    let references = object.pointer_mut("/metadata/ownerReferences")?.as_array_mut()?;
    let mut kept: Vec<Value> = Vec::with_capacity(references.len());
    let mut repeated: Vec<String> = Vec::new();
    for reference in references.drain(..) {
        if kept.contains(&reference) {
            let uid = reference.get("uid").and_then(Value::as_str).unwrap_or_default().to_owned();
            if !repeated.contains(&uid) {
                repeated.push(uid);
            }
        } else {
            kept.push(reference);
        }
    }
    *references = kept;
    (!repeated.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may \
             reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            repeated.join(", ")
        )
    })
}
