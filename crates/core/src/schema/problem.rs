//! Why a schema has no structural form, said so that the reader knows which field to change and how.
//!
//! In: problems as the rewriting meets them, with the path of the field. Out: one text with all of them.

use std::fmt;

/// What stands in the way of a structural schema.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Problem {
    /// The type contains itself.
    Recursive,
    /// A map with keys that are not strings.
    MapKeys,
    /// A list whose items differ in type by position.
    Tuple,
    /// A flattened map next to named fields.
    MapBesideProperties,
    /// Variants of an enum that are neither all objects nor all names.
    MixedVariants,
    /// A field that two variants of an enum define differently.
    VariantsDisagree(String),
    /// A keyword that the API server does not have, or not in this place.
    Keyword(String),
    /// A node that accepts values of any type.
    NoType,
}

/// All problems of one schema, with the paths of the fields.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<(String, Problem)>);

impl Problems {
    pub(super) fn add(&mut self, path: &str, problem: Problem) {
        self.0.push((path.to_owned(), problem));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them in one text, about the type of this name.
    pub(super) fn about(&self, title: &str) -> String {
        format!("the schema of {title} has no structural form:{self}")
    }

    /// Whether something was already said about the field itself.
    pub(super) fn mention(&self, path: &str) -> bool {
        self.0.iter().any(|(known, _)| known == path)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, problem) in &self.0 {
            let path = if path.is_empty() { "the whole" } else { path };
            write!(formatter, "\n  field `{path}` {problem}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recursive => {
                write!(formatter, "contains its own type, and a structural schema has no references: {ANY_OBJECT}")
            }
            Self::MapKeys => formatter.write_str("is a map whose keys are not strings: use `String` keys"),
            Self::Tuple => formatter.write_str("is a tuple, whose items differ in type: use a struct or a `Vec`"),
            Self::MapBesideProperties => formatter.write_str(
                "flattens a map of one value type beside named fields, which the API server takes only one of: \
                 drop `#[serde(flatten)]`, or flatten a map of `serde_json::Value`",
            ),
            Self::MixedVariants => write!(
                formatter,
                "is an enum whose variants are not all structs or all names: give every variant data, or {SCHEMA_WITH}"
            ),
            Self::VariantsDisagree(property) => write!(
                formatter,
                "is an enum with different schemas for `{property}` in its variants (the tag of `#[serde(tag)]` is \
                 such a property): use serde's default representation, or rename the field, or {SCHEMA_WITH}"
            ),
            Self::Keyword(keyword) => write!(
                formatter,
                "has `{keyword}`, which a structural schema cannot say here: remove it, or {SCHEMA_WITH}"
            ),
            Self::NoType => write!(formatter, "accepts values of any type: give it a type, or {ANY_VALUE}"),
        }
    }
}

const SCHEMA_WITH: &str = "write the schema yourself with `#[schemars(schema_with = \"…\")]`";

const ANY_VALUE: &str = "put `#[schemars(extend(\"x-kubernetes-preserve-unknown-fields\" = true))]` on the field";

const ANY_OBJECT: &str = "write its schema with `#[schemars(schema_with = \"…\")]`, for example as an object with \
                          `x-kubernetes-preserve-unknown-fields: true`";
