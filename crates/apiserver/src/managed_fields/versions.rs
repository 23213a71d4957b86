//! The versions of a kind: the schema of each, and an object at each.
//!
//! What is a set at one version may be one value at another, so two states are compared by the schema of each manager's
//! version. Where versions differ in shape too, because a webhook converts them, the states are compared in the shape of that
//! version; so they are where the shapes of a built-in kind differ (`codec::conversion`). Nothing waits here: what is not converted
//! yet is noted as needed, and what was worked out without it is worked out again.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle_wire::facts;
use serde_json::Value;

use crate::catalog::crd::converter::Converter;
use crate::catalog::crd::structural::Structural;
use crate::catalog::kinds::{self, Kind};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::conversion::{self, Shapes};
use crate::codec::object::Object;
use crate::managed_fields::merge::Schema;
use crate::response::status::Answer;

/// The versions of a kind.
pub(crate) enum Versions {
    /// In the tables, under this kind; and under which plural, where its versions differ in shape.
    BuiltIn(String, Option<String>),
    /// In a definition: schemas by apiVersion, and what was converted, where a webhook does that.
    Custom(Vec<(String, Arc<Structural>)>, Option<Forms>),
}

/// Objects at other versions, as a webhook made them.
#[derive(Default)]
pub(crate) struct Forms(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// An object, a version, and the object at that version.
    converted: Vec<(Value, String, Value)>,
    needed: Vec<(Value, String)>,
    /// Whether something had fields at a version that the schema of that version does not know.
    is_unfit: bool,
}

impl Versions {
    /// The schema at a version; none where that version does not exist.
    pub(crate) fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        match self {
            Versions::BuiltIn(kind, _) => facts::kind_of(api_version, kind).map(Schema::Type),
            Versions::Custom(schemas, _) => {
                let found = schemas.iter().find(|(version, _)| version == api_version);
                found.map(|(_, schema)| Schema::Resource(schema))
            }
        }
    }

    /// An object in the shape that it has at a version; none where a webhook has yet to be asked.
    pub(super) fn at<'v>(&self, api_version: &str, object: &'v Value) -> Option<Cow<'v, Value>> {
        match self {
            Versions::Custom(_, Some(forms)) if self.schema(api_version).is_some() => forms.at(api_version, object),
            Versions::BuiltIn(_, Some(plural)) => Some(shaped(plural, api_version, object)),
            _ => Some(Cow::Borrowed(object)),
        }
    }

    /// Whether a webhook left something in an object that the version it made has no place for.
    pub(super) fn are_unfit(&self) -> bool {
        matches!(self, Versions::Custom(_, Some(forms)) if forms.known().is_unfit)
    }

    /// Has a webhook convert what turned out to be needed; says whether there was anything.
    pub(super) async fn convert_needed(&self, converter: &Converter, kind: &Kind) -> Answer<bool> {
        let (Versions::Custom(_, Some(forms)), Some(webhook)) = (self, &kind.conversion) else { return Ok(false) };
        let needed = std::mem::take(&mut forms.known().needed);
        for (object, api_version) in &needed {
            let (converted, unknown) = converter.convert_strictly(webhook, kind, object.clone(), api_version).await?;
            let mut known = forms.known();
            known.is_unfit |= !unknown.is_empty();
            known.converted.push((object.clone(), api_version.clone(), converted));
        }
        Ok(!needed.is_empty())
    }
}

/// An object of a built-in kind in the shape of a version.
fn shaped<'v>(plural: &str, api_version: &str, object: &'v Value) -> Cow<'v, Value> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let at = kinds::built_in(group, version, plural);
    let own_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    let Some(at) = at.filter(|at| conversion::differs(at, own_version)) else { return Cow::Borrowed(object) };
    let Some(mut converted) = Object::from_value(object.clone()) else { return Cow::Borrowed(object) };
    conversion::convert(&mut converted, &at);
    Cow::Owned(converted.into_value())
}

impl Forms {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at<'v>(&self, api_version: &str, object: &'v Value) -> Option<Cow<'v, Value>> {
        if object.get("apiVersion").is_some_and(|version| version == api_version) {
            return Some(Cow::Borrowed(object));
        }
        if object.pointer("/metadata/name").is_none() {
            // Nothing that was ever an object: it is as empty at every version.
            let mut empty = object.clone();
            empty["apiVersion"] = api_version.into();
            return Some(Cow::Owned(empty));
        }
        let mut known = self.known();
        let found = known.converted.iter().find(|(from, version, _)| version == api_version && from == object);
        if let Some((_, _, converted)) = found {
            return Some(Cow::Owned(converted.clone()));
        }
        let needed = (object.clone(), api_version.to_owned());
        if !known.needed.contains(&needed) {
            known.needed.push(needed);
        }
        None
    }
}

impl ClusterSnapshot {
    /// The versions of a kind.
    pub(crate) fn versions(&self, kind: &Kind) -> Versions {
        if kind.is_custom() {
            let forms = kind.conversion.as_ref().map(|_| Forms::default());
            Versions::Custom(self.catalog.schemas(&kind.resource()), forms)
        } else {
            let has_shapes = kind.strategy.shapes() != Shapes::Same;
            Versions::BuiltIn(kind.kind.clone(), has_shapes.then(|| kind.plural.clone()))
        }
    }
}
