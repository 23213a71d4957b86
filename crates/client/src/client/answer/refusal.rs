//! Refusals that say too little, completed.
//!
//! A server answers a path that it does not serve with 404 and says neither which kind was meant nor what to do. The error
//! stays [`Error::Api`] with code 404; its message then names the kind. A 404 about an object is left as it is. An answer
//! that is not a [`Status`] at all comes from something between, and its message names the call.

use pintle_core::Status;
use pintle_core::call::Target;
use pintle_core::response::reason;

use crate::client::reporter::call_name::CallName;
use crate::error::Error;

/// What a server says of a path that it does not serve.
pub(in crate::client) const NO_SUCH_RESOURCE: &str = "the server could not find the requested resource";

/// The reason of what is not a Status, as in kube.
pub(in crate::client) const NO_STATUS: &str = "Failed to parse error data";

/// The error of `call`, which says what it is about.
pub(in crate::client) fn completed(error: Error, call: &CallName) -> Error {
    match error {
        Error::Api(mut status) if is_about_no_object(&status) => {
            if let Some(target) = call.target() {
                status.message = describe(target);
                reason::NOT_FOUND.clone_into(&mut status.reason);
            }
            Error::Api(status)
        }
        Error::Api(mut status) if status.reason == NO_STATUS => {
            status.message = format!("{call}: {}", status.message);
            Error::Api(status)
        }
        error => error,
    }
}

fn is_about_no_object(status: &Status) -> bool {
    let is_named = status.details.as_ref().is_some_and(|details| !details.name.is_empty());
    status.code == 404 && !is_named && status.message == NO_SUCH_RESOURCE
}

fn describe(target: &Target) -> String {
    let Target { group, version, plural, subresource, .. } = target;
    let dot = if group.is_empty() { "" } else { "." };
    if let Some(part) = subresource {
        let question = "is the kind installed, and has it this subresource?";
        return format!("the server has no {part} of {plural}{dot}{group} ({version}): {question}");
    }
    let question = match group.as_str() {
        group if !group.contains('.') => "is that API enabled on this server?",
        // Kubernetes' own, or a definition of one of its projects.
        group if group.ends_with(".k8s.io") => {
            "is that API enabled on this server, or its CustomResourceDefinition installed?"
        }
        _ => "is its CustomResourceDefinition installed?",
    };
    format!("the server has no {plural}{dot}{group} ({version}): {question}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_the_kind_and_what_to_look_at() {
        let cases = [
            (
                "/apis/example.com/v1/namespaces/a/documents/b",
                "the server has no documents.example.com (v1): is its CustomResourceDefinition installed?",
            ),
            ("/api/v2/pods", "the server has no pods (v2): is that API enabled on this server?"),
            (
                "/apis/resource.k8s.io/v1/resourceclaims",
                "the server has no resourceclaims.resource.k8s.io (v1): is that API enabled on this server, or its \
                 CustomResourceDefinition installed?",
            ),
            (
                "/apis/example.com/v1/namespaces/a/documents/b/status",
                "the server has no status of documents.example.com (v1): is the kind installed, and has it this subresource?",
            ),
            ("/version", NO_SUCH_RESOURCE),
        ];
        for (path, expected) in cases {
            let status = Status::failure(NO_SUCH_RESOURCE, "NotFound").with_code(404);
            let call = CallName::of(&http::Request::get(path).body(()).unwrap());
            let Error::Api(status) = completed(Error::Api(status.boxed()), &call) else { panic!("{path}") };
            assert_eq!((status.message.as_str(), status.code, status.is_not_found()), (expected, 404, true));
        }
    }
}
