//! One app: what its pods have in common.
//!
//! In: the number of the app. Out: the parts of a pod that a Deployment's template, the server's defaults, the
//! admission plugins and the managers of fields make of it.

use serde_json::{Map, Value, json};

use super::pod::{scramble, uid};

/// An app by its number.
pub(super) struct Template {
    number: usize,
}

impl Template {
    pub(super) fn new(number: usize) -> Self {
        Self { number }
    }

    pub(super) fn namespace(&self) -> String {
        format!("team-{}", self.number % 6)
    }

    pub(super) fn replica_set(&self) -> String {
        format!("{}-{:010x}", self.app(), scramble(self.number as u64) >> 24)
    }

    /// The app's own container, and up to two beside it.
    pub(super) fn container_names(&self) -> impl Iterator<Item = String> {
        let beside = ["metrics-exporter", "envoy-proxy"].into_iter().take(self.number % 3);
        std::iter::once(self.app()).chain(beside.map(str::to_owned))
    }

    pub(super) fn image(&self, container: &str) -> String {
        format!("registry.example.com/platform/{container}:v1.{}.{}", self.number % 9, self.number % 4)
    }

    pub(super) fn labels(&self) -> Value {
        json!({
            "app.kubernetes.io/component": "backend",
            "app.kubernetes.io/instance": self.app(),
            "app.kubernetes.io/managed-by": "Helm",
            "app.kubernetes.io/name": self.app(),
            "app.kubernetes.io/part-of": format!("product-{}", self.number % 5),
            "app.kubernetes.io/version": format!("1.{}.{}", self.number % 9, self.number % 4),
            "pod-template-hash": format!("{:010x}", scramble(self.number as u64) >> 24),
            "team": format!("team-{}", self.number % 6),
        })
    }

    pub(super) fn annotations(&self) -> Value {
        json!({
            "checksum/config": format!("{:016x}{:016x}", scramble(self.number as u64), scramble(self.number as u64 + 99)),
            "kubectl.kubernetes.io/default-container": self.app(),
            "kubectl.kubernetes.io/restartedAt": "2026-11-14T08:00:00Z",
            "prometheus.io/path": "/metrics",
            "prometheus.io/port": "9090",
            "prometheus.io/scrape": "true",
        })
    }

    pub(super) fn owner_references(&self) -> Value {
        json!([{
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": self.replica_set(),
            "uid": uid(1_000_000 + self.number as u64),
            "controller": true,
            "blockOwnerDeletion": true,
        }])
    }

    pub(super) fn spec(&self, node: &str) -> Value {
        json!({
            "volumes": self.volumes(),
            "initContainers": self.init_containers(),
            "containers": self.container_names().map(|name| self.container(&name, self.environment_size(&name))).collect::<Vec<_>>(),
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30 + self.number % 3 * 15,
            "dnsPolicy": "ClusterFirst",
            "nodeSelector": { "kubernetes.io/os": "linux" },
            "serviceAccountName": self.app(),
            "serviceAccount": self.app(),
            "nodeName": node,
            "securityContext": { "fsGroup": 1000, "runAsNonRoot": true, "runAsUser": 1000, "seccompProfile": { "type": "RuntimeDefault" } },
            "imagePullSecrets": [{ "name": "registry-credentials" }],
            "affinity": self.affinity(),
            "schedulerName": "default-scheduler",
            "tolerations": [
                { "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 },
                { "key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 },
            ],
            "priority": 0,
            "enableServiceLinks": true,
            "preemptionPolicy": "PreemptLowerPriority",
            "topologySpreadConstraints": [{
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": { "matchLabels": { "app.kubernetes.io/name": self.app() } },
            }],
        })
    }

    pub(super) fn volume_mounts(&self) -> Vec<Value> {
        vec![
            json!({ "name": "config", "mountPath": "/etc/app", "readOnly": true }),
            json!({ "name": "tls", "mountPath": "/etc/tls", "readOnly": true }),
            json!({ "name": "scratch", "mountPath": "/var/lib/app" }),
            json!({ "name": self.token_volume(), "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": true }),
        ]
    }

    /// Two managers: the controller that made the pod and the kubelet that runs it.
    pub(super) fn managed_fields(&self, time: &str) -> Value {
        json!([
            {
                "manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1", "time": time,
                "fieldsType": "FieldsV1", "fieldsV1": self.fields_of_the_template(),
            },
            {
                "manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": time,
                "fieldsType": "FieldsV1", "fieldsV1": fields_of_the_status(), "subresource": "status",
            },
        ])
    }

    fn app(&self) -> String {
        const NAMES: [&str; 10] = [
            "checkout",
            "inventory",
            "billing",
            "search",
            "recommendations",
            "notifications",
            "sessions",
            "catalogue",
            "shipping",
            "reports",
        ];
        format!(
            "{}-{}",
            NAMES[self.number % NAMES.len()],
            ["api", "worker", "gateway", "scheduler"][self.number / NAMES.len() % 4]
        )
    }

    fn token_volume(&self) -> String {
        format!("kube-api-access-{:05x}", scramble(self.number as u64) >> 44)
    }

    /// Every second app migrates its database first.
    fn init_containers(&self) -> Vec<Value> {
        (0..self.number % 2).map(|_| self.container("migrate", 2)).collect()
    }

    fn environment_size(&self, container: &str) -> usize {
        if container == self.app() { 5 + self.number % 4 } else { 2 }
    }

    fn container(&self, name: &str, environment: usize) -> Value {
        json!({
            "name": name,
            "image": self.image(name),
            "args": ["--listen=0.0.0.0:8080", "--log-format=json", format!("--shard={}", self.number)],
            "ports": [
                { "name": "http", "containerPort": 8080, "protocol": "TCP" },
                { "name": "metrics", "containerPort": 9090, "protocol": "TCP" },
            ],
            "env": (0..environment).map(|index| self.variable(index)).collect::<Vec<_>>(),
            "resources": { "limits": { "memory": "512Mi" }, "requests": { "cpu": "100m", "memory": "256Mi" } },
            "volumeMounts": self.volume_mounts(),
            "livenessProbe": probe("/healthz", 10),
            "readinessProbe": probe("/readyz", 5),
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
            "securityContext": {
                "allowPrivilegeEscalation": false,
                "capabilities": { "drop": ["ALL"] },
                "readOnlyRootFilesystem": true,
            },
        })
    }

    fn variable(&self, index: usize) -> Value {
        let name = Self::variable_name(index);
        match index % 4 {
            0 => {
                json!({ "name": name, "valueFrom": { "secretKeyRef": { "name": format!("{}-credentials", self.app()), "key": name } } })
            }
            1 => {
                json!({ "name": name, "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.name" } } })
            }
            _ => {
                json!({ "name": name, "value": format!("https://service-{index}.{}.svc.cluster.local:8443", self.namespace()) })
            }
        }
    }

    fn variable_name(index: usize) -> String {
        format!("UPSTREAM_SERVICE_{index}_ENDPOINT")
    }

    fn volumes(&self) -> Value {
        json!([
            { "name": "config", "configMap": { "name": format!("{}-config", self.app()), "defaultMode": 420 } },
            { "name": "tls", "secret": { "secretName": format!("{}-tls", self.app()), "defaultMode": 420 } },
            { "name": "scratch", "emptyDir": { "sizeLimit": "1Gi" } },
            { "name": self.token_volume(), "projected": { "defaultMode": 420, "sources": [
                { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
                { "configMap": { "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }] } },
                { "downwardAPI": { "items": [{ "path": "namespace", "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.namespace" } }] } },
            ] } },
        ])
    }

    fn affinity(&self) -> Value {
        json!({ "podAntiAffinity": { "preferredDuringSchedulingIgnoredDuringExecution": [{
            "weight": 100,
            "podAffinityTerm": {
                "labelSelector": { "matchLabels": { "app.kubernetes.io/name": self.app() } },
                "topologyKey": "kubernetes.io/hostname",
            },
        }] } })
    }

    fn fields_of_the_template(&self) -> Value {
        let keys = |object: Value| -> Map<String, Value> {
            let names = object.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
            std::iter::once(".".to_owned())
                .chain(names.iter().map(|name| format!("f:{name}")))
                .map(|key| (key, json!({})))
                .collect()
        };
        let containers: Map<String, Value> = self
            .container_names()
            .map(|name| (format!(r#"k:{{"name":"{name}"}}"#), self.fields_of_a_container(&name)))
            .collect();
        json!({
            "f:metadata": {
                "f:annotations": keys(self.annotations()),
                "f:generateName": {},
                "f:labels": keys(self.labels()),
                "f:ownerReferences": { ".": {}, format!(r#"k:{{"uid":"{}"}}"#, uid(1_000_000 + self.number as u64)): {} },
            },
            "f:spec": {
                "f:affinity": {}, "f:containers": containers, "f:dnsPolicy": {}, "f:enableServiceLinks": {},
                "f:imagePullSecrets": {}, "f:nodeSelector": {}, "f:restartPolicy": {}, "f:schedulerName": {},
                "f:securityContext": {}, "f:serviceAccount": {}, "f:serviceAccountName": {},
                "f:terminationGracePeriodSeconds": {}, "f:topologySpreadConstraints": {}, "f:volumes": {},
            },
        })
    }

    fn fields_of_a_container(&self, name: &str) -> Value {
        let environment: Map<String, Value> = (0..self.environment_size(name))
            .map(|index| {
                (
                    format!(r#"k:{{"name":"{}"}}"#, Self::variable_name(index)),
                    json!({ ".": {}, "f:name": {}, "f:value": {} }),
                )
            })
            .collect();
        json!({
            ".": {}, "f:args": {}, "f:env": environment, "f:image": {}, "f:imagePullPolicy": {},
            "f:livenessProbe": {}, "f:name": {}, "f:ports": {}, "f:readinessProbe": {}, "f:resources": {},
            "f:securityContext": {}, "f:terminationMessagePath": {}, "f:terminationMessagePolicy": {}, "f:volumeMounts": {},
        })
    }
}

fn fields_of_the_status() -> Value {
    let condition = json!({ ".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} });
    json!({ "f:status": {
        "f:conditions": {
            r#"k:{"type":"ContainersReady"}"#: condition,
            r#"k:{"type":"Initialized"}"#: condition,
            r#"k:{"type":"Ready"}"#: condition,
        },
        "f:containerStatuses": {}, "f:hostIP": {}, "f:hostIPs": {}, "f:phase": {}, "f:podIP": {}, "f:podIPs": {}, "f:startTime": {},
    } })
}

fn probe(path: &str, period: u32) -> Value {
    json!({
        "httpGet": { "path": path, "port": "http", "scheme": "HTTP" },
        "timeoutSeconds": 1, "periodSeconds": period, "successThreshold": 1, "failureThreshold": 3,
    })
}
