//! The kind itself: its name, and the structs of its spec and status.
//!
//! In: the schema of the whole object. Out: a [`Root`], with everything below it planned. The derive macro takes a spec that is
//! an object and stands alone; any other kind is one without a spec, whose fields stand beside `metadata`.

use serde_json::{Map, Value};

use super::Planner;
use crate::error::Error;
use crate::identifier::{pascal, unique};
use crate::model::{Root, Shape};
use crate::schema::{Place, Schema};

impl Planner<'_> {
    pub(super) fn root(&mut self) -> Result<Root, Error> {
        let Some(node) = &self.version.schema.root else {
            let (definition, version) = (self.definition.metadata.name.clone(), self.version.name.clone());
            return Err(Error::NoSchema { definition, version });
        };
        let schema = Schema::new(node);
        let place = Place::default();
        let open = open_object();
        // Of a schema that allows anything it is still known what objects look like.
        let part = |name| schema.property(name).or_else(|| is_open(schema).then(|| Schema::new(&open)));
        let shape = shape_of(schema);
        let status = part("status").filter(|_| !self.is_elided(&place.property("status")));

        let name = self.take_name(&self.kind.clone(), "Object");
        let spec_name = self.take_name(&format!("{}{}", self.kind, shape.suffix()), "Type");
        let status = status.map(|status| (self.take_name(&format!("{}Status", self.kind), "Type"), status));
        let spec = match (shape, part("spec")) {
            (Shape::Spec | Shape::OptionalSpec, Some(spec)) => {
                self.add_struct(&spec_name, spec, &place.property("spec"), &[])?
            }
            _ => self.add_struct(&spec_name, schema, &place, IN_EVERY_OBJECT)?,
        };
        let status = match status {
            Some((_, status)) if status.text("type").is_some_and(|type_| type_ != "object") => {
                return Err(self.problem(&place.property("status"), "is not an object, as the status of a kind is"));
            }
            Some((name, status)) => Some(self.add_struct(&name, status, &place.property("status"), &[])?),
            None => None,
        };
        Ok(Root { name, spec, shape, status })
    }

    /// A name at the root: the name itself, or with a word behind it where that is a name of Rust's.
    fn take_name(&mut self, name: &str, word: &str) -> String {
        let name = if self.names.contains(name) { format!("{name}{word}") } else { name.to_owned() };
        unique(name, "", &mut self.names)
    }
}

impl Shape {
    fn suffix(self) -> &'static str {
        match self {
            Self::Spec | Self::OptionalSpec => "Spec",
            Self::Flat => "Fields",
        }
    }
}

/// A kind as its authors spell it, acronyms included, as far as Rust allows that.
pub(super) fn pascal_kind(kind: &str) -> String {
    let is_identifier = kind.starts_with(|first: char| first.is_ascii_uppercase())
        && kind.chars().all(|letter| letter.is_ascii_alphanumeric());
    if is_identifier { kind.to_owned() } else { pascal(kind) }
}

/// Only a `spec` that is an object, and alone beside what every object has, can be the derive macro's.
fn shape_of(schema: Schema<'_>) -> Shape {
    let is_alone = schema.properties().all(|(name, _)| name == "spec" || IN_EVERY_OBJECT.contains(&name));
    let is_object = |spec: Schema<'_>| spec.text("type").is_none_or(|type_| type_ == "object") && !spec.is_nullable();
    match schema.property("spec") {
        Some(spec) if is_alone && is_object(spec) && schema.requires("spec") => Shape::Spec,
        Some(spec) if is_alone && is_object(spec) => Shape::OptionalSpec,
        None if is_open(schema) => Shape::OptionalSpec,
        _ => Shape::Flat,
    }
}

/// Whether a schema says nothing about the fields of an object but that they are kept.
fn is_open(schema: Schema<'_>) -> bool {
    schema.preserves_unknown_fields() && schema.properties().all(|(name, _)| IN_EVERY_OBJECT.contains(&name))
}

fn open_object() -> Map<String, Value> {
    [("type", Value::from("object")), ("x-kubernetes-preserve-unknown-fields", Value::from(true))]
        .map(|(keyword, value)| (keyword.to_owned(), value))
        .into_iter()
        .collect()
}

/// What an object of any kind has, and what the derive macro therefore writes itself.
const IN_EVERY_OBJECT: &[&str] = &["apiVersion", "kind", "metadata", "status"];
