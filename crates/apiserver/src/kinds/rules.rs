//! Rules that differ from one built-in kind to the next, as lists.
//!
//! In: a [`Kind`]. Out: yes or no. A kind that is in no list follows the default written at the function.
//! Custom resources have one rule each, stated in the same place.

use super::Kind;

/// Whether `metadata.generation` is kept: 1 at creation, one more with every change outside metadata and status.
/// Built-in kinds without a controller-facing spec (ConfigMap, Secret, Role, …) have none.
pub(crate) fn has_generation(kind: &Kind) -> bool {
    kind.is_custom() || listed(GENERATION, kind)
}

/// Whether an update without a resourceVersion is refused; such kinds promise that no write is lost.
pub(crate) fn needs_version_on_update(kind: &Kind) -> bool {
    kind.is_custom() || listed(VERSION_NEEDED, kind)
}

/// Whether a PUT to a missing name creates the object.
pub(crate) fn creates_on_update(kind: &Kind) -> bool {
    listed(CREATED_ON_UPDATE, kind)
}

/// Whether DELETE answers with the object that is gone rather than with a Status.
pub(crate) fn returns_deleted(kind: &Kind) -> bool {
    listed(RETURNED_WHEN_DELETED, kind)
}

/// Whether a status sent with a create is kept although there is a status subresource: a kubelet registers its node
/// together with the node's status.
pub(crate) fn keeps_status_on_create(kind: &Kind) -> bool {
    kind.is("", "nodes")
}

/// The phase which a new object has before any controller saw it.
pub(crate) fn first_phase(kind: &Kind) -> Option<&'static str> {
    match (kind.group.as_str(), kind.plural.as_str()) {
        ("", "namespaces") => Some("Active"),
        ("", "pods" | "persistentvolumeclaims" | "persistentvolumes") => Some("Pending"),
        _ => None,
    }
}

/// Versions whose objects differ from the other versions of their resource in more than `apiVersion`. Converting
/// them is not built yet, so an object is served only in the shape it was written in.
pub(crate) fn has_own_shape(plural: &str, api_version: &str) -> bool {
    match api_version {
        "autoscaling/v1" => plural == "horizontalpodautoscalers",
        "resource.k8s.io/v1beta1" | "resource.k8s.io/v1alpha3" => true,
        _ => false,
    }
}

/// Fields beyond metadata.name and metadata.namespace by which a built-in kind can be selected.
pub(crate) fn selectable_fields(kind: &Kind) -> &'static [&'static str] {
    match (kind.group.as_str(), kind.plural.as_str()) {
        ("", "pods") => POD_FIELDS,
        ("", "nodes") => &["spec.unschedulable"],
        ("", "replicationcontrollers") => &["status.replicas"],
        ("" | "events.k8s.io", "events") => EVENT_FIELDS,
        ("", "namespaces") => &["status.phase"],
        ("", "secrets") => &["type"],
        ("", "services") => &["spec.clusterIP", "spec.type"],
        ("batch", "jobs") => &["status.successful"],
        ("certificates.k8s.io", "certificatesigningrequests" | "clustertrustbundles") => &["spec.signerName"],
        ("certificates.k8s.io", "podcertificaterequests") => &["spec.signerName", "spec.podName", "spec.nodeName"],
        ("resource.k8s.io", "resourceslices") => &["spec.nodeName", "spec.driver", "spec.pool.name"],
        _ => &[],
    }
}

fn listed(list: &[(&str, &str)], kind: &Kind) -> bool {
    list.iter().any(|(group, plural)| kind.is(group, plural))
}

const GENERATION: &[(&str, &str)] = &[
    ("", "pods"),
    ("", "replicationcontrollers"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("batch", "cronjobs"),
    ("batch", "jobs"),
    ("discovery.k8s.io", "endpointslices"),
    ("flowcontrol.apiserver.k8s.io", "flowschemas"),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"),
    ("networking.k8s.io", "ingressclasses"),
    ("networking.k8s.io", "ingresses"),
    ("networking.k8s.io", "networkpolicies"),
    ("policy", "poddisruptionbudgets"),
];

const VERSION_NEEDED: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("apiregistration.k8s.io", "apiservices"),
    ("coordination.k8s.io", "leasecandidates"),
    ("coordination.k8s.io", "leases"),
    ("internal.apiserver.k8s.io", "storageversions"),
    ("networking.k8s.io", "ipaddresses"),
    ("networking.k8s.io", "servicecidrs"),
    ("node.k8s.io", "runtimeclasses"),
    ("policy", "poddisruptionbudgets"),
    ("storage.k8s.io", "csidrivers"),
    ("storage.k8s.io", "csinodes"),
    ("storage.k8s.io", "csistoragecapacities"),
    ("storage.k8s.io", "volumeattachments"),
    ("storagemigration.k8s.io", "storageversionmigrations"),
];

const CREATED_ON_UPDATE: &[(&str, &str)] = &[
    ("", "endpoints"),
    ("", "events"),
    ("", "limitranges"),
    ("", "services"),
    ("coordination.k8s.io", "leasecandidates"),
    ("coordination.k8s.io", "leases"),
    ("events.k8s.io", "events"),
    ("node.k8s.io", "runtimeclasses"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("rbac.authorization.k8s.io", "rolebindings"),
    ("rbac.authorization.k8s.io", "roles"),
];

const RETURNED_WHEN_DELETED: &[(&str, &str)] = &[
    ("", "namespaces"),
    ("", "persistentvolumeclaims"),
    ("", "persistentvolumes"),
    ("", "pods"),
    ("", "podtemplates"),
    ("", "resourcequotas"),
    ("", "serviceaccounts"),
    ("", "services"),
    ("resource.k8s.io", "deviceclasses"),
    ("resource.k8s.io", "resourceclaims"),
    ("resource.k8s.io", "resourceclaimtemplates"),
    ("resource.k8s.io", "resourceslices"),
    ("storage.k8s.io", "csidrivers"),
    ("storage.k8s.io", "csinodes"),
    ("storage.k8s.io", "csistoragecapacities"),
    ("storage.k8s.io", "storageclasses"),
    ("storage.k8s.io", "volumeattachments"),
    ("storage.k8s.io", "volumeattributesclasses"),
];

const POD_FIELDS: &[&str] = &[
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
];

const EVENT_FIELDS: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];
