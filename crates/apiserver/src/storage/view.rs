//! A stored entry as one reader wants it: at the version of the path, whole or metadata alone.
//!
//! In: an entry and the kind it is asked as. Out: bytes, shared with the store wherever nothing has to change.
//! Most versions differ in `apiVersion` alone; the others are [converted](conversion). Custom resources that were stored
//! under another schema come in the shape of the one they are asked by; what a webhook converts has been
//! [prepared](crate::catalog::crd::converter::Converter::prepare) before, because nothing waits here.

use bytes::Bytes;
use pintle_core::call::Form;

use crate::catalog::crd::prune_and_default::prune_and_default;
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::codec::conversion;
use crate::codec::object::Object;
use crate::registry::subresources::{SubresourceType, scale};
use crate::response::status::{Answer, internal};
use crate::storage::entry::{Entry, metadata_only};
use crate::storage::watch_cache::Change;

/// The entry as bytes.
pub(crate) fn body(kind: &Kind, form: Form, entry: &Entry) -> Answer<Bytes> {
    if is_converted_by_webhook(kind, entry) {
        let converted = converted(kind, entry)?;
        return Ok(if form == Form::Metadata { metadata_only(&Object::decode(&converted)) } else { converted });
    }
    if form == Form::Metadata {
        return Ok(entry.metadata_only());
    }
    let api_version = kind.api_version();
    if conversion::differs(kind, entry.api_version()) || has_another_schema(kind, entry, &api_version) {
        return Ok(object(kind, entry)?.encode());
    }
    Ok(entry.body_at(&api_version))
}

/// The entry as an item of a list. Items of built-in kinds do not say what they are: the list does.
pub(crate) fn item(kind: &Kind, form: Form, entry: &Entry) -> Answer<Item> {
    let body = body(kind, form, entry)?;
    let begin = match form {
        Form::Object if !kind.is_custom() => {
            let metadata = body.windows(METADATA.len()).position(|bytes| bytes == METADATA);
            metadata.expect("the store's layout has the metadata behind version and kind") + 1
        }
        _ => OPEN.len(),
    };
    Ok(Item { body, begin })
}

/// Bytes of which the beginning may be left out.
pub(crate) struct Item {
    body: Bytes,
    begin: usize,
}

impl Item {
    /// The length of both pieces.
    pub(crate) fn len(&self) -> usize {
        OPEN.len() + self.body.len() - self.begin
    }

    /// The item in two pieces that follow each other.
    pub(crate) fn pieces(&self) -> [&[u8]; 2] {
        [OPEN, &self.body[self.begin..]]
    }
}

/// How every object begins.
const OPEN: &[u8] = b"{";

/// What follows version and kind in the store's layout.
const METADATA: &[u8] = b",\"metadata\":";

/// The entry in the form that a request for this target gets: a scale, or the object.
pub(crate) fn answer(target: &ResolvedTarget, form: Form, entry: &Entry) -> Answer<Bytes> {
    match target.subresource_type() {
        SubresourceType::Scale => Ok(scale::of_entry(&target.kind, entry)?.to_string().into()),
        _ => body(&target.kind, form, entry),
    }
}

/// Whether the entry as an object of a kind is what is stored.
pub(crate) fn is_as_stored(kind: &Kind, entry: &Entry) -> bool {
    let api_version = kind.api_version();
    entry.api_version() == api_version && !has_another_schema(kind, entry, &api_version)
}

/// The entry as an object.
pub(crate) fn object(kind: &Kind, entry: &Entry) -> Answer<Object> {
    if is_converted_by_webhook(kind, entry) {
        return converted(kind, entry).map(|body| Object::decode(&body));
    }
    let api_version = kind.api_version();
    let mut object = entry.object();
    if let Some(schema) = kind.schema.as_ref().filter(|_| has_another_schema(kind, entry, &api_version)) {
        object.change(|value| drop(prune_and_default(schema, value)));
    }
    conversion::convert(&mut object, kind);
    Ok(object)
}

/// The last state that a watch saw of an object that it does not select any more, with the version of the change.
pub(crate) fn departed(kind: &Kind, form: Form, change: &Change, old: &Entry) -> Answer<Bytes> {
    let mut object = if is_converted_by_webhook(kind, old) {
        let mut object = object(kind, old)?;
        object.set_meta("resourceVersion", change.revision().to_string());
        object
    } else {
        Object::decode(&change.departed(old))
    };
    if form == Form::Metadata {
        return Ok(metadata_only(&object));
    }
    conversion::convert(&mut object, kind);
    Ok(object.encode())
}

/// Whether an entry is asked for at a version that a webhook makes of it.
pub(crate) fn is_converted_by_webhook(kind: &Kind, entry: &Entry) -> bool {
    kind.conversion.is_some() && entry.api_version() != kind.api_version()
}

/// Whether a webhook has yet to make it.
pub(crate) fn is_unconverted(kind: &Kind, entry: &Entry) -> bool {
    is_converted_by_webhook(kind, entry) && entry.converted(kind).is_none()
}

/// The form that a webhook made.
fn converted(kind: &Kind, entry: &Entry) -> Answer<Bytes> {
    entry.converted(kind).ok_or_else(|| {
        let (api_version, name) = (kind.api_version(), entry.head.name());
        internal(&format!("{} {name:?} was not converted to {api_version} before it was read", kind.qualified_plural()))
    })
}

/// Whether a custom resource was stored under another schema than the one it is asked by.
fn has_another_schema(kind: &Kind, entry: &Entry, api_version: &str) -> bool {
    kind.schema.is_some() && (entry.revision <= kind.since || entry.api_version() != api_version)
}
