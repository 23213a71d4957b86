//! Which fields a manager owns: the `fieldsV1` of `metadata.managedFields`, as a set of paths.
//!
//! ```text
//!   fieldsV1 (JSON) ⇄ FieldSet ─► union, intersection, difference, contains, paths, leaves
//!                        └──────► extract(object): the object with these fields alone
//! ```
//! The paths are kept as a tree. A path can be in the set without the paths below it, and the other way round: an owner
//! of `.metadata.labels.app` need not own `.metadata.labels`. Invariant: a node that is neither owned nor has anything
//! below it does not exist, so two equal sets are equal trees.
//!
//! Pure. What a *type* says about merging (sets, maps by key, atomic values) is not known here: callers that have tables
//! or schemas pass it in. Reading order: `path`, `ordered_value`, this file, `fields_v1` (parse and print), `extract`.

mod extract;
mod fields_v1;
mod ordered_value;
mod path;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

pub use extract::FieldTypes;
pub use fields_v1::ParseFieldSetError;
pub use ordered_value::{OrderedValue, is_same_value};
pub use path::{FieldPath, PathElement};

/// A set of paths. `FieldSet::default()` is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSet {
    nodes: BTreeMap<PathElement, Node>,
}

/// What a set says of one element and of what is below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// Whether the path that ends here is in the set.
    pub is_member: bool,
    /// The paths that lead on from here.
    pub below: FieldSet,
}

impl Node {
    /// Whether nothing here or below is in the set.
    pub fn is_empty(&self) -> bool {
        !self.is_member && self.below.is_empty()
    }
}

impl FieldSet {
    /// The set of these paths of field names.
    pub fn of_fields(paths: &[&[&str]]) -> FieldSet {
        let mut set = FieldSet::default();
        for path in paths {
            let elements: Vec<PathElement> = path.iter().map(|name| PathElement::field(name)).collect();
            set.insert(&elements);
        }
        set
    }

    /// Whether it has no path.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a path; an empty path, the root, is not added.
    pub fn insert(&mut self, path: &[PathElement]) {
        let Some((first, rest)) = path.split_first() else { return };
        let node = self.nodes.entry(first.clone()).or_default();
        if rest.is_empty() {
            node.is_member = true;
        } else {
            node.below.insert(rest);
        }
    }

    /// Adds a whole node under an element; what is there already stays.
    pub fn put(&mut self, element: PathElement, node: Node) {
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
    pub fn add(&mut self, other: FieldSet) {
        if self.is_empty() {
            *self = other;
            return;
        }
        for (element, node) in other.nodes {
            self.put(element, node);
        }
    }

    /// Removes every path of another set; paths below them stay.
    pub fn subtract(&mut self, other: &FieldSet) {
        self.reduce(other, |node, other| {
            node.is_member &= !other.is_member;
            node.below.subtract(&other.below);
        });
    }

    /// Removes every path of another set and whatever is below one.
    pub fn clear_below(&mut self, other: &FieldSet) {
        self.reduce(other, |node, other| {
            if other.is_member {
                *node = Node::default();
            } else {
                node.below.clear_below(&other.below);
            }
        });
    }

    /// Changes the nodes that another set has too, and drops those that became empty.
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

    /// Whether this path is in the set.
    pub fn contains(&self, path: &[PathElement]) -> bool {
        match path {
            [] => false,
            [last] => self.has(last),
            [first, rest @ ..] => self.below(first).is_some_and(|below| below.contains(rest)),
        }
    }

    /// Whether the path of this one element is in the set.
    pub fn has(&self, element: &PathElement) -> bool {
        self.nodes.get(element).is_some_and(|node| node.is_member)
    }

    /// The node of an element of the first level.
    pub fn node(&self, element: &PathElement) -> Option<&Node> {
        self.nodes.get(element)
    }

    /// The paths below an element, if there are any.
    pub fn below(&self, element: &PathElement) -> Option<&FieldSet> {
        self.nodes.get(element).map(|node| &node.below).filter(|below| !below.is_empty())
    }

    /// The elements of the first level, in order.
    pub fn nodes(&self) -> impl Iterator<Item = (&PathElement, &Node)> {
        self.nodes.iter()
    }

    /// Every path of either set.
    #[must_use]
    pub fn union(&self, other: &FieldSet) -> FieldSet {
        let mut all = self.clone();
        all.add(other.clone());
        all
    }

    /// Every path that is in both sets.
    #[must_use]
    pub fn intersection(&self, other: &FieldSet) -> FieldSet {
        self.filter_map(|element, node| {
            let other = other.nodes.get(element)?;
            let is_member = node.is_member && other.is_member;
            Some(Node { is_member, below: node.below.intersection(&other.below) })
        })
    }

    /// Every path of this set that is not in the other.
    #[must_use]
    pub fn difference(&self, other: &FieldSet) -> FieldSet {
        let mut rest = self.clone();
        rest.subtract(other);
        rest
    }

    /// The set with each node of the first level replaced by what `keep` makes of it.
    #[must_use]
    pub fn filter_map(&self, keep: impl Fn(&PathElement, &Node) -> Option<Node>) -> FieldSet {
        let kept = self.nodes.iter().filter_map(|(element, node)| {
            let node = keep(element, node).filter(|node| !node.is_empty())?;
            Some((element.clone(), node))
        });
        FieldSet { nodes: kept.collect() }
    }

    /// Every path; on each level those that end there come first.
    pub fn paths(&self) -> Vec<FieldPath> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, above: &mut Vec<PathElement>, found: &mut Vec<FieldPath>) {
        for (element, _) in self.nodes.iter().filter(|(_, node)| node.is_member) {
            let path = above.iter().chain([element]).cloned().collect();
            found.push(FieldPath(path));
        }
        for (element, node) in &self.nodes {
            above.push(element.clone());
            node.below.collect(above, found);
            above.pop();
        }
    }

    /// The paths that have no other path of the set below them, in order.
    pub fn leaves(&self) -> Vec<FieldPath> {
        let mut found = Vec::new();
        self.collect_leaves(&mut Vec::new(), &mut found);
        found
    }

    fn collect_leaves(&self, above: &mut Vec<PathElement>, found: &mut Vec<FieldPath>) {
        for (element, node) in &self.nodes {
            above.push(element.clone());
            if node.below.is_empty() {
                found.push(FieldPath(above.clone()));
            }
            node.below.collect_leaves(above, found);
            above.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every set of paths over two names and two levels: small enough to try all pairs.
    fn worlds() -> Vec<(BTreeSet<FieldPath>, FieldSet)> {
        let universe: Vec<FieldPath> = [&["a"][..], &["a", "a"], &["a", "b"], &["b"], &["b", "a"]]
            .iter()
            .map(|names| FieldPath::of_fields(names))
            .collect();
        let chosen = |bits: usize| universe.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
        (0..1usize << universe.len())
            .map(|bits| {
                let paths: BTreeSet<FieldPath> = chosen(bits).map(|(_, path)| path.clone()).collect();
                let mut set = FieldSet::default();
                paths.iter().for_each(|path| set.insert(&path.0));
                (paths, set)
            })
            .collect()
    }

    fn as_paths(set: &FieldSet) -> BTreeSet<FieldPath> {
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
                assert!(b_paths.iter().all(|path| a.contains(&path.0) == a_paths.contains(path)));
            }
        }
    }

    #[test]
    fn a_leaf_is_a_path_that_no_other_path_continues() {
        for (paths, set) in worlds() {
            let continues = |path: &FieldPath, other: &FieldPath| other != path && other.0.starts_with(&path.0);
            let leaves = paths.iter().filter(|path| !paths.iter().any(|other| continues(path, other)));
            assert_eq!(set.leaves(), leaves.cloned().collect::<Vec<_>>());
        }
    }
}
