//! DaemonSets.

use super::{PODS, World, condition, template};
use pintle_apiserver::{Controllers, Server};
use serde_json::{Value, json};

const DAEMON_SETS: &str = "/apis/apps/v1/namespaces/default/daemonsets";

async fn agent(world: &World) -> Value {
    world.get(&format!("{DAEMON_SETS}/agent")).await.expect(200)
}

#[tokio::test(start_paused = true)]
async fn every_node_has_one_pod_and_an_update_replaces_one_at_a_time() {
    let world = World { server: Server::builder().controllers(Controllers::all()).nodes(3).build() };
    let slow = json!({"pintle.dev/ready-after": "5s"});
    let spec = json!({"selector": {"matchLabels": {"app": "web"}}, "template": template("agent:1", slow.clone())});
    world.post(DAEMON_SETS, json!({"metadata": {"name": "agent"}, "spec": spec})).await.expect(201);
    world.pass(6).await;
    let ready = agent(&world).await;
    assert_eq!(
        (ready["status"]["desiredNumberScheduled"].as_i64(), ready["status"]["numberReady"].as_i64()),
        (Some(3), Some(3)),
        "{ready}"
    );
    let mut nodes: Vec<String> =
        world.items(PODS).await.iter().map(|pod| pod["spec"]["nodeName"].as_str().unwrap().to_owned()).collect();
    nodes.sort();
    assert_eq!(nodes, ["pintle", "pintle-2", "pintle-3"]);

    world
        .merge(&format!("{DAEMON_SETS}/agent"), json!({"spec": {"template": template("agent:2", slow)}}))
        .await
        .expect(200);
    for updated in 1..=3 {
        let pods = world.items(PODS).await;
        let ready = pods.iter().filter(|pod| condition(pod, "Ready") == "True").count();
        assert_eq!((pods.len(), ready), (3, 2));
        assert_eq!(agent(&world).await["status"]["updatedNumberScheduled"], updated);
        world.pass(6).await;
    }
    assert_eq!(agent(&world).await["status"]["numberAvailable"], 3);

    let taint = json!({"spec": {"taints": [{"key": "special", "effect": "NoSchedule"}]}});
    world.merge("/api/v1/nodes/pintle-3", taint).await.expect(200);
    assert_eq!(world.items(PODS).await.len(), 2, "the pods of a DaemonSet do not tolerate everything");
}
