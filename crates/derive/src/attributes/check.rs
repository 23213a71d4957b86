//! Whether the attributes are valid together.
//!
//! In: all attributes. Out: the same, with defaults filled in, or the mistakes.

use proc_macro2::Span;
use syn::{Attribute, Data, DeriveInput, Ident, LitStr};

use super::{Attributes, SchemaMode, Scope, Shape, Written};
use crate::mistakes::Mistakes;
use crate::names::plural_of;
use crate::value::{Entry, Value, entries_of};

impl Written {
    pub(super) fn check(mut self, input: &DeriveInput) -> syn::Result<Attributes> {
        let group = self.group.take();
        let group = self.require("group", group);
        let version = self.version.take();
        let version = self.require("version", version);
        let kind = self.kind.take();
        let kind = self.require("kind", kind);
        let root = kind.clone().and_then(|kind| self.root(&kind, &input.ident));
        let status = self.status.take();
        let schema = self.schema_mode();
        let has_cel = self.cel == Some(true);
        if has_cel && schema != SchemaMode::Derived {
            let message = "`cel` evaluates the rules of the derived schema: leave `schema` out";
            self.mistakes.say(Span::call_site(), message);
        }
        let shape = if self.no_spec == Some(true) { Shape::Flat } else { Shape::Spec };
        let is_spec_optional = self.optional_spec == Some(true);
        if shape == Shape::Flat {
            refuse_fields_of_the_root(input, &mut self.mistakes);
            if is_spec_optional {
                let message = "with `no_spec` there is no spec that an object could lack: leave `optional_spec` out";
                self.mistakes.say(Span::call_site(), message);
            }
        }

        // If one of the four is missing, that is a mistake and this value is not used.
        let text = |text: Option<LitStr>| text.map_or_else(String::new, |text| text.value());
        let (group, version, kind) = (text(group), text(version), text(kind));
        let singular = self.singular.map_or_else(|| kind.to_ascii_lowercase(), |singular| singular.value());
        let attributes = Attributes {
            plural: self.plural.map_or_else(|| plural_of(&singular), |plural| plural.value()),
            singular,
            scope: if self.namespaced == Some(true) { Scope::Namespaced } else { Scope::Cluster },
            doc: self.doc.map(|doc| doc.value()),
            is_served: self.served.unwrap_or(true),
            is_stored: self.storage.unwrap_or(true),
            lists: self.lists,
            scale: self.scale,
            deprecation: self.deprecation,
            crates: self.crates,
            root: root.unwrap_or_else(|| input.ident.clone()),
            group,
            version,
            kind,
            shape,
            is_spec_optional,
            schema,
            status,
            has_cel,
        };
        self.mistakes.or(attributes)
    }

    fn require(&mut self, name: &str, value: Option<LitStr>) -> Option<LitStr> {
        if value.is_none() && !self.mistakes.are_about(name) {
            self.mistakes.say(Span::call_site(), format!("`#[kube({name} = \"…\")]` is missing"));
        }
        value
    }

    fn root(&mut self, kind: &LitStr, spec: &Ident) -> Option<Ident> {
        let (attribute, root) = self.root.as_ref().map_or(("kind", kind), |root| ("root", root));
        let Ok(identifier) = root.parse::<Ident>() else {
            let message = format!("`{attribute}` must be the name of a struct, such as \"Document\"");
            self.mistakes.say(root.span(), message);
            return None;
        };
        if identifier == *spec {
            let message = format!(
                "`{attribute}` names the struct that is generated, so the spec needs another name, such as `{spec}Spec`"
            );
            self.mistakes.say(root.span(), message);
        }
        Some(identifier)
    }

    fn schema_mode(&mut self) -> SchemaMode {
        let Some((written, span)) = self.schema.take() else {
            return SchemaMode::Derived;
        };
        let mode = match written.as_str() {
            "derived" => return SchemaMode::Derived,
            "manual" => SchemaMode::Manual,
            "disabled" => SchemaMode::Disabled,
            _ => {
                let message = "`schema` is \"derived\", \"manual\" or \"disabled\"";
                self.mistakes.say(span, message);
                return SchemaMode::Derived;
            }
        };
        if !self.lists.rules.is_empty() {
            let message = "`validation` is written into the derived schema, and this kind has none: write the rule \
                           into the schema yourself";
            self.mistakes.say(span, message);
        }
        mode
    }
}

/// Fields beside `metadata` cannot have the names of fields that every object has.
fn refuse_fields_of_the_root(input: &DeriveInput, mistakes: &mut Mistakes) {
    let Data::Struct(data) = &input.data else {
        return;
    };
    for field in &data.fields {
        let Some(identifier) = &field.ident else {
            mistakes.say(Span::call_site(), "`no_spec` needs a struct with named fields");
            return;
        };
        let name = renamed(&field.attrs).unwrap_or_else(|| written_name(identifier, input));
        if ["apiVersion", "kind", "metadata", "status"].contains(&name.as_str()) {
            let message = format!("with `no_spec` this field would be the object's own `{name}`: give it another name");
            mistakes.say(identifier.span(), message);
        }
    }
}

fn written_name(identifier: &Ident, input: &DeriveInput) -> String {
    let name = identifier.to_string();
    let is_renamed = |entry: &Entry| entry.name == "rename_all";
    match name.as_str() {
        "api_version" if serde_entries(&input.attrs).iter().any(is_renamed) => "apiVersion".to_owned(),
        _ => name,
    }
}

fn renamed(attributes: &[Attribute]) -> Option<String> {
    let rename = serde_entries(attributes).into_iter().find(|entry| entry.name == "rename")?;
    match rename.value {
        Value::Is(_) => rename.value.text().ok().map(|name| name.value()),
        _ => None,
    }
}

fn serde_entries(attributes: &[Attribute]) -> Vec<Entry> {
    // serde reports mistakes in its own attributes.
    entries_of(attributes, "serde", &mut Mistakes::default())
}
