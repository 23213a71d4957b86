//! IngressClasses: which controller an Ingress is for.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::names;
use crate::response::status::FieldError;
use crate::response::table::cells::said;
use crate::response::table::columns::Column;

/// The strategy of IngressClasses.
#[derive(Debug)]
pub(super) struct IngressClasses;

impl Strategy for IngressClasses {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("spec.controller", Printed::Value)]
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::text("Controller", ".spec.controller", ""),
            Column::computed("Parameters", parameters),
            Column::age(),
        ]
    }
}

/// What is wrong with an IngressClass.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let controller = spec.field("controller");
    let mut errors = Vec::new();
    if controller.text().len() > CONTROLLER_BYTES_MAX {
        errors.push(FieldError::too_long(&controller.path, CONTROLLER_BYTES_MAX));
    }
    errors.extend(domain_prefixed_path(&controller));
    let parameters = spec.field("parameters");
    if !parameters.value.is_null() {
        errors.extend(["kind", "name"].iter().filter_map(|field| parameters.field(field).required()));
    }
    errors
}

fn domain_prefixed_path(spot: &Field<'_>) -> Vec<FieldError> {
    if let Some(error) = spot.required() {
        return vec![error];
    }
    match spot.text().split_once('/') {
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            names::subdomain(host).iter().map(|why| FieldError::invalid_text(&spot.path, host, why)).collect()
        }
        _ => vec![spot.wrong_text("must be a domain-prefixed path (such as \"acme.io/foo\")")],
    }
}

fn parameters(class: &Value) -> Value {
    match class.pointer("/spec/parameters") {
        Some(parameters) => {
            let group = said(parameters, "/apiGroup");
            let kind = said(parameters, "/kind");
            let kind = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
            format!("{kind}/{}", said(parameters, "/name")).into()
        }
        None => "<none>".into(),
    }
}

/// kube-apiserver's limit.
const CONTROLLER_BYTES_MAX: usize = 250;
