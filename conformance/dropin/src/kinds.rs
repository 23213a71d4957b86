//! What the derive macro makes of a spec.

use std::collections::BTreeMap;

use kube::core::object::{HasSpec, HasStatus};
use kube::{CustomResource, CustomResourceExt, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A document.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Document", namespaced, status = "DocumentStatus", shortname = "doc")]
pub struct DocumentSpec {
    /// What it is called.
    pub title: String,
    pub content: Option<String>,
    pub pages: u32,
    pub rating: f64,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    pub chapters: Vec<Chapter>,
    pub mode: Mode,
    /// How it is shown.
    pub shown: Option<Mode>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Chapter {
    pub first_page: i64,
    pub is_long: bool,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub enum Mode {
    Plain,
    Rich,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct DocumentStatus {
    pub phase: String,
}

/// A kind without a namespace and with a plural of its own.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1beta1", kind = "Sheep", plural = "sheep", singular = "sheep")]
pub struct SheepSpec {
    pub wool: bool,
}

/// A kind that says all it can.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced, status = "GadgetStatus")]
#[kube(doc = "What it is.", derive = "PartialEq", category = "all", shortname = "gd", shortname = "gad")]
#[kube(printcolumn = r#"{"name":"Size","type":"integer","jsonPath":".spec.size"}"#)]
#[kube(scale = r#"{"specReplicasPath":".spec.size","statusReplicasPath":".status.size"}"#)]
#[kube(selectable = ".spec.color", annotation("example.com/a", "1"), label("tier", "web"))]
#[kube(validation = Rule::new("self.spec.size < 100").message("it is too large"))]
pub struct GadgetSpec {
    #[schemars(range(min = 1))]
    pub size: i32,
    pub color: String,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct GadgetStatus {
    pub size: i32,
}

pub fn print() {
    println!("{}", serde_json::to_string_pretty(&Gadget::crd()).unwrap());
    println!("{}", serde_json::to_string_pretty(&Document::crd()).unwrap());
    println!("{}", serde_json::to_string_pretty(&Sheep::crd()).unwrap());
    println!("{} {:?} {:?}", Document::crd_name(), Document::shortnames(), Sheep::api_resource());
    let mut sheep = Sheep::new("dolly", SheepSpec { wool: true });
    sheep.spec_mut().wool = false;
    println!("{} {}", serde_json::to_string(&sheep).unwrap(), Sheep::url_path(&(), None));
    let json = r#"{"apiVersion":"example.com/v1","kind":"Document","metadata":{"name":"a"},"spec":{"title":"t","pages":1,"rating":0.5,"chapters":[],"mode":"Rich"}}"#;
    let mut document: Document = serde_json::from_str(json).unwrap();
    *document.status_mut() = Some(DocumentStatus { phase: "Read".into() });
    println!("{} {:?}", serde_json::to_string(&document).unwrap(), document.status().map(|status| &status.phase));
}
