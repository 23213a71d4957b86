//! The values that expressions compute with.
//!
//! What comes from an object stays where it is: a [`Value`] borrows the JSON it stands for, and a field is looked at when it
//! is selected. With a [`Schema`](crate::Schema) beside it, a number is an int or a double as the schema says, and a text
//! may be a timestamp. What an expression makes itself is shared by reference count.

mod compare;
mod equal;
mod json;
mod map;
pub(crate) mod show;
pub(crate) use show::double as show_double;
mod text;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value as Json;

pub(crate) use compare::compare;
pub(crate) use equal::{contains, equal, has_same_keys, is_equal};
pub(crate) use map::OwnedMap;
pub use map::{List, Map};
pub use text::Text;

use crate::library::authorizer::{Authorizer, Decision, GroupCheck, PathCheck, ResourceCheck};
use crate::library::ip::Cidr;
use crate::library::time::Moment;
use crate::library::{formats::NamedFormat, semver::Version, url::Url};
use crate::quantity::Quantity;
use crate::types;

/// A value.
#[derive(Debug, Clone)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// True or false.
    Bool(bool),
    /// A number with a sign.
    Int(i64),
    /// A number without one.
    Uint(u64),
    /// A floating point number.
    Double(f64),
    /// Text.
    String(Text<'a>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A moment.
    Timestamp(Moment),
    /// A length of time, in nanoseconds.
    Duration(i64),
    /// A list.
    List(List<'a>),
    /// A map, or an object with fields.
    Map(Map<'a>),
    /// A type, by its name.
    Type(Arc<str>),
    /// A value that may be missing.
    Optional(Option<Arc<Value<'a>>>),
    /// A value of one of Kubernetes' own types.
    Kubernetes(Kubernetes<'a>),
    /// What a schema preserves without knowing it. It can only be compared.
    Unknown(&'a Json),
    /// Stands in an optional for what is there and cannot be read; taking it out fails.
    Unreadable(Arc<EvaluationError>),
}

/// A value of one of Kubernetes' own types.
#[derive(Debug, Clone)]
pub enum Kubernetes<'a> {
    /// `url("…")`.
    Url(Arc<Url>),
    /// `ip("…")`.
    Ip(std::net::IpAddr),
    /// `cidr("…")`.
    Cidr(Cidr),
    /// `quantity("…")`.
    Quantity(Quantity),
    /// What `add` and `sub` make of quantities, with which nothing can be compared by `==`.
    QuantitySum(Quantity),
    /// `semver("…")`.
    Semver(Arc<Version>),
    /// `format.named("…")`.
    Format(&'static NamedFormat),
    /// `authorizer`.
    Authorizer(Authorizer<'a>),
    /// `authorizer.path("…")`.
    PathCheck(Arc<PathCheck<'a>>),
    /// `authorizer.group("…")`.
    GroupCheck(Arc<GroupCheck<'a>>),
    /// `authorizer.group("…").resource("…")`.
    ResourceCheck(Arc<ResourceCheck<'a>>),
    /// What a check found.
    Decision(Arc<Decision>),
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The arguments fit no overload, and cel-go does not say of what.
    #[error("no such overload")]
    NoSuchOverload,
    /// It cost more than it may.
    #[error("operation cancelled: actual cost limit exceeded")]
    CostLimitExceeded,
    /// Anything else, such as a key that is missing.
    #[error("{0}")]
    Failed(Cow<'static, str>),
}

impl EvaluationError {
    pub(crate) fn failed(why: impl Into<Cow<'static, str>>) -> EvaluationError {
        EvaluationError::Failed(why.into())
    }
}

/// A value, or why there is none.
pub type Evaluated<'a> = Result<Value<'a>, EvaluationError>;

pub(crate) fn fail<T>(why: impl Into<Cow<'static, str>>) -> Result<T, EvaluationError> {
    Err(EvaluationError::failed(why))
}

impl<'a> Value<'a> {
    /// Text that is made here.
    #[must_use]
    pub fn string(text: &str) -> Value<'a> {
        Value::String(Text::from(text))
    }

    /// A list that is made here.
    #[must_use]
    pub fn list(items: Vec<Value<'a>>) -> Value<'a> {
        Value::List(List::Owned(Arc::new(items)))
    }

    pub(crate) fn optional(value: Value<'a>) -> Value<'a> {
        Value::Optional(Some(Arc::new(value)))
    }

    /// An optional of what is there, whether or not it can be read; a limit is still a limit.
    pub(crate) fn optional_of(found: Evaluated<'a>) -> Evaluated<'a> {
        match found {
            Err(why @ EvaluationError::Failed(_)) => Ok(Value::optional(Value::Unreadable(Arc::new(why)))),
            found => found.map(Value::optional),
        }
    }

    /// What an optional holds, taken out.
    pub(crate) fn taken_out(&self) -> Evaluated<'a> {
        match self {
            Value::Unreadable(why) => Err((**why).clone()),
            value => Ok(value.clone()),
        }
    }

    /// The name of its type, which is what `type(x)` returns.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null_type",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Uint(_) => "uint",
            Value::Double(_) => "double",
            Value::String(_) => "string",
            Value::Bytes(_) => "bytes",
            Value::Timestamp(_) => "google.protobuf.Timestamp",
            Value::Duration(_) => "google.protobuf.Duration",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Type(_) => "type",
            Value::Optional(_) => "optional_type",
            Value::Unknown(_) => "unknown",
            Value::Unreadable(_) => "error",
            Value::Kubernetes(value) => value.type_name(),
        }
    }

    /// Its length, where it has one: characters of text, bytes, items, entries.
    pub(crate) fn length(&self) -> Option<usize> {
        match self {
            Value::String(text) => Some(text.chars().count()),
            Value::Bytes(bytes) => Some(bytes.len()),
            Value::List(list) => Some(list.len()),
            Value::Map(map) => Some(map.len()),
            Value::Kubernetes(Kubernetes::Ip(address)) => Some(if address.is_ipv4() { 4 } else { 16 }),
            Value::Kubernetes(Kubernetes::Cidr(network)) => Some(network.size()),
            _ => None,
        }
    }

    /// Text, if it is text.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

impl Kubernetes<'_> {
    fn type_name(&self) -> &'static str {
        match self {
            Kubernetes::Url(_) => types::URL,
            Kubernetes::Ip(_) => types::IP,
            Kubernetes::Cidr(_) => types::CIDR,
            Kubernetes::Quantity(_) | Kubernetes::QuantitySum(_) => types::QUANTITY,
            Kubernetes::Semver(_) => types::SEMVER,
            Kubernetes::Format(_) => types::FORMAT,
            Kubernetes::Authorizer(_) => types::AUTHORIZER,
            Kubernetes::PathCheck(_) => types::PATH_CHECK,
            Kubernetes::GroupCheck(_) => types::GROUP_CHECK,
            Kubernetes::ResourceCheck(_) => types::RESOURCE_CHECK,
            Kubernetes::Decision(_) => types::DECISION,
        }
    }
}
