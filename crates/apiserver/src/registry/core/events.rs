//! Events, which the core group and `events.k8s.io` serve in two forms: each is in the namespace of its object, and those in
//! the new form have all required fields.
//!
//! An event is stored as it was written; what looks into it finds a field by either of its names.

mod columns;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::conversion::Shapes;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::metadata::FinalizerRule;
use crate::registry::validation::names::NameRule;
use crate::registry::validation::qualified_names;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;
use crate::storage::selectable_fields;

/// The strategies of Events.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::registry) enum Events {
    /// Those of the core group.
    Core,
    /// Those of `events.k8s.io`.
    New,
}

impl Strategy for Events {
    fn name_rule(&self) -> NameRule {
        if *self == Events::Core { NameRule::PathSegment } else { NameRule::Subdomain }
    }

    fn finalizer_rule(&self) -> FinalizerRule {
        if *self == Events::Core { FinalizerRule::Any } else { FinalizerRule::Qualified }
    }

    fn shapes(&self) -> Shapes {
        Shapes::Events
    }

    fn validate(&self, _: &Kind, event: &Object) -> Vec<FieldError> {
        self.errors(event)
    }

    /// Events own nothing, so a delete never waits for their dependents.
    fn supports_garbage_collection(&self) -> bool {
        false
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns::all()
    }

    /// The source of an event is its component, or who reported it where it has none; and what it involves has another name
    /// in the new form.
    fn selectable_field(&self, event: &Value, field: &str) -> String {
        let component = ["source", "deprecatedSource"].iter().find_map(|source| event.get(source)?.get("component"));
        let path = match (field, component.and_then(Value::as_str).filter(|component| !component.is_empty())) {
            ("source", Some(component)) => return component.to_owned(),
            ("source", None) => "reportingComponent",
            _ => field,
        };
        let found = path.split('.').try_fold(event, |value, part| match (part, value.get(part)) {
            ("involvedObject", None) => value.get("regarding"),
            ("regarding", None) => value.get("involvedObject"),
            ("reportingComponent", None) => value.get("reportingController"),
            ("reportingController", None) => value.get("reportingComponent"),
            (_, found) => found,
        });
        found.and_then(selectable_fields::text).unwrap_or_default()
    }
}

impl Events {
    fn errors(&self, object: &Object) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let field = if *self == Events::Core { "involvedObject" } else { "regarding" };
        let about =
            object.get(field).and_then(|about| about.get("namespace")).and_then(Value::as_str).unwrap_or_default();
        let home = object.meta("namespace");
        // What is in no namespace has its events in the default one, or in the system's where they are written the new way;
        // there an event may also be elsewhere than what it is about.
        let is_new = !Field::of(object, "eventTime").is_empty();
        let is_misplaced = match about {
            "" => !(home == "default" || is_new && home == "kube-system"),
            about => !is_new && about != home,
        };
        if is_misplaced {
            errors.push(FieldError::invalid_text("involvedObject.namespace", about, "does not match event.namespace"));
        }
        if *self == Events::New {
            errors.extend(new_way(object));
        }
        errors
    }
}

/// An event of `events.k8s.io` has to say when, who and what.
fn new_way(object: &Object) -> Vec<FieldError> {
    let time = Field::of(object, "eventTime");
    if let Some(error) = time.required() {
        return [Some(error), kind_of_event(object)].into_iter().flatten().collect();
    }
    let mut errors = Vec::new();
    let (by, instance) = (object.text("reportingController"), object.text("reportingInstance"));
    if by.is_empty() {
        errors.push(FieldError::required("reportingController", ""));
    }
    let wrong = if by.is_empty() { Vec::new() } else { qualified_names::key(by) };
    errors.extend(wrong.iter().map(|why| FieldError::invalid_text("reportingController", by, why)));
    errors.extend(Field::of(object, "reportingInstance").required());
    errors.extend(at_most("reportingInstance", instance, INSTANCE_MAX));
    for (field, most) in [("action", ACTION_MAX), ("reason", REASON_MAX)] {
        errors.extend(Field::of(object, field).required());
        errors.extend(at_most(field, object.text(field), most));
    }
    errors.extend(at_most("message", object.text("note"), NOTE_MAX));
    errors.extend(kind_of_event(object));
    errors
}

fn kind_of_event(object: &Object) -> Option<FieldError> {
    let found = object.text("type");
    let is_known = matches!(found, "Normal" | "Warning");
    (!is_known).then(|| FieldError::invalid_text("type", "", &format!("has invalid value: {found}")))
}

fn at_most(field: &str, text: &str, most: usize) -> Option<FieldError> {
    let is_longer = text.len() > most;
    is_longer.then(|| FieldError::invalid_text(field, "", &format!("can have at most {most} characters")))
}

/// kube-apiserver's limits.
const INSTANCE_MAX: usize = 128;
const ACTION_MAX: usize = 128;
const REASON_MAX: usize = 128;
const NOTE_MAX: usize = 1024;
