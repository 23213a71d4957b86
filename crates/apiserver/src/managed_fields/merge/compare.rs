//! What differs between two states of an object, path by path.
//!
//! A map or list that appears or goes is itself a path of the difference, with everything in it. One that is empty on
//! both sides, or absent on one, is compared as a leaf, so that the difference between empty and absent is seen.

use std::collections::BTreeMap;

use pintle_core::field_set::{FieldSet, Node, PathElement, is_same_value};
use serde_json::Value;

use super::items;
use super::schema::{List, Map, Schema, Shape};

/// The difference between an old and a new state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) added: FieldSet,
    pub(crate) modified: FieldSet,
    pub(crate) removed: FieldSet,
}

impl Changes {
    /// Compares two objects.
    pub(crate) fn between(schema: Schema<'_>, old: &Value, new: &Value) -> Changes {
        let found = compare(schema, Some(old), Some(new));
        Changes { added: found.added.below, modified: found.modified.below, removed: found.removed.below }
    }

    /// The difference without these fields and what is below them.
    pub(crate) fn without(mut self, fields: &FieldSet) -> Changes {
        for set in [&mut self.added, &mut self.modified, &mut self.removed] {
            set.clear_below(fields);
        }
        self
    }

    /// What the new state says and the old one did not say so.
    pub(crate) fn set(&self) -> FieldSet {
        self.modified.union(&self.added)
    }
}

/// The difference at one place.
#[derive(Default)]
struct Found {
    added: Node,
    modified: Node,
    removed: Node,
}

impl Found {
    fn put(&mut self, element: PathElement, found: Found) {
        if !found.removed.is_empty() {
            self.removed.below.put(element.clone(), found.removed);
        }
        if !found.modified.is_empty() {
            self.modified.below.put(element.clone(), found.modified);
        }
        self.added.below.put(element, found.added);
    }

    fn mark(&mut self, old: Option<&Value>, new: Option<&Value>) {
        self.added.is_member |= old.is_none();
        self.removed.is_member |= new.is_none();
    }
}

fn compare(schema: Schema<'_>, old: Option<&Value>, new: Option<&Value>) -> Found {
    if old == new {
        // Most of an object stays as it is, and what is equal needs no schema to say so.
        return Found::default();
    }
    let Some(seen) = new.or(old) else { return Found::default() };
    let shape = schema.shape(seen);
    if let (Some(old), Some(new)) = (old, new)
        && std::mem::discriminant(&schema.shape(old)) != std::mem::discriminant(&shape)
        && !(old.is_null() || new.is_null())
    {
        // What was one kind of thing is another now.
        return leaf(Some(old), Some(new));
    }
    match shape_of_either(schema, old, new) {
        Shape::Scalar(_) => leaf(old, new),
        Shape::List(list) if list.relation.is_atomic() || (is_empty(old) && is_empty(new)) => leaf(old, new),
        Shape::Map(map) if map.is_atomic || (is_empty(old) && is_empty(new)) => leaf(old, new),
        Shape::List(list) => lists(&list, old, new),
        Shape::Map(map) => maps(&map, old, new),
    }
}

/// The shape of the side that says most: null takes whatever form the other has.
fn shape_of_either<'s>(schema: Schema<'s>, old: Option<&Value>, new: Option<&Value>) -> Shape<'s> {
    let shaping = new.filter(|value| !value.is_null()).or(old).or(new);
    schema.shape(shaping.unwrap_or(&Value::Null))
}

fn leaf(old: Option<&Value>, new: Option<&Value>) -> Found {
    let mut found = Found::default();
    found.mark(old, new);
    if let (Some(old), Some(new)) = (old, new) {
        found.modified.is_member = !is_same_value(old, new);
    }
    found
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(fields)) => fields.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => true,
    }
}

fn maps(map: &Map<'_>, old: Option<&Value>, new: Option<&Value>) -> Found {
    let (before, after) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
    let is = |name: &str| (before.and_then(|fields| fields.get(name)), after.and_then(|fields| fields.get(name)));
    let mut found = Found::default();
    found.mark(old, new);
    let added = after.into_iter().flatten().map(|(name, _)| name).filter(|name| is(name).0.is_none());
    for name in before.into_iter().flatten().map(|(name, _)| name).chain(added) {
        let (was, is) = is(name);
        if was != is
            && let Some(child) = map.child(name)
        {
            found.put(PathElement::field(name), compare(child.schema, was, is));
        }
    }
    found
}

fn lists(list: &List<'_>, old: Option<&Value>, new: Option<&Value>) -> Found {
    let mut sides: BTreeMap<PathElement, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
    for (element, item) in old.into_iter().flat_map(|old| items::elements(list, old)) {
        sides.entry(element).or_default().0.push(item);
    }
    for (element, item) in new.into_iter().flat_map(|new| items::elements(list, new)) {
        sides.entry(element).or_default().1.push(item);
    }
    let mut found = Found::default();
    found.mark(old, new);
    for (element, (before, after)) in sides {
        found.put(element, items_of(list, &before, &after));
    }
    found
}

/// The items of one element: at most one on each side, unless a list has it twice.
fn items_of(list: &List<'_>, before: &[&Value], after: &[&Value]) -> Found {
    let one = |side: &[&'_ Value]| if let [item] = side { Some((*item).clone()) } else { None };
    match (before.len(), after.len()) {
        (0..=1, 0..=1) => compare(list.items, before.first().copied(), after.first().copied()),
        (2.., 2..) => {
            let equal = before.len() == after.len() && before.iter().zip(after).all(|(a, b)| is_same_value(a, b));
            Found { modified: Node { is_member: !equal, ..Node::default() }, ..Found::default() }
        }
        (2.., _) => {
            let mut found = compare(list.items, None, one(after).as_ref());
            found.removed.is_member = true;
            found
        }
        (_, _) => {
            let mut found = compare(list.items, one(before).as_ref(), None);
            found.added.is_member = true;
            found
        }
    }
}
