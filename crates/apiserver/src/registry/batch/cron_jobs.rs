//! CronJobs: Jobs that begin at certain times.

mod schedule;

use serde_json::{Value, json};

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::batch::jobs;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::pod_warnings;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;
use crate::response::table::{age, cells};

/// The strategy of CronJobs.
#[derive(Debug)]
pub(super) struct CronJobs;

impl Strategy for CronJobs {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        pod_warnings::of_controller(before, object, &["spec", "jobTemplate", "spec", "template"])
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        let pods = "/spec/jobTemplate/spec/template/spec";
        vec![
            Column::name(),
            Column::text("Schedule", ".spec.schedule", ""),
            Column::text("Timezone", ".spec.timeZone", "<none>"),
            Column::computed("Suspend", is_suspended).typed("boolean"),
            Column::count("Active", "integer", &[".status.active"]),
            Column::computed_at("Last Schedule", last_schedule),
            Column::age(),
            Column::containers("Containers", pods, "name").wide(),
            Column::containers("Images", pods, "image").wide(),
            Column::computed("Selector", |job| cells::selector(&job["spec"]["jobTemplate"]["spec"]["selector"])).wide(),
        ]
    }
}

/// What is wrong with a CronJob.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let asked = spec.field("schedule");
    let mut errors = Vec::new();
    if asked.text().contains("TZ") {
        errors.push(asked.wrong_text("cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
    } else if let Some(why) = schedule::problem(asked.text()).filter(|_| !asked.is_empty()) {
        errors.push(asked.wrong_text(&why));
    }
    errors.extend(spec.field("startingDeadlineSeconds").not_negative());
    errors.extend(time_zone(&spec.field("timeZone")));
    errors.extend(spec.field("concurrencyPolicy").one_of(&["Allow", "Forbid", "Replace"]));
    errors.extend(jobs::spec_errors(&spec.field("jobTemplate").field("spec")));
    errors.extend(spec.field("successfulJobsHistoryLimit").not_negative());
    errors.extend(spec.field("failedJobsHistoryLimit").not_negative());
    if object.name().len() > NAME_MAX {
        let why = format!("must be no more than {NAME_MAX} characters");
        errors.push(FieldError::invalid_text("metadata.name", object.name(), &why));
    }
    errors.extend(asked.required());
    errors
}

/// What is wrong with the time zone that a schedule is in.
fn time_zone(zone: &Field<'_>) -> Vec<FieldError> {
    let text = zone.text();
    if zone.value.is_null() {
        return Vec::new();
    }
    if text.is_empty() {
        return vec![zone.wrong_text("timeZone must be nil or non-empty string")];
    }
    let mut errors = Vec::new();
    if text.eq_ignore_ascii_case("Local") {
        let why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        errors.push(zone.wrong_text(why));
    }
    if !pintle_cel::is_time_zone(text) {
        errors.push(zone.wrong_text(&format!("unknown time zone {text}")));
    }
    errors
}

fn is_suspended(job: &Value) -> Value {
    if job.pointer("/spec/suspend") == Some(&json!(true)) { "True" } else { "False" }.into()
}

fn last_schedule(job: &Value, now: i64) -> Value {
    match job.pointer("/status/lastScheduleTime") {
        Some(time) if !time.is_null() => age::since(time, now).into(),
        _ => "<none>".into(),
    }
}

/// Its jobs get eleven characters more, and their names have to be labels.
const NAME_MAX: usize = 52;
