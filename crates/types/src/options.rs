//! What the user chose. [`Generator`](crate::Generator) sets it; the rest of the crate reads it.

/// Which versions of a definition get types.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum Versions {
    /// The one that objects are stored in.
    #[default]
    Storage,
    Named(String),
    All,
}

/// Where the schema in the definition of a generated type comes from: what `Widget::crd()` returns.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum SchemaSource {
    /// There is none, because something else installs the definition. The generated code does not need schemars.
    #[default]
    None,
    /// The schema that the types were generated from is in the generated code, with its descriptions, defaults, patterns
    /// and rules: `Widget::crd()` can be installed in a test's server and refuses what the original refuses.
    Original,
    /// Every type derives `JsonSchema`, so that it can be a part of other custom resources. The schema has the shape of the
    /// original and not its rules. Types of k8s-openapi in it need k8s-openapi's feature `schemars`.
    Derived,
}

/// The type of objects with arbitrary keys.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Maps {
    /// `BTreeMap`, as in k8s-openapi: sorted, so that the same object is always written as the same bytes.
    #[default]
    BTreeMap,
    /// `HashMap`.
    HashMap,
}

/// Whether descriptions become documentation.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Docs {
    #[default]
    FromDescriptions,
    None,
}

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) versions: Versions,
    pub(crate) schema: SchemaSource,
    pub(crate) maps: Maps,
    pub(crate) docs: Docs,
    pub(crate) crate_name: String,
    pub(crate) uses_well_known: bool,
    /// Traits besides those that every type has.
    pub(crate) derives: Vec<String>,
    /// The types of places, by path.
    pub(crate) types: Vec<(String, String)>,
    /// The paths of fields that are left out.
    pub(crate) elided: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            versions: Versions::default(),
            schema: SchemaSource::default(),
            maps: Maps::default(),
            docs: Docs::default(),
            crate_name: "pintle".to_owned(),
            uses_well_known: false,
            derives: Vec::new(),
            types: Vec::new(),
            elided: Vec::new(),
        }
    }
}

impl Options {
    /// The type that was chosen for a place of a kind, and the path as it was given.
    pub(crate) fn type_at(&self, kind: &str, path: &str) -> Option<(&str, &str)> {
        let chosen = self.types.iter().find(|(given, _)| names(given, kind, path))?;
        Some((&chosen.0, &chosen.1))
    }

    /// The path, as it was given, by which a field is left out.
    pub(crate) fn elision_at(&self, kind: &str, path: &str) -> Option<&str> {
        self.elided.iter().map(String::as_str).find(|given| names(given, kind, path))
    }
}

/// Whether a path as users write it, with or without the kind and a dot before it, names this place.
fn names(given: &str, kind: &str, path: &str) -> bool {
    let path_given = match given.split_once(':') {
        Some((kind_given, _)) if kind_given != kind => return false,
        Some((_, path_given)) => path_given,
        None => given,
    };
    path_given.trim_start_matches('.') == path
}

impl Maps {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::BTreeMap => "std::collections::BTreeMap",
            Self::HashMap => "std::collections::HashMap",
        }
    }
}
