//! What `kubectl get` prints of a Service.

use serde_json::Value;

use crate::response::table::cells::{self, items, load_balancer, number, or_none, said, text};
use crate::response::table::columns::Column;

pub(super) fn all() -> Vec<Column> {
    vec![
        Column::name(),
        Column::text("Type", ".spec.type", ""),
        Column::text("Cluster-IP", ".spec.clusterIP", "<none>"),
        Column::computed("External-IP", external_address),
        Column::computed("Port(s)", ports),
        Column::age(),
        Column::computed("Selector", |service| cells::labels(&service["spec"]["selector"])).wide(),
    ]
}

fn external_address(service: &Value) -> Value {
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

fn ports(service: &Value) -> Value {
    let one = |port: &Value| match number(port, "/nodePort") {
        0 => format!("{}/{}", number(port, "/port"), said(port, "/protocol")),
        node => format!("{}:{node}/{}", number(port, "/port"), said(port, "/protocol")),
    };
    or_none(items(service, "/spec/ports").map(one).collect::<Vec<_>>().join(","), "<none>")
}
