//! Discovery, OpenAPI, version, health, and kinds that answer instead of being kept.

use serde_json::{Value, json};

use crate::answer::{names, revision};
use crate::behaviour::behaviours;
use crate::place::{DEFINITIONS, Place, version};

behaviours! {
    "1.20": the_core_group_has_its_version,
        groups_are_listed_with_preferred_versions,
        one_group_is_served,
        an_unknown_group_is_not_found,
        the_resources_of_a_version_are_listed,
        a_resource_has_verbs_short_names_and_categories,
        subresources_are_listed,
        a_defined_kind_is_discovered,
        a_deleted_kind_is_no_longer_discovered,
        aggregated_discovery_has_everything_at_once,
        aggregated_discovery_has_the_core_group,
        aggregated_discovery_is_cached_by_etag,
        openapi_lists_group_versions,
        openapi_of_a_group_version_has_its_schemas,
        openapi_has_what_kubectl_asks_for,
        openapi_of_a_defined_kind_has_its_schema,
        openapi_with_its_hash_can_be_kept;
    "1.21": the_version_is_served,
        health_is_ok,
        health_is_reported_check_by_check,
        a_check_can_be_left_out;
    "1.23": access_to_everything_is_reviewed,
        rules_are_reviewed,
        the_user_is_reviewed,
        a_token_that_is_none_is_reviewed,
        reviews_are_not_kept,
        access_of_others_is_reviewed;
    "1.24": events_are_of_two_groups,
        an_event_needs_its_namespace,
        a_list_cannot_be_created,
        a_lease_is_renewed_by_version;
}

async fn the_core_group_has_its_version(p: &Place) {
    let versions = p.get("/api").await.value(200);
    assert_eq!((&versions["kind"], &versions["versions"]), (&json!("APIVersions"), &json!(["v1"])));
    assert!(versions["serverAddressByClientCIDRs"].is_array());
}

async fn groups_are_listed_with_preferred_versions(p: &Place) {
    let groups = p.get("/apis").await.value(200);
    assert_eq!((&groups["kind"], &groups["apiVersion"]), (&json!("APIGroupList"), &json!("v1")));
    let apps = named(&groups["groups"], "apps");
    assert_eq!(apps["preferredVersion"], json!({"groupVersion": "apps/v1", "version": "v1"}));
    assert_eq!(apps["versions"], json!([{"groupVersion": "apps/v1", "version": "v1"}]));
}

async fn one_group_is_served(p: &Place) {
    let group = p.get("/apis/batch").await.value(200);
    assert_eq!((&group["kind"], &group["name"]), (&json!("APIGroup"), &json!("batch")));
    assert_eq!(group["preferredVersion"]["groupVersion"], "batch/v1");
}

async fn an_unknown_group_is_not_found(p: &Place) {
    let answer = p.get("/apis/nobody.example").await;
    assert_eq!((answer.code, answer.text().as_str()), (404, "404 page not found\n"));
}

async fn the_resources_of_a_version_are_listed(p: &Place) {
    let list = p.get("/apis/apps/v1").await.value(200);
    assert_eq!((&list["kind"], &list["groupVersion"]), (&json!("APIResourceList"), &json!("apps/v1")));
    let found: Vec<&str> =
        list["resources"].as_array().into_iter().flatten().filter_map(|resource| resource["name"].as_str()).collect();
    for name in ["deployments", "deployments/scale", "deployments/status", "replicasets", "statefulsets", "daemonsets"]
    {
        assert!(found.contains(&name), "{name} is not in {found:?}");
    }
}

async fn a_resource_has_verbs_short_names_and_categories(p: &Place) {
    let list = p.get("/api/v1").await.value(200);
    let pods = named(&list["resources"], "pods");
    assert_eq!(
        (&pods["kind"], &pods["namespaced"], &pods["singularName"]),
        (&json!("Pod"), &json!(true), &json!("pod"))
    );
    assert_eq!((&pods["shortNames"], &pods["categories"]), (&json!(["po"]), &json!(["all"])));
    let verbs = json!(["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]);
    assert_eq!(pods["verbs"], verbs);
    assert_eq!(named(&list["resources"], "nodes")["namespaced"], false);
}

async fn subresources_are_listed(p: &Place) {
    let list = p.get("/api/v1").await.value(200);
    let eviction = named(&list["resources"], "pods/eviction");
    assert_eq!((&eviction["group"], &eviction["kind"]), (&json!("policy"), &json!("Eviction")));
    assert_eq!(named(&list["resources"], "pods/status")["verbs"], json!(["get", "patch", "update"]));
}

async fn a_defined_kind_is_discovered(p: &Place) {
    let mut versions = json!([version("v1", json!({}))]);
    versions[0]["subresources"] = json!({"status": {}});
    p.define("Bird", versions).await;
    let listed =
        |answer: &crate::answer::Answer| answer.json()["resources"].as_array().is_some_and(|all| all.len() == 2);
    let list = p.eventually("it is listed", "/apis/{group}/v1", listed).await.value(200);
    let bird = named(&list["resources"], "birds");
    assert_eq!((&bird["kind"], &bird["singularName"]), (&json!("Bird"), &json!("bird")));
    assert!(bird["storageVersionHash"].is_string());
    let status = named(&list["resources"], "birds/status");
    assert_eq!(status["verbs"], json!(["get", "patch", "update"]));
    let groups = p.eventually("the group is served", "/apis/{group}", |answer| answer.code == 200).await.value(200);
    assert_eq!(groups["preferredVersion"]["version"], "v1");
}

async fn a_deleted_kind_is_no_longer_discovered(p: &Place) {
    p.define("Bird", json!([version("v1", json!({}))])).await;
    p.eventually("it is listed", "/apis/{group}/v1", |answer| answer.code == 200).await;
    p.delete(&format!("{DEFINITIONS}/birds.{{group}}")).await.value(200);
    p.eventually("it is gone", "/apis/{group}/v1", |answer| answer.code == 404).await;
}

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

async fn aggregated_discovery_has_everything_at_once(p: &Place) {
    let answer = p.ask("GET", "/apis").accept(AGGREGATED).send().await;
    assert_eq!(answer.header("content-type"), AGGREGATED);
    let all = answer.value(200);
    assert_eq!(all["kind"], "APIGroupDiscoveryList");
    let apps = all["items"].as_array().into_iter().flatten().find(|group| group["metadata"]["name"] == "apps");
    let one = &apps.expect("apps is served")["versions"][0];
    assert_eq!((&one["version"], &one["freshness"]), (&json!("v1"), &json!("Current")));
    let resources = one["resources"].as_array().cloned().unwrap_or_default();
    let deployments = resources.iter().find(|resource| resource["resource"] == "deployments").expect("they are served");
    assert_eq!(deployments["responseKind"], json!({"group": "", "version": "", "kind": "Deployment"}));
    assert_eq!((&deployments["scope"], &deployments["shortNames"]), (&json!("Namespaced"), &json!(["deploy"])));
    let parts: Vec<&str> = deployments["subresources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|s| s["subresource"].as_str())
        .collect();
    assert_eq!(parts, ["scale", "status"]);
}

async fn aggregated_discovery_has_the_core_group(p: &Place) {
    let all = p.ask("GET", "/api").accept(AGGREGATED).send().await.value(200);
    let resources = all["items"][0]["versions"][0]["resources"].as_array().cloned().unwrap_or_default();
    let pods = resources.iter().find(|resource| resource["resource"] == "pods").expect("pods are served");
    assert_eq!((&pods["singularResource"], &pods["categories"]), (&json!("pod"), &json!(["all"])));
}

async fn aggregated_discovery_is_cached_by_etag(p: &Place) {
    let answer = p.ask("GET", "/api").accept(AGGREGATED).send().await;
    let tag = answer.header("etag").to_owned();
    assert!(tag.len() > 100 && tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    assert_eq!((answer.header("vary"), answer.header("cache-control")), ("Accept", "public"));
    let again = p.ask("GET", "/api").accept(AGGREGATED).header("if-none-match", &tag).send().await;
    assert_eq!((again.code, again.bytes().len()), (304, 0));
}

async fn openapi_lists_group_versions(p: &Place) {
    let index = p.get("/openapi/v3").await.value(200);
    for name in ["api/v1", "apis/apps/v1", "apis/apiextensions.k8s.io/v1", "apis/rbac.authorization.k8s.io/v1"] {
        let url = index["paths"][name]["serverRelativeURL"].as_str().unwrap_or_default();
        assert!(url.starts_with(&format!("/openapi/v3/{name}?hash=")), "{name}: {url}");
    }
}

async fn openapi_of_a_group_version_has_its_schemas(p: &Place) {
    let document = p.get("/openapi/v3/apis/apps/v1").await.value(200);
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.0")));
    let schema = &document["components"]["schemas"]["io.k8s.api.apps.v1.Deployment"];
    let kinds = json!([{"group": "apps", "version": "v1", "kind": "Deployment"}]);
    assert_eq!(schema["x-kubernetes-group-version-kind"], kinds);
    assert_eq!(
        schema["properties"]["spec"]["allOf"][0]["$ref"],
        "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec"
    );
    let containers = &document["components"]["schemas"]["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
    assert_eq!(containers["x-kubernetes-list-map-keys"], json!(["name"]));
    assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
}

async fn openapi_has_what_kubectl_asks_for(p: &Place) {
    let document = p.get("/openapi/v3/apis/apps/v1").await.value(200);
    let patch = &document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
    let kind = json!({"group": "apps", "version": "v1", "kind": "Deployment"});
    assert_eq!(patch["x-kubernetes-group-version-kind"], kind);
    assert_eq!(patch["x-kubernetes-action"], "patch");
    let parameters = patch["parameters"].as_array().cloned().unwrap_or_default();
    assert!(parameters.iter().any(|parameter| parameter["name"] == "fieldValidation" && parameter["in"] == "query"));
}

async fn openapi_of_a_defined_kind_has_its_schema(p: &Place) {
    let spec = json!({"n": {"type": "integer", "description": "how many"}});
    p.define("Bird", json!([version("v1", spec)])).await;
    let path = "/openapi/v3/apis/{group}/v1";
    let has = |answer: &crate::answer::Answer| bird(&answer.json()).is_some();
    let document = p.eventually("it is published", path, has).await.value(200);
    let schema = bird(&document).expect("it was there");
    assert_eq!(schema["properties"]["spec"]["properties"]["n"]["description"], "how many");
    assert!(schema["properties"]["metadata"].is_object());
}

async fn openapi_with_its_hash_can_be_kept(p: &Place) {
    let index = p.get("/openapi/v3").await.value(200);
    let url = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap_or_default().to_owned();
    let answer = p.get(&url).await;
    assert_eq!((answer.code, answer.header("cache-control")), (200, "public, immutable"));
    let wrong = p.get("/openapi/v3/apis/apps/v1?hash=other").await;
    assert_eq!((wrong.code, wrong.header("location")), (301, url.as_str()));
}

async fn the_version_is_served(p: &Place) {
    let version = p.get("/version").await.value(200);
    assert_eq!(version["major"], "1");
    assert!(version["gitVersion"].as_str().is_some_and(|version| version.starts_with("v1.")));
    for field in ["minor", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"] {
        assert!(version[field].is_string(), "{field}: {version}");
    }
}

async fn health_is_ok(p: &Place) {
    for path in ["/healthz", "/livez", "/readyz", "/healthz/ping"] {
        let answer = p.get(path).await;
        assert_eq!((answer.code, answer.text().as_str()), (200, "ok"), "{path}");
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    }
}

async fn health_is_reported_check_by_check(p: &Place) {
    for path in ["healthz", "livez", "readyz"] {
        let answer = p.get(&format!("/{path}?verbose")).await;
        assert!(answer.text().contains("[+]ping ok\n"), "{answer}");
        assert!(answer.text().ends_with(&format!("{path} check passed\n")), "{answer}");
    }
}

async fn a_check_can_be_left_out(p: &Place) {
    let answer = p.get("/readyz?verbose&exclude=ping").await;
    assert!(answer.text().contains("[+]ping excluded: ok\n"), "{answer}");
}

async fn access_to_everything_is_reviewed(p: &Place) {
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"namespace": "{ns}", "verb": "get", "resource": "pods"}}});
    let answer = p.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review).await.value(201);
    assert_eq!(answer["status"]["allowed"], true);
    assert_eq!(answer["spec"]["resourceAttributes"]["verb"], "get");
}

async fn rules_are_reviewed(p: &Place) {
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": "{ns}"}});
    let answer = p.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", review).await.value(201);
    let rules = answer["status"]["resourceRules"].as_array().cloned().unwrap_or_default();
    assert!(rules.iter().any(|rule| rule["verbs"] == json!(["*"]) && rule["resources"] == json!(["*"])), "{rules:?}");
    assert_eq!(answer["status"]["incomplete"], false);
}

async fn the_user_is_reviewed(p: &Place) {
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let answer = p.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", review).await.value(201);
    assert!(answer["status"]["userInfo"]["username"].is_string(), "{answer}");
    assert!(answer["status"]["userInfo"]["groups"].is_array(), "{answer}");
}

async fn a_token_that_is_none_is_reviewed(p: &Place) {
    let review =
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "nonsense"}});
    let answer = p.post("/apis/authentication.k8s.io/v1/tokenreviews", review).await.value(201);
    assert_ne!(answer["status"]["authenticated"], true);
}

async fn reviews_are_not_kept(p: &Place) {
    let answer = p.get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").await;
    answer.refused(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

async fn access_of_others_is_reviewed(p: &Place) {
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": "somebody", "groups": ["system:masters"], "resourceAttributes": {"verb": "list", "resource": "nodes"}}});
    let answer = p.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review).await.value(201);
    assert_eq!(answer["status"]["allowed"], true);
}

async fn events_are_of_two_groups(p: &Place) {
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a.1"}, "reason": "Tested", "message": "words",
        "type": "Normal", "involvedObject": {"kind": "Pod", "namespace": "{ns}", "name": "a"}});
    p.create("/api/v1/namespaces/{ns}/events", event).await;
    let other = p.get("/apis/events.k8s.io/v1/namespaces/{ns}/events/a.1").await.value(200);
    assert_eq!((&other["apiVersion"], &other["note"]), (&json!("events.k8s.io/v1"), &json!("words")));
    assert_eq!(other["regarding"]["name"], "a");
    assert_eq!(other.get("involvedObject"), None);
}

async fn an_event_needs_its_namespace(p: &Place) {
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a.1"},
        "involvedObject": {"kind": "Pod", "namespace": "elsewhere", "name": "a"}});
    let answer = p.post("/api/v1/namespaces/{ns}/events", event).await;
    answer.refused_with(422, "Invalid", "does not match event.namespace");
}

async fn a_list_cannot_be_created(p: &Place) {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": []});
    let answer = p.post("/api/v1/namespaces/{ns}/configmaps", list).await;
    assert_eq!(answer.code, 400, "{answer}");
}

async fn a_lease_is_renewed_by_version(p: &Place) {
    let path = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"},
        "spec": {"holderIdentity": "x", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.000001Z"}});
    let mut made = p.create(path, lease).await;
    let before = revision(&made);
    made["spec"]["renewTime"] = json!("2026-01-01T00:00:10.000002Z");
    let renewed = p.put(&format!("{path}/a"), made.clone()).await.value(200);
    assert!(revision(&renewed) > before);
    assert_eq!(renewed["spec"]["renewTime"], "2026-01-01T00:00:10.000002Z");
    p.put(&format!("{path}/a"), made).await.refused_with(409, "Conflict", "leases.coordination.k8s.io \"a\"");
    assert_eq!(names(&p.get(path).await.value(200)), ["a"]);
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let found = list.as_array().into_iter().flatten().find(|item| item["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not listed"))
}

fn bird(document: &Value) -> Option<Value> {
    let schemas = document["components"]["schemas"].as_object()?;
    let is_bird = |kind: &Value| kind["kind"] == "Bird";
    let kinds = |schema: &Value| schema["x-kubernetes-group-version-kind"].as_array().cloned().unwrap_or_default();
    schemas.values().find(|schema| kinds(schema).iter().any(is_bird)).cloned()
}
