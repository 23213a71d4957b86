//! Cells that have to be worked out: what a pod is doing, where a service is reached, what an event is about.

use serde_json::{Map, Value, json};

use super::{age, path};
use crate::registry::subresources::selector;

/// How many entries a list or map has.
pub(super) fn count(object: &Value, path: &str) -> usize {
    match path::find(object, path).first() {
        Some(Value::Array(items)) => items.len(),
        Some(Value::Object(fields)) => fields.len(),
        _ => 0,
    }
}

/// A cell of a definition's column.
pub(super) fn of_path(kind: &str, found: &[&Value], now: i64) -> Value {
    let Some(first) = found.first().filter(|value| !value.is_null()) else {
        return Value::Null;
    };
    match kind {
        "integer" if first.is_i64() || first.is_u64() => (*first).clone(),
        "number" if first.is_number() => (*first).clone(),
        "boolean" if first.is_boolean() => (*first).clone(),
        "integer" | "number" | "boolean" => Value::Null,
        "date" => age::since(first, now).into(),
        // A cell shows one value, whatever else the path leads to.
        _ => text(first).into(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

fn said<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn items<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn joined(texts: impl Iterator<Item = String>) -> Value {
    texts.collect::<Vec<_>>().join(",").into()
}

fn or_none(text: String, none: &str) -> Value {
    if text.is_empty() { none.into() } else { text.into() }
}

/// A number or text, or what stands for none.
pub(super) fn number_or(value: &Value, none: &str) -> Value {
    if value.is_null() { none.into() } else { text(value).into() }
}

/// Labels as `a=b,c=d`.
pub(super) fn labels(labels: &Value) -> Value {
    let pairs = labels.as_object().into_iter().flatten().map(|(key, value)| format!("{key}={}", text(value)));
    or_none(pairs.collect::<Vec<_>>().join(","), "<none>")
}

/// A LabelSelector as text.
pub(super) fn selector(selector: &Value) -> Value {
    or_none(selector::text(selector).unwrap_or_default(), "<none>")
}

/// A field of each container.
pub(super) fn containers(object: &Value, spec: &str, field: &str) -> Value {
    joined(
        items(object, &format!("{spec}/containers")).map(|container| said(container, &format!("/{field}")).to_owned()),
    )
}

pub(super) fn ready_replicas(object: &Value) -> Value {
    format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas")).into()
}

pub(super) fn ready_containers(pod: &Value) -> Value {
    let ready = items(pod, "/status/containerStatuses").filter(|status| status["ready"] == true).count();
    format!("{ready}/{}", items(pod, "/spec/containers").count()).into()
}

/// What a pod is doing: why a container waits or ended, before its phase.
pub(super) fn pod_status(pod: &Value) -> Value {
    let mut reason = said(pod, "/status/reason");
    if reason.is_empty() {
        reason = said(pod, "/status/phase");
    }
    let mut reason = reason.to_owned();
    for status in items(pod, "/status/containerStatuses") {
        let (waiting, ended) = (said(status, "/state/waiting/reason"), said(status, "/state/terminated/reason"));
        if !waiting.is_empty() {
            waiting.clone_into(&mut reason);
        } else if !ended.is_empty() {
            ended.clone_into(&mut reason);
        } else if status.pointer("/state/terminated").is_some() {
            reason = format!("ExitCode:{}", number(status, "/state/terminated/exitCode"));
        }
    }
    if pod["metadata"].get("deletionTimestamp").is_some() && !matches!(reason.as_str(), "Succeeded" | "Failed") {
        reason = if said(pod, "/status/reason") == "NodeLost" { "Unknown" } else { "Terminating" }.to_owned();
    }
    reason.into()
}

pub(super) fn restarts(pod: &Value, now: i64) -> Value {
    let statuses = || items(pod, "/status/containerStatuses");
    let count: i64 = statuses().map(|status| number(status, "/restartCount")).sum();
    let last =
        statuses().filter_map(|status| status.pointer("/lastState/terminated/finishedAt")).max_by_key(|at| text(at));
    match last {
        Some(last) if count > 0 => format!("{count} ({} ago)", age::since(last, now)).into(),
        _ => count.to_string().into(),
    }
}

pub(super) fn readiness_gates(pod: &Value) -> Value {
    let gates: Vec<&Value> = items(pod, "/spec/readinessGates").collect();
    if gates.is_empty() {
        return "<none>".into();
    }
    let is_open = |gate: &&&Value| {
        items(pod, "/status/conditions").any(|it| it["type"] == gate["conditionType"] && it["status"] == "True")
    };
    format!("{}/{}", gates.iter().filter(is_open).count(), gates.len()).into()
}

pub(super) fn node_status(node: &Value) -> Value {
    let ready = items(node, "/status/conditions").find(|condition| condition["type"] == "Ready");
    let mut words = match ready {
        Some(ready) if ready["status"] == "True" => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if node.pointer("/spec/unschedulable") == Some(&json!(true)) {
        words.push_str(",SchedulingDisabled");
    }
    words.into()
}

pub(super) fn node_roles(node: &Value) -> Value {
    let labels = node.pointer("/metadata/labels").and_then(Value::as_object);
    let roles =
        labels.into_iter().flatten().filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) if !role.is_empty() => Some(role.to_owned()),
            _ if key == "kubernetes.io/role" => value.as_str().map(str::to_owned),
            _ => None,
        });
    or_none(roles.collect::<Vec<_>>().join(","), "<none>")
}

pub(super) fn node_address(node: &Value, kind: &str) -> Value {
    let found = items(node, "/status/addresses").find(|address| address["type"] == kind);
    or_none(found.map(|address| said(address, "/address").to_owned()).unwrap_or_default(), "<none>")
}

pub(super) fn phase_of_volume(object: &Value) -> Value {
    let phase = said(object, "/status/phase");
    if object["metadata"].get("deletionTimestamp").is_some() { "Terminating".into() } else { phase.into() }
}

pub(super) fn capacity_of_claim(claim: &Value) -> Value {
    if said(claim, "/spec/volumeName").is_empty() { "".into() } else { said(claim, "/status/capacity/storage").into() }
}

pub(super) fn access_modes_of_claim(claim: &Value) -> Value {
    if said(claim, "/spec/volumeName").is_empty() { "".into() } else { modes(claim, "/status/accessModes") }
}

pub(super) fn access_modes(volume: &Value) -> Value {
    modes(volume, "/spec/accessModes")
}

fn modes(object: &Value, pointer: &str) -> Value {
    let short = |mode: &Value| match mode.as_str().unwrap_or_default() {
        "ReadWriteOnce" => "RWO".to_owned(),
        "ReadOnlyMany" => "ROX".to_owned(),
        "ReadWriteMany" => "RWX".to_owned(),
        "ReadWriteOncePod" => "RWOP".to_owned(),
        other => other.to_owned(),
    };
    joined(items(object, pointer).map(short))
}

pub(super) fn claim(volume: &Value) -> Value {
    match volume.pointer("/spec/claimRef") {
        Some(claim) => format!("{}/{}", said(claim, "/namespace"), said(claim, "/name")).into(),
        None => "".into(),
    }
}

pub(super) fn quota(quota: &Value, limits: bool) -> Value {
    let used = |name: &str| quota.pointer("/status/used").and_then(|used| used.get(name)).map_or("0".to_owned(), text);
    let hard = quota.pointer("/status/hard").and_then(Value::as_object);
    let chosen = hard.into_iter().flatten().filter(|(name, _)| name.starts_with("limits.") == limits);
    let texts: Vec<String> = chosen.map(|(name, most)| format!("{name}: {}/{}", used(name), text(most))).collect();
    texts.join(", ").into()
}

pub(super) fn external_address(service: &Value) -> Value {
    let given: Vec<String> = items(service, "/spec/externalIPs").map(text).collect();
    let balanced = load_balancer(service);
    match said(service, "/spec/type") {
        "ExternalName" => said(service, "/spec/externalName").into(),
        "LoadBalancer" => {
            let all: Vec<String> =
                balanced.as_str().filter(|it| !it.is_empty()).map(str::to_owned).into_iter().chain(given).collect();
            or_none(all.join(","), "<pending>")
        }
        _ => or_none(given.join(","), "<none>"),
    }
}

/// Where a load balancer is reached.
pub(super) fn load_balancer(object: &Value) -> Value {
    joined(items(object, "/status/loadBalancer/ingress").map(|place| {
        let address = said(place, "/ip");
        if address.is_empty() { said(place, "/hostname") } else { address }.to_owned()
    }))
}

pub(super) fn service_ports(service: &Value) -> Value {
    let one = |port: &Value| match number(port, "/nodePort") {
        0 => format!("{}/{}", number(port, "/port"), said(port, "/protocol")),
        node => format!("{}:{node}/{}", number(port, "/port"), said(port, "/protocol")),
    };
    or_none(items(service, "/spec/ports").map(one).collect::<Vec<_>>().join(","), "<none>")
}

/// The first few of many.
fn shortened(all: &[String], shown: usize) -> Value {
    match all.len().checked_sub(shown) {
        _ if all.is_empty() => "<none>".into(),
        Some(more) if more > 0 => format!("{} + {more} more...", all[..shown].join(",")).into(),
        _ => all.join(",").into(),
    }
}

pub(super) fn endpoints(object: &Value) -> Value {
    let mut all = Vec::new();
    for subset in items(object, "/subsets") {
        let ports: Vec<i64> = items(subset, "/ports").map(|port| number(port, "/port")).collect();
        for address in items(subset, "/addresses") {
            let ip = said(address, "/ip");
            if ports.is_empty() {
                all.push(ip.to_owned());
            }
            all.extend(ports.iter().map(|port| format!("{ip}:{port}")));
        }
    }
    shortened(&all, 3)
}

pub(super) fn slice_ports(slice: &Value) -> Value {
    let all: Vec<String> = items(slice, "/ports").map(|port| port.get("port").map_or("*".to_owned(), text)).collect();
    if all.is_empty() { "<unset>".into() } else { shortened(&all, 3) }
}

pub(super) fn slice_endpoints(slice: &Value) -> Value {
    let all: Vec<String> =
        items(slice, "/endpoints").flat_map(|endpoint| items(endpoint, "/addresses")).map(text).collect();
    if all.is_empty() { "<unset>".into() } else { shortened(&all, 3) }
}

pub(super) fn class_parameters(class: &Value) -> Value {
    match class.pointer("/spec/parameters") {
        Some(parameters) => {
            let group = said(parameters, "/apiGroup");
            let kind = said(parameters, "/kind");
            let kind = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
            format!("{kind}/{}", said(parameters, "/name")).into()
        }
        None => "<none>".into(),
    }
}

pub(super) fn hosts(ingress: &Value) -> Value {
    let all: Vec<String> =
        items(ingress, "/spec/rules").map(|rule| said(rule, "/host").to_owned()).filter(|it| !it.is_empty()).collect();
    if all.is_empty() { "*".into() } else { shortened(&all, 3) }
}

pub(super) fn ingress_ports(ingress: &Value) -> Value {
    if items(ingress, "/spec/tls").next().is_some() { "80, 443" } else { "80" }.into()
}

pub(super) fn role(binding: &Value) -> Value {
    format!("{}/{}", said(binding, "/roleRef/kind"), said(binding, "/roleRef/name")).into()
}

pub(super) fn subjects(binding: &Value, kind: &str) -> Value {
    let of_kind = items(binding, "/subjects").filter(|subject| subject["kind"] == kind);
    let texts: Vec<String> = of_kind
        .map(|subject| match said(subject, "/namespace") {
            "" => said(subject, "/name").to_owned(),
            namespace => format!("{namespace}/{}", said(subject, "/name")),
        })
        .collect();
    texts.join(", ").into()
}

pub(super) fn controller(object: &Value) -> Value {
    let owner = items(object, "/metadata/ownerReferences").find(|owner| owner["controller"] == true);
    owner.map_or_else(
        || "<none>".into(),
        |owner| {
            let group =
                said(owner, "/apiVersion").split_once('/').map(|(group, _)| format!(".{group}")).unwrap_or_default();
            format!("{}{group}/{}", said(owner, "/kind").to_lowercase(), said(owner, "/name")).into()
        },
    )
}

pub(super) fn is_suspended(job: &Value) -> Value {
    if job.pointer("/spec/suspend") == Some(&json!(true)) { "True" } else { "False" }.into()
}

pub(super) fn last_schedule(job: &Value, now: i64) -> Value {
    match job.pointer("/status/lastScheduleTime") {
        Some(time) if !time.is_null() => age::since(time, now).into(),
        _ => "<none>".into(),
    }
}

pub(super) fn job_status(job: &Value) -> Value {
    let has = |kind: &str| items(job, "/status/conditions").any(|it| it["type"] == kind && it["status"] == "True");
    let known = [
        ("Complete", "Complete"),
        ("Failed", "Failed"),
        ("Suspended", "Suspended"),
        ("FailureTarget", "FailureTarget"),
        ("SuccessCriteriaMet", "SuccessCriteriaMet"),
    ];
    if let Some((_, words)) = known.iter().find(|(kind, _)| has(kind)) {
        return (*words).into();
    }
    if job["metadata"].get("deletionTimestamp").is_some() { "Terminating" } else { "Running" }.into()
}

pub(super) fn completions(job: &Value) -> Value {
    let done = number(job, "/status/succeeded");
    match (job.pointer("/spec/completions").and_then(Value::as_i64), number(job, "/spec/parallelism")) {
        (Some(all), _) => format!("{done}/{all}").into(),
        (None, parallel) if parallel > 1 => format!("{done}/1 of {parallel}").into(),
        (None, _) => format!("{done}/1").into(),
    }
}

pub(super) fn duration(job: &Value, now: i64) -> Value {
    let second = |pointer: &str| said(job, pointer).parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second);
    match (second("/status/startTime"), second("/status/completionTime")) {
        (None, _) => "".into(),
        (Some(start), end) => age::in_words(end.unwrap_or(now) - start).into(),
    }
}

pub(super) fn scale_target(autoscaler: &Value) -> Value {
    let target = "/spec/scaleTargetRef";
    format!("{}/{}", said(autoscaler, &format!("{target}/kind")), said(autoscaler, &format!("{target}/name"))).into()
}

pub(super) fn least_pods(autoscaler: &Value) -> Value {
    number_or(autoscaler.pointer("/spec/minReplicas").unwrap_or(&Value::Null), "<unset>")
}

pub(super) fn metrics(autoscaler: &Value) -> Value {
    let current: Vec<&Value> = items(autoscaler, "/status/currentMetrics").collect();
    let amount = |target: &Value| match target.get("averageUtilization") {
        Some(percent) => format!("{}%", text(percent)),
        None => target.get("averageValue").or_else(|| target.get("value")).map_or("<auto>".to_owned(), text),
    };
    let one = |(at, metric): (usize, &Value)| {
        let source = metric.as_object().map(Map::values).into_iter().flatten().find(|value| value.is_object());
        let name = source.map(|source| said(source, "/name").to_owned()).unwrap_or_default();
        let target = source.map_or("<auto>".to_owned(), |source| amount(&source["target"]));
        let now = current.get(at).and_then(|metric| metric.as_object()?.values().find(|value| value.is_object()));
        let now = now.map_or("<unknown>".to_owned(), |now| amount(&now["current"]));
        format!("{name}: {now}/{target}")
    };
    let texts: Vec<String> = items(autoscaler, "/spec/metrics").enumerate().map(one).collect();
    or_none(texts.join(", "), "<none>")
}

/// Events are written in two ways, and read in either.
fn event<'a>(event: &'a Value, core: &str, new: &str) -> &'a Value {
    event.get(core).or_else(|| event.get(new)).unwrap_or(&Value::Null)
}

pub(super) fn event_object(it: &Value) -> Value {
    let about = event(it, "involvedObject", "regarding");
    let kind = said(about, "/kind").to_lowercase();
    let name = said(about, "/name");
    if name.is_empty() { kind.into() } else { format!("{kind}/{name}").into() }
}

pub(super) fn event_part(it: &Value) -> Value {
    said(event(it, "involvedObject", "regarding"), "/fieldPath").into()
}

pub(super) fn event_source(it: &Value) -> Value {
    let source = event(it, "source", "deprecatedSource");
    let (component, host) = (said(source, "/component"), said(source, "/host"));
    let component = if component.is_empty() {
        text(event(it, "reportingComponent", "reportingController"))
    } else {
        component.to_owned()
    };
    let component = if component == "null" { String::new() } else { component };
    if host.is_empty() { component.into() } else { format!("{component}, {host}").into() }
}

pub(super) fn event_message(it: &Value) -> Value {
    event(it, "message", "note").as_str().unwrap_or_default().trim().into()
}

pub(super) fn event_count(it: &Value) -> Value {
    let count = event(it, "count", "deprecatedCount").as_i64().unwrap_or_default();
    let series = number(it, "/series/count");
    count.max(series).max(1).into()
}

pub(super) fn event_first_seen(it: &Value, now: i64) -> Value {
    let first = event(it, "firstTimestamp", "deprecatedFirstTimestamp");
    age::since(if first.is_null() { &it["eventTime"] } else { first }, now).into()
}

pub(super) fn event_last_seen(it: &Value, now: i64) -> Value {
    let last = event(it, "lastTimestamp", "deprecatedLastTimestamp");
    let series = it.pointer("/series/lastObservedTime").unwrap_or(&Value::Null);
    match (series.is_null(), last.is_null()) {
        (false, _) => age::since(series, now).into(),
        (true, false) => age::since(last, now).into(),
        (true, true) => event_first_seen(it, now),
    }
}
