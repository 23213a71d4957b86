//! What admission policies are given: bindings, parameters, the request and who made it; and what becomes of the policies
//! themselves.
//!
//! Parameters are of a kind that no other behaviour has them of: real Kubernetes now and then stops to see those of a kind when
//! another policy about the same kind is deleted.

use serde_json::{Value, json};

use super::admission_policies::{MUTATING, VALIDATING, configure, denied, map, policy, tried};
use crate::answer::Answer;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, Place, version};

behaviours! {
    "1.22": a_policy_that_is_not_bound_does_nothing,
        a_binding_narrows_where_a_policy_counts,
        a_policy_is_evaluated_for_each_of_its_parameters,
        a_parameter_can_be_a_custom_resource,
        a_missing_parameter_is_allowed_where_the_binding_says_so,
        a_policy_asks_the_authorizer,
        a_policy_sees_the_request_and_the_namespace,
        a_policy_sees_what_was_there_before,
        an_audit_annotation_that_fails_denies,
        a_binding_does_not_both_deny_and_warn,
        a_policy_that_costs_too_much_denies,
        types_of_a_policy_are_checked_after_it_is_stored,
        a_mutation_reads_its_parameter,
        a_mutation_composes_variables,
        mutations_follow_each_other,
        a_policy_that_is_asked_again_sees_what_others_changed;
}

async fn a_policy_that_is_not_bound_does_nothing(p: &Place) {
    let spec = json!({"validations": [{"expression": "false"}]});
    p.post(VALIDATING, policy("ValidatingAdmissionPolicy", spec)).await.value(201);
    p.remove_later(&format!("{VALIDATING}/{{ns}}"));
    p.post(CONFIG_MAPS, map()).await.value(201);
}

async fn a_binding_narrows_where_a_policy_counts(p: &Place) {
    let spec = json!({"validations": [{"expression": "false", "message": "no"}]});
    let bound = json!({"matchResources": {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{ns}"}},
        "objectSelector": {"matchLabels": {"strict": "yes"}},
    }});
    configure(p, VALIDATING, spec, bound).await;
    let mut strict = map();
    strict["metadata"]["labels"] = json!({"strict": "yes"});
    let path = format!("{CONFIG_MAPS}?dryRun=All");
    let refused = p.post_until("the policy is in force", &path, &strict, |answer| answer.code != 201).await;
    refused.refused(422, "Invalid", &denied("no"));
    p.post(CONFIG_MAPS, map()).await.value(201);
}

/// The spec of a policy with parameters, which does not count for those.
fn with_params(kind: Value, validation: Value) -> Value {
    json!({"paramKind": kind, "validations": [validation],
        "matchConditions": [{"name": "named", "expression": "object.metadata.name == 'a'"}]})
}

async fn a_policy_is_evaluated_for_each_of_its_parameters(p: &Place) {
    let validation = json!({"expression": "object.data.k == params.metadata.labels.k",
        "messageExpression": "'k is ' + params.metadata.labels.k"});
    let spec = with_params(json!({"apiVersion": "v1", "kind": "ServiceAccount"}), validation);
    let selector = json!({"matchLabels": {"limit": "yes"}});
    let bound = json!({"paramRef": {"selector": selector, "parameterNotFoundAction": "Allow"},
        "validationActions": ["Warn"]});
    configure(p, VALIDATING, spec, bound).await;
    for (name, value) in [("one", "1"), ("two", "2"), ("three", "3")] {
        let metadata = json!({"name": name, "labels": {"limit": "yes", "k": value}});
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata});
        p.create("/api/v1/namespaces/{ns}/serviceaccounts", account).await;
    }
    let warned = tried(p, |answer| answer.warnings().len() == 2).await;
    let mut said: Vec<String> =
        warned.warnings().iter().map(|warning| warning.rsplit(": ").next().unwrap_or_default().to_owned()).collect();
    said.sort();
    assert_eq!(said, ["k is 2", "k is 3"]);
}

async fn a_parameter_can_be_a_custom_resource(p: &Place) {
    p.define("Limit", json!([version("v1", json!({"most": {"type": "integer"}}))])).await;
    let limit = json!({"apiVersion": "{group}/v1", "kind": "Limit", "metadata": {"name": "l"}, "spec": {"most": 0}});
    p.create("/apis/{group}/v1/namespaces/{ns}/limits", limit).await;
    let validation = json!({"expression": "object.data.size() <= params.spec.most", "messageExpression": "'limit ' + params.metadata.name"});
    let spec = with_params(json!({"apiVersion": "{group}/v1", "kind": "Limit"}), validation);
    let bound = json!({"paramRef": {"name": "l", "parameterNotFoundAction": "Allow"}});
    configure(p, VALIDATING, spec, bound).await;
    // A server that has just learnt of a kind says so for a moment.
    let refused = tried(p, |answer| answer.code != 201 && !answer.text().contains("failed to")).await;
    refused.refused(422, "Invalid", &denied("limit l"));
}

async fn a_missing_parameter_is_allowed_where_the_binding_says_so(p: &Place) {
    let validation = json!({"expression": "false", "message": "no"});
    let spec = with_params(json!({"apiVersion": "v1", "kind": "ResourceQuota"}), validation);
    let bound = json!({"paramRef": {"name": "limit", "parameterNotFoundAction": "Allow"}});
    configure(p, VALIDATING, spec, bound).await;
    let quotas = "/api/v1/namespaces/{ns}/resourcequotas";
    p.create(quotas, json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "limit"}})).await;
    tried(p, |answer| answer.code != 201).await.refused(422, "Invalid", &denied("no"));
    p.delete(&format!("{quotas}/limit")).await.value(200);
    tried(p, |answer| answer.code == 201).await;
}

async fn a_policy_asks_the_authorizer(p: &Place) {
    let validations = json!([
        {"expression": "authorizer.group('').resource('configmaps').namespace(request.namespace).check('create').allowed()",
            "message": "the caller may"},
        {"expression": "authorizer.requestResource.check('create').allowed()", "message": "the caller may this"},
        {"expression": "authorizer.path('/healthz').check('get').allowed()", "message": "the caller may look"},
        {"expression": "authorizer.serviceAccount(request.namespace, 'nobody').group('').resource('secrets')\
            .namespace(request.namespace).check('delete').allowed()", "message": "an account may not"},
    ]);
    configure(p, VALIDATING, json!({"validations": validations}), json!({"validationActions": ["Warn"]})).await;
    let warned = tried(p, |answer| !answer.warnings().is_empty()).await;
    let warning = "Validation failed for ValidatingAdmissionPolicy '{ns}' with binding '{ns}': an account may not";
    assert_eq!(warned.warnings(), [p.named(warning)]);
}

async fn a_policy_sees_the_request_and_the_namespace(p: &Place) {
    let expression = "[request.operation, request.kind.kind, request.resource.resource, request.name, request.namespace, \
        string(request.dryRun), namespaceObject.metadata.name, string(oldObject == null)].join(' ')";
    let validation = json!({"expression": "false", "messageExpression": expression});
    configure(p, VALIDATING, json!({"validations": [validation]}), json!({})).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    refused.refused(422, "Invalid", &denied("CREATE ConfigMap configmaps a {ns} true {ns} true"));
}

async fn a_policy_sees_what_was_there_before(p: &Place) {
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE", "DELETE"],
        "resources": ["configmaps"]});
    let expression = "request.operation == 'DELETE' ? object == null && oldObject.data.k == '1' : \
        int(object.data.k) > int(oldObject.data.k)";
    let spec = json!({"matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": expression, "message": "k grows"}]});
    configure(p, VALIDATING, spec, json!({})).await;
    p.post(CONFIG_MAPS, map()).await.value(201);
    let path = format!("{CONFIG_MAPS}/a");
    let (tried, patch) = (format!("{path}?dryRun=All"), json!({"data": {"k": "0"}}));
    let refused = p.merge_until("the policy is in force", &tried, &patch, |answer| answer.code != 200).await;
    refused.refused(422, "Invalid", &denied("k grows"));
    p.merge(&tried, json!({"data": {"k": "2"}})).await.value(200);
    p.delete(&path).await.value(200);
}

async fn an_audit_annotation_that_fails_denies(p: &Place) {
    let spec = json!({"auditAnnotations": [{"key": "seen", "valueExpression": "'k' + object.data.none"}]});
    configure(p, VALIDATING, spec, json!({})).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    refused.refused_with(422, "Invalid", "no such key: none");
}

async fn a_binding_does_not_both_deny_and_warn(p: &Place) {
    let body = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "{ns}"}, "spec": {"policyName": "{ns}", "validationActions": ["Deny", "Warn"]}});
    let refused = p.post(&VALIDATING.replace("policies", "policybindings"), body).await;
    let why = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
               response and headers serves no purpose)";
    refused.refused_with(422, "Invalid", why);
}

async fn a_policy_that_costs_too_much_denies(p: &Place) {
    let ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    let looped = ["a", "b", "c", "d", "e", "f"].iter().map(|name| format!("{ten}.all({name}, ")).collect::<String>();
    let expression = format!("{looped}a + b + c + d + e + f >= 0))))))");
    configure(p, VALIDATING, json!({"validations": [{"expression": expression}]}), json!({})).await;
    let refused = tried(p, |answer| answer.code != 201).await;
    refused.refused_with(422, "Invalid", "operation cancelled: actual cost limit exceeded");
}

async fn types_of_a_policy_are_checked_after_it_is_stored(p: &Place) {
    let rule = |group: &str, resource: &str| json!({"apiGroups": [group], "apiVersions": ["v1"], "operations": ["*"], "resources": [resource]});
    let spec = json!({
        "matchConstraints": {"resourceRules": [rule("apps", "deployments"), rule("", "configmaps"), rule("*", "*")]},
        "variables": [{"name": "count", "expression": "object.spec.replicas"}],
        "validations": [
            {"expression": "object.spec.replicas > '1'"},
            {"expression": "has(object.metadata.name)", "messageExpression": "'x' + object.metadata.generation"},
            {"expression": "variables.count == 'x'"},
        ],
    });
    p.post(VALIDATING, policy("ValidatingAdmissionPolicy", spec)).await.value(201);
    let path = format!("{VALIDATING}/{{ns}}");
    p.remove_later(&path);
    let is_checked = |answer: &Answer| answer.json()["status"]["observedGeneration"] == 1;
    let checked = p.eventually("its types are checked", &path, is_checked).await.json();
    let unfit = |kind: &str, column: usize, operator: &str, text: &str| {
        let dots = ".".repeat(column - 1);
        let why = format!("found no matching overload for '{operator}'");
        format!("{kind}: ERROR: <input>:1:{column}: {why}\n | {text}\n | {dots}^\n")
    };
    let (map, deployment) = ("/v1, Kind=ConfigMap", "apps/v1, Kind=Deployment");
    let undefined =
        "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'\n | object.spec.replicas > '1'\n | ......^\n";
    let greater = unfit(deployment, 22, "_>_' applied to '(int, string)", "object.spec.replicas > '1'");
    let sum = |kind: &str| unfit(kind, 5, "_+_' applied to '(string, int)", "'x' + object.metadata.generation");
    let equal = unfit(deployment, 17, "_==_' applied to '(int, string)", "variables.count == 'x'");
    let warnings = json!([
        {"fieldRef": "spec.validations[0].expression", "warning": format!("{undefined}\n{greater}")},
        {"fieldRef": "spec.validations[1].messageExpression", "warning": format!("{}\n{}", sum(map), sum(deployment))},
        {"fieldRef": "spec.validations[2].expression", "warning": equal},
    ]);
    assert_eq!(checked["status"]["typeChecking"]["expressionWarnings"], warnings);
}

/// A mutation that adds to `data`.
fn adding(name: &str, value: &str) -> Value {
    let expression = format!("[JSONPatch{{op: 'add', path: '/data/{name}', value: {value}}}]");
    json!({"patchType": "JSONPatch", "jsonPatch": {"expression": expression}})
}

/// Whether a map has what a policy adds to it.
fn has(name: &'static str) -> impl Fn(&Answer) -> bool {
    move |answer| answer.code == 201 && answer.json()["data"][name].is_string()
}

async fn a_mutation_reads_its_parameter(p: &Place) {
    let spec = json!({"paramKind": {"apiVersion": "v1", "kind": "LimitRange"}, "reinvocationPolicy": "Never",
        "mutations": [adding("limit", "params.metadata.labels.k")],
        "matchConditions": [{"name": "named", "expression": "object.metadata.name == 'a'"}]});
    let bound = json!({"paramRef": {"name": "limit", "parameterNotFoundAction": "Allow"}});
    configure(p, MUTATING, spec, bound).await;
    let metadata = json!({"name": "limit", "labels": {"k": "2"}});
    let range = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": {"limits": []}});
    p.create("/api/v1/namespaces/{ns}/limitranges", range).await;
    assert_eq!(tried(p, has("limit")).await.json()["data"], json!({"k": "1", "limit": "2"}));
}

async fn a_mutation_composes_variables(p: &Place) {
    let spec = json!({"reinvocationPolicy": "Never", "mutations": [adding("twice", "variables.twice")],
        "variables": [{"name": "twice", "expression": "object.data.k + object.data.k"}]});
    configure(p, MUTATING, spec, json!({})).await;
    assert_eq!(tried(p, has("twice")).await.json()["data"]["twice"], "11");
}

async fn mutations_follow_each_other(p: &Place) {
    let spec = json!({"reinvocationPolicy": "Never",
        "mutations": [adding("x", "object.data.k + 'x'"), adding("y", "object.data.x + 'y'")]});
    configure(p, MUTATING, spec, json!({})).await;
    assert_eq!(tried(p, has("y")).await.json()["data"], json!({"k": "1", "x": "1x", "y": "1xy"}));
}

/// In whichever order a server asks them, which is not said.
async fn a_policy_that_is_asked_again_sees_what_others_changed(p: &Place) {
    let spec = json!({"reinvocationPolicy": "IfNeeded",
        "mutations": [adding("seen", "string('late' in object.data)")]});
    configure(p, MUTATING, spec, json!({})).await;
    tried(p, has("seen")).await;
    let late = json!({"reinvocationPolicy": "Never", "mutations": [adding("late", "'yes'")]});
    let mut second = policy("MutatingAdmissionPolicy", late);
    second["metadata"]["name"] = "{ns}-z".into();
    p.post(MUTATING, second).await.value(201);
    p.remove_later(&format!("{MUTATING}/{{ns}}-z"));
    let bindings = MUTATING.replace("policies", "policybindings");
    let binding = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": "{ns}-z"}, "spec": {"policyName": "{ns}-z",
            "matchResources": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{ns}"}}}}});
    p.post(&bindings, binding).await.value(201);
    p.remove_later(&format!("{bindings}/{{ns}}-z"));
    let data = tried(p, has("late")).await.json()["data"].clone();
    assert_eq!(data, json!({"k": "1", "seen": "true", "late": "yes"}));
}
