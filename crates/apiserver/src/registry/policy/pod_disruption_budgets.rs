//! PodDisruptionBudgets: how many pods of an application an eviction leaves there.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::{conditions, label_selector};
use crate::response::status::FieldError;
use crate::response::table::cells;
use crate::response::table::columns::Column;

/// The strategy of PodDisruptionBudgets.
#[derive(Debug)]
pub(super) struct PodDisruptionBudgets;

impl Strategy for PodDisruptionBudgets {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn validate_status_update(&self, _: &Kind, _: &Object, object: &Object) -> Vec<FieldError> {
        let status = Field::of(object, "status");
        let mut errors = conditions::errors(&status.field("conditions"));
        errors.extend(status.none_negative(&[
            "disruptionsAllowed",
            "currentHealthy",
            "desiredHealthy",
            "expectedPods",
        ]));
        errors
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::computed("Min Available", |budget| cells::number_or(&budget["spec"]["minAvailable"], "N/A")),
            Column::computed("Max Unavailable", |budget| cells::number_or(&budget["spec"]["maxUnavailable"], "N/A")),
            Column::number("Allowed Disruptions", ".status.disruptionsAllowed"),
            Column::age(),
        ]
    }
}

/// What is wrong with a PodDisruptionBudget.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let (least, most) = (spec.field("minAvailable"), spec.field("maxUnavailable"));
    let mut errors = Vec::new();
    if !least.value.is_null() && !most.value.is_null() {
        let shown = format!(
            "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{}}}",
            least.value,
            spec.field("selector").value,
            most.value,
            spec.field("unhealthyPodEvictionPolicy").value
        );
        errors.push(FieldError::invalid(&spec.path, &shown, "minAvailable and maxUnavailable cannot be both set"));
    }
    errors.extend([&least, &most].into_iter().flat_map(|spot| share(spot)));
    errors.extend(label_selector::errors(&spec.field("selector")));
    errors.extend(spec.field("unhealthyPodEvictionPolicy").one_of(&["AlwaysAllow", "IfHealthyBudget"]));
    errors
}

/// A number that is not below zero, or a percentage of at most the whole.
fn share(spot: &Field<'_>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = spot.count_or_percentage().into_iter().collect();
    let percent = spot.text().strip_suffix('%').and_then(|digits| digits.parse::<u64>().ok());
    if percent.is_some_and(|percent| percent > 100) {
        errors.push(FieldError::invalid(
            &spot.path,
            &Value::from(spot.text()).to_string(),
            "must not be greater than 100%",
        ));
    }
    errors
}
