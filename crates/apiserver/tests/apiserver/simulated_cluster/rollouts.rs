//! Deployments and ReplicaSets.

use super::{DEPLOYMENTS, PODS, SETS, World, cluster, condition, reason, template};
use serde_json::{Value, json};

fn deployment(replicas: u32, template: &Value) -> Value {
    json!({
        "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    })
}

async fn web(world: &World) -> Value {
    world.get(&format!("{DEPLOYMENTS}/web")).await.expect(200)
}

async fn patch(world: &World, patch: Value) {
    world.merge(&format!("{DEPLOYMENTS}/web"), patch).await.expect(200);
}

fn image_of(pod: &Value) -> &str {
    pod["spec"]["containers"][0]["image"].as_str().unwrap()
}

/// The sizes of the sets, by the image of their pods.
async fn sizes(world: &World) -> Vec<(String, i64)> {
    let sets = world.items(SETS).await;
    let size = |set: &Value| (image_of(&set["spec"]["template"]).to_owned(), set["spec"]["replicas"].as_i64().unwrap());
    let mut sizes: Vec<_> = sets.iter().map(size).collect();
    sizes.sort();
    sizes
}

#[tokio::test(start_paused = true)]
async fn a_rolling_update_keeps_to_surge_and_unavailability_and_is_over_when_all_are_ready() {
    let world = cluster();
    let slow = json!({"pintle.dev/ready-after": "10s"});
    world.post(DEPLOYMENTS, deployment(4, &template("web:1", slow.clone()))).await.expect(201);
    assert_eq!(web(&world).await["status"]["unavailableReplicas"], 4);
    assert_eq!(condition(&web(&world).await, "Available"), "False");
    world.pass(11).await;
    let first = web(&world).await;
    assert_eq!(first["status"]["availableReplicas"], 4, "{first}");
    assert_eq!(reason(&first, "Progressing"), "NewReplicaSetAvailable");

    patch(&world, json!({"spec": {"template": template("web:2", slow)}})).await;
    let mut rounds = 0;
    loop {
        let pods = world.items(PODS).await;
        let ready = pods.iter().filter(|pod| condition(pod, "Ready") == "True").count();
        assert!(pods.len() <= 5 && ready >= 3, "25% of 4 is one more and one less: {} pods, {ready} ready", pods.len());
        if reason(&web(&world).await, "Progressing") == "NewReplicaSetAvailable" {
            break;
        }
        rounds += 1;
        assert!(rounds < 20, "{}", web(&world).await);
        world.pass(4).await;
    }
    assert!(rounds > 3, "four pods, two at a time, ten seconds each: {rounds}");
    assert_eq!(sizes(&world).await, [("web:1".to_owned(), 0), ("web:2".to_owned(), 4)]);
    let done = web(&world).await;
    assert_eq!(done["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "2");
    assert_eq!(done["status"]["observedGeneration"], done["metadata"]["generation"]);
}

#[tokio::test(start_paused = true)]
async fn a_template_that_comes_back_is_the_newest_revision_again() {
    let world = cluster();
    world.post(DEPLOYMENTS, deployment(2, &template("web:1", json!({})))).await.expect(201);
    patch(&world, json!({"spec": {"template": template("web:2", json!({}))}})).await;
    patch(&world, json!({"spec": {"template": template("web:1", json!({}))}})).await;
    assert_eq!(web(&world).await["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "3");
    assert_eq!(sizes(&world).await, [("web:1".to_owned(), 2), ("web:2".to_owned(), 0)]);
    let sets = world.items(SETS).await;
    let back = sets.iter().find(|set| set["spec"]["replicas"] == 2).unwrap();
    assert_eq!(back["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"], "1", "{back}");
}

#[tokio::test(start_paused = true)]
async fn only_so_many_revisions_are_kept() {
    let world = cluster();
    let mut limited = deployment(1, &template("web:0", json!({})));
    limited["spec"]["revisionHistoryLimit"] = 2.into();
    world.post(DEPLOYMENTS, limited).await.expect(201);
    for version in 1..6 {
        patch(&world, json!({"spec": {"template": template(&format!("web:{version}"), json!({}))}})).await;
    }
    let images: Vec<String> = sizes(&world).await.into_iter().map(|(image, _)| image).collect();
    assert_eq!(images, ["web:3", "web:4", "web:5"]);
}

#[tokio::test(start_paused = true)]
async fn with_recreate_old_pods_are_gone_before_new_ones_come() {
    let world = cluster();
    let lingering = json!({"pintle.dev/terminate-after": "5s"});
    let mut recreated = deployment(2, &template("web:1", lingering.clone()));
    recreated["spec"]["strategy"] = json!({"type": "Recreate"});
    world.post(DEPLOYMENTS, recreated).await.expect(201);
    patch(&world, json!({"spec": {"template": template("web:2", lingering)}})).await;
    let pods = world.items(PODS).await;
    assert!(pods.len() == 2 && pods.iter().all(|pod| image_of(pod) == "web:1"), "they take five seconds to end");
    assert!(pods.iter().all(|pod| pod["metadata"]["deletionTimestamp"].is_string()));
    world.pass(6).await;
    let pods = world.items(PODS).await;
    assert!(pods.len() == 2 && pods.iter().all(|pod| image_of(pod) == "web:2"));
}

#[tokio::test(start_paused = true)]
async fn a_rollout_that_makes_no_progress_says_so_after_its_deadline() {
    let world = cluster();
    let stuck = json!({"pintle.dev/stages": r#"[{"waiting": "ImagePullBackOff"}]"#});
    let mut late = deployment(1, &template("web:missing", stuck));
    late["spec"]["progressDeadlineSeconds"] = 60.into();
    world.post(DEPLOYMENTS, late).await.expect(201);
    assert_eq!(reason(&web(&world).await, "Progressing"), "ReplicaSetUpdated");
    world.pass(62).await;
    let web = web(&world).await;
    assert_eq!((condition(&web, "Progressing"), reason(&web, "Progressing")), ("False", "ProgressDeadlineExceeded"));
}

#[tokio::test(start_paused = true)]
async fn a_paused_deployment_is_scaled_and_not_rolled_out() {
    let world = cluster();
    world.post(DEPLOYMENTS, deployment(2, &template("web:1", json!({})))).await.expect(201);
    patch(&world, json!({"spec": {"paused": true, "replicas": 3, "template": template("web:2", json!({}))}})).await;
    assert_eq!(sizes(&world).await, [("web:1".to_owned(), 3)]);
    assert_eq!(reason(&web(&world).await, "Progressing"), "DeploymentPaused");
    patch(&world, json!({"spec": {"paused": false}})).await;
    assert_eq!(sizes(&world).await, [("web:1".to_owned(), 0), ("web:2".to_owned(), 3)]);
}

#[tokio::test(start_paused = true)]
async fn a_set_adopts_what_it_selects_and_lets_go_what_it_does_not() {
    let world = cluster();
    let orphan =
        json!({"metadata": {"name": "orphan", "labels": {"app": "web"}}, "spec": template("web:1", json!({}))["spec"]});
    world.post(PODS, orphan).await.expect(201);
    let set = json!({
        "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template("web:1", json!({}))},
    });
    world.post(SETS, set).await.expect(201);
    let pods = world.items(PODS).await;
    assert_eq!(pods.len(), 2, "the one that was there is one of two");
    assert!(pods.iter().all(|pod| pod["metadata"]["ownerReferences"][0]["name"] == "web"));
    world.merge(&format!("{PODS}/orphan"), json!({"metadata": {"labels": {"app": "else"}}})).await.expect(200);
    let pods = world.items(PODS).await;
    assert_eq!(pods.len(), 3);
    let free = pods.iter().find(|pod| pod["metadata"]["name"] == "orphan").unwrap();
    assert!(free["metadata"].get("ownerReferences").is_none(), "{free}");
}

#[tokio::test(start_paused = true)]
async fn controllers_write_under_the_names_of_real_ones_and_report_events() {
    let world = cluster();
    world.post(DEPLOYMENTS, deployment(1, &template("web:1", json!({})))).await.expect(201);
    let managers = |object: &Value| {
        let fields = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        fields.iter().map(|it| it["manager"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(managers(&web(&world).await).contains(&"kube-controller-manager".to_owned()));
    let pod = world.items(PODS).await.remove(0);
    assert_eq!(managers(&pod), ["kube-controller-manager", "kubelet"], "{pod}");
    assert_eq!(pod["spec"]["nodeName"], "pintle");
    let set = world.names_at(SETS).await.remove(0);
    assert_eq!(world.reasons("web").await, ["ScalingReplicaSet"]);
    assert_eq!(world.reasons(&set).await, ["SuccessfulCreate"]);
    let reasons = world.reasons(pod["metadata"]["name"].as_str().unwrap()).await;
    assert_eq!(reasons, ["Created", "Pulled", "Scheduled", "Started"]);
}

#[tokio::test(start_paused = true)]
async fn pods_that_are_refused_are_said_to_be_and_tried_again() {
    let world = cluster();
    let quota = json!({"metadata": {"name": "few"}, "spec": {"hard": {"pods": "1"}}});
    world.post("/api/v1/namespaces/default/resourcequotas", quota).await.expect(201);
    world.post(DEPLOYMENTS, deployment(2, &template("web:1", json!({})))).await.expect(201);
    let refused = web(&world).await;
    assert_eq!((condition(&refused, "ReplicaFailure"), reason(&refused, "ReplicaFailure")), ("True", "FailedCreate"));
    world
        .merge("/api/v1/namespaces/default/resourcequotas/few", json!({"spec": {"hard": {"pods": "5"}}}))
        .await
        .expect(200);
    world.pass(120).await;
    let web = web(&world).await;
    assert_eq!((web["status"]["readyReplicas"].as_i64(), condition(&web, "ReplicaFailure")), (Some(2), ""), "{web}");
}

#[tokio::test(start_paused = true)]
async fn after_a_rewind_everything_is_looked_at_anew() {
    let world = cluster();
    let created = world.post(DEPLOYMENTS, deployment(2, &template("web:1", json!({})))).await.expect(201);
    let before = world.names_at(PODS).await;
    let version = created["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    world.server.rewind(version).unwrap();
    let after = world.names_at(PODS).await;
    assert_eq!((before.len(), after.len()), (2, 2), "they never were, and are made again");
    assert_ne!(before, after);
}
