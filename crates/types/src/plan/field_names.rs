//! The identifiers of the fields of one struct.

use std::collections::BTreeSet;

use crate::identifier::{camel_by_serde, snake, unique};

/// Which identifier each property got, and which are taken.
#[derive(Default)]
pub(super) struct FieldNames {
    taken: BTreeSet<String>,
    given: Vec<(String, String)>,
}

impl FieldNames {
    /// Names that serde turns back by itself are given first, so that `fooBar` is `foo_bar` and `foo_bar` is `foo_bar_2`.
    pub(super) fn new<'a>(properties: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut names = Self::default();
        let is_plain = |name: &&str| camel_by_serde(&snake(name)) == **name;
        let plain_first = properties.clone().filter(is_plain).chain(properties.filter(|name| !is_plain(name)));
        for name in plain_first {
            let identifier = names.free(&snake(name));
            names.given.push((name.to_owned(), identifier));
        }
        names
    }

    pub(super) fn of(&mut self, name: &str) -> String {
        match self.given.iter().find(|(given, _)| given == name) {
            Some((_, identifier)) => identifier.clone(),
            None => self.free(&snake(name)),
        }
    }

    pub(super) fn free(&mut self, identifier: &str) -> String {
        let separator = if identifier.ends_with('_') { "" } else { "_" };
        unique(identifier.to_owned(), separator, &mut self.taken)
    }
}
