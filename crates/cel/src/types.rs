//! The types of expressions.
//!
//! Two ways to print one: [`Display`](fmt::Display) is how an issue names it (`timestamp`), [`Type::full_name`] how
//! Kubernetes names the type of a whole expression (`google.protobuf.Timestamp`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::parser::RESERVED;
use crate::patch_types;

/// The type of an expression, as far as it is known before it is evaluated.
#[derive(Debug, Clone)]
pub enum Type {
    /// Known when it is evaluated.
    Dyn,
    /// Of something that was refused already.
    Error,
    /// Of `null`.
    Null,
    /// True or false.
    Bool,
    /// A 64 bit number with a sign.
    Int,
    /// A 64 bit number without one.
    Uint,
    /// A floating point number.
    Double,
    /// Text.
    String,
    /// Bytes.
    Bytes,
    /// A moment.
    Timestamp,
    /// A length of time.
    Duration,
    /// A list of one type of items.
    List(Arc<Type>),
    /// A map with one type of keys and one of values.
    Map(Arc<(Type, Type)>),
    /// The type of types.
    Type(Arc<Type>),
    /// A value that may be missing.
    Optional(Arc<Type>),
    /// Something with fields, or one of Kubernetes' own types.
    Object(Arc<ObjectType>),
    /// A type of Kubernetes that stands for itself: `net.IP`, `net.CIDR`.
    Opaque(&'static str),
    /// To be found out: a parameter of an overload, or of an empty list.
    Parameter(u32),
}

/// A type with fields.
#[derive(Debug, Clone, Default)]
pub struct ObjectType {
    /// What issues call it.
    pub name: String,
    /// What can be selected.
    pub fields: BTreeMap<String, Type>,
}

impl ObjectType {
    /// The type of a field. One that is named like a word of the language can be selected by that, too.
    pub(crate) fn field(&self, name: &str) -> Option<&Type> {
        let escaped = || RESERVED.contains(&name).then(|| self.fields.get(&format!("__{name}__"))).flatten();
        let any = || patch_types::is_open(&self.name).then_some(&patch_types::ANY);
        self.fields.get(name).or_else(escaped).or_else(any)
    }
}

/// The types that Kubernetes adds, by their names. All but `net.IP` and `net.CIDR` are objects without fields.
pub(crate) static KUBERNETES: LazyLock<BTreeMap<&'static str, Type>> = LazyLock::new(|| {
    let objects = [URL, QUANTITY, SEMVER, FORMAT, AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION];
    let objects = objects.into_iter().map(|name| (name, Type::object(name, BTreeMap::new())));
    objects.chain([(IP, Type::Opaque(IP)), (CIDR, Type::Opaque(CIDR))]).collect()
});

pub(crate) const URL: &str = "kubernetes.URL";
pub(crate) const QUANTITY: &str = "kubernetes.Quantity";
pub(crate) const SEMVER: &str = "kubernetes.Semver";
pub(crate) const FORMAT: &str = "kubernetes.NamedFormat";
pub(crate) const AUTHORIZER: &str = "kubernetes.authorization.Authorizer";
pub(crate) const PATH_CHECK: &str = "kubernetes.authorization.PathCheck";
pub(crate) const GROUP_CHECK: &str = "kubernetes.authorization.GroupCheck";
pub(crate) const RESOURCE_CHECK: &str = "kubernetes.authorization.ResourceCheck";
pub(crate) const DECISION: &str = "kubernetes.authorization.Decision";
pub(crate) const IP: &str = "net.IP";
pub(crate) const CIDR: &str = "net.CIDR";

impl Type {
    /// A list of items of a type.
    #[must_use]
    pub fn list(item: Type) -> Type {
        Type::List(Arc::new(item))
    }

    /// A map.
    #[must_use]
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new((key, value)))
    }

    /// A type with fields.
    #[must_use]
    pub fn object(name: &str, fields: BTreeMap<String, Type>) -> Type {
        Type::Object(Arc::new(ObjectType { name: name.to_owned(), fields }))
    }

    /// A value that may be missing.
    #[must_use]
    pub fn optional(value: Type) -> Type {
        Type::Optional(Arc::new(value))
    }

    /// The type of the variable `authorizer`.
    #[must_use]
    pub fn authorizer() -> Type {
        KUBERNETES[AUTHORIZER].clone()
    }

    /// The type of the variable `authorizer.requestResource`.
    #[must_use]
    pub fn resource_check() -> Type {
        KUBERNETES[RESOURCE_CHECK].clone()
    }

    /// The name with which Kubernetes says what an expression evaluates to.
    #[must_use]
    pub fn full_name(&self) -> String {
        match self {
            Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
            Type::Duration => "google.protobuf.Duration".to_owned(),
            Type::Null => "null_type".to_owned(),
            Type::Parameter(_) => format!("<{self}>"),
            Type::List(item) => format!("list({})", item.full_name()),
            Type::Map(types) => format!("map({}, {})", types.0.full_name(), types.1.full_name()),
            Type::Type(of) => format!("type({})", of.full_name()),
            Type::Optional(value) => format!("optional_type({})", value.full_name()),
            _ => self.to_string(),
        }
    }

    /// The name of the type that a value has when its parameters are not looked at.
    pub(crate) fn runtime_name(&self) -> String {
        match self {
            Type::List(_) => "list".to_owned(),
            Type::Map(_) => "map".to_owned(),
            Type::Type(_) => "type".to_owned(),
            Type::Optional(_) => "optional_type".to_owned(),
            _ => self.full_name(),
        }
    }

    pub(crate) fn is_dyn(&self) -> bool {
        matches!(self, Type::Dyn)
    }

    pub(crate) fn is_dyn_or_error(&self) -> bool {
        matches!(self, Type::Dyn | Type::Error)
    }

    /// Whether both are the same type, down to their parameters.
    #[must_use]
    pub fn is_same(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Parameter(one), Type::Parameter(other)) => one == other,
            _ => {
                self.is_same_head(other) && {
                    let (own, others) = (self.parameters(), other.parameters());
                    own.len() == others.len() && own.iter().zip(others).all(|(one, other)| one.is_same(other))
                }
            }
        }
    }

    /// Whether both are the same type when their parameters are not looked at.
    pub(crate) fn is_same_head(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Object(one), Type::Object(other)) => one.name == other.name,
            (Type::Opaque(one), Type::Opaque(other)) => one == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// What it is made of.
    pub(crate) fn parameters(&self) -> Vec<&Type> {
        match self {
            Type::List(one) | Type::Type(one) | Type::Optional(one) => vec![one],
            Type::Map(types) => vec![&types.0, &types.1],
            _ => Vec::new(),
        }
    }

    /// The same type, made of other ones.
    pub(crate) fn map_parameters(&self, mut change: impl FnMut(&Type) -> Type) -> Type {
        match self {
            Type::List(item) => Type::list(change(item)),
            Type::Type(of) => Type::Type(Arc::new(change(of))),
            Type::Optional(value) => Type::optional(change(value)),
            Type::Map(types) => Type::map(change(&types.0), change(&types.1)),
            _ => self.clone(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Dyn => f.write_str("dyn"),
            Type::Error => f.write_str("!error!"),
            Type::Null => f.write_str("null"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Uint => f.write_str("uint"),
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Bytes => f.write_str("bytes"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::Duration => f.write_str("duration"),
            Type::List(item) => write!(f, "list({item})"),
            Type::Map(types) => write!(f, "map({}, {})", types.0, types.1),
            Type::Type(of) => write!(f, "type({of})"),
            Type::Optional(value) => write!(f, "optional_type({value})"),
            Type::Object(object) => f.write_str(&object.name),
            Type::Opaque(name) => f.write_str(name),
            Type::Parameter(number) => write!(f, "_var{number}"),
        }
    }
}
