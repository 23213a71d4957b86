//! How a controller stops.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use pintle::ResourceExt;
use pintle::runtime::controller::{Action, Error, RunnerError};
use tokio::time::{Instant, sleep};

use super::{Trouble, again, controller_of, create, embedded};
use crate::custom_resource::Document;
use crate::world::log::Log;

/// `short` takes ten seconds, `long` a hundred, `never` does not end.
async fn reconcile(document: Arc<Document>, _: Arc<()>) -> Result<Action, Trouble> {
    match document.name_any().as_str() {
        "short" => sleep(Duration::from_secs(10)).await,
        "long" => sleep(Duration::from_secs(100)).await,
        _ => std::future::pending().await,
    }
    Ok(Action::await_change())
}

/// Shuts a controller down after a second, with the timeout `limit`. Returns what its stream yielded (finished and cut off
/// reconciles) and after how many seconds it ended.
async fn stopped(names: &[&str], limit: impl Into<Option<Duration>>) -> (Vec<String>, u64) {
    let world = embedded().await;
    for name in names {
        create(&world, name).await;
    }
    let stream = controller_of(&world)
        .graceful_shutdown_on(sleep(Duration::from_secs(1)))
        .graceful_shutdown_timeout(limit)
        .run(reconcile, again, Arc::new(()));
    let start = Instant::now();
    let name = |result| match result {
        Ok((object, _)) => format!("{} done", pintle::runtime::reflector::ObjectRef::<Document>::erase(object).name),
        Err(Error::RunnerError(RunnerError::CutOff(object))) => format!("{} cut off", object.name),
        Err(error) => panic!("{error}"),
    };
    let names = stream.map(name).collect().await;
    (names, start.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_cut_off_by_shutdown_is_named_in_the_log_and_by_the_stream() {
    let log = Log::catch();
    let (names, seconds) = stopped(&["short", "long", "never"], Duration::from_secs(20)).await;
    assert_eq!((names, seconds), (vec!["short done".to_owned(), "long cut off".into(), "never cut off".into()], 21));
    let lines = log.lines_with("cut off the reconcile of Document.v1.example.com/never.default");
    assert!(matches!(&lines[..], [line] if line.contains("WARN")), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_longer_or_no_shutdown_timeout_lets_long_reconciles_finish() {
    for limit in [Some(Duration::from_secs(300)), Some(Duration::MAX), None] {
        assert_eq!(stopped(&["long"], limit).await, (vec!["long done".to_owned()], 100));
    }
}
