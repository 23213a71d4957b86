//! DefaultTolerationSeconds: a pod stays for a while on a node that is not ready or not reachable.
//!
//! In: a new pod, or a new state of one. Out: the same with a toleration for each of the two taints of such a node, unless it
//! says itself how long it tolerates them.

use serde_json::{Value, json};

use crate::admission::{Attributes, Operation};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;

/// Lets a pod tolerate a lost node.
pub(super) fn mutate(_: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    let is_written = matches!(attributes.operation, Operation::Create | Operation::Update);
    if !is_written || !attributes.is_about("", "pods") {
        return Ok(());
    }
    object.change_field("spec", |spec| {
        let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
        if tolerations.is_null() {
            *tolerations = json!([]);
        }
        let Some(tolerations) = tolerations.as_array_mut() else { return };
        for taint in TAINTS {
            if !tolerations.iter().any(|known| tolerates(known, taint)) {
                tolerations.push(toleration(taint));
            }
        }
    });
    Ok(())
}

fn toleration(taint: &str) -> Value {
    json!({"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": SECONDS})
}

fn tolerates(toleration: &Value, taint: &str) -> bool {
    let text = |field: &str| toleration.get(field).and_then(Value::as_str).unwrap_or_default();
    (text("key") == taint || text("key").is_empty()) && matches!(text("effect"), "NoExecute" | "")
}

/// The taints of a node that is not ready or not reachable.
const TAINTS: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/// kube-apiserver's default.
const SECONDS: i64 = 300;
