//! Controllers and their pieces as they are written for kube: streams that the program brings, shared ones, requests
//! that it makes itself, a scheduler of its own, what is recorded as events, and what is waited for.
//!
//! What needs no cluster runs and prints; the rest need only compile.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference, Pod, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject};
use kube::runtime::controller::{
    Action, Config, Controller, Error as ControllerError, ReconcileReason, ReconcileRequest, trigger_owners, trigger_self, trigger_with,
};
use kube::runtime::events::{Event as Recorded, EventType, Recorder, Reporter};
use kube::runtime::reflector::{Lookup, ObjectRef, Store, store, store_shared};
use kube::runtime::scheduler::{ScheduleRequest, debounced_scheduler, scheduler};
use kube::runtime::utils::predicates;
use kube::runtime::wait::{Condition, await_condition, conditions, delete::delete_and_finalize};
use kube::runtime::watcher::{self, DefaultBackoff, watch_object, watcher};
use kube::runtime::{PredicateConfig, WatchStreamExt, applier};
use kube::{Client, Resource, ResourceExt};

use crate::kinds::Document;

pub async fn print() {
    references();
    triggers().await;
    applied().await;
    scheduled().await;
    println!("{:?} {:?}", Action::requeue(Duration::from_secs(5)), Action::await_change());
    let item = Recorded { type_: EventType::Warning, reason: "Full".into(), note: None, action: "Filling".into(), secondary: None };
    println!("{:?} {} {:?}", item.type_, item.reason, item.note);
}

fn map(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.meta_mut().name = Some(name.into());
    map.meta_mut().namespace = Some("default".into());
    map
}

fn child(name: &str, owner: &str) -> Pod {
    let mut pod = Pod::default();
    pod.meta_mut().name = Some(name.into());
    pod.meta_mut().namespace = Some("default".into());
    pod.meta_mut().owner_references = Some(vec![
        OwnerReference { api_version: "v1".into(), kind: "ConfigMap".into(), name: owner.into(), uid: "u".into(), ..OwnerReference::default() },
        OwnerReference { api_version: "v1".into(), kind: "Secret".into(), name: "other".into(), uid: "v".into(), ..OwnerReference::default() },
    ]);
    pod
}

fn references() {
    let reference = ObjectRef::from_obj(&map("a"));
    println!("{reference} {:?} {:?} {:?}", reference.name, reference.namespace, reference.extra.uid);
    println!("{}", reference == ObjectRef::new("a").within("default"));
    println!("{}", reference.clone().erase());
    println!("{}", ObjectRef::<Secret>::new("b"));
    println!("{}", map("a").to_object_ref(()));
    let owners = child("p", "a").meta().owner_references.clone().unwrap_or_default();
    for owner in &owners {
        println!("{:?}", ObjectRef::<ConfigMap>::from_owner_ref(Some("default"), owner, ()).map(|found| found.to_string()));
    }
    let kind = ApiResource::erase::<ConfigMap>(&());
    println!("{}", ObjectRef::<DynamicObject>::new_with("c", kind).within("d"));
    println!("{}", reference.into_kind_unchecked::<Secret>(()));
}

fn printed<K>(request: Result<ReconcileRequest<K>, Infallible>) -> String
where
    K: Resource,
    K::DynamicType: Clone,
{
    let Ok(ReconcileRequest { obj_ref, reason }) = request;
    format!("{obj_ref}: {reason}")
}

async fn triggers() {
    let maps = || stream::iter([map("a"), map("b")].map(Ok::<_, Infallible>));
    println!("{:?}", trigger_self(maps(), ()).map(printed::<ConfigMap>).collect::<Vec<_>>().await);
    let shared = stream::iter([Ok::<_, Infallible>(Arc::new(map("a")))]);
    println!("{:?}", trigger_self(shared, ()).map(printed::<ConfigMap>).collect::<Vec<_>>().await);
    let pods = stream::iter([child("p", "a"), child("q", "b")].map(Ok::<_, Infallible>));
    println!("{:?}", trigger_owners(pods, (), ()).map(printed::<ConfigMap>).collect::<Vec<_>>().await);
    let twice = |map: ConfigMap| {
        ["x", "y"].map(|end| ReconcileRequest {
            obj_ref: ObjectRef::<Secret>::new(&format!("{}-{end}", map.name_any())).within("default"),
            reason: ReconcileReason::Custom { reason: "because".into() },
        })
    };
    println!("{:?}", trigger_with(maps(), twice).map(printed::<Secret>).collect::<Vec<_>>().await);
    let plain: ReconcileRequest<Secret> = ObjectRef::new("s").into();
    println!("{}", printed(Ok(plain)));
}

fn filled(names: &[&str]) -> Store<ConfigMap> {
    let (reader, mut writer) = store();
    writer.apply_watcher_event(&watcher::Event::Init);
    for name in names {
        writer.apply_watcher_event(&watcher::Event::InitApply(map(name)));
    }
    writer.apply_watcher_event(&watcher::Event::InitDone);
    // A writer that is dropped ends its store's readers; this one is needed as long as they are.
    std::mem::forget(writer);
    reader
}

#[derive(Debug, thiserror::Error)]
#[error("it is {0}")]
struct Wrong(String);

async fn applied() {
    let requests = ["a", "b"].map(|name| Ok::<ReconcileRequest<ConfigMap>, Infallible>(ObjectRef::new(name).within("default").into()));
    let reconcile = |map: Arc<ConfigMap>, _: Arc<()>| {
        ready(if map.name_any() == "a" { Ok(Action::await_change()) } else { Err(Wrong(map.name_any())) })
    };
    let policy = |_: Arc<ConfigMap>, _: &Wrong, _: Arc<()>| Action::await_change();
    // kube gives up what waits when the queue ends, so it does not end here.
    let queue = stream::iter(requests).chain(stream::pending());
    let item = applier(reconcile, policy, Arc::new(()), filled(&["a", "b"]), queue, Config::default().concurrency(1));
    let mut lines: Vec<String> = item
        .take(2)
        .map(|item| match item {
            Ok((reference, action)) => format!("{reference} {action:?}"),
            Err(ControllerError::ReconcilerFailed(error, reference)) => format!("{reference}: {error}"),
            Err(error) => error.to_string(),
        })
        .collect()
        .await;
    lines.sort();
    println!("{lines:?}");
}

async fn scheduled() {
    let now = tokio::time::Instant::now();
    let requests = || {
        let at = |message, run_at| ScheduleRequest { message, run_at };
        let requests = [at("late", now + Duration::from_millis(20)), at("soon", now), at("late", now + Duration::from_millis(40))];
        stream::iter(requests).chain(stream::pending())
    };
    println!("{:?}", scheduler(requests()).take(2).collect::<Vec<_>>().await);
    println!("{:?}", debounced_scheduler(requests(), Duration::from_millis(5)).take(2).collect::<Vec<_>>().await);
    // It can be polled without being pinned.
    let mut unpinned = scheduler(requests());
    println!("{:?}", unpinned.next().await);
    let mut scheduled = std::pin::pin!(scheduler(requests()));
    let held = scheduled.as_mut().hold_unless(|message| *message == "soon");
    println!("{:?}", held.take(1).collect::<Vec<_>>().await);
}

/// One watch that feeds two controllers, and everything else a program may bring.
pub async fn run(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    let documents = Api::<Document>::all(client.clone());
    let (reader, writer) = store_shared::<Document>(128);
    let subscriber = writer.subscribe().ok_or("it is shared")?;
    let (_, pod_writer) = store_shared(128);
    let pods = pod_writer.subscribe().ok_or("it is shared")?;
    let feeding = watcher(documents.clone(), watcher::Config::default()).default_backoff().reflect_shared(writer).for_each(|_| ready(()));
    let pods_feeding = watcher(Api::<Pod>::all(client.clone()), watcher::Config::default().labels("app=documents"))
        .modify(|pod| pod.managed_fields_mut().clear())
        .backoff(DefaultBackoff::default())
        .reflect_shared(pod_writer)
        .for_each(|_| ready(()));
    let (_, map_writer) = store::<ConfigMap>();
    let maps = watcher(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .reflect(map_writer)
        .touched_objects()
        .predicate_filter(predicates::labels, PredicateConfig::default());
    let first = Controller::for_shared_stream(subscriber.clone(), reader)
        .owns_shared_stream(pods.clone())
        .owns_stream(maps)
        .graceful_shutdown_on(async { tokio::signal::ctrl_c().await.unwrap_or_default() })
        .run(reconcile, error_policy, Arc::new(client.clone()))
        .for_each(|_| ready(()));
    let (own, own_writer) = store();
    let filtered = watcher(documents, watcher::Config::default())
        .default_backoff()
        .reflect(own_writer)
        .applied_objects()
        .predicate_filter(Predicates::default().0, PredicateConfig::default());
    let mapper = |pod: Arc<Pod>| pod.labels().get("document").map(|name| ObjectRef::<Document>::new(name).within("default"));
    let second = Controller::for_stream(filtered, own)
        .watches_shared_stream(pods, mapper)
        .reconcile_all_on(stream::pending())
        .reconcile_on(stream::iter([ObjectRef::new("a").within("default")]))
        .trigger_backoff(DefaultBackoff::default())
        .with_config(Config::default().concurrency(4).debounce(Duration::from_millis(100)))
        .run(reconcile, error_policy, Arc::new(client))
        .try_for_each(|(reference, _)| async move { Ok(println!("{reference}")) });
    let _ = futures::join!(feeding, pods_feeding, first, second);
    Ok(())
}

/// A filter as programs keep one in a field.
struct Predicates(fn(&Document) -> Option<u64>);

impl Default for Predicates {
    fn default() -> Self {
        Self(predicates::generation)
    }
}

async fn reconcile(document: Arc<Document>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let reporter = Reporter { controller: "documents".into(), instance: std::env::var("POD_NAME").ok() };
    let recorder = Recorder::new(Client::clone(&client), reporter);
    let reference: ObjectReference = document.object_ref(&());
    let item = Recorded {
        type_: EventType::Normal,
        reason: "Written".into(),
        note: Some(format!("`{}` is written", document.name_any())),
        action: "Writing".into(),
        secondary: Some(ObjectRef::from_obj(&map("a")).into()),
    };
    recorder.publish(&item, &reference).await?;
    Ok(Action::requeue(Duration::from_secs(60)))
}

fn error_policy(_: Arc<Document>, error: &kube::Error, _: Arc<Client>) -> Action {
    match error {
        kube::Error::Api(status) if status.is_conflict() => Action::requeue(Duration::from_millis(50)),
        _ => Action::requeue(Duration::from_secs(5)),
    }
}

/// What is waited for.
pub async fn wait(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let established = await_condition(definitions, "documents.example.com", conditions::is_crd_established());
    tokio::time::timeout(Duration::from_secs(10), established).await??;
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let is_small = |found: Option<&Deployment>| found.is_some_and(|found| found.spec.replicas == Some(1));
    let done = await_condition(deployments, "web", conditions::is_deployment_completed().and(is_small)).await?;
    println!("{:?}", done.map(|done| done.name_any()));
    let pods: Api<Pod> = Api::default_namespaced(client);
    let running = await_condition(pods.clone(), "p", conditions::is_pod_running().or(conditions::is_deleted("u")));
    running.await?;
    delete_and_finalize(pods.clone(), "p", &DeleteParams::default()).await?;
    let mut found = watch_object(pods, "p").boxed();
    while let Some(pod) = found.try_next().await? {
        println!("{:?}", pod.map(|pod| pod.name_any()));
    }
    Ok(())
}
