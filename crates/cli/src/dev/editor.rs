//! Creates, changes and deletes objects, as a person with kubectl would.

use k8s_openapi::api::core::v1::Namespace;
use pintle::Client;
use pintle::api::{Api, DeleteParams, DynamicObject, ObjectMeta, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::controls::Action;
use super::document::{Document, DocumentSpec};
use super::kind::WatchedKind;
use super::view::object_row::ObjectKey;

/// What it works on.
pub(super) enum Scenario {
    /// The Documents of the sample.
    Sample,
    /// Whatever the user brought.
    Manifests(Vec<WatchedKind>),
}

pub(super) struct Editor {
    client: Client,
    scenario: Scenario,
    /// How many things were written, so that each is another.
    count: usize,
}

impl Editor {
    pub(super) fn new(client: Client, scenario: Scenario) -> Self {
        Self { client, scenario, count: 0 }
    }

    /// Does it to the selected object; returns what was done, or why it was not.
    pub(super) async fn perform(&mut self, action: Action, selected: Option<ObjectKey>) -> Result<String, String> {
        self.count += 1;
        if let (Action::Create, Scenario::Sample) = (action, &self.scenario) {
            return self.create_document().await.map_err(|error| error.to_string());
        }
        let selected = selected.ok_or("no object is selected")?;
        let done = match action {
            Action::Create => self.copy(&selected).await,
            Action::Change => self.change(&selected).await,
            Action::Spoil => self.spoil(&selected).await,
            _ => self.delete(&selected).await,
        };
        done.map_err(|error| error.to_string())
    }

    /// Changes the namespace `default`, so that there is a new revision.
    pub(super) async fn touch_namespace(&self) -> Result<(), String> {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let found = namespaces.get("default").await.map_err(|error| error.to_string())?;
        let version = found.metadata.resource_version.unwrap_or_default();
        let patch = Patch::Merge(json!({"metadata": {"annotations": {TOUCHED: version}}}));
        let changed = namespaces.patch("default", &PatchParams::default(), &patch).await;
        changed.map(drop).map_err(|error| error.to_string())
    }

    async fn create_document(&self) -> pintle::Result<String> {
        let name = format!("note-{}", self.count);
        let spec = DocumentSpec { title: name.clone(), content: self.sentence().to_owned() };
        let documents: Api<Document> = Api::default_namespaced(self.client.clone());
        documents.create(&PostParams::default(), &Document::new(&name, spec)).await?;
        Ok(format!("created default/{name}"))
    }

    /// A new object like the selected one.
    async fn copy(&self, selected: &ObjectKey) -> pintle::Result<String> {
        let api = self.api(selected);
        let found = api.get(&selected.name).await?;
        let mut data = found.data;
        if let Value::Object(fields) = &mut data {
            fields.remove("status");
        }
        let name = format!("{}-{}", selected.name, self.count);
        let metadata = ObjectMeta {
            name: Some(name.clone()),
            namespace: selected.namespace.clone(),
            labels: found.metadata.labels,
            ..ObjectMeta::default()
        };
        api.create(&PostParams::default(), &DynamicObject { types: found.types, metadata, data }).await?;
        Ok(format!("created {name}, a copy of {}", selected.path()))
    }

    async fn change(&self, selected: &ObjectKey) -> pintle::Result<String> {
        let patch = match self.scenario {
            Scenario::Sample => json!({"spec": {"content": self.sentence()}}),
            Scenario::Manifests(_) => json!({"metadata": {"annotations": {TOUCHED: self.count.to_string()}}}),
        };
        self.api(selected).patch(&selected.name, &PatchParams::default(), &Patch::Merge(patch)).await?;
        Ok(format!("changed {}", selected.path()))
    }

    async fn spoil(&self, selected: &ObjectKey) -> pintle::Result<String> {
        let patch = Patch::Merge(json!({"spec": {"content": ""}}));
        self.api(selected).patch(&selected.name, &PatchParams::default(), &patch).await?;
        Ok(format!("emptied {}", selected.path()))
    }

    async fn delete(&self, selected: &ObjectKey) -> pintle::Result<String> {
        self.api(selected).delete(&selected.name, &DeleteParams::default()).await?;
        Ok(format!("deleted {}", selected.path()))
    }

    fn api(&self, key: &ObjectKey) -> Api<DynamicObject> {
        let brought = match &self.scenario {
            Scenario::Sample => None,
            Scenario::Manifests(kinds) => kinds.iter().find(|kind| kind.name() == key.kind),
        };
        let sample = WatchedKind::of_sample();
        let resource = &brought.unwrap_or(&sample).resource;
        match &key.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, resource),
            None => Api::all_with(self.client.clone(), resource),
        }
    }

    fn sentence(&self) -> &'static str {
        SENTENCES[self.count % SENTENCES.len()]
    }
}

/// Changed to change an object of which only its metadata is known.
const TOUCHED: &str = "pintle.dev/touched";

const SENTENCES: [&str; 4] = [
    "Level-triggered: it looks at what is, not at what happened.",
    "A watch may end at any time. The list is the truth.",
    "Every write may be the second one of its kind.",
    "What is wanted is in the spec, what is so in the status.",
];
