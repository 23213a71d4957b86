//! The bounds of numbers.

use serde_json::Number;

use crate::catalog::crd::structural::Structural;
use crate::response::status::FieldError;

/// What is wrong with a number.
pub(super) fn errors(schema: &Structural, path: &str, found: &Number) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut wrong = |why: String| {
        errors.push(FieldError::invalid(path, &found.to_string(), &format!("{path} in body {why}")));
    };
    let value = found.as_f64().unwrap_or_default();
    let of = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
    if let (Some(bound), Some(factor)) = (&schema.multiple_of, of(&schema.multiple_of)) {
        // Whole numbers are divided by the whole part of the factor, which may be none.
        let factor = if found.is_f64() { factor } else { factor.trunc() };
        if factor <= 0.0 {
            let why = format!("factor MultipleOf declared for {path} must be positive: {factor}");
            return vec![FieldError::invalid(path, &factor.to_string(), &why)]
                .into_iter()
                .chain(bounds(schema, path, found))
                .collect();
        }
        if (value / factor).fract() != 0.0 {
            wrong(format!("should be a multiple of {bound}"));
        }
    }
    errors.extend(bounds(schema, path, found));
    errors
}

/// What is wrong with the size of a number.
fn bounds(schema: &Structural, path: &str, found: &Number) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut wrong = |why: String| {
        errors.push(FieldError::invalid(path, &found.to_string(), &format!("{path} in body {why}")));
    };
    let value = found.as_f64().unwrap_or_default();
    let of = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
    if let (Some(bound), Some(most)) = (&schema.maximum, of(&schema.maximum)) {
        if schema.exclusive_maximum && value >= most {
            wrong(format!("should be less than {bound}"));
        } else if value > most {
            wrong(format!("should be less than or equal to {bound}"));
        }
    }
    if let (Some(bound), Some(least)) = (&schema.minimum, of(&schema.minimum)) {
        if schema.exclusive_minimum && value <= least {
            wrong(format!("should be greater than {bound}"));
        } else if value < least {
            wrong(format!("should be greater than or equal to {bound}"));
        }
    }
    let fits = found.as_i64().is_none_or(|number| schema.format != "int32" || i32::try_from(number).is_ok());
    if !fits {
        let why = format!("Checked value must be of type integer with format int32 in {path}");
        errors.push(FieldError::invalid("<nil>", "\"\"", &why));
    }
    errors
}

/// Whether a number has no fraction, however it is written.
pub(super) fn is_whole(number: &Number) -> bool {
    number.as_f64().is_some_and(|value| value.fract() == 0.0)
}
