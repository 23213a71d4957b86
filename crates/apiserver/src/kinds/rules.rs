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
