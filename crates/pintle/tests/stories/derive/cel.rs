//! CEL rules evaluated without a server.

use pintle::{CustomResource, CustomResourceExt, KubeSchema};
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
fn a_rule_that_does_not_hold_returns_its_message() {
    assert_eq!(gadget(5).validate_cel().map_err(|error| error.to_string()), Ok(()));
    let error = gadget(500).validate_cel().unwrap_err().to_string();
    assert!(error.contains("it is too large"), "{error}");
}

#[test]
fn a_transition_rule_compares_the_new_with_the_old_value() {
    assert!(gadget(5).validate_cel_update(&gadget(3)).is_ok());
    let error = gadget(3).validate_cel_update(&gadget(5)).unwrap_err().to_string();
    assert!(error.contains("it may not shrink"), "{error}");
    let json = serde_json::json!({"spec": {"size": 200}});
    assert!(pintle::core::cel::validate_cel_schema::<Gadget>(&json, None).is_err());
}

#[derive(KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[x_kube(cel, validation = ("self.a < self.b", "a is not below b"))]
struct Range {
    a: i32,
    b: i32,
}

#[test]
fn a_type_within_a_kind_checks_its_rules_on_json() {
    assert!(Range::validate_cel(&serde_json::json!({ "a": 1, "b": 2 }), None).is_ok());
    let error = Range::validate_cel(&serde_json::json!({ "a": 2, "b": 1 }), None).unwrap_err().to_string();
    assert!(error.contains("a is not below b"), "{error}");
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Broken", validation = "self.spec.size <")]
struct BrokenSpec {
    size: i32,
}

#[test]
fn a_rule_that_does_not_parse_is_reported_by_try_crd() {
    assert!(Gadget::try_crd().is_ok());
    let error = Broken::try_crd().unwrap_err();
    assert_eq!(error.problems.len(), 1, "{error}");
    assert!(error.to_string().contains("the rule `self.spec.size <` of the object does not parse"), "{error}");
    // The definition can still be written, for a server to refuse.
    assert_eq!(Broken::crd().spec.names.kind, "Broken");
}

#[test]
fn the_cel_evaluator_is_at_kubes_paths() {
    let schema = serde_json::json!({ "type": "object", "x-kubernetes-validations": [{ "rule": "true" }] });
    let compiled = pintle::core::cel::compile_schema(&schema);
    assert!(pintle::core::cel::Validator::new().validate_compiled(&compiled, &serde_json::json!({}), None).is_ok());
}
