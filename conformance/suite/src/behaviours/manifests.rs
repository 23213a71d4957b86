//! What becomes of manifests as people write them: two names for one field, values of other types, mistakes by the dozen.

use serde_json::{Value, json};

use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, DEPLOYMENTS, PODS, Place, definition, version};

behaviours! {
    "1.10": an_account_has_two_names_in_every_template,
        a_port_on_the_hosts_network_is_the_hosts_own,
        an_image_is_pulled_again_where_its_tag_may_move,
        a_daemon_set_counts_its_templates,
        an_endpoint_slice_counts_generations,
        a_node_port_is_given_once,
        ranges_and_addresses_of_services_are_objects,
        warnings_come_with_refusals_in_their_order,
        strategies_and_enumerations_are_checked_leniently,
        requests_are_not_above_limits,
        a_certificate_for_a_pod_has_limits;
    "1.15": an_applied_value_is_read_as_its_type,
        every_mistake_in_what_is_applied_is_listed,
        a_job_that_is_applied_again_is_unchanged;
    "1.18": defaults_of_the_status_are_set_on_create,
        nothing_is_lost_below_what_is_preserved,
        causes_of_alternatives_are_listed_as_one_expects,
        what_every_object_has_is_described;
    "1.1": a_timeout_that_is_not_one_is_refused;
}

const THINGS: &str = "/apis/{group}/v1/namespaces/{ns}/things";

/// A workload with this template.
fn workload(path: &str, name: &str, pod: Value) -> Value {
    let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": pod});
    let selector = json!({"matchLabels": {"app": "a"}});
    let spec = match path.rsplit('/').next().unwrap_or_default() {
        "podtemplates" => return json!({"metadata": {"name": name}, "template": template}),
        "jobs" => json!({"template": template}),
        "cronjobs" => json!({"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": template}}}),
        "replicationcontrollers" => json!({"selector": {"app": "a"}, "template": template}),
        _ => json!({"selector": selector, "template": template}),
    };
    json!({"metadata": {"name": name}, "spec": spec})
}

const WORKLOADS: [(&str, &str); 8] = [
    (DEPLOYMENTS, "/spec/template/spec"),
    ("/apis/apps/v1/namespaces/{ns}/daemonsets", "/spec/template/spec"),
    ("/apis/apps/v1/namespaces/{ns}/statefulsets", "/spec/template/spec"),
    ("/apis/apps/v1/namespaces/{ns}/replicasets", "/spec/template/spec"),
    ("/apis/batch/v1/namespaces/{ns}/jobs", "/spec/template/spec"),
    ("/apis/batch/v1/namespaces/{ns}/cronjobs", "/spec/jobTemplate/spec/template/spec"),
    ("/api/v1/namespaces/{ns}/replicationcontrollers", "/spec/template/spec"),
    ("/api/v1/namespaces/{ns}/podtemplates", "/template/spec"),
];

fn pod(mut fields: Value) -> Value {
    if fields.get("containers").is_none() {
        fields["containers"] = json!([{"name": "a", "image": "app:1"}]);
    }
    fields
}

/// Dry, so that no controller of a real cluster makes pods of it.
fn dry(path: &str) -> String {
    format!("{path}?dryRun=All")
}

async fn an_account_has_two_names_in_every_template(p: &Place) {
    for (path, place) in WORKLOADS {
        let restart = if path.contains("/batch/") { "Never" } else { "Always" };
        for (given, other) in [("serviceAccount", "serviceAccountName"), ("serviceAccountName", "serviceAccount")] {
            let spec = pod(json!({given: "robot", "restartPolicy": restart}));
            let made = p.create(&dry(path), workload(path, "a", spec)).await;
            let found = made.pointer(place).cloned().unwrap_or_default();
            assert_eq!((&found[given], &found[other]), (&json!("robot"), &json!("robot")), "{path}");
        }
        let spec = pod(json!({"serviceAccount": "one", "serviceAccountName": "other", "restartPolicy": restart}));
        let made = p.create(&dry(path), workload(path, "a", spec)).await;
        let found = made.pointer(place).cloned().unwrap_or_default();
        assert_eq!(found["serviceAccount"], "other", "{path}: the newer name counts");
    }
}

async fn a_port_on_the_hosts_network_is_the_hosts_own(p: &Place) {
    let spec = json!({"hostNetwork": true, "automountServiceAccountToken": false,
        "containers": [{"name": "a", "image": "app:1", "ports": [{"containerPort": 8080}]}]});
    let made = p.create(&dry(PODS), json!({"metadata": {"name": "a"}, "spec": spec.clone()})).await;
    assert_eq!(made["spec"]["containers"][0]["ports"][0]["hostPort"], 8080);
    let made = p.create(&dry(DEPLOYMENTS), workload(DEPLOYMENTS, "a", spec.clone())).await;
    let port = &made["spec"]["template"]["spec"]["containers"][0]["ports"][0];
    assert_eq!(port.get("hostPort"), None, "not in a template");
    let mut other = spec;
    other["containers"][0]["ports"][0]["hostPort"] = json!(80);
    let answer = p.post(PODS, json!({"metadata": {"name": "a"}, "spec": other})).await;
    let status = answer.refused_with(422, "Invalid", "must match `containerPort` when `hostNetwork` is true");
    assert_eq!(status["details"]["causes"][0]["field"], "spec.containers[0].ports[0].hostPort");
}

async fn an_image_is_pulled_again_where_its_tag_may_move(p: &Place) {
    let digest = format!("app@sha256:{}", "a".repeat(64));
    for (image, policy) in [
        ("app", "Always"),
        ("app:latest", "Always"),
        ("app:1.2", "IfNotPresent"),
        ("registry.example:5000/team/app", "Always"),
        ("registry.example:5000/team/app:1.2", "IfNotPresent"),
        (&digest, "IfNotPresent"),
    ] {
        for (path, place) in WORKLOADS {
            let restart = if path.contains("/batch/") { "Never" } else { "Always" };
            let spec = json!({"restartPolicy": restart, "containers": [{"name": "a", "image": image}]});
            let made = p.create(&dry(path), workload(path, "a", spec)).await;
            let found = made.pointer(&format!("{place}/containers/0/imagePullPolicy")).cloned();
            assert_eq!(found, Some(json!(policy)), "{image} in {path}");
        }
    }
}

async fn a_daemon_set_counts_its_templates(p: &Place) {
    let path = "/apis/apps/v1/namespaces/{ns}/daemonsets";
    // No node has this label, so that no pod comes of it.
    let spec = pod(json!({"nodeSelector": {"no": "such"}}));
    let made = p.create(path, workload(path, "a", spec)).await;
    let number = |set: &Value| set["metadata"]["annotations"]["deprecated.daemonset.template.generation"].clone();
    assert_eq!(number(&made), "1");
    let patch = json!({"spec": {"template": {"metadata": {"labels": {"more": "b"}}}}});
    assert_eq!(number(&p.merge(&format!("{path}/a"), patch).await.value(200)), "2");
    let patch = json!({"spec": {"minReadySeconds": 3}});
    assert_eq!(number(&p.merge(&format!("{path}/a"), patch).await.value(200)), "2");
}

async fn an_endpoint_slice_counts_generations(p: &Place) {
    let path = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
    let slice = json!({"metadata": {"name": "a"}, "addressType": "IPv4", "endpoints": []});
    assert_eq!(p.create(path, slice).await["metadata"]["generation"], 1);
    for (patch, generation) in [
        (json!({"endpoints": [{"addresses": ["1.2.3.4"]}]}), 2),
        (json!({"metadata": {"labels": {"a": "b"}}}), 3),
        (json!({"metadata": {"annotations": {"a": "b"}}}), 3),
    ] {
        let changed = p.merge(&format!("{path}/a"), patch).await.value(200);
        assert_eq!(changed["metadata"]["generation"], generation);
    }
}

async fn a_node_port_is_given_once(p: &Place) {
    let path = "/api/v1/namespaces/{ns}/services";
    let service =
        |name: &str, ports: Value| json!({"metadata": {"name": name}, "spec": {"type": "NodePort", "ports": ports}});
    let made = p.create(path, service("a", json!([{"port": 80}]))).await;
    let port = made["spec"]["ports"][0]["nodePort"].clone();
    let answer = p.post(path, service("b", json!([{"port": 80, "nodePort": port}]))).await;
    let status = answer.refused_with(422, "Invalid", "provided port is already allocated");
    assert_eq!(status["details"]["causes"][0]["field"], "spec.ports[0].nodePort");
    p.delete(&format!("{path}/a")).await.value(200);
    let both = json!([{"port": 80, "nodePort": port, "name": "a"}, {"port": 81, "nodePort": port, "name": "b"}]);
    p.post(path, service("c", both)).await.refused_with(422, "Invalid", "spec.ports[1].nodePort: Invalid value");
}

async fn ranges_and_addresses_of_services_are_objects(p: &Place) {
    let ranges = "/apis/networking.k8s.io/v1/servicecidrs";
    let range = |cidrs: Value| json!({"metadata": {"name": "{ns}"}, "spec": {"cidrs": cidrs}});
    let answer = p.post(ranges, range(json!(["10.99.0.1/16"]))).await;
    answer.refused_with(422, "Invalid", "must not have bits set beyond the prefix length");
    p.create(&dry(ranges), range(json!(["10.99.0.0/16"]))).await;
    let addresses = "/apis/networking.k8s.io/v1/ipaddresses";
    let answer = p.post(addresses, json!({"metadata": {"name": "not-an-address"}, "spec": {}})).await;
    let status = answer.refused_with(422, "Invalid", "must be a valid IP address");
    assert_eq!(status["details"]["causes"][1]["field"], "spec.parentRef");
    let parent = json!({"resource": "services", "name": "a", "namespace": "default"});
    let address = json!({"metadata": {"name": "10.99.0.7"}, "spec": {"parentRef": parent}});
    p.create(&dry(addresses), address).await;
}

async fn warnings_come_with_refusals_in_their_order(p: &Place) {
    let map = json!({"metadata": {"name": "Not A Name", "finalizers": ["short"], "odd": 1}, "surprise": 1, "data": {"a": "b"}});
    let answer = p.post(CONFIG_MAPS, map).await;
    answer.refused_with(422, "Invalid", "metadata.name: Invalid value");
    let warnings = answer.warnings();
    assert_eq!(warnings[..2], ["unknown field \"metadata.odd\"", "unknown field \"surprise\""], "{warnings:?}");
    define(p, json!({"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}})).await;
    let mut given = thing(json!({"spec": {"size": "large", "odd": 1}}));
    given["metadata"]["finalizers"] = json!(["short", "example.com/long"]);
    let answer = p.post(THINGS, given.clone()).await;
    answer.refused_with(422, "Invalid", "spec.size in body must be of type integer");
    assert_eq!(answer.warnings(), ["unknown field \"spec.odd\""]);
    given["spec"]["size"] = json!(5);
    let answer = p.post(&dry(THINGS), given).await;
    let warnings = answer.warnings();
    let expected = ["\"spec.odd\"", "\"short\""];
    let are_named = warnings.iter().zip(expected).all(|(warning, part)| warning.contains(part));
    assert!(warnings.len() == expected.len() && are_named, "{warnings:?}");
}

async fn strategies_and_enumerations_are_checked_leniently(p: &Place) {
    let mut deployment = workload(DEPLOYMENTS, "a", pod(json!({})));
    deployment["spec"]["strategy"] = json!({"type": "Odd"});
    let answer = p.post(DEPLOYMENTS, deployment).await;
    answer.refused_with(422, "Invalid", "spec.strategy: Unsupported value: {\"Type\":\"Odd\",\"RollingUpdate\":null}");
    let sets = "/apis/apps/v1/namespaces/{ns}/statefulsets";
    let mut set = workload(sets, "a", pod(json!({})));
    set["spec"]["updateStrategy"] = json!({"type": "OnDelete", "rollingUpdate": {"partition": 1}});
    p.post(sets, set).await.refused_with(422, "Invalid", "only allowed for updateStrategy 'RollingUpdate'");
    let service = json!({"metadata": {"name": "a"}, "spec": {"type": "Sometimes", "sessionAffinity": "Maybe", "ports": [{"port": 80}]}});
    let answer = p.post("/api/v1/namespaces/{ns}/services", service).await;
    let status = answer.refused_with(422, "Invalid", "spec.type: Unsupported value: \"Sometimes\"");
    let fields: Vec<&str> = status["details"]["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|cause| cause["field"].as_str())
        .collect();
    assert_eq!(fields, ["spec.sessionAffinity", "spec.type"]);
}

async fn requests_are_not_above_limits(p: &Place) {
    let resources = json!({"limits": {"cpu": "1"}, "requests": {"cpu": "2", "memory": "-1"}});
    let probe = json!({"successThreshold": 2, "exec": {"command": ["a"]}});
    let spec = json!({"containers": [{"name": "a", "image": "b", "resources": resources, "livenessProbe": probe}]});
    let answer = p.post(PODS, json!({"metadata": {"name": "a"}, "spec": spec})).await;
    let status = answer.refused_with(422, "Invalid", "must be less than or equal to cpu limit of 1");
    let mut fields: Vec<&str> = status["details"]["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|cause| cause["field"].as_str())
        .collect();
    // A Go map has no order, so neither have the mistakes in it.
    fields.sort_unstable();
    let expected = [
        "spec.containers[0].livenessProbe.successThreshold",
        "spec.containers[0].resources.requests",
        "spec.containers[0].resources.requests[memory]",
    ];
    assert_eq!(fields, expected);
}

async fn a_certificate_for_a_pod_has_limits(p: &Place) {
    let source = json!({"podCertificate": {"signerName": "bad", "keyType": "WHAT", "maxExpirationSeconds": 1}});
    let volume = json!({"name": "certificate", "projected": {"sources": [source]}});
    let spec = pod(json!({"volumes": [volume]}));
    let answer = p.post(PODS, json!({"metadata": {"name": "a"}, "spec": spec})).await;
    let status = answer.refused_with(422, "Invalid", "spec.volumes[0].projected.sources[0].podCertificate");
    let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    for field in ["signerName", "keyType", "maxExpirationSeconds"] {
        let named = |cause: &Value| cause["field"].as_str().is_some_and(|found| found.ends_with(field));
        assert!(causes.iter().any(named), "{field}: {answer}");
    }
}

async fn an_applied_value_is_read_as_its_type(p: &Place) {
    let container = json!({"name": "a", "image": "b", "resources": {"limits": {"cpu": "one"}}});
    let given =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container]}});
    let answer = p.apply(&format!("{PODS}/a?fieldManager=me"), given).await;
    let part = "unable to convert unstructured object to /v1, Kind=Pod: quantities must match the regular expression";
    answer.refused_with(500, "", part);
    assert!(answer.text().contains("failed to convert new object (/a; /v1, Kind=Pod) to proper version"), "{answer}");
    let given = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"x": null}}, "data": {"k": null, "v": "w"}});
    let made = p.apply(&format!("{CONFIG_MAPS}/a?fieldManager=me"), given).await.value(201);
    assert_eq!((&made["data"], &made["metadata"]["labels"]), (&json!({"k": "", "v": "w"}), &json!({"x": ""})));
}

async fn every_mistake_in_what_is_applied_is_listed(p: &Place) {
    let lease = |metadata: Value, spec: Value, more: Value| {
        let mut given =
            json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec});
        given.as_object_mut().expect("it is one").extend(more.as_object().cloned().unwrap_or_default());
        given
    };
    let path = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a?fieldManager=me";
    let spec = json!({"leaseDurationSeconds": "15", "holderIdentity": 5});
    let answer = p.apply(path, lease(json!({"name": "a", "odd": 1}), spec.clone(), json!({}))).await;
    for mistake in [
        ".metadata.odd: field not declared in schema",
        ".spec.leaseDurationSeconds: expected numeric (int or float), got string",
        ".spec.holderIdentity: expected string, got &value.valueUnstructured{Value:5}",
    ] {
        answer.refused_with(500, "", mistake);
    }
    // A real server looks at the fields of an object in any order, and at no further one after one that is not declared.
    let answer = p.apply(path, lease(json!({"name": "a"}), spec, json!({"surprise": 1}))).await;
    answer.refused_with(500, "", ".surprise: field not declared in schema");
    let left = p.get("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a").await;
    left.refused_with(404, "NotFound", "not found");
}

async fn a_job_that_is_applied_again_is_unchanged(p: &Place) {
    // Suspended, so that no pod comes of it.
    let pods = json!({"restartPolicy": "Never", "containers": [{"name": "a", "image": "app:1"}]});
    let given = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"},
        "spec": {"suspend": true, "template": {"spec": pods}}});
    let path = "/apis/batch/v1/namespaces/{ns}/jobs/a?fieldManager=me";
    let made = p.apply(path, given.clone()).await.value(201);
    let again = p.apply(path, given).await.value(200);
    assert_eq!(made["spec"], again["spec"]);
    assert_eq!(made["metadata"]["generation"], again["metadata"]["generation"]);
}

/// A kind with a schema of its own, and a status of its own.
async fn define(p: &Place, properties: Value) {
    let mut one = version("v1", json!({}));
    one["schema"]["openAPIV3Schema"]["properties"] = properties;
    one["subresources"] = json!({"status": {}});
    p.define_as(definition("Thing", json!([one]))).await;
}

fn thing(mut fields: Value) -> Value {
    fields["apiVersion"] = json!("{group}/v1");
    fields["kind"] = json!("Thing");
    fields["metadata"]["name"] = json!("a");
    fields
}

async fn defaults_of_the_status_are_set_on_create(p: &Place) {
    let inner = json!({"type": "object", "default": {}, "properties": {"count": {"type": "integer", "default": 7}}});
    let phase = json!({"type": "string", "default": "New"});
    define(p, json!({"status": {"type": "object", "default": {}, "properties": {"phase": phase, "inner": inner}}}))
        .await;
    let made = p.create(THINGS, thing(json!({"status": {"phase": "Old", "gone": 1}}))).await;
    assert_eq!(made["status"], json!({"phase": "New", "inner": {"count": 7}}));
}

async fn nothing_is_lost_below_what_is_preserved(p: &Place) {
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let embedded =
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    define(p, json!({"spec": {"type": "object", "properties": {"list": {"type": "array", "items": free}, "embedded": embedded}}})).await;
    let spec = json!({
        "list": [{"x": {"y": [1, {"z": null}]}}, {"deep": [{"a": {"b": 1}}]}],
        "embedded": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"x": [1, {"y": 2}]}, "more": {"z": []}},
        "gone": 1,
    });
    let made = p.create(THINGS, thing(json!({"spec": spec.clone()}))).await;
    let mut kept = spec;
    kept.as_object_mut().expect("it is one").remove("gone");
    assert_eq!(made["spec"], kept);
    let read = p.get(&format!("{THINGS}/a")).await.value(200);
    assert_eq!(read["spec"], kept, "and none when it is read");
    let given = thing(json!({"spec": kept.clone()}));
    let applied = p.apply(&format!("{THINGS}/a?fieldManager=me&force=true"), given).await.value(200);
    assert_eq!(applied["spec"], kept, "nor when it is applied");
}

async fn causes_of_alternatives_are_listed_as_one_expects(p: &Place) {
    let text = json!({"type": "string"});
    let either = json!({"type": "object", "properties": {"a": text, "b": text}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]});
    let required =
        json!({"type": "object", "required": ["x"], "properties": {"x": {"type": "integer", "nullable": true}}});
    define(p, json!({"spec": {"type": "object", "properties": {"either": either, "required": required, "when": {"type": "string", "format": "date-time"}}}})).await;
    let spec = json!({"either": {"a": "x", "b": "y"}, "required": {}, "when": "yesterday"});
    let answer = p.post(THINGS, thing(json!({"spec": spec}))).await;
    let status = answer.refused_with(422, "Invalid", "spec.either");
    let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    let mut listed: Vec<(&str, &str)> =
        causes.iter().filter_map(|cause| Some((cause["field"].as_str()?, cause["reason"].as_str()?))).collect();
    // The properties of a schema are in a Go map.
    listed.sort_unstable();
    let expected = [
        ("<nil>", "FieldValueInvalid"),
        ("spec.required.x", "FieldValueRequired"),
        ("spec.when", "FieldValueTypeInvalid"),
    ];
    assert_eq!(listed, expected, "{answer}");
    p.create(THINGS, thing(json!({"spec": {"required": {"x": null}}}))).await;
}

async fn what_every_object_has_is_described(p: &Place) {
    define(p, json!({"spec": {"type": "object"}})).await;
    let path = "/openapi/v3/apis/{group}/v1";
    let holds = |answer: &crate::answer::Answer| answer.code == 200 && answer.text().contains("Thing");
    let document = p.eventually("the kind is published", path, holds).await.value(200);
    let schemas = document["components"]["schemas"].as_object().cloned().unwrap_or_default();
    let schema = schemas.iter().find(|(name, _)| name.ends_with(".Thing")).map(|(_, schema)| schema.clone());
    let properties = schema.unwrap_or_default()["properties"].clone();
    for field in ["apiVersion", "kind", "metadata"] {
        let text = properties[field]["description"].as_str().unwrap_or_default();
        assert!(!text.is_empty(), "{field} has no description: {}", properties[field]);
    }
}

async fn a_timeout_that_is_not_one_is_refused(p: &Place) {
    for timeout in ["forever", "-5", "5q"] {
        let answer = p.get(&format!("{CONFIG_MAPS}?timeout={timeout}")).await;
        assert_eq!(answer.code, 400, "{timeout}: {answer}");
    }
    assert_eq!(p.get(&format!("{CONFIG_MAPS}?timeout=50s")).await.code, 200);
}
