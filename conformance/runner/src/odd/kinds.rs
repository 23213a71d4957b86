//! The kinds that odd requests are about, and the objects that both servers begin with.
//!
//! Each kind comes with the fields that make its smallest valid object, so that a body is refused for what was done to it
//! and not for what it lacks.

use serde_json::{Value, json};

/// A kind.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// As in a path: `api/v1`, `apis/apps/v1`.
    pub(super) group_version: &'static str,
    pub(super) plural: &'static str,
    pub(super) kind: &'static str,
    pub(super) is_namespaced: bool,
    /// What its smallest valid object has beside its metadata, in JSON.
    fields: &'static str,
}

impl Row {
    const fn namespaced(group_version: &'static str, plural: &'static str, kind: &'static str) -> Row {
        Row { group_version, plural, kind, is_namespaced: true, fields: "{}" }
    }

    const fn cluster(group_version: &'static str, plural: &'static str, kind: &'static str) -> Row {
        Row { is_namespaced: false, ..Row::namespaced(group_version, plural, kind) }
    }

    const fn with(self, fields: &'static str) -> Row {
        Row { fields, ..self }
    }

    /// As in an object: `v1`, `apps/v1`.
    pub(super) fn api_version(&self) -> &'static str {
        self.group_version.split_once('/').map_or("", |(_, version)| version)
    }

    /// The smallest valid object.
    pub(super) fn object(&self, name: &str) -> Value {
        let mut object: Value = serde_json::from_str(self.fields).expect("the table holds JSON");
        object["apiVersion"] = self.api_version().into();
        object["kind"] = self.kind.into();
        object["metadata"] = json!({"name": name});
        object
    }
}

/// Kinds that are most of what servers are asked about, and between them every way to be served.
pub(super) const FREQUENT: &[Row] = &[
    Row::namespaced("api/v1", "configmaps", "ConfigMap"),
    Row::namespaced("api/v1", "pods", "Pod").with(r#"{"spec":{"containers":[{"name":"c","image":"i"}]}}"#),
    Row::namespaced("api/v1", "secrets", "Secret"),
    Row::namespaced("api/v1", "services", "Service").with(r#"{"spec":{"ports":[{"port":80}]}}"#),
    Row::cluster("api/v1", "nodes", "Node"),
    Row::cluster("api/v1", "namespaces", "Namespace"),
    Row::namespaced("apis/apps/v1", "deployments", "Deployment").with(WORKLOAD),
    Row::cluster("apis/rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole"),
    Row::cluster("apis/authorization.k8s.io/v1", "subjectaccessreviews", "SubjectAccessReview").with(REVIEW),
    Row::cluster("apis/apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition"),
    Row::namespaced("apis/example.com/v1", "widgets", "Widget").with(r#"{"spec":{"size":1}}"#),
    Row::cluster("apis/example.com/v1", "gadgets", "Gadget"),
];

/// The others.
pub(super) const OTHERS: &[Row] = &[
    Row::namespaced("api/v1", "serviceaccounts", "ServiceAccount"),
    Row::namespaced("api/v1", "endpoints", "Endpoints"),
    Row::namespaced("api/v1", "events", "Event").with(r#"{"involvedObject":{"namespace":"odd"}}"#),
    Row::namespaced("api/v1", "limitranges", "LimitRange"),
    Row::namespaced("api/v1", "resourcequotas", "ResourceQuota"),
    Row::namespaced("api/v1", "podtemplates", "PodTemplate")
        .with(r#"{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}"#),
    Row::namespaced("api/v1", "replicationcontrollers", "ReplicationController").with(
        r#"{"spec":{"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}"#,
    ),
    Row::namespaced("api/v1", "persistentvolumeclaims", "PersistentVolumeClaim")
        .with(r#"{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}"#),
    Row::cluster("api/v1", "persistentvolumes", "PersistentVolume")
        .with(r#"{"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{"path":"/x"}}}"#),
    Row::namespaced("api/v1", "bindings", "Binding").with(r#"{"target":{"kind":"Node","name":"a"}}"#),
    Row::cluster("api/v1", "componentstatuses", "ComponentStatus"),
    Row::namespaced("apis/apps/v1", "replicasets", "ReplicaSet").with(WORKLOAD),
    Row::namespaced("apis/apps/v1", "statefulsets", "StatefulSet").with(WORKLOAD),
    Row::namespaced("apis/apps/v1", "daemonsets", "DaemonSet").with(WORKLOAD),
    Row::namespaced("apis/apps/v1", "controllerrevisions", "ControllerRevision").with(r#"{"data":{},"revision":1}"#),
    Row::namespaced("apis/batch/v1", "jobs", "Job")
        .with(r#"{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}"#),
    Row::namespaced("apis/batch/v1", "cronjobs", "CronJob").with(
        r#"{"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}"#,
    ),
    Row::namespaced("apis/autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler").with(AUTOSCALER),
    Row::namespaced("apis/autoscaling/v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler").with(AUTOSCALER),
    Row::namespaced("apis/policy/v1", "poddisruptionbudgets", "PodDisruptionBudget")
        .with(r#"{"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}}"#),
    Row::namespaced("apis/networking.k8s.io/v1", "ingresses", "Ingress")
        .with(r#"{"spec":{"defaultBackend":{"service":{"name":"a","port":{"number":80}}}}}"#),
    Row::namespaced("apis/networking.k8s.io/v1", "networkpolicies", "NetworkPolicy").with(r#"{"spec":{"podSelector":{}}}"#),
    Row::cluster("apis/networking.k8s.io/v1", "ingressclasses", "IngressClass").with(r#"{"spec":{"controller":"a.b/c"}}"#),
    Row::namespaced("apis/coordination.k8s.io/v1", "leases", "Lease").with(r#"{"spec":{"holderIdentity":"a"}}"#),
    Row::namespaced("apis/discovery.k8s.io/v1", "endpointslices", "EndpointSlice")
        .with(r#"{"addressType":"IPv4","endpoints":[]}"#),
    Row::namespaced("apis/events.k8s.io/v1", "events", "Event").with(
        r#"{"eventTime":"2026-01-01T00:00:00.000000Z","reportingController":"a/b","reportingInstance":"a","action":"a","reason":"a","type":"Normal","regarding":{"namespace":"odd"}}"#,
    ),
    Row::namespaced("apis/rbac.authorization.k8s.io/v1", "roles", "Role"),
    Row::namespaced("apis/rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding")
        .with(r#"{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"a"}}"#),
    Row::cluster("apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding")
        .with(r#"{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"a"}}"#),
    Row::cluster("apis/authentication.k8s.io/v1", "tokenreviews", "TokenReview").with(r#"{"spec":{"token":"x"}}"#),
    Row::cluster("apis/authentication.k8s.io/v1", "selfsubjectreviews", "SelfSubjectReview"),
    Row::cluster("apis/authorization.k8s.io/v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview")
        .with(r#"{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}"#),
    Row::cluster("apis/authorization.k8s.io/v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview")
        .with(r#"{"spec":{"namespace":"odd"}}"#),
    Row::namespaced("apis/authorization.k8s.io/v1", "localsubjectaccessreviews", "LocalSubjectAccessReview").with(REVIEW),
    Row::cluster("apis/scheduling.k8s.io/v1", "priorityclasses", "PriorityClass").with(r#"{"value":1}"#),
    Row::cluster("apis/node.k8s.io/v1", "runtimeclasses", "RuntimeClass").with(r#"{"handler":"a"}"#),
    Row::cluster("apis/storage.k8s.io/v1", "storageclasses", "StorageClass").with(r#"{"provisioner":"a.b/c"}"#),
    Row::cluster("apis/storage.k8s.io/v1", "csidrivers", "CSIDriver").with(r#"{"spec":{}}"#),
    Row::cluster("apis/certificates.k8s.io/v1", "certificatesigningrequests", "CertificateSigningRequest"),
    Row::cluster(
        "apis/admissionregistration.k8s.io/v1",
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
    ),
    Row::cluster("apis/admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"),
    Row::cluster("apis/flowcontrol.apiserver.k8s.io/v1", "flowschemas", "FlowSchema")
        .with(r#"{"spec":{"priorityLevelConfiguration":{"name":"catch-all"},"matchingPrecedence":900}}"#),
    Row::cluster("apis/apiregistration.k8s.io/v1", "apiservices", "APIService"),
];

const WORKLOAD: &str = r#"{"spec":{"selector":{"matchLabels":{"app":"odd"}},
    "template":{"metadata":{"labels":{"app":"odd"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}"#;

const REVIEW: &str = r#"{"spec":{"user":"a","resourceAttributes":{"verb":"get","resource":"pods","namespace":"odd"}}}"#;

const AUTOSCALER: &str =
    r#"{"spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}}}"#;

/// What exists before the first request, in the order it can be made in: path of the collection, and object.
pub(super) fn fixtures() -> Vec<(String, Value)> {
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions".to_owned();
    let namespaced = |row: &Row| format!("/{}/namespaces/odd/{}", row.group_version, row.plural);
    let cluster = |row: &Row| format!("/{}/{}", row.group_version, row.plural);
    let row = |plural: &str| FREQUENT.iter().chain(OTHERS).find(|row| row.plural == plural).expect("it is in a table");
    let scale = json!({"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"});
    let mut all = vec![
        (cluster(row("namespaces")), row("namespaces").object("odd")),
        (definitions.clone(), definition("Widget", "Namespaced", &json!({"status": {}, "scale": scale}))),
        (definitions, definition("Gadget", "Cluster", &Value::Null)),
    ];
    for plural in
        ["configmaps", "secrets", "pods", "services", "deployments", "serviceaccounts", "leases", "jobs", "widgets"]
    {
        all.push((namespaced(row(plural)), row(plural).object("a")));
    }
    for plural in ["nodes", "clusterroles", "storageclasses", "priorityclasses", "gadgets"] {
        all.push((cluster(row(plural)), row(plural).object("a")));
    }
    all
}

/// A definition whose objects are checked by a schema, with these subresources.
fn definition(kind: &str, scope: &str, subresources: &Value) -> Value {
    let singular = kind.to_lowercase();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{singular}s.example.com")},
        "spec": {
            "group": "example.com", "scope": scope,
            "names": {"plural": format!("{singular}s"), "singular": singular, "kind": kind, "listKind": format!("{kind}List")},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": subresources,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 10}}},
                    "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                }}},
            }],
        },
    })
}
