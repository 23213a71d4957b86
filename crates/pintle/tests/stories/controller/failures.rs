//! What happens to an object whose reconcile fails, hangs or panics, and to the others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use pintle::ResourceExt;
use pintle::api::{DeleteParams, Patch, PatchParams};
use pintle::runtime::controller::{
    Action, BoxedError, Config, Error, Failed, Failure, FailureCause, Handlers, RunnerError, TerminalError,
};
use pintle::runtime::metrics::Value;
use tokio::time::Instant;

use super::{Counts, Trouble, again, controller_of, create, embedded, world};
use crate::custom_resource::{Document, documents};

/// When each object was reconciled.
type Runs = Mutex<BTreeMap<String, Vec<Instant>>>;

fn note(runs: &Runs, document: &Document) -> usize {
    let mut runs = runs.lock().unwrap();
    let times = runs.entry(document.name_any()).or_default();
    times.push(Instant::now());
    times.len()
}

#[tokio::test(start_paused = true)]
async fn an_async_error_policy_receives_the_attempt_and_the_error() {
    type Seen = Mutex<Vec<(u32, String)>>;
    async fn reconcile(_: Arc<Document>, seen: Arc<Seen>) -> Result<Action, Trouble> {
        let failures = seen.lock().unwrap().len();
        if failures == 4 { Ok(Action::await_change()) } else { Err(Trouble::OnPurpose) }
    }
    async fn policy(failure: Failure<'_, Document, Trouble>, seen: Arc<Seen>) -> Action {
        tokio::time::sleep(Duration::from_secs(1)).await;
        seen.lock().unwrap().push((failure.attempt, format!("{}: {}", failure.object.name_any(), failure.error)));
        if failure.attempt == 2 { Action::requeue(Duration::from_secs(100)) } else { Action::backoff() }
    }
    let world = embedded().await;
    create(&world, "a").await;
    let seen = Arc::new(Seen::default());
    let start = Instant::now();
    let stream = controller_of(&world).run_with(Handlers::new(reconcile).on_error(policy), Arc::clone(&seen));
    let results: Vec<_> = stream.take(5).collect().await;
    let attempts: Vec<_> = seen.lock().unwrap().iter().map(|(attempt, _)| *attempt).collect();
    assert_eq!(attempts, [1, 2, 3, 4]);
    assert!(seen.lock().unwrap().iter().all(|(_, text)| text == "a: it is the one that fails"));
    assert!((104..106).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    assert_eq!(results.iter().filter(|result| matches!(result, Err(Error::ReconcilerFailed(..)))).count(), 4);
}

#[tokio::test(start_paused = true)]
async fn without_an_error_policy_failures_back_off() {
    let world = embedded().await;
    create(&world, "a").await;
    let runs = Arc::new(Runs::default());
    let failing = async |document: Arc<Document>, runs: Arc<Runs>| {
        note(&runs, &document);
        Err::<Action, _>(Trouble::OnPurpose)
    };
    let stream = controller_of(&world).run_with(Handlers::new(failing), Arc::clone(&runs));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    tokio::time::sleep(Duration::from_secs(60)).await;
    let count = runs.lock().unwrap()["a"].len();
    assert!((12..=15).contains(&count), "{count} attempts in a minute");
}

#[tokio::test(start_paused = true)]
async fn a_terminal_error_is_not_retried_until_the_object_changes() {
    #[derive(Debug, thiserror::Error)]
    #[error("the spec makes no sense")]
    struct Invalid(#[source] TerminalError);
    let world = world().await;
    create(&world, "a").await;
    let counts = Arc::new(Counts::default());
    let reconcile = async |document: Arc<Document>, counts: Arc<Counts>| {
        counts.add(&document.name_any());
        Err::<Action, _>(Invalid(TerminalError::new("the title is wrong")))
    };
    let controller = controller_of(&world);
    let metrics = controller.metrics();
    let stream = controller.run_with(Handlers::new(reconcile), Arc::clone(&counts));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    world.pass(Duration::from_secs(3600)).await;
    assert_eq!((counts.of("a"), metrics.counts().terminal), (1, 1));
    let patch = Patch::Merge(serde_json::json!({"spec": {"title": "right"}}));
    documents(&world).patch("a", &PatchParams::default(), &patch).await.unwrap();
    world.until("a change triggers it", async || counts.of("a") == 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_recreated_object_does_not_inherit_the_backoff_of_its_predecessor() {
    let world = embedded().await;
    create(&world, "a").await;
    let runs = Arc::new(Runs::default());
    let failing = async |document: Arc<Document>, runs: Arc<Runs>| {
        note(&runs, &document);
        Err::<Action, _>(Trouble::OnPurpose)
    };
    let stream = controller_of(&world).run(failing, again, Arc::clone(&runs));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    tokio::time::sleep(Duration::from_secs(30)).await;
    runs.lock().unwrap().clear();
    documents(&world).delete("a", &DeleteParams::default()).await.unwrap();
    create(&world, "a").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let count = runs.lock().unwrap()["a"].len();
    assert!((7..=9).contains(&count), "5 ms doubled fits 7 to 8 times into a second: {count}");
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_past_its_deadline_is_cancelled_and_retried() {
    let world = embedded().await;
    create(&world, "a").await;
    let runs = Arc::new(Runs::default());
    let hanging = async |document: Arc<Document>, runs: Arc<Runs>| {
        if note(&runs, &document) < 3 {
            std::future::pending::<()>().await;
        }
        Ok::<_, Trouble>(Action::await_change())
    };
    let controller = controller_of(&world).with_config(Config::default().deadline(Duration::from_secs(10)));
    let results: Vec<_> = controller.run(hanging, again, Arc::clone(&runs)).take(3).collect().await;
    let timed_out = results.iter().filter(
        |result| matches!(result, Err(Error::RunnerError(RunnerError::TimedOut(object, _))) if object.name == "a"),
    );
    assert_eq!((timed_out.count(), results[2].is_ok()), (2, true), "{results:?}");
    let times = runs.lock().unwrap()["a"].clone();
    let waits: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_millis()).collect();
    assert!((10_005..10_010).contains(&waits[0]) && (10_010..10_020).contains(&waits[1]), "{waits:?}");
}

/// One object for each kind of failure, and one that is reconciled every second: in virtual time it is never late.
#[tokio::test(start_paused = true)]
async fn an_object_that_panics_hangs_or_fails_forever_does_not_slow_others() {
    let world = embedded().await;
    for name in ["fails", "good", "hangs", "panics"] {
        create(&world, name).await;
    }
    let runs = Arc::new(Runs::default());
    let reconcile = async |document: Arc<Document>, runs: Arc<Runs>| {
        note(&runs, &document);
        match document.name_any().as_str() {
            "fails" => return Err(Trouble::OnPurpose),
            "hangs" => std::future::pending::<()>().await,
            "panics" => panic!("on purpose"),
            _ => {}
        }
        Ok(Action::requeue(Duration::from_secs(1)))
    };
    let immediately = |_: Arc<Document>, _: &Trouble, _: Arc<Runs>| Action::requeue(Duration::from_millis(1));
    let stream = controller_of(&world).run(reconcile, immediately, Arc::clone(&runs));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    tokio::time::sleep(Duration::from_millis(60_500)).await;
    let runs = runs.lock().unwrap();
    let late = runs["good"].windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert_eq!(runs["good"].len(), 61);
    assert!(late <= Duration::from_millis(1002), "the healthy object waited {late:?}");
    assert_eq!(runs["hangs"].len(), 1);
    assert!(runs["fails"].len() > 10_000, "every few milliseconds, as its policy says: {}", runs["fails"].len());
    assert!(runs["panics"].len() < 16, "backing off: {}", runs["panics"].len());
}

#[tokio::test(start_paused = true)]
async fn at_most_sixteen_reconciles_run_at_once_by_default() {
    async fn most_at_once(config: Config) -> usize {
        let world = world().await;
        for number in 0..40 {
            create(&world, &format!("d{number}")).await;
        }
        let running = Arc::new(Mutex::new((0_usize, 0_usize)));
        let reconcile = async |_: Arc<Document>, running: Arc<Mutex<(usize, usize)>>| {
            {
                let mut running = running.lock().unwrap();
                running.0 += 1;
                running.1 = running.1.max(running.0);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            running.lock().unwrap().0 -= 1;
            Ok::<_, Trouble>(Action::await_change())
        };
        let stream = controller_of(&world).with_config(config).run(reconcile, again, Arc::clone(&running));
        assert_eq!(stream.take(40).count().await, 40);
        running.lock().unwrap().1
    }
    assert_eq!(most_at_once(Config::default()).await, 16);
    assert_eq!(most_at_once(Config::default().concurrency(3)).await, 3);
    assert_eq!(most_at_once(Config::default().concurrency(0)).await, 40);
}

#[tokio::test(start_paused = true)]
async fn the_failure_handler_receives_errors_panics_and_timeouts() {
    type Seen = Mutex<BTreeMap<String, Vec<(u32, String)>>>;
    async fn reconcile(document: Arc<Document>, _: Arc<Seen>) -> Result<Action, Trouble> {
        match document.name_any().as_str() {
            "errs" => Err(Trouble::OnPurpose),
            "panics" => panic!("out of luck"),
            _ => std::future::pending().await,
        }
    }
    async fn failed(failed: Failed<'_, Document, Trouble>, seen: Arc<Seen>) -> Action {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let name = failed.object.name_any();
        let is_expected = match failed.cause {
            FailureCause::Error(Trouble::OnPurpose) => name == "errs",
            FailureCause::Panicked(_) => name == "panics",
            FailureCause::TimedOut(deadline) => name == "hangs" && deadline.as_secs() == 10,
            _ => false,
        };
        assert!(is_expected, "{name}: {}", failed.cause);
        seen.lock().unwrap().entry(name).or_default().push((failed.attempt, failed.cause.to_string()));
        Action::requeue(Duration::from_secs(100))
    }
    let world = embedded().await;
    for name in ["errs", "panics", "hangs"] {
        create(&world, name).await;
    }
    let seen = Arc::new(Seen::default());
    let controller = controller_of(&world).with_config(Config::default().deadline(Duration::from_secs(10)));
    let metrics = controller.metrics();
    let stream = controller.run_with(Handlers::new(reconcile).on_failure(failed), Arc::clone(&seen));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    tokio::time::sleep(Duration::from_secs(150)).await;
    let seen = seen.lock().unwrap();
    for (name, text) in [
        ("errs", "it is the one that fails"),
        ("panics", "the reconciler panicked: out of luck (at "),
        ("hangs", "the reconciler did not end within 10s"),
    ] {
        let attempts: Vec<_> = seen[name].iter().map(|(attempt, _)| *attempt).collect();
        assert_eq!(attempts, [1, 2], "{name} is retried when the handler says");
        assert!(seen[name][0].1.starts_with(text), "{:?}", seen[name]);
    }
    let counts = metrics.counts();
    assert_eq!((counts.failed, counts.panicked, counts.timed_out), (2, 2, 2));
    let samples = metrics.samples("documents");
    let labels = vec![("controller", "documents".to_owned()), ("result", "error".to_owned())];
    let sample = samples.iter().find(|sample| sample.labels == labels).unwrap();
    assert_eq!((sample.name, &sample.value), ("controller_runtime_reconcile_total", &Value::Counter(6)));
}

#[tokio::test(start_paused = true)]
async fn the_first_and_longest_delay_of_the_backoff_can_be_set() {
    let world = embedded().await;
    create(&world, "a").await;
    let runs = Arc::new(Runs::default());
    let failing = async |document: Arc<Document>, runs: Arc<Runs>| {
        note(&runs, &document);
        Err::<Action, _>(Trouble::OnPurpose)
    };
    let config = Config::default().backoff(Duration::from_secs(1), Duration::from_secs(4));
    let stream = controller_of(&world).with_config(config).run(failing, again, Arc::clone(&runs));
    assert_eq!(stream.take(6).count().await, 6);
    let times = runs.lock().unwrap()["a"].clone();
    let waits: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect();
    assert_eq!(waits, [1, 2, 4, 4, 4]);
}

#[tokio::test(start_paused = true)]
async fn run_boxed_accepts_reconcilers_that_return_any_boxable_error() {
    use anyhow::Context;
    async fn reconcile(document: Arc<Document>, counts: Arc<Counts>) -> anyhow::Result<Action> {
        counts.add(&document.name_any());
        if document.name_any() == "hopeless" {
            return Err(TerminalError::new("never")).context("cannot start");
        }
        if document.name_any() == "invalid" {
            return Err(TerminalError::new("no title").into());
        }
        "seven".parse::<u32>().context("the number is wrong")?;
        Ok(Action::await_change())
    }
    let policy = |_: Arc<Document>, error: &BoxedError, _: Arc<Counts>| {
        assert!(error.get().source().is_some(), "its causes are kept");
        Action::backoff()
    };
    let (world, log) = (embedded().await, crate::world::log::Log::catch());
    for name in ["a", "hopeless", "invalid"] {
        create(&world, name).await;
    }
    let counts = Arc::new(Counts::default());
    let stream = controller_of(&world).run_boxed(reconcile, policy, Arc::clone(&counts));
    let _running = tokio::spawn(stream.for_each(|_| async {}));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(counts.of("a") > 5, "it backs off");
    assert_eq!((counts.of("hopeless"), counts.of("invalid")), (1, 1), "a terminal error waits for a change");
    let logged = log.lines_with("a.default failed: the number is wrong: invalid digit found in string; next try in");
    assert_eq!(logged.len(), counts.of("a"));
    assert_eq!(
        log.lines_with("failed: cannot start: never: trying again cannot fix it; it is not tried again").len(),
        1
    );
}
