//! Admission policies: what is refused, warned of and noted, with which parameters, and what a policy may say. The words are
//! those of kube-apiserver 1.37 (`conformance/scripts/admission`).

use pintle_apiserver::{AdmissionPlugin, Server};
use serde_json::{Value, json};

use crate::apiserver::world::{MAPS, World};

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";
const MUTATING_BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings";

/// A spec with more fields.
fn with(mut spec: Value, more: Value) -> Value {
    if let Value::Object(fields) = more {
        fields.into_iter().for_each(|(field, value)| spec[field] = value);
    }
    spec
}

/// A policy about configmaps, with more in its spec.
fn policy(name: &str, more: Value) -> Value {
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]});
    json!({"metadata": {"name": name}, "spec": with(json!({"matchConstraints": {"resourceRules": [rule]}}), more)})
}

fn binding(name: &str, policy: &str, more: Value) -> Value {
    let spec = json!({"policyName": policy, "validationActions": ["Deny"]});
    json!({"metadata": {"name": name}, "spec": with(spec, more)})
}

fn map(name: &str, data: Value) -> Value {
    with(json!({"metadata": {"name": name}}), Value::from_iter([("data", data)]))
}

/// A world with one policy in force.
async fn world_with(more: Value, bound: Value) -> World {
    let world = World::new();
    world.post(POLICIES, policy("p", more)).await.expect(201);
    world.post(BINDINGS, binding("b", "p", bound)).await.expect(201);
    world
}

#[tokio::test(start_paused = true)]
async fn a_policy_refuses_what_its_validations_do_not_hold_for_once_it_is_bound() {
    let world = World::new();
    let expression = "!('bad' in object.data)";
    world.post(POLICIES, policy("p", json!({"validations": [{"expression": expression}]}))).await.expect(201);
    world.post(MAPS, map("before", json!({"bad": "x"}))).await.expect(201);
    world.post(BINDINGS, binding("b", "p", json!({}))).await.expect(201);
    let refused = world.post(MAPS, map("a", json!({"bad": "x"}))).await;
    let why =
        "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: !('bad' in object.data)";
    let status = refused.expect(422);
    assert_eq!(status["message"], format!("configmaps \"a\" is forbidden: {why}"));
    assert_eq!(status["reason"], "Invalid");
    assert_eq!(status["details"]["causes"], json!([{"message": why}]));
    world.post(MAPS, map("a", json!({"good": "x"}))).await.expect(201);
    world.merge(&format!("{MAPS}/a"), json!({"data": {"bad": "x"}})).await.expect(422);
    world.delete(&format!("{BINDINGS}/b")).await.expect(200);
    world.merge(&format!("{MAPS}/a"), json!({"data": {"bad": "x"}})).await.expect(200);
}

#[tokio::test(start_paused = true)]
async fn messages_and_reasons_are_the_validations_own() {
    let validations = json!([
        {"expression": "!('a' in object.data)", "message": " no a ", "reason": "Forbidden"},
        {"expression": "!('b' in object.data)", "message": "no b", "messageExpression": "'not ' + object.data.b"},
        {"expression": "!('c' in object.data)", "message": "no c", "messageExpression": "string(object.data.zz)", "reason": "Invalid"},
        {"expression": "!('d' in object.data)", "messageExpression": "'two\\nlines'", "reason": "RequestEntityTooLarge"},
        {"expression": "object.data.size() < 9 && object.data.e == 'e'"},
    ]);
    let world = world_with(json!({"validations": validations}), json!({})).await;
    for (key, code, said) in [
        ("a", 403, "no a"),
        ("b", 422, "not x"),
        ("c", 422, "no c"),
        ("d", 413, "failed expression: !('d' in object.data)"),
        ("f", 422, "expression 'object.data.size() < 9 && object.data.e == 'e'' resulted in error: no such key: e"),
    ] {
        let refused = world.post(MAPS, map("m", json!({key: "x"}))).await;
        assert_eq!(refused.code, code, "{}", refused.text);
        assert!(refused.message().ends_with(&format!("denied request: {said}")), "{key}: {}", refused.message());
    }
}

#[tokio::test(start_paused = true)]
async fn variables_are_shared_and_fail_whoever_asks_for_them() {
    let spec = json!({
        "variables": [
            {"name": "data", "expression": "object.?data.orValue({})"},
            {"name": "keys", "expression": "variables.data.map(key, key)"},
            {"name": "missing", "expression": "object.spec.zz"},
        ],
        "matchConditions": [{"name": "named", "expression": "object.metadata.name != 'exempt'"}],
        "validations": [
            {"expression": "variables.keys.all(key, key.startsWith('k'))",
             "messageExpression": "'odd keys: ' + variables.keys.join(', ')"},
            {"expression": "!('km' in variables.data) || variables.missing == 1"},
        ],
    });
    let world = world_with(spec, json!({})).await;
    world.post(MAPS, map("a", json!({"k1": "x"}))).await.expect(201);
    let refused = world.post(MAPS, map("b", json!({"j": "x"}))).await;
    assert!(refused.message().ends_with("denied request: odd keys: j"), "{}", refused.message());
    world.post(MAPS, map("exempt", json!({"j": "x"}))).await.expect(201);
    let refused = world.post(MAPS, map("b", json!({"km": "x"}))).await;
    let why = "resulted in error: composited variable \"missing\" fails to evaluate: no such key: spec";
    assert!(refused.message().ends_with(why), "{}", refused.message());
    world.merge(&format!("{POLICIES}/p"), json!({"spec": {"failurePolicy": "Ignore"}})).await.expect(200);
    world.post(MAPS, map("b", json!({"km": "x"}))).await.expect(201);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_denied_is_warned_of_and_noted_for_the_trace() {
    let spec = json!({
        "validations": [{"expression": "false", "message": "a < b"}],
        "auditAnnotations": [{"key": "who", "valueExpression": "request.userInfo.username"},
                             {"key": "nothing", "valueExpression": "null"}],
    });
    let world = world_with(spec, json!({"validationActions": ["Warn", "Audit"]})).await;
    let made = world.post(MAPS, map("a", json!({}))).await;
    let warning = "299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': a < b\"";
    assert_eq!((made.code, made.header("warning")), (201, warning));
    let trace = world.server.trace();
    let noted = trace.iter().find(|line| !line.audit_annotations.is_empty()).expect("the request has annotations");
    let failure = "[{\"message\":\"a \\u003c b\",\"policy\":\"p\",\"binding\":\"b\",\"expressionIndex\":0,\
                   \"validationActions\":[\"Warn\",\"Audit\"]}]";
    let expected = [
        ("p/who".to_owned(), "kubernetes-admin".to_owned()),
        ("validation.policy.admission.k8s.io/validation_failure".to_owned(), failure.to_owned()),
    ];
    assert_eq!(noted.audit_annotations, expected);
}

#[tokio::test(start_paused = true)]
async fn parameters_are_found_by_name_or_labels_and_may_be_missing() {
    let spec = json!({
        "paramKind": {"apiVersion": "v1", "kind": "Secret"},
        "validations": [{"expression": "params == null || object.data.size() <= int(params.type)",
                         "messageExpression": "'at most ' + params.type"}],
    });
    let named = json!({"paramRef": {"name": "limit", "parameterNotFoundAction": "Deny"}});
    let world = world_with(spec, named).await;
    let full = || map("m", json!({"a": "1", "b": "2"}));
    let missing = world.post(MAPS, full()).await;
    let why = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    assert!(missing.message().ends_with(why), "{}", missing.message());
    let secrets = "/api/v1/namespaces/default/secrets";
    let limit = |name: &str, most: &str| json!({"metadata": {"name": name, "labels": {"limit": "yes"}}, "type": most});
    world.post(secrets, limit("limit", "1")).await.expect(201);
    let refused = world.post(MAPS, full()).await;
    assert!(refused.message().ends_with("denied request: at most 1"), "{}", refused.message());
    // One parameter that is violated is enough.
    world.post(secrets, limit("more", "5")).await.expect(201);
    let chosen = json!({"name": null, "selector": {"matchLabels": {"limit": "yes"}}});
    world.merge(&format!("{BINDINGS}/b"), json!({"spec": {"paramRef": chosen}})).await.expect(200);
    world.post(MAPS, full()).await.expect(422);
    world.delete(&format!("{secrets}/limit")).await.expect(200);
    world.post(&format!("{MAPS}?dryRun=All"), full()).await.expect(201);
    world.delete(&format!("{secrets}/more")).await.expect(200);
    world.post(MAPS, full()).await.expect(422);
    let allowed = json!({"spec": {"paramRef": {"parameterNotFoundAction": "Allow"}}});
    world.merge(&format!("{BINDINGS}/b"), allowed).await.expect(200);
    world.post(MAPS, full()).await.expect(201);
}

#[tokio::test(start_paused = true)]
async fn a_kind_of_parameters_that_is_not_served_fails_the_policy() {
    let spec = json!({"paramKind": {"apiVersion": "example.com/v1", "kind": "Limit"},
        "validations": [{"expression": "params == null"}]});
    let world = world_with(spec, json!({})).await;
    let refused = world.post(MAPS, map("m", json!({}))).await;
    let why = "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced \
               by paramKind: 'example.com/v1, Kind=Limit'";
    assert_eq!(refused.message(), format!("configmaps \"m\" is forbidden: {why}"));
}

#[tokio::test(start_paused = true)]
async fn constraints_choose_by_names_labels_namespaces_and_exceptions() {
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]});
    let (mut named, mut excluded) = (rule.clone(), rule.clone());
    named["resourceNames"] = json!(["a", "b", "c"]);
    excluded["resourceNames"] = json!(["c"]);
    let spec = json!({"validations": [{"expression": "false"}],
        "matchConstraints": {"resourceRules": [named], "excludeResourceRules": [excluded],
            "objectSelector": {"matchExpressions": [{"key": "free", "operator": "DoesNotExist"}]}}});
    let elsewhere = json!({"matchResources": {"namespaceSelector": {"matchLabels": {"guarded": "yes"}}}});
    let world = world_with(spec, elsewhere).await;
    let labelled = json!({"metadata": {"name": "guarded", "labels": {"guarded": "yes"}}});
    world.post("/api/v1/namespaces", labelled).await.expect(201);
    let guarded = "/api/v1/namespaces/guarded/configmaps";
    world.post(guarded, map("a", json!({}))).await.expect(422);
    world.post(MAPS, map("a", json!({}))).await.expect(201);
    world.post(guarded, map("c", json!({}))).await.expect(201);
    world.post(guarded, map("d", json!({}))).await.expect(201);
    world.post(guarded, json!({"metadata": {"name": "b", "labels": {"free": "yes"}}})).await.expect(201);
}

#[tokio::test(start_paused = true)]
async fn expressions_see_the_namespace_the_old_object_and_who_may_do_what() {
    let spec = json!({"validations": [
        {"expression": "namespaceObject.metadata.name == 'default' && namespaceObject.status.phase == 'Active'"},
        {"expression": "oldObject == null || request.operation == 'DELETE' || object.data.a == oldObject.data.a"},
        {"expression": "request.operation != 'DELETE' || object == null"},
        {"expression": "authorizer.group('').resource('pods').check('create').allowed()"},
    ]});
    let world = world_with(spec, json!({})).await;
    world.post(MAPS, map("a", json!({"a": "1"}))).await.expect(201);
    world.merge(&format!("{MAPS}/a"), json!({"data": {"a": "2"}})).await.expect(422);
    world.merge(&format!("{MAPS}/a"), json!({"data": {"b": "2"}})).await.expect(200);
    world.delete(&format!("{MAPS}/a")).await.expect(200);
}

#[tokio::test(start_paused = true)]
async fn policies_can_be_switched_off_and_do_not_judge_themselves() {
    let rule = json!({"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]});
    let spec = json!({"validations": [{"expression": "false"}], "matchConstraints": {"resourceRules": [rule]}});
    let off = Server::builder().disable_admission_plugins([AdmissionPlugin::ValidatingAdmissionPolicy]).build();
    for (world, code) in [(World::new(), 422), (World { server: off }, 201)] {
        world.post(POLICIES, policy("p", spec.clone())).await.expect(201);
        world.post(BINDINGS, binding("b", "p", json!({}))).await.expect(201);
        assert_eq!(world.post(MAPS, map("a", json!({}))).await.code, code);
        world.post(BINDINGS, binding("c", "p", json!({}))).await.expect(201);
        world.delete(&format!("{POLICIES}/p")).await.expect(200);
    }
}

/// A world with mutating policies in force, named in their order.
async fn world_that_mutates(policies: &[Value]) -> World {
    let world = World::new();
    for (name, more) in ["a", "b", "c"].into_iter().zip(policies) {
        let mut policy = policy(name, more.clone());
        policy["spec"]["matchConstraints"]["resourceRules"][0]["operations"] = json!(["CREATE", "UPDATE"]);
        if policy["spec"].get("reinvocationPolicy").is_none() {
            policy["spec"]["reinvocationPolicy"] = json!("Never");
        }
        world.post(MUTATING, policy).await.expect(201);
        let binding = json!({"metadata": {"name": name}, "spec": {"policyName": name}});
        world.post(MUTATING_BINDINGS, binding).await.expect(201);
    }
    world
}

fn json_patch(expression: &str) -> Value {
    json!({"patchType": "JSONPatch", "jsonPatch": {"expression": expression}})
}

fn apply(expression: &str) -> Value {
    json!({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}})
}

#[tokio::test(start_paused = true)]
async fn a_policy_patches_and_applies_one_mutation_after_the_other() {
    let world = world_that_mutates(&[json!({
        "variables": [{"name": "mark", "expression": "'by-' + request.operation.lowerAscii()"}],
        "mutations": [
            json_patch("[JSONPatch{op: 'add', path: '/data', value: {'a': variables.mark}}]"),
            json_patch("[JSONPatch{op: 'test', path: '/data/a', value: 'other'}, JSONPatch{op: 'remove', path: '/data/a'}]"),
            json_patch("has(object.data.a) ? [JSONPatch{op: 'copy', from: '/data/a', path: '/data/' + jsonpatch.escapeKey('x.y')}] : []"),
            apply("Object{metadata: Object.metadata{labels: {'size': string(object.data.size())}, ?annotations: optional.none()}}"),
        ],
    })])
    .await;
    let made = world.post(MAPS, json!({"metadata": {"name": "m", "labels": {"own": "1"}}})).await.expect(201);
    assert_eq!(made["data"], json!({"a": "by-create", "x.y": "by-create"}));
    assert_eq!(made["metadata"]["labels"], json!({"own": "1", "size": "2"}));
    let changed = world.merge(&format!("{MAPS}/m"), json!({"data": {"b": "1"}})).await.expect(200);
    assert_eq!(changed["data"], json!({"a": "by-update", "x.y": "by-update"}));
    // The fields that a policy sets are nobody's.
    assert!(!made["metadata"]["managedFields"].to_string().contains("f:size"));
}

#[tokio::test(start_paused = true)]
async fn what_is_applied_merges_by_the_keys_of_lists_and_may_not_replace_what_is_whole() {
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]});
    let sidecar = "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'sidecar', image: 'proxy'}]}}";
    let whole = "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', command: ['x']}]}}";
    let misnamed = "Object{spec: Object.spec{containers: [Object.spec.wrong{name: 'sidecar'}]}}";
    let unknown = "Object{spec: Object.spec{zz: 1}}";
    for (expression, outcome) in [
        (sidecar, Ok(json!(["c", "sidecar"]))),
        (
            whole,
            Err("error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: \
                 .spec.containers[0].command"),
        ),
        (
            misnamed,
            Err(
                "type mismatch: unexpected type name \"Object.spec.wrong\", expected \"Object.spec.containers\", which \
                 matches field name path from root Object type",
            ),
        ),
        (
            unknown,
            Err(
                "error applying patch: failed to convert patch object to typed object: .spec.zz: field not declared in \
                 schema",
            ),
        ),
    ] {
        let spec = json!({"mutations": [apply(expression)], "matchConstraints": {"resourceRules": [rule]}});
        let world = world_that_mutates(&[spec]).await;
        let pods = "/api/v1/namespaces/default/pods";
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
        let made = world.post(pods, pod).await;
        match outcome {
            Ok(names) => {
                let made = made.expect(201);
                let containers = made["spec"]["containers"].as_array().unwrap();
                let found: Vec<&Value> = containers.iter().map(|container| &container["name"]).collect();
                assert_eq!(json!(found), names);
                // What is added is completed as what a client sends.
                assert_eq!(containers[1]["terminationMessagePath"], "/dev/termination-log");
            }
            Err(why) => {
                let why = format!("policy 'a' with binding 'a' denied request: {why}");
                let refused = made.expect(403);
                assert_eq!((&refused["message"], &refused["reason"]), (&json!(why), &json!("Invalid")));
                assert_eq!(refused["details"]["causes"], json!([{"message": why}]));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_is_asked_again_where_a_later_one_changed_the_object() {
    let count = |to: &str| {
        let expression = format!(
            "[JSONPatch{{op: 'add', path: '/data', value: object.?data.orValue({{}}).transformMap(k, v, v)}}, \
             JSONPatch{{op: 'add', path: '/data/{to}', value: object.?data[?'{to}'].orValue('') + 'x'}}]"
        );
        json!([json_patch(&expression)])
    };
    for (policy, first) in [("Never", "x"), ("IfNeeded", "xx")] {
        let asked = json!({"mutations": count("first"), "reinvocationPolicy": policy});
        let later = json!({"mutations": count("later"), "reinvocationPolicy": "Never"});
        let world = world_that_mutates(&[asked, later]).await;
        let made = world.post(MAPS, json!({"metadata": {"name": "m"}})).await.expect(201);
        assert_eq!(made["data"], json!({"first": first, "later": "x"}), "{policy}");
    }
}

#[tokio::test(start_paused = true)]
async fn expressions_of_mutations_are_checked_when_they_are_stored() {
    let world = World::new();
    let refused = |mutation: Value| {
        let mut policy = policy("p", json!({"mutations": [mutation], "reinvocationPolicy": "Never"}));
        policy["spec"]["matchConstraints"]["resourceRules"][0]["operations"] = json!(["CREATE"]);
        world.post(MUTATING, policy)
    };
    let cases = [
        (apply("1"), "must evaluate to Object but got int"),
        (json_patch("Object{}"), "must evaluate to list(JSONPatch) but got Object"),
        (json_patch("[JSONPatch{op: 1}]"), "expected type of field 'op' is 'string' but provided type is 'int'"),
        (apply("Other{}"), "undeclared reference to 'Other' (in container '')"),
    ];
    for (mutation, why) in cases {
        let reply = refused(mutation).await;
        assert_eq!(reply.code, 422, "{}", reply.text);
        assert!(reply.message().contains(why), "{}", reply.message());
    }
}
