//! Refusals: the Status bodies a client gets, with the words kube-apiserver uses.
//!
//! In: what went wrong. Out: a boxed [`Status`]. Each function is one row of the table of errors; a `details.kind` is
//! the plural of the resource, but the Kind where an object is invalid.

use pintle_core::response::{Status, StatusCause, StatusDetails};
use serde_json::Value;

use crate::catalog::kinds::{Kind, qualified};
use crate::managed_fields::Conflict;

/// A request that is answered with an error.
pub(crate) type Refusal = Box<Status>;

/// What a request comes to.
pub(crate) type Answer<T> = Result<T, Refusal>;

/// A refusal by the frame around the API, which has details but nothing to say in them.
pub(crate) fn refuse_plainly(code: u16, reason: &str, message: &str) -> Refusal {
    Box::new(refuse(code, reason, message).with_details(StatusDetails::default()))
}

/// A refusal with code, reason and message alone.
pub(crate) fn refuse(code: u16, reason: &str, message: impl Into<String>) -> Refusal {
    Box::new(Status::failure(&message.into(), reason).with_code(code))
}

/// 400: the request makes no sense.
pub(crate) fn bad_request(message: impl Into<String>) -> Refusal {
    refuse(400, "BadRequest", message)
}

/// 404: no object of this name.
pub(crate) fn not_found(kind: &Kind, name: &str) -> Refusal {
    missing(&kind.plural, &kind.group, name)
}

/// 404: no object of this name in a resource given by plural and group.
pub(crate) fn missing(plural: &str, group: &str, name: &str) -> Refusal {
    let message = format!("{} \"{name}\" not found", qualified(plural, group));
    with_details(refuse(404, "NotFound", message), plural, group, name)
}

/// 404: no such path, said by a resource that exists.
pub(crate) fn no_such_resource() -> Refusal {
    refuse_plainly(404, "NotFound", "the server could not find the requested resource")
}

/// 405: the method means nothing on this path.
pub(crate) fn no_such_method() -> Refusal {
    refuse_plainly(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
}

/// 405: the verb means nothing here; custom resources say which and where.
pub(crate) fn method_not_allowed(kind: &Kind, verb: &str) -> Refusal {
    if !kind.is_custom() {
        return no_such_method();
    }
    let message = format!("{verb} is not supported on resources of kind \"{}\"", kind.qualified_plural());
    with_details(refuse(405, "MethodNotAllowed", message), &kind.plural, &kind.group, "")
}

/// 403: the object may not be touched.
pub(crate) fn forbidden(kind: &Kind, name: &str, why: &str) -> Refusal {
    let message = format!("{} \"{name}\" is forbidden: {why}", kind.qualified_plural());
    with_details(refuse(403, "Forbidden", message), &kind.plural, &kind.group, name)
}

/// 403: the namespace is going, and takes nothing new.
pub(crate) fn namespace_terminating(kind: &Kind, name: &str, namespace: &str) -> Refusal {
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let mut refusal = forbidden(kind, name, &why);
    if let Some(details) = &mut refusal.details {
        let message = format!("namespace {namespace} is being terminated");
        details.causes.push(cause("NamespaceTerminating", &message, "metadata.namespace"));
    }
    refusal
}

/// 409: the name is taken.
pub(crate) fn already_exists(kind: &Kind, name: &str, deleting: bool) -> Refusal {
    let prefix = if deleting { "object is being deleted: " } else { "" };
    let message = format!("{prefix}{} \"{name}\" already exists", kind.qualified_plural());
    with_details(refuse(409, "AlreadyExists", message), &kind.plural, &kind.group, name)
}

/// 409: no free name was found for a generateName.
pub(crate) fn names_exhausted(kind: &Kind, name: &str) -> Refusal {
    let mut refusal = already_exists(kind, name, false);
    refusal.message.push_str(", the server was not able to generate a unique name for the object");
    if let Some(details) = &mut refusal.details {
        details.retry_after_seconds = 1;
    }
    refusal
}

/// 409: another client wrote in between.
pub(crate) fn conflict(kind: &Kind, name: &str) -> Refusal {
    conflict_because(
        kind,
        name,
        "the object has been modified; please apply your changes to the latest version and try again",
    )
}

/// 409 for a reason of its own.
pub(crate) fn conflict_because(kind: &Kind, name: &str, why: &str) -> Refusal {
    let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", kind.qualified_plural());
    with_details(refuse(409, "Conflict", message), &kind.plural, &kind.group, name)
}

/// 409: what a delete asks of the object is not so; here the Kind is named, not the plural.
pub(crate) fn precondition_failed(kind: &Kind, name: &str, why: &str) -> Refusal {
    let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", qualified(&kind.kind, &kind.group));
    with_details(refuse(409, "Conflict", message), &kind.kind, &kind.group, name)
}

/// 409: an object that is referred to by its uid has another one; the Kind is named.
pub(crate) fn object_replaced(kind: &str, name: &str, asked: &str) -> Refusal {
    let message = format!(
        "Operation cannot be fulfilled on {kind} \"{name}\": the UID in the bound object reference ({asked}) does not match \
         the UID in record. The object might have been deleted and then recreated"
    );
    with_details(refuse(409, "Conflict", message), kind, "", name)
}

/// 409: others have set what is applied otherwise.
pub(crate) fn apply_conflict(conflicts: &[Conflict]) -> Refusal {
    let causes = conflicts.iter().map(|conflict| {
        let message = format!("conflict with {}", conflict.manager);
        cause("FieldManagerConflict", &message, &conflict.path.to_string())
    });
    let details = StatusDetails { causes: causes.collect(), ..StatusDetails::default() };
    Box::new(refuse(409, "Conflict", conflict_sentence(conflicts)).with_details(details))
}

fn conflict_sentence(conflicts: &[Conflict]) -> String {
    if let [Conflict { manager, path }] = conflicts {
        return format!("Apply failed with 1 conflict: conflict with {manager}: {path}");
    }
    let mut lines: Vec<String> = Vec::new();
    let mut last = None;
    for Conflict { manager, path } in conflicts {
        if last != Some(manager) {
            lines.push(format!("conflicts with {manager}:"));
        }
        lines.push(format!("- {path}"));
        last = Some(manager);
    }
    format!("Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
}

/// 410: a version whose history is gone.
pub(crate) fn expired(message: impl Into<String>) -> Refusal {
    refuse(410, "Expired", message)
}

/// 415: a body in a media type that is not read here.
pub(crate) fn unsupported_media_type(accepted: &[&str]) -> Refusal {
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {}",
        accepted.join(", ")
    );
    refuse(415, "UnsupportedMediaType", message)
}

/// 413: a body over the limit.
pub(crate) fn too_large(why: &str) -> Refusal {
    refuse(413, "RequestEntityTooLarge", format!("Request entity too large: {why}"))
}

/// 501: something kube-apiserver does and this server does not do yet.
pub(crate) fn not_implemented(feature: &str) -> Refusal {
    refuse(501, "NotImplemented", format!("{feature} is not implemented by this server yet"))
}

/// 500 without a reason, as kube-apiserver answers for errors it did not foresee.
pub(crate) fn unforeseen(message: impl Into<String>) -> Refusal {
    refuse(500, "", message)
}

/// 500: the server cannot do what it should be able to.
pub(crate) fn internal(message: &str) -> Refusal {
    let details = StatusDetails { causes: vec![cause("", message, "")], ..StatusDetails::default() };
    let refusal = refuse(500, "InternalError", format!("Internal error occurred: {message}"));
    Box::new(refusal.with_details(details))
}

/// 504: a version from the future.
pub(crate) fn version_too_large(asked: u64, current: u64) -> Refusal {
    let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
    let cause = cause("ResourceVersionTooLarge", "Too large resource version", "");
    let details = StatusDetails { causes: vec![cause], retry_after_seconds: 1, ..StatusDetails::default() };
    Box::new(refuse(504, "Timeout", message).with_details(details))
}

/// 422: fields of an object or of options that are wrong.
pub(crate) fn invalid(kind: &str, group: &str, name: &str, errors: &[FieldError]) -> Refusal {
    // The message says everything once, the causes as often as it was found.
    let mut texts: Vec<String> = Vec::new();
    for text in errors.iter().map(FieldError::text) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let list = if texts.len() == 1 { texts[0].clone() } else { format!("[{}]", texts.join(", ")) };
    let message = format!("{} \"{name}\" is invalid: {list}", qualified(kind, group));
    let details = StatusDetails {
        name: name.to_owned(),
        group: group.to_owned(),
        kind: kind.to_owned(),
        causes: errors.iter().map(FieldError::cause).collect(),
        ..StatusDetails::default()
    };
    Box::new(refuse(422, "Invalid", message).with_details(details))
}

/// 422 for the options of a request.
pub(crate) fn invalid_options(options: &str, errors: &[FieldError]) -> Refusal {
    invalid(options, "meta.k8s.io", "", errors)
}

/// One wrong field.
pub(crate) struct FieldError {
    reason: &'static str,
    field: String,
    message: String,
}

impl FieldError {
    /// The value is not allowed; `value` is printed as it stands, so texts come quoted.
    pub(crate) fn invalid(field: &str, value: &str, why: &str) -> FieldError {
        FieldError {
            reason: "FieldValueInvalid",
            field: field.to_owned(),
            message: format!("Invalid value: {value}: {why}"),
        }
    }

    /// Something is not allowed, and not shown.
    pub(crate) fn invalid_alone(field: &str, why: &str) -> FieldError {
        let message = format!("Invalid value: {why}");
        FieldError { reason: "FieldValueInvalid", field: field.to_owned(), message }
    }

    /// The text is not allowed; it is printed in quotes.
    pub(crate) fn invalid_text(field: &str, text: &str, why: &str) -> FieldError {
        FieldError::invalid(field, &Value::from(text).to_string(), why)
    }

    /// The server cannot tell whether the value is allowed.
    pub(crate) fn internal(field: &str, why: &str) -> FieldError {
        FieldError { reason: "InternalError", field: field.to_owned(), message: format!("Internal error: {why}") }
    }

    /// What the value names is not there.
    pub(crate) fn not_found(field: &str, value: &str) -> FieldError {
        let message = format!("Not found: {value}");
        FieldError { reason: "FieldValueNotFound", field: field.to_owned(), message }
    }

    /// A value is missing.
    pub(crate) fn required(field: &str, why: &str) -> FieldError {
        let message = if why.is_empty() { "Required value".to_owned() } else { format!("Required value: {why}") };
        FieldError { reason: "FieldValueRequired", field: field.to_owned(), message }
    }

    /// The value is of another type.
    pub(crate) fn wrong_type(field: &str, value: &str, why: &str) -> FieldError {
        FieldError { reason: "FieldValueTypeInvalid", ..FieldError::invalid(field, value, why) }
    }

    /// The value stands there already.
    pub(crate) fn duplicate(field: &str, value: &str) -> FieldError {
        let message = format!("Duplicate value: {value}");
        FieldError { reason: "FieldValueDuplicate", field: field.to_owned(), message }
    }

    /// Something stands there already, and is not shown.
    pub(crate) fn duplicate_alone(field: &str) -> FieldError {
        let message = "Duplicate value".to_owned();
        FieldError { reason: "FieldValueDuplicate", field: field.to_owned(), message }
    }

    /// There are more of them than allowed.
    pub(crate) fn too_many(field: &str, found: i64, most: i64) -> FieldError {
        let items = if most == 1 { "item" } else { "items" };
        let message = format!("Too many: {found}: must have at most {most} {items}");
        FieldError { reason: "FieldValueTooMany", field: field.to_owned(), message }
    }

    /// The same error of a value that stands at a path.
    pub(crate) fn at(self, path: &str) -> FieldError {
        let field = match self.field.as_str() {
            "" => path.to_owned(),
            "<nil>" => self.field,
            inner if inner.starts_with('[') => format!("{path}{inner}"),
            inner => format!("{path}.{inner}"),
        };
        FieldError { field, ..self }
    }

    /// The field may not be set.
    pub(crate) fn forbidden(field: &str, why: &str) -> FieldError {
        FieldError { reason: "FieldValueForbidden", field: field.to_owned(), message: format!("Forbidden: {why}") }
    }

    /// The value is longer than allowed; it is not repeated.
    pub(crate) fn too_long(field: &str, most: usize) -> FieldError {
        FieldError {
            reason: "FieldValueTooLong",
            field: field.to_owned(),
            message: format!("Too long: may not be more than {most} bytes"),
        }
    }

    /// The value is none of those known.
    pub(crate) fn not_supported(field: &str, value: &str, known: &[&str]) -> FieldError {
        FieldError::none_of(field, &format!("\"{value}\""), known)
    }

    /// The value is none of those known; it is printed as it stands.
    pub(crate) fn none_of(field: &str, value: &str, known: &[&str]) -> FieldError {
        let known: Vec<String> = known.iter().map(|value| format!("\"{value}\"")).collect();
        FieldError {
            reason: "FieldValueNotSupported",
            field: field.to_owned(),
            message: format!("Unsupported value: {value}: supported values: {}", known.join(", ")),
        }
    }

    /// Of which kind the error is.
    pub(crate) fn reason(&self) -> &'static str {
        self.reason
    }

    /// The path of the field.
    pub(crate) fn field(&self) -> &str {
        &self.field
    }

    /// Field and message.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}", self.field, self.message)
    }

    fn cause(&self) -> StatusCause {
        cause(self.reason, &self.message, &self.field)
    }
}

fn cause(reason: &str, message: &str, field: &str) -> StatusCause {
    StatusCause { reason: reason.to_owned(), message: message.to_owned(), field: field.to_owned() }
}

fn with_details(refusal: Refusal, plural: &str, group: &str, name: &str) -> Refusal {
    let details = StatusDetails {
        name: name.to_owned(),
        group: group.to_owned(),
        kind: plural.to_owned(),
        ..StatusDetails::default()
    };
    Box::new(refusal.with_details(details))
}
