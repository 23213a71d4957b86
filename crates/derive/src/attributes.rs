//! What the user wrote in `#[kube(…)]`.
//!
//! In: the attributes of the spec. Out: [`Attributes`], complete and checked, or every mistake at its location.
//! `attributes/column.rs` reads `printcolumn` and `scale`, `attributes/check.rs` checks them together. Nothing is
//! ignored silently.

mod check;
mod column;

use proc_macro2::Span;
use syn::{DeriveInput, Error, Expr, Ident, LitStr, Meta, Path, Result, Type};

use self::column::{Column, Scale};
use crate::mistakes::Mistakes;
use crate::paths::Crates;
use crate::value::{Entry, Value, entries_of};

/// What the attributes say about one custom resource.
pub(crate) struct Attributes {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    /// The name of the generated struct, which is the kind unless `root` says otherwise.
    pub(crate) root: Ident,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) shape: Shape,
    /// Whether an object without `spec` has the default spec.
    pub(crate) is_spec_optional: bool,
    pub(crate) scope: Scope,
    pub(crate) schema: SchemaMode,
    pub(crate) status: Option<Type>,
    pub(crate) doc: Option<String>,
    pub(crate) is_served: bool,
    pub(crate) is_stored: bool,
    pub(crate) lists: Lists,
    pub(crate) scale: Option<Scale>,
    pub(crate) deprecation: Option<Deprecation>,
    pub(crate) crates: Crates,
    /// Whether the rules can be evaluated without a server.
    pub(crate) has_cel: bool,
}

/// The attributes that may be repeated.
#[derive(Default)]
pub(crate) struct Lists {
    pub(crate) shortnames: Vec<LitStr>,
    pub(crate) categories: Vec<LitStr>,
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: Vec<LitStr>,
    pub(crate) annotations: Vec<(String, String)>,
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) derives: Vec<Path>,
    pub(crate) attributes: Vec<Meta>,
    pub(crate) rules: Vec<Expr>,
}

/// Where the objects of the kind live.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Scope {
    Cluster,
    Namespaced,
}

/// Where the fields of the spec are in the object.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Shape {
    /// Under `spec`.
    Spec,
    /// Beside `metadata`.
    Flat,
}

/// Where the schema of the definition comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SchemaMode {
    Derived,
    Manual,
    Disabled,
}

/// `deprecated`, with or without the text of its warning.
pub(crate) enum Deprecation {
    Plain,
    Warning(String),
}

impl Attributes {
    /// Reads all `#[kube(…)]` attributes of the spec.
    pub(crate) fn read(input: &DeriveInput) -> Result<Self> {
        let mut written = Written::default();
        for entry in entries_of(&input.attrs, "kube", &mut written.mistakes) {
            written.read(entry);
        }
        written.check(input)
    }
}

/// The attributes read so far, and the mistakes found so far.
#[derive(Default)]
struct Written {
    group: Option<LitStr>,
    version: Option<LitStr>,
    kind: Option<LitStr>,
    root: Option<LitStr>,
    plural: Option<LitStr>,
    singular: Option<LitStr>,
    status: Option<Type>,
    doc: Option<LitStr>,
    schema: Option<(String, Span)>,
    namespaced: Option<bool>,
    no_spec: Option<bool>,
    optional_spec: Option<bool>,
    cel: Option<bool>,
    served: Option<bool>,
    storage: Option<bool>,
    scale: Option<Scale>,
    deprecation: Option<Deprecation>,
    lists: Lists,
    crates: Crates,
    mistakes: Mistakes,
}

impl Written {
    fn read(&mut self, entry: Entry) {
        let name = entry.name.to_string();
        let once = match name.as_str() {
            "group" => &mut self.group,
            "version" => &mut self.version,
            "kind" => &mut self.kind,
            "root" => &mut self.root,
            "plural" => &mut self.plural,
            "singular" => &mut self.singular,
            "doc" => &mut self.doc,
            _ => return self.read_truth(&name, entry),
        };
        set_once(once, &entry, entry.value.text(), &mut self.mistakes);
    }

    fn read_truth(&mut self, name: &str, entry: Entry) {
        let once = match name {
            "namespaced" => &mut self.namespaced,
            "no_spec" => &mut self.no_spec,
            "optional_spec" => &mut self.optional_spec,
            "cel" => &mut self.cel,
            "served" => &mut self.served,
            "storage" => &mut self.storage,
            _ => return self.read_other(name, entry),
        };
        set_once(once, &entry, entry.value.truth(), &mut self.mistakes);
    }

    fn read_other(&mut self, name: &str, entry: Entry) {
        let mistakes = &mut self.mistakes;
        match name {
            "status" => set_once(&mut self.status, &entry, entry.value.type_name(), mistakes),
            "schema" => set_once(&mut self.schema, &entry, entry.value.choice(), mistakes),
            "scale" if self.scale.is_some() => mistakes.say(entry.name.span(), "`scale` is given twice"),
            "scale" => self.scale = Scale::read(&entry.value, mistakes),
            "deprecated" => self.deprecation = mistakes.keep(deprecation(&entry.value)),
            _ => self.read_many(name, entry),
        }
    }

    fn read_many(&mut self, name: &str, entry: Entry) {
        let (lists, mistakes, value) = (&mut self.lists, &mut self.mistakes, entry.value);
        match name {
            "shortname" => lists.shortnames.extend(mistakes.keep(value.text())),
            "category" => lists.categories.extend(mistakes.keep(value.text())),
            "selectable" => lists.selectable.extend(mistakes.keep(value.text())),
            "printcolumn" => lists.columns.extend(Column::read(&value, mistakes)),
            "annotation" => lists.annotations.extend(mistakes.keep(pair(&value))),
            "label" => lists.labels.extend(mistakes.keep(pair(&value))),
            "derive" => lists.derives.extend(mistakes.keep(value.text().and_then(|text| path(&text)))),
            "attr" => lists.attributes.extend(mistakes.keep(value.text().and_then(|text| attribute(&text)))),
            "validation" => lists.rules.extend(mistakes.keep(value.expression())),
            "crates" => match value {
                Value::List(crates) => self.crates.read(&crates, mistakes),
                _ => mistakes.say(value.span(), "expected `crates(kube_core = \"…\", …)`"),
            },
            _ => mistakes.unknown(entry.name.span(), name, KNOWN, "`#[kube(…)]` has no such attribute"),
        }
    }
}

fn set_once<T>(once: &mut Option<T>, entry: &Entry, value: Result<T>, mistakes: &mut Mistakes) {
    let name = entry.name.to_string();
    match value {
        Ok(_) if once.is_some() => mistakes.say(entry.name.span(), format!("`{name}` is given twice")),
        Ok(value) => *once = Some(value),
        Err(mistake) => mistakes.add_about(&name, mistake),
    }
}

fn pair(value: &Value) -> Result<(String, String)> {
    match value {
        Value::List(values) => values.pair(),
        _ => Err(Error::new(value.span(), "expected `(\"key\", \"value\")`")),
    }
}

fn deprecation(value: &Value) -> Result<Deprecation> {
    match value {
        Value::Word(_) => Ok(Deprecation::Plain),
        _ => value.text().map(|warning| Deprecation::Warning(warning.value())),
    }
}

fn path(text: &LitStr) -> Result<Path> {
    text.parse().map_err(|_| Error::new(text.span(), "expected the name of one trait, such as \"PartialEq\""))
}

fn attribute(text: &LitStr) -> Result<Meta> {
    let meta: Meta = text.parse()?;
    // Their attributes would change what the rest of the generated code relies on.
    for reserved in ["derive", "serde", "schemars"] {
        if meta.path().is_ident(reserved) {
            let message = match reserved {
                "derive" => "to derive a trait for the generated struct, write `derive = \"…\"`".to_owned(),
                _ => format!("`{reserved}` attributes of the generated struct are the macro's own"),
            };
            return Err(Error::new(text.span(), message));
        }
    }
    Ok(meta)
}

/// The attributes that exist.
const KNOWN: &[&str] = &[
    "group",
    "version",
    "kind",
    "namespaced",
    "optional_spec",
    "status",
    "plural",
    "singular",
    "shortname",
    "category",
    "printcolumn",
    "scale",
    "selectable",
    "validation",
    "doc",
    "root",
    "derive",
    "attr",
    "schema",
    "no_spec",
    "cel",
    "served",
    "storage",
    "deprecated",
    "annotation",
    "label",
    "crates",
];
