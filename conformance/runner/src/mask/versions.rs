//! Resource versions: numbers that grow with every write.

use std::collections::BTreeMap;

/// The versions of the objects in a recording, by number.
#[derive(Debug, Default)]
pub(super) struct Versions {
    names: BTreeMap<u64, usize>,
}

impl Versions {
    /// Takes note of an object's version.
    pub(super) fn learn(&mut self, version: &str) {
        let next = self.names.len() + 1;
        if let Some(number) = number(version) {
            self.names.entry(number).or_insert(next);
        }
    }

    /// The name of an object's version.
    pub(super) fn exact(&self, version: &str) -> Option<String> {
        number(version).and_then(|number| self.names.get(&number)).map(|name| format!("rv{name}"))
    }

    /// Where any other version stands among those of the objects.
    pub(super) fn place(&self, version: &str) -> Option<String> {
        let before = self.names.range(..=number(version)?).next_back();
        Some(format!("rv{}+", before.map_or(0, |(_, name)| *name)))
    }

    /// All of them, the earliest first.
    pub(super) fn order(&self) -> String {
        let names: Vec<String> = self.names.values().map(|name| format!("rv{name}")).collect();
        names.join(" < ")
    }
}

/// Zero is not a version: it stands for any.
fn number(version: &str) -> Option<u64> {
    version.parse().ok().filter(|number| *number > 0)
}
