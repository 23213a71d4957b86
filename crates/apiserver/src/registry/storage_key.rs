//! Whether an object can be stored under the name and namespace of its path.
//!
//! In: a target. Out: the refusal where its key would not be that of one object: names become parts of a path in the
//! store. This is asked when the object is looked up, after everything that a request itself can be wrong about.

use pintle_core::call::Query;
use pintle_core::fields::FieldSelector;

use crate::cluster::ResolvedTarget;
use crate::registry::create::NewObject;
use crate::response::status::{Answer, FieldError, bad_request, invalid, unforeseen};

/// Checks the key of an object.
pub(crate) fn check(target: &ResolvedTarget) -> Answer<()> {
    check_namespace(target)?;
    if let Some(why) = no_segment(target.name()) {
        return Err(bad_request(format!("Name parameter invalid: {:?}: {why}", target.name())));
    }
    check_collection(target)
}

/// Checks that an object of a namespaced kind is meant in a namespace.
pub(crate) fn check_namespace(target: &ResolvedTarget) -> Answer<()> {
    if target.kind.namespaced && target.namespace.is_none() {
        return Err(bad_request("Namespace parameter required."));
    }
    Ok(())
}

/// Checks that a new object of a namespaced kind is in a namespace.
pub(crate) fn check_new(target: &ResolvedTarget, new: &NewObject) -> Answer<()> {
    if !target.kind.namespaced || target.namespace.is_some() {
        return Ok(());
    }
    Err(invalid(&target.kind.kind, &target.kind.group, new.name(), &[FieldError::required("metadata.namespace", "")]))
}

/// Checks the key of a collection, or of the one object in it that a query selects.
pub(crate) fn check_selected(target: &ResolvedTarget, query: &Query) -> Answer<()> {
    let selector = query.field_selector.as_deref().and_then(|text| text.parse::<FieldSelector>().ok());
    let name = selector.and_then(|selector| selector.exact("metadata.name").map(str::to_owned));
    check_collection(&ResolvedTarget { name, ..target.clone() })
}

/// Checks the beginning that the keys of a collection, or of its part in a namespace, have in common.
pub(crate) fn check_collection(target: &ResolvedTarget) -> Answer<()> {
    let Some(namespace) = target.namespace.as_deref().filter(|namespace| matches!(*namespace, "." | "..")) else {
        return Ok(());
    };
    let kind = &target.kind;
    let storage = if kind.is_custom() { format!("{}/{}", kind.group, kind.plural) } else { kind.plural.clone() };
    let name = target.name.as_deref().map(|name| format!("/{name}")).unwrap_or_default();
    Err(unforeseen(format!("invalid key: {:?}", format!("/{storage}/{namespace}{name}"))))
}

/// Why a word cannot be one segment of a path, if it cannot.
pub(crate) fn no_segment(word: &str) -> Option<String> {
    match word {
        "." | ".." => Some(format!("may not be '{word}'")),
        _ => ['/', '%'].into_iter().find(|sign| word.contains(*sign)).map(|sign| format!("may not contain '{sign}'")),
    }
}
