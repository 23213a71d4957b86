//! ServiceCIDRs: the ranges that the addresses of Services are from.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::cidr;
use crate::registry::validation::field::Field;
use crate::response::status::FieldError;
use crate::response::table::cells::{items, text};
use crate::response::table::columns::Column;

/// The strategy of ServiceCIDRs.
#[derive(Debug)]
pub(super) struct ServiceCidrs;

impl Strategy for ServiceCidrs {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(object)
    }

    /// A range stays as it is; one of the other family may come beside it.
    fn validate_update(&self, _: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        let (old, new) = (cidrs(before), cidrs(object));
        let (was, is): (Vec<_>, Vec<_>) = (old.items().collect(), new.items().collect());
        let changed = was.iter().zip(&is).filter(|(was, is)| was.value != is.value);
        let mut changed: Vec<FieldError> = changed.map(|(_, is)| is.wrong_text(IMMUTABLE)).collect();
        match (was.len(), is.len()) {
            (was, is) if was == is => {}
            (1, 2) => changed.extend(errors(object)),
            _ => return vec![new.wrong(IMMUTABLE)],
        }
        changed
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        let ranges = |object: &Value| items(object, "/spec/cidrs").map(text).collect::<Vec<_>>().join(",").into();
        vec![Column::name(), Column::computed("CIDRs", ranges), Column::age()]
    }
}

/// What is wrong with a ServiceCIDR.
fn errors(object: &Object) -> Vec<FieldError> {
    let all = cidrs(object);
    let ranges: Vec<Field<'_>> = all.items().collect();
    if ranges.is_empty() {
        return vec![FieldError::required(&all.path, "at least one CIDR required")];
    }
    if ranges.len() > 2 {
        return vec![all.wrong("may only hold up to 2 values")];
    }
    let mut errors: Vec<FieldError> = ranges.iter().filter_map(cidr::strict_error).collect();
    let family = |range: &Field<'_>| cidr::read(range.text()).map(|(address, _)| address.is_ipv4());
    if let [first, second] = &ranges[..]
        && family(first).is_some()
        && family(first) == family(second)
    {
        errors.push(
            all.wrong("may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"),
        );
    }
    errors
}

fn cidrs(object: &Object) -> Field<'_> {
    Field::of(object, "spec").field("cidrs")
}

const IMMUTABLE: &str = "field is immutable";
