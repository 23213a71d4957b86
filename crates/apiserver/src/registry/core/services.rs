//! Services: their addresses and ports, which the server allocates ([`allocation`]) and takes back when the type changes
//! ([`type_change`]).

mod allocation;
mod columns;
mod families;
mod type_change;
mod validation;

use serde_json::json;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::names::NameRule;
use crate::response::status::{Answer, FieldError};
use crate::response::table::columns::Column;

/// The strategy of Services.
#[derive(Debug)]
pub(super) struct Services;

impl Strategy for Services {
    fn name_rule(&self) -> NameRule {
        NameRule::Label
    }

    fn prepare_for_create(
        &self,
        snapshot: &ClusterSnapshot,
        target: &ResolvedTarget,
        service: &mut Object,
    ) -> Answer<()> {
        snapshot.complete_service(target, None, service)
    }

    fn prepare_for_update(
        &self,
        snapshot: &ClusterSnapshot,
        target: &ResolvedTarget,
        before: &Object,
        service: &mut Object,
    ) -> Answer<()> {
        snapshot.complete_service(target, Some(before), service)
    }

    fn has_service_addresses(&self) -> bool {
        true
    }

    fn validate(&self, _: &Kind, service: &Object) -> Vec<FieldError> {
        validation::errors(service)
    }

    fn validate_update(&self, kind: &Kind, before: &Object, service: &Object) -> Vec<FieldError> {
        let mut errors = self.validate(kind, service);
        errors.extend(address_change(before, service));
        errors
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns::all()
    }
}

/// The address of a Service is for ever, unless it becomes another's name.
fn address_change(before: &Object, object: &Object) -> Option<FieldError> {
    let (old, new) = (Field::of(before, "spec"), Field::of(object, "spec"));
    let is_external = |spec: &Field<'_>| spec.field("type").text() == "ExternalName";
    let (was, asked) = (old.field("clusterIP").text(), new.field("clusterIP").text());
    if is_external(&old) || is_external(&new) || was.is_empty() || was == asked {
        return None;
    }
    Some(FieldError::invalid("spec.clusterIPs[0]", &json!([asked]).to_string(), "may not change once set"))
}
