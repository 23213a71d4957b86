//! What `kubectl explain` prints about the fields that every object has, in our own words.
//!
//! The tables hold no descriptions; these few stand for the fields that a definition of a custom kind cannot describe.

/// What a field of a type is for.
pub(super) fn of_field(kind: &str, field: &str) -> Option<&'static str> {
    let is_meta = kind == super::schemas::OBJECT_META;
    OBJECT_META_FIELDS.iter().find(|(name, _)| is_meta && *name == field).map(|(_, text)| *text)
}

pub(super) const API_VERSION: &str = "APIVersion defines the group and version whose schema this object follows.";

pub(super) const KIND: &str = "Kind names the schema that this object follows, in CamelCase. It cannot be changed.";

pub(super) const METADATA: &str =
    "Standard object's metadata: its name, labels, annotations and owners, and what the server keeps about it.";

pub(super) const LIST_METADATA: &str =
    "Standard list metadata: the version of the list, and where its next page begins.";

const OBJECT_META_FIELDS: [(&str, &str); 15] = [
    ("annotations", "Annotations are texts that tools and people keep with an object. Nothing is selected by them."),
    ("creationTimestamp", "CreationTimestamp is a timestamp that the server sets when the object is created."),
    ("deletionGracePeriodSeconds", "How many seconds an object that is deleted has to end. Set by the server."),
    ("deletionTimestamp", "When an object that is deleted is to be gone. Set by the server; it cannot be taken back."),
    ("finalizers", "Who still has to do something before a deleted object goes; each takes its own entry away."),
    ("generateName", "The beginning of a name that the server completes, for objects that are created without one."),
    ("generation", "A number that grows whenever what is wanted of the object changes."),
    ("labels", "Labels are keys and values by which objects are selected."),
    ("managedFields", "Who has set which fields, for server-side apply."),
    ("name", "The name of the object, unique among those of its kind in its namespace. It cannot be changed."),
    ("namespace", "The namespace that the object is in; empty for kinds that are in none. It cannot be changed."),
    ("ownerReferences", "The objects that this one belongs to. Once all of them are gone, it is garbage."),
    ("resourceVersion", "Which state of the object this is; clients compare it, and do not interpret it."),
    ("selfLink", "Not set any more."),
    ("uid", "What tells this object from every other one, before and after it. Set by the server."),
];
