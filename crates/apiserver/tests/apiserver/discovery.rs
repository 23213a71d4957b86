//! Discovery, OpenAPI, version and health.

use super::world::{DEFINITIONS, World};
use serde_json::{Value, json};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn find<'a>(list: &'a Value, field: &str, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|item| item[field] == name).unwrap_or(&Value::Null)
}

#[tokio::test]
async fn legacy_documents_list_built_in_and_custom_kinds() {
    let world = World::new();
    world.define().await;
    assert_eq!(world.get("/api").await.expect(200)["versions"], json!(["v1"]));
    let groups = world.get("/apis").await.expect(200);
    assert_eq!(find(&groups["groups"], "name", "apps")["preferredVersion"]["groupVersion"], "apps/v1");
    let own = world.get("/apis/example.com").await.expect(200);
    assert_eq!(own["preferredVersion"]["version"], "v1");
    assert_eq!(own["versions"].as_array().unwrap().len(), 2);
    let core = world.get("/api/v1").await.expect(200);
    let pods = find(&core["resources"], "name", "pods");
    assert_eq!((&pods["kind"], &pods["shortNames"]), (&json!("Pod"), &json!(["po"])));
    assert_eq!(find(&core["resources"], "name", "pods/eviction")["group"], "policy");
    let apps = world.get("/apis/apps/v1").await.expect(200);
    assert_eq!(find(&apps["resources"], "name", "deployments/scale")["kind"], "Scale");
    let custom = world.get("/apis/example.com/v1").await.expect(200);
    assert_eq!(find(&custom["resources"], "name", "documents")["singularName"], "document");
    assert_eq!(find(&custom["resources"], "name", "documents/status")["kind"], "Document");
    for path in ["/apis/none", "/apis/none/v1", "/nothing", "/apis/example.com/v9/documents"] {
        let reply = world.get(path).await;
        assert_eq!((reply.code, reply.text.as_str()), (404, "404 page not found\n"), "{path}");
        assert!(reply.header("content-type").starts_with("text/plain"));
    }
    // Below groups of Kubernetes' own the answer is a Status.
    for path in ["/api/v2", "/api/v2/pods", "/apis/apps/v9", "/apis/apps/v9/deployments"] {
        let reply = world.get(path).await;
        assert_eq!(
            (reply.code, reply.message()),
            (404, "the server could not find the requested resource".into()),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_aggregated_form_repeats_its_media_type_and_can_be_asked_again() {
    let world = World::new();
    world.define().await;
    let accept = format!(
        "{AGGREGATED},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
    );
    let core = world.send("GET", "/api", &[("accept", &accept)], vec![]).await;
    assert_eq!(core.header("content-type"), AGGREGATED);
    let namespaces = core.json()["items"][0]["versions"][0]["resources"].clone();
    assert_eq!(find(&namespaces, "resource", "namespaces")["scope"], "Cluster");
    let apis = world.send("GET", "/apis", &[("accept", &accept)], vec![]).await;
    assert_eq!((apis.header("vary"), apis.header("cache-control")), ("Accept", "public"));
    let tag = apis.header("etag").to_owned();
    assert_eq!(tag.len(), 130, "a quoted SHA-512");
    let items = apis.json()["items"].clone();
    let own = items.as_array().unwrap().iter().find(|item| item["metadata"]["name"] == "example.com").unwrap();
    let documents = &own["versions"][0]["resources"][0];
    assert_eq!(documents["responseKind"], json!({"group": "example.com", "version": "v1", "kind": "Document"}));
    assert_eq!(documents["subresources"][0]["subresource"], "status");
    let same = [("accept", accept.as_str()), ("if-none-match", tag.as_str())];
    let again = world.send("GET", "/apis", &same, vec![]).await;
    assert_eq!((again.code, again.text.as_str()), (304, ""));
    world.delete(&format!("{DEFINITIONS}/documents.example.com")).await.expect(200);
    assert_eq!(world.send("GET", "/apis", &same, vec![]).await.code, 200, "the definition is gone");
    let plain = world.send("GET", "/apis", &[("accept", "application/json")], vec![]).await.expect(200);
    assert_eq!(plain["kind"], "APIGroupList");
}

#[tokio::test]
async fn openapi_says_that_the_server_is_asked_about_fields() {
    let world = World::new();
    world.define().await;
    let index = world.get("/openapi/v3").await.expect(200);
    let url = index["paths"]["apis/example.com/v1"]["serverRelativeURL"].as_str().unwrap().to_owned();
    let reply = world.get(&url).await;
    assert_eq!(reply.header("cache-control"), "public, immutable");
    let document = reply.expect(200);
    let patch = &document["paths"]["/apis/example.com/v1/namespaces/{namespace}/documents/{name}"]["patch"];
    assert_eq!(
        patch["x-kubernetes-group-version-kind"],
        json!({"group": "example.com", "version": "v1", "kind": "Document"})
    );
    assert_eq!(find(&patch["parameters"], "name", "fieldValidation")["in"], "query");
    let moved = world.get("/openapi/v3/apis/example.com/v1?hash=OLD").await;
    assert_eq!((moved.code, moved.header("location")), (301, url.as_str()));
    assert_eq!(world.get("/openapi/v3/api/v1").await.code, 200);
    assert_eq!(world.get("/openapi/v3/apis/none/v1").await.code, 404);
}

#[tokio::test]
async fn openapi_v2_is_one_document_in_json_or_protobuf() {
    let world = World::new();
    world.define().await;
    let document = world.get("/openapi/v2").await.expect(200);
    assert_eq!(document["swagger"], "2.0");
    let patch = &document["paths"]["/api/v1/namespaces/{name}"]["patch"];
    assert_eq!(find(&patch["parameters"], "name", "fieldValidation")["type"], "string");
    let definitions = &document["definitions"];
    assert_eq!(
        definitions["io.k8s.api.apps.v1.Deployment"]["properties"]["spec"]["$ref"],
        "#/definitions/io.k8s.api.apps.v1.DeploymentSpec"
    );
    assert_eq!(definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"], json!({"type": "string"}));
    assert_eq!(definitions["com.example.v1.Document"]["x-kubernetes-group-version-kind"][0]["kind"], "Document");

    let protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    for accept in [protobuf, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"] {
        let (parts, body) = world.bytes("GET", "/openapi/v2", &[("accept", accept)], vec![]).await;
        assert_eq!((parts.status.as_u16(), &parts.headers["content-type"]), (200, &protobuf.parse().unwrap()));
        assert!(body.starts_with(b"\n\x032.0"), "a Document begins with the version of Swagger");
    }
    assert_eq!(world.send("GET", "/openapi/v2", &[("accept", "text/plain")], vec![]).await.code, 406);
}

#[tokio::test]
async fn version_and_health_answer() {
    let world = World::new();
    let version = world.get("/version?timeout=5s").await.expect(200);
    assert_eq!(
        (&version["major"], &version["minor"], &version["gitVersion"]),
        (&json!("1"), &json!("37"), &json!("v1.37.1"))
    );
    for path in ["/healthz", "/livez", "/readyz"] {
        assert_eq!(world.get(path).await.text, "ok");
        assert!(world.get(&format!("{path}?verbose")).await.text.starts_with("[+]ping ok"));
    }
}

#[tokio::test]
async fn health_lists_the_checks_of_kubernetes_and_each_can_be_asked_for_or_excluded() {
    let world = World::new();
    let paths = world.get("/").await.expect(200)["paths"].clone();
    for endpoint in ["healthz", "livez", "readyz"] {
        let text = world.get(&format!("/{endpoint}?verbose=1")).await.text;
        let checks: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("[+]")?.strip_suffix(" ok")).collect();
        assert!(checks.contains(&"poststarthook/crd-informer-synced"), "{text}");
        assert!(text.ends_with(&format!("{endpoint} check passed\n")), "{text}");
        for check in checks {
            let path = format!("/{endpoint}/{check}");
            assert_eq!(world.get(&path).await.text, "ok", "{path}");
            assert!(paths.as_array().unwrap().contains(&json!(path)), "{path}");
        }
    }
    assert_eq!(world.get("/readyz/shutdown").await.text, "ok");
    assert_eq!(world.get("/livez/shutdown").await.code, 404);
    let text = world.get("/livez?verbose&exclude=etcd&exclude=b&exclude=a").await.text;
    assert!(text.contains("[+]etcd excluded: ok\n"), "{text}");
    let unknown = "warn: some health checks cannot be excluded: no matches for \"a\",\"b\"\nlivez check passed\n";
    assert!(text.ends_with(unknown), "{text}");
}

#[tokio::test]
async fn openapi_states_the_schema_of_every_kind_and_follows_definitions() {
    let world = World::new();
    let index = world.get("/openapi/v3").await.expect(200);
    let apps = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap();
    let document = world.get(apps).await.expect(200);
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let deployment = &schemas["io.k8s.api.apps.v1.Deployment"];
    assert_eq!(deployment["x-kubernetes-group-version-kind"][0]["kind"], "Deployment");
    let containers = &schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
    assert_eq!(containers["x-kubernetes-list-map-keys"], serde_json::json!(["name"]));
    for schema in schemas.values() {
        let text = schema.to_string();
        for reference in text.split("#/components/schemas/").skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(schemas.contains_key(name), "{name}");
        }
    }
    assert!(index["paths"].get("apis/example.com/v1").is_none());
    world.define().await;
    let index = world.get("/openapi/v3").await.expect(200);
    let own = index["paths"]["apis/example.com/v1"]["serverRelativeURL"].as_str().unwrap().to_owned();
    let document = world.get(&own).await.expect(200);
    let properties = &document["components"]["schemas"]["com.example.v1.Document"]["properties"];
    for (field, text) in [("apiVersion", "APIVersion defines"), ("metadata", "Standard object's metadata")] {
        assert!(properties[field]["description"].as_str().unwrap().starts_with(text), "{}", properties[field]);
    }
    let metadata = &document["components"]["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]["properties"];
    let created = metadata["creationTimestamp"]["description"].as_str().unwrap();
    assert!(created.starts_with("CreationTimestamp is a timestamp"), "{created}");
    assert!(document["paths"]["/apis/example.com/v1/namespaces/{namespace}/documents/{name}"]["patch"].is_object());
}

#[tokio::test]
async fn whatever_an_openapi_document_refers_to_is_in_it() {
    let world = World::new();
    world.define().await;
    let index = world.get("/openapi/v3").await.expect(200);
    for path in index["paths"].as_object().unwrap().keys() {
        let reply = world.get(&format!("/openapi/v3/{path}")).await;
        let document = reply.json();
        let mut references =
            reply.text.split("#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap());
        let missing = references.find(|name| document["components"]["schemas"].get(name).is_none());
        assert_eq!(missing, None, "{path}");
    }
}

#[tokio::test]
async fn openapi_lists_exactly_the_paths_of_every_resource() {
    let world = World::new();
    let document = world.get("/openapi/v3/api/v1").await.expect(200);
    let paths = document["paths"].as_object().unwrap();
    let of = "/api/v1/namespaces/{namespace}";
    assert_eq!(paths[&format!("{of}/pods/{{name}}/exec")]["get"]["operationId"], "connectCoreV1GetNamespacedPodExec");
    assert_eq!(paths["/api/v1/watch/pods"]["get"]["x-kubernetes-action"], "watchlist");
    assert!(paths[&format!("{of}/bindings")]["post"].is_object(), "what can only be created");
    assert!(!paths.contains_key(&format!("{of}/bindings/{{name}}")), "and never be read");
}
