//! Tables, as `kubectl get` asks for them.

use super::world::{DEFINITIONS, DOCUMENTS, MAPS, World, definition};
use pintle_apiserver::Server;
use serde_json::{Value, json};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/// A world whose clock stands, because ages are shown.
fn timeless() -> World {
    World { server: Server::builder().clock(|| jiff::Timestamp::UNIX_EPOCH).build() }
}

async fn table(world: &World, path: &str) -> Value {
    let table = world.send("GET", path, &[("accept", TABLE)], Vec::new()).await.expect(200);
    assert_eq!((&table["kind"], &table["apiVersion"]), (&json!("Table"), &json!("meta.k8s.io/v1")));
    table
}

fn columns(table: &Value) -> Vec<&str> {
    table["columnDefinitions"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_list_is_a_row_per_object() {
    let world = timeless();
    world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"x": "1", "y": "2"}})).await.expect(201);
    let all = table(&world, MAPS).await;
    assert_eq!(columns(&all), ["Name", "Data", "Age"]);
    assert_eq!(all["rows"][0]["cells"], json!(["a", 2, "0s"]));
    assert_eq!(all["rows"][0]["object"]["kind"], "PartialObjectMetadata");
    assert!(all["metadata"]["resourceVersion"].is_string());
    let one = table(&world, &format!("{MAPS}/a?includeObject=Object")).await;
    assert_eq!(one["rows"][0]["object"]["data"], json!({"x": "1", "y": "2"}));
    let bare = table(&world, &format!("{MAPS}?includeObject=None")).await;
    assert_eq!(bare["rows"][0]["object"], Value::Null);
}

#[tokio::test]
async fn pods_services_and_deployments_have_their_columns() {
    let world = timeless();
    let core = "/api/v1/namespaces/default";
    let container = json!([{"name": "c", "image": "i"}]);
    world
        .post(&format!("{core}/pods"), json!({"metadata": {"name": "p"}, "spec": {"containers": container}}))
        .await
        .expect(201);
    let status = json!({"phase": "Running", "containerStatuses": [{"name": "c", "ready": true, "restartCount": 3}]});
    world.merge(&format!("{core}/pods/p/status"), json!({"status": status})).await.expect(200);
    let pods = table(&world, &format!("{core}/pods")).await;
    assert_eq!(
        pods["rows"][0]["cells"],
        json!(["p", "1/1", "Running", "3", "0s", "<none>", "<none>", "<none>", "<none>"])
    );
    let service = json!({"metadata": {"name": "s"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}});
    world.post(&format!("{core}/services"), service).await.expect(201);
    let services = table(&world, &format!("{core}/services/s")).await;
    assert_eq!(services["rows"][0]["cells"], json!(["s", "ClusterIP", "None", "<none>", "80/TCP", "0s", "<none>"]));
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": container}});
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    world.post(deployments, json!({"metadata": {"name": "d"}, "spec": spec})).await.expect(201);
    assert_eq!(table(&world, deployments).await["rows"][0]["cells"], json!(["d", "0/1", 0, 0, "0s", "c", "i", "a=b"]));
}

#[tokio::test]
async fn a_definition_states_its_columns() {
    let world = World::new();
    let mut defined = definition();
    defined["spec"]["versions"][1]["additionalPrinterColumns"] = json!([
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status", "priority": 1},
    ]);
    world.post(DEFINITIONS, defined).await.expect(201);
    world.post(DOCUMENTS, json!({"metadata": {"name": "d"}, "spec": {"size": 3}})).await.expect(201);
    let stated = table(&world, DOCUMENTS).await;
    assert_eq!(columns(&stated), ["Name", "Size", "Ready"]);
    assert_eq!(stated["rows"][0]["cells"], json!(["d", 3, null]));
    let other = table(&world, &DOCUMENTS.replace("/v1/", "/v1beta1/")).await;
    assert_eq!(columns(&other), ["Name", "Age"]);
}

#[tokio::test]
async fn a_watch_sends_its_columns_once() {
    let world = World::new();
    world.map("a").await;
    let mut watch = world.watch_as(&format!("{MAPS}?watch=true"), TABLE).await;
    let first = watch.next().await.unwrap();
    assert_eq!((&first["type"], &first["object"]["kind"]), (&json!("ADDED"), &json!("Table")));
    assert_eq!(columns(&first["object"]).len(), 3);
    world.map("b").await;
    let second = watch.next().await.unwrap();
    assert_eq!(second["object"]["columnDefinitions"], Value::Null);
    assert_eq!(second["object"]["rows"][0]["cells"][0], "b");
}

#[tokio::test]
async fn refusals_and_reviews_are_not_tables() {
    let world = World::new();
    let missing = world.send("GET", &format!("{MAPS}/none"), &[("accept", TABLE)], Vec::new()).await;
    assert_eq!(missing.expect(404)["kind"], "Status");
    let review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let body = json!({"spec": {"nonResourceAttributes": {"path": "/"}}}).to_string().into_bytes();
    assert_eq!(
        world.send("POST", review, &[("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")], body).await.code,
        406
    );
}
