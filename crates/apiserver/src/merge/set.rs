//! A set of paths, kept as a tree, and the algebra that ownership needs.
//!
//! A path can be in the set without the paths below it, and the other way round: an owner of `.metadata.labels.app` need
//! not own `.metadata.labels`. Invariant: no node is there that is neither owned nor has anything below it, so that two
//! equal sets are equal trees.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::path::{Element, Path};
use super::schema::Schema;

/// A set of paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldSet {
    nodes: BTreeMap<Element, Node>,
}

/// What the set says of one element and of what is below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// Whether the path that ends here is in the set.
    pub(crate) is_member: bool,
    pub(crate) below: FieldSet,
}

impl Node {
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_member && self.below.is_empty()
    }
}

impl FieldSet {
    /// The set of these paths of field names.
    pub(crate) fn of_fields(paths: &[&[&str]]) -> FieldSet {
        let mut set = FieldSet::default();
        for path in paths {
            let elements: Vec<Element> = path.iter().map(|name| Element::field(name)).collect();
            set.insert(&elements);
        }
        set
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a path; the root itself is in no set.
    pub(crate) fn insert(&mut self, path: &[Element]) {
        let Some((first, rest)) = path.split_first() else { return };
        let node = self.nodes.entry(first.clone()).or_default();
        if rest.is_empty() {
            node.is_member = true;
        } else {
            node.below.insert(rest);
        }
    }

    /// Adds what is below an element, and the element itself where asked.
    pub(crate) fn put(&mut self, element: Element, node: Node) {
        if node.is_empty() {
            return;
        }
        match self.nodes.entry(element) {
            Entry::Vacant(place) => drop(place.insert(node)),
            Entry::Occupied(mut known) => {
                known.get_mut().is_member |= node.is_member;
                known.get_mut().below.add(node.below);
            }
        }
    }

    /// Adds every path of another set.
    pub(crate) fn add(&mut self, other: FieldSet) {
        if self.is_empty() {
            *self = other;
            return;
        }
        for (element, node) in other.nodes {
            self.put(element, node);
        }
    }

    /// Takes every path of another set out.
    pub(crate) fn subtract(&mut self, other: &FieldSet) {
        self.reduce(other, |node, other| {
            node.is_member &= !other.is_member;
            node.below.subtract(&other.below);
        });
    }

    /// Takes out every path of another set and whatever is below one.
    pub(crate) fn clear_below(&mut self, other: &FieldSet) {
        self.reduce(other, |node, other| {
            if other.is_member {
                *node = Node::default();
            } else {
                node.below.clear_below(&other.below);
            }
        });
    }

    /// Changes the nodes that another set has too, and drops those of which nothing is left.
    fn reduce(&mut self, other: &FieldSet, change: impl Fn(&mut Node, &Node)) {
        if other.is_empty() {
            return;
        }
        self.nodes.retain(|element, node| match other.nodes.get(element) {
            None => true,
            Some(other) => {
                change(node, other);
                !node.is_empty()
            }
        });
    }

    /// Whether the path of this one element is in the set.
    pub(crate) fn has(&self, element: &Element) -> bool {
        self.nodes.get(element).is_some_and(|node| node.is_member)
    }

    /// What the set has below an element.
    pub(crate) fn below(&self, element: &Element) -> Option<&FieldSet> {
        self.nodes.get(element).map(|node| &node.below).filter(|below| !below.is_empty())
    }

    /// The elements of the first level, in order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (&Element, &Node)> {
        self.nodes.iter()
    }

    /// Every path of either.
    pub(crate) fn union(&self, other: &FieldSet) -> FieldSet {
        let mut all = self.clone();
        all.add(other.clone());
        all
    }

    /// Every path of both.
    pub(crate) fn intersection(&self, other: &FieldSet) -> FieldSet {
        self.filtered(|element, node| {
            let other = other.nodes.get(element)?;
            let is_member = node.is_member && other.is_member;
            Some(Node { is_member, below: node.below.intersection(&other.below) })
        })
    }

    /// Every path of this set that is not in the other.
    pub(crate) fn difference(&self, other: &FieldSet) -> FieldSet {
        let mut rest = self.clone();
        rest.subtract(other);
        rest
    }

    /// The set with every field that its schema declares and that something of the set is below of.
    pub(crate) fn with_declared_fields(&self, schema: Schema<'_>) -> FieldSet {
        self.filtered(|element, node| {
            let below = schema.child(element);
            let is_declared = below.is_some_and(|below| below.is_declared);
            let schema = below.map_or(Schema::Opaque, |below| below.schema);
            Some(Node {
                is_member: node.is_member || (is_declared && !node.below.is_empty()),
                below: node.below.with_declared_fields(schema),
            })
        })
    }

    /// Every path; on each level those that end there come first.
    pub(crate) fn paths(&self) -> Vec<Path> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, above: &mut Vec<Element>, found: &mut Vec<Path>) {
        for (element, _) in self.nodes.iter().filter(|(_, node)| node.is_member) {
            let path = above.iter().chain([element]).cloned().collect();
            found.push(Path(path));
        }
        for (element, node) in &self.nodes {
            above.push(element.clone());
            node.below.collect(above, found);
            above.pop();
        }
    }

    fn filtered(&self, keep: impl Fn(&Element, &Node) -> Option<Node>) -> FieldSet {
        let kept = self.nodes.iter().filter_map(|(element, node)| {
            let node = keep(element, node).filter(|node| !node.is_empty())?;
            Some((element.clone(), node))
        });
        FieldSet { nodes: kept.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every set of paths over two names and two levels: small enough to try all pairs.
    fn worlds() -> Vec<(BTreeSet<Path>, FieldSet)> {
        let universe: Vec<Path> = [&["a"][..], &["a", "a"], &["a", "b"], &["b"], &["b", "a"]]
            .iter()
            .map(|names| Path::fields(names))
            .collect();
        let chosen = |bits: usize| universe.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
        (0..1usize << universe.len())
            .map(|bits| {
                let paths: BTreeSet<Path> = chosen(bits).map(|(_, path)| path.clone()).collect();
                let mut set = FieldSet::default();
                paths.iter().for_each(|path| set.insert(&path.0));
                (paths, set)
            })
            .collect()
    }

    fn as_paths(set: &FieldSet) -> BTreeSet<Path> {
        set.paths().into_iter().collect()
    }

    #[test]
    fn the_algebra_is_that_of_sets_of_paths() {
        for (a_paths, a) in worlds() {
            assert_eq!(as_paths(&a), a_paths);
            assert_eq!(a.is_empty(), a_paths.is_empty());
            for (b_paths, b) in worlds() {
                assert_eq!(as_paths(&a.union(&b)), &a_paths | &b_paths);
                assert_eq!(as_paths(&a.intersection(&b)), &a_paths & &b_paths);
                assert_eq!(as_paths(&a.difference(&b)), &a_paths - &b_paths);
                assert_eq!(a == b, a_paths == b_paths);
                let cleared = a_paths.iter().filter(|path| !b_paths.iter().any(|other| path.0.starts_with(&other.0)));
                let mut left = a.clone();
                left.clear_below(&b);
                assert_eq!(as_paths(&left), cleared.cloned().collect());
            }
        }
    }
}
