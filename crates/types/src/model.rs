//! What will be printed: the structs and enums of one version, and their types.
//!
//! In: what `plan.rs` decided. Out: answers about it that need to look at several types: which can have a `Default`, which
//! can be `Eq`. A [`Type`] refers to structs and enums by their position in [`Model::items`]; a schema is a tree, so no
//! type contains itself.

use serde_json::Value;

/// The types of one version of a definition.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// Each before those that only it uses.
    pub(crate) items: Vec<Item>,
    pub(crate) root: Root,
}

/// The kind itself.
#[derive(Debug, Default)]
pub(crate) struct Root {
    /// The name of the struct that the derive macro makes.
    pub(crate) name: String,
    /// The position of the struct that carries `#[derive(CustomResource)]`.
    pub(crate) spec: usize,
    pub(crate) shape: Shape,
    /// The position of the struct of `status`, if there is one.
    pub(crate) status: Option<usize>,
}

/// Where the fields of the spec are in an object.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Shape {
    /// Under `spec`, which every object has.
    #[default]
    Spec,
    /// Under `spec`, which an object may lack.
    OptionalSpec,
    /// Beside `metadata`.
    Flat,
}

#[derive(Debug)]
pub(crate) enum Item {
    Struct(Struct),
    Enum(Enum),
}

#[derive(Debug, Default)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) description: Option<String>,
    pub(crate) fields: Vec<Field>,
    /// The field for everything that has no name, and the type of its values.
    pub(crate) rest: Option<(String, Type)>,
}

#[derive(Debug)]
pub(crate) struct Field {
    /// The name in JSON.
    pub(crate) name: String,
    pub(crate) identifier: String,
    pub(crate) description: Option<String>,
    /// With `Option` around it where it may be absent or null.
    pub(crate) type_: Type,
    pub(crate) presence: Presence,
}

/// What it means that a field is not there.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Presence {
    /// It is always there.
    Required,
    /// `None`, and `None` is not written.
    Optional,
    /// The type's own default is what the schema says.
    Default,
    /// The schema says what it is.
    DefaultTo(Value),
}

#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) description: Option<String>,
    pub(crate) variants: Vec<Variant>,
    /// The value that the schema fills in where there is none.
    pub(crate) default: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) identifier: String,
    pub(crate) value: String,
}

/// The type of a field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Type {
    Bool,
    /// `i32` and its like.
    Integer(&'static str),
    /// `f32` or `f64`.
    Float(&'static str),
    String,
    /// `serde_json::Value`
    Any,
    External(External),
    /// A type that the user chose for this place.
    Given(String),
    List(Box<Type>),
    Map(Box<Type>),
    Optional(Box<Type>),
    /// A struct or enum of the model.
    Item(usize),
}

/// A type of k8s-openapi.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum External {
    Affinity,
    ByteString,
    Condition,
    IntOrString,
    LabelSelector,
    ObjectMeta,
    ObjectReference,
    Quantity,
    RawExtension,
    ResourceRequirements,
    Time,
    Toleration,
}

impl External {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Affinity => "k8s_openapi::api::core::v1::Affinity",
            Self::ByteString => "k8s_openapi::ByteString",
            Self::Condition => "k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition",
            Self::IntOrString => "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
            Self::LabelSelector => "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector",
            Self::ObjectMeta => "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta",
            Self::ObjectReference => "k8s_openapi::api::core::v1::ObjectReference",
            Self::Quantity => "k8s_openapi::apimachinery::pkg::api::resource::Quantity",
            Self::RawExtension => "k8s_openapi::apimachinery::pkg::runtime::RawExtension",
            Self::ResourceRequirements => "k8s_openapi::api::core::v1::ResourceRequirements",
            Self::Time => "k8s_openapi::apimachinery::pkg::apis::meta::v1::Time",
            Self::Toleration => "k8s_openapi::api::core::v1::Toleration",
        }
    }

    fn has_default(self) -> bool {
        !matches!(self, Self::Condition | Self::Time)
    }

    fn is_eq(self) -> bool {
        matches!(self, Self::ByteString | Self::IntOrString | Self::Time)
    }
}

impl Model {
    pub(crate) fn struct_at(&self, index: usize) -> Option<&Struct> {
        match self.items.get(index) {
            Some(Item::Struct(one)) => Some(one),
            _ => None,
        }
    }

    /// Whether the type has a `Default`; one whose required parts have no natural value does not.
    pub(crate) fn has_default(&self, type_: &Type) -> bool {
        match type_ {
            // Their `Default` may be missing, or mean something else than the schema does.
            Type::Given(_) => false,
            Type::External(external) => external.has_default(),
            Type::Item(index) => match &self.items[*index] {
                Item::Struct(one) => self.struct_has_default(one),
                Item::Enum(one) => one.default.is_some(),
            },
            _ => true,
        }
    }

    pub(crate) fn struct_has_default(&self, one: &Struct) -> bool {
        one.fields.iter().all(|field| field.presence != Presence::Required || self.has_default(&field.type_))
    }

    /// Whether equality of the type is total.
    pub(crate) fn is_eq(&self, type_: &Type) -> bool {
        match type_ {
            Type::Float(_) | Type::Given(_) => false,
            Type::External(external) => external.is_eq(),
            Type::List(inner) | Type::Map(inner) | Type::Optional(inner) => self.is_eq(inner),
            Type::Item(index) => match &self.items[*index] {
                Item::Struct(one) => self.struct_is_eq(one),
                Item::Enum(_) => true,
            },
            _ => true,
        }
    }

    pub(crate) fn struct_is_eq(&self, one: &Struct) -> bool {
        let rest = one.rest.iter().map(|(_, type_)| type_);
        one.fields.iter().map(|field| &field.type_).chain(rest).all(|type_| self.is_eq(type_))
    }
}

impl Struct {
    /// Whether `{}` is one of these.
    pub(crate) fn can_be_empty(&self) -> bool {
        self.fields.iter().all(|field| field.presence != Presence::Required)
    }
}

impl Field {
    /// The name of the function that makes its default.
    pub(crate) fn default_function(&self) -> String {
        format!("default_{}", self.identifier)
    }
}

impl Item {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Struct(one) => &one.name,
            Self::Enum(one) => &one.name,
        }
    }
}
