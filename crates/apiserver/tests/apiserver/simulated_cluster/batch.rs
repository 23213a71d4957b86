//! Jobs and CronJobs.

use std::sync::{Arc, Mutex};

use super::{JOBS, PODS, World, cluster, condition, reason, template};
use jiff::{SignedDuration, Timestamp};
use pintle_apiserver::{ClockMove, Controllers, Server};
use serde_json::{Value, json};

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/default/cronjobs";

fn job(name: &str, annotations: Value, spec: Value) -> Value {
    let mut template = template("task:1", annotations);
    template["spec"]["restartPolicy"] = "Never".into();
    let mut made = json!({"template": template});
    for (field, value) in spec.as_object().into_iter().flatten() {
        made[field.as_str()] = value.clone();
    }
    json!({"metadata": {"name": name}, "spec": made})
}

async fn get(world: &World, name: &str) -> Value {
    world.get(&format!("{JOBS}/{name}")).await.expect(200)
}

#[tokio::test(start_paused = true)]
async fn a_job_runs_as_many_pods_at_a_time_as_it_may_until_enough_have_succeeded() {
    let world = cluster();
    let slow = json!({"pintle.dev/finish-after": "10s"});
    world.post(JOBS, job("work", slow, json!({"completions": 5, "parallelism": 2}))).await.expect(201);
    let first = get(&world, "work").await;
    assert_eq!((first["status"]["active"].as_i64(), first["status"]["ready"].as_i64()), (Some(2), Some(2)), "{first}");
    world.pass(11).await;
    assert_eq!(get(&world, "work").await["status"]["succeeded"], 2);
    world.pass(25).await;
    let done = get(&world, "work").await;
    assert_eq!((done["status"]["succeeded"].as_i64(), condition(&done, "Complete")), (Some(5), "True"), "{done}");
    assert_eq!((condition(&done, "SuccessCriteriaMet"), reason(&done, "Complete")), ("True", "CompletionsReached"));
    assert!(done["status"]["completionTime"].is_string());
    let pods = world.items(PODS).await;
    assert!(pods.len() == 5 && pods.iter().all(|pod| pod["metadata"].get("finalizers").is_none()), "{pods:?}");
}

#[tokio::test(start_paused = true)]
async fn a_job_fails_when_too_many_pods_have_failed_and_waits_between_them() {
    let world = cluster();
    let failing = json!({"pintle.dev/exit-code": "1"});
    world.post(JOBS, job("work", failing, json!({"backoffLimit": 2}))).await.expect(201);
    let first = get(&world, "work").await;
    assert_eq!((first["status"]["failed"].as_i64(), condition(&first, "Failed")), (Some(1), ""), "{first}");
    world.pass(11).await;
    assert_eq!(get(&world, "work").await["status"]["failed"], 2);
    world.pass(21).await;
    let failed = get(&world, "work").await;
    assert_eq!((failed["status"]["failed"].as_i64(), condition(&failed, "Failed")), (Some(3), "True"), "{failed}");
    assert_eq!((condition(&failed, "FailureTarget"), reason(&failed, "Failed")), ("True", "BackoffLimitExceeded"));
    assert_eq!(world.reasons("work").await, ["BackoffLimitExceeded", "SuccessfulCreate"]);
}

#[tokio::test(start_paused = true)]
async fn each_index_of_an_indexed_job_is_done_once() {
    let world = cluster();
    let spec = json!({"completions": 4, "parallelism": 4, "completionMode": "Indexed"});
    world.post(JOBS, job("work", json!({}), spec)).await.expect(201);
    let done = get(&world, "work").await;
    assert_eq!(
        (done["status"]["completedIndexes"].as_str(), condition(&done, "Complete")),
        (Some("0-3"), "True"),
        "{done}"
    );
    let mut indexes: Vec<String> = world
        .items(PODS)
        .await
        .iter()
        .map(|pod| pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"].as_str().unwrap().to_owned())
        .collect();
    indexes.sort();
    assert_eq!(indexes, ["0", "1", "2", "3"]);
}

#[tokio::test(start_paused = true)]
async fn a_job_is_suspended_resumed_ended_by_its_deadline_and_expires() {
    let world = cluster();
    let slow = json!({"pintle.dev/finish-after": "1h"});
    let spec = json!({"suspend": true, "activeDeadlineSeconds": 30, "ttlSecondsAfterFinished": 60});
    world.post(JOBS, job("work", slow, spec)).await.expect(201);
    let suspended = get(&world, "work").await;
    assert_eq!((condition(&suspended, "Suspended"), world.items(PODS).await.len()), ("True", 0), "{suspended}");
    world.merge(&format!("{JOBS}/work"), json!({"spec": {"suspend": false}})).await.expect(200);
    assert_eq!((condition(&get(&world, "work").await, "Suspended"), world.items(PODS).await.len()), ("False", 1));
    world.pass(31).await;
    let ended = get(&world, "work").await;
    assert_eq!((condition(&ended, "Failed"), reason(&ended, "Failed")), ("True", "DeadlineExceeded"), "{ended}");
    assert_eq!(world.items(PODS).await.len(), 0);
    world.pass(62).await;
    assert_eq!(world.get(&format!("{JOBS}/work")).await.code, 404, "a minute after its end");
}

#[tokio::test(start_paused = true)]
async fn a_pod_failure_policy_fails_the_job_at_once_or_forgives() {
    let world = cluster();
    let rules =
        |action: &str| json!({"rules": [{"action": action, "onExitCodes": {"operator": "In", "values": [42]}}]});
    let failing = json!({"pintle.dev/exit-code": "42"});
    world.post(JOBS, job("strict", failing, json!({"podFailurePolicy": rules("FailJob")}))).await.expect(201);
    let strict = get(&world, "strict").await;
    assert_eq!(reason(&strict, "Failed"), "PodFailurePolicy", "{strict}");
}

/// A clock that a test moves.
#[derive(Clone)]
struct MovedClock(Arc<Mutex<Timestamp>>);

impl MovedClock {
    fn at(text: &str) -> MovedClock {
        MovedClock(Arc::new(Mutex::new(text.parse().unwrap())))
    }

    fn pass(&self, minutes: i64) {
        *self.0.lock().unwrap() += SignedDuration::from_mins(minutes);
    }

    fn world(&self) -> World {
        let clock = self.clone();
        let builder = Server::builder().seed(7).clock(move || *clock.0.lock().unwrap());
        World { server: builder.controllers(Controllers::all()).build() }
    }
}

fn cron(schedule: &str, annotations: Value, spec: Value) -> Value {
    let mut made = json!({"schedule": schedule, "jobTemplate": {"spec": job("x", annotations, json!({}))["spec"]}});
    for (field, value) in spec.as_object().into_iter().flatten() {
        made[field.as_str()] = value.clone();
    }
    json!({"metadata": {"name": "tick"}, "spec": made})
}

#[tokio::test]
async fn a_cron_job_follows_the_server_s_clock_and_keeps_some_of_its_jobs() {
    let clock = MovedClock::at("2026-03-01T12:02:00Z");
    let world = clock.world();
    world.post(CRON_JOBS, cron("*/5 * * * *", json!({}), json!({}))).await.expect(201);
    assert_eq!(world.items(JOBS).await.len(), 0);
    clock.pass(3);
    let jobs = world.items(JOBS).await;
    assert_eq!(jobs.len(), 1, "12:05");
    let made = &jobs[0]["metadata"];
    assert_eq!(made["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"], "2026-03-01T12:05:00Z");
    assert_eq!(made["ownerReferences"][0]["kind"], "CronJob");
    for _ in 0..4 {
        clock.pass(5);
        world.server.settle().await;
    }
    let tick = world.get(&format!("{CRON_JOBS}/tick")).await.expect(200);
    assert_eq!(tick["status"]["lastScheduleTime"], "2026-03-01T12:25:00Z", "{tick}");
    assert_eq!(world.items(JOBS).await.len(), 3, "as many successful ones are kept");
    clock.pass(60 * 24);
    assert!(world.items(JOBS).await.len() == 3, "of the times that were missed the latest counts");

    world.merge(&format!("{CRON_JOBS}/tick"), json!({"spec": {"suspend": true}})).await.expect(200);
    clock.pass(60);
    world.server.settle().await;
    let tick = world.get(&format!("{CRON_JOBS}/tick")).await.expect(200);
    assert_eq!(tick["status"]["lastScheduleTime"], "2026-03-02T12:25:00Z");
}

#[tokio::test(start_paused = true)]
async fn a_cron_job_follows_a_clock_that_is_moved_while_the_server_runs() {
    let world = cluster();
    let noon = "2040-03-01T12:02:00Z".parse().unwrap();
    world.server.move_clock(ClockMove::To(noon)).unwrap();
    world.post(CRON_JOBS, cron("*/5 * * * *", json!({}), json!({}))).await.expect(201);
    assert_eq!(world.items(JOBS).await.len(), 0);
    world.server.move_clock(ClockMove::By(SignedDuration::from_mins(4))).unwrap();
    let jobs = world.items(JOBS).await;
    assert_eq!(jobs.len(), 1, "12:06");
    let scheduled = &jobs[0]["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"];
    assert_eq!(scheduled, "2040-03-01T12:05:00Z");
    world.pass(300).await;
    assert_eq!(world.items(JOBS).await.len(), 2, "it goes on from there");
}

#[tokio::test]
async fn a_cron_job_forbids_replaces_or_allows_a_job_beside_one_that_runs() {
    for (policy, running) in [("Forbid", 1), ("Replace", 1), ("Allow", 2)] {
        let clock = MovedClock::at("2026-03-01T12:02:00Z");
        let world = clock.world();
        let endless = json!({"pintle.dev/finish-after": "100h"});
        world.post(CRON_JOBS, cron("*/5 * * * *", endless, json!({"concurrencyPolicy": policy}))).await.expect(201);
        clock.pass(3);
        let first = world.names_at(JOBS).await;
        clock.pass(5);
        let then = world.names_at(JOBS).await;
        assert_eq!(then.len(), running, "{policy}");
        assert_eq!(then.contains(&first[0]), policy != "Replace", "{policy}");
    }
}
