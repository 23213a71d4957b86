//! The Rust source of one version.
//!
//! In: a [`Model`] and the definition. Out: the content of a module: what it uses, the struct with
//! `#[derive(CustomResource)]` (`print/root.rs`), then every other type, each before those that only it uses. Names of
//! libraries are imported unless a generated type has the same name.

mod root;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::default_value::DefaultValues;
use crate::definition::{Definition, Version};
use crate::doc_comment;
use crate::identifier::camel_by_serde;
use crate::model::{Enum, Field, Item, Model, Presence, Struct, Type};
use crate::options::{Docs, Options, SchemaSource};
use crate::schema::Place;

/// Prints the types of a version.
pub(crate) fn print(options: &Options, definition: &Definition, version: &Version, model: &Model) -> String {
    let taken = model.items.iter().map(|item| item.name().to_owned()).chain([model.root.name.clone()]).collect();
    let printer = Printer { options, definition, version, model, taken, imports: RefCell::default() };
    let mut items = Vec::new();
    for (index, item) in model.items.iter().enumerate() {
        items.push(match item {
            Item::Struct(one) => printer.structure(one, index == model.root.spec),
            Item::Enum(one) => printer.enumeration(one),
        });
    }
    items.extend(printer.original_schema());
    let mut source = String::new();
    for (module, names) in by_module(&printer.imports.into_inner()) {
        let names =
            if let [only] = names.as_slice() { (*only).to_owned() } else { format!("{{{}}}", names.join(", ")) };
        source.push_str(&format!("use {module}::{names};\n"));
    }
    for item in items {
        source.push_str(&format!("\n{item}"));
    }
    source
}

/// The imported paths by their modules.
fn by_module(paths: &BTreeSet<String>) -> BTreeMap<&str, Vec<&str>> {
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (module, name) in paths.iter().filter_map(|path| path.rsplit_once("::")) {
        modules.entry(module).or_default().push(name);
    }
    modules
}

/// The lines one level deeper.
pub(crate) fn indented(source: &str) -> String {
    let indent = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    source.lines().map(indent).collect()
}

struct Printer<'a> {
    options: &'a Options,
    definition: &'a Definition,
    version: &'a Version,
    model: &'a Model,
    /// The names of generated types.
    taken: BTreeSet<String>,
    /// The paths that were used by their last name so far.
    imports: RefCell<BTreeSet<String>>,
}

impl Printer<'_> {
    fn structure(&self, one: &Struct, is_root: bool) -> String {
        let mut source = self.type_docs(one.description.as_deref(), &one.path);
        let has_default = self.model.struct_has_default(one);
        let is_derived = has_default && !one.fields.iter().any(has_own_default);
        let mut derives = if is_root { vec![self.own("CustomResource")] } else { Vec::new() };
        derives.extend(self.derives(is_derived, self.model.struct_is_eq(one)));
        source.push_str(&format!("#[derive({})]\n", derives.join(", ")));
        if is_root {
            source.push_str(&self.kube_attributes());
        }
        let is_camel = one.fields.iter().any(|field| field.name != field.identifier);
        if is_camel {
            source.push_str("#[serde(rename_all = \"camelCase\")]\n");
        }
        let fields: String = one.fields.iter().map(|field| self.field(one, field, is_camel)).collect();
        let rest = one.rest.as_ref().map(|(identifier, type_)| self.rest(identifier, type_)).unwrap_or_default();
        source.push_str(&if fields.is_empty() && rest.is_empty() {
            format!("pub struct {} {{}}\n", one.name)
        } else {
            format!("pub struct {} {{\n{}}}\n", one.name, indented(&format!("{fields}{rest}")))
        });
        source.push_str(&self.default_functions(one));
        if has_default && !is_derived {
            source.push_str(&default_impl(one));
        }
        source
    }

    fn field(&self, one: &Struct, field: &Field, is_camel: bool) -> String {
        let mut source = self.docs(field.description.as_deref(), 4);
        let mut serde = Vec::new();
        let by_itself = if is_camel { camel_by_serde(&field.identifier) } else { field.identifier.clone() };
        if by_itself != field.name {
            serde.push(format!("rename = {:?}", field.name));
        }
        match &field.presence {
            Presence::Required => {}
            Presence::Optional => {
                serde.push("default".to_owned());
                serde.push("skip_serializing_if = \"Option::is_none\"".to_owned());
            }
            Presence::Default => serde.push("default".to_owned()),
            Presence::DefaultTo(_) => serde.push(format!("default = \"{}::{}\"", one.name, field.default_function())),
        }
        if !serde.is_empty() {
            source.push_str(&format!("#[serde({})]\n", serde.join(", ")));
        }
        source.push_str(&format!("pub {}: {},\n", field.identifier, self.type_name(&field.type_)));
        source
    }

    /// The field for what has no name.
    fn rest(&self, identifier: &str, type_: &Type) -> String {
        let docs = self.docs(Some("The other fields, by name."), 4);
        let map = Type::Map(Box::new(type_.clone()));
        format!("{docs}#[serde(flatten)]\npub {identifier}: {},\n", self.type_name(&map))
    }

    fn default_functions(&self, one: &Struct) -> String {
        let mut functions = Vec::new();
        for field in &one.fields {
            if let Presence::DefaultTo(value) = &field.presence {
                let (name, type_) = (field.default_function(), self.type_name(&field.type_));
                let name_of = |path: &str| self.import(path);
                let values = DefaultValues { model: self.model, maps: self.options.maps, name_of: &name_of };
                let expression = values.expression(value, &field.type_, &Place::default());
                let expression = expression.expect("a default that does not fit ends the plan");
                functions.push(format!("    fn {name}() -> {type_} {{\n        {expression}\n    }}\n"));
            }
        }
        if functions.is_empty() {
            return String::new();
        }
        format!("\nimpl {} {{\n{}}}\n", one.name, functions.join("\n"))
    }

    fn enumeration(&self, one: &Enum) -> String {
        let mut source = self.type_docs(one.description.as_deref(), &one.path);
        let mut derives = self.derives(one.default.is_some(), false);
        derives.insert(1, "Copy".to_owned());
        derives.extend(["Eq".to_owned(), "Hash".to_owned()]);
        derives.sort();
        derives.dedup();
        source.push_str(&format!("#[derive({})]\npub enum {} {{\n", derives.join(", "), one.name));
        for variant in &one.variants {
            if one.default.as_ref() == Some(&variant.value) {
                source.push_str("    #[default]\n");
            }
            if variant.identifier != variant.value {
                source.push_str(&format!("    #[serde(rename = {:?})]\n", variant.value));
            }
            source.push_str(&format!("    {},\n", variant.identifier));
        }
        source.push_str("}\n");
        source
    }

    /// The traits of a type, sorted.
    fn derives(&self, has_default: bool, is_eq: bool) -> Vec<String> {
        let mut derives = vec!["Clone".to_owned(), "Debug".to_owned(), "PartialEq".to_owned()];
        derives.push(self.import("serde::Deserialize"));
        derives.push(self.import("serde::Serialize"));
        if has_default {
            derives.push("Default".to_owned());
        }
        if self.options.schema == SchemaSource::Derived {
            derives.push(self.import("schemars::JsonSchema"));
        }
        let is_possible = |name: &&String| name.as_str() != "Eq" || is_eq;
        derives.extend(self.options.derives.iter().filter(is_possible).cloned());
        derives.sort();
        derives.dedup();
        derives
    }

    fn type_name(&self, type_: &Type) -> String {
        match type_ {
            Type::Bool => "bool".to_owned(),
            Type::Integer(name) | Type::Float(name) => (*name).to_owned(),
            Type::String => "String".to_owned(),
            Type::Any => "serde_json::Value".to_owned(),
            Type::External(external) => self.import(external.path()),
            Type::Given(path) => path.clone(),
            Type::List(inner) => format!("Vec<{}>", self.type_name(inner)),
            Type::Map(inner) => {
                format!("{}<String, {}>", self.import(self.options.maps.path()), self.type_name(inner))
            }
            Type::Optional(inner) => format!("Option<{}>", self.type_name(inner)),
            Type::Item(index) => self.model.items[*index].name().to_owned(),
        }
    }

    /// A name of this library.
    fn own(&self, name: &str) -> String {
        self.import(&format!("{}::{name}", self.options.crate_name))
    }

    /// The last name of a path, which is imported, or the path if that name is taken.
    fn import(&self, path: &str) -> String {
        let name = path.rsplit("::").next().unwrap_or(path);
        if self.taken.contains(name) {
            return path.to_owned();
        }
        self.imports.borrow_mut().insert(path.to_owned());
        name.to_owned()
    }

    /// The documentation of a type: what is said of it, and else where it is.
    fn type_docs(&self, description: Option<&str>, path: &str) -> String {
        let kind = &self.definition.spec.names.kind;
        let place = if path.is_empty() { format!("The fields of `{kind}`.") } else { format!("`{path}` of `{kind}`.") };
        self.docs(Some(description.filter(|text| !text.trim().is_empty()).unwrap_or(&place)), 0)
    }

    fn docs(&self, description: Option<&str>, indent: usize) -> String {
        let Some(description) = description.filter(|_| self.options.docs == Docs::FromDescriptions) else {
            return String::new();
        };
        // Inside a module, behind `/// `.
        let lines = doc_comment::lines(description, WIDTH - 8 - indent);
        lines.iter().map(|line| format!("/// {line}").trim_end().to_owned() + "\n").collect()
    }
}

/// `Default` as the schema has it, which `#[derive(Default)]` does not know.
fn default_impl(one: &Struct) -> String {
    let mut fields: Vec<String> = Vec::new();
    for field in &one.fields {
        let value =
            if has_own_default(field) { format!("Self::{}()", field.default_function()) } else { DEFAULT.to_owned() };
        fields.push(format!("            {}: {value},\n", field.identifier));
    }
    fields.extend(one.rest.iter().map(|(identifier, _)| format!("            {identifier}: {DEFAULT},\n")));
    format!(
        "\nimpl Default for {} {{\n    fn default() -> Self {{\n        Self {{\n{}        }}\n    }}\n}}\n",
        one.name,
        fields.concat()
    )
}

fn has_own_default(field: &Field) -> bool {
    matches!(field.presence, Presence::DefaultTo(_))
}

const DEFAULT: &str = "Default::default()";

/// How wide documentation is: rustfmt's default for code.
const WIDTH: usize = 100;
