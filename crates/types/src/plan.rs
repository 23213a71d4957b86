//! The types of one version: which struct, enum or library type each place of its schema gets.
//!
//! In: a definition, one of its versions, and the options. Out: a [`Model`]. Names of types are the kind and the properties on
//! the way (`WidgetTemplateSpec`), taken in the order in which a reader finds the fields, so the same definition gives
//! the same names. What constrains values without describing them (`oneOf`, `pattern`, rules) does not change a type.
//! Whether a default fits its type is found out in `default_value.rs`. The kind itself is in `plan/root.rs`.

mod field_names;
mod root;

use std::collections::BTreeSet;

use serde_json::Value;

use self::field_names::FieldNames;
use self::root::pascal_kind;
use crate::default_value::{DefaultValues, Misfit};
use crate::definition::{Definition, Version};
use crate::error::Error;
use crate::identifier::{pascal, unique};
use crate::model::{Enum, External, Field, Item, Model, Presence, Struct, Type, Variant};
use crate::options::Options;
use crate::schema::{Place, Schema, Values};
use crate::well_known::{is_condition, well_known};

/// Plans the types of a version. `used` collects the paths of the options that were found.
pub(crate) fn plan(
    options: &Options,
    definition: &Definition,
    version: &Version,
    used: &mut BTreeSet<String>,
) -> Result<Model, Error> {
    let kind = pascal_kind(&definition.spec.names.kind);
    let mut planner = Planner { options, definition, version, kind, model: Model::default(), names: reserved(), used };
    planner.model.root = planner.root()?;
    Ok(planner.model)
}

struct Planner<'a> {
    options: &'a Options,
    definition: &'a Definition,
    version: &'a Version,
    kind: String,
    /// What is decided so far.
    model: Model,
    names: BTreeSet<String>,
    used: &'a mut BTreeSet<String>,
}

impl Planner<'_> {
    /// The struct of an object, also of one without named properties.
    fn add_struct(&mut self, name: &str, schema: Schema<'_>, place: &Place, left_out: &[&str]) -> Result<usize, Error> {
        // It takes its place before its fields do.
        let index = self.model.items.len();
        self.model.items.push(Item::Struct(Struct::default()));
        let is_embedded = schema.is("x-kubernetes-embedded-resource");
        let mut fields = Vec::new();
        let properties: Vec<_> = schema.properties().filter(|(property, _)| !left_out.contains(property)).collect();
        let mut identifiers = FieldNames::new(properties.iter().map(|(property, _)| *property));
        for (property, property_schema) in properties {
            let place = place.property(property);
            // Its schema is the server's own.
            let is_metadata = is_embedded && property == "metadata" && !property_schema.has_properties();
            if !is_metadata && !self.is_elided(&place) {
                let identifier = identifiers.of(property);
                fields.push(self.field(property, identifier, property_schema, schema.requires(property), &place)?);
            }
        }
        if is_embedded {
            add_fields_of_every_object(&mut fields, &mut identifiers);
        }
        let rest = match schema.additional_properties() {
            // The derive macro reads the root: `apiVersion` and `kind` would be among the rest.
            _ if place.path().is_empty() => None,
            Some(Values::Of(values)) => Some(self.values_type(values, &place.values())?),
            Some(Values::Any) => Some(Type::Any),
            None => schema.preserves_unknown_fields().then_some(Type::Any),
        };
        let rest = rest.map(|type_| (identifiers.free("other"), type_));
        let description = schema.description().map(str::to_owned);
        let one = Struct { name: name.to_owned(), path: place.path().to_owned(), description, fields, rest };
        self.model.items[index] = Item::Struct(one);
        Ok(index)
    }

    fn field(
        &mut self,
        name: &str,
        identifier: String,
        schema: Schema<'_>,
        is_required: bool,
        place: &Place,
    ) -> Result<Field, Error> {
        let plain = self.type_of(schema, place)?;
        let is_nullable = schema.is_nullable();
        let (type_, presence) = match schema.default() {
            Some(default) if !matches!(plain, Type::Given(_)) => {
                let type_ = if is_nullable { Type::Optional(Box::new(plain)) } else { plain };
                let presence = self.presence_with(default, &type_, place)?;
                (type_, presence)
            }
            _ if is_required && is_nullable => (Type::Optional(Box::new(plain)), Presence::Required),
            _ if is_required => (plain, Presence::Required),
            _ => (Type::Optional(Box::new(plain)), Presence::Optional),
        };
        let description = schema.description().map(str::to_owned);
        Ok(Field { name: name.to_owned(), identifier, description, type_, presence })
    }

    fn presence_with(&self, default: &Value, type_: &Type, place: &Place) -> Result<Presence, Error> {
        let values = DefaultValues { model: &self.model, maps: self.options.maps, name_of: &str::to_owned };
        let fits = values.expression(default, type_, place);
        fits.map_err(|Misfit { place, problem }| self.problem(&place, &problem))?;
        let is_plain = values.is_default_of_type(default, type_);
        Ok(if is_plain { Presence::Default } else { Presence::DefaultTo(default.clone()) })
    }

    fn type_of(&mut self, schema: Schema<'_>, place: &Place) -> Result<Type, Error> {
        if let Some((key, type_)) = self.options.type_at(&self.definition.spec.names.kind, place.path()) {
            self.used.insert(key.to_owned());
            return Ok(Type::Given(type_.to_owned()));
        }
        if schema.is("x-kubernetes-int-or-string") || schema.text("format") == Some("int-or-string") {
            let is_quantity = schema.text("pattern").is_some_and(|pattern| pattern.starts_with(QUANTITY));
            return Ok(Type::External(if is_quantity { External::Quantity } else { External::IntOrString }));
        }
        match schema.text("type") {
            Some("object") => self.object(schema, place),
            Some("array") => self.array(schema, place),
            Some("string") => Ok(self.string(schema, place)),
            Some("boolean") => Ok(Type::Bool),
            Some("integer") => Ok(Type::Integer(integer(schema.text("format")))),
            Some("number") => Ok(Type::Float(if schema.text("format") == Some("float") { "f32" } else { "f64" })),
            Some(other) => Err(self.problem(place, &format!("has the type {other:?}, which OpenAPI does not have"))),
            None if schema.has_properties() || schema.additional_properties().is_some() => self.object(schema, place),
            None if schema.preserves_unknown_fields() => Ok(Type::Any),
            None => Err(self.problem(place, "has no type, and nothing says that it may be anything")),
        }
    }

    fn object(&mut self, schema: Schema<'_>, place: &Place) -> Result<Type, Error> {
        if is_any_object(schema) {
            return Ok(Type::External(External::RawExtension));
        }
        if !schema.has_properties() && !schema.is("x-kubernetes-embedded-resource") {
            match schema.additional_properties() {
                Some(Values::Of(values)) => {
                    return Ok(Type::Map(Box::new(self.values_type(values, &place.values())?)));
                }
                Some(Values::Any) => return Ok(Type::Map(Box::new(Type::Any))),
                None if schema.preserves_unknown_fields() => return Ok(Type::Map(Box::new(Type::Any))),
                None => {}
            }
        }
        if let Some(external) = self.options.uses_well_known.then(|| well_known(schema)).flatten() {
            return Ok(Type::External(external));
        }
        let name = self.type_name(place);
        Ok(Type::Item(self.add_struct(&name, schema, place, &[])?))
    }

    fn array(&mut self, schema: Schema<'_>, place: &Place) -> Result<Type, Error> {
        let Some(items) = schema.items() else {
            return Err(self.problem(place, "is an array, and nothing says of what"));
        };
        let is_conditions = place.words().last().is_some_and(|name| name == "conditions");
        let is_chosen = self.options.type_at(&self.definition.spec.names.kind, place.items().path()).is_some();
        if is_conditions && !is_chosen && is_condition(items) {
            return Ok(Type::List(Box::new(Type::External(External::Condition))));
        }
        Ok(Type::List(Box::new(self.values_type(items, &place.items())?)))
    }

    /// The type of the items of a list or the values of a map.
    fn values_type(&mut self, schema: Schema<'_>, place: &Place) -> Result<Type, Error> {
        let type_ = self.type_of(schema, place)?;
        Ok(if schema.is_nullable() { Type::Optional(Box::new(type_)) } else { type_ })
    }

    fn string(&mut self, schema: Schema<'_>, place: &Place) -> Type {
        match (schema.names(), schema.text("format")) {
            (Some(names), _) => Type::Item(self.add_enum(&names, schema, place)),
            (None, Some("date-time")) => Type::External(External::Time),
            (None, Some("byte")) => Type::External(External::ByteString),
            _ => Type::String,
        }
    }

    fn add_enum(&mut self, names: &[&str], schema: Schema<'_>, place: &Place) -> usize {
        let mut taken = BTreeSet::new();
        let mut variants: Vec<Variant> = Vec::new();
        for &value in names {
            // A value that stands there twice is allowed twice.
            if variants.iter().all(|variant| variant.value != value) {
                let identifier = unique(pascal(value), "", &mut taken);
                variants.push(Variant { identifier, value: value.to_owned() });
            }
        }
        let default = schema.default().and_then(|default| default.as_str()).map(str::to_owned);
        let one = Enum {
            name: self.type_name(place),
            path: place.path().to_owned(),
            description: schema.description().map(str::to_owned),
            default: default.filter(|default| names.contains(&default.as_str())),
            variants,
        };
        self.model.items.push(Item::Enum(one));
        self.model.items.len() - 1
    }

    /// The kind and the properties on the way. `spec` is left out as far as that leaves a name of its own.
    fn type_name(&mut self, place: &Place) -> String {
        let name =
            |words: &[String]| words.iter().fold(self.kind.clone(), |name, word| name + pascal_part(word).as_str());
        let words = place.words();
        let short = if words.first().is_some_and(|first| first == "spec") { &words[1..] } else { words };
        let (short, long) = (name(short), name(words));
        let name = if self.names.contains(&short) { long } else { short };
        unique(name, "", &mut self.names)
    }

    fn is_elided(&mut self, place: &Place) -> bool {
        let key = self.options.elision_at(&self.definition.spec.names.kind, place.path());
        self.used.extend(key.map(str::to_owned));
        key.is_some()
    }

    fn problem(&self, place: &Place, problem: &str) -> Error {
        Error::NotExpressible {
            definition: self.definition.metadata.name.clone(),
            version: self.version.name.clone(),
            path: place.path().to_owned(),
            problem: problem.to_owned(),
        }
    }
}

/// What the server allows in an embedded object without its being in the schema.
fn add_fields_of_every_object(fields: &mut Vec<Field>, identifiers: &mut FieldNames) {
    let types =
        [("apiVersion", Type::String), ("kind", Type::String), ("metadata", Type::External(External::ObjectMeta))];
    for (name, type_) in types {
        if fields.iter().all(|field| field.name != name) {
            fields.push(Field {
                name: name.to_owned(),
                identifier: identifiers.of(name),
                description: None,
                type_: Type::Optional(Box::new(type_)),
                presence: Presence::Optional,
            });
        }
    }
}

/// An embedded object of which nothing is known but that it is one.
fn is_any_object(schema: Schema<'_>) -> bool {
    let is_known = |name: &str| ["apiVersion", "kind", "metadata"].contains(&name);
    schema.is("x-kubernetes-embedded-resource")
        && schema.preserves_unknown_fields()
        && schema.properties().all(|(name, _)| is_known(name))
}

fn integer(format: Option<&str>) -> &'static str {
    match format {
        Some("int8") => "i8",
        Some("int16") => "i16",
        Some("int32") => "i32",
        Some("uint8") => "u8",
        Some("uint16") => "u16",
        Some("uint32") => "u32",
        Some("uint64" | "uint") => "u64",
        _ => "i64",
    }
}

/// A property as part of the name of a type, where it may begin with a digit.
fn pascal_part(word: &str) -> String {
    pascal(word).trim_matches('_').to_owned()
}

/// Names that the generated code uses for other things.
fn reserved() -> BTreeSet<String> {
    ["Box", "Default", "None", "Option", "Self", "Some", "String", "Vec"].map(str::to_owned).into()
}

/// How the pattern of a quantity begins in the schemas that controller-gen writes.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|";
