//! A custom resource.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde::{Deserialize, Serialize};

use super::library::Resource;
use super::library::core::NamespaceResourceScope;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Document {
    metadata: ObjectMeta,
    spec: DocumentSpec,
    status: Option<DocumentStatus>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct DocumentSpec {
    owner: String,
    replicas: i32,
    sections: Vec<Section>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Section {
    title: String,
    body: String,
    weight: i32,
    #[serde(default)]
    tags: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentStatus {
    observed_generation: Option<i64>,
    #[serde(default)]
    conditions: Vec<Condition>,
    words: Option<u64>,
}

impl Resource for Document {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "Document".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "bench.pintle.dev".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "documents".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
