//! Questions to the authorizer: `authorizer.group("apps").resource("deployments").namespace("a").check("create").allowed()`.
//!
//! Who may do what is for the server to say, through [`Authorize`].

use std::fmt;
use std::sync::Arc;

use crate::functions::Library;
use crate::library::formats;
use crate::value::{Evaluated, EvaluationError, Kubernetes, Value, fail};

/// Who may do what.
pub trait Authorize: fmt::Debug + Sync {
    /// Whether somebody may do something.
    fn authorize(&self, who: &Subject, what: &AccessCheck) -> Decision;
}

/// Who is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Who made the request.
    Requester,
    /// A service account.
    ServiceAccount {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
}

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessCheck {
    /// A path that is no resource.
    Path {
        /// The path.
        path: String,
        /// The HTTP method in small letters.
        verb: String,
    },
    /// A resource.
    Resource {
        /// What it is.
        resource: ResourceAttributes,
        /// The verb of the API.
        verb: String,
    },
}

/// A resource that is asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceAttributes {
    /// The API group.
    pub group: String,
    /// The resource.
    pub resource: String,
    /// The subresource, or nothing.
    pub subresource: String,
    /// The namespace, or nothing for all.
    pub namespace: String,
    /// The name, or nothing for all.
    pub name: String,
    /// The field selector of the request.
    pub field_selector: String,
    /// The label selector of the request.
    pub label_selector: String,
}

/// The variable `authorizer`.
#[derive(Debug, Clone)]
pub struct Authorizer<'a> {
    authorize: &'a dyn Authorize,
    subject: Arc<Subject>,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why.
    pub reason: String,
    /// What kept the authorizer from deciding.
    pub error: Option<String>,
}

#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct PathCheck<'a> {
    authorizer: Authorizer<'a>,
    path: String,
}

#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct GroupCheck<'a> {
    authorizer: Authorizer<'a>,
    group: String,
}

#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct ResourceCheck<'a> {
    authorizer: Authorizer<'a>,
    resource: ResourceAttributes,
}

impl<'a> Authorizer<'a> {
    /// Asks about who made the request.
    #[must_use]
    pub fn new(authorize: &'a dyn Authorize) -> Authorizer<'a> {
        Authorizer { authorize, subject: Arc::new(Subject::Requester) }
    }

    /// The variable `authorizer`.
    #[must_use]
    pub fn value(&self) -> Value<'a> {
        Value::Kubernetes(Kubernetes::Authorizer(self.clone()))
    }

    /// The variable `authorizer.requestResource`.
    #[must_use]
    pub fn request_resource(&self, resource: ResourceAttributes) -> Value<'a> {
        let check = ResourceCheck { authorizer: self.clone(), resource };
        Value::Kubernetes(Kubernetes::ResourceCheck(Arc::new(check)))
    }

    fn decide<'v>(&self, what: &AccessCheck) -> Value<'v> {
        let decision = self.authorize.authorize(&self.subject, what);
        Value::Kubernetes(Kubernetes::Decision(Arc::new(decision)))
    }
}

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        authorizer_path: Authorizer::path(string) -> PathCheck
        authorizer_group: Authorizer::group(string) -> GroupCheck
        authorizer_serviceaccount: Authorizer::serviceAccount(string, string) -> Authorizer
        groupcheck_resource: GroupCheck::resource(string) -> ResourceCheck
        resourcecheck_subresource: ResourceCheck::subresource(string) -> ResourceCheck
        resourcecheck_namespace: ResourceCheck::namespace(string) -> ResourceCheck
        resourcecheck_name: ResourceCheck::name(string) -> ResourceCheck
        authorizer_fieldselector: ResourceCheck::fieldSelector(string) -> ResourceCheck
        authorizer_labelselector: ResourceCheck::labelSelector(string) -> ResourceCheck
        pathcheck_check: PathCheck::check(string) -> Decision
        resourcecheck_check: ResourceCheck::check(string) -> Decision
        decision_errored: Decision::errored() -> bool
        decision_error: Decision::error() -> string
        decision_allowed: Decision::allowed() -> bool
        decision_reason: Decision::reason() -> string
    ",
    implementations: &[
        ("path", |arguments| match (&arguments[0], text(arguments, 1)?) {
            (Value::Kubernetes(Kubernetes::Authorizer(_)), path) if path.trim().is_empty() => {
                fail("path must not be empty")
            }
            (Value::Kubernetes(Kubernetes::Authorizer(authorizer)), path) => {
                let check = PathCheck { authorizer: authorizer.clone(), path: path.to_owned() };
                Ok(Value::Kubernetes(Kubernetes::PathCheck(Arc::new(check))))
            }
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("group", |arguments| match (&arguments[0], text(arguments, 1)?) {
            (Value::Kubernetes(Kubernetes::Authorizer(authorizer)), group) => {
                let check = GroupCheck { authorizer: authorizer.clone(), group: group.to_owned() };
                Ok(Value::Kubernetes(Kubernetes::GroupCheck(Arc::new(check))))
            }
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("serviceAccount", service_account),
        ("resource", |arguments| match (&arguments[0], text(arguments, 1)?) {
            (Value::Kubernetes(Kubernetes::GroupCheck(_)), resource) if resource.trim().is_empty() => {
                fail("resource must not be empty")
            }
            (Value::Kubernetes(Kubernetes::GroupCheck(check)), resource) => {
                let (group, resource) = (check.group.clone(), resource.to_owned());
                let resource = ResourceAttributes { group, resource, ..ResourceAttributes::default() };
                Ok(check.authorizer.request_resource(resource))
            }
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("subresource", |arguments| with(arguments, |resource, text| resource.subresource = text)),
        ("namespace", |arguments| with(arguments, |resource, text| resource.namespace = text)),
        ("name", |arguments| with(arguments, |resource, text| resource.name = text)),
        ("fieldSelector", |arguments| with(arguments, |resource, text| resource.field_selector = text)),
        ("labelSelector", |arguments| with(arguments, |resource, text| resource.label_selector = text)),
        ("check", |arguments| match (&arguments[0], text(arguments, 1)?.to_owned()) {
            (Value::Kubernetes(Kubernetes::PathCheck(check)), verb) => {
                Ok(check.authorizer.decide(&AccessCheck::Path { path: check.path.clone(), verb }))
            }
            (Value::Kubernetes(Kubernetes::ResourceCheck(check)), verb) => {
                Ok(check.authorizer.decide(&AccessCheck::Resource { resource: check.resource.clone(), verb }))
            }
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("errored", |arguments| Ok(Value::Bool(decision(arguments)?.error.is_some()))),
        ("error", |arguments| Ok(Value::string(decision(arguments)?.error.as_deref().unwrap_or_default()))),
        ("allowed", |arguments| Ok(Value::Bool(decision(arguments)?.allowed))),
        ("reason", |arguments| Ok(Value::string(&decision(arguments)?.reason))),
    ],
};

fn text<'t>(arguments: &'t [Value<'_>], place: usize) -> Result<&'t str, EvaluationError> {
    arguments[place].as_str().ok_or(EvaluationError::NoSuchOverload)
}

fn decision<'d>(arguments: &'d [Value<'_>]) -> Result<&'d Decision, EvaluationError> {
    match &arguments[0] {
        Value::Kubernetes(Kubernetes::Decision(decision)) => Ok(decision),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn with<'v>(arguments: &[Value<'v>], set: fn(&mut ResourceAttributes, String)) -> Evaluated<'v> {
    let Value::Kubernetes(Kubernetes::ResourceCheck(check)) = &arguments[0] else {
        return Err(EvaluationError::NoSuchOverload);
    };
    let mut check = ResourceCheck::clone(check);
    set(&mut check.resource, text(arguments, 1)?.to_owned());
    Ok(Value::Kubernetes(Kubernetes::ResourceCheck(Arc::new(check))))
}

fn service_account<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let Value::Kubernetes(Kubernetes::Authorizer(authorizer)) = &arguments[0] else {
        return Err(EvaluationError::NoSuchOverload);
    };
    let (namespace, name) = (text(arguments, 1)?, text(arguments, 2)?);
    if !formats::is_subdomain(name) {
        return fail("Invalid service account name");
    }
    if !formats::is_label(namespace) {
        return fail("Invalid service account namespace");
    }
    let subject = Subject::ServiceAccount { namespace: namespace.to_owned(), name: name.to_owned() };
    Ok(Value::Kubernetes(Kubernetes::Authorizer(Authorizer {
        authorize: authorizer.authorize,
        subject: Arc::new(subject),
    })))
}
