//! An operator runs with everything allowed, and then with the role that was made of what it did.

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference, Secret};
use k8s_openapi::api::events::v1::Event as StoredEvent;
use pintle::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use pintle::client::ClientBuilder;
use pintle::core::{ApiResource, GroupVersionKind};
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::events::{Event, EventType, Recorder, Reporter};
use pintle::runtime::lease::Candidate;
use pintle::testing::Server;
use pintle::{Client, Error, Resource, ResourceExt};
use serde_json::{Value, json};

use crate::world::{World, config_map};

/// Copies each ConfigMap into a Secret, marks it, and reports that, while it leads.
async fn operate(client: Client) {
    let (maps, leased) = (Api::<ConfigMap>::default_namespaced(client.clone()), client.clone());
    let namespace = client.default_namespace().to_owned();
    let candidate = Candidate::new(leased, &namespace, "operator");
    let lead = candidate.lead(async move |_| {
        let reporter = Reporter { controller: "operator".into(), instance: Some("operator-0".into()) };
        let context = Arc::new((client.clone(), Recorder::new(client, reporter)));
        let controller = Controller::new(maps, World::watching());
        controller.run(copy, |_, _, _| Action::backoff(), context).for_each(async |_| ()).await;
    });
    lead.await.unwrap();
}

async fn copy(map: Arc<ConfigMap>, context: Arc<(Client, Recorder)>) -> Result<Action, Error> {
    let (client, recorder) = &*context;
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let secret =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": map.name_any()}, "stringData": map.data});
    secrets.patch(&map.name_any(), &PatchParams::apply("operator"), &Patch::Apply(secret)).await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let mark = Patch::Merge(json!({"metadata": {"annotations": {"copied": "yes"}}}));
    maps.patch(&map.name_any(), &PatchParams::default(), &mark).await?;
    let about: ObjectReference = map.object_ref(&());
    let event = Event {
        type_: EventType::Normal,
        reason: "Copied".into(),
        note: None,
        action: "Copying".into(),
        secondary: None,
    };
    recorder.publish(&event, &about).await?;
    Ok(Action::await_change())
}

/// Runs the operator until it has done everything that it does.
async fn run(world: &World, admin: &Client, operator: Client) {
    let running = tokio::spawn(operate(operator));
    let maps: Api<ConfigMap> = Api::default_namespaced(admin.clone());
    maps.create(&PostParams::default(), &config_map("a")).await.unwrap();
    let (secrets, events) =
        (Api::<Secret>::default_namespaced(admin.clone()), Api::<StoredEvent>::default_namespaced(admin.clone()));
    world
        .until("the operator has copied, marked and reported", async || {
            let is_marked = maps.get("a").await.unwrap().annotations().contains_key("copied");
            let reported = events.list(&ListParams::default()).await.unwrap();
            let is_reported = reported.items.iter().any(|event| event.reason.as_deref() == Some("Copied"));
            is_marked && is_reported && secrets.get_opt("a").await.unwrap().is_some()
        })
        .await;
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn the_role_of_what_an_operator_did_is_enough_for_it() {
    let world = World::with_rbac();
    let namespace = world.namespace().to_owned();
    let account = format!("system:serviceaccount:{namespace}:operator");
    let free = Server::new();
    let client = |server: Server| ClientBuilder::new(server, namespace.as_str()).build();
    let admin = client(free.clone());
    if namespace != "default" {
        let made = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        apply(&admin, &made).await;
    }
    run(&world, &admin, client(free.as_user(&account, &[]))).await;

    let role = free.role_for("operator");
    let rules = &role.objects()[0]["rules"];
    let verbs = |resource: &str| {
        let rules = rules.as_array().unwrap().iter();
        let mut named = rules.filter(|rule| rule["resources"].as_array().unwrap().contains(&json!(resource)));
        named.next().map(|rule| rule["verbs"].clone())
    };
    assert_eq!(role.objects().len(), 2, "one namespace, one role and its binding: {}", role.to_yaml());
    assert_eq!(verbs("configmaps"), Some(json!(["get", "list", "watch", "patch"])));
    assert_eq!(verbs("secrets"), Some(json!(["create", "patch"])));
    assert_eq!(verbs("leases"), Some(json!(["get", "watch", "create", "update"])));
    assert_eq!(verbs("events"), Some(json!(["create", "patch"])));

    for object in role.objects() {
        apply(&world.client, object).await;
    }
    run(&world, &world.client, world.client_of_account("operator")).await;
    let pods: Api<k8s_openapi::api::core::v1::Pod> = Api::default_namespaced(world.client_of_account("operator"));
    assert!(pods.list(&ListParams::default()).await.is_err(), "and it allows nothing else");
}

/// Applies any object of rbac or core.
async fn apply(client: &Client, object: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let api_version = text(&object["apiVersion"]);
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &text(&object["kind"])));
    let api: Api<DynamicObject> = match object["metadata"]["namespace"].as_str() {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let params = PatchParams::apply("story").force();
    api.patch(&text(&object["metadata"]["name"]), &params, &Patch::Apply(object)).await.unwrap();
}
