//! What makes a struct a kind: `#[kube(…)]`, and the original schema where it is asked for.

use serde_json::{Value, json};

use super::Printer;
use crate::definition::{Column, Scale};
use crate::doc_comment;
use crate::model::{Shape, Struct};
use crate::options::{Docs, SchemaSource};

impl Printer<'_> {
    /// `#[kube(…)]`, as many as fit on a line.
    pub(super) fn kube_attributes(&self) -> String {
        let mut attributes = self.names();
        attributes.extend(self.parts());
        attributes.extend(self.version.additional_printer_columns.iter().map(column));
        let selectable = self.version.selectable_fields.iter();
        attributes.extend(selectable.map(|field| format!("selectable = {:?}", field.json_path)));
        attributes.extend(self.served());
        let mut lines: Vec<String> = Vec::new();
        for attribute in attributes {
            match lines.last_mut() {
                Some(line) if line.len() + attribute.len() < LINE => line.push_str(&format!(", {attribute}")),
                _ => lines.push(attribute),
            }
        }
        lines.iter().map(|line| format!("#[kube({line})]\n")).collect()
    }

    fn names(&self) -> Vec<String> {
        let (spec, version) = (&self.definition.spec, &self.version.name);
        let names = &spec.names;
        let kind = &names.kind;
        let mut attributes = vec![format!(
            "group = {:?}, version = {version:?}, kind = {kind:?}, plural = {:?}",
            spec.group, names.plural
        )];
        if self.model.root.name != *kind {
            attributes.push(format!("root = {:?}", self.model.root.name));
        }
        let singular = names.singular.iter().filter(|singular| **singular != kind.to_ascii_lowercase());
        attributes.extend(singular.map(|singular| format!("singular = {singular:?}")));
        attributes.extend(names.short_names.iter().map(|name| format!("shortname = {name:?}")));
        attributes.extend(names.categories.iter().map(|name| format!("category = {name:?}")));
        if spec.scope == "Namespaced" {
            attributes.push("namespaced".to_owned());
        }
        attributes
    }

    fn parts(&self) -> Vec<String> {
        let mut attributes = Vec::new();
        let root = &self.model.root;
        let spec = self.model.struct_at(root.spec);
        match root.shape {
            Shape::Spec => {}
            // With required fields there is nothing to take for it: an object without it is not decoded.
            Shape::OptionalSpec if spec.is_some_and(Struct::can_be_empty) => {
                attributes.push("optional_spec".to_owned());
            }
            Shape::OptionalSpec => {}
            Shape::Flat => attributes.push("no_spec".to_owned()),
        }
        if let Some(status) = root.status.and_then(|status| self.model.struct_at(status)) {
            attributes.push(format!("status = {:?}", status.name));
        }
        attributes.extend(self.version.subresources.scale.as_ref().map(scale));
        attributes.push("derive = \"PartialEq\"".to_owned());
        if spec.is_some_and(|spec| self.model.struct_has_default(spec)) {
            attributes.push("derive = \"Default\"".to_owned());
        }
        let schema = match self.options.schema {
            SchemaSource::None => Some("disabled"),
            SchemaSource::Original => Some("manual"),
            SchemaSource::Derived => None,
        };
        attributes.extend(schema.map(|schema| format!("schema = {schema:?}")));
        attributes.extend(self.root_docs().map(|docs| format!("doc = {docs:?}")));
        attributes
    }

    fn root_docs(&self) -> Option<String> {
        let description = self.version.schema.root.as_ref()?.get("description").and_then(Value::as_str);
        let description = description.filter(|_| self.options.docs == Docs::FromDescriptions)?;
        Some(doc_comment::lines(description, usize::MAX).join("\n"))
    }

    fn served(&self) -> Vec<String> {
        let mut attributes = Vec::new();
        if !self.version.served {
            attributes.push("served = false".to_owned());
        }
        if !self.version.storage {
            attributes.push("storage = false".to_owned());
        }
        match (self.version.deprecated, &self.version.deprecation_warning) {
            (true, Some(warning)) => attributes.push(format!("deprecated = {warning:?}")),
            (true, None) => attributes.push("deprecated".to_owned()),
            (false, _) => {}
        }
        attributes
    }

    /// `JsonSchema` of the kind: the schema that all this was generated from.
    pub(super) fn original_schema(&self) -> Option<String> {
        if self.options.schema != SchemaSource::Original {
            return None;
        }
        let schema = self.version.schema.root.as_ref()?;
        let json = serde_json::to_string_pretty(schema).unwrap_or_default().replace('\n', "\n        ");
        let hashes = "#".repeat(hashes_around(&json));
        let name = &self.model.root.name;
        Some(format!(
            "impl schemars::JsonSchema for {name} {{\n    \
                 fn schema_name() -> std::borrow::Cow<'static, str> {{\n        \
                     {name:?}.into()\n    \
                 }}\n\n    \
                 /// The schema that the types were generated from.\n    \
                 fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {{\n        \
                     const SCHEMA: &str = r{hashes}\"{json}\"{hashes};\n        \
                     serde_json::from_str(SCHEMA).expect(\"it was printed as JSON\")\n    \
                 }}\n\
             }}\n"
        ))
    }
}

/// As JSON: clippy takes the same argument in two attributes, such as `type_ = "string"`, for a repetition.
fn column(column: &Column) -> String {
    let Column { name, type_, json_path, description, format, priority } = column;
    let mut json = json!({"name": name, "type": type_, "jsonPath": json_path});
    let optional = [("description", description.clone().map(Value::from)), ("format", format.clone().map(Value::from))];
    for (key, value) in optional.into_iter().chain([("priority", (*priority != 0).then(|| (*priority).into()))]) {
        if let Some(value) = value {
            json[key] = value;
        }
    }
    let json = json.to_string();
    let hashes = "#".repeat(hashes_around(&json));
    format!("printcolumn = r{hashes}\"{json}\"{hashes}")
}

fn scale(scale: &Scale) -> String {
    let Scale { spec_replicas_path, status_replicas_path, label_selector_path } = scale;
    let selector = label_selector_path.iter().map(|path| format!(", label_selector_path = {path:?}"));
    let selector: String = selector.collect();
    format!(
        "scale(spec_replicas_path = {spec_replicas_path:?}, status_replicas_path = {status_replicas_path:?}{selector})"
    )
}

/// How wide a line of attributes may get: rustfmt's default, without `#[kube()]` and the indent.
const LINE: usize = 80;

/// How many `#` a raw string with this text needs.
fn hashes_around(text: &str) -> usize {
    let runs = text.split('"').skip(1).map(|after| after.chars().take_while(|&letter| letter == '#').count());
    runs.max().map_or(0, |longest| longest + 1)
}
