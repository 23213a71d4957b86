//! CustomResourceDefinitions.

use super::world::{DEFINITIONS, DOCUMENTS, World, definition};
use serde_json::{Value, json};

const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/documents.example.com";

fn condition(definition: &Value, kind: &str) -> Value {
    let conditions = definition["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.into_iter().find(|condition| condition["type"] == kind).unwrap_or_default()
}

#[tokio::test]
async fn a_definition_is_established_and_served_at_once() {
    let world = World::new();
    let mut watch = world.watch(&format!("{DEFINITIONS}?watch=true")).await;
    world.define().await;
    assert!(watch.line().await.starts_with("ADDED documents.example.com"));
    let established = watch.next().await.unwrap();
    assert_eq!(established["type"], "MODIFIED");
    let object = world.get(PATH).await.expect(200);
    assert_eq!(established["object"], object);
    assert_eq!(condition(&object, "NamesAccepted")["reason"], "NoConflicts");
    assert_eq!(condition(&object, "Established")["status"], "True");
    let names = json!({"plural": "documents", "singular": "document", "kind": "Document", "listKind": "DocumentList", "shortNames": ["doc"]});
    assert_eq!(object["status"]["acceptedNames"], names);
    assert_eq!(object["status"]["storedVersions"], json!(["v1"]));
    assert_eq!(object["spec"]["conversion"]["strategy"], "None");
    assert_eq!(world.get(DOCUMENTS).await.expect(200)["kind"], "DocumentList");
}

#[tokio::test]
async fn a_definition_is_checked() {
    let world = World::new();
    let changed = |pointer: &str, value: Value| {
        let mut definition = definition();
        *definition.pointer_mut(pointer).unwrap() = value;
        definition
    };
    let table = [
        (changed("/metadata/name", json!("wrong.example.com")), 422, "must be spec.names.plural+\".\"+spec.group"),
        (
            changed("/spec/versions/0/storage", json!(true)),
            422,
            "must have exactly one version marked as storage version",
        ),
        (
            changed("/spec/scope", json!("Galaxy")),
            422,
            "spec.scope: Unsupported value: \"Galaxy\": supported values: \"Cluster\", \"Namespaced\"",
        ),
        (
            changed("/spec/versions/0/schema", json!(null)),
            422,
            "spec.versions[0].schema.openAPIV3Schema: Required value",
        ),
        (changed("/spec/names/kind", json!("")), 422, "spec.names.kind: Required value"),
        (
            changed("/spec/names", json!([])),
            400,
            "cannot unmarshal array into Go struct field CustomResourceDefinitionSpec.spec.names",
        ),
        (changed("/spec/group", json!("example")), 422, "should be a domain with at least one dot"),
        (
            changed("/spec/names/plural", json!("a/b")),
            422,
            "spec.names.plural: Invalid value: \"a/b\": a DNS-1035 label must",
        ),
        (
            changed("/spec/names/kind", json!("Do\"c")),
            422,
            "spec.names.kind: Invalid value: \"Do\\\"c\": may have mixed case, but should otherwise match: a DNS-1035 label must",
        ),
        (
            changed("/spec/versions/0/name", json!("V 1")),
            422,
            "spec.versions[0].name: Invalid value: \"V 1\": a DNS-1035 label must",
        ),
        (changed("/spec/versions/0/name", json!("v1")), 422, "must contain unique version names"),
    ];
    for (body, code, message) in table {
        let reply = world.post(DEFINITIONS, body).await;
        assert_eq!(reply.code, code, "{}", reply.text);
        assert!(reply.message().contains(message), "{}", reply.text);
    }
    world.define().await;
    world.merge(&format!("{PATH}/status"), json!({"status": {"conditions": null}})).await.expect(200);
    assert_eq!(condition(&world.get(PATH).await.expect(200), "Established")["status"], "True", "it is made anew");
    let mut webhook = definition();
    webhook["metadata"]["name"] = json!("webhooks.example.com");
    webhook["spec"]["names"] = json!({"plural": "webhooks", "kind": "Webhook"});
    webhook["spec"]["conversion"] = json!({"strategy": "Webhook"});
    let refused = world.post(DEFINITIONS, webhook.clone()).await;
    assert!(refused.message().contains("spec.conversion.webhookClientConfig: Required value"), "{}", refused.text);
    let config = json!({"clientConfig": {"url": "https://127.0.0.1/"}, "conversionReviewVersions": ["v1"]});
    webhook["spec"]["conversion"]["webhook"] = config;
    world.post(DEFINITIONS, webhook).await.expect(201);
    let mut protected = definition();
    protected["spec"]["group"] = json!("x.k8s.io");
    protected["metadata"]["name"] = json!("documents.x.k8s.io");
    assert!(world.post(DEFINITIONS, protected).await.message().contains("api-approved.kubernetes.io"));
}

#[tokio::test]
async fn a_definition_whose_conversion_webhook_is_not_there_is_served_at_its_stored_version() {
    let world = World::new();
    let mut definition = definition();
    let service = json!({"name": "w", "namespace": "operators"});
    let webhook = json!({"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]});
    definition["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": webhook});
    let created = world.post(DEFINITIONS, definition).await.expect(201);
    assert_eq!(created["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["port"], 443);
    let older = DOCUMENTS.replace("v1", "v1beta1");
    let refused = world.post(&older, json!({"metadata": {"name": "d"}, "spec": {"title": "t"}})).await;
    let why = "conversion webhook for example.com/v1beta1, Kind=Document failed: Post \
               \"https://w.operators.svc:443/?timeout=30s\": service \"w\" not found";
    assert_eq!((refused.code, refused.message().as_str()), (500, why));
    world.post(DOCUMENTS, json!({"metadata": {"name": "d"}, "spec": {"title": "t"}})).await.expect(201);
    world.get(&format!("{DOCUMENTS}/d")).await.expect(200);
    world.get(&format!("{older}/d")).await.expect(500);
}

#[tokio::test]
async fn names_that_are_taken_are_not_accepted_until_they_are_free() {
    let world = World::new();
    world.define().await;
    let mut other = definition();
    other["metadata"]["name"] = json!("papers.example.com");
    other["spec"]["names"] = json!({"plural": "papers", "kind": "Document"});
    world.post(DEFINITIONS, other).await.expect(201);
    let path = format!("{DEFINITIONS}/papers.example.com");
    let object = world.get(&path).await.expect(200);
    assert_eq!(condition(&object, "NamesAccepted")["status"], "False");
    assert!(condition(&object, "NamesAccepted")["message"].as_str().unwrap().ends_with("is already in use"));
    assert_eq!(condition(&object, "Established")["status"], "False");
    let papers = "/apis/example.com/v1/namespaces/default/papers";
    assert_eq!(world.get(papers).await.code, 404);
    world.delete(PATH).await.expect(200);
    assert_eq!(condition(&world.get(&path).await.expect(200), "Established")["status"], "True");
    assert_eq!(world.get(papers).await.code, 200);
}

#[tokio::test]
async fn a_definition_goes_after_its_objects() {
    let world = World::new();
    world.define().await;
    world.post(DOCUMENTS, json!({"metadata": {"name": "held", "finalizers": ["x/y"]}})).await.expect(201);
    world.post(DOCUMENTS, json!({"metadata": {"name": "free"}})).await.expect(201);
    let marked = world.delete(PATH).await.expect(200);
    assert_eq!(marked["metadata"]["finalizers"], json!(["customresourcecleanup.apiextensions.k8s.io"]));
    assert_eq!(condition(&marked, "Terminating")["status"], "True");
    assert_eq!(world.get(&format!("{DOCUMENTS}/free")).await.code, 404);
    let refused = world.post(DOCUMENTS, json!({"metadata": {"name": "new"}})).await;
    assert_eq!(refused.code, 403);
    assert!(refused.message().contains("create not allowed while custom resource definition is terminating"));
    world.merge(&format!("{DOCUMENTS}/held"), json!({"metadata": {"finalizers": null}})).await.expect(200);
    assert_eq!(world.get(PATH).await.code, 404);
    assert_eq!(world.get(DOCUMENTS).await.code, 404);
    world.define().await;
    assert_eq!(world.get(DOCUMENTS).await.expect(200)["items"], json!([]));
}

#[tokio::test]
async fn versions_and_scope_follow_the_definition() {
    let world = World::new();
    let mut cluster_wide = definition();
    cluster_wide["spec"]["scope"] = json!("Cluster");
    cluster_wide["spec"]["versions"][0]["served"] = json!(false);
    cluster_wide["spec"]["versions"][1]["subresources"] = json!({});
    world.post(DEFINITIONS, cluster_wide).await.expect(201);
    let path = "/apis/example.com/v1/documents";
    let created = world.post(path, json!({"metadata": {"name": "a"}, "status": {"kept": true}})).await.expect(201);
    assert_eq!(created["status"]["kept"], true, "without a subresource the status is content");
    assert!(created["metadata"].get("namespace").is_none());
    assert_eq!(world.merge(&format!("{path}/a"), json!({"status": 1})).await.expect(200)["metadata"]["generation"], 2);
    assert_eq!(world.get(DOCUMENTS).await.code, 404);
    assert_eq!(world.get("/apis/example.com/v1beta1/documents").await.code, 404);
    assert_eq!(world.get(&format!("{path}/a/status")).await.code, 404);
}

#[tokio::test]
async fn fields_of_a_definition_that_are_null_count_as_absent() {
    let world = World::new();
    let mut definition = definition();
    for field in ["singular", "listKind", "shortNames", "categories"] {
        definition["spec"]["names"][field] = json!(null);
    }
    definition["spec"]["conversion"] = json!(null);
    definition["spec"]["versions"][1]["subresources"] = json!(null);
    let created = world.post(DEFINITIONS, definition).await.expect(201);
    assert_eq!(created["spec"]["names"]["listKind"], "DocumentList");
    assert_eq!(created["spec"]["conversion"]["strategy"], "None");
    assert_eq!(world.get(DOCUMENTS).await.code, 200);
}

#[tokio::test]
async fn what_objects_are_stored_under_cannot_change() {
    let world = World::new();
    world.define().await;
    let table = [
        (json!({"scope": "Cluster"}), "spec.scope: Invalid value: \"Cluster\": field is immutable"),
        (json!({"names": {"kind": "Paper"}}), "spec.names.kind: Invalid value: \"Paper\": field is immutable"),
        (json!({"group": "example.org"}), "spec.group: Invalid value: \"example.org\": field is immutable"),
        (json!({"names": {"plural": "papers"}}), "spec.names.plural: Invalid value: \"papers\": field is immutable"),
    ];
    for (spec, message) in table {
        let reply = world.merge(PATH, json!({ "spec": spec })).await;
        assert_eq!(reply.code, 422, "{}", reply.text);
        assert!(reply.message().contains(message), "{}", reply.text);
    }
    let mut versions = definition()["spec"]["versions"].as_array().unwrap()[..1].to_vec();
    versions[0]["storage"] = json!(true);
    let reply = world.merge(PATH, json!({"spec": {"versions": versions}})).await;
    assert_eq!(reply.code, 422, "{}", reply.text);
    assert!(
        reply.message().contains("status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions"),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn a_plural_that_is_another_kinds_short_name_is_taken() {
    let world = World::new();
    world.define().await;
    let mut other = definition();
    other["metadata"]["name"] = json!("doc.example.com");
    other["spec"]["names"] = json!({"plural": "doc", "singular": "dok", "kind": "Dok"});
    world.post(DEFINITIONS, other).await.expect(201);
    let object = world.get(&format!("{DEFINITIONS}/doc.example.com")).await.expect(200);
    assert_eq!(condition(&object, "NamesAccepted")["reason"], "PluralConflict");
}

#[tokio::test]
async fn a_deprecated_version_warns_every_client_that_uses_it() {
    let world = World::new();
    let mut object = definition();
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    object["spec"]["versions"] = json!([
        {"name": "v1", "served": true, "storage": true, "schema": schema},
        {"name": "v1beta1", "served": true, "storage": false, "deprecated": true, "schema": schema},
        {"name": "v1alpha1", "served": true, "storage": false, "deprecated": true, "deprecationWarning": "go away", "schema": schema},
    ]);
    world.post(DEFINITIONS, object).await.expect(201);
    let warning = |version: &str| {
        let path = format!("/apis/example.com/{version}/namespaces/default/documents");
        let world = &world;
        async move { world.get(&path).await.header("warning").to_owned() }
    };
    assert_eq!(warning("v1").await, "");
    let expected = "299 - \"example.com/v1beta1 Document is deprecated; use example.com/v1 Document\"";
    assert_eq!(warning("v1beta1").await, expected);
    assert_eq!(warning("v1alpha1").await, "299 - \"go away\"");
    let missing = world.get("/apis/example.com/v1beta1/namespaces/default/documents/none").await;
    assert_eq!((missing.code, missing.header("warning")), (404, expected));
}

#[tokio::test]
async fn what_the_stored_version_has_no_place_for_is_not_kept() {
    let world = World::new();
    let with = |field: &str| {
        let spec = json!({"type": "object", "properties": {field: {"type": "string"}, "both": {"type": "string"}}});
        json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}})
    };
    let mut object = definition();
    object["spec"]["versions"] = json!([
        {"name": "v1", "served": true, "storage": true, "schema": with("new")},
        {"name": "v1beta1", "served": true, "storage": false, "schema": with("old")},
    ]);
    world.post(DEFINITIONS, object).await.expect(201);
    let old = "/apis/example.com/v1beta1/namespaces/default/documents";
    let sent = json!({"metadata": {"name": "a"}, "spec": {"old": "o", "new": "n", "both": "b"}});
    let made = world.post(old, sent.clone()).await.expect(201);
    assert_eq!((&made["apiVersion"], &made["spec"]), (&json!("example.com/v1beta1"), &json!({"both": "b"})));
    let mut watch = world.watch(&format!("{DOCUMENTS}?watch=true")).await;
    let seen = watch.next().await.unwrap()["object"].clone();
    assert_eq!((&seen["apiVersion"], &seen["spec"]), (&json!("example.com/v1"), &json!({"both": "b"})));
    let sent = json!({"metadata": {"name": "b"}, "spec": {"old": "o", "new": "n", "both": "b"}});
    assert_eq!(world.post(DOCUMENTS, sent).await.expect(201)["spec"], json!({"new": "n", "both": "b"}));
    assert_eq!(world.get(&format!("{old}/b")).await.expect(200)["spec"], json!({"both": "b"}));
    assert_eq!(world.get(&format!("{DOCUMENTS}/b")).await.expect(200)["spec"], json!({"new": "n", "both": "b"}));
}

#[tokio::test]
async fn a_new_definition_says_where_its_objects_are_stored_before_it_is_served() {
    let world = World::new();
    let made = world.post(DEFINITIONS, definition()).await.expect(201);
    let status = json!({"acceptedNames": {"kind": "", "plural": ""}, "conditions": null, "storedVersions": ["v1"]});
    assert_eq!(made["status"], status);
    let kinds: Vec<Value> = world.get(PATH).await.expect(200)["status"]["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|condition| condition["type"].clone())
        .collect();
    assert_eq!(kinds, ["NamesAccepted", "Established"]);
}

#[tokio::test]
async fn once_served_a_definition_keeps_the_names_it_has_where_new_ones_are_taken() {
    let world = World::new();
    world.define().await;
    let mut other = definition();
    other["metadata"]["name"] = json!("papers.example.com");
    other["spec"]["names"] = json!({"plural": "papers", "kind": "Paper"});
    world.post(DEFINITIONS, other).await.expect(201);
    let path = format!("{DEFINITIONS}/papers.example.com");
    world.merge(&path, json!({"spec": {"names": {"singular": "document", "shortNames": ["pp"]}}})).await.expect(200);
    let object = world.get(&path).await.expect(200);
    assert_eq!(condition(&object, "NamesAccepted")["reason"], "SingularConflict");
    assert_eq!(condition(&object, "Established")["status"], "True", "what is served stays served");
    assert_eq!(object["status"]["acceptedNames"]["singular"], "paper");
    assert_eq!(object["status"]["acceptedNames"]["shortNames"], json!(["pp"]));
    assert_eq!(world.get("/apis/example.com/v1/namespaces/default/papers").await.code, 200);
}

#[tokio::test]
async fn a_finalizer_without_a_domain_is_taken_and_warned_of_once() {
    let world = World::new();
    world.define().await;
    let made = world.post(DOCUMENTS, json!({"metadata": {"name": "a", "finalizers": ["mine"]}})).await;
    assert!(made.header("warning").contains("prefer a domain-qualified finalizer name"), "{:?}", made.headers);
    assert_eq!(made.code, 201);
    let path = format!("{DOCUMENTS}/a");
    let again = world.merge(&path, json!({"metadata": {"labels": {"x": "y"}}})).await;
    assert_eq!((again.code, again.header("warning")), (200, ""));
}

#[tokio::test]
async fn metadata_of_the_wrong_type_is_refused_in_go_s_words() {
    let world = World::new();
    world.define().await;
    let refused = world.post(DOCUMENTS, json!({"metadata": {"name": "a", "labels": {"x": 1}}})).await;
    assert_eq!(refused.code, 400);
    let sentence = "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string";
    assert!(refused.message().ends_with(sentence), "{}", refused.text);
}

/// How stored objects come to a new storage version: each is read and written as it is.
#[tokio::test]
async fn a_write_that_changes_nothing_stores_the_object_at_a_new_storage_version() {
    let world = World::new();
    world.define().await;
    let object = world.post(DOCUMENTS, json!({"metadata": {"name": "d"}, "spec": {"a": 1}})).await.expect(201);
    let path = format!("{DOCUMENTS}/d");
    let same = world.put(&path, &object).await.expect(200);
    assert_eq!(same["metadata"]["resourceVersion"], object["metadata"]["resourceVersion"], "it is stored so already");
    let mut definition = world.get(PATH).await.expect(200);
    for version in definition["spec"]["versions"].as_array_mut().unwrap() {
        version["storage"] = (version["name"] == "v1beta1").into();
    }
    world.put(PATH, &definition).await.expect(200);
    let moved = world.put(&path, &object).await.expect(200);
    assert_ne!(moved["metadata"]["resourceVersion"], object["metadata"]["resourceVersion"]);
    let again = world.put(&path, &moved).await.expect(200);
    assert_eq!(again["metadata"]["resourceVersion"], moved["metadata"]["resourceVersion"]);
    assert_eq!((&again["apiVersion"], &again["spec"]), (&json!("example.com/v1"), &json!({"a": 1})));
}
