//! The addresses and families of addresses that a Service asks for: whether this cluster, which has IPv4 alone, can give them.
//!
//! In: the spec of a Service before anything is given to it. Out: errors, for which it is refused before all other checks.

use std::net::IpAddr;

use crate::codec::object::Object;
use crate::registry::validation::field::Field;
use crate::registry::validation::ip_address;
use crate::response::status::FieldError;

/// What is wrong with the addresses and families that a Service asks for.
pub(super) fn errors(spec: &Field<'_>, before: Option<&Object>) -> Vec<FieldError> {
    // Whether those of a Service that is there can change is for other checks to say.
    let is_new = before.is_none();
    let mut errors = if is_new { addresses(spec) } else { Vec::new() };
    errors.extend(families(&spec.field("ipFamilies")));
    let policy = spec.field("ipFamilyPolicy");
    errors.extend(policy.one_of(&["PreferDualStack", "RequireDualStack", "SingleStack"]));
    if errors.is_empty() && is_new {
        errors.extend(counts(spec));
        errors.extend(not_here(spec));
    }
    errors
}

fn addresses(spec: &Field<'_>) -> Vec<FieldError> {
    let (one, all) = (spec.field("clusterIP"), spec.field("clusterIPs"));
    let mut errors = Vec::new();
    let texts: Vec<&str> = all.items().map(|address| address.text()).collect();
    match texts.first() {
        Some(_) if one.is_empty() => errors.push(all.wrong("must be empty when `clusterIP` is not specified")),
        Some(first) if *first != one.text() => errors.push(all.wrong("first value must match `clusterIP`")),
        _ => {}
    }
    if texts.len() > 1 {
        let families: Vec<bool> =
            texts.iter().filter_map(|text| Some(text.parse::<IpAddr>().ok()?.is_ipv4())).collect();
        if texts.contains(&"None") {
            errors.push(all.wrong("'None' must be the first and only value"));
        } else if texts.len() > 2 || families.len() == 2 && families[0] == families[1] {
            errors.push(all.wrong("may specify no more than one IP for each IP family"));
        }
    }
    errors.extend(wrong_address(one.text()));
    errors
}

fn wrong_address(text: &str) -> Option<FieldError> {
    if matches!(text, "" | "None") || text.parse::<IpAddr>().is_ok() {
        return None;
    }
    // Which number one with a zero in front is, programs disagree about.
    let decimal: Vec<&str> = text.split('.').collect();
    let is_padded = decimal.len() == 4
        && decimal.iter().all(|part| part.parse::<u8>().is_ok())
        && decimal.iter().any(|part| part.len() > 1 && part.starts_with('0'));
    let why = if is_padded { "must not have leading 0s" } else { ip_address::REFUSED };
    Some(FieldError::invalid_text("spec.clusterIPs[0]", text, why))
}

fn families(families: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for family in families.items() {
        if taken.contains(&family.text()) {
            errors.push(FieldError::duplicate(&family.path, &family.value.to_string()));
        }
        if !matches!(family.text(), "IPv4" | "IPv6") {
            errors.push(FieldError::not_supported(&family.path, family.text(), &["IPv4", "IPv6"]));
        }
        taken.push(family.text());
    }
    errors
}

/// Two of anything need a policy that allows two.
fn counts(spec: &Field<'_>) -> Option<FieldError> {
    let policy = spec.field("ipFamilyPolicy");
    let several = [("ipFamilies", "IP families"), ("clusterIPs", "cluster IPs")];
    let (_, what) = several.iter().find(|(list, _)| spec.field(list).items().count() > 1)?;
    let why = format!("must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified");
    (policy.text() == "SingleStack").then(|| policy.wrong_text(&why))
}

/// Without a selector, a Service without addresses can claim any families: somebody else answers for it.
fn not_here(spec: &Field<'_>) -> Vec<FieldError> {
    let is_headless = spec.field("clusterIP").text() == "None";
    if is_headless && spec.field("selector").is_empty() {
        return Vec::new();
    }
    let (policy, address) = (spec.field("ipFamilyPolicy"), spec.field("clusterIP"));
    let mut errors = Vec::new();
    if policy.text() == "RequireDualStack" {
        errors.push(policy.wrong_text("this cluster is not configured for dual-stack services"));
    }
    let first = spec.field("ipFamilies").items().next();
    let asked = address.text().parse::<IpAddr>().ok();
    if let (Some(first), Some(address)) = (&first, asked)
        && (first.text() == "IPv4") != address.is_ipv4()
    {
        let why = format!("expected an {} value as indicated by `ipFamilies[0]`", first.text());
        errors.push(FieldError::invalid_text("spec.clusterIPs[0]", &address.to_string(), &why));
        return errors;
    }
    let absent = spec.field("ipFamilies").items().filter(|family| family.text() == "IPv6");
    errors.extend(absent.map(|family| family.wrong_text("not configured on this cluster")));
    errors
}
