//! PATCH with the fields that a manager states: server-side apply.
//!
//! In: the fields a manager wants, as YAML or JSON. Out: the object merged with them, created where it was not there. What
//! merges how, and who owns what, is in `managed`; here are the checks around it and the refusals' words.

use std::borrow::Cow;

use pintle_wire::facts::{self, Type};
use serde_json::Value;

use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::go_json;
use crate::codec::object::Object;
use crate::codec::typed::{self, Trouble};
use crate::codec::yaml;
use crate::managed_fields::merge::Schema;
use crate::managed_fields::merge::check::check;
use crate::managed_fields::{Refused, Tracker};
use crate::registry::create::NewObject;
use crate::registry::guaranteed_update::Outcome;
use crate::registry::subresources::{SubresourceType, scale};
use crate::response::status::{Answer, Refusal, apply_conflict, bad_request, conflict_because, unforeseen};

/// Reads a body as what is stated.
pub(crate) fn decode(body: &[u8]) -> Answer<Value> {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(_) => {
            let wrong =
                |why: String| bad_request(format!("error decoding patch: error converting YAML to JSON: {why}"));
            yaml::read(body).map_err(wrong)?.value
        }
    };
    let found = match &value {
        Value::Object(_) => {
            let mut value = value;
            // A number without a fraction is a whole one, however it is written.
            go_json::write_whole_numbers(&mut value);
            return Ok(value);
        }
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
        Value::Null => "null",
    };
    Err(bad_request(format!(
        "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go value \
         of type map[string]interface {{}}"
    )))
}

/// What an object becomes when this is applied to it.
pub(super) fn outcome(
    target: &ResolvedTarget,
    before: Object,
    stated: &Value,
    force: bool,
    tracker: &Tracker,
) -> Answer<Outcome> {
    let new = merged(target, Some(&before), stated, force, tracker)?;
    Ok(Outcome { before, new, warnings: Vec::new() })
}

fn merged(
    target: &ResolvedTarget,
    before: Option<&Object>,
    stated: &Value,
    force: bool,
    tracker: &Tracker,
) -> Answer<Object> {
    check_stated(target, stated)?;
    let of_object = stated_of_object(target, stated)?;
    let done = tracker.applied(target, before, &of_object, force);
    let mut value = done.map_err(|refused| refuse(target, stated, refused))?.into_value();
    let whole = super::guaranteed_update::owner(target);
    match typed::of_kind(&whole.kind) {
        Some(kind) => value = converted(&whole, stated, kind, value)?,
        None => super::custom_resource::prune_applied(&target.kind, &mut value),
    }
    let object = super::object(&whole, value)?;
    super::check_name(target, &object)?;
    Ok(object)
}

/// What was merged, as an object of a built-in type.
fn converted(target: &ResolvedTarget, stated: &Value, kind: &'static Type, value: Value) -> Answer<Value> {
    typed::convert(kind, value).map_err(|trouble| {
        let why = match trouble {
            Trouble::WrongType(why) => why,
            Trouble::Syntax(error) => error.to_string(),
        };
        let (place, found) = place_and_type(target, stated);
        unforeseen(format!(
            "failed to convert new object ({place}; {found}) to proper version: unable to convert unstructured object to \
             {found}: {why}"
        ))
    })
}

/// Which object is stated, and of which type, as Go prints them.
fn place_and_type(target: &ResolvedTarget, stated: &Value) -> (String, String) {
    let meta = |field: &str| {
        let text = stated.get("metadata").and_then(|metadata| metadata.get(field));
        text.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let (api_version, kind) = target.body_type();
    (format!("{}/{}", meta("namespace"), meta("name")), type_of(&api_version, kind))
}

/// What is stated, about the object itself where it is stated about its scale.
fn stated_of_object<'a>(target: &ResolvedTarget, stated: &'a Value) -> Answer<Cow<'a, Value>> {
    if !is_scale(target) {
        return Ok(Cow::Borrowed(stated));
    }
    let (api_version, kind) = target.body_type();
    if let Some(kind) = facts::kind_of(&api_version, kind) {
        let wrong = |why| refuse(target, stated, Refused::Malformed(why));
        check(Schema::Type(kind), stated).map_err(wrong)?;
    }
    Ok(Cow::Owned(scale::stated_of_object(&target.kind, stated)))
}

/// Makes an object of what is stated.
pub(super) fn new_object(
    snapshot: &ClusterSnapshot,
    target: &ResolvedTarget,
    stated: &Value,
    force: bool,
) -> Answer<NewObject> {
    let mut object = merged(target, None, stated, force, &snapshot.tracker(&target.kind))?;
    // A version means nothing here, where it is an error in a create.
    object.put_meta("resourceVersion", None);
    let uid = object.meta("uid");
    if !uid.is_empty() {
        let why = format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
        return Err(conflict_because(&target.kind, target.name(), &why));
    }
    NewObject::new(snapshot, target, object)
}

fn is_scale(target: &ResolvedTarget) -> bool {
    target.subresource_type() == SubresourceType::Scale
}

/// What is stated is of this type and says nothing about managers.
fn check_stated(target: &ResolvedTarget, stated: &Value) -> Answer<()> {
    let text = |field: &str| stated.get(field).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = target.body_type();
    if text("apiVersion") != api_version || text("kind") != kind {
        let found = type_of(text("apiVersion"), text("kind"));
        return Err(bad_request(format!("invalid object type: {found}")));
    }
    if stated.pointer("/metadata/managedFields").is_some_and(|managers| !managers.is_null()) {
        return Err(bad_request("metadata.managedFields must be nil"));
    }
    Ok(())
}

/// A type as Go prints it; the core group is empty.
fn type_of(api_version: &str, kind: &str) -> String {
    let slash = if api_version.contains('/') { "" } else { "/" };
    format!("{slash}{api_version}, Kind={kind}")
}

fn refuse(target: &ResolvedTarget, stated: &Value, refused: Refused) -> Refusal {
    match refused {
        Refused::Conflicts(conflicts) => apply_conflict(&conflicts),
        Refused::Malformed(why) => {
            let (place, found) = place_and_type(target, stated);
            unforeseen(format!("failed to create typed patch object ({place}; {found}): {why}"))
        }
    }
}
