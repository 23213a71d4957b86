//! The options of a write, out of its query: whether it is stored, who writes, how fields are checked.
//!
//! In: a query. Out: what the verbs need of it, or a refusal that names the options of the verb.

use pintle_core::call::{PatchKind, Query, Verb};

use serde_json::{Value, json};

use crate::cluster::DryRun;
use crate::registry::delete::{DeleteOptions, Preconditions};
use crate::registry::field_validation::FieldValidation;
use crate::response::status::{Answer, FieldError, invalid_options};

/// What create, update and patch have in common.
pub(super) struct WriteOptions {
    pub(super) dry_run: DryRun,
    pub(super) validation: FieldValidation,
}

impl WriteOptions {
    /// Understands a query; `name` is what kube-apiserver calls the options of the verb.
    pub(super) fn parse(query: &Query, name: &str) -> Answer<WriteOptions> {
        check_manager(query.field_manager.as_deref().unwrap_or_default(), name)?;
        Ok(WriteOptions {
            dry_run: parse_dry_run(query.dry_run.iter().map(String::as_str), name)?,
            validation: validation(query.field_validation.as_deref().unwrap_or_default(), name)?,
        })
    }
}

impl WriteOptions {
    /// The options as admission shows them.
    pub(super) fn print(&self, query: &Query, name: &str) -> Value {
        let mut options = json!({"kind": name, "apiVersion": "meta.k8s.io/v1"});
        if self.dry_run == DryRun::All {
            options["dryRun"] = json!(["All"]);
        }
        for (field, value) in [("fieldManager", &query.field_manager), ("fieldValidation", &query.field_validation)] {
            if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
                options[field] = value.into();
            }
        }
        if let Some(force) = query.force {
            options["force"] = force.into();
        }
        options
    }
}

/// `dryRun` is a list, of which only one value is known; a query can say it more than once.
pub(super) fn check_stages(query: &str, verb: Verb) -> Answer<()> {
    let said = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "dryRun");
    let stages: Vec<String> = said.map(|(_, stage)| stage.into_owned()).collect();
    let options = match verb {
        Verb::Create => "CreateOptions",
        Verb::Replace => "UpdateOptions",
        Verb::Patch(_) => "PatchOptions",
        Verb::Delete | Verb::DeleteCollection => "DeleteOptions",
        Verb::Get | Verb::List | Verb::Watch => return Ok(()),
    };
    if stages.len() < 2 || stages.iter().all(|stage| stage == "All") {
        return Ok(());
    }
    Err(invalid_options(options, &[FieldError::none_of("dryRun", &json!(stages).to_string(), &["All"])]))
}

fn parse_dry_run<'a>(mut values: impl Iterator<Item = &'a str>, name: &str) -> Answer<DryRun> {
    match values.next() {
        None => Ok(DryRun::No),
        Some("All") => Ok(DryRun::All),
        Some(other) => Err(invalid_options(name, &[FieldError::none_of("dryRun", &format!("[{other:?}]"), &["All"])])),
    }
}

fn check_manager(manager: &str, name: &str) -> Answer<()> {
    if manager.len() > MANAGER_BYTES_MAX {
        let error = FieldError::too_long("fieldManager", MANAGER_BYTES_MAX);
        return Err(invalid_options(name, &[error]));
    }
    if let Some((place, sign)) = manager.chars().enumerate().find(|(_, sign)| sign.is_control()) {
        let why = format!("invalid character U+{:04X} (at position {place})", u32::from(sign));
        let error = FieldError::invalid_text("fieldManager", manager, &why);
        return Err(invalid_options(name, &[error]));
    }
    Ok(())
}

/// What is done about fields that no type knows.
fn validation(said: &str, name: &str) -> Answer<FieldValidation> {
    match said {
        "" | "Warn" => Ok(FieldValidation::Warn),
        "Ignore" => Ok(FieldValidation::Ignore),
        "Strict" => Ok(FieldValidation::Strict),
        other => {
            let error = FieldError::not_supported("fieldValidation", other, &["", "Ignore", "Strict", "Warn"]);
            Err(invalid_options(name, &[error]))
        }
    }
}

/// Only apply can be forced, and an apply must name its field manager.
pub(super) fn check_force(query: &Query, kind: PatchKind) -> Answer<()> {
    if kind == PatchKind::Apply && query.field_manager.as_deref().unwrap_or_default().is_empty() {
        let error = FieldError::required("fieldManager", "is required for apply patch");
        return Err(invalid_options("PatchOptions", &[error]));
    }
    if query.force.is_some() && kind != PatchKind::Apply {
        let error = FieldError::forbidden("force", "may not be specified for non-apply patch");
        return Err(invalid_options("PatchOptions", &[error]));
    }
    Ok(())
}

/// The options of a delete that are in its query.
pub(super) fn delete_in_query(query: &Query) -> DeleteOptions {
    DeleteOptions {
        grace_period_seconds: query.grace_period_seconds,
        propagation_policy: query.propagation_policy.clone(),
        orphan_dependents: query.orphan_dependents,
        preconditions: query.resource_version.clone().map(Preconditions::of_version),
        dry_run: query.dry_run.clone().map(|value| vec![value]),
    }
}

/// Whether the options of a delete fit together; and its `dryRun`.
pub(super) fn check_delete(options: &DeleteOptions) -> Answer<DryRun> {
    options.propagation()?;
    parse_dry_run(options.dry_run.iter().flatten().map(String::as_str), "DeleteOptions")
}

/// kube-apiserver's limit.
const MANAGER_BYTES_MAX: usize = 128;
