//! Deployments: ReplicaSets by revision, rolled out, back and on.

use serde_json::{Value, json};

use super::pods::{condition, items, name_of, owner_of, selector, template};
use crate::behaviour::behaviours;
use crate::place::{DEPLOYMENTS, PODS, Place};

behaviours! {
    "Deployment": a_deployment_makes_a_replica_set_named_after_its_template,
        a_deployment_says_how_far_it_is,
        a_rolling_update_goes_on_as_pods_become_ready,
        a_template_that_comes_back_is_a_new_revision_of_the_old_set,
        old_sets_are_kept_up_to_the_limit,
        a_paused_deployment_is_scaled_but_not_rolled_out,
        a_deployment_that_recreates_waits_for_its_pods_to_go,
        a_rollout_without_progress_says_so,
        a_set_that_fits_is_adopted;
}

const SETS: &str = "/apis/apps/v1/namespaces/{ns}/replicasets";
const WEB: &str = "/apis/apps/v1/namespaces/{ns}/deployments/web";

async fn deployment(p: &Place, replicas: usize, more: Value) -> Value {
    let mut body = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": selector(), "template": template("a")},
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        body["spec"][field] = value.clone();
    }
    p.create(DEPLOYMENTS, body).await
}

async fn set_image(p: &Place, image: &str) {
    p.merge(WEB, json!({"spec": {"template": template(image)}})).await.value(200);
}

/// The image and the wanted replicas of each set, by image.
fn sizes(list: &Value) -> Vec<(String, i64)> {
    let mut all: Vec<_> =
        items(list).iter().map(|set| (image_of(set), set["spec"]["replicas"].as_i64().unwrap_or(-1))).collect();
    all.sort();
    all
}

fn image_of(set: &Value) -> String {
    set["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap_or_default().to_owned()
}

async fn sizes_become(p: &Place, wanted: &[(&str, i64)]) -> Vec<Value> {
    let wanted: Vec<(String, i64)> = wanted.iter().map(|(image, size)| ((*image).to_owned(), *size)).collect();
    items(&p.becomes(&format!("sets are {wanted:?}"), SETS, |list| sizes(list) == wanted).await)
}

/// Has pods run until the Deployment is complete.
async fn complete(p: &Place, replicas: i64) -> Value {
    for _ in 0..400 {
        p.run_pods().await;
        let web = p.get(WEB).await.value(200);
        let status = &web["status"];
        let is_all =
            ["replicas", "updatedReplicas", "availableReplicas"].iter().all(|field| status[*field] == replicas);
        let is_new = condition(&web, "Progressing").1 == "NewReplicaSetAvailable";
        if is_all && is_new && status["observedGeneration"] == web["metadata"]["generation"] {
            return web;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("it is never complete: {}", p.get(WEB).await);
}

fn annotation<'a>(object: &'a Value, name: &str) -> &'a str {
    object["metadata"]["annotations"][name].as_str().unwrap_or_default()
}

const REVISION: &str = "deployment.kubernetes.io/revision";

async fn a_deployment_makes_a_replica_set_named_after_its_template(p: &Place) {
    deployment(p, 2, json!({})).await;
    let sets = sizes_become(p, &[("a", 2)]).await;
    let (set, hash) = (&sets[0], sets[0]["metadata"]["labels"]["pod-template-hash"].as_str().unwrap_or_default());
    assert_eq!(name_of(set), format!("web-{hash}"));
    assert_eq!(set["metadata"]["labels"], json!({"app": "web", "pod-template-hash": hash}));
    assert_eq!(set["spec"]["selector"]["matchLabels"], json!({"app": "web", "pod-template-hash": hash}));
    assert_eq!(set["spec"]["template"]["metadata"]["labels"], json!({"app": "web", "pod-template-hash": hash}));
    assert_eq!(annotation(set, REVISION), "1");
    assert_eq!(annotation(set, "deployment.kubernetes.io/desired-replicas"), "2");
    assert_eq!(annotation(set, "deployment.kubernetes.io/max-replicas"), "3");
    assert_eq!(
        owner_of(set),
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "controller": true, "blockOwnerDeletion": true})
    );
    p.becomes("it has a revision", WEB, |web| annotation(web, REVISION) == "1").await;
}

async fn a_deployment_says_how_far_it_is(p: &Place) {
    deployment(p, 2, json!({})).await;
    p.pods_become(2).await;
    let begun = p.becomes("it is under way", WEB, |web| web["status"]["unavailableReplicas"] == 2).await;
    let waiting = p.becomes("pods are counted", WEB, |web| web["status"]["replicas"] == 2).await;
    assert_eq!(condition(&begun, "Available").0, "False");
    assert_eq!(
        condition(&waiting, "Available"),
        ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    );
    assert_eq!(condition(&waiting, "Progressing").0, "True");
    let done = complete(p, 2).await;
    assert_eq!(
        condition(&done, "Available"),
        ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    );
    let set = name_of(&sizes_become(p, &[("a", 2)]).await[0]).to_owned();
    let message = format!("ReplicaSet \"{set}\" has successfully progressed.");
    assert_eq!(condition(&done, "Progressing"), ("True", "NewReplicaSetAvailable", message.as_str()));
    assert!(done["status"].get("unavailableReplicas").is_none());
    assert_eq!((&done["status"]["readyReplicas"], &done["status"]["terminatingReplicas"]), (&json!(2), &json!(0)));
}

async fn a_rolling_update_goes_on_as_pods_become_ready(p: &Place) {
    deployment(p, 4, json!({"strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}})).await;
    complete(p, 4).await;
    set_image(p, "b").await;
    // One more than wanted, and one less that is available.
    sizes_become(p, &[("a", 3), ("b", 2)]).await;
    let image = |pod: &Value| pod["spec"]["containers"][0]["image"] == "b";
    p.becomes("both new pods are there", PODS, |list| items(list).iter().filter(|pod| image(pod)).count() == 2).await;
    p.run_pods().await;
    sizes_become(p, &[("a", 1), ("b", 4)]).await;
    complete(p, 4).await;
    let sets = sizes_become(p, &[("a", 0), ("b", 4)]).await;
    let new = sets.iter().find(|set| image_of(set) == "b").expect("it is there");
    assert_eq!(annotation(new, REVISION), "2");
    p.becomes("its revision is the new one", WEB, |web| annotation(web, REVISION) == "2").await;
}

async fn a_template_that_comes_back_is_a_new_revision_of_the_old_set(p: &Place) {
    deployment(p, 1, json!({})).await;
    complete(p, 1).await;
    set_image(p, "b").await;
    complete(p, 1).await;
    set_image(p, "a").await;
    complete(p, 1).await;
    let sets = sizes_become(p, &[("a", 1), ("b", 0)]).await;
    let back = sets.iter().find(|set| image_of(set) == "a").expect("it is there");
    assert_eq!(annotation(back, REVISION), "3");
    assert_eq!(annotation(back, "deployment.kubernetes.io/revision-history"), "1");
}

async fn old_sets_are_kept_up_to_the_limit(p: &Place) {
    deployment(p, 1, json!({"revisionHistoryLimit": 1})).await;
    complete(p, 1).await;
    for image in ["b", "c"] {
        set_image(p, image).await;
        complete(p, 1).await;
    }
    sizes_become(p, &[("b", 0), ("c", 1)]).await;
}

async fn a_paused_deployment_is_scaled_but_not_rolled_out(p: &Place) {
    deployment(p, 1, json!({})).await;
    complete(p, 1).await;
    p.merge(WEB, json!({"spec": {"paused": true}})).await.value(200);
    let paused = p.becomes("it is paused", WEB, |web| condition(web, "Progressing").1 == "DeploymentPaused").await;
    assert_eq!(condition(&paused, "Progressing"), ("Unknown", "DeploymentPaused", "Deployment is paused"));
    p.merge(WEB, json!({"spec": {"replicas": 2, "template": template("b")}})).await.value(200);
    sizes_become(p, &[("a", 2)]).await;
    p.merge(WEB, json!({"spec": {"paused": false}})).await.value(200);
    complete(p, 2).await;
    sizes_become(p, &[("a", 0), ("b", 2)]).await;
}

async fn a_deployment_that_recreates_waits_for_its_pods_to_go(p: &Place) {
    deployment(p, 2, json!({"strategy": {"type": "Recreate"}})).await;
    complete(p, 2).await;
    let held = p.pods().await;
    let path = format!("{PODS}/{}", name_of(&held[0]));
    p.merge(&path, json!({"metadata": {"finalizers": ["suite.example/hold"]}})).await.value(200);
    set_image(p, "b").await;
    sizes_become(p, &[("a", 0)]).await;
    p.merge(&path, json!({"metadata": {"finalizers": null}})).await.value(200);
    sizes_become(p, &[("a", 0), ("b", 2)]).await;
    complete(p, 2).await;
}

async fn a_rollout_without_progress_says_so(p: &Place) {
    deployment(p, 1, json!({"progressDeadlineSeconds": 2, "minReadySeconds": 0})).await;
    let set = name_of(&sizes_become(p, &[("a", 1)]).await[0]).to_owned();
    let stuck = p.becomes("it is late", WEB, |web| condition(web, "Progressing").0 == "False").await;
    let message = format!("ReplicaSet \"{set}\" has timed out progressing.");
    assert_eq!(condition(&stuck, "Progressing"), ("False", "ProgressDeadlineExceeded", message.as_str()));
    complete(p, 1).await;
}

async fn a_set_that_fits_is_adopted(p: &Place) {
    deployment(p, 1, json!({})).await;
    let set = sizes_become(p, &[("a", 1)]).await[0].clone();
    p.delete_with(WEB, json!({"propagationPolicy": "Orphan"})).await.value(200);
    let path = format!("{SETS}/{}", name_of(&set));
    p.becomes("it has no owner", &path, |set| set["metadata"].get("ownerReferences").is_none()).await;
    p.eventually("the Deployment is gone", WEB, |answer| answer.code == 404).await;
    deployment(p, 1, json!({})).await;
    let adopted = p.becomes("it has an owner", &path, |set| owner_of(set)["name"] == "web").await;
    assert_eq!(adopted["metadata"]["uid"], set["metadata"]["uid"]);
    assert_eq!(sizes(&p.get(SETS).await.value(200)), [("a".to_owned(), 1)]);
}
