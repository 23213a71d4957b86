//! Autoscalers: `autoscaling/v1` has a field for the share of the processor alone. Its other metrics, its behavior, its
//! conditions and what was measured stand in annotations there, as JSON of types of their own.
//!
//! Kubernetes prints those types in the order of their fields, so this does, too.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::catalog::kinds::{self, Kind};
use crate::codec::go_json::{self, fields, list, text};
use crate::codec::object::Object;
use crate::codec::typed;

/// Makes an autoscaler one of `autoscaling/v1`.
pub(super) fn to_v1(object: &mut Object) {
    drop_notes(object);
    object.change(|value| {
        let metrics = taken(value, "/spec", "metrics");
        let behavior = taken(value, "/spec", "behavior");
        let current = taken(value, "/status", "currentMetrics");
        let conditions = taken(value, "/status", "conditions");
        if let Some(share) = metrics.as_array().into_iter().flatten().find_map(|metric| share(metric, "target")) {
            put(value, "/spec/targetCPUUtilizationPercentage", share.clone());
        }
        if let Some(share) = current.as_array().into_iter().flatten().filter_map(|it| share(it, "current")).next_back()
        {
            put(value, "/status/currentCPUUtilizationPercentage", share.clone());
        }
        let others: Vec<&Value> = items(&metrics).filter(|metric| share(metric, "target").is_none()).collect();
        note(value, METRICS, !others.is_empty(), || list(others.iter().map(|metric| metric_text(metric, SPECS))));
        let is_measured = items(&current).next().is_some();
        note(value, CURRENT_METRICS, is_measured, || list(items(&current).map(|it| metric_text(it, STATUSES))));
        note(value, BEHAVIOR, behavior.is_object(), || behavior_text(&behavior));
        let has_conditions = items(&conditions).next().is_some();
        note(value, CONDITIONS, has_conditions, || list(items(&conditions).map(condition_text)));
    });
}

/// Makes an autoscaler one of `autoscaling/v2`.
pub(super) fn to_v2(object: &mut Object) {
    let noted = |name: &str| -> Option<Value> {
        let text = object.metadata().get("annotations")?.get(name)?.as_str()?;
        serde_json::from_str(text).ok()
    };
    let read_all = |name: &str, sources: Sources, of: &str| -> Option<Vec<Value>> {
        let metrics = noted(name)?;
        metrics.as_array()?.iter().map(|metric| read(of, metric_of(metric, sources))).collect()
    };
    let others = read_all(METRICS, SPECS, "/spec/metrics");
    let current = read_all(CURRENT_METRICS, STATUSES, "/status/currentMetrics");
    let behavior = noted(BEHAVIOR).and_then(|behavior| read("/spec/behavior", uncapitalized(behavior)));
    let behavior = behavior.and_then(|behavior| behavior.as_object().cloned());
    let conditions = noted(CONDITIONS).and_then(|conditions| {
        let read = |condition: &Value| read("/status/conditions", condition.clone());
        conditions.as_array()?.iter().map(read).collect::<Option<Vec<Value>>>()
    });
    drop_notes(object);
    object.change(|value| {
        let cpu =
            |part: &str, current: Value| json!([{"type": "Resource", "resource": {"name": "cpu", part: current}}]);
        let share = taken(value, "/spec", "targetCPUUtilizationPercentage");
        let mut metrics = others.unwrap_or_default();
        if !share.is_null() || metrics.is_empty() {
            // Kubernetes' default.
            let share = if share.is_null() { 80.into() } else { share };
            let target = json!({"type": "Utilization", "averageUtilization": share});
            metrics.extend(items(&cpu("target", target)).cloned());
        }
        put(value, "/spec/metrics", metrics.into());
        let share = taken(value, "/status", "currentCPUUtilizationPercentage");
        let measured = (!share.is_null()).then(|| cpu("current", json!({"averageUtilization": share})));
        let measured = current.map(Value::from).or(measured);
        measured.into_iter().for_each(|measured| put(value, "/status/currentMetrics", measured));
        conditions.into_iter().for_each(|conditions| put(value, "/status/conditions", conditions.into()));
        put_behavior(value, behavior.unwrap_or_default());
    });
}

/// Sets how fast to go up and down, which is as usual in a direction that nothing is said of.
fn put_behavior(value: &mut Value, behavior: Map<String, Value>) {
    if behavior.is_empty() {
        return;
    }
    put(value, "/spec/behavior", Value::Object(behavior.clone()));
    newer().iter().for_each(|kind| typed::fill_value(kind, value));
    behavior.into_iter().for_each(|(direction, rules)| value["spec"]["behavior"][direction] = rules);
}

/// Takes away the annotations that stand for fields.
pub(super) fn drop_notes(object: &mut Object) {
    let Some(annotations) = object.metadata_mut().get_mut("annotations").and_then(Value::as_object_mut) else { return };
    annotations.retain(|name, _| !NOTES.iter().any(|note| name.strip_prefix(PREFIX) == Some(note)));
    if annotations.is_empty() {
        object.put_meta("annotations", None);
    }
}

/// The share of the processor that a metric is about, if it is.
fn share<'a>(metric: &'a Value, part: &str) -> Option<&'a Value> {
    let resource =
        metric.get("resource").filter(|resource| metric["type"] == "Resource" && resource["name"] == "cpu")?;
    resource.get(part)?.get("averageUtilization").filter(|share| !share.is_null())
}

/// A metric as the older version writes it.
fn metric_text(metric: &Value, sources: Sources) -> String {
    let source = |(name, parts): &(&'static str, Parts)| {
        let source = metric.get(*name).filter(|source| source.is_object())?;
        let parts = parts.iter().map(|(older, pointer, is_always)| {
            let found = source.pointer(pointer).filter(|found| !found.is_null());
            let printed = found.map(|found| match *older {
                "selector" | "metricSelector" => fields(found, &["matchLabels", "matchExpressions"]),
                "target" => fields(found, &["kind", "name", "apiVersion"]),
                _ => text(found),
            });
            (*older, printed.or_else(|| is_always.then(|| "\"0\"".to_owned())))
        });
        Some((*name, Some(go_json::object(parts))))
    };
    let kind = [("type", Some(text(&metric["type"])))];
    go_json::object(kind.into_iter().chain(sources.iter().filter_map(source)))
}

/// A metric that the older version wrote.
fn metric_of(metric: &Value, sources: Sources) -> Value {
    let mut newer = json!({"type": metric["type"]});
    for (name, parts) in sources {
        let Some(source) = metric.get(*name).filter(|source| source.is_object()) else { continue };
        let mut found = json!({});
        for (older, pointer, is_always) in *parts {
            let value = source.get(*older).filter(|value| !value.is_null()).cloned();
            if let Some(value) = value.or_else(|| is_always.then(|| "0".into())) {
                put(&mut found, pointer, value);
            }
        }
        if found.get("target").is_some() {
            let kind = target_kind(name, &mut found["target"]);
            found["target"]["type"] = kind.into();
        }
        newer[*name] = found;
    }
    newer
}

/// What a target is measured by, which the older version does not say.
fn target_kind(source: &str, target: &mut Value) -> &'static str {
    let has = |field: &str| target.get(field).is_some();
    match source {
        "object" if has("averageValue") => {
            // A field that the older version cannot leave out.
            if target["value"] == "0" {
                target.as_object_mut().into_iter().for_each(|fields| drop(fields.remove("value")));
            }
            "AverageValue"
        }
        "object" => "Value",
        "external" if has("value") => "Value",
        "resource" | "containerResource" if has("averageUtilization") => "Utilization",
        _ => "AverageValue",
    }
}

/// How many replicas may come or go at once: a type that Kubernetes prints under the names of its Go fields.
fn behavior_text(behavior: &Value) -> String {
    let or_null = |value: Option<String>| Some(value.unwrap_or_else(|| "null".to_owned()));
    let rules = |direction: &str| {
        let rules = behavior.get(direction).filter(|rules| rules.is_object())?;
        let field = |name: &str| or_null(rules.get(name).map(text));
        let policy = |policy: &Value| {
            let field = |name: &str| Some(text(&policy[name]));
            go_json::object([
                ("Type", field("type")),
                ("Value", field("value")),
                ("PeriodSeconds", field("periodSeconds")),
            ])
        };
        let policies = rules.get("policies").and_then(Value::as_array);
        Some(go_json::object([
            ("StabilizationWindowSeconds", field("stabilizationWindowSeconds")),
            ("SelectPolicy", field("selectPolicy")),
            ("Policies", or_null(policies.map(|policies| list(policies.iter().map(policy))))),
            ("Tolerance", field("tolerance")),
        ]))
    };
    go_json::object([("ScaleUp", or_null(rules("scaleUp"))), ("ScaleDown", or_null(rules("scaleDown")))])
}

fn condition_text(condition: &Value) -> String {
    let field = |name: &'static str| (name, condition.get(name).filter(|value| *value != "").map(text));
    let since = ("lastTransitionTime", Some(text(&condition["lastTransitionTime"])));
    go_json::object([field("type"), field("status"), since, field("reason"), field("message")])
}

/// Names as JSON has them, where Go's own were printed; nothing is said of what is null.
fn uncapitalized(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let small = |name: String| {
                name.chars().take(1).map(|it| it.to_ascii_lowercase()).chain(name.chars().skip(1)).collect()
            };
            let said = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(said.map(|(name, value)| (small(name), uncapitalized(value))).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.into_iter().map(uncapitalized).collect(),
        other => other,
    }
}

/// A value read as the type that `autoscaling/v2` has there; none if it is of another.
fn read(pointer: &str, value: Value) -> Option<Value> {
    let kind = newer()?;
    let mut of_field = typed::of_kind(&kind)?;
    for name in pointer.split('/').skip(1) {
        of_field = of_field.field(name)?.kind();
    }
    typed::reread(of_field, value).ok().map(|read| read.value)
}

fn newer() -> Option<Arc<Kind>> {
    kinds::built_in("autoscaling", "v2", "horizontalpodautoscalers")
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn taken(value: &mut Value, pointer: &str, field: &str) -> Value {
    let fields = value.pointer_mut(pointer).and_then(Value::as_object_mut);
    fields.and_then(|fields| fields.remove(field)).unwrap_or_default()
}

/// Sets a field, made with all that it stands in.
fn put(value: &mut Value, pointer: &str, field: Value) {
    let mut place = value;
    for name in pointer.split('/').skip(1) {
        if !place[name].is_object() {
            place[name] = json!({});
        }
        place = &mut place[name];
    }
    *place = field;
}

fn note(value: &mut Value, name: &str, is_noted: bool, text: impl FnOnce() -> String) {
    if is_noted {
        if !value["metadata"]["annotations"].is_object() {
            value["metadata"]["annotations"] = json!({});
        }
        value["metadata"]["annotations"][name] = text().into();
    }
}

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";

/// What the annotations begin with that stand for fields, and how they go on.
const PREFIX: &str = "autoscaling.alpha.kubernetes.io/";
const NOTES: &[&str] =
    &["metrics", "current-metrics", "behavior", "conditions", "scale-down-tolerance", "scale-up-tolerance"];

/// By the name of a source its fields in the older version.
type Sources = &'static [(&'static str, Parts)];

/// A field's name, where the newer version has it, and whether it is a quantity that is always written.
type Parts = &'static [(&'static str, &'static str, bool)];

const SPECS: Sources = &[
    (
        "object",
        &[
            ("target", "/describedObject", false),
            ("metricName", "/metric/name", false),
            ("targetValue", "/target/value", true),
            ("selector", "/metric/selector", false),
            ("averageValue", "/target/averageValue", false),
        ],
    ),
    (
        "pods",
        &[
            ("metricName", "/metric/name", false),
            ("targetAverageValue", "/target/averageValue", true),
            ("selector", "/metric/selector", false),
        ],
    ),
    (
        "resource",
        &[
            ("name", "/name", false),
            ("targetAverageUtilization", "/target/averageUtilization", false),
            ("targetAverageValue", "/target/averageValue", false),
        ],
    ),
    (
        "containerResource",
        &[
            ("name", "/name", false),
            ("targetAverageUtilization", "/target/averageUtilization", false),
            ("targetAverageValue", "/target/averageValue", false),
            ("container", "/container", false),
        ],
    ),
    (
        "external",
        &[
            ("metricName", "/metric/name", false),
            ("metricSelector", "/metric/selector", false),
            ("targetValue", "/target/value", false),
            ("targetAverageValue", "/target/averageValue", false),
        ],
    ),
];

const STATUSES: Sources = &[
    (
        "object",
        &[
            ("target", "/describedObject", false),
            ("metricName", "/metric/name", false),
            ("currentValue", "/current/value", true),
            ("selector", "/metric/selector", false),
            ("averageValue", "/current/averageValue", false),
        ],
    ),
    (
        "pods",
        &[
            ("metricName", "/metric/name", false),
            ("currentAverageValue", "/current/averageValue", true),
            ("selector", "/metric/selector", false),
        ],
    ),
    (
        "resource",
        &[
            ("name", "/name", false),
            ("currentAverageUtilization", "/current/averageUtilization", false),
            ("currentAverageValue", "/current/averageValue", true),
        ],
    ),
    (
        "containerResource",
        &[
            ("name", "/name", false),
            ("currentAverageUtilization", "/current/averageUtilization", false),
            ("currentAverageValue", "/current/averageValue", true),
            ("container", "/container", false),
        ],
    ),
    (
        "external",
        &[
            ("metricName", "/metric/name", false),
            ("metricSelector", "/metric/selector", false),
            ("currentValue", "/current/value", true),
            ("currentAverageValue", "/current/averageValue", false),
        ],
    ),
];
