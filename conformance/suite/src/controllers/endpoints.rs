//! Services: the addresses of the pods that they select, as EndpointSlices and as Endpoints.

use serde_json::{Value, json};

use super::pods::{items, name_of, owner_of, template};
use crate::behaviour::behaviours;
use crate::place::{PODS, Place};

behaviours! {
    "EndpointSlice": a_service_has_a_slice_with_the_pods_it_selects,
        a_pod_that_is_not_ready_is_in_the_slice_as_such,
        a_pod_on_no_node_has_no_endpoint,
        a_port_by_name_is_the_pods,
        endpoints_have_the_ready_and_the_others,
        a_service_without_a_selector_has_no_slice,
        a_slice_goes_with_its_service;
}

const SERVICES: &str = "/api/v1/namespaces/{ns}/services";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const ENDPOINTS: &str = "/api/v1/namespaces/{ns}/endpoints/web";

async fn service(p: &Place, port: Value) {
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "labels": {"team": "a"}},
        "spec": {"selector": {"app": "web"}, "ports": [port]},
    });
    p.create(SERVICES, service).await;
}

/// A pod on a node: what is on none has no endpoint.
async fn pod(p: &Place, name: &str) {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "{ns}"}});
    if p.post("/api/v1/nodes", node).await.code == 201 {
        p.remove_later("/api/v1/nodes/{ns}");
    }
    let mut pod = template("a");
    pod["spec"]["nodeName"] = json!("{ns}");
    pod["apiVersion"] = json!("v1");
    pod["kind"] = json!("Pod");
    pod["metadata"]["name"] = json!(name);
    p.create(PODS, pod).await;
}

/// The endpoints of the only slice.
fn endpoints(list: &Value) -> Vec<Value> {
    items(list).first().and_then(|slice| slice["endpoints"].as_array().cloned()).unwrap_or_default()
}

async fn a_service_has_a_slice_with_the_pods_it_selects(p: &Place) {
    service(p, json!({"name": "http", "port": 80, "targetPort": 8080})).await;
    pod(p, "a").await;
    p.run_pod("a", "10.1.0.1").await;
    let list = p.becomes("the pod is in it", SLICES, |list| endpoints(list).len() == 1).await;
    let slice = items(&list)[0].clone();
    let labels = &slice["metadata"]["labels"];
    assert_eq!(labels["kubernetes.io/service-name"], "web");
    assert_eq!(labels["endpointslice.kubernetes.io/managed-by"], "endpointslice-controller.k8s.io");
    assert_eq!(labels["team"], "a");
    assert_eq!(slice["metadata"]["generateName"], "web-");
    assert_eq!(slice["addressType"], "IPv4");
    assert_eq!(slice["ports"], json!([{"name": "http", "port": 8080, "protocol": "TCP"}]));
    assert_eq!(owner_of(&slice)["kind"], "Service");
    let endpoint = &endpoints(&list)[0];
    assert_eq!(endpoint["addresses"], json!(["10.1.0.1"]));
    assert_eq!(endpoint["conditions"], json!({"ready": true, "serving": true, "terminating": false}));
    assert_eq!(endpoint["nodeName"], p.named("{ns}").as_str());
    assert_eq!((&endpoint["targetRef"]["kind"], &endpoint["targetRef"]["name"]), (&json!("Pod"), &json!("a")));
}

async fn a_pod_that_is_not_ready_is_in_the_slice_as_such(p: &Place) {
    service(p, json!({"port": 80})).await;
    pod(p, "a").await;
    p.run_pod("a", "10.1.0.1").await;
    p.becomes("it is ready", SLICES, |list| endpoints(list).iter().any(|it| it["conditions"]["ready"] == true)).await;
    let status = json!({"status": {"conditions": [{"type": "Ready", "status": "False"}]}});
    p.strategic(&format!("{PODS}/a/status"), status).await.value(200);
    let list = p
        .becomes("it is not", SLICES, |list| endpoints(list).iter().any(|it| it["conditions"]["ready"] == false))
        .await;
    assert_eq!(endpoints(&list)[0]["conditions"], json!({"ready": false, "serving": false, "terminating": false}));
}

async fn a_pod_on_no_node_has_no_endpoint(p: &Place) {
    service(p, json!({"port": 80})).await;
    let mut nowhere = template("a");
    nowhere["apiVersion"] = json!("v1");
    nowhere["kind"] = json!("Pod");
    nowhere["metadata"]["name"] = json!("nowhere");
    p.create(PODS, nowhere).await;
    p.run_pod("nowhere", "10.1.0.9").await;
    pod(p, "a").await;
    p.run_pod("a", "10.1.0.1").await;
    let list = p.becomes("the other one is in it", SLICES, |list| !endpoints(list).is_empty()).await;
    assert_eq!(endpoints(&list).len(), 1);
    assert_eq!(endpoints(&list)[0]["addresses"], json!(["10.1.0.1"]));
}

async fn a_port_by_name_is_the_pods(p: &Place) {
    service(p, json!({"port": 80, "targetPort": "http"})).await;
    pod(p, "a").await;
    p.run_pod("a", "10.1.0.1").await;
    let list = p.becomes("the pod is in it", SLICES, |list| endpoints(list).len() == 1).await;
    assert_eq!(items(&list)[0]["ports"], json!([{"name": "", "port": 8080, "protocol": "TCP"}]));
}

async fn endpoints_have_the_ready_and_the_others(p: &Place) {
    service(p, json!({"name": "http", "port": 80, "targetPort": 8080})).await;
    for (name, address) in [("a", "10.1.0.1"), ("b", "10.1.0.2")] {
        pod(p, name).await;
        p.run_pod(name, address).await;
    }
    let status = json!({"status": {"conditions": [{"type": "Ready", "status": "False"}]}});
    p.strategic(&format!("{PODS}/b/status"), status).await.value(200);
    let is_both =
        |it: &Value| it["subsets"][0]["addresses"].is_array() && it["subsets"][0]["notReadyAddresses"].is_array();
    let endpoints = p.becomes("both are there", ENDPOINTS, is_both).await;
    let subset = &endpoints["subsets"][0];
    assert_eq!(
        (&subset["addresses"][0]["ip"], &subset["notReadyAddresses"][0]["ip"]),
        (&json!("10.1.0.1"), &json!("10.1.0.2"))
    );
    assert_eq!(subset["ports"], json!([{"name": "http", "port": 8080, "protocol": "TCP"}]));
    assert_eq!(endpoints["metadata"]["labels"]["endpoints.kubernetes.io/managed-by"], "endpoint-controller");
    assert_eq!(endpoints["metadata"]["labels"]["team"], "a");
}

async fn a_service_without_a_selector_has_no_slice(p: &Place) {
    let none =
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "none"}, "spec": {"ports": [{"port": 80}]}});
    p.create(SERVICES, none).await;
    service(p, json!({"port": 80})).await;
    p.becomes("the other one has", SLICES, |list| !items(list).is_empty()).await;
    let slices = items(&p.get(SLICES).await.value(200));
    assert!(slices.iter().all(|slice| name_of(slice).starts_with("web-")), "{slices:?}");
}

async fn a_slice_goes_with_its_service(p: &Place) {
    service(p, json!({"port": 80})).await;
    p.becomes("it has one", SLICES, |list| !items(list).is_empty()).await;
    p.becomes("and endpoints", ENDPOINTS, |endpoints| endpoints["metadata"]["name"] == "web").await;
    p.delete(&format!("{SERVICES}/web")).await.value(200);
    p.becomes("it has none", SLICES, |list| items(list).is_empty()).await;
    p.eventually("nor endpoints", ENDPOINTS, |answer| answer.code == 404).await;
}
