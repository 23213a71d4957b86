//! When a controller starts to reconcile, and in which order.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Secret;
use pintle::ResourceExt;
use pintle::api::{Api, Patch, PatchParams};
use pintle::runtime::controller::{Action, Config, Error};
use pintle::runtime::reflector::ObjectRef;
use pintle::runtime::watcher;
use pintle::testing::{Fault, Requests};
use tokio::time::Instant;

use super::{Counts, Trouble, again, controller_of, count, create, embedded};
use crate::custom_resource::{Document, documents};
use crate::world::World;

fn secrets(world: &World) -> Api<Secret> {
    Api::default_namespaced(world.client.clone())
}

/// How long it takes until the first object is reconciled if `fault` happens to all requests for secrets, and how many
/// errors the stream has yielded by then.
async fn first_reconcile(fault: Fault) -> (u64, usize) {
    let world = embedded().await;
    create(&world, "a").await;
    let _rule = world.server().fault(Requests::all().of("secrets"), fault);
    let no_objects = |_: Secret| None::<ObjectRef<Document>>;
    let controller = controller_of(&world).owns(world.config_maps(), watcher::Config::default()).watches(
        secrets(&world),
        watcher::Config::default(),
        no_objects,
    );
    let start = Instant::now();
    let stream = controller.run(count, again, Arc::default());
    let mut stream = std::pin::pin!(stream);
    let mut errors = 0;
    while let Some(result) = stream.next().await {
        match result {
            Ok(_) => return (start.elapsed().as_secs(), errors),
            Err(Error::QueueError(_)) => errors += 1,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("it ended");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_before_every_watch_has_listed() {
    let (after, errors) = first_reconcile(Fault::Delay(Duration::from_secs(7))).await;
    assert_eq!((after, errors), (7, 0), "it waits for the slow list");
}

#[tokio::test(start_paused = true)]
async fn a_refused_watch_is_named_and_does_not_delay_the_first_reconcile() {
    let (after, errors) = first_reconcile(Fault::forbidden()).await;
    assert_eq!(after, 0);
    assert!(errors >= 1, "the failure is yielded");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_fails_for_another_reason_delays_the_first_reconcile_by_30_seconds() {
    let (after, errors) = first_reconcile(Fault::internal_error()).await;
    assert_eq!(after, 30);
    assert!(errors >= 3, "each failure is yielded: {errors}");
}

#[tokio::test(start_paused = true)]
async fn a_refused_watch_recovers_when_it_is_allowed_and_then_triggers_reconciles() {
    let world = embedded().await;
    create(&world, "a").await;
    let rule = world.server().fault(Requests::all().of("secrets"), Fault::forbidden());
    let mapper = |secret: Secret| [ObjectRef::new(&secret.name_any()).within("default")];
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world).watches(secrets(&world), watcher::Config::default(), mapper);
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("it is reconciled without the secrets", async || counts.of("a") == 1).await;
    rule.lift();
    let secret = Secret { metadata: crate::world::config_map("a").metadata, ..Secret::default() };
    secrets(&world).create(&Default::default(), &secret).await.unwrap();
    world.until("a secret triggers", async || counts.of("a") == 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_live_change_is_reconciled_before_the_rest_of_the_initial_list() {
    let world = embedded().await;
    for number in 0..100 {
        create(&world, &format!("d{number:03}")).await;
    }
    let order = Arc::new(Mutex::new(Vec::new()));
    let reconcile = async |document: Arc<Document>, order: Arc<Mutex<Vec<String>>>| {
        order.lock().unwrap().push(document.name_any());
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok::<_, Trouble>(Action::await_change())
    };
    let controller = controller_of(&world).with_config(Config::default().concurrency(1));
    let _running = tokio::spawn(controller.run(reconcile, again, Arc::clone(&order)).for_each(|_| async {}));
    world.until("ten are done", async || order.lock().unwrap().len() == 10).await;
    let patch = Patch::Merge(serde_json::json!({"spec": {"title": "urgent"}}));
    documents(&world).patch("d099", &PatchParams::default(), &patch).await.unwrap();
    world.until("all are done", async || order.lock().unwrap().len() == 100).await;
    let order = order.lock().unwrap();
    assert_eq!(order[10], "d099");
    let mut others: Vec<_> = order.iter().filter(|name| *name != "d099").cloned().collect();
    let listed = others.clone();
    others.sort();
    assert_eq!(listed, others, "the rest is reconciled in the order of the list");
}

#[tokio::test(start_paused = true)]
async fn readiness_names_the_refused_watch_until_it_recovers() {
    let world = embedded().await;
    create(&world, "a").await;
    let refused = world.server().fault(Requests::all().of("secrets"), Fault::forbidden());
    let controller = controller_of(&world).owns(secrets(&world), watcher::Config::default());
    let readiness = controller.readiness();
    assert!(!readiness.is_ready() && readiness.watches().is_empty(), "nothing is requested before it runs");
    let counts = Arc::new(Counts::default());
    let running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("the other kinds are reconciled", async || counts.of("a") == 1).await;
    let watches: Vec<_> = readiness.watches().into_iter().map(|it| (it.kind.kind, it.report.code)).collect();
    assert_eq!(watches, [("Document".to_owned(), None), ("Secret".to_owned(), Some(403))]);
    let text = readiness.to_string();
    assert!(!readiness.is_ready() && text.starts_with("not ready\nsecrets of v1 is refused: "), "{text}");
    refused.lift();
    world.until("it heals", async || readiness.is_ready()).await;
    assert_eq!(readiness.to_string(), "ready");
    running.abort();
    let _ = running.await;
    assert!(!readiness.is_ready());
    assert_eq!(readiness.to_string(), "not ready\nthe controller has ended");
}
