//! Why there are no types: what was wrong with the text, the choice of versions, or a place of a schema.

/// Why no types could be generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not YAML or JSON.
    #[error("{source_name} is not YAML or JSON: {message}")]
    Syntax {
        /// Which text: the name given to [`Generator::definitions`](crate::Generator::definitions).
        source_name: String,
        /// What the parser says, with the line.
        message: String,
    },
    /// A file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The source could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A document says it is a definition and is not one.
    #[error("the definition {definition} in {source_name} cannot be used: {message}")]
    Definition {
        /// Which text.
        source_name: String,
        /// The name of the definition, as far as it has one.
        definition: String,
        /// What is wrong, and what to do about it.
        message: String,
    },
    /// No text has a definition in it.
    #[error("there is no CustomResourceDefinition in {0}")]
    NoDefinition(String),
    /// The definition does not have the version that was asked for.
    #[error("the definition {definition} has no version {version}: it has {known}")]
    NoSuchVersion {
        /// The name of the definition.
        definition: String,
        /// The version that was asked for.
        version: String,
        /// The versions there are, separated by commas.
        known: String,
    },
    /// The version has no schema, so nothing is known about its fields.
    #[error("{definition}, version {version}: there is no schema to generate types from")]
    NoSchema {
        /// The name of the definition.
        definition: String,
        /// The version.
        version: String,
    },
    /// A part of a schema cannot be written as a Rust type.
    #[error("{definition}, version {version}: `{path}` {problem}; choose a Rust type for {path}, or leave it out")]
    NotExpressible {
        /// The name of the definition.
        definition: String,
        /// The version.
        version: String,
        /// The place in an object, such as `spec.ports[*].name`.
        path: String,
        /// What is wrong there.
        problem: String,
    },
    /// A path that a type was chosen for, or that is to be left out, is in no schema.
    #[error("no definition has a field at {0}: paths look like spec.ports[*].name, spec.labels.* or Widget:spec.size")]
    NoSuchPath(String),
}
