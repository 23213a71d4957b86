//! Two crates written for kube 5, unchanged: a leader election and a framework for controllers. Neither knows of Pintle; the
//! `[patch]` of this workspace puts the stand-ins in kube's place, so that a client of Pintle's is the one that they take.

use std::time::Duration;

use k8s_controller::TraceMetadata;
use kube::api::{Api, DeleteParams, PostParams};
use kube::runtime::controller::Action;
use kube::runtime::watcher;
use kube::{Client, CustomResource, CustomResourceExt, ResourceExt};
use kube_lease_manager::{LeaseCreateMode, LeaseManager, LeaseManagerBuilder};
use pintle::testing::{Server, ServerExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[tokio::main]
async fn main() {
    let server = Server::new();
    one_of_two_leads_and_hands_over(server.client()).await;
    a_framework_applies_and_cleans_up(server.client()).await;
    println!("a leader election and a framework for controllers, both written for kube 5, do on Pintle what they are for");
}

async fn one_of_two_leads_and_hands_over(client: Client) {
    let first = candidate(client.clone(), "first").await;
    let second = candidate(client, "second").await;
    assert!(first.changed().await.unwrap(), "nobody else leads");
    // It does not return before something has changed.
    let waiting = tokio::time::timeout(Duration::from_secs(1), second.changed()).await;
    assert!(waiting.is_err(), "the first leads");
    first.release().await.unwrap();
    assert!(second.changed().await.unwrap(), "the first let go");
}

async fn candidate(client: Client, identity: &str) -> LeaseManager {
    let builder = LeaseManagerBuilder::new(client, "lead").with_namespace("default").with_identity(identity);
    builder.with_create_mode(LeaseCreateMode::AutoCreate).with_duration(5).with_grace(1).build().await.unwrap()
}

/// A kind of the program's own, whose derive finds the stand-in under kube's name.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Document", namespaced)]
struct DocumentSpec {
    title: String,
}

struct Library(UnboundedSender<String>);

#[async_trait::async_trait]
impl k8s_controller::Context for Library {
    type Resource = Document;
    type Error = kube::Error;

    const FINALIZER_NAME: Option<&'static str> = Some("example.com/library");

    async fn apply(
        &self,
        _: Client,
        document: &Document,
        _: &mut TraceMetadata,
    ) -> Result<Option<Action>, kube::Error> {
        let _ = self.0.send(format!("applied {}", document.spec.title));
        Ok(Some(Action::await_change()))
    }

    async fn cleanup(
        &self,
        _: Client,
        document: &Document,
        _: &mut TraceMetadata,
    ) -> Result<Option<Action>, kube::Error> {
        let _ = self.0.send(format!("cleaned up after {}", document.name_any()));
        Ok(Some(Action::await_change()))
    }
}

async fn a_framework_applies_and_cleans_up(client: Client) {
    let definitions = Api::all(client.clone());
    definitions.create(&PostParams::default(), &Document::crd()).await.unwrap();
    let established = kube::runtime::conditions::is_crd_established();
    kube::runtime::wait::await_condition(definitions, Document::crd_name(), established).await.unwrap();
    let (sender, mut seen) = unbounded_channel();
    let config = watcher::Config::default();
    let controller = k8s_controller::Controller::namespaced_all(client.clone(), Library(sender), config);
    tokio::spawn(controller.run());

    let documents: Api<Document> = Api::default_namespaced(client);
    let document = Document::new("a", DocumentSpec { title: "A tale".to_owned() });
    documents.create(&PostParams::default(), &document).await.unwrap();
    until(&mut seen, "applied A tale").await;
    documents.delete("a", &DeleteParams::default()).await.unwrap();
    until(&mut seen, "cleaned up after a").await;
}

async fn until(seen: &mut UnboundedReceiver<String>, wanted: &str) {
    let found = async { while seen.recv().await.expect("the controller runs") != wanted {} };
    tokio::time::timeout(Duration::from_secs(20), found).await.unwrap_or_else(|_| panic!("never {wanted}"));
}
