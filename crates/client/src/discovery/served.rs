//! What a document says is served at one version, in the words of either generation of documents.
//!
//! In: an `APIResourceList`, or the aggregated description of one version. Out: [`Mapping`]s with their subresources.
//! A subresource has the group and version of the kind it answers with; where a document leaves them out they are
//! those of the version itself. What has no kind of its own (the parent of a subresource that is not itself served) is
//! left out.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIResource, APIResourceList};
use pintle_core::api_version_from_group_version;
use pintle_core::discovery::v2::{APIResourceDiscovery, APISubresourceDiscovery, GroupVersionKind as WrittenKind};
use pintle_core::gvk::GroupVersion;

use super::mapper::Mapping;
use super::{ApiCapabilities, ApiResource, Scope};

/// What a legacy document says.
pub(super) fn of_legacy(at: &GroupVersion, list: APIResourceList) -> Vec<Mapping> {
    let (parts, wholes): (Vec<_>, Vec<_>) = list.resources.into_iter().partition(|it| it.name.contains('/'));
    let mut served: Vec<Mapping> = wholes.into_iter().map(|whole| legacy(at, whole)).collect();
    for part in parts {
        let Some((parent, name)) = part.name.split_once('/') else { continue };
        let Some(parent) = served.iter_mut().find(|served| served.resource.plural == parent) else { continue };
        let part = APIResource { name: name.to_owned(), ..part };
        let Mapping { resource, capabilities, .. } = legacy(at, part);
        parent.capabilities.subresources.push((resource, capabilities));
    }
    served
}

fn legacy(at: &GroupVersion, it: APIResource) -> Mapping {
    let group = said(it.group).unwrap_or_else(|| at.group.clone());
    let version = said(it.version).unwrap_or_else(|| at.version.clone());
    let scope = if it.namespaced { Scope::Namespaced } else { Scope::Cluster };
    Mapping {
        resource: resource(group, version, it.kind, it.name),
        capabilities: ApiCapabilities { scope, subresources: Vec::new(), operations: it.verbs },
        singular: it.singular_name,
        short_names: it.short_names.unwrap_or_default(),
        categories: it.categories.unwrap_or_default(),
    }
}

/// What an aggregated document says.
pub(super) fn of_aggregated(at: &GroupVersion, resources: Vec<APIResourceDiscovery>) -> Vec<Mapping> {
    resources.into_iter().filter_map(|resource| aggregated(at, resource)).collect()
}

fn aggregated(at: &GroupVersion, it: APIResourceDiscovery) -> Option<Mapping> {
    let scope = if it.scope.as_deref() == Some("Namespaced") { Scope::Namespaced } else { Scope::Cluster };
    let parts = it.subresources.into_iter().filter_map(|part| aggregated_part(at, &scope, part)).collect();
    Some(Mapping {
        resource: of_kind(at, it.response_kind, it.resource?)?,
        capabilities: ApiCapabilities { scope, subresources: parts, operations: it.verbs },
        singular: it.singular_resource.unwrap_or_default(),
        short_names: it.short_names,
        categories: it.categories,
    })
}

fn aggregated_part(
    at: &GroupVersion,
    scope: &Scope,
    it: APISubresourceDiscovery,
) -> Option<(ApiResource, ApiCapabilities)> {
    let resource = of_kind(at, it.response_kind, it.subresource?)?;
    Some((resource, ApiCapabilities { scope: scope.clone(), subresources: Vec::new(), operations: it.verbs }))
}

fn of_kind(at: &GroupVersion, kind: Option<WrittenKind>, plural: String) -> Option<ApiResource> {
    let WrittenKind { group, version, kind } = kind?;
    // Built-in kinds leave both empty, custom ones say both. A core kind served elsewhere says its version only.
    let (group, version) = match said(version) {
        Some(version) => (group.unwrap_or_default(), version),
        None => (at.group.clone(), at.version.clone()),
    };
    Some(resource(group, version, said(kind)?, plural))
}

fn resource(group: String, version: String, kind: String, plural: String) -> ApiResource {
    let api_version = api_version_from_group_version(group.as_str().into(), version.as_str().into()).into_owned();
    ApiResource { group, version, api_version, kind, plural }
}

fn said(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Name, `apiVersion`, kind and verbs of each, subresources behind a slash.
    fn print(served: &[Mapping]) -> Vec<String> {
        let line = |prefix: &str, (resource, capabilities): &(ApiResource, ApiCapabilities)| {
            let scope = &capabilities.scope;
            let ApiResource { plural, api_version, kind, .. } = resource;
            format!("{prefix}{plural} {api_version} {kind} {scope:?} {}", capabilities.operations.join(","))
        };
        served
            .iter()
            .flat_map(|mapping| {
                let parts = mapping.capabilities.subresources.iter();
                let prefix = format!("{}/", mapping.resource.plural);
                std::iter::once(line("", &mapping.pair()))
                    .chain(parts.map(|part| line(&prefix, part)).collect::<Vec<_>>())
            })
            .collect()
    }

    #[test]
    fn both_generations_of_documents_say_the_same() {
        let list = json!({"groupVersion": "apps/v1", "resources": [
            {"name": "deployments", "singularName": "deployment", "namespaced": true, "kind": "Deployment", "verbs": ["get"],
             "shortNames": ["deploy"], "categories": ["all"]},
            {"name": "deployments/status", "singularName": "", "namespaced": true, "kind": "Deployment", "verbs": ["get"]},
            {"name": "deployments/scale", "singularName": "", "namespaced": true, "kind": "Scale", "verbs": ["get"],
             "group": "autoscaling", "version": "v1"},
            {"name": "ghosts/status", "singularName": "", "namespaced": true, "kind": "Ghost", "verbs": ["get"]},
        ]});
        let resources = json!([
            {"resource": "deployments", "responseKind": {"group": "", "version": "", "kind": "Deployment"}, "scope": "Namespaced",
             "singularResource": "deployment", "verbs": ["get"], "shortNames": ["deploy"], "categories": ["all"], "subresources": [
                {"subresource": "status", "responseKind": {"group": "", "version": "", "kind": "Deployment"}, "verbs": ["get"]},
                {"subresource": "scale", "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"}, "verbs": ["get"]}]},
            {"resource": "ghosts", "scope": "Namespaced", "verbs": [], "subresources": [
                {"subresource": "status", "responseKind": {"group": "", "version": "", "kind": "Ghost"}, "verbs": ["get"]}]},
        ]);
        let at = GroupVersion::gv("apps", "v1");
        let legacy = of_legacy(&at, serde_json::from_value(list).unwrap());
        let aggregated = of_aggregated(&at, serde_json::from_value(resources).unwrap());
        let expected = [
            "deployments apps/v1 Deployment Namespaced get",
            "deployments/status apps/v1 Deployment Namespaced get",
            "deployments/scale autoscaling/v1 Scale Namespaced get",
        ];
        assert_eq!(print(&legacy), expected);
        assert_eq!(print(&aggregated), expected);
        for served in [legacy, aggregated] {
            let names = (served[0].singular.as_str(), served[0].short_names.join(","), served[0].categories.join(","));
            assert_eq!(names, ("deployment", "deploy".into(), "all".into()));
        }
    }
}
