//! Projected volumes: several sources in one folder, whose files must not be in each other's way.

use super::volumes::{files, pod_fields};
use crate::registry::validation::field::Field;
use crate::registry::validation::names;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::response::status::FieldError;

/// What is wrong with a projected volume.
pub(super) fn errors(volume: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for source in volume.field("sources").items() {
        let said = SOURCES.iter().filter(|(kind, ..)| !source.field(kind).value.is_null());
        let mut count = 0;
        for (kind, rules, check) in said {
            count += 1;
            let of_kind = source.field(kind);
            if count > 1 {
                errors.push(source.forbidden("may not specify more than 1 volume type per source"));
            }
            errors.extend(rules::errors(&of_kind, rules));
            errors.extend(check(&of_kind, volume));
            errors.extend(paths(&of_kind).into_iter().filter_map(|path| taken_twice(volume, path, &mut taken)));
        }
    }
    errors
}

/// A kind of source and what it has to be, given it and its volume.
type Source = (&'static str, Rules, fn(&Field<'_>, &Field<'_>) -> Vec<FieldError>);

const SOURCES: &[Source] = &[
    ("secret", NAMED, |source, _| files(source)),
    ("configMap", NAMED, |source, _| files(source)),
    ("downwardAPI", &[], |source, _| pod_fields(source)),
    ("serviceAccountToken", &[], token),
    ("clusterTrustBundle", &[], |source, _| trust_bundle(source)),
    ("podCertificate", &[], |source, _| pod_certificate(source)),
];

const NAMED: Rules = &[("name", Rule::Required)];

/// The files that a source writes.
fn paths<'a>(source: &Field<'a>) -> Vec<&'a str> {
    let items = source.field("items");
    let listed = items.items().map(|item| item.field("path").text());
    let own = FILES.iter().map(|name| source.field(name).text());
    listed.chain(own).filter(|path| !path.is_empty()).collect()
}

fn taken_twice<'a>(volume: &Field<'_>, path: &'a str, taken: &mut Vec<&'a str>) -> Option<FieldError> {
    if taken.contains(&path) {
        return Some(FieldError::invalid_text(&volume.path, path, "conflicting duplicate paths"));
    }
    taken.push(path);
    None
}

fn token(token: &Field<'_>, volume: &Field<'_>) -> Vec<FieldError> {
    let seconds = token.field("expirationSeconds");
    let mut errors = Vec::new();
    match seconds.value.as_i64() {
        Some(short) if short < TOKEN_SECONDS_MIN => {
            errors.push(seconds.wrong("may not specify a duration less than 10 minutes"));
        }
        Some(long) if long > TOKEN_SECONDS_MAX => {
            errors.push(seconds.wrong("may not specify a duration larger than 2^32 seconds"));
        }
        _ => {}
    }
    // Its path leaves out which source it is.
    let path = Field { path: volume.field("path").path, ..token.field("path") };
    errors.extend(path.required());
    errors.extend(Rule::FilePath.errors(&path));
    errors
}

fn trust_bundle(bundle: &Field<'_>) -> Vec<FieldError> {
    let [name, signer, selector, optional, path] =
        ["name", "signerName", "labelSelector", "optional", "path"].map(|field| bundle.field(field));
    let mut errors = Vec::new();
    match (name.value.is_null(), signer.value.is_null()) {
        (true, true) => {
            errors.push(FieldError::required(&bundle.path, "either name or signerName must be specified"));
        }
        (false, false) => {
            let shown = format!(
                "{{\"Name\":{},\"SignerName\":{},\"LabelSelector\":{},\"Optional\":{},\"Path\":{},\"User\":null}}",
                name.value, signer.value, selector.value, optional.value, path.value
            );
            errors.push(FieldError::invalid(&bundle.path, &shown, "only one of name and signerName may be used"));
        }
        _ => {}
    }
    errors.extend(path.required());
    errors.extend(Rule::FilePath.errors(&path));
    errors
}

fn pod_certificate(certificate: &Field<'_>) -> Vec<FieldError> {
    let signer = certificate.field("signerName");
    let mut errors: Vec<FieldError> = signer.required().into_iter().collect();
    if !signer.is_empty() && !is_signer(signer.text()) {
        errors.push(signer.wrong_text(SIGNER));
    }
    errors.extend(Rule::Choice(KEY_TYPES).errors(&certificate.field("keyType")));
    errors.extend(lifetime(certificate));
    let files = ["credentialBundlePath", "keyPath", "certificateChainPath"].map(|name| certificate.field(name));
    if files.iter().all(Field::is_empty) {
        let why = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
        errors.push(FieldError::required(&certificate.path, why));
    }
    errors.extend(files.iter().flat_map(|file| Rule::FilePath.errors(file)));
    let annotations = certificate.field("userAnnotations");
    for key in annotations.value.as_object().into_iter().flatten().map(|(key, _)| key) {
        if !key.contains('/') {
            let why = "must be a domain-prefixed key (such as \"acme.io/foo\")";
            errors.push(FieldError::invalid_text(&annotations.path, key, why));
        }
    }
    errors
}

/// Kubernetes' own signers give certificates for a day at most.
fn lifetime(certificate: &Field<'_>) -> Option<FieldError> {
    let seconds = certificate.field("maxExpirationSeconds");
    let is_own = certificate.field("signerName").text().starts_with("kubernetes.io/");
    let most = if is_own { OWN_CERTIFICATE_SECONDS_MAX } else { CERTIFICATE_SECONDS_MAX };
    let why = match seconds.value.as_i64()? {
        short if short < CERTIFICATE_SECONDS_MIN => format!(">= {CERTIFICATE_SECONDS_MIN}"),
        long if long > most => format!("<= {most}"),
        _ => return None,
    };
    Some(seconds.wrong(&format!("if provided, maxExpirationSeconds must be {why}")))
}

fn is_signer(name: &str) -> bool {
    name.split_once('/').is_some_and(|(domain, path)| {
        domain.contains('.') && names::subdomain(domain).is_empty() && names::subdomain(path).is_empty()
    })
}

/// Fields that name a file.
const FILES: &[&str] = &["path", "credentialBundlePath", "keyPath", "certificateChainPath"];

const SIGNER: &str = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

const KEY_TYPES: &[&str] = &["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

/// An hour, 91 days, and a day.
const CERTIFICATE_SECONDS_MIN: i64 = 3600;
const CERTIFICATE_SECONDS_MAX: i64 = 7_862_400;
const OWN_CERTIFICATE_SECONDS_MAX: i64 = 86_400;

const TOKEN_SECONDS_MIN: i64 = 600;
const TOKEN_SECONDS_MAX: i64 = 1 << 32;
