//! An operator as it is written for kube: a kind, what it owns, what concerns it, a finalizer, a store beside it.

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, ObjectMeta, PartialObjectMeta, Patch, PatchParams};
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::reflector::{self, ObjectRef, Store, reflector};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Resource, ResourceExt};

use crate::kinds::Document;

struct Context {
    client: Client,
    pods: Store<Pod>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the API: {0}")]
    Api(#[from] kube::Error),
    #[error("the finalizer: {0}")]
    Finalizer(#[from] Box<kube::runtime::finalizer::Error<Error>>),
    #[error("the store: {0}")]
    Store(#[from] kube::runtime::reflector::store::WriterDropped),
    #[error("the watch: {0}")]
    Watch(#[from] watcher::Error),
}

pub async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let (pods, writer) = reflector::store();
    let filling = reflector(writer, watcher(Api::<Pod>::all(client.clone()), watcher::Config::default()));
    tokio::spawn(filling.default_backoff().touched_objects().for_each(|_| std::future::ready(())));
    pods.wait_until_ready().await?;
    let context = Arc::new(Context { client: client.clone(), pods });
    let config = Config::default().concurrency(3).debounce(Duration::from_secs(1));
    let secrets = watcher::Config::default().labels("for=documents");
    Controller::new(Api::<Document>::all(client.clone()), watcher::Config::default().any_semantic())
        .owns(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .watches(Api::<Secret>::all(client), secrets, documents_of)
        .with_config(config)
        .shutdown_on_signal()
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(5)), context)
        .for_each(|item| async move {
            match item {
                Ok((document, action)) => println!("{document}: {action:?}"),
                Err(error) => eprintln!("{error}"),
            }
        })
        .await;
    Ok(())
}

fn documents_of(secret: Secret) -> Option<ObjectRef<Document>> {
    let name = secret.labels().get("document")?;
    Some(ObjectRef::new(name).within(secret.namespace().as_deref()?))
}

async fn reconcile(document: Arc<Document>, context: Arc<Context>) -> Result<Action, Error> {
    let namespace = document.namespace().unwrap_or_default();
    let documents: Api<Document> = Api::namespaced(context.client.clone(), &namespace);
    let done = finalizer(&documents, "example.com/clean-up", document, |event| async {
        match event {
            Event::Apply(document) => apply(&document, &context).await,
            Event::Cleanup(_) => Ok(Action::await_change()),
        }
    });
    Ok(done.await.map_err(Box::new)?)
}

async fn apply(document: &Document, context: &Context) -> Result<Action, Error> {
    let owner = document.controller_owner_ref(&()).into_iter().collect();
    let metadata = ObjectMeta { name: Some(document.name_any()), owner_references: Some(owner), ..ObjectMeta::default() };
    let map = ConfigMap { metadata, ..ConfigMap::default() };
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &document.namespace().unwrap_or_default());
    maps.patch(&document.name_any(), &PatchParams::apply("documents").force(), &Patch::Apply(&map)).await?;
    let readers = context.pods.state().iter().filter(|pod| pod.labels().contains_key("reader")).count();
    let found = context.pods.find(|pod| pod.name_any() == "editor").map(|pod| ObjectRef::from_obj(pod.as_ref()));
    println!("{readers} {:?}", found.and_then(|key| context.pods.get(&key)).map(|pod| pod.name_any()));
    Ok(Action::requeue(Duration::from_secs(300)))
}

/// Watches in all the ways a program may.
#[expect(dead_code, reason = "that it compiles against both is what it is for")]
async fn watch(client: Client) -> Result<(), Error> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("apps", "v1", "Deployment"));
    let anything: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let mut objects = watcher(anything, watcher::Config::default().streaming_lists()).applied_objects().boxed();
    while let Some(object) = objects.try_next().await? {
        println!("{} {}", ObjectRef::from_obj_with(&object, resource.clone()), object.data["spec"]["replicas"]);
    }
    let metadata: Api<PartialObjectMeta<Pod>> = Api::all(client.clone());
    let (store, writer) = reflector::store();
    let mut touched = watcher(metadata, watcher::Config::default()).default_backoff().reflect(writer).touched_objects().boxed();
    while let Some(pod) = touched.try_next().await? {
        println!("{} of {}", pod.name_any(), store.len());
    }
    let maps = watcher(Api::<ConfigMap>::all(client.clone()), watcher::Config::default()).applied_objects();
    let secrets = watcher(Api::<Secret>::all(client), watcher::Config::default()).applied_objects();
    let both = futures::stream::select(maps.map_ok(|map| map.name_any()), secrets.map_ok(|secret| secret.name_any()));
    both.default_backoff().try_for_each(|name| async move { Ok(println!("{name}")) }).await?;
    Ok(())
}
