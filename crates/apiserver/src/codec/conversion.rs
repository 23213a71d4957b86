//! Built-in kinds that differ from version to version in more than `apiVersion`.
//!
//! ```text
//!   body at some version ──► hub ──► checked, stored ──► at the version that a client reads
//! ```
//! In: an object and the kind it is to be. Out: the same object at that version, printed as its Go type is. Like
//! kube-apiserver the server checks and keeps such an object in one version, the [`hub`], which has a field for everything
//! that the others have. Events are kept as they came: their two versions have the same fields under other names.
//! Versions of custom resources are none of its business.

mod autoscaling;
mod devices;
mod events;

use std::sync::Arc;

use crate::catalog::kinds::{self, Kind};
use crate::codec::object::Object;
use crate::codec::typed;

/// The version in which objects of a kind are checked and stored, if it is another.
pub(crate) fn hub(kind: &Kind) -> Option<Arc<Kind>> {
    let version = match kind.strategy.shapes() {
        Shapes::Autoscalers if kind.version == "v1" => "v2",
        Shapes::Devices if kind.version == devices::FIRST => "v1",
        Shapes::Certificates if kind.version == "v1" => "v1beta1",
        _ => return None,
    };
    kinds::built_in(&kind.group, version, &kind.plural)
}

/// Whether an object of this version has another shape at the kind's.
pub(crate) fn differs(kind: &Kind, api_version: &str) -> bool {
    let of_first = |api_version: &str| api_version.ends_with(devices::FIRST);
    match kind.strategy.shapes() {
        Shapes::Same => false,
        Shapes::Devices => of_first(api_version) != (kind.version == devices::FIRST),
        Shapes::Autoscalers | Shapes::Events | Shapes::Certificates => api_version != kind.api_version(),
    }
}

/// Makes an object one of a kind's version.
pub(crate) fn convert(object: &mut Object, to: &Kind) {
    if differs(to, object.text("apiVersion")) {
        match to.strategy.shapes() {
            Shapes::Autoscalers if to.version == "v1" => autoscaling::to_v1(object),
            Shapes::Autoscalers => autoscaling::to_v2(object),
            Shapes::Devices if to.version == devices::FIRST => devices::to_first(&to.plural, object),
            Shapes::Devices => devices::from_first(&to.plural, object),
            Shapes::Events => events::rename_fields(object, &to.group),
            Shapes::Certificates | Shapes::Same => {}
        }
        if let Some(of_version) = typed::of_kind(to) {
            object.change(|value| {
                // What this version has no field for goes.
                if let Ok(read) = typed::reread(of_version, value.clone()) {
                    *value = read.value;
                }
            });
            typed::finish(to, object);
        }
    }
    object.set("apiVersion", to.api_version().into());
}

/// Gives an autoscaler what its version means without saying it.
pub(crate) fn complete_autoscaler(kind: &Kind, object: &mut Object) {
    if let Some(hub) = hub(kind) {
        convert(object, &hub);
        convert(object, kind);
    } else {
        autoscaling::drop_notes(object);
    }
}

/// How the versions of a kind differ; the kind's strategy says which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shapes {
    /// In `apiVersion` alone.
    Same,
    Autoscalers,
    Certificates,
    Devices,
    Events,
}

#[cfg(test)]
mod tests {
    use pintle_wire::facts::Type;

    use super::*;
    use crate::catalog::kinds::table;

    /// The types of one kind at two versions, compared field by field.
    fn has_same_shape(one: &'static Type, other: &'static Type, seen: &mut Vec<[&'static str; 2]>) -> bool {
        let pair = [one.name(), other.name()];
        if one.shape() != other.shape() {
            return false;
        }
        if one.name() == other.name() || seen.contains(&pair) {
            return true;
        }
        seen.push(pair);
        one.fields().len() == other.fields().len()
            && one.fields().iter().zip(other.fields()).all(|(a, b)| {
                a.name() == b.name() && a.holds() == b.holds() && has_same_shape(a.kind(), b.kind(), seen)
            })
    }

    #[test]
    fn every_kind_whose_versions_differ_is_converted() {
        for (group, versions) in table::GROUPS {
            for kind in versions.iter().flat_map(|version| kinds::built_in_of(group, version)) {
                let others = versions.iter().filter_map(|version| kinds::built_in(group, version, &kind.plural));
                for other in others {
                    let types = (typed::of_kind(&kind).unwrap(), typed::of_kind(&other).unwrap());
                    let is_same = has_same_shape(types.0, types.1, &mut Vec::new());
                    let (from, to) = (kind.api_version(), other.api_version());
                    assert_eq!(differs(&other, &from), !is_same, "{} from {from} to {to}", kind.plural);
                }
            }
        }
    }
}
