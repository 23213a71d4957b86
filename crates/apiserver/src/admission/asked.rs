//! The object of a write as a webhook or a policy sees it, and what its patch makes of the object.
//!
//! In: the object as the request means it. Out: JSON at the version that was asked for, a Scale where the request is about
//! one; and back again, through the same reading, defaulting and checks as the body of a request.

pub(super) mod request;

use std::sync::Arc;

use pintle_cel::ResourceAttributes;
use serde_json::Value;

use super::Attributes;
use super::expressions::Write;
use super::expressions::access::Access;
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::codec::typed::{self, Trouble};
use crate::managed_fields::merge::Schema;
use crate::registry::custom_resource;
use crate::registry::subresources::{SubresourceType, scale};
use crate::registry::{self, no_such_kind};
use crate::response::status::{Answer, internal};
use crate::webhook::apply_json_patch;

/// What becomes of fields that a type does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    Dropped,
    Refused,
}

/// As what a webhook or a policy sees the object of a request.
pub(super) struct Asked<'a> {
    pub(super) snapshot: &'a ClusterSnapshot,
    /// What the request is about.
    pub(super) target: &'a ResolvedTarget,
    /// The kind that it wants to see.
    pub(super) kind: Arc<Kind>,
}

impl Asked<'_> {
    /// The object as JSON.
    pub(super) async fn shown(&self, object: &Object) -> Answer<Value> {
        if self.is_scale() {
            return scale::of(&self.target.kind, object);
        }
        let mut object = object.clone();
        if object.text("apiVersion") != self.body_target().body_type().0 {
            object = self.snapshot.converted(object, &self.kind).await?;
        }
        let mut value = object.into_value();
        if let Some(kind) = typed::of_body(&self.body_target()) {
            typed::print(kind, &mut value);
        }
        Ok(value)
    }

    /// Applies a patch to what was shown, and takes what comes of it over into the object; says whether that changed it.
    pub(super) async fn patch(&self, patch: &[Value], shown: &Value, object: &mut Object) -> Answer<bool> {
        let mut patched = shown.clone();
        apply_json_patch(patch, &mut patched).map_err(|why| internal(&why))?;
        if patched == *shown {
            return Ok(false);
        }
        self.take(patched, Unknown::Dropped, object).await?;
        Ok(true)
    }

    /// Takes what was shown over into the object, after it was changed.
    pub(super) async fn take(&self, changed: Value, unknown: Unknown, object: &mut Object) -> Answer<()> {
        let read = self.read(changed, unknown)?;
        if self.is_scale() {
            scale::write_replicas(&self.target.kind, &read, object);
            return Ok(());
        }
        *object = if self.kind.api_version() == self.target.kind.api_version() {
            read
        } else {
            self.snapshot.converted(read, &self.target.kind).await?
        };
        Ok(())
    }

    fn read(&self, value: Value, unknown: Unknown) -> Answer<Object> {
        let target = self.body_target();
        self.check_type(&target, &value)?;
        let mut value = value;
        match typed::of_body(&target) {
            Some(kind) => {
                let read = typed::reread(kind, value).map_err(|trouble| match trouble {
                    Trouble::WrongType(why) => internal(&why),
                    Trouble::Syntax(error) => internal(&error.to_string()),
                })?;
                if unknown == Unknown::Refused && !read.strict.is_empty() {
                    return Err(internal(&format!("strict decoding error: {}", read.strict.join(", "))));
                }
                value = read.value;
            }
            None => {
                custom_resource::read_metadata(&value).map_err(|why| internal(&why))?;
                drop(custom_resource::prune(&target.kind, &mut value));
            }
        }
        registry::object(&target, value)
    }

    /// How values of the kind that is shown merge, if that is known.
    pub(super) fn schema(&self) -> Option<Schema<'_>> {
        match typed::of_body(&self.body_target()) {
            Some(kind) => Some(Schema::Type(kind)),
            None => self.kind.schema.as_deref().map(Schema::Resource),
        }
    }

    /// A patch must not change the kind of the object; if it removes the type, the type is restored.
    fn check_type(&self, target: &ResolvedTarget, value: &Value) -> Answer<()> {
        let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = target.body_type();
        let said = (text("apiVersion"), text("kind"));
        if said == ("", "") || said == (api_version.as_str(), kind) {
            return Ok(());
        }
        Err(internal(&no_such_kind(said.0, said.1)))
    }

    fn is_scale(&self) -> bool {
        self.target.subresource_type() == SubresourceType::Scale
    }

    fn body_target(&self) -> ResolvedTarget {
        ResolvedTarget { kind: Arc::clone(&self.kind), ..self.target.clone() }
    }
}

/// What a webhook or a policy is shown.
pub(super) struct Shown {
    pub(super) object: Option<Value>,
    pub(super) old: Option<Value>,
    /// What a review tells of the request.
    pub(super) request: Value,
}

impl Shown {
    pub(super) async fn of(asked: &Asked<'_>, attributes: &Attributes<'_>, object: Option<&Object>) -> Answer<Shown> {
        let mut states = [None, None];
        for (state, shown) in [object, attributes.old].into_iter().zip(&mut states) {
            if let Some(state) = state {
                *shown = Some(asked.shown(state).await?);
            }
        }
        let [object, old] = states;
        let request = request::request(attributes, &asked.kind, object.as_ref());
        Ok(Shown { object, old, request })
    }

    /// The name of the object.
    pub(super) fn name(&self) -> &str {
        self.request.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// The same for expressions.
    pub(super) fn write<'a>(&'a self, snapshot: &'a ClusterSnapshot, attributes: &Attributes<'a>) -> Write<'a> {
        let target = attributes.target;
        Write {
            object: self.object.as_ref(),
            old: self.old.as_ref(),
            request: &self.request,
            namespace: None,
            params: None,
            resource: ResourceAttributes {
                group: target.kind.group.clone(),
                resource: target.kind.plural.clone(),
                subresource: target.subresource.clone().unwrap_or_default(),
                namespace: target.namespace.clone().unwrap_or_default(),
                name: self.name().to_owned(),
                ..ResourceAttributes::default()
            },
            access: Access { authorizer: &snapshot.authorizer, user: attributes.user },
        }
    }
}
