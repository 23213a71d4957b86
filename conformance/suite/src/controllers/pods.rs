//! Pods as controllers make them, and as a behaviour has them run; and what a DaemonSet does, whose pods are for nodes.

use serde_json::{Value, json};

use crate::behaviour::behaviours;
use crate::place::{PODS, Place};

behaviours! {
    "DaemonSet": every_node_that_is_meant_gets_a_pod,
        a_pod_that_has_failed_on_a_node_is_replaced,
        a_daemon_set_counts_its_nodes,
        with_a_surge_the_new_pod_comes_before_the_old_one_goes;
}

/// What a workload makes its pods of.
pub(super) fn template(image: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": image, "ports": [{"name": "http", "containerPort": 8080}]}]},
    })
}

pub(super) fn selector() -> Value {
    json!({"matchLabels": {"app": "web"}})
}

/// A time in the past: what is ready since then is available.
const EARLIER: &str = "2024-01-01T00:00:00Z";

impl Place {
    /// The pods of the namespace that are not being deleted, oldest first.
    pub(super) async fn pods(&self) -> Vec<Value> {
        items(&self.get(PODS).await.value(200))
    }

    /// Waits until there are so many pods.
    pub(super) async fn pods_become(&self, count: usize) -> Vec<Value> {
        let what = format!("there are {count} pods");
        let list = self.eventually(&what, PODS, |answer| items(&answer.json()).len() == count).await;
        items(&list.json())
    }

    /// Waits until an object is as it should be.
    pub(super) async fn becomes(&self, what: &str, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        self.eventually(what, path, |answer| holds(&answer.json())).await.json()
    }

    /// Has a pod run and be ready.
    pub(super) async fn run_pod(&self, name: &str, address: &str) {
        let state = json!({"running": {"startedAt": EARLIER}});
        let condition = |kind: &str| json!({"type": kind, "status": "True", "lastTransitionTime": EARLIER});
        let conditions: Vec<Value> =
            ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition).to_vec();
        self.set_pod(
            name,
            json!({
                "phase": "Running",
                "startTime": EARLIER,
                "podIP": address,
                "podIPs": [{"ip": address}],
                "conditions": conditions,
                "containerStatuses": [container(state, true)],
            }),
        )
        .await;
    }

    /// Has a pod end, well or not.
    pub(super) async fn end_pod(&self, name: &str, exit_code: i32) {
        let phase = if exit_code == 0 { "Succeeded" } else { "Failed" };
        let state = json!({"terminated": {"exitCode": exit_code, "finishedAt": EARLIER, "startedAt": EARLIER}});
        self.set_pod(
            name,
            json!({"phase": phase, "startTime": EARLIER, "containerStatuses": [container(state, false)]}),
        )
        .await;
    }

    /// Has every pod there is run.
    pub(super) async fn run_pods(&self) {
        for (at, pod) in self.pods().await.iter().enumerate() {
            if pod["status"]["phase"] == "Pending" {
                self.run_pod(name_of(pod), &format!("10.1.0.{}", at + 1)).await;
            }
        }
    }

    async fn set_pod(&self, name: &str, status: Value) {
        let answer = self.strategic(&format!("{PODS}/{name}/status"), json!({"status": status})).await;
        // A pod that was deleted meanwhile needs no status.
        assert!(matches!(answer.code, 200 | 404), "{answer}");
    }
}

fn container(state: Value, ready: bool) -> Value {
    json!({"name": "main", "image": "i", "imageID": "i", "ready": ready, "restartCount": 0, "state": state})
}

/// What is in a list and not being deleted, oldest first.
pub(super) fn items(list: &Value) -> Vec<Value> {
    let all = list["items"].as_array().cloned().unwrap_or_default();
    let mut there: Vec<Value> =
        all.into_iter().filter(|item| item["metadata"].get("deletionTimestamp").is_none()).collect();
    there.sort_by_key(|item| (item["metadata"]["creationTimestamp"].to_string(), name_of(item).to_owned()));
    there
}

pub(super) fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// The owner that controls an object, without its uid.
pub(super) fn owner_of(object: &Value) -> Value {
    let mut owner = object["metadata"]["ownerReferences"][0].clone();
    owner.as_object_mut().map(|owner| owner.remove("uid"));
    owner
}

/// A condition of an object: its status, reason and message.
pub(super) fn condition<'a>(object: &'a Value, kind: &str) -> (&'a str, &'a str, &'a str) {
    let all = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found = all.iter().find(|condition| condition["type"] == kind).unwrap_or(&Value::Null);
    let text = |field: &str| found[field].as_str().unwrap_or_default();
    (text("status"), text("reason"), text("message"))
}

const DAEMON_SETS: &str = "/apis/apps/v1/namespaces/{ns}/daemonsets";

/// Makes nodes that only this behaviour's pods are for, and a DaemonSet for them.
async fn daemon_set(p: &Place, nodes: usize) {
    for number in 0..nodes {
        let name = format!("{{ns}}-{number}");
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"suite": "{ns}"}},
            "status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": EARLIER}]},
        });
        p.create("/api/v1/nodes", node).await;
        p.remove_later(&format!("/api/v1/nodes/{name}"));
        // A node that was just registered has a taint until it is ready.
        p.operate(&format!("/api/v1/nodes/{name}"), json!([{"op": "add", "path": "/spec/taints", "value": []}])).await;
    }
    let mut template = template("a");
    template["spec"]["nodeSelector"] = json!({"suite": "{ns}"});
    let set = json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"},
        "spec": {"selector": selector(), "template": template},
    });
    p.create(DAEMON_SETS, set).await;
}

async fn every_node_that_is_meant_gets_a_pod(p: &Place) {
    daemon_set(p, 2).await;
    let pods = p.pods_become(2).await;
    let mut nodes = Vec::new();
    for pod in &pods {
        assert_eq!(
            owner_of(pod),
            json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "controller": true, "blockOwnerDeletion": true})
        );
        assert_eq!(pod["metadata"]["generateName"], "agent-");
        assert!(pod["metadata"]["labels"]["controller-revision-hash"].is_string());
        assert_eq!(pod["metadata"]["labels"]["pod-template-generation"], "1");
        let terms = &pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
        let field = &terms["nodeSelectorTerms"][0]["matchFields"][0];
        assert_eq!((&field["key"], &field["operator"]), (&json!("metadata.name"), &json!("In")));
        nodes.push(field["values"][0].as_str().unwrap_or_default().to_owned());
    }
    nodes.sort();
    assert_eq!(nodes, [p.named("{ns}-0"), p.named("{ns}-1")]);
    let tolerations = pods[0]["spec"]["tolerations"].as_array().cloned().unwrap_or_default();
    let tolerated: Vec<&str> = tolerations.iter().filter_map(|toleration| toleration["key"].as_str()).collect();
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable"] {
        assert!(tolerated.contains(&key), "{key}: {tolerated:?}");
    }
}

async fn a_pod_that_has_failed_on_a_node_is_replaced(p: &Place) {
    daemon_set(p, 1).await;
    let first = name_of(&p.pods_become(1).await[0]).to_owned();
    p.end_pod(&first, 1).await;
    let is_another = |list: &Value| items(list).iter().any(|pod| name_of(pod) != first);
    p.becomes("another pod is there", PODS, is_another).await;
    p.becomes("the one that failed is gone", PODS, |list| items(list).iter().all(|pod| name_of(pod) != first)).await;
}

async fn a_daemon_set_counts_its_nodes(p: &Place) {
    daemon_set(p, 2).await;
    p.pods_become(2).await;
    let path = format!("{DAEMON_SETS}/agent");
    let waiting = p.becomes("both are wanted", &path, |set| set["status"]["desiredNumberScheduled"] == 2).await;
    assert_eq!((&waiting["status"]["numberReady"], &waiting["status"]["observedGeneration"]), (&json!(0), &json!(1)));
    let hash = p.pods().await[0]["metadata"]["labels"]["controller-revision-hash"].clone();
    let revisions = p.get("/apis/apps/v1/namespaces/{ns}/controllerrevisions").await.value(200);
    let revision = &items(&revisions)[0];
    assert_eq!(
        (&revision["revision"], &revision["metadata"]["labels"]["controller-revision-hash"]),
        (&json!(1), &hash)
    );
}

async fn with_a_surge_the_new_pod_comes_before_the_old_one_goes(p: &Place) {
    daemon_set(p, 2).await;
    let path = format!("{DAEMON_SETS}/agent");
    let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}});
    p.merge(&path, json!({"spec": {"updateStrategy": rolling}})).await.value(200);
    let old: Vec<String> = p.pods_become(2).await.iter().map(|pod| name_of(pod).to_owned()).collect();
    p.run_pods().await;
    p.becomes("both are available", &path, |set| set["status"]["numberAvailable"] == 2).await;
    let image = json!([{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "b"}]);
    p.operate(&path, image).await.value(200);
    let is_old = |pod: &Value| old.iter().any(|name| name == name_of(pod));
    for left in [1, 0] {
        let three = p.pods_become(3).await;
        assert_eq!(three.iter().filter(|pod| is_old(pod)).count(), left + 1, "one is beside an old one");
        p.run_pods().await;
        let what = format!("{left} old ones are left");
        p.becomes(&what, PODS, |list| items(list).iter().filter(|pod| is_old(pod)).count() == left).await;
    }
    p.becomes("both are new", &path, |set| {
        set["status"]["updatedNumberScheduled"] == 2 && set["status"]["currentNumberScheduled"] == 2
    })
    .await;
    assert_eq!(p.pods().await.len(), 2);
}
