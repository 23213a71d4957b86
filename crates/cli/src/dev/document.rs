//! The kind of the sample: a document with a title and content.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::{Api, PostParams};
use pintle::{Client, CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::narrator::Narrator;

/// What a document should be.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Document",
    namespaced,
    status = "DocumentStatus",
    shortname = "doc"
)]
pub(crate) struct DocumentSpec {
    /// Its title.
    pub(crate) title: String,
    /// Its text.
    pub(crate) content: String,
}

/// What has been done about it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentStatus {
    /// Published once the ConfigMap holds the content.
    pub(crate) phase: String,
    /// The ConfigMap that does.
    pub(crate) config_map: String,
    /// How many words it has.
    pub(crate) words: usize,
}

/// Installs the kind.
pub(super) async fn install(client: &Client, narrator: &Narrator) -> Result<(), Failure> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = Document::crd_name();
    let what = || format!("cannot install {name}");
    definitions.create(&PostParams::default(), &Document::crd()).await.map_err(|error| Failure::new(what(), error))?;
    narrator.say("kind", format_args!("{name} installed"));
    Ok(())
}
