//! Prints the roles and bindings that kube-apiserver begins with: one line each, as the body that the embedded server stores.
//!
//! In: what two real servers answer, one alone and one with the controller of aggregated roles. Both have the features that
//! are on by default, since roles depend on them. Out: the text of the table. What differs each time (uid, version, times)
//! stands between the pieces of text.

use std::process::Command;
use std::time::{Duration, Instant};

use pintle_real::{Options, RealServer};
use serde_json::Value;

use crate::kube::{self, Problem};

/// The text of the table.
pub(super) fn print(version: &str) -> Result<String, Problem> {
    let alone = lists(&RealServer::start("roles-alone", options(false))?)?;
    let aggregated = aggregated(&RealServer::start("roles-aggregated", options(true))?)?;
    let mut text = format!(
        "//! The roles and bindings that kube-apiserver {version} begins with, one per line, in the order in which it\n\
         //! makes them.\n\
         //!\n\
         //! Made by `cargo xtask facts`; do not edit.\n\n\
         use super::Piece::*;\n\
         use super::Row;\n\n\
         /// As a server alone makes them.\n\
         #[rustfmt::skip]\n\
         pub(super) static ROWS: &[Row] = &[\n"
    );
    for (plural, object) in &alone {
        text.push_str(&row(plural, object)?);
    }
    text.push_str("];\n\n/// Those of them that gather other roles, once they have.\n#[rustfmt::skip]\npub(super) static AGGREGATED: &[Row] = &[\n");
    for object in &aggregated {
        text.push_str(&row("clusterroles", object)?);
    }
    text.push_str("];\n");
    Ok(text)
}

fn options(controllers: bool) -> Options {
    Options { controllers, ..Options::default() }
}

/// Every role and binding, with the plural of its resource.
fn lists(server: &RealServer) -> Result<Vec<(&'static str, Value)>, Problem> {
    let mut all = Vec::new();
    for plural in ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] {
        let mut objects = list(server, plural)?;
        // It makes those of the cluster in an order of its own, and those of namespaces in any.
        if plural.starts_with("cluster") {
            objects.sort_by_key(version);
        }
        all.extend(objects.into_iter().map(|object| (plural, object)));
    }
    Ok(all)
}

/// The cluster roles that gather others, once each has gathered some.
fn aggregated(server: &RealServer) -> Result<Vec<Value>, Problem> {
    let begun = Instant::now();
    let mut last = Vec::new();
    while begun.elapsed() < AGGREGATION_MAX {
        let mut roles = list(server, "clusterroles")?;
        roles.retain(|role| !role["aggregationRule"].is_null());
        // One gathers another that gathers, so it is done only when it stays the same.
        if roles == last && roles.iter().all(|role| !role["rules"].is_null()) {
            roles.sort_by_key(version);
            return Ok(roles);
        }
        last = roles;
        std::thread::sleep(Duration::from_secs(2));
    }
    Err("the controller of aggregated roles did not fill them".to_owned())
}

/// Its number orders it among the others.
fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().and_then(|version| version.parse().ok()).unwrap_or_default()
}

fn list(server: &RealServer, plural: &str) -> Result<Vec<Value>, Problem> {
    let output = Command::new(kube::folder().join("kubectl"))
        .arg("--kubeconfig")
        .arg(server.kubeconfig())
        .args(["get", "--raw", &format!("/apis/{GROUP}/v1/{plural}")])
        .output()
        .map_err(|error| format!("cannot run kubectl: {error}"))?;
    let unreadable = |error| format!("kubectl get {plural}: {error}: {}", String::from_utf8_lossy(&output.stderr));
    let mut list: Value = serde_json::from_slice(&output.stdout).map_err(unreadable)?;
    let kind = list["kind"].as_str().unwrap_or_default().trim_end_matches("List").to_owned();
    let Value::Array(mut items) = list["items"].take() else {
        return Err(format!("kubectl get {plural} is not a list"));
    };
    for item in &mut items {
        item["kind"] = kind.as_str().into();
        item["apiVersion"] = format!("{GROUP}/v1").into();
    }
    Ok(items)
}

fn row(plural: &str, object: &Value) -> Result<String, Problem> {
    if object.to_string().contains('$') {
        return Err(format!("{} holds a $, which marks what differs", object["metadata"]["name"]));
    }
    let mut object = object.clone();
    let metadata = &mut object["metadata"];
    let text = |metadata: &Value, field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
    let (namespace, name) = (text(metadata, "namespace"), text(metadata, "name"));
    for (field, mark) in [("uid", "$uid"), ("resourceVersion", "$version"), ("creationTimestamp", "$time")] {
        metadata[field] = mark.into();
    }
    for entry in metadata["managedFields"].as_array_mut().into_iter().flatten() {
        entry["time"] = "$time".into();
        // The program that runs it here has another name.
        if entry["manager"] == "kube" {
            entry["manager"] = "kube-apiserver".into();
        }
    }
    let key = if namespace.is_empty() { name } else { format!("{namespace}/{name}") };
    Ok(format!("    Row {{ plural: {plural:?}, key: {key:?}, body: &[{}] }},\n", pieces(&body(&object))))
}

/// The text around the marks, and the marks.
fn pieces(body: &str) -> String {
    let marks = [("$uid", "Uid"), ("$version", "Version"), ("$time", "Time")];
    let mut pieces = Vec::new();
    let mut rest = body;
    while let Some(at) = rest.find('$') {
        pieces.push(format!("Text(r##\"{}\"##)", &rest[..at]));
        let (mark, name) = marks.iter().find(|(mark, _)| rest[at..].starts_with(mark)).expect("a $ begins a mark");
        pieces.push((*name).to_owned());
        rest = &rest[at + mark.len()..];
    }
    pieces.push(format!("Text(r##\"{rest}\"##)"));
    pieces.join(", ")
}

/// In the order in which the embedded server keeps an object: kind, version, metadata, and then the rest.
fn body(object: &Value) -> String {
    let first = ["kind", "apiVersion", "metadata"];
    let rest = object.as_object().into_iter().flatten().map(|(field, _)| field.as_str());
    let fields = first.into_iter().chain(rest.filter(|field| !first.contains(field)));
    let printed: Vec<String> = fields.map(|field| format!("{field:?}:{}", object[field])).collect();
    format!("{{{}}}", printed.join(","))
}

const GROUP: &str = "rbac.authorization.k8s.io";

/// It takes a second or two; a busy machine has needed half a minute.
const AGGREGATION_MAX: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_each_time_is_a_mark() {
        let role = json!({
            "rules": [], "kind": "Role", "apiVersion": "g/v1",
            "metadata": {"name": "a", "namespace": "n", "uid": "1", "resourceVersion": "2", "managedFields": [{"manager": "kube"}]},
        });
        let expected = "    Row { plural: \"roles\", key: \"n/a\", body: &[\
                        Text(r##\"{\"kind\":\"Role\",\"apiVersion\":\"g/v1\",\"metadata\":{\"creationTimestamp\":\"\"##), Time, \
                        Text(r##\"\",\"managedFields\":[{\"manager\":\"kube-apiserver\",\"time\":\"\"##), Time, \
                        Text(r##\"\"}],\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":\"\"##), Version, \
                        Text(r##\"\",\"uid\":\"\"##), Uid, Text(r##\"\"},\"rules\":[]}\"##)] },\n";
        assert_eq!(row("roles", &role).unwrap(), expected);
        assert!(row("roles", &json!({"metadata": {"name": "$"}})).is_err());
    }
}
