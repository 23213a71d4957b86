//! Jobs: pods that end, counted until they are enough or too many have failed.

use serde_json::{Value, json};

use super::pods::{condition, items, name_of, owner_of};
use crate::behaviour::behaviours;
use crate::place::{PODS, Place};

behaviours! {
    "Job": a_job_makes_pods_with_its_labels_and_its_finalizer,
        a_job_is_complete_once_its_pods_have_succeeded,
        a_job_keeps_to_its_parallelism,
        a_job_fails_once_too_many_pods_have_failed,
        a_failed_pod_is_tried_again,
        an_indexed_job_gives_each_pod_its_number,
        a_suspended_job_has_no_pods_until_it_is_resumed,
        a_job_ends_at_its_deadline,
        a_job_that_is_done_goes_after_its_time,
        pods_are_free_to_go_once_they_are_counted,
        a_job_is_complete_once_its_success_policy_is_met;
    "CronJob": a_cron_job_that_is_suspended_starts_nothing;
}

const JOBS: &str = "/apis/batch/v1/namespaces/{ns}/jobs";
const JOB: &str = "/apis/batch/v1/namespaces/{ns}/jobs/sum";

async fn job(p: &Place, more: Value) -> Value {
    let mut body = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sum"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]}}},
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        body["spec"][field] = value.clone();
    }
    p.create(JOBS, body).await
}

/// The pods that have not ended.
fn running(list: &Value) -> Vec<Value> {
    let all = items(list).into_iter();
    all.filter(|pod| !matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"))).collect()
}

async fn running_become(p: &Place, count: usize) -> Vec<Value> {
    running(&p.becomes(&format!("{count} pods run"), PODS, |list| running(list).len() == count).await)
}

async fn a_job_makes_pods_with_its_labels_and_its_finalizer(p: &Place) {
    let made = job(p, json!({})).await;
    let pod = running_become(p, 1).await[0].clone();
    let uid = made["metadata"]["uid"].clone();
    assert_eq!(
        pod["metadata"]["labels"],
        json!({"batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": "sum", "controller-uid": uid, "job-name": "sum"})
    );
    assert_eq!(pod["metadata"]["finalizers"], json!(["batch.kubernetes.io/job-tracking"]));
    assert_eq!(pod["metadata"]["generateName"], "sum-");
    assert_eq!(
        owner_of(&pod),
        json!({"apiVersion": "batch/v1", "kind": "Job", "name": "sum", "controller": true, "blockOwnerDeletion": true})
    );
    let job = p.becomes("one is active", JOB, |job| job["status"]["active"] == 1).await;
    assert!(job["status"]["startTime"].is_string());
    assert_eq!((&job["status"]["ready"], &job["status"]["terminating"]), (&json!(0), &json!(0)));
}

async fn a_job_is_complete_once_its_pods_have_succeeded(p: &Place) {
    job(p, json!({"completions": 2, "parallelism": 2})).await;
    for pod in running_become(p, 2).await {
        p.end_pod(name_of(&pod), 0).await;
    }
    let done = p.becomes("it is complete", JOB, |job| condition(job, "Complete").0 == "True").await;
    let message = "Reached expected number of succeeded pods";
    assert_eq!(condition(&done, "SuccessCriteriaMet"), ("True", "CompletionsReached", message));
    assert_eq!(condition(&done, "Complete"), ("True", "CompletionsReached", message));
    assert_eq!(done["status"]["succeeded"], 2);
    assert!(done["status"]["completionTime"].is_string() && done["status"].get("active").is_none());
    assert_eq!(done["status"]["uncountedTerminatedPods"], json!({}));
}

async fn a_job_keeps_to_its_parallelism(p: &Place) {
    job(p, json!({"completions": 3, "parallelism": 2})).await;
    let pods = running_become(p, 2).await;
    p.end_pod(name_of(&pods[0]), 0).await;
    p.becomes("one has succeeded", JOB, |job| job["status"]["succeeded"] == 1).await;
    let pods = running_become(p, 2).await;
    p.end_pod(name_of(&pods[0]), 0).await;
    p.becomes("two have succeeded", JOB, |job| job["status"]["succeeded"] == 2).await;
    running_become(p, 1).await;
}

async fn a_job_fails_once_too_many_pods_have_failed(p: &Place) {
    job(p, json!({"backoffLimit": 0})).await;
    let pods = running_become(p, 1).await;
    p.end_pod(name_of(&pods[0]), 1).await;
    let failed = p.becomes("it has failed", JOB, |job| condition(job, "Failed").0 == "True").await;
    let message = "Job has reached the specified backoff limit";
    assert_eq!(condition(&failed, "Failed"), ("True", "BackoffLimitExceeded", message));
    assert_eq!(condition(&failed, "FailureTarget"), ("True", "BackoffLimitExceeded", message));
    assert_eq!(failed["status"]["failed"], 1);
    assert!(failed["status"].get("completionTime").is_none());
}

async fn a_failed_pod_is_tried_again(p: &Place) {
    job(p, json!({"backoffLimit": 2})).await;
    let first = name_of(&running_become(p, 1).await[0]).to_owned();
    p.end_pod(&first, 1).await;
    p.becomes("one has failed", JOB, |job| job["status"]["failed"] == 1).await;
    let second = running_become(p, 1).await;
    assert_ne!(name_of(&second[0]), first);
    p.end_pod(name_of(&second[0]), 0).await;
    p.becomes("it is complete", JOB, |job| condition(job, "Complete").0 == "True").await;
}

async fn an_indexed_job_gives_each_pod_its_number(p: &Place) {
    job(p, json!({"completionMode": "Indexed", "completions": 2, "parallelism": 2})).await;
    let pods = running_become(p, 2).await;
    let index = |pod: &Value| {
        pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let mut numbers: Vec<String> = pods.iter().map(index).collect();
    numbers.sort();
    assert_eq!(numbers, ["0", "1"]);
    let second = pods.iter().find(|pod| index(pod) == "1").expect("it is there");
    assert!(name_of(second).starts_with("sum-1-"), "{}", name_of(second));
    assert_eq!(
        (&second["spec"]["hostname"], &second["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]),
        (&json!("sum-1"), &json!("1"))
    );
    let environment = &second["spec"]["containers"][0]["env"][0];
    assert_eq!(environment["name"], "JOB_COMPLETION_INDEX");
    p.end_pod(name_of(second), 0).await;
    p.becomes("the second is done", JOB, |job| job["status"]["completedIndexes"] == "1").await;
    let first = pods.iter().find(|pod| index(pod) == "0").expect("it is there");
    p.end_pod(name_of(first), 0).await;
    p.becomes("both are", JOB, |job| {
        job["status"]["completedIndexes"] == "0,1" && condition(job, "Complete").0 == "True"
    })
    .await;
}

async fn a_suspended_job_has_no_pods_until_it_is_resumed(p: &Place) {
    job(p, json!({"suspend": true})).await;
    let suspended = p.becomes("it is suspended", JOB, |job| condition(job, "Suspended").0 == "True").await;
    assert_eq!(condition(&suspended, "Suspended"), ("True", "JobSuspended", "Job suspended"));
    assert!(suspended["status"].get("startTime").is_none());
    assert_eq!(p.pods().await.len(), 0);
    p.merge(JOB, json!({"spec": {"suspend": false}})).await.value(200);
    running_become(p, 1).await;
    let resumed = p.becomes("it is resumed", JOB, |job| condition(job, "Suspended").0 == "False").await;
    assert_eq!(condition(&resumed, "Suspended"), ("False", "JobResumed", "Job resumed"));
    p.merge(JOB, json!({"spec": {"suspend": true}})).await.value(200);
    running_become(p, 0).await;
}

async fn a_job_ends_at_its_deadline(p: &Place) {
    job(p, json!({"activeDeadlineSeconds": 1})).await;
    let failed = p.becomes("it has failed", JOB, |job| condition(job, "Failed").0 == "True").await;
    let message = "Job was active longer than specified deadline";
    assert_eq!(condition(&failed, "Failed"), ("True", "DeadlineExceeded", message));
    running_become(p, 0).await;
}

async fn a_job_that_is_done_goes_after_its_time(p: &Place) {
    job(p, json!({"ttlSecondsAfterFinished": 1})).await;
    let pods = running_become(p, 1).await;
    p.end_pod(name_of(&pods[0]), 0).await;
    p.eventually("it is gone", JOB, |answer| answer.code == 404).await;
}

async fn pods_are_free_to_go_once_they_are_counted(p: &Place) {
    job(p, json!({})).await;
    let name = name_of(&running_become(p, 1).await[0]).to_owned();
    p.end_pod(&name, 0).await;
    let is_free = |pod: &Value| pod["metadata"]["name"].is_string() && pod["metadata"].get("finalizers").is_none();
    p.becomes("its finalizer is gone", &format!("{PODS}/{name}"), is_free).await;
    p.becomes("it is complete", JOB, |job| condition(job, "Complete").0 == "True").await;
    assert_eq!(p.pods().await.len(), 1, "its pods stay");
}

async fn a_job_is_complete_once_its_success_policy_is_met(p: &Place) {
    let policy = json!({"rules": [{"succeededIndexes": "0-1"}, {"succeededCount": 1, "succeededIndexes": "1,2"}]});
    job(p, json!({"completionMode": "Indexed", "completions": 3, "parallelism": 3, "successPolicy": policy})).await;
    let pods = running_become(p, 3).await;
    let last = pods.iter().find(|pod| name_of(pod).starts_with("sum-2-")).expect("it is there");
    p.end_pod(name_of(last), 0).await;
    let done = p.becomes("it is complete", JOB, |job| condition(job, "Complete").0 == "True").await;
    for kind in ["SuccessCriteriaMet", "Complete"] {
        assert_eq!(condition(&done, kind), ("True", "SuccessPolicy", "Matched rules at index 1"));
    }
    assert_eq!((&done["status"]["succeeded"], &done["status"]["completedIndexes"]), (&json!(1), &json!("2")));
    running_become(p, 0).await;
}

async fn a_cron_job_that_is_suspended_starts_nothing(p: &Place) {
    let template = json!({"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]}}}});
    let cron = json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"},
        "spec": {"schedule": "* * * * *", "suspend": true, "jobTemplate": template},
    });
    let made = p.create("/apis/batch/v1/namespaces/{ns}/cronjobs", cron).await;
    assert_eq!(made["status"], json!({}));
    assert!(items(&p.get(JOBS).await.value(200)).is_empty());
}
