//! Addresses and node ports of Services: none is given to two. The script `write/service-network` shows the words.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::join_all;
use pintle_apiserver::Server;
use serde_json::{Value, json};

use super::world::World;

const SERVICES: &str = "/api/v1/namespaces/default/services";

fn service(name: &str, more: Value) -> Value {
    let mut service = json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}});
    let Value::Object(more) = more else { panic!("fields of a spec") };
    more.into_iter().for_each(|(field, value)| service["spec"][field] = value);
    service
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_services_at_once_get_fifty_addresses_and_ports() {
    let world = Arc::new(World::new());
    let tasks = (0..50).map(|number| {
        let world = Arc::clone(&world);
        let body = service(&format!("s{number}"), json!({"type": "NodePort"}));
        tokio::spawn(async move { world.post(SERVICES, body).await.expect(201) })
    });
    let made: Vec<Value> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
    let addresses: BTreeSet<String> = made.iter().map(|it| it["spec"]["clusterIP"].to_string()).collect();
    let ports: BTreeSet<String> = made.iter().map(|it| it["spec"]["ports"][0]["nodePort"].to_string()).collect();
    assert_eq!((addresses.len(), ports.len()), (50, 50));
}

#[tokio::test]
async fn of_fifty_who_want_one_address_or_port_one_gets_it() {
    let world = World::new();
    for more in
        [json!({"clusterIP": "10.0.0.9"}), json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30007}]})]
    {
        let bodies = (0..50).map(|number| service(&format!("s{number}"), more.clone()));
        let answers = join_all(bodies.map(|body| world.post(SERVICES, body))).await;
        let codes: Vec<u16> = answers.iter().map(|answer| answer.code).collect();
        assert_eq!(codes.iter().filter(|code| **code == 201).count(), 1, "{codes:?}");
        assert_eq!(codes.iter().filter(|code| **code == 422).count(), 49, "{codes:?}");
        world.delete(SERVICES).await.expect(200);
    }
}

#[tokio::test]
async fn when_all_node_ports_are_given_the_next_service_is_refused() {
    let world = World::new();
    let ports = |count: usize| -> Vec<Value> {
        (1..=count).map(|port| json!({"port": port, "name": format!("p{port}")})).collect()
    };
    for name in ["a", "b"] {
        world.post(SERVICES, service(name, json!({"type": "NodePort", "ports": ports(1384)}))).await.expect(201);
    }
    let refused = world.post(SERVICES, service("c", json!({"type": "NodePort"}))).await;
    assert_eq!(refused.code, 500);
    assert_eq!(refused.message(), "Internal error occurred: failed to allocate a nodePort: range is full");
    world.delete(&format!("{SERVICES}/a")).await.expect(200);
    world.post(SERVICES, service("c", json!({"type": "NodePort"}))).await.expect(201);
}

#[tokio::test]
async fn a_service_that_is_gone_gives_back_what_it_had() {
    let world = World::new();
    let more = json!({"clusterIP": "10.0.0.9", "type": "NodePort", "ports": [{"port": 80, "nodePort": 30007}]});
    world.post(SERVICES, service("a", more.clone())).await.expect(201);
    assert_eq!(
        world.post(SERVICES, service("b", more.clone())).await.message(),
        "Service \"b\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.9\"]: failed to allocate IP 10.0.0.9: \
         provided IP is already allocated"
    );
    world.delete(&format!("{SERVICES}/a")).await.expect(200);
    world.post(SERVICES, service("b", more)).await.expect(201);
}

#[tokio::test]
async fn addresses_are_from_the_range_that_was_asked_for() {
    let range = "192.168.7.0/24".parse().unwrap();
    let world = World { server: Server::builder().service_cluster_ip_range(range).build() };
    let address = |service: Value| service["spec"]["clusterIP"].as_str().unwrap_or_default().to_owned();
    assert_eq!(address(world.get(&format!("{SERVICES}/kubernetes")).await.expect(200)), "192.168.7.1");
    let made = world.post(SERVICES, service("a", json!({}))).await.expect(201);
    assert_eq!(address(made), "192.168.7.17");
    let chosen = world.post(SERVICES, service("b", json!({"clusterIP": "192.168.7.9"}))).await.expect(201);
    assert_eq!(address(chosen), "192.168.7.9");
    let outside = world.post(SERVICES, service("c", json!({"clusterIP": "10.0.0.9"}))).await;
    assert!(outside.message().contains("the provided network does not match the current range"), "{}", outside.text);
}

#[tokio::test]
async fn the_range_of_services_is_stated_by_a_service_cidr() {
    let world = World::new();
    let range = world.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes").await.expect(200);
    assert_eq!(range["spec"]["cidrs"], json!(["10.0.0.0/16"]));
    let ready = &range["status"]["conditions"][0];
    assert_eq!((&ready["type"], &ready["status"]), (&json!("Ready"), &json!("True")));
    assert_eq!(ready["message"], "Kubernetes default Service CIDR is ready");
    assert!(ready["lastTransitionTime"].is_string());
}
