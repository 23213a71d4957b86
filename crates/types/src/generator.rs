//! The entry: definitions and options in, Rust source out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::definition::{Definition, Version, definitions_in};
use crate::error::Error;
use crate::identifier::{snake, unique};
use crate::options::{Docs, Maps, Options, SchemaSource, Versions};
use crate::plan::plan;
use crate::print::{indented, print};

/// Turns CustomResourceDefinitions into Rust types.
///
/// ```
/// # fn main() -> Result<(), pintle_types::Error> {
/// # let text = include_str!("../tests/definitions/certificate.yaml");
/// let source = pintle_types::Generator::new().definitions("certificate.yaml", text)?.generate()?;
/// assert!(source.contains("pub struct CertificateSpec {"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Generator {
    definitions: Vec<Definition>,
    /// The names of the texts, for the message that there is nothing in them.
    sources: Vec<String>,
    options: Options,
}

impl Generator {
    /// A generator without definitions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the definitions in a text: YAML or JSON, any number of documents. Other objects in it are passed over.
    ///
    /// `name` is what messages call the text, such as the name of its file.
    ///
    /// # Errors
    ///
    /// When the text cannot be parsed, or a definition in it is not one of `apiextensions.k8s.io/v1`.
    pub fn definitions(mut self, name: &str, text: &str) -> Result<Self, Error> {
        self.definitions.extend(definitions_in(text, name)?);
        self.sources.push(name.to_owned());
        Ok(self)
    }

    /// Adds the definitions in a file, as [`definitions`](Self::definitions) does.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, and for what is in it.
    pub fn file(self, path: impl AsRef<Path>) -> Result<Self, Error> {
        let name = path.as_ref().display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|source| Error::Read { path: name.clone(), source })?;
        self.definitions(&name, &text)
    }

    /// Generates types of this version, which every definition must have. The storage version unless set.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.options.versions = Versions::Named(version.into());
        self
    }

    /// Generates types of every version.
    pub fn all_versions(mut self) -> Self {
        self.options.versions = Versions::All;
        self
    }

    /// Where the schema in `Kind::crd()` comes from. There is none unless set.
    pub fn schema(mut self, source: SchemaSource) -> Self {
        self.options.schema = source;
        self
    }

    /// Another trait that every struct and enum derives, by its path. All of them derive `Clone`, `Debug`, `PartialEq`,
    /// `Serialize` and `Deserialize` already, and `Default` where each required part has one. `Eq` is derived by the types
    /// that can be.
    pub fn derive(mut self, trait_path: impl Into<String>) -> Self {
        self.options.derives.push(trait_path.into());
        self
    }

    /// The Rust type of a place, such as `spec.template` and `k8s_openapi::api::core::v1::PodTemplateSpec`. The items of a
    /// list are `spec.ports[*]`, the values of a map `spec.labels.*`; `Widget:spec.size` is meant in that kind only.
    ///
    /// The type must have the traits that the generated types derive.
    pub fn type_at(mut self, path: impl Into<String>, rust_type: impl Into<String>) -> Self {
        self.options.types.push((path.into(), rust_type.into()));
        self
    }

    /// Leaves a field out, by its path. An object that is read and replaced as a whole then loses it.
    pub fn elide(mut self, path: impl Into<String>) -> Self {
        self.options.elided.push(path.into());
        self
    }

    /// The type of objects with arbitrary keys.
    pub fn maps(mut self, maps: Maps) -> Self {
        self.options.maps = maps;
        self
    }

    /// Uses k8s-openapi's types for objects that have exactly their fields: `LabelSelector`, `ObjectReference`,
    /// `ResourceRequirements`, `Toleration` and `Affinity`. `Condition` is always used for lists of conditions.
    pub fn well_known_types(mut self) -> Self {
        self.options.uses_well_known = true;
        self
    }

    /// Writes no documentation.
    pub fn without_docs(mut self) -> Self {
        self.options.docs = Docs::None;
        self
    }

    /// What the program calls this library in its `Cargo.toml`: `pintle` unless set.
    pub fn crate_name(mut self, name: impl Into<String>) -> Self {
        self.options.crate_name = name.into();
        self
    }

    /// The source: a module per version; where there are several definitions, in a module per kind.
    ///
    /// # Errors
    ///
    /// When there is no definition, when one does not have the version, or when a schema has no types.
    pub fn generate(&self) -> Result<String, Error> {
        if self.definitions.is_empty() {
            let sources = self.sources.join(", ");
            return Err(Error::NoDefinition(if sources.is_empty() { "what was given".to_owned() } else { sources }));
        }
        let mut used = BTreeSet::new();
        let mut source = HEAD.to_owned();
        let modules = self.modules();
        for (name, definition) in &modules {
            let versions = self.versions(definition, &mut used)?;
            source.push('\n');
            if modules.len() == 1 {
                source.push_str(&versions);
            } else {
                let Definition { metadata, spec, .. } = definition;
                source.push_str(&format!("/// {} of `{}`.\n", spec.names.kind, metadata.name));
                source.push_str(&format!("pub mod {name} {{\n{}}}\n", indented(&versions)));
            }
        }
        let given = self.options.types.iter().map(|(path, _)| path).chain(&self.options.elided);
        match given.into_iter().find(|path| !used.contains(*path)) {
            Some(path) => Err(Error::NoSuchPath(path.clone())),
            None => Ok(source),
        }
    }

    /// Writes the source to a file, which stays as it is if that fails, and if it has this content already.
    ///
    /// # Errors
    ///
    /// What [`generate`](Self::generate) finds, and when the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let source = self.generate()?;
        // A build does not start again for a file that did not change.
        if std::fs::read_to_string(path).is_ok_and(|present| present == source) {
            return Ok(());
        }
        let draft = path.with_extension(format!("{}.draft", std::process::id()));
        let written = std::fs::write(&draft, source).and_then(|()| std::fs::rename(&draft, path));
        written.map_err(|source| {
            drop(std::fs::remove_file(&draft));
            Error::Write { path: path.display().to_string(), source }
        })
    }

    /// The definitions, each once, with the names of their modules. Kinds of the same name are told apart by their group.
    fn modules(&self) -> Vec<(String, &Definition)> {
        let mut by_name = BTreeMap::new();
        for definition in &self.definitions {
            // Of two the later one counts, as with kubectl apply.
            by_name.insert(definition.metadata.name.as_str(), definition);
        }
        let kinds = by_name.values().map(|definition| snake(&definition.spec.names.kind));
        let kinds: Vec<String> = kinds.collect();
        let mut taken = BTreeSet::new();
        let modules = by_name.values().zip(&kinds).map(|(definition, kind)| {
            let is_only = kinds.iter().filter(|other| *other == kind).count() == 1;
            let name = if is_only { kind.clone() } else { snake(&format!("{kind}.{}", definition.spec.group)) };
            (unique(name, "_", &mut taken), *definition)
        });
        modules.collect()
    }

    fn versions(&self, definition: &Definition, used: &mut BTreeSet<String>) -> Result<String, Error> {
        let mut source = String::new();
        for version in self.chosen_versions(definition)? {
            let model = plan(&self.options, definition, version, used)?;
            let kind = &definition.spec.names.kind;
            if !source.is_empty() {
                source.push('\n');
            }
            source.push_str(&format!("/// {kind} in `{}/{}`.\n", definition.spec.group, version.name));
            let content = print(&self.options, definition, version, &model);
            source.push_str(&format!("pub mod {} {{\n{}}}\n", snake(&version.name), indented(&content)));
        }
        Ok(source)
    }

    fn chosen_versions<'a>(&self, definition: &'a Definition) -> Result<Vec<&'a Version>, Error> {
        let versions = &definition.spec.versions;
        let chosen: Vec<&Version> = match &self.options.versions {
            Versions::All => versions.iter().collect(),
            Versions::Storage => versions.iter().filter(|version| version.storage).collect(),
            Versions::Named(name) => versions.iter().filter(|version| version.name == *name).collect(),
        };
        if !chosen.is_empty() {
            return Ok(chosen);
        }
        let names: Vec<&str> = versions.iter().map(|version| version.name.as_str()).collect();
        Err(Error::NoSuchVersion {
            definition: definition.metadata.name.clone(),
            version: match &self.options.versions {
                Versions::Named(name) => name.clone(),
                _ => "that objects are stored in".to_owned(),
            },
            known: if names.is_empty() { "none".to_owned() } else { names.join(", ") },
        })
    }
}

const HEAD: &str = "// Generated by Pintle from CustomResourceDefinitions. Do not edit: generate it again.\n";
