//! Content types: tables, metadata alone, YAML, protobuf, compression.

use serde_json::json;

use crate::answer::names;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, DEPLOYMENTS, PODS, Place, config_map, definition, version};

use super::writing::{deployment, pod};

behaviours! {
    "1.19": a_list_is_given_as_a_table,
        an_object_is_given_as_a_table,
        a_table_of_pods_has_their_columns,
        a_table_of_deployments_has_their_columns,
        a_table_carries_metadata_unless_asked_otherwise,
        a_watch_is_given_as_tables,
        a_custom_resource_has_its_own_columns,
        a_custom_resource_has_name_and_age_otherwise,
        a_list_is_given_as_metadata,
        an_object_is_given_as_metadata,
        metadata_of_a_list_is_not_a_single_object,
        a_watch_is_given_as_metadata,
        yaml_is_taken,
        yaml_is_given,
        protobuf_is_given_for_built_ins,
        protobuf_is_not_given_for_custom_resources,
        the_first_acceptable_type_is_given,
        a_protobuf_body_is_taken,
        a_large_answer_is_compressed,
        a_small_answer_is_not_compressed,
        an_answer_is_pretty_when_asked;
}

const A: &str = "/api/v1/namespaces/{ns}/configmaps/a";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

async fn a_list_is_given_as_a_table(p: &Place) {
    p.config_map("a", json!({"k": "v", "l": "w"})).await;
    let path = format!("{CONFIG_MAPS}?fieldSelector=metadata.name=a");
    let table = p.ask("GET", &path).accept(TABLE).send().await.value(200);
    assert_eq!((table["kind"].as_str(), table["apiVersion"].as_str()), (Some("Table"), Some("meta.k8s.io/v1")));
    let columns: Vec<&str> = columns(&table);
    assert_eq!(columns, ["Name", "Data", "Age"]);
    assert_eq!(table["rows"][0]["cells"][0], "a");
    assert_eq!(table["rows"][0]["cells"][1], 2);
    assert!(table["metadata"]["resourceVersion"].is_string());
}

async fn an_object_is_given_as_a_table(p: &Place) {
    p.config_map("a", json!({})).await;
    let table = p.ask("GET", A).accept(TABLE).send().await.value(200);
    assert_eq!((table["kind"].as_str(), table["rows"].as_array().map(Vec::len)), (Some("Table"), Some(1)));
}

async fn a_table_of_pods_has_their_columns(p: &Place) {
    p.create(PODS, pod("a")).await;
    let table = p.ask("GET", PODS).accept(TABLE).send().await.value(200);
    let expected = ["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"];
    assert_eq!(columns(&table), expected);
    let cells = table["rows"][0]["cells"].as_array().cloned().unwrap_or_default();
    assert_eq!(cells[..4], [json!("a"), json!("0/1"), json!("Pending"), json!("0")]);
    assert_eq!(cells[5..], [json!("<none>"), json!("<none>"), json!("<none>"), json!("<none>")]);
}

async fn a_table_of_deployments_has_their_columns(p: &Place) {
    p.create(DEPLOYMENTS, deployment("a")).await;
    let table = p.ask("GET", DEPLOYMENTS).accept(TABLE).send().await.value(200);
    let expected = ["Name", "Ready", "Up-to-date", "Available", "Age", "Containers", "Images", "Selector"];
    assert_eq!(columns(&table), expected);
    let cells = table["rows"][0]["cells"].as_array().cloned().unwrap_or_default();
    assert_eq!(cells[..4], [json!("a"), json!("0/1"), json!(0), json!(0)]);
    assert_eq!(cells[5..], [json!("c"), json!("i"), json!("app=a")]);
}

async fn a_table_carries_metadata_unless_asked_otherwise(p: &Place) {
    p.config_map("a", json!({"k": "v"})).await;
    let rows = async |include: &str| {
        let table = p.ask("GET", &format!("{A}{include}")).accept(TABLE).send().await.value(200);
        table["rows"][0]["object"].clone()
    };
    let metadata = rows("").await;
    assert_eq!((metadata["kind"].as_str(), metadata.get("data")), (Some("PartialObjectMetadata"), None));
    assert_eq!(rows("?includeObject=None").await, json!(null));
    assert_eq!(rows("?includeObject=Object").await["data"], json!({"k": "v"}));
}

async fn a_watch_is_given_as_tables(p: &Place) {
    p.config_map("a", json!({})).await;
    let path = format!("{CONFIG_MAPS}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt");
    let mut watch = p.ask("GET", &path).accept(TABLE).watch().await;
    let first = watch.event().await;
    assert_eq!((first["type"].as_str(), first["object"]["kind"].as_str()), (Some("ADDED"), Some("Table")));
    assert_eq!(columns(&first["object"]), ["Name", "Data", "Age"]);
    p.config_map("b", json!({})).await;
    let second = watch.event().await;
    assert_eq!(second["object"]["rows"][0]["cells"][0], "b");
    assert_eq!(second["object"]["columnDefinitions"], json!(null), "only the first event describes the columns");
}

async fn a_custom_resource_has_its_own_columns(p: &Place) {
    let mut versions = json!([version("v1", json!({"size": {"type": "integer"}, "colour": {"type": "string"}}))]);
    versions[0]["additionalPrinterColumns"] = json!([
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Colour", "type": "string", "jsonPath": ".spec.colour", "priority": 1, "description": "its colour"},
        {"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]);
    p.define_as(definition("Hat", versions)).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/hats";
    let hat = json!({"apiVersion": "{group}/v1", "kind": "Hat", "metadata": {"name": "a"}, "spec": {"size": 5}});
    p.create(path, hat).await;
    let table = p.ask("GET", path).accept(TABLE).send().await.value(200);
    assert_eq!(columns(&table), ["Name", "Size", "Colour", "Since"]);
    assert_eq!(table["columnDefinitions"][2]["priority"], 1);
    let cells = &table["rows"][0]["cells"];
    assert_eq!((&cells[0], &cells[1], &cells[2]), (&json!("a"), &json!(5), &json!(null)));
}

async fn a_custom_resource_has_name_and_age_otherwise(p: &Place) {
    p.define("Cap", json!([version("v1", json!({}))])).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/caps";
    p.create(path, json!({"apiVersion": "{group}/v1", "kind": "Cap", "metadata": {"name": "a"}})).await;
    let table = p.ask("GET", path).accept(TABLE).send().await.value(200);
    assert_eq!(columns(&table), ["Name", "Age"]);
}

async fn a_list_is_given_as_metadata(p: &Place) {
    p.config_map("a", json!({"k": "v"})).await;
    let accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    let list = p.ask("GET", CONFIG_MAPS).accept(accept).send().await.value(200);
    assert_eq!(list["kind"], "PartialObjectMetadataList");
    assert!(names(&list).contains(&"a".to_owned()));
    let item = &list["items"][0];
    assert_eq!((&item["kind"], item.get("data")), (&json!("PartialObjectMetadata"), None));
}

async fn an_object_is_given_as_metadata(p: &Place) {
    let made = p.config_map("a", json!({"k": "v"})).await;
    let accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    let object = p.ask("GET", A).accept(accept).send().await.value(200);
    assert_eq!((object["apiVersion"].as_str(), object.get("data")), (Some("meta.k8s.io/v1"), None));
    assert_eq!(object["metadata"], made["metadata"]);
}

async fn metadata_of_a_list_is_not_a_single_object(p: &Place) {
    let accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    let answer = p.ask("GET", CONFIG_MAPS).accept(accept).send().await;
    answer.refused_with(
        406,
        "NotAcceptable",
        "you requested PartialObjectMetadata, but the requested object is a list",
    );
}

async fn a_watch_is_given_as_metadata(p: &Place) {
    p.config_map("a", json!({"k": "v"})).await;
    let accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    let path = format!("{CONFIG_MAPS}?watch=1&fieldSelector=metadata.name=a");
    let object = p.ask("GET", &path).accept(accept).watch().await.expect("ADDED", "a").await;
    assert_eq!((&object["kind"], object.get("data")), (&json!("PartialObjectMetadata"), None));
}

async fn yaml_is_taken(p: &Place) {
    let body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n";
    let answer = p.ask("POST", CONFIG_MAPS).text("application/yaml", body).send().await;
    assert_eq!(answer.value(201)["data"], json!({"k": "v"}));
}

async fn yaml_is_given(p: &Place) {
    p.config_map("a", json!({"k": "v"})).await;
    let answer = p.ask("GET", A).accept("application/yaml").send().await;
    assert_eq!((answer.code, answer.header("content-type")), (200, "application/yaml"));
    assert!(answer.text().starts_with("apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\n"), "{answer}");
}

async fn protobuf_is_given_for_built_ins(p: &Place) {
    p.config_map("a", json!({"k": "v"})).await;
    let answer = p.ask("GET", A).accept("application/vnd.kubernetes.protobuf").send().await;
    assert_eq!((answer.code, answer.header("content-type")), (200, "application/vnd.kubernetes.protobuf"));
    assert!(answer.bytes().starts_with(b"k8s\0"));
}

async fn protobuf_is_not_given_for_custom_resources(p: &Place) {
    p.define("Hose", json!([version("v1", json!({}))])).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/hoses";
    let answer = p.ask("GET", path).accept("application/vnd.kubernetes.protobuf").send().await;
    assert_eq!(answer.code, 406, "{answer}");
    let both = "application/vnd.kubernetes.protobuf,application/json";
    let answer = p.ask("GET", path).accept(both).send().await;
    assert_eq!((answer.code, answer.header("content-type")), (200, "application/json"));
}

async fn the_first_acceptable_type_is_given(p: &Place) {
    let accept = "text/html,application/json;as=Table;v=v9;g=meta.k8s.io,application/json";
    let answer = p.ask("GET", PODS).accept(accept).send().await;
    assert_eq!(answer.value(200)["kind"], "PodList");
    let answer = p.ask("GET", PODS).accept("*/*").send().await;
    assert_eq!(answer.header("content-type"), "application/json");
}

async fn a_protobuf_body_is_taken(p: &Place) {
    p.config_map("a", json!({"k": "v"})).await;
    let protobuf = "application/vnd.kubernetes.protobuf";
    let given = p.ask("GET", A).accept(protobuf).send().await;
    assert_eq!(given.header("content-type"), protobuf);
    let answer = p.ask("PUT", A).bytes(protobuf, given.bytes()).accept("application/json").send().await;
    assert_eq!(answer.value(200)["data"], json!({"k": "v"}));
}

async fn a_large_answer_is_compressed(p: &Place) {
    p.config_map("a", json!({"k": "x".repeat(200_000)})).await;
    let answer = p.ask("GET", A).header("accept-encoding", "gzip").send().await;
    assert_eq!((answer.code, answer.header("content-encoding")), (200, "gzip"));
    assert!(answer.bytes().len() < 10_000 && answer.bytes().starts_with(&[0x1f, 0x8b]));
}

async fn a_small_answer_is_not_compressed(p: &Place) {
    p.config_map("a", json!({})).await;
    let answer = p.ask("GET", A).header("accept-encoding", "gzip").send().await;
    assert_eq!((answer.code, answer.header("content-encoding")), (200, ""));
}

async fn an_answer_is_pretty_when_asked(p: &Place) {
    p.create(CONFIG_MAPS, config_map("a", json!({}))).await;
    let answer = p.get(&format!("{A}?pretty=true")).await;
    assert!(answer.text().starts_with("{\n  \"kind\": \"ConfigMap\",\n"), "{answer}");
    let answer = p.get(A).await;
    assert!(answer.text().starts_with("{\"kind\":\"ConfigMap\","), "{answer}");
}

fn columns(table: &serde_json::Value) -> Vec<&str> {
    let columns = table["columnDefinitions"].as_array().into_iter().flatten();
    columns.filter_map(|column| column["name"].as_str()).collect()
}
