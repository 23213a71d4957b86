//! Names of signers: a domain and a path, `example.com/signer-name`.

use crate::registry::validation::field::Field;
use crate::registry::validation::names;
use crate::response::status::FieldError;

/// What is wrong with the name of a signer.
pub(super) fn errors(name: &Field<'_>) -> Vec<FieldError> {
    let text = name.text();
    if text.is_empty() {
        return vec![FieldError::required(&name.path, "")];
    }
    let Some((domain, path)) = text.split_once('/').filter(|(_, path)| !path.contains('/')) else {
        return vec![
            name.wrong_text("must be a fully qualified domain and path of the form 'example.com/signer-name'"),
        ];
    };
    let mut errors = segments(name, domain, names::label);
    if !domain.contains('.') {
        let why = "should be a domain with at least two segments separated by dots";
        errors.push(FieldError::invalid_text(&name.path, domain, why));
    }
    errors.extend(segments(name, path, names::subdomain));
    if text.len() > BYTES_MAX {
        errors.push(FieldError::too_long(&name.path, BYTES_MAX));
    }
    errors
}

fn segments(name: &Field<'_>, part: &str, rule: fn(&str) -> Vec<String>) -> Vec<FieldError> {
    let wrong = |segment: &str| {
        let error = |why: String| format!("validating label \"{segment}\": {why}");
        rule(segment).into_iter().map(error).collect::<Vec<_>>()
    };
    part.split('.').flat_map(wrong).map(|why| FieldError::invalid_text(&name.path, part, &why)).collect()
}

/// A domain, a namespace, a name, and what stands between them.
const BYTES_MAX: usize = 571;
