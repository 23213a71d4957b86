//! Roles decide: an operator fails in its test as it would in its cluster, in the same words.

use std::sync::{Arc, Mutex};

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use pintle::api::{Api, ListParams, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{Action, Controller};
use pintle::runtime::watcher::{self, watcher};
use pintle::{Client, Error, ResourceExt};
use serde_json::{Value, json};

use crate::world::World;

/// Gives the account `operator` a role with these rules, or other rules if it has one.
async fn allow(world: &World, rules: Value) {
    let apply = PatchParams::apply("story").force();
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "operator"}, "rules": rules,
    });
    let roles: Api<Role> = Api::default_namespaced(world.client.clone());
    roles.patch("operator", &apply, &Patch::Apply(role)).await.unwrap();
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "operator"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "operator"},
        "subjects": [{"kind": "ServiceAccount", "name": "operator", "namespace": world.namespace()}],
    });
    let bindings: Api<RoleBinding> = Api::default_namespaced(world.client.clone());
    bindings.patch("operator", &apply, &Patch::Apply(binding)).await.unwrap();
}

fn reading() -> Value {
    json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]})
}

/// Copies each ConfigMap into a Secret.
async fn copy(map: Arc<ConfigMap>, context: Arc<Operator>) -> Result<Action, Error> {
    let secrets: Api<Secret> = Api::default_namespaced(context.client.clone());
    let secret = Secret { string_data: map.data.clone(), ..Secret::default() };
    let secret = Secret { metadata: crate::world::config_map(&map.name_any()).metadata, ..secret };
    let made = secrets.create(&PostParams::default(), &secret).await;
    if let Err(error) = &made {
        context.failures.lock().unwrap().push(error.to_string());
    }
    made.map(|_| Action::await_change())
}

/// What the operator runs with.
struct Operator {
    client: Client,
    failures: Mutex<Vec<String>>,
}

#[tokio::test(start_paused = true)]
async fn an_operator_with_too_small_a_role_fails_in_the_words_of_its_cluster() {
    let world = World::with_rbac();
    allow(&world, json!([reading()])).await;
    let operator = Arc::new(Operator { client: world.client_of_account("operator"), failures: Mutex::default() });
    let maps: Api<ConfigMap> = Api::default_namespaced(operator.client.clone());
    let controller = Controller::new(maps, World::watching());
    let running = controller.run(copy, |_, _, _| Action::backoff(), Arc::clone(&operator)).for_each(async |_| ());
    let running = tokio::spawn(running);
    world.create_config_map("a").await;

    world.until("the operator is refused", async || !operator.failures.lock().unwrap().is_empty()).await;
    let namespace = world.namespace();
    let words = format!(
        "secrets is forbidden: User \"system:serviceaccount:{namespace}:operator\" cannot create resource \"secrets\" in API \
         group \"\" in the namespace \"{namespace}\""
    );
    let failure = operator.failures.lock().unwrap()[0].clone();
    assert!(failure.contains(&words), "{failure}");

    allow(&world, json!([reading(), {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]}])).await;
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    world.until("with the right role it goes on", async || secrets.get_opt("a").await.unwrap().is_some()).await;
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_watch_without_a_role_is_refused_and_begins_when_the_role_appears() {
    let world = World::with_rbac();
    world.create_config_map("a").await;
    let maps: Api<ConfigMap> = Api::default_namespaced(world.client_of_account("operator"));
    let mut events = std::pin::pin!(watcher(maps, World::watching()));
    let refused = loop {
        if let Err(error) = events.try_next().await {
            break error.to_string();
        }
    };
    let words = format!(
        "User \"system:serviceaccount:{0}:operator\" cannot watch resource \"configmaps\" in API group \"\" in the namespace \
         \"{0}\"",
        world.namespace()
    );
    let listed = words.replace("cannot watch", "cannot list");
    assert!(refused.contains(&words) || refused.contains(&listed), "{refused}");

    allow(&world, json!([reading()])).await;
    let found = loop {
        if let Ok(Some(watcher::Event::InitApply(map))) = events.try_next().await {
            break map;
        }
    };
    assert_eq!(found.name_any(), "a");
}

#[tokio::test(start_paused = true)]
async fn a_role_that_names_one_object_allows_to_watch_that_one() {
    let world = World::with_rbac();
    let named = json!({
        "apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["get", "list", "watch"],
    });
    allow(&world, json!([named])).await;
    world.create_config_map("a").await;
    let maps: Api<ConfigMap> = Api::default_namespaced(world.client_of_account("operator"));
    let one = ListParams::default().fields("metadata.name=a");
    world.until("the role counts", async || maps.list(&one).await.is_ok()).await;
    assert_eq!(maps.list(&one).await.unwrap().items.len(), 1);
    let all = maps.list(&ListParams::default()).await.unwrap_err();
    assert!(matches!(all, Error::Api(status) if status.code == 403));
    let mut events = std::pin::pin!(watcher(maps, watcher::Config::default().fields("metadata.name=a")));
    let found = loop {
        match events.try_next().await.unwrap() {
            Some(watcher::Event::InitApply(map)) => break map,
            Some(_) => {}
            None => panic!("a watcher does not end"),
        }
    };
    assert_eq!(found.name_any(), "a");
}
