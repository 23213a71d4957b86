//! Which objects of a resource a list or watch is about: a namespace, a label selector, a field selector.
//!
//! In: the texts of a query. Out: a yes or no per entry. Labels, name and namespace are read from the head; the fields which
//! single kinds offer are looked up in the body, only when asked for, and once for all who ask (`Entry::selectable_field`).

pub(crate) mod label_grammar;

use std::borrow::Cow;
use std::sync::Arc;

use pintle_core::call::Query;
use pintle_core::fields::FieldSelector;
use pintle_core::labels::Requirements;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::response::status::{Answer, bad_request};
use crate::storage::entry::Entry;

/// The objects a request means.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    /// The beginning of every key that is meant.
    prefix: Arc<str>,
    labels: Requirements,
    fields: FieldSelector,
    /// Whether the key of an object says whether it is meant.
    is_by_key: bool,
    /// The kind whose fields are meant.
    kind: Arc<Kind>,
}

impl Selection {
    /// Whether the selectors of a query can be read; what they select is asked after everything else.
    pub(crate) fn check_syntax(query: &Query) -> Answer<()> {
        if let Some(problem) = label_grammar::problem(query.label_selector.as_deref().unwrap_or_default()) {
            return Err(bad_request(problem));
        }
        let fields = query.field_selector.as_deref().unwrap_or_default();
        let parsed: Result<FieldSelector, _> = fields.parse();
        parsed.map(drop).map_err(|error| bad_request(format!("{error}")))
    }

    /// Understands the selectors of a query.
    pub(crate) fn parse(target: &ResolvedTarget, query: &Query) -> Answer<Selection> {
        let labels = query.label_selector.as_deref().unwrap_or_default();
        if let Some(problem) = label_grammar::problem(labels) {
            return Err(bad_request(problem));
        }
        let labels: Requirements = labels.parse().map_err(|error| bad_request(format!("{error}")))?;
        let fields = query.field_selector.as_deref().unwrap_or_default();
        let fields: FieldSelector = fields.parse().map_err(|error| bad_request(format!("{error}")))?;
        check_fields(&target.kind, &fields)?;
        let prefix = target.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        let is_by_key = labels.selects_all() && fields.requirements().iter().all(|one| is_metadata(&one.field));
        Ok(Selection { prefix: prefix.into(), labels, fields, is_by_key, kind: Arc::clone(&target.kind) })
    }

    /// Whether every object of the namespace is meant.
    pub(crate) fn has_no_selector(&self) -> bool {
        self.labels.selects_all() && self.fields.selects_all()
    }

    /// The namespace that is meant, or all of them.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.prefix.strip_suffix('/')
    }

    /// Whether the key of an object says whether it is meant, so that no change of it makes a difference.
    pub(crate) fn is_by_key(&self) -> bool {
        self.is_by_key
    }

    /// Whether the namespace is right.
    pub(crate) fn covers(&self, key: &str) -> bool {
        key.starts_with(&*self.prefix)
    }

    /// Whether this object is meant.
    pub(crate) fn matches(&self, key: &str, entry: &Entry) -> bool {
        self.covers(key) && self.labels.matches_by(|key| entry.head.label(key)) && self.matches_fields(entry)
    }

    fn matches_fields(&self, entry: &Entry) -> bool {
        self.fields.matches_by(|field| match field {
            "metadata.name" => Some(Cow::Borrowed(entry.head.name())),
            "metadata.namespace" => entry.head.namespace().map(Cow::Borrowed),
            field => Some(Cow::Borrowed(entry.selectable_field(&self.kind, field))),
        })
    }
}

fn check_fields(kind: &Kind, fields: &FieldSelector) -> Answer<()> {
    let known = &kind.selectable_fields;
    for requirement in fields.requirements() {
        let field = requirement.field.as_str();
        if is_metadata(field) || known.iter().any(|known| known == field) {
            continue;
        }
        // Kinds that have selectable fields of their own, and custom ones, have words of their own for the rest.
        return Err(bad_request(if kind.is_custom() || !known.is_empty() {
            format!("field label not supported: {field}")
        } else {
            format!("\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
        }));
    }
    Ok(())
}

fn is_metadata(field: &str) -> bool {
    matches!(field, "metadata.name" | "metadata.namespace")
}
