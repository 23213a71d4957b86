//! Requests that no sensible client sends, and some that one does.
//!
//! In: randomness. Out: a request. Half of its parts are as they should be, so that each check behind another is reached.

use std::fmt;

use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};

/// A request, kept in its parts so that it can be printed.
pub(super) struct OddRequest {
    method: String,
    path: String,
    accept: Option<String>,
    content_type: Option<String>,
    body: Vec<u8>,
}

/// What exists before the first request: path of the collection, and object.
pub(super) fn fixtures() -> Vec<(&'static str, Value)> {
    let labels = json!({"app": "odd"});
    let pod = json!({"containers": [{"name": "c", "image": "i"}]});
    vec![
        ("/api/v1/namespaces", json!({"metadata": {"name": "odd"}})),
        ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition()),
        ("/api/v1/namespaces/odd/serviceaccounts", json!({"metadata": {"name": "default"}})),
        ("/api/v1/namespaces/odd/configmaps", json!({"metadata": {"name": "a"}, "data": {"k": "v"}})),
        ("/api/v1/namespaces/odd/secrets", json!({"metadata": {"name": "a"}})),
        ("/api/v1/namespaces/odd/pods", json!({"metadata": {"name": "a", "labels": labels}, "spec": pod})),
        ("/api/v1/nodes", json!({"metadata": {"name": "a"}})),
        (
            "/apis/apps/v1/namespaces/odd/deployments",
            json!({"metadata": {"name": "a"}, "spec": {
                "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod},
            }}),
        ),
        (
            "/apis/example.com/v1/namespaces/odd/widgets",
            json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1}}),
        ),
    ]
}

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 10}}},
                    "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                }}},
            }],
        },
    })
}

impl OddRequest {
    /// A plain create.
    pub(super) fn create(path: &str, body: &Value) -> OddRequest {
        OddRequest {
            method: "POST".to_owned(),
            path: path.to_owned(),
            accept: Some(JSON.to_owned()),
            content_type: Some(JSON.to_owned()),
            body: body.to_string().into_bytes(),
        }
    }

    /// The next request.
    pub(super) fn new(random: &mut fastrand::Rng) -> OddRequest {
        let method = pick(random, METHODS).to_owned();
        let (path, kind) = path(random);
        let query = query(random, &method);
        let content_type = match (method.as_str(), random.u8(..4)) {
            (_, 0) => some(random, MEDIA_TYPES),
            ("PATCH", _) => Some(pick(random, PATCH_TYPES).to_owned()),
            _ => Some(JSON.to_owned()),
        };
        let accept = if random.bool() { Some(JSON.to_owned()) } else { some(random, ACCEPTS) };
        let body = body(random, &method, kind);
        OddRequest { method, path: format!("{path}{query}"), accept, content_type, body }
    }

    pub(super) fn http(&self) -> http::Result<Request<Vec<u8>>> {
        let mut request = Request::builder().method(self.method.as_str()).uri(&self.path);
        if let Some(accept) = &self.accept {
            request = request.header(ACCEPT, accept);
        }
        if let Some(content_type) = &self.content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        request.body(self.body.clone())
    }
}

impl fmt::Display for OddRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let body: String = String::from_utf8_lossy(&self.body).chars().take(90).collect();
        let (accept, content_type) = (header(&self.accept), header(&self.content_type));
        write!(f, "{} {} accept={accept} content-type={content_type} body={body:?}", self.method, self.path)
    }
}

/// A kind that the paths are about: group-version, plural, kind, whether it is namespaced.
type Row = (&'static str, &'static str, &'static str, bool);

const ROWS: &[Row] = &[
    ("api/v1", "configmaps", "ConfigMap", true),
    ("api/v1", "pods", "Pod", true),
    ("api/v1", "secrets", "Secret", true),
    ("api/v1", "nodes", "Node", false),
    ("api/v1", "namespaces", "Namespace", false),
    ("apis/apps/v1", "deployments", "Deployment", true),
    ("apis/rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", false),
    ("apis/authorization.k8s.io/v1", "subjectaccessreviews", "SubjectAccessReview", false),
    ("apis/apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", false),
    ("apis/example.com/v1", "widgets", "Widget", true),
];

fn path(random: &mut fastrand::Rng) -> (String, Row) {
    let row = ROWS[random.usize(..ROWS.len())];
    if random.u8(..8) == 0 {
        return (pick(random, OTHER_PATHS).to_owned(), row);
    }
    let (group_version, plural, _, namespaced) = row;
    let group_version = if random.u8(..12) == 0 { pick(random, GROUP_VERSIONS) } else { group_version };
    let plural = if random.u8(..12) == 0 { pick(random, PLURALS) } else { plural };
    let mut path = format!("/{group_version}");
    if random.u8(..20) == 0 {
        path.push_str("/watch");
    }
    if namespaced != (random.u8(..10) == 0) {
        path.push_str(&format!("/namespaces/{}", pick(random, NAMESPACES)));
    }
    path.push_str(&format!("/{plural}"));
    if random.u8(..3) > 0 {
        path.push_str(&format!("/{}", pick(random, NAMES)));
        if random.u8(..4) == 0 {
            path.push_str(&format!("/{}", pick(random, SUBRESOURCES)));
        }
    }
    match random.u8(..30) {
        0 => path.push('/'),
        1 => path = path.replacen('/', "//", 2),
        2 => path.push_str("/more/than/that"),
        3 => path = path.replace("/a", "/%61"),
        _ => {}
    }
    (path, row)
}

fn query(random: &mut fastrand::Rng, method: &str) -> String {
    let mut parameters = Vec::new();
    for _ in 0..random.usize(..3) {
        let (name, values) = PARAMETERS[random.usize(..PARAMETERS.len())];
        parameters.push(format!("{name}={}", pick(random, values)));
    }
    if parameters.iter().any(|parameter| parameter.starts_with("watch=")) || method == "GET" && random.u8(..15) == 0 {
        parameters.push("timeoutSeconds=1".to_owned());
    }
    if parameters.is_empty() { String::new() } else { format!("?{}", parameters.join("&")) }
}

fn body(random: &mut fastrand::Rng, method: &str, (group_version, _, kind, _): Row) -> Vec<u8> {
    if matches!(method, "GET" | "HEAD" | "OPTIONS") && random.u8(..10) > 0 {
        return Vec::new();
    }
    if random.u8(..3) == 0 {
        return match random.u8(..8) {
            0 => vec![b' '; 200_000],
            _ => pick(random, BODIES).as_bytes().to_vec(),
        };
    }
    let api_version = group_version.trim_start_matches("apis/").trim_start_matches("api/");
    let name = pick(random, NAMES);
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
    match random.u8(..12) {
        0 => object["kind"] = "Other".into(),
        1 => object["apiVersion"] = "other/v1".into(),
        2 => object["metadata"] = json!({"name": "another"}),
        3 => object["metadata"]["namespace"] = "elsewhere".into(),
        4 => object["metadata"]["resourceVersion"] = "1".into(),
        5 => object["metadata"] = json!({"generateName": "a-"}),
        6 => object["metadata"]["labels"] = json!({"a b": "c"}),
        7 => object["unknown"] = 1.into(),
        8 => object["metadata"]["uid"] = "no-such-uid".into(),
        _ => {}
    }
    match method {
        "PATCH" if random.bool() => br#"[{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]"#.to_vec(),
        "DELETE" if random.bool() => br#"{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}"#.to_vec(),
        _ => object.to_string().into_bytes(),
    }
}

fn pick<'a>(random: &mut fastrand::Rng, all: &[&'a str]) -> &'a str {
    all[random.usize(..all.len())]
}

/// One of them, or none.
fn some(random: &mut fastrand::Rng, all: &[&str]) -> Option<String> {
    (random.u8(..6) > 0).then(|| pick(random, all).to_owned())
}

const JSON: &str = "application/json";

const METHODS: &[&str] = &[
    "GET", "GET", "GET", "GET", "GET", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "DELETE", "DELETE", "HEAD",
    "OPTIONS", "TRACE", "ODD",
];

const GROUP_VERSIONS: &[&str] = &[
    "api",
    "apis",
    "api/v2",
    "api/v1beta1",
    "apis/apps",
    "apis/apps/v9",
    "apis/nowhere/v1",
    "apis/example.com/v2",
    "apis/example.com",
];

const PLURALS: &[&str] =
    &["nothings", "Pods", "pod", "widget", "bindings", "componentstatuses", "events", "a.b", "-", "%20"];

const NAMESPACES: &[&str] = &[
    "odd", "odd", "odd", "odd", "odd", "odd", "odd", "odd", "odd", "missing", "missing", "Upper", "Upper", "a..b",
    "%2e%2e",
];

const NAMES: &[&str] = &["a", "a", "a", "missing", "Upper_Case", "a.b", "..", "%2F", "x%20y", "*"];

const SUBRESOURCES: &[&str] = &[
    "status",
    "scale",
    "log",
    "exec",
    "eviction",
    "binding",
    "token",
    "finalize",
    "proxy",
    "proxy/x/y",
    "approval",
    "nothing",
];

const OTHER_PATHS: &[&str] = &[
    "/",
    "/api",
    "/api/",
    "/apis",
    "/apis/",
    "/api/v1",
    "/api/v1/",
    "/apis/apps",
    "/apis/apps/v1",
    "/apis/nowhere",
    "/apis/example.com",
    "/apis/example.com/v1",
    "/version",
    "/version/",
    "/healthz",
    "/healthz/ping",
    "/healthz/nothing",
    "/livez",
    "/readyz",
    "/readyz/ping",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/api/v1",
    "/openapi/v3/nothing",
    "/nothing",
    "/api/v1/namespaces/odd",
    "/api/v1/namespaces//pods",
    "//api/v1/pods",
    "/api//v1/pods",
    "/api/v1/pods//a",
    "/apis//v1",
    "/api/v1/namespaces/odd/pods/",
    "/.well-known/openid-configuration",
    "/openid/v1/jwks",
    "/swagger.json",
    "/api/v1/watch",
];

const PARAMETERS: &[(&str, &[&str])] = &[
    ("limit", &["1", "0", "-1", "many", "99999999999999999999"]),
    ("continue", &["", "nonsense", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0"]),
    ("resourceVersion", &["", "0", "1", "latest", "-1"]),
    ("resourceVersionMatch", &["", "Exact", "NotOlderThan", "Nearly"]),
    ("timeoutSeconds", &["1", "x"]),
    ("timeout", &["1s", "x", "0", "-1s", "32s"]),
    ("watch", &["true", "1", "false", "maybe", ""]),
    ("allowWatchBookmarks", &["true", "maybe"]),
    ("sendInitialEvents", &["true", "maybe"]),
    ("labelSelector", &["app=odd", "a%20in%20(b", "!", "a==b,c!=d", "=", "x%20y"]),
    ("fieldSelector", &["metadata.name=a", "spec.nothing=x", "metadata.name", "a=b=c", "status.phase!=Running"]),
    ("dryRun", &["All", "Some", "", "All&dryRun=All"]),
    ("fieldManager", &["odd", "", "%07"]),
    ("force", &["true", "maybe"]),
    ("fieldValidation", &["Strict", "Warn", "Ignore", "Maybe"]),
    ("pretty", &["true", "maybe"]),
    ("gracePeriodSeconds", &["0", "-5", "soon"]),
    ("propagationPolicy", &["Foreground", "Orphan", "Sideways"]),
    ("orphanDependents", &["true", "maybe"]),
    ("nothing", &["x"]),
];

const ACCEPTS: &[&str] = &[
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "*/*",
    "application/*",
    "text/html",
    "text/plain",
    "",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;as=Nothing;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf,application/json",
    "text/html,application/yaml;q=0.5",
    "nonsense",
    "application/json;q=0",
    "application/json;stream=watch",
];

const MEDIA_TYPES: &[&str] = &[
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
    "application/json;charset=utf-8",
    "nonsense",
    "",
    "application/x-www-form-urlencoded",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
];

const PATCH_TYPES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

const BODIES: &[&str] = &[
    "",
    "{",
    "null",
    "[]",
    "[{}]",
    "1",
    "\"text\"",
    "{}",
    "kind: Nothing\n",
    "\u{0}",
    "{\"kind\":1}",
    "{\"metadata\":[]}",
];
