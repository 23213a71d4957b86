//! `printcolumn` and `scale`, in both forms: typed arguments, or the JSON of the definition as a string.
//!
//! In: the value of the attribute. Out: its facts as tokens of `pintle-core`'s structs. The JSON is read here, when
//! the program is compiled, so that a mistake in it is reported there and not when the definition is first asked for.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitStr, Result};

use crate::mistakes::Mistakes;
use crate::value::Value;

/// One column of `kubectl get`.
pub(crate) struct Column {
    name: String,
    type_: String,
    json_path: String,
    description: Option<String>,
    format: Option<String>,
    priority: Option<i32>,
}

/// The paths of the `scale` subresource.
pub(crate) struct Scale {
    spec_replicas_path: String,
    status_replicas_path: String,
    label_selector_path: Option<String>,
}

impl Column {
    pub(super) fn read(value: &Value, mistakes: &mut Mistakes) -> Option<Self> {
        const KNOWN: &[&str] = &["name", "type_", "json_path", "description", "format", "priority"];
        let mut fields = Fields::read("printcolumn", KNOWN, value, mistakes)?;
        let required = ["name", "type_", "json_path"].map(|field| fields.required(field, mistakes));
        let [description, format] = ["description", "format"].map(|field| fields.text(field, mistakes));
        let priority = fields.take("priority").and_then(|value| mistakes.keep(value.number()));
        let [name, type_, json_path] = required;
        Some(Self { name: name?, type_: type_?, json_path: json_path?, description, format, priority })
    }

    pub(crate) fn tokens(&self, core: &TokenStream) -> TokenStream {
        let Self { name, type_, json_path, .. } = self;
        let [description, format] = [&self.description, &self.format].map(|text| optional(text.as_ref()));
        let priority = optional(self.priority.as_ref());
        quote! {
            #core::crd::definition::Column {
                name: #name,
                type_: #type_,
                json_path: #json_path,
                description: #description,
                format: #format,
                priority: #priority,
            }
        }
    }
}

impl Scale {
    pub(super) fn read(value: &Value, mistakes: &mut Mistakes) -> Option<Self> {
        const KNOWN: &[&str] = &["spec_replicas_path", "status_replicas_path", "label_selector_path"];
        let mut fields = Fields::read("scale", KNOWN, value, mistakes)?;
        let paths = ["spec_replicas_path", "status_replicas_path"].map(|field| fields.required(field, mistakes));
        let label_selector_path = fields.text("label_selector_path", mistakes);
        let [spec_replicas_path, status_replicas_path] = paths;
        Some(Self {
            spec_replicas_path: spec_replicas_path?,
            status_replicas_path: status_replicas_path?,
            label_selector_path,
        })
    }

    pub(crate) fn tokens(&self, core: &TokenStream) -> TokenStream {
        let Self { spec_replicas_path, status_replicas_path, .. } = self;
        let label_selector_path = optional(self.label_selector_path.as_ref());
        quote! {
            #core::crd::definition::Scale {
                spec_replicas_path: #spec_replicas_path,
                status_replicas_path: #status_replicas_path,
                label_selector_path: #label_selector_path,
            }
        }
    }
}

fn optional(value: Option<&impl quote::ToTokens>) -> TokenStream {
    value.map_or_else(|| quote!(::core::option::Option::None), |value| quote!(::core::option::Option::Some(#value)))
}

/// The named values of one attribute, taken one after the other.
struct Fields {
    attribute: &'static str,
    form: Form,
    span: Span,
    given: Vec<(Ident, Value)>,
    /// What was given under another name, and is therefore not missing.
    misspelled: Vec<String>,
}

/// How the values are written.
#[derive(Clone, Copy)]
enum Form {
    Typed,
    Json,
}

impl Fields {
    fn read(attribute: &'static str, known: &[&str], value: &Value, mistakes: &mut Mistakes) -> Option<Self> {
        let (form, mut given) = match value {
            Value::List(values) => (Form::Typed, values.named(mistakes)),
            _ => (Form::Json, mistakes.keep(value.text().and_then(|json| named_in(&json)))?),
        };
        let mut own = Mistakes::default();
        given.retain(|(name, _)| {
            let is_known = known.iter().any(|known| name == known);
            // Members of JSON that no column has are left out, as kube leaves them out.
            if !is_known && matches!(form, Form::Typed) {
                let message = format!("`{attribute}` does not know this argument");
                own.unknown(name.span(), &name.to_string(), known, &message);
            }
            is_known
        });
        Some(Self { attribute, form, span: value.span(), given, misspelled: mistakes.take_over(own) })
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.given.iter().position(|(given, _)| given == name)?;
        Some(self.given.remove(index).1)
    }

    fn text(&mut self, name: &str, mistakes: &mut Mistakes) -> Option<String> {
        let text = self.take(name)?.text();
        mistakes.keep(text).map(|text| text.value())
    }

    fn required(&mut self, name: &str, mistakes: &mut Mistakes) -> Option<String> {
        let is_given = self.given.iter().any(|(given, _)| given == name);
        if !is_given && !self.misspelled.iter().any(|meant| meant == name) {
            mistakes.say(self.span, format!("`{}` has no `{}`", self.attribute, self.form.spell(name)));
        }
        self.text(name, mistakes)
    }
}

impl Form {
    /// An argument as the user spells it.
    fn spell(self, argument: &str) -> String {
        match self {
            Self::Typed => argument.to_owned(),
            Self::Json => member(argument),
        }
    }
}

/// The members of a JSON object, under the names that the typed arguments have.
fn named_in(json: &LitStr) -> Result<Vec<(Ident, Value)>> {
    let wrong = |message: String| Error::new(json.span(), message);
    let members: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&json.value()).map_err(|error| wrong(format!("this is not a JSON object: {error}")))?;
    let mut named = Vec::new();
    for (key, value) in members {
        let text = match value {
            serde_json::Value::Null => continue,
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let mut name =
            syn::parse_str::<Ident>(&argument(&key)).map_err(|_| wrong(format!("unknown member `{key}`")))?;
        name.set_span(json.span());
        let text = Lit::Str(LitStr::new(&text, json.span()));
        named.push((name, Value::Is(Expr::Lit(ExprLit { attrs: Vec::new(), lit: text }))));
    }
    Ok(named)
}

/// The argument of a member: `json_path` of `jsonPath`, and `type_` of `type`, which is a keyword of Rust.
fn argument(member: &str) -> String {
    if member == "type" {
        return "type_".to_owned();
    }
    let mut name = String::new();
    for letter in member.chars() {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// The member of an argument, the other way round.
fn member(argument: &str) -> String {
    let mut words = argument.trim_end_matches('_').split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.len().min(1));
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name
}
