//! The kind of the sample: a document with a title and content.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use pintle::api::{Api, PostParams};
use pintle::{Client, CustomResource, CustomResourceExt};
use schemars::{JsonSchema, Schema, SchemaGenerator};
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
    /// Published once the ConfigMap holds the content, Rejected if there is none.
    pub(crate) phase: String,
    /// The ConfigMap that does.
    pub(crate) config_map: String,
    /// How many words it has.
    pub(crate) words: usize,
    /// Whether it is ready, and why not.
    #[serde(default)]
    #[schemars(schema_with = "conditions_schema")]
    pub(crate) conditions: Vec<Condition>,
}

/// As the API conventions want them.
fn conditions_schema(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status", "reason", "message", "lastTransitionTime"],
            "properties": {
                "type": {"type": "string"},
                "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
                "reason": {"type": "string"},
                "message": {"type": "string"},
                "observedGeneration": {"type": "integer", "format": "int64"},
                "lastTransitionTime": {"type": "string", "format": "date-time"},
            },
        },
    })
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
