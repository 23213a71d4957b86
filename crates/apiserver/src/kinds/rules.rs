//! Rules that no table of Kubernetes tells.
//!
//! What its registry says of a kind is in [`Kind::storage`](super::Kind::storage).

/// Versions whose objects differ from the other versions of their resource in more than `apiVersion`. Converting
/// them is not built yet, so an object is served only in the shape it was written in.
pub(crate) fn has_own_shape(plural: &str, api_version: &str) -> bool {
    match api_version {
        "autoscaling/v1" => plural == "horizontalpodautoscalers",
        "resource.k8s.io/v1beta1" | "resource.k8s.io/v1alpha3" => true,
        _ => false,
    }
}

/// What everybody is warned of who uses a built-in kind that is to go.
pub(crate) fn deprecation(group: &str, version: &str, kind: &str) -> Option<String> {
    let (since, instead) = match (group, version, kind) {
        ("", "v1", "ComponentStatus") => ("v1.19+", ""),
        ("", "v1", "Endpoints") => ("v1.33+", "; use discovery.k8s.io/v1 EndpointSlice"),
        _ => return None,
    };
    Some(format!("{} {kind} is deprecated in {since}{instead}", super::api_version(group, version)))
}
