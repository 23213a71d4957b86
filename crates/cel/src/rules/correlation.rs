//! What in the old object a value of the new one corresponds to.

use serde_json::Value as Json;

/// What a value has as a counterpart in the old object, to tell whether it changed.
#[derive(Clone, Copy)]
pub(super) struct Correlation<'o> {
    /// The old value of this place.
    pub(super) current: Option<&'o Json>,
    /// The new and the old value of the nearest place above that has one.
    parent: Option<(&'o Json, &'o Json)>,
    is_root: bool,
}

impl<'o> Correlation<'o> {
    /// Of a whole object.
    pub(super) fn of_root(old: Option<&'o Json>) -> Correlation<'o> {
        Correlation { current: old, parent: None, is_root: true }
    }

    /// The same place, as if only what is above it had a counterpart.
    pub(super) fn without_counterpart(self) -> Correlation<'o> {
        Correlation { current: None, ..self }
    }

    /// The correlation of a field of an object.
    pub(super) fn field(&self, value: &'o Json, name: &str) -> Correlation<'o> {
        // Of a resource, both states are shown at one version, so that a change of it cannot be seen.
        if self.is_root && matches!(name, "apiVersion" | "kind") {
            return Correlation { current: None, parent: None, is_root: false };
        }
        self.below(value, self.current.and_then(|current| current.get(name)))
    }

    pub(super) fn is_unchanged(&self, value: &Json) -> bool {
        match (self.current, self.parent) {
            (Some(old), _) => old == value,
            (None, Some((new, old))) => new == old,
            (None, None) => false,
        }
    }

    /// The correlation of a part; `old` is its counterpart.
    pub(super) fn below(&self, value: &'o Json, old: Option<&'o Json>) -> Correlation<'o> {
        let parent = self.current.map(|current| (value, current)).or(self.parent);
        Correlation { current: self.current.and(old), parent, is_root: false }
    }
}

/// The item of a list with the same keys, which all have to be there and to be simple values.
pub(super) fn by_keys<'o>(items: &'o [Json], wanted: &Json, keys: &[String]) -> Option<&'o Json> {
    let key = |item: &Json, key: &String| item.get(key).filter(|key| !key.is_object() && !key.is_array()).cloned();
    let keys_of = |item: &Json| keys.iter().map(|name| key(item, name)).collect::<Option<Vec<Json>>>();
    let wanted = keys_of(wanted)?;
    items.iter().find(|item| keys_of(item).as_ref() == Some(&wanted))
}
