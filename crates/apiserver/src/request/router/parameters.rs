//! The parameters that a verb knows: others are not read, so they cannot be wrong.

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::request::Parts;

/// The query of a request without what its verb does not know.
pub(super) fn known(parts: &Parts, has_name: bool, connects: bool) -> String {
    let tables: &[&[&str]] = match (parts.method.as_str(), has_name) {
        _ if connects => &[GET, &["dryRun"]],
        ("GET" | "HEAD", true) => &[GET],
        ("GET" | "HEAD", false) => &[LIST],
        // The options are in the body, if there is one.
        ("DELETE", true) if has_body(parts) => &[],
        ("DELETE", false) if has_body(parts) => &[LIST],
        ("DELETE", true) => &[DELETE, &["resourceVersion"]],
        ("DELETE", false) => &[DELETE, LIST],
        ("PATCH", _) => &[WRITE, &["force"]],
        _ => &[WRITE],
    };
    let is_known = |pair: &&str| {
        let name = form_urlencoded::parse(pair.as_bytes()).next().map(|(name, _)| name.into_owned());
        name.is_some_and(|name| ALWAYS.contains(&name.as_str()) || tables.iter().any(|it| it.contains(&name.as_str())))
    };
    let pairs = parts.uri.query().unwrap_or_default().split('&');
    pairs.filter(is_known).collect::<Vec<_>>().join("&")
}

/// Whether a request says that it has a body.
fn has_body(parts: &Parts) -> bool {
    let length = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    !matches!(length, "" | "0") || parts.headers.contains_key(TRANSFER_ENCODING)
}

/// About the answer, or for people.
const ALWAYS: &[&str] = &["pretty", "includeObject", "timeout"];

/// GetOptions, and what the logs of a pod are asked for by.
const GET: &[&str] = &[
    "resourceVersion",
    "container",
    "follow",
    "previous",
    "sinceSeconds",
    "sinceTime",
    "timestamps",
    "tailLines",
    "limitBytes",
    "insecureSkipTLSVerifyBackend",
    "stream",
    "command",
    "stdin",
    "stdout",
    "stderr",
    "tty",
    "ports",
    "path",
];

/// ListOptions.
const LIST: &[&str] = &[
    "labelSelector",
    "fieldSelector",
    "watch",
    "allowWatchBookmarks",
    "resourceVersion",
    "resourceVersionMatch",
    "timeoutSeconds",
    "limit",
    "continue",
    "sendInitialEvents",
];

/// CreateOptions, UpdateOptions and, but for `force`, PatchOptions.
const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation"];

/// DeleteOptions.
const DELETE: &[&str] = &["gracePeriodSeconds", "orphanDependents", "propagationPolicy", "dryRun"];
