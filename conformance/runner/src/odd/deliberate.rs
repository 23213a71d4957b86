//! Answers that are another server's on purpose, each with its reason.

use super::verdict::Verdict;

/// The reason why the embedded server answers otherwise, where that is meant to be so.
pub(super) fn reason(path: &str, kube: &Verdict, embedded: &Verdict) -> Option<&'static str> {
    let path = path.split('?').next().unwrap_or_default();
    match () {
        () if kube.is_silent() => Some("kube-apiserver panicked and closed the connection"),
        () if path.starts_with("/debug/") => Some("the profiles there are of a program in Go"),
        () if path.contains("/apiservices") && embedded.code() == 404 => {
            Some("nothing is aggregated, so no group has an APIService of its own")
        }
        () if embedded.code() == 501 => Some("nothing runs behind it"),
        () => None,
    }
}
