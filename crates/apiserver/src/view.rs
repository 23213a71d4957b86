//! A stored entry as one reader wants it: at the version of the path, whole or metadata alone.
//!
//! In: an entry and the kind it is asked as. Out: bytes, shared with the store wherever nothing has to change.
//! Versions differ in `apiVersion` alone, with two exceptions: events of the core group and of events.k8s.io, whose
//! fields are renamed, and the few kinds whose versions have shapes of their own, which are refused by name. Custom
//! resources that were stored under another schema come in the shape of the one they are asked by.

use bytes::Bytes;
use pintle_core::call::Form;

use crate::cluster::Subject;
use crate::crd::shape::shape;
use crate::entry::{Entry, metadata_only};
use crate::kinds::{Kind, rules};
use crate::object::Object;
use crate::parts::{Role, scale};
use crate::status::{Answer, not_implemented};

/// The entry as bytes.
pub(crate) fn body(kind: &Kind, form: Form, entry: &Entry) -> Answer<Bytes> {
    if form == Form::Metadata {
        return Ok(entry.metadata_only());
    }
    let api_version = kind.api_version();
    check_shape(kind, entry, &api_version)?;
    if is_foreign_event(kind, entry, &api_version) || is_of_another_shape(kind, entry, &api_version) {
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
    /// The item in two pieces that follow each other.
    pub(crate) fn pieces(&self) -> [&[u8]; 2] {
        [OPEN, &self.body[self.begin..]]
    }
}

/// How every object begins.
const OPEN: &[u8] = b"{";

/// What follows version and kind in the store's layout.
const METADATA: &[u8] = b",\"metadata\":";

/// The entry as whoever asked for this subject wants it: a scale, or the object.
pub(crate) fn answer(subject: &Subject, form: Form, entry: &Entry) -> Answer<Bytes> {
    match subject.role() {
        Role::Scale => Ok(scale::of_entry(&subject.kind, entry)?.to_string().into()),
        _ => body(&subject.kind, form, entry),
    }
}

/// The entry as an object.
pub(crate) fn object(kind: &Kind, entry: &Entry) -> Answer<Object> {
    let api_version = kind.api_version();
    check_shape(kind, entry, &api_version)?;
    let mut object = entry.object();
    if is_foreign_event(kind, entry, &api_version) {
        rename_event_fields(&mut object, &api_version);
    }
    if let Some(schema) = kind.schema.as_ref().filter(|_| is_of_another_shape(kind, entry, &api_version)) {
        object.change(|value| drop(shape(schema, value)));
    }
    object.set("apiVersion", api_version.into());
    Ok(object)
}

/// Bytes in the store's layout, made from an entry but changed since, in the form asked for.
pub(crate) fn changed_body(kind: &Kind, form: Form, changed: &Bytes) -> Bytes {
    let mut object = Object::decode(changed);
    if form == Form::Metadata {
        return metadata_only(&object);
    }
    let api_version = kind.api_version();
    if kind.plural == "events" && object.text("apiVersion") != api_version {
        rename_event_fields(&mut object, &api_version);
    }
    object.set("apiVersion", api_version.into());
    object.encode()
}

fn is_foreign_event(kind: &Kind, entry: &Entry, api_version: &str) -> bool {
    !kind.is_custom() && kind.plural == "events" && entry.api_version() != api_version
}

/// Whether a custom resource was stored under another schema than the one it is asked by.
fn is_of_another_shape(kind: &Kind, entry: &Entry, api_version: &str) -> bool {
    kind.schema.is_some() && (entry.revision <= kind.since || entry.api_version() != api_version)
}

fn rename_event_fields(object: &mut Object, to: &str) {
    for (core, events) in EVENT_FIELDS {
        let (from, to) = if to == "v1" { (events, core) } else { (core, events) };
        if let Some(value) = object.remove(from) {
            object.set(to, value);
        }
    }
}

fn check_shape(kind: &Kind, entry: &Entry, asked: &str) -> Answer<()> {
    let written = entry.api_version();
    let differs = |version| !kind.is_custom() && rules::has_own_shape(&kind.plural, version);
    if written == asked || !(differs(written) || differs(asked)) {
        return Ok(());
    }
    let what = format!("{} \"{}\"", kind.qualified_plural(), entry.head.name());
    Err(not_implemented(&format!("converting {what} from {written} to {asked}")))
}

/// A field's name in `v1` and in `events.k8s.io/v1`.
const EVENT_FIELDS: &[(&str, &str)] = &[
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];
