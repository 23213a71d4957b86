//! Queries: parameters of every verb with values right and wrong, and spellings that are no parameters.

use super::pick;

/// A query with its question mark, or nothing.
pub(super) fn query(random: &mut fastrand::Rng, method: &str) -> String {
    let mut parameters = Vec::new();
    for _ in 0..random.usize(..4).saturating_sub(1) {
        let (name, values) = PARAMETERS[random.usize(..PARAMETERS.len())];
        parameters.push(format!("{name}={}", pick(random, values)));
    }
    match random.u8(..40) {
        0 => parameters.push(pick(random, OTHER).to_owned()),
        1 => parameters.push(parameters.first().cloned().unwrap_or_default()),
        _ => {}
    }
    if parameters.iter().any(|parameter| parameter.starts_with("watch")) || method == "GET" && random.u8(..15) == 0 {
        parameters.push("timeoutSeconds=1".to_owned());
    }
    if parameters.is_empty() { String::new() } else { format!("?{}", parameters.join("&")) }
}

const PARAMETERS: &[(&str, &[&str])] = &[
    ("limit", &["1", "0", "-1", "many", "99999999999999999999", "1.5", "+1", "%201", "0x1", ""]),
    (
        "continue",
        &[
            "",
            "nonsense",
            "%00",
            // {"v":"meta.k8s.io/v1","rv":1,"start":"a"}, the same at version -1, of another version, and climbing.
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYSJ9",
            "eyJ2IjoidjkiLCJydiI6MSwic3RhcnQiOiJhIn0",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9hIn0",
        ],
    ),
    ("resourceVersion", &["", "0", "1", "latest", "-1", "01", "0x1", "1.0", "18446744073709551616"]),
    ("resourceVersionMatch", &["", "Exact", "NotOlderThan", "Nearly", "exact"]),
    ("timeoutSeconds", &["1", "x", "-1", "0", ""]),
    ("timeout", &["1s", "x", "0", "-1s", "32s", "5", "", "1d", "10m", "1h1h", "%201s"]),
    ("watch", &["true", "1", "false", "0", "maybe", "", "2", "True"]),
    ("allowWatchBookmarks", &["true", "maybe", ""]),
    ("sendInitialEvents", &["true", "false", "maybe", ""]),
    (
        "labelSelector",
        &[
            "app=odd",
            "a%20in%20(b",
            "!",
            "a==b,c!=d",
            "=",
            "x%20y",
            "",
            "a%3E1",
            "a%3Ex",
            "a%20notin%20()",
            ",",
            "a=b%20c",
            "a/b/c=d",
            "-a=b",
            "a=b,",
            "!a",
            "a%20in%20(b,,c)",
        ],
    ),
    (
        "fieldSelector",
        &[
            "metadata.name=a",
            "spec.nothing=x",
            "metadata.name",
            "a=b=c",
            "status.phase!=Running",
            "",
            ",",
            "metadata.namespace=odd",
            "metadata.name=a,metadata.name=b",
            "metadata.name!=a",
            "metadata.name==a",
            "metadata.name=..",
            "spec.nodeName=",
            "type=Opaque",
        ],
    ),
    ("dryRun", &["All", "Some", "", "All&dryRun=All", "All&dryRun=Some", "all"]),
    ("fieldManager", &["odd", "", "%07", "%C3%BC", LONG]),
    ("force", &["true", "false", "maybe", ""]),
    ("fieldValidation", &["Strict", "Warn", "Ignore", "Maybe", "", "strict"]),
    ("pretty", &["true", "false", "maybe", ""]),
    ("gracePeriodSeconds", &["0", "-5", "soon", "", "1", "99999999999999999999"]),
    ("propagationPolicy", &["Foreground", "Orphan", "Background", "Sideways", ""]),
    ("orphanDependents", &["true", "false", "maybe", ""]),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", &["true", "false", "maybe"]),
    ("includeObject", &["None", "Metadata", "Object", "Nothing", ""]),
    ("tailLines", &["1", "-1", "x"]),
    ("sinceSeconds", &["1", "0", "x"]),
    ("sinceTime", &["2026-01-01T00:00:00Z", "yesterday"]),
    ("limitBytes", &["1", "0", "x"]),
    ("container", &["c", "missing", ""]),
    ("follow", &["true", "maybe"]),
    ("previous", &["true", "maybe"]),
    ("stream", &["All", "Stdout", "Sideways"]),
    ("command", &["ls", ""]),
    ("stdin", &["true", "maybe"]),
    ("stdout", &["true", "false"]),
    ("tty", &["true"]),
    ("ports", &["80", "x", "99999"]),
    ("path", &["/x", "x", ""]),
    ("verbose", &["true", ""]),
    ("exclude", &["ping", "etcd", "nothing"]),
    ("hash", &["x", ""]),
    ("nothing", &["x"]),
];

/// What is no `name=value`.
const OTHER: &[&str] = &["", "&", "=", "=x", "watch", "limit", "%zz=1", "limit=%zz", "a=b;c=d", "dryRun", "?", "%00"];

/// One character more than a manager may have.
const LONG: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
