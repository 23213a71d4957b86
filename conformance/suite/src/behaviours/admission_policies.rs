//! Admission policies: what they refuse, warn of and change, and what they may say.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, Place, config_map};

behaviours! {
    "1.22": a_policy_denies_in_its_own_words,
        a_denial_has_the_code_of_its_reason,
        a_policy_warns,
        a_policy_reads_its_parameter,
        a_policy_whose_parameter_is_missing_denies,
        a_policy_composes_variables,
        a_policy_counts_where_its_conditions_hold,
        an_expression_that_fails_denies_unless_it_is_ignored,
        a_policy_patches_what_is_stored,
        a_policy_applies_fields_to_what_is_stored,
        a_mutation_that_does_not_fit_denies,
        an_expression_of_a_policy_is_compiled_when_it_is_stored;
}

pub(super) const VALIDATING: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
pub(super) const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";

/// A spec with more fields.
fn with(mut spec: Value, more: Value) -> Value {
    if let Value::Object(fields) = more {
        fields.into_iter().for_each(|(field, value)| spec[field] = value);
    }
    spec
}

/// A policy about the config maps of the place, with more in its spec.
pub(super) fn policy(kind: &str, more: Value) -> Value {
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]});
    let spec = with(json!({"matchConstraints": {"resourceRules": [rule]}}), more);
    json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "{ns}"}, "spec": spec})
}

/// Puts a policy in force for the config maps of the place.
pub(super) async fn configure(p: &Place, path: &str, spec: Value, bound: Value) {
    let kind = if path == MUTATING { "MutatingAdmissionPolicy" } else { "ValidatingAdmissionPolicy" };
    p.post(path, policy(kind, spec)).await.value(201);
    p.remove_later(&format!("{path}/{{ns}}"));
    let mut binding = json!({"policyName": "{ns}",
        "matchResources": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{ns}"}}}});
    if path == VALIDATING {
        binding["validationActions"] = json!(["Deny"]);
    }
    let bindings = path.replace("policies", "policybindings");
    let body = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}Binding"),
        "metadata": {"name": "{ns}"}, "spec": with(binding, bound)});
    p.post(&bindings, body).await.value(201);
    p.remove_later(&format!("{bindings}/{{ns}}"));
}

async fn validating(p: &Place, validation: Value) {
    configure(p, VALIDATING, json!({"validations": [validation]}), json!({})).await;
}

async fn mutating(p: &Place, mutation: Value) {
    let spec = json!({"mutations": [mutation], "reinvocationPolicy": "Never"});
    configure(p, MUTATING, spec, json!({})).await;
}

/// Creates a map without storing it until that is answered so: a server takes a moment to know its policies.
pub(super) async fn tried(p: &Place, is_answered: impl Fn(&Answer) -> bool) -> Answer {
    p.post_until("the policy is in force", &format!("{CONFIG_MAPS}?dryRun=All"), &map(), is_answered).await
}

pub(super) fn map() -> Value {
    config_map("a", json!({"k": "1"}))
}

/// What a refusal says.
pub(super) fn denied(why: &str) -> String {
    format!(
        "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy '{{ns}}' with binding '{{ns}}' denied request: {why}"
    )
}

async fn a_policy_denies_in_its_own_words(p: &Place) {
    validating(p, json!({"expression": "false", "messageExpression": "'not ' + object.data.k"})).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    refused.refused(422, "Invalid", &denied("not 1"));
}

async fn a_denial_has_the_code_of_its_reason(p: &Place) {
    validating(p, json!({"expression": "object.data.k != '1'", "reason": "RequestEntityTooLarge"})).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    refused.refused(413, "RequestEntityTooLarge", &denied("failed expression: object.data.k != '1'"));
}

async fn a_policy_warns(p: &Place) {
    let spec = json!({"validations": [{"expression": "false", "message": "mind this"}]});
    configure(p, VALIDATING, spec, json!({"validationActions": ["Warn", "Audit"]})).await;
    let warned = tried(p, |answer| !answer.warnings().is_empty()).await;
    let warning = "Validation failed for ValidatingAdmissionPolicy '{ns}' with binding '{ns}': mind this";
    assert_eq!(warned.warnings(), [p.named(warning)]);
}

async fn a_policy_reads_its_parameter(p: &Place) {
    let spec = json!({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "object.data.k == params.data.k", "messageExpression": "'k is ' + params.data.k"}],
        "matchConditions": [{"name": "other", "expression": "object.metadata.name != params.metadata.name"}]});
    let bound = json!({"paramRef": {"name": "limit", "parameterNotFoundAction": "Allow"}});
    configure(p, VALIDATING, spec, bound).await;
    p.post(CONFIG_MAPS, config_map("limit", json!({"k": "2"}))).await.value(201);
    let refused = tried(p, |answer| answer.code != 201).await;
    refused.refused(422, "Invalid", &denied("k is 2"));
}

async fn a_policy_whose_parameter_is_missing_denies(p: &Place) {
    let spec = json!({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "true"}]});
    let bound = json!({"paramRef": {"selector": {"matchLabels": {"no": "such"}}, "parameterNotFoundAction": "Deny"}});
    configure(p, VALIDATING, spec, bound).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    let why = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    refused.refused(422, "Invalid", &denied(why));
}

async fn a_policy_composes_variables(p: &Place) {
    let spec = json!({
        "variables": [{"name": "data", "expression": "object.data"}, {"name": "size", "expression": "variables.data.size()"}],
        "validations": [{"expression": "variables.size > 1", "messageExpression": "'only ' + string(variables.size)"}]});
    configure(p, VALIDATING, spec, json!({})).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    refused.refused(422, "Invalid", &denied("only 1"));
}

async fn a_policy_counts_where_its_conditions_hold(p: &Place) {
    let spec = json!({"validations": [{"expression": "false", "message": "no"}],
        "matchConditions": [{"name": "named", "expression": "object.metadata.name == 'a'"}]});
    configure(p, VALIDATING, spec, json!({})).await;
    tried(p, |answer| answer.code != 201).await.refused(422, "Invalid", &denied("no"));
    p.post(CONFIG_MAPS, config_map("b", json!({}))).await.value(201);
}

async fn an_expression_that_fails_denies_unless_it_is_ignored(p: &Place) {
    validating(p, json!({"expression": "object.data.none == ''"})).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    let why = "expression 'object.data.none == ''' resulted in error: no such key: none";
    refused.refused(422, "Invalid", &denied(why));
    p.merge(&format!("{VALIDATING}/{{ns}}"), json!({"spec": {"failurePolicy": "Ignore"}})).await.value(200);
    tried(p, |answer| answer.code == 201).await;
}

async fn a_policy_patches_what_is_stored(p: &Place) {
    let expression = "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('x'), value: object.data.k + '2'}]";
    mutating(p, json!({"patchType": "JSONPatch", "jsonPatch": {"expression": expression}})).await;
    let changed = |answer: &Answer| answer.code == 201 && answer.json()["data"]["x"].is_string();
    assert_eq!(tried(p, changed).await.json()["data"], json!({"k": "1", "x": "12"}));
}

async fn a_policy_applies_fields_to_what_is_stored(p: &Place) {
    let expression = "Object{metadata: Object.metadata{labels: {'in': request.namespace}}}";
    mutating(p, json!({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}})).await;
    let changed = |answer: &Answer| answer.code == 201 && answer.json()["metadata"]["labels"].is_object();
    let labels = tried(p, changed).await.json()["metadata"]["labels"].clone();
    assert_eq!(labels, json!({"in": p.namespace()}));
}

async fn a_mutation_that_does_not_fit_denies(p: &Place) {
    let expression = "Object{spec: Object.spec{a: 1}}";
    mutating(p, json!({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}})).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    let why = "policy '{ns}' with binding '{ns}' denied request: error applying patch: failed to convert patch object to \
               typed object: .spec: field not declared in schema";
    refused.refused(403, "Invalid", why);
}

async fn an_expression_of_a_policy_is_compiled_when_it_is_stored(p: &Place) {
    let refused =
        p.post(VALIDATING, policy("ValidatingAdmissionPolicy", json!({"validations": [{"expression": "1"}]}))).await;
    let why = "spec.validations[0].expression: Invalid value: \"1\": must evaluate to bool but got int";
    refused.refused_with(422, "Invalid", why);
}
