//! Deployments, ReplicaSets, Jobs and pods that move, where a test asks for it.

use super::world::{World, names};
use pintle_apiserver::Server;
use serde_json::{Value, json};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";
const PODS: &str = "/api/v1/namespaces/default/pods";

fn world() -> World {
    World { server: Server::builder().seed(7).simulated_workloads(true).build() }
}

fn template(image: &str) -> Value {
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": image}]}})
}

fn deployment(replicas: u32) -> Value {
    let spec =
        json!({"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template("web:1")});
    json!({"metadata": {"name": "web"}, "spec": spec})
}

async fn count(world: &World, collection: &str) -> usize {
    names(&world.get(collection).await.expect(200)).len()
}

fn condition<'a>(object: &'a Value, kind: &str) -> &'a str {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().find(|it| it["type"] == kind).and_then(|it| it["status"].as_str()).unwrap_or_default()
}

#[tokio::test]
async fn nothing_moves_unless_it_was_asked_for() {
    let world = World::new();
    world.post(DEPLOYMENTS, deployment(2)).await.expect(201);
    assert_eq!((count(&world, SETS).await, count(&world, PODS).await), (0, 0));
}

#[tokio::test]
async fn a_deployment_rolls_out_and_again_with_another_template() {
    let world = world();
    world.post(DEPLOYMENTS, deployment(3)).await.expect(201);
    let web = world.get(&format!("{DEPLOYMENTS}/web")).await.expect(200);
    assert_eq!(web["status"]["readyReplicas"], 3, "{web}");
    assert_eq!(web["status"]["observedGeneration"], web["metadata"]["generation"]);
    assert_eq!((condition(&web, "Available"), condition(&web, "Progressing")), ("True", "True"));
    let pods = world.get(PODS).await.expect(200);
    for pod in pods["items"].as_array().unwrap() {
        assert_eq!((pod["status"]["phase"].as_str(), condition(pod, "Ready")), (Some("Running"), "True"), "{pod}");
        assert_eq!(pod["spec"]["nodeName"], "pintle");
    }

    let next = json!({"spec": {"template": template("web:2"), "replicas": 2}});
    world.patch(&format!("{DEPLOYMENTS}/web"), "application/merge-patch+json", &next).await.expect(200);
    let web = world.get(&format!("{DEPLOYMENTS}/web")).await.expect(200);
    assert_eq!(web["status"]["updatedReplicas"], 2, "{web}");
    assert_eq!(web["status"]["observedGeneration"], 2);
    assert_eq!(web["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "2");
    let pods = world.get(PODS).await.expect(200);
    let images: Vec<_> =
        pods["items"].as_array().unwrap().iter().map(|pod| pod["spec"]["containers"][0]["image"].clone()).collect();
    assert_eq!(images, ["web:2", "web:2"]);
    assert_eq!(count(&world, SETS).await, 2, "the earlier one is kept, without pods");
}

#[tokio::test]
async fn a_pod_that_goes_is_replaced_and_everything_goes_with_the_deployment() {
    let world = world();
    world.post(DEPLOYMENTS, deployment(2)).await.expect(201);
    let before = names(&world.get(PODS).await.expect(200));
    world.delete(&format!("{PODS}/{}", before[0])).await.expect(200);
    let after = names(&world.get(PODS).await.expect(200));
    assert!(after.len() == 2 && !after.contains(&before[0]), "{before:?} {after:?}");
    world.delete(&format!("{DEPLOYMENTS}/web")).await.expect(200);
    assert_eq!((count(&world, SETS).await, count(&world, PODS).await), (0, 0));
}

#[tokio::test]
async fn scaling_a_deployment_scales_its_pods() {
    let world = world();
    world.post(DEPLOYMENTS, deployment(1)).await.expect(201);
    for replicas in [4, 0, 2] {
        world.merge(&format!("{DEPLOYMENTS}/web/scale"), json!({"spec": {"replicas": replicas}})).await.expect(200);
        assert_eq!(count(&world, PODS).await, replicas, "scaled to {replicas}");
        let scale = world.get(&format!("{DEPLOYMENTS}/web/scale")).await.expect(200);
        assert_eq!(scale["status"]["replicas"], replicas);
    }
}

#[tokio::test]
async fn a_job_completes_once_its_pods_have_succeeded() {
    let world = world();
    let mut template = template("task:1");
    template["spec"]["restartPolicy"] = "Never".into();
    let job = json!({"metadata": {"name": "task"}, "spec": {"completions": 3, "parallelism": 2, "template": template}});
    world.post(JOBS, job).await.expect(201);
    let task = world.get(&format!("{JOBS}/task")).await.expect(200);
    assert_eq!((task["status"]["succeeded"].as_u64(), condition(&task, "Complete")), (Some(3), "True"), "{task}");
    let pods = world.get(PODS).await.expect(200);
    assert!(pods["items"].as_array().unwrap().iter().all(|pod| pod["status"]["phase"] == "Succeeded"), "{pods}");
}

#[tokio::test]
async fn a_paused_deployment_and_a_gated_pod_wait() {
    let world = world();
    let mut paused = deployment(1);
    paused["spec"]["paused"] = true.into();
    world.post(DEPLOYMENTS, paused).await.expect(201);
    assert_eq!(count(&world, SETS).await, 0);
    world.merge(&format!("{DEPLOYMENTS}/web"), json!({"spec": {"paused": false}})).await.expect(200);
    assert_eq!(count(&world, PODS).await, 1);

    let gated = json!({"metadata": {"name": "gated"}, "spec": {"schedulingGates": [{"name": "example.com/wait"}],
        "containers": [{"name": "main", "image": "web:1"}]}});
    world.post(PODS, gated).await.expect(201);
    let pod = world.get(&format!("{PODS}/gated")).await.expect(200);
    assert_eq!(pod["status"]["phase"], "Pending", "{pod}");
}
