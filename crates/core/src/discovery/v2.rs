//! The aggregated discovery documents: every group, version and resource of a server in two answers.
//!
//! `/api` and `/apis`, asked for with [`ACCEPT_AGGREGATED_DISCOVERY_V2`], answer with an [`APIGroupDiscoveryList`].
//! Servers before 1.26 ignore that and send the legacy documents (`APIGroupList`, `APIResourceList`), for which
//! k8s-openapi has the types. Every field may be absent on the wire, as in kube.

use serde::{Deserialize, Serialize};

use crate::metadata::{ListMeta, ObjectMeta};

/// The `Accept` header that asks for aggregated documents and takes the legacy ones as well.
pub const ACCEPT_AGGREGATED_DISCOVERY_V2: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/// All groups a server has.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct APIGroupDiscoveryList {
    /// The list's own metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<ListMeta>,
    /// The groups, the preferred ones first.
    #[serde(default)]
    pub items: Vec<APIGroupDiscovery>,
}

/// One group; its name is in the metadata, empty for the core group.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct APIGroupDiscovery {
    /// Names the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<ObjectMeta>,
    /// Its versions, the preferred one first.
    #[serde(default)]
    pub versions: Vec<APIVersionDiscovery>,
}

/// One version of a group.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct APIVersionDiscovery {
    /// The version, as in `v1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What is served at this version.
    #[serde(default)]
    pub resources: Vec<APIResourceDiscovery>,
    /// `Current`, or `Stale` where the server behind the group could not be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<String>,
}

/// One collection.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct APIResourceDiscovery {
    /// The plural.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The kind of its objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_kind: Option<GroupVersionKind>,
    /// `Namespaced` or `Cluster`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The singular.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub singular_resource: Option<String>,
    /// What can be done with it.
    #[serde(default)]
    pub verbs: Vec<String>,
    /// What people type instead of the plural.
    #[serde(default)]
    pub short_names: Vec<String>,
    /// Groups of kinds it is listed with, such as `all`.
    #[serde(default)]
    pub categories: Vec<String>,
    /// The parts of its objects that are served on their own.
    #[serde(default)]
    pub subresources: Vec<APISubresourceDiscovery>,
}

/// A part of objects that is served on its own.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct APISubresourceDiscovery {
    /// Its name, such as `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subresource: Option<String>,
    /// The kind it answers with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_kind: Option<GroupVersionKind>,
    /// The kinds it takes.
    #[serde(default)]
    pub accepted_types: Vec<GroupVersionKind>,
    /// What can be done with it.
    #[serde(default)]
    pub verbs: Vec<String>,
}

/// A kind as discovery writes it, where each part may be absent.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupVersionKind {
    /// The API group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_read_and_written_back() {
        let document = json!({"items": [{"metadata": {"name": "apps"}, "versions": [{
            "version": "v1", "freshness": "Current", "resources": [{
                "resource": "deployments", "singularResource": "deployment", "scope": "Namespaced",
                "responseKind": {"group": "", "version": "", "kind": "Deployment"},
                "verbs": ["get"], "shortNames": ["deploy"], "categories": ["all"],
                "subresources": [{"subresource": "scale", "verbs": ["get"],
                    "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"}, "acceptedTypes": []}],
            }],
        }]}]});
        let list: APIGroupDiscoveryList = serde_json::from_value(document.clone()).unwrap();
        assert_eq!(list.items[0].versions[0].resources[0].short_names, ["deploy"]);
        assert_eq!(serde_json::to_value(&list).unwrap(), document);
    }

    #[test]
    fn absent_fields_are_not_an_error() {
        let list: APIGroupDiscoveryList = serde_json::from_value(json!({"items": [{"versions": [{}]}]})).unwrap();
        assert_eq!(list.items[0].versions[0], APIVersionDiscovery::default());
    }
}
