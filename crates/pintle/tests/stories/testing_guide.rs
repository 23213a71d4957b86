//! The programs of `docs/testing.md`, word for word, so that they compile and pass.

use std::sync::LazyLock;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::runtime::wait::{await_condition, conditions};
use pintle::testing::{Server, ServerExt};
use pintle::{Api, CustomResourceExt};

use crate::custom_resource::Document;

/// The controllers under test.
mod my_controller {
    use std::sync::Arc;

    use futures::StreamExt;
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::ConfigMap;
    use pintle::api::{Patch, PatchParams};
    use pintle::runtime::controller::{Action, Controller};
    use pintle::runtime::wait::{await_condition, conditions};
    use pintle::runtime::watcher;
    use pintle::{Api, Client, Error, ResourceExt};
    use serde_json::json;

    use crate::custom_resource::Document;

    /// Gives each Document a ConfigMap with its title.
    pub(super) async fn run(client: Client) {
        let documents: Api<Document> = Api::all(client.clone());
        let controller = Controller::new(documents, watcher::Config::default());
        controller.run(copy_title, |_, _, _| Action::backoff(), Arc::new(client)).for_each(async |_| ()).await;
    }

    async fn copy_title(document: Arc<Document>, client: Arc<Client>) -> Result<Action, Error> {
        let maps: Api<ConfigMap> = Api::default_namespaced((*client).clone());
        let metadata = json!({"name": document.name_any()});
        let data = json!({"title": document.spec.title});
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data});
        maps.patch(&document.name_any(), &PatchParams::apply("my-controller"), &Patch::Apply(map)).await?;
        Ok(Action::await_change())
    }

    /// Gives each Document a web server, and its ConfigMap once that is rolled out.
    pub(super) async fn publish(client: Client) {
        let documents: Api<Document> = Api::all(client.clone());
        let controller = Controller::new(documents, watcher::Config::default());
        controller.run(roll_out, |_, _, _| Action::backoff(), Arc::new(client)).for_each(async |_| ()).await;
    }

    async fn roll_out(document: Arc<Document>, client: Arc<Client>) -> Result<Action, Error> {
        let name = document.name_any();
        let deployments: Api<Deployment> = Api::default_namespaced((*client).clone());
        let container = json!({"name": "web", "image": "web:1"});
        let labels = json!({"app": name});
        let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        }});
        deployments.patch(&name, &PatchParams::apply("my-controller"), &Patch::Apply(web)).await?;
        let out = await_condition(deployments, &name, conditions::is_deployment_completed()).await;
        out.expect("the Deployment can be watched");
        copy_title(document, client).await
    }
}

const DOCUMENT: &str =
    "{apiVersion: example.com/v1, kind: Document, metadata: {name: d}, spec: {title: t, content: c}}";

/// What the first controller needs, and nothing else.
const ROLE: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: operator}
rules:
- {apiGroups: [example.com], resources: [documents], verbs: [list, watch]}
- {apiGroups: [''], resources: [configmaps], verbs: [create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator}
subjects: [{kind: ServiceAccount, name: operator, namespace: default}]
";

#[tokio::test]
async fn a_document_gets_its_config_map() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder().build_with(&serde_json::to_string(&Document::crd())?)?;
    let controller = tokio::spawn(my_controller::run(server.client()));

    server.load(DOCUMENT)?;

    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let made = await_condition(maps, "d", conditions::is_created()).await?;
    assert_eq!(made.and_then(|map| map.data).unwrap_or_default()["title"], "t");
    controller.abort();
    Ok(())
}

static WORLD: LazyLock<Server> = LazyLock::new(|| {
    let manifest = serde_json::to_string(&Document::crd()).expect("a definition prints");
    Server::builder().build_with(&manifest).expect("the manifest loads")
});

#[tokio::test]
async fn each_test_starts_from_the_same_world() -> Result<(), Box<dyn std::error::Error>> {
    let (mine, other) = (WORLD.fork(), WORLD.fork());
    mine.load(DOCUMENT)?;
    let documents = |server: &Server| Api::<Document>::default_namespaced(server.client());
    assert!(documents(&mine).get_opt("d").await?.is_some());
    assert!(documents(&other).get_opt("d").await?.is_none());
    Ok(())
}

#[tokio::test]
async fn the_role_that_is_shipped_suffices() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder().rbac().build_with(&serde_json::to_string(&Document::crd())?)?;
    server.load(ROLE)?;
    let operator = server.client_as("system:serviceaccount:default:operator");
    let controller = tokio::spawn(my_controller::run(operator));

    server.load(DOCUMENT)?;

    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    await_condition(maps, "d", conditions::is_created()).await?;
    controller.abort();
    Ok(())
}

#[tokio::test]
async fn a_document_is_announced_once_it_is_rolled_out() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder().simulated_workloads(true).build_with(&serde_json::to_string(&Document::crd())?)?;
    let controller = tokio::spawn(my_controller::publish(server.client()));

    server.load(DOCUMENT)?;

    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    await_condition(maps, "d", conditions::is_created()).await?;
    let web = Api::<Deployment>::default_namespaced(server.client()).get("d").await?;
    assert_eq!(web.status.and_then(|status| status.ready_replicas), Some(2));
    controller.abort();
    Ok(())
}
