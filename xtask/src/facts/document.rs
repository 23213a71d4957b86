//! What the Go side writes: see `conformance/kube/facts`.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct Document {
    pub(super) version: String,
    pub(super) types: Vec<Type>,
    pub(super) kinds: Vec<Kind>,
    pub(super) groups: Vec<Group>,
    pub(super) resources: Vec<Resource>,
}

#[derive(Deserialize)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) package: String,
    pub(super) shape: String,
    #[serde(default)]
    pub(super) atomic: bool,
    #[serde(default)]
    pub(super) fields: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) number: u8,
    pub(super) holds: String,
    /// A scalar, or package and name of a type.
    pub(super) r#type: String,
    #[serde(default)]
    pub(super) pointer: bool,
    #[serde(default)]
    pub(super) omitempty: bool,
    #[serde(default)]
    pub(super) omitzero: bool,
    #[serde(default)]
    pub(super) inline: bool,
    #[serde(default)]
    pub(super) required: bool,
    #[serde(default)]
    pub(super) list_type: String,
    #[serde(default)]
    pub(super) list_map_keys: Vec<String>,
    #[serde(default)]
    pub(super) map_type: String,
    #[serde(default)]
    pub(super) patch_strategy: String,
    #[serde(default)]
    pub(super) patch_merge_key: String,
    pub(super) default: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Kind {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) r#type: String,
}

#[derive(Deserialize)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) versions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resource {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) kind: String,
    pub(super) namespaced: bool,
    pub(super) short_names: Option<Vec<String>>,
    pub(super) categories: Option<Vec<String>>,
    pub(super) verbs: Vec<String>,
    pub(super) subresources: Option<Vec<Part>>,
    /// What its users are warned of; empty where nothing is to go.
    pub(super) deprecation: String,
    pub(super) storage: Option<Storage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    pub(super) name: String,
    /// Empty where it is the resource's own group and version.
    pub(super) group_version: String,
    pub(super) kind: String,
    pub(super) verbs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Storage {
    pub(super) unconditional_update: bool,
    pub(super) create_on_update: bool,
    pub(super) returns_deleted: bool,
    pub(super) generation: bool,
    pub(super) keeps_status: bool,
    pub(super) first_phase: String,
    pub(super) selectable_fields: Option<Vec<String>>,
}
