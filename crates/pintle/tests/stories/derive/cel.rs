//! Rules evaluated without a server.

use pintle::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced, cel)]
#[kube(validation = Rule::new("self.spec.size < 100").message("it is too large"))]
#[kube(validation = Rule::new("self.spec.size >= oldSelf.spec.size").message("it may not shrink"))]
struct GadgetSpec {
    size: i32,
}

fn gadget(size: i32) -> Gadget {
    Gadget::new("a", GadgetSpec { size })
}

#[test]
fn a_rule_holds_or_its_message_is_told() {
    assert_eq!(gadget(5).validate_cel().map_err(|error| error.to_string()), Ok(()));
    let error = gadget(500).validate_cel().unwrap_err().to_string();
    assert!(error.contains("it is too large"), "{error}");
}

#[test]
fn a_change_is_held_against_what_was_there() {
    assert!(gadget(5).validate_cel_update(&gadget(3)).is_ok());
    let error = gadget(3).validate_cel_update(&gadget(5)).unwrap_err().to_string();
    assert!(error.contains("it may not shrink"), "{error}");
    let json = serde_json::json!({"spec": {"size": 200}});
    assert!(pintle::core::cel::validate_cel_schema::<Gadget>(&json, None).is_err());
}
