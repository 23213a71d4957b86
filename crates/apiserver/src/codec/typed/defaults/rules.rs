//! Defaults that depend on something: on another field, on the image's tag, on the kind of strategy.

use serde_json::{Map, Value, json};

use super::image_name;

/// Applies the rule of a type to its fields, if it has one.
pub(super) fn apply(name: &str, fields: &mut Map<String, Value>) {
    match name {
        "apps.v1.DaemonSetSpec" => rolling(fields, "updateStrategy", &json!({"maxSurge": 0, "maxUnavailable": 1})),
        "apps.v1.DeploymentSpec" => rolling(fields, "strategy", &json!({"maxSurge": "25%", "maxUnavailable": "25%"})),
        "apps.v1.StatefulSetSpec" => stateful_set(fields),
        "autoscaling.v2.HorizontalPodAutoscalerSpec" => autoscaler(fields),
        "batch.v1.Job" => with_spec(fields, job),
        "core.v1.Container" | "core.v1.EphemeralContainer" => pull_policy(fields),
        "core.v1.GRPCAction" => set_if_absent(fields, "service", "".into()),
        "core.v1.HostPathVolumeSource" => set_if_absent(fields, "type", "".into()),
        "core.v1.LimitRangeItem" => limit_range(fields),
        "core.v1.Node" => node(fields),
        "core.v1.Pod" => with_spec(fields, pod),
        "core.v1.PodSpec" => service_account(fields),
        "core.v1.ReplicationController" => replication_controller(fields),
        "core.v1.Secret" => secret(fields),
        "core.v1.ServiceSpec" => service(fields),
        "core.v1.Volume" => volume(fields),
        "discovery.v1.EndpointPort" => set_if_absent(fields, "name", "".into()),
        "networking.v1.NetworkPolicySpec" => policy_types(fields),
        "rbac.v1.Subject" => subject(fields),
        "resource.v1beta1.DeviceRequest" if !text(fields, "deviceClassName").is_empty() => devices(fields),
        _ if name.starts_with("resource.v1") && name.ends_with(".DeviceSubRequest") => devices(fields),
        _ if name.starts_with("resource.v1") && name.ends_with(".ExactDeviceRequest") => devices(fields),
        _ => {}
    }
}

fn set_if_absent(fields: &mut Map<String, Value>, field: &str, value: Value) {
    if fields.get(field).is_none_or(Value::is_null) {
        fields.insert(field.to_owned(), value);
    }
}

fn text<'a>(fields: &'a Map<String, Value>, field: &str) -> &'a str {
    fields.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The struct in a field, made where there is none.
fn inner<'a>(fields: &'a mut Map<String, Value>, field: &str) -> &'a mut Map<String, Value> {
    let value = fields.entry(field).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    value.as_object_mut().expect("made an object just now")
}

fn with_spec(fields: &mut Map<String, Value>, change: impl FnOnce(&mut Map<String, Value>)) {
    if fields.get("spec").is_some_and(Value::is_object) {
        change(inner(fields, "spec"));
    }
}

/// The account of a pod has two names, of which the older one follows.
fn service_account(spec: &mut Map<String, Value>) {
    let named =
        [text(spec, "serviceAccountName"), text(spec, "serviceAccount")].into_iter().find(|name| !name.is_empty());
    if let Some(name) = named.map(str::to_owned) {
        spec.insert("serviceAccountName".to_owned(), name.as_str().into());
        spec.insert("serviceAccount".to_owned(), name.into());
    }
}

/// A strategy is a rolling update unless it says otherwise, and a rolling update has numbers.
fn rolling(fields: &mut Map<String, Value>, field: &str, numbers: &Value) {
    let strategy = inner(fields, field);
    if text(strategy, "type").is_empty() {
        strategy.insert("type".to_owned(), "RollingUpdate".into());
    }
    if text(strategy, "type") != "RollingUpdate" {
        return;
    }
    let update = inner(strategy, "rollingUpdate");
    for (name, number) in numbers.as_object().into_iter().flatten() {
        set_if_absent(update, name, number.clone());
    }
}

fn stateful_set(fields: &mut Map<String, Value>) {
    let strategy = inner(fields, "updateStrategy");
    // One that only names its type is left as it is.
    if text(strategy, "type").is_empty() || strategy.get("rollingUpdate").is_some_and(Value::is_object) {
        rolling(fields, "updateStrategy", &json!({"maxUnavailable": 1, "partition": 0}));
    }
    for claim in fields.get_mut("volumeClaimTemplates").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(claim) = claim.as_object_mut() {
            set_if_absent(claim, "apiVersion", "v1".into());
            set_if_absent(claim, "kind", "PersistentVolumeClaim".into());
            set_if_absent(inner(claim, "status"), "phase", "Pending".into());
        }
    }
}

fn autoscaler(fields: &mut Map<String, Value>) {
    if fields.get("metrics").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        fields
            .insert("metrics".to_owned(), json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
    }
    if let Some(behavior) = fields.get_mut("behavior").and_then(Value::as_object_mut) {
        let percent = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
        let pods = json!({"type": "Pods", "value": 4, "periodSeconds": 15});
        let up = inner(behavior, "scaleUp");
        set_if_absent(up, "stabilizationWindowSeconds", 0.into());
        set_if_absent(up, "selectPolicy", "Max".into());
        set_if_absent(up, "policies", json!([pods, percent]));
        let down = inner(behavior, "scaleDown");
        set_if_absent(down, "selectPolicy", "Max".into());
        set_if_absent(down, "policies", json!([percent]));
    }
}

fn job(spec: &mut Map<String, Value>) {
    let has = |spec: &Map<String, Value>, field: &str| spec.get(field).is_some_and(|value| !value.is_null());
    if !has(spec, "completions") && !has(spec, "parallelism") {
        set_if_absent(spec, "completions", 1.into());
    }
    set_if_absent(spec, "parallelism", 1.into());
    let limit = if has(spec, "backoffLimitPerIndex") { i32::MAX } else { 6 };
    set_if_absent(spec, "backoffLimit", limit.into());
    set_if_absent(spec, "completionMode", "NonIndexed".into());
    set_if_absent(spec, "manualSelector", false.into());
    set_if_absent(spec, "suspend", false.into());
    let replacement = if has(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    set_if_absent(spec, "podReplacementPolicy", replacement.into());
}

/// A request for devices is for one device, unless it says otherwise.
fn devices(request: &mut Map<String, Value>) {
    if text(request, "allocationMode").is_empty() {
        request.insert("allocationMode".to_owned(), "ExactCount".into());
    }
    if text(request, "allocationMode") == "ExactCount" && request.get("count").is_none_or(|count| *count == 0) {
        request.insert("count".to_owned(), 1.into());
    }
}

/// An image without a tag, or with the tag that moves, is pulled each time.
fn pull_policy(container: &mut Map<String, Value>) {
    if text(container, "imagePullPolicy").is_empty() {
        let is_moving = image_name::tag(text(container, "image")).is_some_and(|tag| tag == "latest");
        let policy = if is_moving { "Always" } else { "IfNotPresent" };
        container.insert("imagePullPolicy".to_owned(), policy.into());
    }
}

/// A container may use up to more than one, so what is not requested is what it is limited to.
fn limit_range(item: &mut Map<String, Value>) {
    if text(item, "type") != "Container" {
        return;
    }
    copy_missing(item, "max", "default");
    copy_missing(item, "default", "defaultRequest");
    copy_missing(item, "min", "defaultRequest");
}

fn copy_missing(fields: &mut Map<String, Value>, from: &str, to: &str) {
    let source = fields.get(from).and_then(Value::as_object).cloned().unwrap_or_default();
    if source.is_empty() {
        return;
    }
    let target = inner(fields, to);
    for (name, value) in source {
        set_if_absent(target, &name, value);
    }
}

fn node(fields: &mut Map<String, Value>) {
    if let Some(status) = fields.get_mut("status").and_then(Value::as_object_mut)
        && status.get("allocatable").is_none_or(Value::is_null)
        && let Some(capacity) = status.get("capacity").cloned()
    {
        status.insert("allocatable".to_owned(), capacity);
    }
}

fn pod(spec: &mut Map<String, Value>) {
    set_if_absent(spec, "enableServiceLinks", true.into());
    host_ports(spec);
    for list in ["containers", "initContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut) {
                copy_missing(resources, "limits", "requests");
            }
        }
    }
}

/// On the host's network a container's port is the host's: of a pod, not yet of a template.
fn host_ports(spec: &mut Map<String, Value>) {
    if spec.get("hostNetwork") != Some(&Value::Bool(true)) {
        return;
    }
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        let ports = containers.into_iter().flatten().filter_map(|container| container.get_mut("ports"));
        for port in ports.filter_map(Value::as_array_mut).flatten().filter_map(Value::as_object_mut) {
            let number = port.get("containerPort").cloned().unwrap_or_default();
            if port.get("hostPort").is_none_or(|port| port.is_null() || *port == 0) {
                port.insert("hostPort".to_owned(), number);
            }
        }
    }
}

fn replication_controller(fields: &mut Map<String, Value>) {
    let labels = fields.get("spec").and_then(|spec| spec.pointer("/template/metadata/labels")).cloned();
    let Some(labels) = labels.filter(|labels| labels.as_object().is_some_and(|labels| !labels.is_empty())) else {
        return;
    };
    with_spec(fields, |spec| set_if_absent(spec, "selector", labels.clone()));
    set_if_absent(inner(fields, "metadata"), "labels", labels);
}

/// What is given as text is kept as bytes.
fn secret(fields: &mut Map<String, Value>) {
    use base64::Engine as _;
    let Some(texts) = fields.remove("stringData") else {
        return;
    };
    for (name, text) in texts.as_object().into_iter().flatten() {
        let bytes = base64::engine::general_purpose::STANDARD.encode(text.as_str().unwrap_or_default());
        inner(fields, "data").insert(name.clone(), bytes.into());
    }
}

fn service(spec: &mut Map<String, Value>) {
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(port) = port.as_object_mut() {
            let is_unsaid = port.get("targetPort").is_none_or(|target| *target == 0 || *target == "");
            if is_unsaid {
                let number = port.get("port").cloned().unwrap_or_default();
                port.insert("targetPort".to_owned(), number);
            }
        }
    }
    if text(spec, "sessionAffinity") == "ClientIP" {
        set_if_absent(inner(inner(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds", 10800.into());
    }
    let kind = text(spec, "type").to_owned();
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        set_if_absent(spec, "externalTrafficPolicy", "Cluster".into());
    }
    if kind != "ExternalName" {
        set_if_absent(spec, "internalTrafficPolicy", "Cluster".into());
    }
    if kind == "LoadBalancer" {
        set_if_absent(spec, "allocateLoadBalancerNodePorts", true.into());
    }
}

/// A volume of no kind is an empty folder.
fn volume(volume: &mut Map<String, Value>) {
    if volume.iter().all(|(name, value)| name == "name" || value.is_null()) {
        volume.insert("emptyDir".to_owned(), json!({}));
    }
}

fn policy_types(spec: &mut Map<String, Value>) {
    if spec.get("policyTypes").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        let has_egress = spec.get("egress").and_then(Value::as_array).is_some_and(|rules| !rules.is_empty());
        let types = if has_egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
        spec.insert("policyTypes".to_owned(), types);
    }
}

fn subject(subject: &mut Map<String, Value>) {
    if matches!(text(subject, "kind"), "User" | "Group") && text(subject, "apiGroup").is_empty() {
        subject.insert("apiGroup".to_owned(), "rbac.authorization.k8s.io".into());
    }
}
