//! Claims and volumes that find one another.

use serde_json::{Value, json};

use crate::behaviour::behaviours;
use crate::place::Place;

behaviours! {
    "PersistentVolume": a_claim_is_bound_to_the_smallest_volume_that_is_enough,
        a_claim_that_nothing_fits_waits,
        a_volume_is_released_when_its_claim_goes,
        a_claim_names_its_volume;
}

const CLAIMS: &str = "/api/v1/namespaces/{ns}/persistentvolumeclaims";
const VOLUMES: &str = "/api/v1/persistentvolumes";

async fn volume(p: &Place, name: &str, size: &str) -> String {
    let name = format!("{{ns}}-{name}");
    let volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": "{ns}",
            "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "/tmp/none"},
        },
    });
    p.create(VOLUMES, volume).await;
    p.remove_later(&format!("{VOLUMES}/{name}"));
    let path = format!("{VOLUMES}/{name}");
    let is_seen = |volume: &Value| matches!(volume["status"]["phase"].as_str(), Some("Available" | "Bound"));
    p.becomes("it is available, or taken at once", &path, is_seen).await;
    path
}

async fn claim(p: &Place, more: Value) {
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "{ns}", "resources": {"requests": {"storage": "2Gi"}}},
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        claim["spec"][field] = value.clone();
    }
    p.create(CLAIMS, claim).await;
}

async fn bound(p: &Place) -> Value {
    p.becomes("it is bound", &format!("{CLAIMS}/data"), |claim| claim["status"]["phase"] == "Bound").await
}

async fn a_claim_is_bound_to_the_smallest_volume_that_is_enough(p: &Place) {
    for (name, size) in [("large", "10Gi"), ("enough", "3Gi"), ("small", "1Gi")] {
        volume(p, name, size).await;
    }
    claim(p, json!({})).await;
    let claim = bound(p).await;
    assert_eq!(claim["spec"]["volumeName"], p.named("{ns}-enough").as_str());
    assert_eq!(claim["status"]["capacity"], json!({"storage": "3Gi"}));
    assert_eq!(claim["status"]["accessModes"], json!(["ReadWriteOnce"]));
    let annotations = &claim["metadata"]["annotations"];
    assert_eq!(annotations["pv.kubernetes.io/bind-completed"], "yes");
    assert_eq!(annotations["pv.kubernetes.io/bound-by-controller"], "yes");
    let volume = p
        .becomes("so is its volume", &format!("{VOLUMES}/{{ns}}-enough"), |volume| volume["status"]["phase"] == "Bound")
        .await;
    let reference = &volume["spec"]["claimRef"];
    assert_eq!((&reference["name"], &reference["uid"]), (&json!("data"), &claim["metadata"]["uid"]));
    assert_eq!(volume["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"], "yes");
}

async fn a_claim_that_nothing_fits_waits(p: &Place) {
    volume(p, "small", "1Gi").await;
    claim(p, json!({})).await;
    p.becomes("it is pending", &format!("{CLAIMS}/data"), |claim| claim["status"]["phase"] == "Pending").await;
    volume(p, "large", "5Gi").await;
    // kube-controller-manager looks again every fifteen seconds.
    bound(p).await;
}

async fn a_volume_is_released_when_its_claim_goes(p: &Place) {
    let path = volume(p, "v", "5Gi").await;
    claim(p, json!({})).await;
    bound(p).await;
    p.becomes("so is its volume", &path, |volume| volume["status"]["phase"] == "Bound").await;
    p.delete(&format!("{CLAIMS}/data")).await.value(200);
    let released = p.becomes("it is released", &path, |volume| volume["status"]["phase"] == "Released").await;
    assert_eq!(released["spec"]["claimRef"]["name"], "data", "it remembers whose it was");
}

async fn a_claim_names_its_volume(p: &Place) {
    for name in ["a", "b"] {
        volume(p, name, "5Gi").await;
    }
    claim(p, json!({"volumeName": "{ns}-b"})).await;
    let claim = bound(p).await;
    assert_eq!(claim["spec"]["volumeName"], p.named("{ns}-b").as_str());
    assert!(claim["metadata"]["annotations"].get("pv.kubernetes.io/bound-by-controller").is_none(), "{claim}");
}
