//! Paths: of collections, objects and subresources, of what is there and what is not, and of what is not about objects.

use super::pick;
use crate::odd::kinds::{FREQUENT, OTHERS, Row};

/// A path, and the kind that it is about or could have been.
pub(super) fn path(random: &mut fastrand::Rng) -> (String, Row) {
    let rows = if random.u8(..3) == 0 { OTHERS } else { FREQUENT };
    let row = rows[random.usize(..rows.len())];
    if random.u8(..8) == 0 {
        return (pick(random, OTHER_PATHS).to_owned(), row);
    }
    let group_version = if random.u8(..16) == 0 { pick(random, GROUP_VERSIONS) } else { row.group_version };
    let plural = if random.u8(..16) == 0 { pick(random, PLURALS) } else { row.plural };
    let mut path = format!("/{group_version}");
    if random.u8(..20) == 0 {
        path.push_str("/watch");
    }
    if row.is_namespaced != (random.u8(..12) == 0) {
        let namespace = if random.u8(..4) > 0 { "odd" } else { pick(random, NAMESPACES) };
        path.push_str(&format!("/namespaces/{namespace}"));
    }
    path.push_str(&format!("/{plural}"));
    if random.u8(..3) > 0 {
        path.push_str(&format!("/{}", pick(random, NAMES)));
        if random.u8(..4) == 0 {
            path.push_str(&format!("/{}", pick(random, SUBRESOURCES)));
        }
    }
    match random.u8(..40) {
        0 => path.push('/'),
        1 => path = path.replacen('/', "//", 2),
        2 => path.push_str("/more/than/that"),
        3 => path = path.replace("/a", "/%61"),
        4 => path = path.replacen("/a", "/./a", 1),
        5 => path = path.replacen("/namespaces", "/x/../namespaces", 1),
        6 => path.push_str("//"),
        7 => path = path.to_uppercase(),
        8 => path = path.replacen("s/", "s%2F", 1),
        _ => {}
    }
    (path, row)
}

/// Whether what is deleted by this path takes others with it, at a time that depends on controllers. These are deleted
/// for show only, so that both servers stay in the same state.
pub(super) fn holds_the_others(path: &str) -> bool {
    let path = path.to_lowercase();
    let mut segments = path.trim_end_matches('/').rsplit('/');
    path.contains("customresourcedefinitions") || segments.nth(1).is_some_and(|segment| segment.ends_with("namespaces"))
}

const GROUP_VERSIONS: &[&str] = &[
    "api",
    "apis",
    "api/v2",
    "api/v1beta1",
    "apis/apps",
    "apis/apps/v9",
    "apis/apps/v1beta1",
    "apis/extensions/v1beta1",
    "apis/nowhere/v1",
    "apis/nowhere.k8s.io/v1",
    "apis/example.com/v2",
    "apis/example.com",
    "apis/v1",
    "API/v1",
    "apis/%61pps/v1",
];

const PLURALS: &[&str] = &[
    "nothings",
    "Pods",
    "pod",
    "widget",
    "Widgets",
    "bindings",
    "componentstatuses",
    "events",
    "namespaces",
    "watch",
    "proxy",
    "status",
    "a.b",
    "-",
    "%20",
    "pods%2Fa",
    "..",
    ".",
    "%00",
    "ünïcode",
    "pods;x=y",
];

const NAMESPACES: &[&str] =
    &["missing", "default", "kube-system", "Upper", "a..b", "%2e%2e", "..", ".", "", "*", "a%2Fb", "x%20y", "-", "%25"];

const NAMES: &[&str] = &[
    "a",
    "a",
    "a",
    "a",
    "a",
    "missing",
    "missing",
    "Upper_Case",
    "a.b",
    "..",
    ".",
    "%2F",
    "%2e",
    "%25",
    "x%20y",
    "*",
    "a:b",
    "http:a:80",
    "%00",
    "status",
    "namespaces",
    "%C3%BC",
    "%ff",
    "a-very-long-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-end",
];

const SUBRESOURCES: &[&str] = &[
    "status",
    "status",
    "status",
    "scale",
    "scale",
    "log",
    "exec",
    "attach",
    "portforward",
    "eviction",
    "binding",
    "ephemeralcontainers",
    "resize",
    "token",
    "finalize",
    "proxy",
    "proxy/",
    "proxy/x/y",
    "approval",
    "nothing",
    "Status",
    "status/more",
    "status/",
    "..",
    "%2e%2e",
    "",
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
    "/apis/apps/",
    "/apis/apps/v1",
    "/apis/apps/v1/",
    "/apis/apps/v9",
    "/apis/nowhere",
    "/apis/nowhere/v1",
    "/apis/example.com",
    "/apis/example.com/",
    "/apis/example.com/v1",
    "/apis/example.com/v1/",
    "/apis/example.com/v2",
    "/version",
    "/version/",
    "/version/x",
    "/healthz",
    "/healthz/",
    "/healthz/ping",
    "/healthz/etcd",
    "/healthz/nothing",
    "/livez",
    "/livez/ping",
    "/livez/",
    "/readyz",
    "/readyz/ping",
    "/readyz/nothing",
    "/metrics",
    "/metrics/",
    "/metrics/nothing",
    "/debug/pprof",
    "/logs",
    "/openapi",
    "/openapi/",
    "/openapi/v2",
    "/openapi/v2/",
    "/openapi/v3",
    "/openapi/v3/",
    "/openapi/v3/api/v1",
    "/openapi/v3/apis/apps/v1",
    "/openapi/v3/apis/example.com/v1",
    "/openapi/v3/nothing",
    "/openapi/v4",
    "/nothing",
    "/nothing/",
    "/index.html",
    "/favicon.ico",
    "/api/v1/namespaces/odd",
    "/api/v1/namespaces/odd/",
    "/api/v1/namespaces/odd/status",
    "/api/v1/namespaces/odd/finalize",
    "/api/v1/namespaces/odd/nothing",
    "/api/v1/namespaces//pods",
    "/api/v1/namespaces//pods/a",
    "//api/v1/pods",
    "/api//v1/pods",
    "/api/v1//pods",
    "/api/v1/pods//a",
    "/api/v1/./pods",
    "/api/v1/../v1/pods",
    "/api/v1/namespaces/odd/pods/a/../b",
    "/apis//v1",
    "/apis//v1/pods",
    "/apis/apps//deployments",
    "/api/v1/namespaces/odd/pods/",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/",
    "/openid/v1/jwks",
    "/openid/v1/jwks/",
    "/swagger.json",
    "/swaggerapi",
    "/api/v1/watch",
    "/api/v1/watch/",
    "/api/v1/proxy",
    "/api/v1/proxy/namespaces/odd/pods/a",
    "/apis/example.com/v1/watch",
    "/apis/example.com/v1/proxy",
    "/api/v1/watch/namespaces/odd/pods/a",
    "/api/v1/watch/namespaces/odd/pods/a/status",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com/status",
    "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps",
    "/api/v1/nodes/a/proxy/metrics",
    "/api/v1/namespaces/odd/services/a/proxy/",
    "/api/v1/namespaces/odd/services/a:80/proxy/x",
    "/api/v1/namespaces/odd/services/https:a:80/proxy/x",
    "/api/v1/namespaces/odd/pods/a:80/proxy/x",
    "/api/v1/namespaces/odd/serviceaccounts/a/token",
    "/api/v1/namespaces/odd/pods/a/log",
];
