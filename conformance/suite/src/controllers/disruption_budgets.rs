//! PodDisruptionBudgets: what is counted, and what evictions make of it.

use serde_json::{Value, json};

use super::pods::{condition, name_of, selector, template};
use crate::behaviour::behaviours;
use crate::place::{PODS, Place};

behaviours! {
    "PodDisruptionBudget": a_budget_counts_the_pods_that_it_selects,
        a_share_is_one_of_the_pods_that_there_should_be,
        a_budget_of_no_pods_allows_nothing,
        a_share_of_pods_without_a_scale_is_not_known,
        an_eviction_beyond_the_budget_is_refused;
}

const BUDGETS: &str = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const BUDGET: &str = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/web";

async fn budget(p: &Place, field: &str, value: Value) {
    let spec = json!({"selector": selector(), field: value});
    let budget =
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": spec});
    p.create(BUDGETS, budget).await;
}

/// A ReplicaSet with three pods that are ready.
async fn three_pods(p: &Place) {
    let set = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {"replicas": 3, "selector": selector(), "template": template("a")},
    });
    p.create("/apis/apps/v1/namespaces/{ns}/replicasets", set).await;
    p.pods_become(3).await;
    p.run_pods().await;
}

async fn allows(p: &Place, count: i64) -> Value {
    let is_so = |budget: &Value| {
        let status = &budget["status"];
        status["observedGeneration"] == budget["metadata"]["generation"] && status["disruptionsAllowed"] == count
    };
    p.becomes(&format!("it allows {count}"), BUDGET, is_so).await
}

async fn a_budget_counts_the_pods_that_it_selects(p: &Place) {
    three_pods(p).await;
    budget(p, "minAvailable", json!(2)).await;
    let counted = allows(p, 1).await;
    let status = &counted["status"];
    assert_eq!(
        (&status["expectedPods"], &status["desiredHealthy"], &status["currentHealthy"]),
        (&json!(3), &json!(2), &json!(3))
    );
    assert_eq!(condition(&counted, "DisruptionAllowed"), ("True", "SufficientPods", ""));
    assert_eq!(status["conditions"][0]["observedGeneration"], 1);
}

async fn a_share_is_one_of_the_pods_that_there_should_be(p: &Place) {
    three_pods(p).await;
    budget(p, "maxUnavailable", json!("40%")).await;
    let counted = allows(p, 2).await;
    assert_eq!((&counted["status"]["expectedPods"], &counted["status"]["desiredHealthy"]), (&json!(3), &json!(1)));
}

async fn a_budget_of_no_pods_allows_nothing(p: &Place) {
    budget(p, "maxUnavailable", json!(1)).await;
    let counted = allows(p, 0).await;
    let status = &counted["status"];
    assert_eq!(
        (&status["expectedPods"], &status["desiredHealthy"], &status["currentHealthy"]),
        (&json!(0), &json!(0), &json!(0))
    );
    assert_eq!(condition(&counted, "DisruptionAllowed"), ("False", "InsufficientPods", ""));
}

async fn a_share_of_pods_without_a_scale_is_not_known(p: &Place) {
    let mut template = template("a");
    template["spec"]["restartPolicy"] = json!("Never");
    let job =
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"}, "spec": {"template": template}});
    p.create("/apis/batch/v1/namespaces/{ns}/jobs", job).await;
    p.pods_become(1).await;
    budget(p, "maxUnavailable", json!(1)).await;
    let failed =
        p.becomes("it has failed", BUDGET, |budget| condition(budget, "DisruptionAllowed").1 == "SyncFailed").await;
    assert_eq!(condition(&failed, "DisruptionAllowed").2, "jobs.batch does not implement the scale subresource");
    assert_eq!(failed["status"]["disruptionsAllowed"], 0);
}

async fn an_eviction_beyond_the_budget_is_refused(p: &Place) {
    three_pods(p).await;
    budget(p, "minAvailable", json!(2)).await;
    allows(p, 1).await;
    let pods = p.pods().await;
    let evict = |pod: &Value| {
        let name = name_of(pod).to_owned();
        let body = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}});
        async move { p.post(&format!("{PODS}/{name}/eviction"), body).await }
    };
    evict(&pods[0]).await.value(201);
    allows(p, 0).await;
    let refused = evict(&pods[1]).await.value(429);
    assert_eq!(refused["message"], "Cannot evict pod as it would violate the pod's disruption budget.");
    let cause = &refused["details"]["causes"][0];
    assert_eq!(cause["reason"], "DisruptionBudget");
    assert_eq!(cause["message"], "The disruption budget web needs 2 healthy pods and has 2 currently");
}
