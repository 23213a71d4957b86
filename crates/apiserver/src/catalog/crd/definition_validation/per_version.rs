//! What the versions of a definition state about their objects: schema, subresources, columns, selectable fields.
//!
//! In: the spec. Out: errors. kube-apiserver's own type has a place for what all versions state alike, and its errors
//! name that place: `spec.validation` instead of `spec.versions[0].schema`.

use serde_json::Value;

use super::{go_value, selectable_fields};
use crate::catalog::crd::schema_validation;
use crate::response::status::FieldError;

/// Every version's statements, and those that all of them share.
pub(super) struct PerVersion<'a> {
    versions: Vec<(&'a Value, Part<'a>)>,
    common: Part<'a>,
}

/// Statements by their place in [`FIELDS`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part<'a>([Option<&'a Value>; 4]);

impl<'a> PerVersion<'a> {
    /// Sorts out what the versions share.
    pub(super) fn of(spec: &'a Value) -> PerVersion<'a> {
        let versions = spec.get("versions").and_then(Value::as_array).into_iter().flatten();
        let mut versions: Vec<(&Value, Part<'_>)> = versions.map(|version| (version, Part::of(version))).collect();
        let mut common = Part::default();
        for field in 0..FIELDS.len() {
            let first = versions.first().and_then(|(_, part)| part.0[field]);
            if first.is_some() && versions.iter().all(|(_, part)| part.0[field] == first) {
                common.0[field] = first;
                versions.iter_mut().for_each(|(_, part)| part.0[field] = None);
            }
        }
        PerVersion { versions, common }
    }

    /// Versions that say nothing of what their objects look like.
    pub(super) fn missing_schemas(&self) -> Vec<FieldError> {
        let without = |part: &Part<'_>| self.common.schema().is_none() && part.schema().is_none();
        let missing = self.versions.iter().enumerate().filter(|(_, (_, part))| without(part));
        missing
            .map(|(place, _)| FieldError::required(&format!("spec.versions[{place}].schema.openAPIV3Schema"), ""))
            .collect()
    }

    /// What is wrong with what a version states alone.
    pub(super) fn errors_of(&self, place: usize) -> Vec<FieldError> {
        let Some((version, part)) = self.versions.get(place) else { return Vec::new() };
        let path = format!("spec.versions[{place}]");
        let mut errors = deprecation_errors(&format!("{path}.deprecationWarning"), version);
        let subresources = part.subresources().or(self.common.subresources());
        if let Some(schema) = part.schema() {
            let at = format!("{path}.schema.openAPIV3Schema");
            errors.extend(root_errors(&at, schema, has_status(subresources)));
            errors.extend(schema_validation::errors(&at, schema));
        }
        errors.extend(part.errors(&path));
        let schemas: Vec<&Value> = part.schema().or(self.common.schema()).into_iter().collect();
        errors.extend(selectable_fields::errors(&format!("{path}.selectableFields"), part.selectable(), &schemas));
        errors
    }

    /// What is wrong with what all versions state.
    pub(super) fn common_errors(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let versions = self.versions.iter().map(|(_, part)| part);
        if let Some(schema) = self.common.schema() {
            let at = "spec.validation.openAPIV3Schema";
            let all = versions.clone().map(Part::subresources).chain([self.common.subresources()]);
            errors.extend(root_errors(at, schema, all.into_iter().any(has_status)));
            errors.extend(schema_validation::errors(at, schema));
        }
        errors.extend(self.common.errors("spec"));
        let schemas: Vec<&Value> = versions.filter_map(Part::schema).chain(self.common.schema()).collect();
        errors.extend(selectable_fields::errors("spec.selectableFields", self.common.selectable(), &schemas));
        errors
    }

    /// The versions as kube-apiserver shows them in a refusal.
    pub(super) fn print(&self) -> String {
        if self.versions.is_empty() {
            return "null".to_owned();
        }
        let printed: Vec<String> =
            self.versions.iter().map(|(version, part)| go_value::version(version, part)).collect();
        format!("[{}]", printed.join(","))
    }
}

impl<'a> Part<'a> {
    fn of(version: &'a Value) -> Part<'a> {
        let stated = |path: &str| version.pointer(path).filter(|value| !value.is_null());
        Part(FIELDS.map(|path| stated(path).filter(|value| value.as_array().is_none_or(|list| !list.is_empty()))))
    }

    pub(super) fn schema(&self) -> Option<&'a Value> {
        self.0[0]
    }

    pub(super) fn subresources(&self) -> Option<&'a Value> {
        self.0[1]
    }

    pub(super) fn columns(&self) -> Option<&'a Value> {
        self.0[2]
    }

    pub(super) fn selectable(&self) -> Option<&'a Value> {
        self.0[3]
    }

    /// What is wrong with subresources and columns.
    fn errors(&self, path: &str) -> Vec<FieldError> {
        let scale = self.subresources().and_then(|parts| parts.get("scale")).filter(|scale| !scale.is_null());
        let mut errors: Vec<FieldError> =
            scale.into_iter().flat_map(|scale| scale_errors(&format!("{path}.subresources.scale"), scale)).collect();
        let columns = self.columns().and_then(Value::as_array).into_iter().flatten();
        for (place, column) in columns.enumerate() {
            errors.extend(column_errors(&format!("{path}.additionalPrinterColumns[{place}]"), column));
        }
        errors
    }
}

fn has_status(subresources: Option<&Value>) -> bool {
    subresources.and_then(|parts| parts.get("status")).is_some_and(|status| !status.is_null())
}

/// What a status of its own leaves a schema to say at its root: what is lost where the status is looked at alone.
fn root_errors(path: &str, schema: &Value, has_status: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let is_stated = |(name, value): (&String, &Value)| {
        let is_zero = value.is_null() || *value == Value::Bool(false) || *value == "";
        !is_zero && !ROOT_FIELDS.contains(&go_value::field_name(name))
    };
    if has_status && schema.as_object().into_iter().flatten().any(is_stated) {
        let why = format!(
            "only [{}] fields are allowed at the root of the schema if the status subresource is enabled",
            ROOT_FIELDS.join(" ")
        );
        errors.push(FieldError::invalid(path, &go_value::schema(schema), &why));
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        errors.push(FieldError::forbidden(&format!("{path}.nullable"), "nullable cannot be true at the root"));
    }
    errors
}

fn deprecation_errors(path: &str, version: &Value) -> Vec<FieldError> {
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else {
        return Vec::new();
    };
    let wrong = |why: &str| FieldError::invalid_text(path, warning, why);
    if version.get("deprecated") != Some(&Value::Bool(true)) {
        return vec![wrong("can only be set for deprecated versions")];
    }
    let mut errors = Vec::new();
    if warning.len() > WARNING_BYTES_MAX {
        errors.push(wrong(&format!("must be <= {WARNING_BYTES_MAX} characters long")));
    }
    if warning.is_empty() {
        errors.push(wrong("must not be an empty string"));
    }
    if let Some((place, _)) = warning.char_indices().find(|(_, sign)| sign.is_control()) {
        let why =
            format!("must only contain printable UTF-8 characters; non-printable character found at index {place}");
        errors.push(wrong(&why));
    }
    errors
}

fn scale_errors(path: &str, scale: &Value) -> Vec<FieldError> {
    let text = |field: &str| scale.get(field).and_then(Value::as_str).unwrap_or_default();
    let mut errors = Vec::new();
    for (field, roots, why) in [
        ("specReplicasPath", &[".spec."][..], "should be a json path under .spec"),
        ("statusReplicasPath", &[".status."], "should be a json path under .status"),
        ("labelSelectorPath", &[".spec.", ".status."], "should be a json path under either .spec or .status"),
    ] {
        let (at, stated) = (format!("{path}.{field}"), text(field));
        if stated.is_empty() {
            let is_needed = field != "labelSelectorPath";
            errors.extend(is_needed.then(|| FieldError::required(&at, "")));
        } else if let Some(error) = path_error(&at, stated) {
            errors.push(error);
        } else if !roots.iter().any(|root| stated.starts_with(root)) {
            errors.push(FieldError::invalid_text(&at, stated, why));
        }
    }
    errors
}

fn column_errors(path: &str, column: &Value) -> Vec<FieldError> {
    let text = |field: &str| column.get(field).and_then(Value::as_str).unwrap_or_default();
    let at = |field: &str| format!("{path}.{field}");
    let mut errors = Vec::new();
    if text("name").is_empty() {
        errors.push(FieldError::required(&at("name"), ""));
    }
    let types = format!("must be one of {}", COLUMN_TYPES.join(","));
    match text("type") {
        "" => errors.push(FieldError::required(&at("type"), &types)),
        known if COLUMN_TYPES.contains(&known) => {}
        other => errors.push(FieldError::invalid_text(&at("type"), other, &types)),
    }
    let format = text("format");
    if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
        let why = format!("must be one of {}", COLUMN_FORMATS.join(","));
        errors.push(FieldError::invalid_text(&at("format"), format, &why));
    }
    // Here the name of the field is Go's.
    match text("jsonPath") {
        "" => errors.push(FieldError::required(&at("JSONPath"), "")),
        stated => errors.extend(path_error(&at("JSONPath"), stated)),
    }
    errors
}

fn path_error(at: &str, path: &str) -> Option<FieldError> {
    let why = "must be a simple json path starting with .";
    (!path.starts_with('.')).then(|| FieldError::invalid_text(at, path, why))
}

/// Where a version makes its statements.
const FIELDS: [&str; 4] =
    ["/schema/openAPIV3Schema", "/subresources", "/additionalPrinterColumns", "/selectableFields"];

/// kube-apiserver's limit.
const WARNING_BYTES_MAX: usize = 256;

/// What a column can hold.
const COLUMN_TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];

/// How a column can be printed.
const COLUMN_FORMATS: &[&str] = &["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// What the root of a schema may say beside a status of its own, by the names of the Go type.
const ROOT_FIELDS: &[&str] = &[
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];
