//! Objects to create, chosen for what they have in them: every form that protobuf writes otherwise than JSON.

use serde_json::{Value, json};

/// Where each is created, and what.
pub(super) fn all() -> impl Iterator<Item = (&'static str, Value)> {
    let core = [
        (
            "/api/v1/namespaces/default/configmaps",
            json!({ "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": "formats", "labels": { "a": "b", "empty": "" }, "annotations": { "example.com/e": "é\u{1f600}\n" } },
            "data": { "text": "value", "none": "" }, "binaryData": { "bytes": "AAH/" } }),
        ),
        (
            "/api/v1/namespaces/default/secrets",
            json!({ "apiVersion": "v1", "kind": "Secret",
            "metadata": { "name": "formats" }, "data": { "key": "aHVudGVyMg==" }, "immutable": true }),
        ),
        (
            "/api/v1/namespaces/default/services",
            json!({ "apiVersion": "v1", "kind": "Service",
            "metadata": { "name": "formats" },
            "spec": { "selector": { "app": "a" }, "ports": [
                { "name": "web", "port": 80, "targetPort": "http" }, { "name": "admin", "port": 81, "targetPort": 8081 } ] } }),
        ),
        (
            "/api/v1/namespaces/default/serviceaccounts",
            json!({ "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": { "name": "default" } }),
        ),
        (
            "/api/v1/namespaces/default/pods",
            json!({ "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": "formats", "finalizers": ["example.com/x"] },
            "spec": {
                "terminationGracePeriodSeconds": 0,
                "securityContext": { "supplementalGroups": [1, 2], "runAsNonRoot": false },
                "tolerations": [{ "operator": "Exists", "tolerationSeconds": 3, "effect": "NoExecute" }],
                "volumes": [{ "name": "e", "emptyDir": { "sizeLimit": "1Gi" } },
                            { "name": "s", "secret": { "secretName": "x", "defaultMode": 256 } },
                            { "name": "p", "projected": { "sources": [{ "downwardAPI": { "items": [
                                { "path": "l", "fieldRef": { "fieldPath": "metadata.labels" } }] } }] } }],
                "containers": [{ "name": "c", "image": "i",
                    "resources": { "limits": { "cpu": "1500m", "memory": "64Mi" } },
                    "livenessProbe": { "httpGet": { "port": 80, "path": "/" } },
                    "readinessProbe": { "tcpSocket": { "port": "web" } },
                    "lifecycle": { "preStop": { "exec": { "command": ["true"] } } },
                    "ports": [{ "name": "web", "containerPort": 80 }],
                    "env": [{ "name": "E", "valueFrom": { "configMapKeyRef": { "name": "m", "key": "k", "optional": true } } }],
                    "envFrom": [{ "secretRef": { "name": "s" } }] }] } }),
        ),
        (
            "/api/v1/namespaces/default/events",
            json!({ "apiVersion": "v1", "kind": "Event",
            "metadata": { "name": "formats", "namespace": "default" }, "type": "Normal", "reason": "Made",
            "involvedObject": { "kind": "Pod", "namespace": "default", "name": "formats" },
            "firstTimestamp": "2026-11-16T00:00:00Z", "count": 2 }),
        ),
        (
            "/api/v1/namespaces/default/resourcequotas",
            json!({ "apiVersion": "v1", "kind": "ResourceQuota",
            "metadata": { "name": "formats" }, "spec": { "hard": { "cpu": "10", "requests.memory": "1Gi" } } }),
        ),
        (
            "/api/v1/namespaces/default/limitranges",
            json!({ "apiVersion": "v1", "kind": "LimitRange",
            "metadata": { "name": "formats" }, "spec": { "limits": [{ "type": "Pod", "max": { "cpu": "9" } }] } }),
        ),
        (
            "/api/v1/namespaces/default/persistentvolumeclaims",
            json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": { "name": "formats" },
            "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } } }),
        ),
        (
            "/api/v1/persistentvolumes",
            json!({ "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": "formats" },
            "spec": { "capacity": { "storage": "5Gi" }, "accessModes": ["ReadWriteOnce"], "hostPath": { "path": "/x" } } }),
        ),
        (
            "/api/v1/nodes",
            json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "formats" },
            "spec": { "taints": [{ "key": "k", "effect": "NoSchedule", "timeAdded": "2026-11-16T00:00:00Z" }] },
            "status": { "capacity": { "cpu": "4" } } }),
        ),
    ];
    let rest = [
        (
            "/apis/apps/v1/namespaces/default/deployments",
            json!({ "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": { "name": "formats" },
            "spec": { "replicas": 0, "selector": { "matchLabels": { "a": "b" } },
                "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": 0 } },
                "template": { "metadata": { "labels": { "a": "b" } },
                    "spec": { "containers": [{ "name": "c", "image": "i" }] } } } }),
        ),
        (
            "/apis/apps/v1/namespaces/default/controllerrevisions",
            json!({ "apiVersion": "apps/v1",
            "kind": "ControllerRevision", "metadata": { "name": "formats" }, "revision": 7,
            "data": { "spec": { "n": 1.5, "list": [1, null, "x"] } } }),
        ),
        (
            "/apis/batch/v1/namespaces/default/cronjobs",
            json!({ "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": { "name": "formats" },
            "spec": { "schedule": "* * * * *", "suspend": true, "jobTemplate": { "spec": { "backoffLimit": 0, "template": {
                "spec": { "restartPolicy": "Never", "containers": [{ "name": "c", "image": "i" }] } } } } } }),
        ),
        (
            "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            json!({ "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease", "metadata": { "name": "formats" },
            "spec": { "holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": "2026-11-16T00:00:00.000120Z" } }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
            json!({ "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy", "metadata": { "name": "formats" },
            "spec": { "podSelector": {}, "ingress": [{ "ports": [{ "port": "web" }, { "port": 80, "endPort": 90 }] }] } }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            json!({ "apiVersion": "networking.k8s.io/v1",
            "kind": "Ingress", "metadata": { "name": "formats" },
            "spec": { "rules": [{ "host": "x.example.com", "http": { "paths": [{ "path": "/", "pathType": "Prefix",
                "backend": { "service": { "name": "s", "port": { "number": 80 } } } }] } }] } }),
        ),
        (
            "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
            json!({ "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget", "metadata": { "name": "formats" },
            "spec": { "maxUnavailable": "50%", "selector": { "matchLabels": { "a": "b" } } } }),
        ),
        (
            "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
            json!({ "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler", "metadata": { "name": "formats" },
            "spec": { "maxReplicas": 3, "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": "d" },
                "metrics": [{ "type": "Resource", "resource": { "name": "cpu",
                    "target": { "type": "AverageValue", "averageValue": "100m" } } }] } }),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            json!({ "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole", "metadata": { "name": "formats" },
            "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }] }),
        ),
        (
            "/apis/storage.k8s.io/v1/storageclasses",
            json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": "formats" }, "provisioner": "example.com/x", "allowVolumeExpansion": false,
            "parameters": { "a": "b" } }),
        ),
        (
            "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
            json!({ "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice", "metadata": { "name": "formats" }, "addressType": "IPv4",
            "endpoints": [{ "addresses": ["10.0.0.1"], "conditions": { "ready": false } }], "ports": [{ "port": 80 }] }),
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": "formats" },
            "webhooks": [{ "name": "x.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                "failurePolicy": "Ignore", "clientConfig": { "url": "https://127.0.0.1:1/" },
                "rules": [{ "apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["things"],
                    "operations": ["CREATE"], "scope": "Cluster" }] }] }),
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
            json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": { "name": "formats" },
            "spec": { "validations": [{ "expression": "true" }], "matchConstraints": { "resourceRules": [{
                "apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["things"], "operations": ["*"] }] } } }),
        ),
        (
            "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
            json!({ "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim", "metadata": { "name": "formats" },
            "spec": { "devices": { "requests": [{ "name": "r", "exactly": { "deviceClassName": "c" } }],
                "config": [{ "opaque": { "driver": "x.example.com", "parameters": { "a": { "b": [1] } } } }] } } }),
        ),
        (
            "/apis/authorization.k8s.io/v1/subjectaccessreviews",
            json!({ "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": { "user": "u", "extra": { "scopes": ["a", "b"] }, "nonResourceAttributes": { "path": "/", "verb": "get" } } }),
        ),
        (
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            json!({ "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition", "metadata": { "name": "widgets.formats.example.com" },
            "spec": { "group": "formats.example.com", "scope": "Cluster", "names": { "kind": "Widget", "plural": "widgets" },
                "versions": [{ "name": "v1", "served": false, "storage": true, "schema": { "openAPIV3Schema": {
                    "type": "object", "properties": { "spec": { "type": "object",
                        "additionalProperties": { "type": "string", "enum": ["a", "b"] } },
                        "count": { "type": "number", "maximum": 1.5, "default": 1 },
                        "list": { "type": "array", "items": { "type": "string", "default": "x" } },
                        "any": { "x-kubernetes-preserve-unknown-fields": true } } } } }] } }),
        ),
    ];
    core.into_iter().chain(rest)
}
