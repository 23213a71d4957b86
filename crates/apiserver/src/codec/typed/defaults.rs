//! What an object means that does not say so: the values Kubernetes fills in when it reads one.
//!
//! In: an object that was read as a type. Out: the same with its defaults, from the root to the leaves. Most of them are
//! one value for one field ([`constants`], and what the schemas state); the rest are [`rules`].

mod constants;
mod image_name;
mod rules;

use pintle_wire::facts::{Holds, Shape, Type};
use serde_json::{Map, Value};

/// Fills in the defaults of an object of a type.
pub(super) fn fill(kind: &'static Type, value: &mut Value) {
    if let (Shape::Struct, Value::Object(fields)) = (kind.shape(), value) {
        fill_fields(kind, kind, fields);
    }
}

/// `kind` may be one that is written inline in another; `outer` is that other.
fn fill_fields(outer: &'static Type, kind: &'static Type, fields: &mut Map<String, Value>) {
    let name = kind.name().strip_prefix("io.k8s.api.").unwrap_or(kind.name());
    for (field, json) in constants::of(name) {
        set_if_absent(fields, field, json);
    }
    if std::ptr::eq(outer, kind) {
        rules::apply(name, fields);
    }
    for field in kind.fields() {
        if field.is_inline() {
            fill_fields(outer, field.kind(), fields);
        } else if let Some(json) = field.default_json() {
            set_if_absent(fields, field.name(), json);
        }
    }
    if std::ptr::eq(outer, kind) {
        fill_below(kind, fields);
    }
}

/// Fills in the values of the fields that are there, which are few beside those that could be.
fn fill_below(kind: &'static Type, fields: &mut Map<String, Value>) {
    for (name, value) in fields.iter_mut() {
        let Some(field) = kind.field(name) else { continue };
        match (field.holds(), value) {
            (Holds::One, value) => fill(field.kind(), value),
            (Holds::List, Value::Array(items)) => items.iter_mut().for_each(|item| fill(field.kind(), item)),
            (Holds::Map, Value::Object(map)) => map.values_mut().for_each(|entry| fill(field.kind(), entry)),
            _ => {}
        }
    }
}

/// Sets a field that is absent, null or an empty text.
fn set_if_absent(fields: &mut Map<String, Value>, field: &str, json: &str) {
    let is_absent = fields.get(field).is_none_or(|value| value.is_null() || value == "");
    if is_absent {
        let value = serde_json::from_str(json).expect("defaults are JSON");
        fields.insert(field.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::facts::kind_of;
    use serde_json::json;

    fn filled(api_version: &str, kind: &str, mut value: Value) -> Value {
        let kind = kind_of(api_version, kind).unwrap();
        fill(kind, &mut value);
        let once = value.clone();
        fill(kind, &mut value);
        assert_eq!(value, once, "filling in twice is filling in once");
        value
    }

    #[test]
    fn every_constant_is_json_of_a_field_that_exists() {
        for (name, defaults) in constants::ALL {
            let kind = pintle_wire::facts::named(&format!("io.k8s.api.{name}")).unwrap_or_else(|| panic!("{name}"));
            for (field, json) in *defaults {
                assert!(kind.field(field).is_some(), "{name}.{field}");
                assert!(serde_json::from_str::<Value>(json).is_ok(), "{name}.{field}: {json}");
            }
        }
    }

    #[test]
    fn a_deployment_rolls_and_its_pods_restart() {
        let template =
            json!({"spec": {"containers": [{"name": "c", "image": "i:1", "ports": [{"containerPort": 80}]}]}});
        let deployment = filled("apps/v1", "Deployment", json!({"spec": {"template": template}}));
        let spec = &deployment["spec"];
        assert_eq!(
            spec["strategy"],
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}})
        );
        assert_eq!((&spec["replicas"], &spec["revisionHistoryLimit"]), (&json!(1), &json!(10)));
        let container = &spec["template"]["spec"]["containers"][0];
        assert_eq!(
            (&container["imagePullPolicy"], &container["ports"][0]["protocol"]),
            (&json!("IfNotPresent"), &json!("TCP"))
        );
        assert!(spec["template"]["spec"].get("enableServiceLinks").is_none(), "only of pods themselves");
        let recreated = filled("apps/v1", "Deployment", json!({"spec": {"strategy": {"type": "Recreate"}}}));
        assert_eq!(recreated["spec"]["strategy"], json!({"type": "Recreate"}));
    }

    #[test]
    fn what_is_said_stays() {
        let said = json!({"spec": {"replicas": 0, "progressDeadlineSeconds": 5}});
        let deployment = filled("apps/v1", "Deployment", said);
        assert_eq!(
            (&deployment["spec"]["replicas"], &deployment["spec"]["progressDeadlineSeconds"]),
            (&json!(0), &json!(5))
        );
    }

    #[test]
    fn services_depend_on_their_type() {
        let service = |spec: Value| filled("v1", "Service", json!({"spec": spec}))["spec"].clone();
        let plain = service(json!({"ports": [{"port": 80}]}));
        assert_eq!(plain["ports"][0], json!({"port": 80, "protocol": "TCP", "targetPort": 80}));
        assert_eq!(plain["internalTrafficPolicy"], "Cluster");
        assert!(plain.get("externalTrafficPolicy").is_none());
        assert_eq!(service(json!({"type": "LoadBalancer"}))["allocateLoadBalancerNodePorts"], true);
        assert!(service(json!({"type": "ExternalName"})).get("internalTrafficPolicy").is_none());
    }

    #[test]
    fn limits_are_requests_where_nothing_else_is_said() {
        let resources = json!({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}});
        let pod = filled("v1", "Pod", json!({"spec": {"containers": [{"name": "c", "resources": resources}]}}));
        assert_eq!(pod["spec"]["containers"][0]["resources"]["requests"], json!({"cpu": "500m", "memory": "1Gi"}));
        assert_eq!(pod["spec"]["enableServiceLinks"], true);
    }
}
