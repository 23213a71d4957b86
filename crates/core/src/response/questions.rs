//! What a program asks about a [`Status`]: was it refused, why, and does trying again help.
//!
//! The reason decides, because one code has several meanings (409 is a conflict or an object that exists already).
//! Where the server gave no reason that is known, the code decides. The questions are those of Kubernetes' own
//! client library, in the form `is_…`.

use std::time::Duration;

use super::{Status, StatusCause, reason};

/// The cause that servers give for a version they do not know yet.
const RESOURCE_VERSION_TOO_LARGE: &str = "ResourceVersionTooLarge";
/// The cause that clients note where the answer was none of the API server's.
const UNEXPECTED_SERVER_RESPONSE: &str = "UnexpectedServerResponse";
/// The cause of a refused creation in a namespace that is going.
const NAMESPACE_TERMINATING: &str = "NamespaceTerminating";
/// The cause of an apply that meets another manager's fields.
const FIELD_MANAGER_CONFLICT: &str = "FieldManagerConflict";

impl Status {
    /// Whether there is no such object.
    pub fn is_not_found(&self) -> bool {
        self.says(reason::NOT_FOUND, 404)
    }

    /// Whether the object is there already.
    pub fn is_already_exists(&self) -> bool {
        self.reason == reason::ALREADY_EXISTS
    }

    /// Whether another client changed the object first.
    pub fn is_conflict(&self) -> bool {
        self.says(reason::CONFLICT, 409)
    }

    /// Whether the caller may not do that.
    pub fn is_forbidden(&self) -> bool {
        self.says(reason::FORBIDDEN, 403)
    }

    /// Whether the object is not valid.
    pub fn is_invalid(&self) -> bool {
        self.says(reason::INVALID, 422)
    }

    /// Whether the request was not understood.
    pub fn is_bad_request(&self) -> bool {
        self.says(reason::BAD_REQUEST, 400)
    }

    /// Whether the caller is unknown.
    pub fn is_unauthorized(&self) -> bool {
        self.says(reason::UNAUTHORIZED, 401)
    }

    /// Whether the verb is not possible there.
    pub fn is_method_not_supported(&self) -> bool {
        self.says(reason::METHOD_NOT_ALLOWED, 405)
    }

    /// Whether the form asked for cannot be served.
    pub fn is_not_acceptable(&self) -> bool {
        self.says(reason::NOT_ACCEPTABLE, 406)
    }

    /// Whether what was asked for is gone for good; [`is_gone_or_expired`](Self::is_gone_or_expired) is the wider question.
    pub fn is_gone(&self) -> bool {
        self.says(reason::GONE, 410)
    }

    /// Whether the body was too large.
    pub fn is_request_entity_too_large(&self) -> bool {
        self.says(reason::REQUEST_ENTITY_TOO_LARGE, 413)
    }

    /// Whether the media type of the body is not understood.
    pub fn is_unsupported_media_type(&self) -> bool {
        self.says(reason::UNSUPPORTED_MEDIA_TYPE, 415)
    }

    /// Whether the caller should ask less often.
    pub fn is_too_many_requests(&self) -> bool {
        self.says(reason::TOO_MANY_REQUESTS, 429)
    }

    /// Whether the server failed.
    pub fn is_internal_error(&self) -> bool {
        self.says(reason::INTERNAL_ERROR, 500)
    }

    /// Whether the server cannot answer now.
    pub fn is_service_unavailable(&self) -> bool {
        self.says(reason::SERVICE_UNAVAILABLE, 503)
    }

    /// Whether the server took too long; the call may have been executed.
    pub fn is_timeout(&self) -> bool {
        self.says(reason::TIMEOUT, 504)
    }

    /// Whether the version asked for is no longer known.
    pub fn is_resource_expired(&self) -> bool {
        self.reason == reason::EXPIRED
    }

    /// Whether the server took too long and did nothing, so that the call may be made again.
    pub fn is_server_timeout(&self) -> bool {
        self.reason == reason::SERVER_TIMEOUT
    }

    /// Whether the server could not read the object from its storage.
    pub fn is_store_read_error(&self) -> bool {
        self.reason == reason::STORAGE_READ_ERROR
    }

    /// Whether something between here and the API server answered, or the server in a way it should not.
    pub fn is_unexpected_server_error(&self) -> bool {
        self.has_cause(UNEXPECTED_SERVER_RESPONSE)
    }

    /// Whether the namespace is being deleted, so that nothing can be created in it any more.
    pub fn is_namespace_terminating(&self) -> bool {
        self.is_forbidden() && self.has_cause(NAMESPACE_TERMINATING)
    }

    /// Whether an apply met fields that another manager owns.
    pub fn is_field_manager_conflict(&self) -> bool {
        self.is_conflict() && self.has_cause(FIELD_MANAGER_CONFLICT)
    }

    /// Whether one of the causes has this reason.
    pub fn has_cause(&self, reason: &str) -> bool {
        self.causes().iter().any(|cause| cause.reason == reason)
    }

    /// Whether the same call may succeed later although nothing is changed.
    pub fn is_transient(&self) -> bool {
        self.is_server_timeout()
            || self.is_timeout()
            || self.is_too_many_requests()
            || self.is_service_unavailable()
            || self.is_internal_error()
    }

    /// After how long the server advises to try again; `None` where it gives no advice.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self.details.as_ref()?.retry_after_seconds;
        (seconds > 0).then(|| Duration::from_secs(seconds.into()))
    }

    fn causes(&self) -> &[StatusCause] {
        self.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default()
    }

    /// Whether the version asked for is no longer known: list again.
    pub fn is_gone_or_expired(&self) -> bool {
        self.reason == reason::EXPIRED || self.says(reason::GONE, 410)
    }

    /// Whether the version asked for is not known yet. Old servers say so in the message alone.
    pub fn is_too_large_resource_version(&self) -> bool {
        self.is_timeout()
            && (self.has_cause(RESOURCE_VERSION_TOO_LARGE) || self.message.contains("Too large resource version"))
    }

    /// The reason decides; where the server gave none that is known, the code does.
    fn says(&self, reason: &str, code: u16) -> bool {
        self.reason == reason || (!reason::is_known(&self.reason) && self.code == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::StatusDetails;

    #[test]
    fn the_reason_decides_before_the_code() {
        let exists = Status::failure("there", reason::ALREADY_EXISTS).with_code(409);
        assert!(exists.is_already_exists() && !exists.is_conflict());
        assert!(Status::failure("", "Whatever").with_code(409).is_conflict());
        assert!(Status::failure("", "").with_code(404).is_not_found());
    }

    #[test]
    fn both_words_for_an_old_version_mean_list_again() {
        for (reason, code) in [(reason::EXPIRED, 410), (reason::GONE, 410), ("", 410), (reason::EXPIRED, 0)] {
            assert!(Status::failure("", reason).with_code(code).is_gone_or_expired(), "{reason} {code}");
        }
        assert!(!Status::failure("", reason::NOT_FOUND).with_code(404).is_gone_or_expired());
    }

    fn caused_by(reason: &str, code: u16, cause: &str) -> Status {
        let causes = vec![StatusCause { reason: cause.into(), ..StatusCause::default() }];
        Status::failure("", reason).with_code(code).with_details(StatusDetails { causes, ..StatusDetails::default() })
    }

    #[test]
    fn every_reason_has_its_question_and_no_other() {
        type Question = fn(&Status) -> bool;
        let questions: [(&str, u16, Question); 19] = [
            (reason::BAD_REQUEST, 400, Status::is_bad_request),
            (reason::UNAUTHORIZED, 401, Status::is_unauthorized),
            (reason::FORBIDDEN, 403, Status::is_forbidden),
            (reason::NOT_FOUND, 404, Status::is_not_found),
            (reason::METHOD_NOT_ALLOWED, 405, Status::is_method_not_supported),
            (reason::NOT_ACCEPTABLE, 406, Status::is_not_acceptable),
            (reason::ALREADY_EXISTS, 409, Status::is_already_exists),
            (reason::CONFLICT, 409, Status::is_conflict),
            (reason::GONE, 410, Status::is_gone),
            (reason::EXPIRED, 410, Status::is_resource_expired),
            (reason::REQUEST_ENTITY_TOO_LARGE, 413, Status::is_request_entity_too_large),
            (reason::UNSUPPORTED_MEDIA_TYPE, 415, Status::is_unsupported_media_type),
            (reason::INVALID, 422, Status::is_invalid),
            (reason::TOO_MANY_REQUESTS, 429, Status::is_too_many_requests),
            (reason::INTERNAL_ERROR, 500, Status::is_internal_error),
            (reason::SERVICE_UNAVAILABLE, 503, Status::is_service_unavailable),
            (reason::TIMEOUT, 504, Status::is_timeout),
            (reason::SERVER_TIMEOUT, 500, Status::is_server_timeout),
            (reason::STORAGE_READ_ERROR, 500, Status::is_store_read_error),
        ];
        for (given, code, _) in questions {
            let status = Status::failure("", given).with_code(code);
            for (asked, _, question) in questions {
                assert_eq!(question(&status), asked == given, "{given}, asked for {asked}");
            }
        }
        assert_eq!(questions.len(), reason::ALL.len());
    }

    #[test]
    fn causes_distinguish_special_cases() {
        assert!(caused_by(reason::FORBIDDEN, 403, "NamespaceTerminating").is_namespace_terminating());
        assert!(caused_by(reason::CONFLICT, 409, "FieldManagerConflict").is_field_manager_conflict());
        assert!(caused_by(reason::TIMEOUT, 504, "ResourceVersionTooLarge").is_too_large_resource_version());
        assert!(caused_by(reason::INTERNAL_ERROR, 500, "UnexpectedServerResponse").is_unexpected_server_error());
        assert!(!caused_by(reason::CONFLICT, 409, "").is_field_manager_conflict());
    }

    #[test]
    fn advice_to_wait_is_passed_on() {
        let details = StatusDetails { retry_after_seconds: 3, ..StatusDetails::default() };
        let busy = Status::failure("", reason::TOO_MANY_REQUESTS).with_code(429);
        assert!(busy.is_transient());
        assert_eq!(busy.retry_after(), None);
        assert_eq!(busy.with_details(details).retry_after(), Some(Duration::from_secs(3)));
        assert!(!Status::failure("", reason::INVALID).is_transient());
    }
}
