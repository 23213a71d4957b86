//! Pods: where they go, what happens to them, and how they end.

use super::{PODS, World, cluster, condition, template};
use pintle_apiserver::{Controllers, Server, Stages};
use serde_json::{Value, json};

fn pod(name: &str, annotations: Value, spec: Value) -> Value {
    let mut made = template("web:1", json!({}))["spec"].take();
    for (field, value) in spec.as_object().into_iter().flatten() {
        made[field.as_str()] = value.clone();
    }
    json!({"metadata": {"name": name, "labels": {"app": "web"}, "annotations": annotations}, "spec": made})
}

fn staged(name: &str, stages: &str, spec: Value) -> Value {
    let mut pod = pod(name, json!({}), spec);
    pod["metadata"]["annotations"] = json!({"pintle.dev/stages": stages});
    pod
}

async fn get(world: &World, name: &str) -> Value {
    world.get(&format!("{PODS}/{name}")).await.expect(200)
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_ready_at_once_or_after_the_time_it_says() {
    let world = cluster();
    world.post(PODS, pod("quick", json!({}), json!({}))).await.expect(201);
    let quick = get(&world, "quick").await;
    assert_eq!((quick["status"]["phase"].as_str(), condition(&quick, "Ready")), (Some("Running"), "True"), "{quick}");
    assert!(quick["status"]["podIP"].as_str().unwrap().starts_with("10."));

    let mut slow = pod("slow", json!({}), json!({}));
    slow["metadata"]["annotations"] = json!({"pintle.dev/ready-after": "1500ms"});
    world.post(PODS, slow).await.expect(201);
    let begun = get(&world, "slow").await;
    assert_eq!((begun["status"]["phase"].as_str(), condition(&begun, "Ready")), (Some("Running"), "False"));
    assert_ne!(begun["status"]["podIP"], quick["status"]["podIP"]);
    world.pass(1).await;
    assert_eq!(condition(&get(&world, "slow").await, "Ready"), "False");
    world.pass(1).await;
    assert_eq!(condition(&get(&world, "slow").await, "Ready"), "True");
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_not_always_restarted_ends_by_itself() {
    let world = cluster();
    world.post(PODS, pod("task", json!({}), json!({"restartPolicy": "Never"}))).await.expect(201);
    assert_eq!(get(&world, "task").await["status"]["phase"], "Succeeded");
    let mut failing = pod("failing", json!({}), json!({"restartPolicy": "Never"}));
    failing["metadata"]["annotations"] = json!({"pintle.dev/exit-code": "3", "pintle.dev/finish-after": "5s"});
    world.post(PODS, failing).await.expect(201);
    assert_eq!(get(&world, "failing").await["status"]["phase"], "Running");
    world.pass(6).await;
    let failed = get(&world, "failing").await;
    assert_eq!(failed["status"]["phase"], "Failed");
    assert_eq!(failed["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 3);
}

#[tokio::test(start_paused = true)]
async fn a_container_that_ends_is_started_again_later_each_time() {
    let world = cluster();
    let stages = r#"[{"ready": true}, {"after": "1s", "exit": 2, "times": 3}]"#;
    world.post(PODS, staged("crashing", stages, json!({}))).await.expect(201);
    let restarts = |pod: &Value| pod["status"]["containerStatuses"][0]["restartCount"].as_i64().unwrap();
    assert_eq!(condition(&get(&world, "crashing").await, "Ready"), "True");
    world.pass(3).await;
    let crashing = get(&world, "crashing").await;
    assert_eq!(restarts(&crashing), 1, "the first restart is at once, the next waits");
    let state = &crashing["status"]["containerStatuses"][0];
    assert_eq!(state["state"]["waiting"]["reason"], "CrashLoopBackOff", "{state}");
    assert_eq!(state["lastState"]["terminated"]["exitCode"], 2);
    assert_eq!(crashing["status"]["phase"], "Running");
    world.pass(10).await;
    assert_eq!(restarts(&get(&world, "crashing").await), 2);
    world.pass(60).await;
    let recovered = get(&world, "crashing").await;
    assert_eq!(
        (restarts(&recovered), condition(&recovered, "Ready")),
        (3, "True"),
        "three times, it says: {recovered}"
    );
}

#[tokio::test(start_paused = true)]
async fn stages_can_be_written_while_a_pod_runs_and_begin_then() {
    let world = cluster();
    world.post(PODS, pod("web", json!({}), json!({}))).await.expect(201);
    assert_eq!(condition(&get(&world, "web").await, "Ready"), "True");
    let fail = json!({"metadata": {"annotations": {"pintle.dev/stages": r#"[{"fail": "Evicted", "message": "The node was low on resource: memory."}]"#}}});
    world.merge(&format!("{PODS}/web"), fail).await.expect(200);
    let evicted = get(&world, "web").await;
    assert_eq!(
        (evicted["status"]["phase"].as_str(), evicted["status"]["reason"].as_str()),
        (Some("Failed"), Some("Evicted"))
    );
}

#[tokio::test(start_paused = true)]
async fn stages_that_cannot_be_read_are_said_in_the_status() {
    let world = cluster();
    world.post(PODS, staged("web", r#"[{"redy": true}]"#, json!({}))).await.expect(201);
    let waiting = get(&world, "web").await;
    let state = &waiting["status"]["containerStatuses"][0]["state"]["waiting"];
    assert_eq!(state["reason"], "CreateContainerConfigError", "{waiting}");
    assert!(state["message"].as_str().unwrap().contains("redy"), "{state}");
}

#[tokio::test(start_paused = true)]
async fn stages_of_a_file_are_for_the_pods_they_match() {
    let stages = Stages::parse("[{match: {labels: {app: web}}, steps: [{after: 5s, ready: true}]}]").unwrap();
    let server = Server::builder().controllers(Controllers::all()).pod_stages(stages).build();
    let world = World { server };
    world.post(PODS, pod("slow", json!({}), json!({}))).await.expect(201);
    let mut other = pod("other", json!({}), json!({}));
    other["metadata"]["labels"] = json!({"app": "other"});
    world.post(PODS, other).await.expect(201);
    assert_eq!(condition(&get(&world, "slow").await, "Ready"), "False");
    assert_eq!(condition(&get(&world, "other").await, "Ready"), "True");
    world.pass(6).await;
    assert_eq!(condition(&get(&world, "slow").await, "Ready"), "True");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_pod_stays_until_its_kubelet_confirms() {
    let world = cluster();
    let mut lingering = pod("web", json!({}), json!({}));
    lingering["metadata"]["annotations"] = json!({"pintle.dev/terminate-after": "20s"});
    world.post(PODS, lingering).await.expect(201);
    world.delete(&format!("{PODS}/web")).await.expect(200);
    assert!(get(&world, "web").await["metadata"]["deletionTimestamp"].is_string());
    world.pass(10).await;
    assert_eq!(world.get(&format!("{PODS}/web")).await.code, 200);
    world.pass(11).await;
    assert_eq!(world.get(&format!("{PODS}/web")).await.code, 404);

    let mut short = pod("short", json!({}), json!({"terminationGracePeriodSeconds": 2}));
    short["metadata"]["annotations"] = json!({"pintle.dev/terminate-after": "20s"});
    world.post(PODS, short).await.expect(201);
    world.delete(&format!("{PODS}/short")).await.expect(200);
    world.pass(3).await;
    assert_eq!(world.get(&format!("{PODS}/short")).await.code, 404, "the grace period is over");
}

#[tokio::test(start_paused = true)]
async fn pods_are_spread_over_the_nodes_that_fit() {
    let server = Server::builder().controllers(Controllers::all()).nodes(3).build();
    let world = World { server };
    for number in 0..6 {
        world.post(PODS, pod(&format!("p{number}"), json!({}), json!({}))).await.expect(201);
    }
    let mut nodes: Vec<String> =
        world.items(PODS).await.iter().map(|pod| pod["spec"]["nodeName"].as_str().unwrap().to_owned()).collect();
    nodes.sort();
    assert_eq!(nodes, ["pintle", "pintle", "pintle-2", "pintle-2", "pintle-3", "pintle-3"]);

    world.post(PODS, pod("picky", json!({}), json!({"nodeSelector": {"disk": "ssd"}}))).await.expect(201);
    let waiting = get(&world, "picky").await;
    assert_eq!((waiting["status"]["phase"].as_str(), condition(&waiting, "PodScheduled")), (Some("Pending"), "False"));
    let message = waiting["status"]["conditions"][0]["message"].as_str().unwrap();
    assert_eq!(message, "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.");
    world.merge("/api/v1/nodes/pintle-2", json!({"metadata": {"labels": {"disk": "ssd"}}})).await.expect(200);
    assert_eq!(get(&world, "picky").await["spec"]["nodeName"], "pintle-2");
}

#[tokio::test(start_paused = true)]
async fn logs_are_what_the_annotations_say() {
    let world = cluster();
    let annotations = json!({"pintle.dev/logs": "one\ntwo\nthree", "pintle.dev/logs.side": "beside"});
    let containers = json!([{"name": "main", "image": "a"}, {"name": "side", "image": "b"}]);
    world.post(PODS, pod("web", annotations, json!({"containers": containers}))).await.expect(201);
    let log = async |query: &str| world.get(&format!("{PODS}/web/log?{query}")).await;
    assert_eq!(log("container=main").await.text, "one\ntwo\nthree\n");
    assert_eq!(log("container=main&tailLines=1").await.text, "three\n");
    assert_eq!(log("container=side").await.text, "beside\n");
    assert_eq!(log("container=other").await.code, 400);
    let missing = log("container=main&previous=true").await;
    assert!(missing.message().contains("previous terminated container \"main\""), "{}", missing.text);
    world.post(PODS, pod("silent", json!({}), json!({}))).await.expect(201);
    let silent = world.get(&format!("{PODS}/silent/log")).await;
    assert_eq!((silent.code, silent.text.as_str()), (200, ""));
}
