//! The names of a kind, each as it is written in a document.

use std::borrow::Cow;

use super::super::schemas;
use crate::catalog::kinds::Kind;

/// A name of a kind that stands in the description of its operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// The path of its group and version.
    Prefix,
    Plural,
    Kind,
    Group,
    Version,
    /// `apps`, `rbacAuthorization`, `core`.
    GroupWord,
    /// `Apps`, as an operation's name has it.
    GroupTitle,
    VersionTitle,
    Schema,
    ListSchema,
}

impl Name {
    pub(super) const ALL: [Name; 10] = [
        Name::Prefix,
        Name::Plural,
        Name::Kind,
        Name::Group,
        Name::Version,
        Name::GroupWord,
        Name::GroupTitle,
        Name::VersionTitle,
        Name::Schema,
        Name::ListSchema,
    ];
}

/// All names of a kind.
pub(super) struct Names<'a>([Cow<'a, str>; Name::ALL.len()]);

impl<'a> Names<'a> {
    pub(super) fn of(prefix: &'a str, kind: &'a Kind) -> Self {
        let word = group_word(&kind.group);
        Self(Name::ALL.map(|name| match name {
            Name::Prefix => prefix.into(),
            Name::Plural => kind.plural.as_str().into(),
            Name::Kind => kind.kind.as_str().into(),
            Name::Group => kind.group.as_str().into(),
            Name::Version => kind.version.as_str().into(),
            Name::GroupWord => word.clone().into(),
            Name::GroupTitle => capitalized(&word).into(),
            Name::VersionTitle => capitalized(&kind.version).into(),
            Name::Schema => schemas::name_of(kind, &kind.kind).into(),
            Name::ListSchema => schemas::name_of(kind, &kind.list_kind).into(),
        }))
    }

    /// Something else in place of each name.
    pub(super) fn replaced(by: impl Fn(Name) -> char) -> Self {
        Self(Name::ALL.map(|name| by(name).to_string().into()))
    }

    pub(super) fn get(&self, name: Name) -> &str {
        &self.0[name as usize]
    }
}

/// `apps`, `rbacAuthorization`, `core`: a group as a word; of custom ones everything counts.
fn group_word(group: &str) -> String {
    let group = group.strip_suffix(".k8s.io").unwrap_or(group);
    let mut words = group.split('.').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or("core").to_owned();
    words.fold(first, |name, word| name + &capitalized(word))
}

pub(super) fn capitalized(word: &str) -> String {
    let mut signs = word.chars();
    signs.next().map(|first| first.to_uppercase().collect::<String>() + signs.as_str()).unwrap_or_default()
}
