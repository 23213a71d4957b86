//! PodTemplates: pods to be.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::{pod_template, pod_warnings};
use crate::response::status::FieldError;
use crate::response::table::cells;
use crate::response::table::columns::Column;

/// The strategy of PodTemplates.
#[derive(Debug)]
pub(super) struct PodTemplates;

impl Strategy for PodTemplates {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        pod_template::errors(&Field::of(object, "template"))
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        pod_warnings::of_template(before, object, &["template"])
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::containers("Containers", "/template/spec", "name"),
            Column::containers("Images", "/template/spec", "image"),
            Column::computed("Pod Labels", |object| cells::labels(&object["template"]["metadata"]["labels"])),
        ]
    }
}
