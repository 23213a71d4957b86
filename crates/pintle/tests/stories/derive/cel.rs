//! CEL rules evaluated without a server.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::PostParams;
use pintle::core::cel::ErrorKind;
use pintle::testing::{Server, ServerExt};
use pintle::{Api, CustomResource, CustomResourceExt, KubeSchema};
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
#[kube(validation = "self.spec.sise < 3")]
#[kube(validation = "self.metadata.name != ''")]
struct BrokenSpec {
    size: i32,
}

#[test]
fn rules_that_do_not_parse_or_name_absent_fields_are_reported_by_try_crd() {
    assert!(Gadget::try_crd().is_ok());
    let error = Broken::try_crd().unwrap_err();
    assert_eq!(error.problems.len(), 2, "{error}");
    assert!(error.problems[0].contains("x-kubernetes-validations[0].rule: compilation failed: "), "{error}");
    assert!(error.problems[1].contains("undefined field 'sise'"), "{error}");
    // The definition can still be written, for a server to refuse.
    assert_eq!(Broken::crd().spec.names.kind, "Broken");
}

#[tokio::test]
async fn a_rule_says_the_same_here_and_on_the_server() {
    let server = Server::new();
    let client = server.client();
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    definitions.create(&PostParams::default(), &Gadget::crd()).await.unwrap();
    let gadgets: Api<Gadget> = Api::default_namespaced(client);
    let refusal = |error: pintle::Error| match error {
        pintle::Error::Api(status) => status.details.unwrap().causes,
        other => panic!("{other}"),
    };

    let here = gadget(500).validate_cel().unwrap_err();
    let there = refusal(gadgets.create(&PostParams::default(), &gadget(500)).await.unwrap_err());
    assert_eq!((here.len(), there.len()), (1, 1));
    assert!(there[0].message.ends_with(&here[0].message), "{there:?}");
    assert_eq!(there[0].reason, *here[0].reason.as_ref().unwrap());
    assert_eq!(here[0].rule, "self.spec.size < 100");
    assert_eq!(here[0].kind, ErrorKind::ValidationFailure);

    let stored = gadgets.create(&PostParams::default(), &gadget(5)).await.unwrap();
    let smaller = Gadget { spec: GadgetSpec { size: 3 }, ..stored.clone() };
    let here = smaller.validate_cel_update(&stored).unwrap_err();
    let there = refusal(gadgets.replace("a", &PostParams::default(), &smaller).await.unwrap_err());
    assert!(there[0].message.ends_with(&here[0].message), "{there:?}");
}

/// Sizes of two lists compared through a macro that only Kubernetes has, and a quantity.
#[derive(KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[x_kube(cel, validation = "self.names.all(i, name, name.startsWith(string(i)))")]
#[x_kube(validation = "quantity(self.memory).isLessThan(quantity('1Gi'))")]
struct Listed {
    names: Vec<String>,
    memory: String,
}

#[test]
fn functions_that_only_kubernetes_has_are_evaluated() {
    assert!(Listed::validate_cel(&serde_json::json!({ "names": ["0a", "1b"], "memory": "512Mi" }), None).is_ok());
    let error = Listed::validate_cel(&serde_json::json!({ "names": ["a"], "memory": "2Gi" }), None).unwrap_err();
    assert_eq!(error.len(), 2, "{error}");
}

#[test]
fn the_cel_evaluator_is_at_kubes_paths() {
    let schema = serde_json::json!({ "type": "object", "x-kubernetes-validations": [{ "rule": "true" }] });
    let compiled = pintle::core::cel::compile_schema(&schema);
    assert!(pintle::core::cel::Validator::new().validate_compiled(&compiled, &serde_json::json!({}), None).is_ok());
}
