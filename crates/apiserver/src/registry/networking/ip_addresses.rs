//! IPAddresses: which object an address of the service network belongs to.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{self, ImmutableFields, Printed};
use crate::registry::validation::names::{self, NameRule};
use crate::response::status::FieldError;
use crate::response::table::cells::said;
use crate::response::table::columns::Column;

/// The strategy of IPAddresses.
#[derive(Debug)]
pub(super) struct IpAddresses;

impl Strategy for IpAddresses {
    fn name_rule(&self) -> NameRule {
        NameRule::IpAddress
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let parent = Field::of(object, "spec").field("parentRef");
        if parent.value.is_null() {
            return vec![FieldError::required(&parent.path, "")];
        }
        let mut errors = parent.field("group").subdomain();
        for field in ["resource", "name"].map(|name| parent.field(name)) {
            errors.extend(field.required());
            errors.extend(field.named(names::path_segment));
        }
        errors.extend(parent.field("namespace").named(names::path_segment));
        errors
    }

    fn validate_update(&self, _: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        immutable::errors(before, object, self.immutable_fields())
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("spec.parentRef", Printed::Value)]
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::computed("ParentRef", parent), Column::age()]
    }
}

fn parent(address: &Value) -> Value {
    let Some(parent) = address.pointer("/spec/parentRef") else { return "<none>".into() };
    let (resource, group) = (said(parent, "/resource"), said(parent, "/group"));
    let resource = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
    let (resource, name) = (resource.to_lowercase(), said(parent, "/name"));
    match said(parent, "/namespace") {
        "" => format!("{resource}/{name}"),
        namespace => format!("{resource}/{namespace}/{name}"),
    }
    .into()
}
