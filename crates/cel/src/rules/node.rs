//! The compiled rules of a schema, in the shape of the schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::compile::{CompiledRule, compile};
use crate::schema::{Declared, Schema, escape};

/// The rules of one place, and of what is below it.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) rules: Vec<CompiledRule>,
    pub(super) properties: BTreeMap<String, Node>,
    pub(super) additional: Option<Box<Node>>,
    pub(super) items: Option<Box<Node>>,
    pub(super) all_of: Vec<Node>,
}

impl Node {
    /// Compiles what `stated` says about values that `schema` describes; they differ within `allOf`.
    pub(super) fn new(stated: &Schema, schema: &Schema, declared: Option<&Arc<Declared>>) -> Option<Node> {
        let boxed = |stated: Option<&Schema>, schema: Option<&Schema>| {
            let item = declared.and_then(|declared| declared.item());
            Node::new(stated?, schema?, item).map(Box::new)
        };
        let mut node = Node {
            rules: declared.map(|declared| compile(&stated.rules, schema, declared)).unwrap_or_default(),
            items: boxed(stated.items(), schema.items()),
            additional: boxed(stated.additional(), schema.additional()),
            ..Node::default()
        };
        for (name, part) in &stated.properties {
            let Some(property) = schema.properties.get(name) else { continue };
            let own = match escape(name) {
                Some(escaped) => declared.and_then(|declared| declared.field(&escaped)).cloned(),
                None => Declared::of(property, "selfType").map(Arc::new),
            };
            let below = own.and_then(|own| Node::new(part, property, Some(&own)));
            node.properties.extend(below.map(|below| (name.clone(), below)));
        }
        node.all_of = stated.all_of.iter().filter_map(|part| Node::new(part, schema, declared)).collect();
        let is_empty = node.rules.is_empty()
            && node.properties.is_empty()
            && node.additional.is_none()
            && node.items.is_none()
            && node.all_of.is_empty();
        (!is_empty).then_some(node)
    }
}
