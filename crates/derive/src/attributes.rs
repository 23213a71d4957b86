//! What the user wrote in `#[kube(…)]`.
//!
//! In: the attributes of the spec. Out: [`Attributes`], complete and sensible, or every mistake, each at its place.
//! Attributes that kube has and we do not have yet are refused by name; none is skipped in silence.

use proc_macro2::{Span, TokenTree};
use syn::meta::ParseNestedMeta;
use syn::parse::ParseBuffer;
use syn::{DeriveInput, Error, Ident, LitStr, Result, Token, Type};

use crate::names::plural_of;

/// The facts of one custom resource.
pub(crate) struct Attributes {
    pub(crate) group: String,
    pub(crate) version: String,
    /// The kind, which is also the name of the generated struct.
    pub(crate) kind: Ident,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) shortnames: Vec<String>,
    pub(crate) scope: Scope,
    pub(crate) status: Option<Type>,
    pub(crate) doc: Option<String>,
}

/// Where the objects of the kind live.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Scope {
    Cluster,
    Namespaced,
}

impl Attributes {
    /// Reads all `#[kube(…)]` attributes of the spec.
    pub(crate) fn read(input: &DeriveInput) -> Result<Self> {
        let mut written = Written::default();
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("kube")) {
            if let Err(error) = attribute.parse_nested_meta(|meta| {
                written.read(&meta);
                Ok(())
            }) {
                written.mistakes.push(error);
            }
        }
        written.check(&input.ident)
    }
}

/// The attributes as far as they were read, with the mistakes met on the way.
#[derive(Default)]
struct Written {
    group: Option<LitStr>,
    version: Option<LitStr>,
    kind: Option<LitStr>,
    plural: Option<LitStr>,
    singular: Option<LitStr>,
    shortnames: Vec<LitStr>,
    status: Option<LitStr>,
    doc: Option<LitStr>,
    schema: Option<LitStr>,
    is_namespaced: bool,
    mistakes: Vec<Error>,
}

impl Written {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) {
        let name = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
        let once = match name.as_str() {
            "group" => &mut self.group,
            "version" => &mut self.version,
            "kind" => &mut self.kind,
            "plural" => &mut self.plural,
            "singular" => &mut self.singular,
            "status" => &mut self.status,
            "doc" => &mut self.doc,
            "schema" => &mut self.schema,
            "shortname" => return self.read_shortname(meta),
            "namespaced" => return self.is_namespaced = true,
            other => return self.refuse(other, meta),
        };
        match text(meta) {
            Ok(_) if once.is_some() => self.mistakes.push(meta.error(format!("`{name}` is given twice"))),
            Ok(value) => *once = Some(value),
            Err(mistake) => self.mistakes.push(mistake),
        }
    }

    fn read_shortname(&mut self, meta: &ParseNestedMeta<'_>) {
        match text(meta) {
            Ok(value) => self.shortnames.push(value),
            Err(mistake) => self.mistakes.push(mistake),
        }
    }

    fn refuse(&mut self, name: &str, meta: &ParseNestedMeta<'_>) {
        let message = if NOT_YET.contains(&name) {
            format!("`{name}` is not supported by pintle-derive yet")
        } else {
            format!("unknown attribute; `#[kube(…)]` knows {}", KNOWN.join(", "))
        };
        self.mistakes.push(Error::new_spanned(&meta.path, message));
        // The value is read past, so that the attributes after it are checked too.
        if let Err(mistake) = skip_value(meta) {
            self.mistakes.push(mistake);
        }
    }

    fn check(mut self, spec: &Ident) -> Result<Attributes> {
        let group = self.require("group", self.group.clone());
        let version = self.require("version", self.version.clone());
        let kind = self.require("kind", self.kind.clone()).and_then(|kind| self.identifier(&kind, spec));
        let status = self.status.take().and_then(|status| self.parse_type(&status));
        let schema = self.schema.take();
        if let Some(schema) = schema.filter(|schema| schema.value() != "derived") {
            let message = format!("`schema = \"{}\"` is not supported by pintle-derive yet", schema.value());
            self.mistakes.push(Error::new(schema.span(), message));
        }
        let names: Vec<LitStr> =
            [&self.plural, &self.singular].into_iter().flatten().chain(&self.shortnames).cloned().collect();
        names.iter().for_each(|name| self.lower_case(name));

        if let Some(mistake) = all(self.mistakes) {
            return Err(mistake);
        }
        let (Some(group), Some(version), Some(kind)) = (group, version, kind) else {
            unreachable!("a missing one of the three is a mistake, and there was none")
        };
        let lower_case = kind.to_string().to_lowercase();
        Ok(Attributes {
            group: group.value(),
            version: version.value(),
            plural: self.plural.map_or_else(|| plural_of(&lower_case), |plural| plural.value()),
            singular: self.singular.map_or(lower_case, |singular| singular.value()),
            shortnames: self.shortnames.iter().map(LitStr::value).collect(),
            scope: if self.is_namespaced { Scope::Namespaced } else { Scope::Cluster },
            doc: self.doc.map(|doc| doc.value()),
            kind,
            status,
        })
    }

    fn require(&mut self, name: &str, value: Option<LitStr>) -> Option<LitStr> {
        let (span, message) = match &value {
            None => (Span::call_site(), format!("`#[kube({name} = \"…\")]` is missing")),
            Some(text) if text.value().is_empty() => (text.span(), format!("`{name}` must not be empty")),
            Some(_) => return value,
        };
        self.mistakes.push(Error::new(span, message));
        None
    }

    fn identifier(&mut self, kind: &LitStr, spec: &Ident) -> Option<Ident> {
        let Ok(identifier) = kind.parse::<Ident>() else {
            self.mistakes.push(Error::new(kind.span(), "`kind` must be the name of a struct, such as \"Document\""));
            return None;
        };
        if identifier == *spec {
            let message = format!(
                "`kind` names the struct that is generated, so the spec needs another name, such as `{spec}Spec`"
            );
            self.mistakes.push(Error::new(kind.span(), message));
        }
        Some(identifier)
    }

    fn parse_type(&mut self, status: &LitStr) -> Option<Type> {
        status.parse().map_err(|error| self.mistakes.push(error)).ok()
    }

    fn lower_case(&mut self, name: &LitStr) {
        let is_label = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        if !is_label(&name.value()) {
            let message = "the API server takes only lower-case letters, digits and `-` in this name";
            self.mistakes.push(Error::new(name.span(), message));
        }
    }
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    let value = meta.value().and_then(ParseBuffer::parse);
    if value.is_err() {
        skip_value(meta)?;
    }
    value
}

fn skip_value(meta: &ParseNestedMeta<'_>) -> Result<()> {
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        meta.input.parse::<TokenTree>()?;
    }
    Ok(())
}

fn all(mistakes: Vec<Error>) -> Option<Error> {
    mistakes.into_iter().reduce(|mut all, mistake| {
        all.combine(mistake);
        all
    })
}

/// The attributes that work.
const KNOWN: &[&str] =
    &["group", "version", "kind", "namespaced", "status", "plural", "singular", "shortname", "doc", "schema"];

/// The attributes of kube that do not work yet.
const NOT_YET: &[&str] = &[
    "annotation",
    "attr",
    "category",
    "cel",
    "crates",
    "deprecated",
    "derive",
    "label",
    "no_spec",
    "printcolumn",
    "root",
    "scale",
    "selectable",
    "served",
    "storage",
    "validation",
];
