//! Definitions that an operator installs itself, and what happens to objects that are there already.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::{Api, DeleteParams, DynamicObject, PostParams};
use pintle::core::ApiResource;
use pintle::manager::definitions::{Error, Installer, install};
use serde_json::{Value, json};

use super::widgets;
use crate::world::World;

/// A group that no other story has.
fn group(world: &World) -> String {
    format!("{}.example.com", world.namespace())
}

fn definition(world: &World, versions: &[(&str, Value)]) -> CustomResourceDefinition {
    serde_json::from_value(widgets(&group(world), versions)).unwrap()
}

fn objects(world: &World, version: &str) -> Api<DynamicObject> {
    let (group, version) = (group(world), version.to_owned());
    let api_version = format!("{group}/{version}");
    let resource = ApiResource { group, version, api_version, kind: "Widget".into(), plural: "widgets".into() };
    Api::default_namespaced_with(world.client.clone(), &resource)
}

async fn create(world: &World, version: &str, name: &str, spec: Value) {
    let api_version = format!("{}/{version}", group(world));
    let widget = json!({"apiVersion": api_version, "kind": "Widget", "metadata": {"name": name}, "spec": spec});
    let widget: DynamicObject = serde_json::from_value(widget).unwrap();
    objects(world, version).create(&PostParams::default(), &widget).await.expect("its kind is served");
}

fn spec(properties: &Value) -> Value {
    json!({"type": "object", "properties": properties})
}

#[tokio::test(start_paused = true)]
async fn an_installed_definition_is_served_and_installing_it_again_changes_nothing() {
    let world = World::new();
    let definition = definition(&world, &[("v1", spec(&json!({"size": {"type": "integer"}})))]);
    let name = format!("widgets.{}", group(&world));
    install(world.client.clone(), [definition.clone()]).await.unwrap();
    create(&world, "v1", "a", json!({"size": 1})).await;
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    let before = definitions.get(&name).await.unwrap();
    install(world.client.clone(), [definition]).await.unwrap();
    let after = definitions.get(&name).await.unwrap();
    assert_eq!(before.metadata.resource_version, after.metadata.resource_version);
    definitions.delete(&name, &DeleteParams::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_version_with_stored_objects_is_replaced_in_one_call() {
    let world = World::new();
    let size = spec(&json!({"size": {"type": "integer"}}));
    install(world.client.clone(), [definition(&world, &[("v1", size.clone())])]).await.unwrap();
    for number in 0..5 {
        create(&world, "v1", &format!("w{number}"), json!({"size": number})).await;
    }
    let both = definition(&world, &[("v1", size.clone()), ("v2", size.clone())]);
    install(world.client.clone(), [both]).await.unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    let name = format!("widgets.{}", group(&world));
    let stored = |definition: CustomResourceDefinition| definition.status.unwrap().stored_versions.unwrap();
    assert_eq!(stored(definitions.get(&name).await.unwrap()), ["v2"], "all objects are rewritten");

    let only_new = definition(&world, &[("v2", size.clone()), ("v3", size)]);
    let refused = install(world.client.clone(), [only_new.clone()]).await.unwrap_err();
    assert!(matches!(&refused, Error::Incompatible { breaks, .. } if breaks.len() == 1), "{refused}");
    Installer::new(world.client.clone()).force().install([only_new]).await.unwrap();
    assert_eq!(stored(definitions.get(&name).await.unwrap()), ["v3"]);
    let found = objects(&world, "v3").get("w4").await.unwrap();
    assert_eq!(found.data["spec"], json!({"size": 4}));
    definitions.delete(&name, &DeleteParams::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stored_version_that_goes_at_once_is_kept_until_its_objects_are_rewritten() {
    let world = World::new();
    let size = spec(&json!({"size": {"type": "integer"}}));
    install(world.client.clone(), [definition(&world, &[("v1", size.clone())])]).await.unwrap();
    create(&world, "v1", "a", json!({"size": 7})).await;
    let installer = Installer::new(world.client.clone()).force();
    installer.install([definition(&world, &[("v2", size)])]).await.unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    let name = format!("widgets.{}", group(&world));
    let now = definitions.get(&name).await.unwrap();
    assert_eq!(now.status.unwrap().stored_versions.unwrap(), ["v2"]);
    assert_eq!(now.spec.versions.len(), 1);
    assert_eq!(objects(&world, "v2").get("a").await.unwrap().data["spec"], json!({"size": 7}));
    definitions.delete(&name, &DeleteParams::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_would_break_stored_objects_is_refused_by_name_unless_there_are_none_or_it_is_forced() {
    let world = World::new();
    let old = spec(&json!({"size": {"type": "integer"}, "color": {"type": "string"}}));
    let new = spec(&json!({"size": {"type": "integer", "maximum": 5}}));
    let (old, new) = (definition(&world, &[("v1", old)]), definition(&world, &[("v1", new)]));
    install(world.client.clone(), [old.clone()]).await.unwrap();
    install(world.client.clone(), [new.clone()]).await.expect("no objects, nothing breaks");
    install(world.client.clone(), [old]).await.unwrap();
    create(&world, "v1", "a", json!({"size": 9, "color": "red"})).await;
    let refused = install(world.client.clone(), [new.clone()]).await.unwrap_err().to_string();
    let name = format!("widgets.{}", group(&world));
    let expected = format!(
        "{name} is not changed, because it has objects that would break:\n  v1 .spec.color: the field is removed: stored values \
         are dropped\n  v1 .spec.size: maximum is 5\nKeep what they use, or add a version and convert them; to install it all \
         the same, use `Installer::force`"
    );
    assert_eq!(refused, expected);
    Installer::new(world.client.clone()).force().install([new]).await.unwrap();
    Api::<CustomResourceDefinition>::all(world.client.clone()).delete(&name, &DeleteParams::default()).await.unwrap();
}
