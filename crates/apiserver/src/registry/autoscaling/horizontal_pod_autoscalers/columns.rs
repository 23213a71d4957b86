//! What `kubectl get` prints of a HorizontalPodAutoscaler.

use serde_json::{Map, Value};

use crate::response::table::cells::{items, number_or, or_none, said, text};
use crate::response::table::columns::Column;

pub(super) fn all() -> Vec<Column> {
    vec![
        Column::name(),
        Column::computed("Reference", scale_target),
        Column::computed("Targets", metrics),
        Column::computed("MinPods", least_pods),
        Column::number("MaxPods", ".spec.maxReplicas").typed("string"),
        Column::number("Replicas", ".status.currentReplicas").typed("string"),
        Column::age(),
    ]
}

fn scale_target(autoscaler: &Value) -> Value {
    let target = "/spec/scaleTargetRef";
    format!("{}/{}", said(autoscaler, &format!("{target}/kind")), said(autoscaler, &format!("{target}/name"))).into()
}

fn least_pods(autoscaler: &Value) -> Value {
    number_or(autoscaler.pointer("/spec/minReplicas").unwrap_or(&Value::Null), "<unset>")
}

fn metrics(autoscaler: &Value) -> Value {
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
