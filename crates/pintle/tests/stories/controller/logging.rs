//! What a controller logs about failures that a program may ignore.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use http::{Request, Response};
use pintle::api::Api;
use pintle::client::retry::RetryPolicy;
use pintle::client::{Body, ClientBuilder};
use pintle::runtime::controller::{Action, Config, Controller, Error};
use pintle::runtime::watcher;
use pintle::testing::{Fault, Requests};
use pintle::{Client, runtime};
use tokio::time::{Instant, sleep};
use tower::BoxError;
use tower::retry::RetryLayer;

use super::{Counts, Trouble, again, controller_of, count, create, embedded};
use crate::custom_resource::Document;
use crate::world::World;
use crate::world::log::Log;

/// A client whose server refuses every connection, and that tries again as one made from a kubeconfig does.
fn without_server() -> Client {
    let refuse = |_: Request<Body>| async {
        let refused: BoxError = Box::new(io::Error::from(ErrorKind::ConnectionRefused));
        Err::<Response<Body>, _>(refused)
    };
    let retries = RetryLayer::new(RetryPolicy::careful());
    ClientBuilder::new(tower::service_fn(refuse), "default").with_layer(&retries).build()
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_server_is_reported_at_once_by_the_log_and_the_stream() {
    let log = Log::catch();
    let documents: Api<Document> = Api::default_namespaced(without_server());
    let start = Instant::now();
    let stream = Controller::new(documents, watcher::Config::default()).run(count, again, Arc::default());
    let mut stream = std::pin::pin!(stream);
    let item = stream.next().await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(1), "after {:?}", start.elapsed());
    let Err(Error::QueueError(error)) = item else { panic!("{item:?}") };
    assert!(error.to_string().starts_with("failed to perform initial object list: "), "{error}");
    // The client logs it for all its calls; the watch does not repeat it.
    let lines = log.lines_with("WARN");
    let names_it = |line: &String| line.contains("documents") && line.contains("connection refused");
    assert!(matches!(&lines[..], [line] if names_it(line)), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_missing_permission_is_logged_with_its_role_once_a_minute_until_it_is_granted() {
    let (world, log) = (embedded().await, Log::catch());
    create(&world, "a").await;
    let forbidden = world.server().fault(Requests::all().of("documents"), Fault::forbidden());
    let counts = Arc::new(Counts::default());
    let _running = tokio::spawn(controller_of(&world).run(count, again, Arc::clone(&counts)).for_each(|_| async {}));
    sleep(Duration::from_secs(1)).await;
    let advice = "a Role in namespace default must grant list and watch on documents of API group \"example.com\"";
    assert_eq!(log.lines_with(advice).len(), 1, "{:?}", log.lines_with(""));
    sleep(Duration::from_secs(600)).await;
    let lines = log.lines_with(advice).len();
    assert!((5..=11).contains(&lines), "{lines} lines in ten minutes");
    forbidden.lift();
    world.until("it is reconciled", async || counts.of("a") == 1).await;
    let healed = log.lines_with("the watch of documents.example.com in namespace default works again after");
    assert!(matches!(&healed[..], [line] if line.contains("INFO")), "{healed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_not_installed_is_named_in_the_log_and_by_readiness() {
    let (world, log) = (World::embedded(), Log::catch());
    let controller = controller_of(&world);
    let readiness = controller.readiness();
    let _running = tokio::spawn(controller.run(count, again, Arc::default()).for_each(|_| async {}));
    sleep(Duration::from_secs(1)).await;
    let sentence = "the server has no documents.example.com (v1): is its CustomResourceDefinition installed?";
    let lines = log.lines_with(sentence);
    assert!(matches!(&lines[..], [line] if line.contains("WARN")), "{lines:?}");
    assert_eq!(lines[0].matches("installed?").count(), 1, "said once: {lines:?}");
    let text = readiness.to_string();
    assert!(
        text.starts_with("not ready\ndocuments of example.com/v1 is refused: ") && text.contains(sentence),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn errors_of_a_user_stream_are_not_logged_twice_nor_for_each_attempt() {
    let (world, log) = (embedded().await, Log::catch());
    world.server().fault(Requests::all().of("configmaps"), Fault::internal_error());
    let maps = watcher(world.config_maps(), watcher::Config::default());
    let no_objects = |_| None::<runtime::reflector::ObjectRef<Document>>;
    let controller = controller_of(&world).watches_stream(runtime::WatchStreamExt::touched_objects(maps), no_objects);
    let _running = tokio::spawn(controller.run(count, again, Arc::default()).for_each(|_| async {}));
    sleep(Duration::from_secs(50)).await;
    let lines = log.lines_with("WARN");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("a stream that was given to the controller failed"), "{lines:?}");
}

#[derive(Debug, thiserror::Error)]
#[error("the bucket was not made")]
struct NoBucket(#[source] io::Error);

async fn fail(_: Arc<Document>, _: Arc<()>) -> Result<Action, NoBucket> {
    Err(NoBucket(io::Error::other("quota exceeded")))
}

fn back_off(_: Arc<Document>, _: &NoBucket, _: Arc<()>) -> Action {
    tracing::info!("the policy is asked");
    Action::backoff()
}

#[tokio::test(start_paused = true)]
async fn an_error_of_a_reconciler_is_logged_with_object_causes_attempt_and_next_try() {
    let (world, log) = (embedded().await, Log::catch());
    create(&world, "a").await;
    let stream = controller_of(&world).run(fail, back_off, Arc::new(()));
    let results: Vec<_> = stream.take(2).collect().await;
    assert_eq!(
        results[0].as_ref().unwrap_err().to_string(),
        "reconciler for object Document.v1.example.com/a.default failed: the bucket was not made"
    );
    let failed =
        "reconciling Document.v1.example.com/a.default failed: the bucket was not made: quota exceeded; next try in";
    let lines = log.lines_with(failed);
    assert_eq!(lines.len(), 2, "{:?}", log.lines_with(""));
    assert!(lines[0].contains("WARN") && lines[0].contains("attempt=1") && lines[1].contains("attempt=2"), "{lines:?}");
    let asked = log.lines_with("the policy is asked");
    assert!(asked.len() == 2 && asked[0].contains("object.ref=Document.v1.example.com/a.default"), "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn log_failures_false_switches_the_log_of_failed_reconciles_off() {
    let (world, log) = (embedded().await, Log::catch());
    create(&world, "a").await;
    let controller = controller_of(&world).with_config(Config::default().log_failures(false));
    assert_eq!(controller.run(fail, back_off, Arc::new(())).take(3).count().await, 3);
    assert_eq!(log.lines_with("quota exceeded"), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_logged_with_its_message_and_location() {
    let (world, log) = (embedded().await, Log::catch());
    create(&world, "a").await;
    let reconcile = async |_: Arc<Document>, _: Arc<()>| -> Result<Action, Trouble> {
        tokio::task::yield_now().await;
        panic!("no luck with {}", "this");
    };
    let controller = controller_of(&world);
    let results: Vec<_> = controller.run(reconcile, again, Arc::new(())).take(1).collect().await;
    let error = results[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("panicked on object Document.v1.example.com/a.default: no luck with this (at "), "{error}");
    let lines = log.lines_with("reconciling Document.v1.example.com/a.default panicked: no luck with this (at ");
    assert!(matches!(&lines[..], [line] if line.contains("ERROR") && line.contains("logging.rs:")), "{lines:?}");
}
