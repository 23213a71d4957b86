//! StatefulSets, and the volumes of their claims.

use super::{PODS, World, cluster, condition, template};
use serde_json::{Value, json};

const STATEFUL_SETS: &str = "/apis/apps/v1/namespaces/default/statefulsets";
const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES: &str = "/api/v1/persistentvolumes";

fn set(template: Value, spec: Value) -> Value {
    let claim = json!({
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    let mut made = json!({
        "replicas": 3, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}}, "template": template,
        "volumeClaimTemplates": [claim],
    });
    for (field, value) in spec.as_object().into_iter().flatten() {
        made[field.as_str()] = value.clone();
    }
    json!({"metadata": {"name": "db"}, "spec": made})
}

async fn db(world: &World) -> Value {
    world.get(&format!("{STATEFUL_SETS}/db")).await.expect(200)
}

fn images(pods: &[Value]) -> Vec<&str> {
    pods.iter().map(|pod| pod["spec"]["containers"][0]["image"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn pods_come_one_after_the_other_each_with_a_volume_that_outlives_it() {
    let world = cluster();
    let slow = json!({"pintle.dev/ready-after": "5s"});
    world.post(STATEFUL_SETS, set(template("db:1", slow), json!({}))).await.expect(201);
    assert_eq!(world.names_at(PODS).await, ["db-0"]);
    world.pass(6).await;
    assert_eq!(world.names_at(PODS).await, ["db-0", "db-1"]);
    world.pass(12).await;
    let done = db(&world).await;
    assert_eq!(done["status"]["readyReplicas"], 3, "{done}");
    assert_eq!(world.names_at(CLAIMS).await, ["data-db-0", "data-db-1", "data-db-2"]);
    let claims = world.items(CLAIMS).await;
    assert!(claims.iter().all(|claim| claim["status"]["phase"] == "Bound"), "{claims:?}");
    let volumes = world.items(VOLUMES).await;
    assert!(volumes.len() == 3 && volumes.iter().all(|volume| volume["status"]["phase"] == "Bound"));

    world.merge(&format!("{STATEFUL_SETS}/db/scale"), json!({"spec": {"replicas": 1}})).await.expect(200);
    assert_eq!(world.names_at(PODS).await, ["db-0"]);
    assert_eq!(world.items(CLAIMS).await.len(), 3, "claims stay");
    world.delete(&format!("{CLAIMS}/data-db-2")).await.expect(200);
    assert_eq!(world.items(VOLUMES).await.len(), 2, "its volume goes with the claim");
}

#[tokio::test(start_paused = true)]
async fn an_update_goes_from_the_last_pod_to_the_partition() {
    let world = cluster();
    let partition = json!({"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}});
    world.post(STATEFUL_SETS, set(template("db:1", json!({})), partition)).await.expect(201);
    world
        .merge(&format!("{STATEFUL_SETS}/db"), json!({"spec": {"template": template("db:2", json!({}))}}))
        .await
        .expect(200);
    let pods = world.items(PODS).await;
    assert_eq!(images(&pods), ["db:1", "db:2", "db:2"]);
    let half = db(&world).await;
    assert_ne!(half["status"]["currentRevision"], half["status"]["updateRevision"], "{half}");
    assert_eq!(half["status"]["updatedReplicas"], 2);

    // A pod below the partition comes back as it was.
    world.delete(&format!("{PODS}/db-0")).await.expect(200);
    assert_eq!(images(&world.items(PODS).await), ["db:1", "db:2", "db:2"]);

    let all = json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}});
    world.merge(&format!("{STATEFUL_SETS}/db"), all).await.expect(200);
    assert_eq!(images(&world.items(PODS).await), ["db:2", "db:2", "db:2"]);
    let done = db(&world).await;
    assert_eq!(done["status"]["currentRevision"], done["status"]["updateRevision"], "{done}");
    let revisions = world.items("/apis/apps/v1/namespaces/default/controllerrevisions").await;
    let mut numbers: Vec<i64> = revisions.iter().map(|revision| revision["revision"].as_i64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn with_parallel_management_pods_come_all_at_once() {
    let world = cluster();
    let slow = json!({"pintle.dev/ready-after": "5s"});
    let parallel = json!({"podManagementPolicy": "Parallel", "ordinals": {"start": 5}});
    world.post(STATEFUL_SETS, set(template("db:1", slow), parallel)).await.expect(201);
    assert_eq!(world.names_at(PODS).await, ["db-5", "db-6", "db-7"]);
}

#[tokio::test(start_paused = true)]
async fn a_claim_gets_the_smallest_volume_that_fits_and_waits_where_there_is_none() {
    let world = cluster();
    for (name, size) in [("big", "10Gi"), ("small", "1Gi"), ("right", "5Gi")] {
        let spec = json!({"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}});
        world.post(VOLUMES, json!({"metadata": {"name": name}, "spec": spec})).await.expect(201);
    }
    let claim = |name: &str, size: &str| {
        let spec = json!({"storageClassName": "", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}});
        json!({"metadata": {"name": name}, "spec": spec})
    };
    world.post(CLAIMS, claim("fits", "3Gi")).await.expect(201);
    world.post(CLAIMS, claim("waits", "50Gi")).await.expect(201);
    let fits = world.get(&format!("{CLAIMS}/fits")).await.expect(200);
    assert_eq!((fits["spec"]["volumeName"].as_str(), fits["status"]["phase"].as_str()), (Some("right"), Some("Bound")));
    let pod = json!({"metadata": {"name": "p"}, "spec": {
        "containers": [{"name": "c", "image": "i"}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "waits"}}],
    }});
    world.post(PODS, pod).await.expect(201);
    let waiting = world.get(&format!("{PODS}/p")).await.expect(200);
    assert_eq!(condition(&waiting, "PodScheduled"), "False", "{waiting}");
    world.delete(&format!("{CLAIMS}/fits")).await.expect(200);
    assert_eq!(world.get(&format!("{VOLUMES}/right")).await.expect(200)["status"]["phase"], "Released");
}
