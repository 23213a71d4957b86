//! Rules that the manifests of other projects turned up (`cargo xtask twin`): each was seen on kube-apiserver 1.37.

use super::world::{DEFINITIONS, MAPS, World};
use serde_json::{Value, json};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const DAEMON_SETS: &str = "/apis/apps/v1/namespaces/default/daemonsets";
const STATEFUL_SETS: &str = "/apis/apps/v1/namespaces/default/statefulsets";
const APPLY: &str = "application/apply-patch+yaml";

fn workload(mut spec: Value, pod: Value) -> Value {
    spec["selector"] = json!({"matchLabels": {"app": "a"}});
    spec["template"] = json!({"metadata": {"labels": {"app": "a"}}});
    spec["template"]["spec"] = pod;
    json!({"metadata": {"name": "a"}, "spec": spec})
}

fn pod_on_the_hosts_network() -> Value {
    json!({"hostNetwork": true, "containers": [{"name": "c", "image": "i:1", "ports": [{"containerPort": 80}]}]})
}

async fn defined(world: &World, schema: Value) {
    let versions = json!([{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema}}]);
    let spec = json!({"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
        "versions": versions});
    world.post(DEFINITIONS, json!({"metadata": {"name": "things.example.com"}, "spec": spec})).await.expect(201);
}

const THINGS: &str = "/apis/example.com/v1/namespaces/default/things";

fn thing(mut fields: Value) -> Value {
    fields["apiVersion"] = "example.com/v1".into();
    fields["kind"] = "Thing".into();
    fields["metadata"]["name"] = "a".into();
    fields
}

#[tokio::test]
async fn a_port_on_the_hosts_network_is_the_hosts_in_a_pod_but_not_in_a_template() {
    let world = World::new();
    let deployment = world.post(DEPLOYMENTS, workload(json!({}), pod_on_the_hosts_network())).await.expect(201);
    let port = |container: &Value| container["ports"][0].get("hostPort").cloned();
    assert_eq!(port(&deployment["spec"]["template"]["spec"]["containers"][0]), None);
    let pod = json!({"metadata": {"name": "a"}, "spec": pod_on_the_hosts_network()});
    let pod = world.post("/api/v1/namespaces/default/pods", pod).await.expect(201);
    assert_eq!(port(&pod["spec"]["containers"][0]), Some(json!(80)));
}

#[tokio::test]
async fn the_number_of_a_daemon_sets_templates_has_an_owner() {
    let world = World::new();
    let pod = json!({"containers": [{"name": "c", "image": "i"}]});
    let set = world.post(DAEMON_SETS, workload(json!({}), pod)).await.expect(201);
    let number = "deprecated.daemonset.template.generation";
    assert_eq!(set["metadata"]["annotations"][number], "1");
    let owned = &set["metadata"]["managedFields"][0]["fieldsV1"]["f:metadata"]["f:annotations"];
    assert_eq!(*owned, json!({".": {}, "f:deprecated.daemonset.template.generation": {}}));
}

#[tokio::test]
async fn an_update_strategy_that_does_not_exist_is_refused_by_every_workload() {
    let world = World::new();
    let pod = || json!({"containers": [{"name": "c", "image": "i"}]});
    let table = [
        (
            DEPLOYMENTS,
            "strategy",
            "spec.strategy: Unsupported value: {\"Type\":\"Odd\",\"RollingUpdate\":null}: supported values: \"Recreate\", \
             \"RollingUpdate\"",
        ),
        (
            DAEMON_SETS,
            "updateStrategy",
            "spec.updateStrategy: Unsupported value: {\"Type\":\"Odd\",\"RollingUpdate\":null}: supported values: \
             \"RollingUpdate\", \"OnDelete\"",
        ),
        (
            STATEFUL_SETS,
            "updateStrategy",
            "spec.updateStrategy: Invalid value: {\"Type\":\"Odd\",\"RollingUpdate\":null}: must be 'RollingUpdate' or \
             'OnDelete'",
        ),
    ];
    for (path, field, expected) in table {
        let reply = world.post(path, workload(json!({field: {"type": "Odd"}}), pod())).await;
        assert_eq!(reply.code, 422);
        assert!(reply.message().ends_with(expected), "{}", reply.message());
    }
    let rolling = json!({"updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 1}}});
    let reply = world.post(STATEFUL_SETS, workload(rolling, pod())).await;
    let why = "{\"Partition\":1,\"MaxUnavailable\":null}: only allowed for updateStrategy 'RollingUpdate'";
    assert!(reply.message().ends_with(why), "{}", reply.message());
}

#[tokio::test]
async fn the_labels_of_an_endpoint_slice_count_as_its_content() {
    let world = World::new();
    let path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    let slice = json!({"metadata": {"name": "a"}, "addressType": "IPv4", "endpoints": []});
    world.post(path, slice).await.expect(201);
    let path = format!("{path}/a");
    let labelled = world.merge(&path, json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
    assert_eq!(labelled["metadata"]["generation"], 2);
    let annotated = world.merge(&path, json!({"metadata": {"annotations": {"a": "b"}}})).await.expect(200);
    assert_eq!(annotated["metadata"]["generation"], 2);
}

#[tokio::test]
async fn ranges_and_addresses_of_the_service_network_are_checked() {
    let world = World::new();
    let ranges = "/apis/networking.k8s.io/v1/servicecidrs";
    let range = |cidrs: Value| json!({"metadata": {"name": "a"}, "spec": {"cidrs": cidrs}});
    let reply = world.post(ranges, range(json!(["10.99.0.1/16", "10.98.0.0/16"]))).await;
    assert_eq!(
        reply.message(),
        "ServiceCIDR.networking.k8s.io \"a\" is invalid: [spec.cidrs[0]: Invalid value: \"10.99.0.1/16\": must not have bits \
         set beyond the prefix length, spec.cidrs: Invalid value: [\"10.99.0.1/16\",\"10.98.0.0/16\"]: may specify no more \
         than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64]"
    );
    world.post(ranges, range(json!(["10.99.0.0/16"]))).await.expect(201);
    let added = world.merge(&format!("{ranges}/a"), json!({"spec": {"cidrs": ["10.99.0.0/16", "fd00::/64"]}})).await;
    assert_eq!(added.code, 200, "{}", added.text);
    let addresses = "/apis/networking.k8s.io/v1/ipaddresses";
    let reply = world.post(addresses, json!({"metadata": {"name": "no-address"}, "spec": {}})).await;
    assert_eq!(
        reply.message(),
        "IPAddress.networking.k8s.io \"no-address\" is invalid: [metadata.name: Invalid value: \"no-address\": must be a valid \
         IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), spec.parentRef: Required value]"
    );
    let address =
        json!({"metadata": {"name": "10.99.0.7"}, "spec": {"parentRef": {"resource": "services", "name": "a"}}});
    world.post(addresses, address).await.expect(201);
}

#[tokio::test]
async fn a_definitions_defaults_and_its_status_have_owners() {
    let world = World::new();
    defined(&world, json!({"type": "object"})).await;
    let definition = world.get(&format!("{DEFINITIONS}/things.example.com")).await.expect(200);
    let managers = definition["metadata"]["managedFields"].as_array().unwrap();
    let of = |name: &str| managers.iter().find(|entry| entry["manager"] == name).unwrap();
    assert_eq!(of("unknown")["fieldsV1"]["f:spec"]["f:conversion"], json!({".": {}, "f:strategy": {}}));
    assert_eq!(of("kube-apiserver")["subresource"], "status");
    assert!(of("kube-apiserver")["fieldsV1"]["f:status"]["f:conditions"].is_object());
}

#[tokio::test]
async fn a_definition_in_a_group_of_kubernetes_says_how_it_was_approved() {
    let world = World::new();
    let versions =
        json!([{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]);
    let spec = json!({"group": "things.k8s.io", "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"},
        "versions": versions});
    let approved = json!({"api-approved.kubernetes.io": "https://example.com/1"});
    let metadata = json!({"name": "things.things.k8s.io", "annotations": approved});
    world.post(DEFINITIONS, json!({"metadata": metadata, "spec": spec})).await.expect(201);
    let stored = world.get(&format!("{DEFINITIONS}/things.things.k8s.io")).await.expect(200);
    let condition = &stored["status"]["conditions"][0];
    assert_eq!(condition["type"], "KubernetesAPIApprovalPolicyConformant");
    assert_eq!((&condition["reason"], &condition["status"]), (&json!("ApprovedAnnotation"), &json!("True")));
    assert_eq!(condition["message"], "approved in https://example.com/1");
}

#[tokio::test]
async fn a_null_that_is_applied_is_refused_where_none_is_allowed() {
    let world = World::new();
    defined(&world, json!({"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object"}}})).await;
    let applied = thing(json!({"spec": null}));
    let reply = world.patch(&format!("{THINGS}/a?fieldManager=me"), APPLY, &applied).await;
    assert_eq!(reply.code, 422);
    let why = "spec: Invalid value: \"null\": spec in body must be of type object: \"null\"";
    assert!(reply.message().ends_with(why), "{}", reply.message());
}

#[tokio::test]
async fn a_new_custom_resource_has_the_status_its_schema_begins_with() {
    let world = World::new();
    let status =
        json!({"type": "object", "default": {}, "properties": {"phase": {"type": "string", "default": "New"}}});
    defined(&world, json!({"type": "object", "properties": {"status": status}})).await;
    let made = world.post(THINGS, thing(json!({"status": {"phase": "Old"}}))).await.expect(201);
    assert_eq!(made["status"], json!({"phase": "New"}));
}

#[tokio::test]
async fn a_schema_may_require_what_every_object_has() {
    let world = World::new();
    let required = json!(["apiVersion", "kind", "metadata", "spec"]);
    defined(&world, json!({"type": "object", "required": required, "properties": {"spec": {"type": "object"}}})).await;
    world.post(THINGS, thing(json!({"spec": {}}))).await.expect(201);
}

#[tokio::test]
async fn unknown_fields_are_warned_of_with_a_refusal_too() {
    let world = World::new();
    let map = json!({"metadata": {"name": "Not A Name"}, "surprise": 1});
    let reply = world.post(MAPS, map).await;
    assert_eq!((reply.code, reply.header("warning")), (422, "299 - \"unknown field \\\"surprise\\\"\""));
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    let patch = json!({"metadata": {"labels": {"not a label": "x"}}, "surprise": 1});
    let reply = world.merge(&format!("{MAPS}/a"), patch).await;
    assert_eq!((reply.code, reply.header("warning")), (422, "299 - \"unknown field \\\"surprise\\\"\""));
}

#[tokio::test]
async fn unknown_fields_in_the_metadata_of_embedded_resources_are_named_last() {
    let world = World::new();
    let inner = json!({"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true});
    defined(&world, json!({"type": "object", "properties": {"inner": inner}})).await;
    let inner = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "odd": 1}, "kept": 1});
    let body = thing(json!({"inner": inner, "unknown": 1, "metadata": {"odd": 1}})).to_string();
    let reply = world.send("POST", &format!("{THINGS}?fieldValidation=Strict"), &[], body.into_bytes()).await;
    assert!(
        reply.message().ends_with(
            "unknown field \"metadata.odd\", unknown field \"unknown\", unknown field \"inner.metadata.odd\""
        ),
        "{}",
        reply.message()
    );
}

#[tokio::test]
async fn a_text_that_cannot_be_read_is_said_before_a_value_of_another_type() {
    let world = World::new();
    let resources = json!({"limits": {"cpu": "one"}});
    let container = json!({"name": "c", "image": "i", "ports": [{"containerPort": "80"}], "resources": resources});
    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [container]}});
    let reply = world.post("/api/v1/namespaces/default/pods", pod).await;
    assert_eq!(reply.code, 400);
    assert!(reply.message().contains("quantities must match the regular expression"), "{}", reply.message());
}

#[tokio::test]
async fn all_mistakes_in_what_is_applied_are_listed() {
    let world = World::new();
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a", "odd": 1},
        "spec": {"leaseDurationSeconds": "15"}, "surprise": 1});
    let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a?fieldManager=me";
    let reply = world.patch(path, APPLY, &lease).await;
    assert_eq!(reply.code, 500);
    for mistake in [
        ".metadata.odd: field not declared in schema",
        ".spec.leaseDurationSeconds: expected numeric (int or float), got string",
        ".surprise: field not declared in schema",
    ] {
        assert!(reply.message().contains(mistake), "{mistake}: {}", reply.message());
    }
}

#[tokio::test]
async fn the_account_of_a_binding_is_shown_with_its_namespace_though_that_is_empty() {
    let world = World::new();
    let path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
    let role = json!({"kind": "Role", "name": "r", "apiGroup": "rbac.authorization.k8s.io"});
    let subjects = json!([{"kind": "ServiceAccount", "name": "robot"}]);
    world.post(path, json!({"metadata": {"name": "a"}, "roleRef": role, "subjects": subjects})).await.expect(201);
    let accept = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")];
    let table = world.send("GET", &format!("{path}/a"), &accept, Vec::new()).await.expect(200);
    assert_eq!(table["rows"][0]["cells"].as_array().unwrap().last().unwrap(), "/robot");
}

#[tokio::test]
async fn an_apply_of_a_status_that_is_not_written_counts_as_a_write() {
    let world = World::new();
    let path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let mut budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "a"},
        "spec": {"minAvailable": 1, "selector": {}}});
    world.post(path, budget.clone()).await.expect(201);
    let time = |applied: Value| {
        let managers = applied["metadata"]["managedFields"].as_array().expect("managers").clone();
        managers.iter().find(|entry| entry["operation"] == "Apply").expect("the applier").get("time").cloned()
    };
    let target = format!("{path}/a?fieldManager=me&force=true");
    let trial = format!("{target}&dryRun=All");
    assert_eq!(time(world.patch(&trial, APPLY, &budget).await.expect(200)), None, "nothing was changed");
    budget["status"] = json!({"currentHealthy": 3, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0});
    assert!(time(world.patch(&target, APPLY, &budget).await.expect(200)).is_some());
}

#[tokio::test]
async fn null_in_a_map_of_texts_is_an_empty_text_in_conflict_with_null() {
    let world = World::new();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": null}});
    let made = world.post(MAPS, map.clone()).await.expect(201);
    assert_eq!(made["data"]["x"], "");
    let reply = world.patch(&format!("{MAPS}/a?fieldManager=me"), APPLY, &map).await;
    assert_eq!(reply.code, 409, "{}", reply.message());
}

#[tokio::test]
async fn a_stateful_set_that_only_names_its_strategy_has_no_numbers_of_it() {
    let world = World::new();
    let pod = || json!({"containers": [{"name": "c", "image": "i"}]});
    let strategy = |set: &Value| set["spec"]["updateStrategy"].clone();
    let named = workload(json!({"updateStrategy": {"type": "RollingUpdate"}}), pod());
    let set = world.post(&format!("{STATEFUL_SETS}?dryRun=All"), named).await.expect(201);
    assert_eq!(strategy(&set), json!({"type": "RollingUpdate"}));
    let set = world.post(STATEFUL_SETS, workload(json!({}), pod())).await.expect(201);
    assert_eq!(
        strategy(&set),
        json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 1}})
    );
}

#[tokio::test]
async fn of_several_alternatives_the_errors_of_the_one_that_says_most_are_listed() {
    let world = World::new();
    let either = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"properties": {"b": {"minimum": 5}}}]});
    defined(&world, json!({"type": "object", "properties": {"spec": either}})).await;
    let reply = world.post(THINGS, thing(json!({"spec": {"b": 3}}))).await;
    assert!(reply.message().contains("spec.b in body should be greater than or equal to 5"), "{}", reply.message());
    assert!(!reply.message().contains("spec.a"), "{}", reply.message());
}

#[tokio::test]
async fn duplicates_in_a_list_are_named_whatever_else_is_wrong() {
    let world = World::new();
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
    let size = json!({"type": "integer", "maximum": 10});
    defined(&world, json!({"type": "object", "properties": {"set": set, "size": size}})).await;
    let reply = world.post(THINGS, thing(json!({"set": ["a", "a"], "size": 11}))).await;
    assert!(reply.message().contains("set[1]: Duplicate value: \"a\""), "{}", reply.message());
    assert!(reply.message().contains("less than or equal to 10"), "{}", reply.message());
}

#[tokio::test]
async fn a_struct_that_is_written_inline_is_named_where_a_value_has_the_wrong_type() {
    let world = World::new();
    let volume = json!({"name": "v", "configMap": {"name": 5}});
    let spec = json!({"containers": [{"name": "c", "image": "i"}], "volumes": [volume]});
    let pod = json!({"metadata": {"name": "a"}, "spec": spec});
    let reply = world.post("/api/v1/namespaces/default/pods", pod).await;
    let place = "ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.LocalObjectReference.name of type string";
    assert!(reply.message().ends_with(place), "{}", reply.message());
}

#[tokio::test]
async fn a_job_keeps_the_labels_it_was_given_and_is_refused_for_them() {
    let world = World::new();
    let path = "/apis/batch/v1/namespaces/default/jobs";
    let pods = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    let mut job = json!({"metadata": {"name": "a"}, "spec": {"template": {"spec": pods}}});
    world.post(path, job.clone()).await.expect(201);
    let reply = world.put(&format!("{path}/a"), &job).await;
    assert!(reply.message().contains("[spec.selector: Required value, "), "{}", reply.message());
    assert!(reply.message().contains("spec.selector: Invalid value: null: field is immutable"), "{}", reply.message());
    job["spec"]["template"]["metadata"] = json!({"labels": {"job-name": "b"}});
    job["metadata"]["name"] = "c".into();
    let reply = world.post(path, job).await;
    assert!(reply.message().ends_with("\"job-name\":\"b\"}: must be 'c'"), "{}", reply.message());
}

#[tokio::test]
async fn null_in_the_objects_of_a_merged_list_says_nothing() {
    let world = World::new();
    defined(&world, json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})).await;
    world.post(THINGS, thing(json!({}))).await.expect(201);
    let patch = json!({"a": [null, {"b": null, "c": 1}, [{"d": null}]], "e": {"f": [{"g": {"h": null}}]}});
    let merged = world.merge(&format!("{THINGS}/a"), patch).await.expect(200);
    assert_eq!((&merged["a"], &merged["e"]), (&json!([null, {"c": 1}, [{}]]), &json!({"f": [{"g": {}}]})));
}

#[tokio::test]
async fn the_first_moment_that_go_knows_is_no_time() {
    let world = World::new();
    let path = "/apis/batch/v1/namespaces/default/jobs";
    let pods = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    world.post(path, json!({"metadata": {"name": "a"}, "spec": {"template": {"spec": pods}}})).await.expect(201);
    let condition = json!({"type": "X", "status": "True", "lastTransitionTime": "0001-01-01T00:00:00Z"});
    let job =
        world.merge(&format!("{path}/a/status"), json!({"status": {"conditions": [condition]}})).await.expect(200);
    assert_eq!(job["status"]["conditions"][0].get("lastTransitionTime"), Some(&Value::Null));
}
