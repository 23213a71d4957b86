//! The object of a write as a webhook sees it, and what the webhook's patch makes of it.
//!
//! In: the object as the request means it. Out: JSON at the version that the webhook asked for, a Scale where the request
//! is about one; and back again, through the same reading, defaulting and checks as the body of a request.

use std::sync::Arc;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::codec::typed::{self, Trouble};
use crate::registry::custom_resource;
use crate::registry::subresources::{SubresourceType, scale};
use crate::registry::{self, no_such_kind};
use crate::response::status::{Answer, internal};
use crate::webhook::apply_json_patch;

/// As what a webhook sees the object of a request.
pub(super) struct Asked<'a> {
    pub(super) snapshot: &'a ClusterSnapshot,
    /// What the request is about.
    pub(super) target: &'a ResolvedTarget,
    /// The kind that the webhook wants to see.
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
        let read = self.read(patched)?;
        if self.is_scale() {
            scale::write_replicas(&self.target.kind, &read, object);
            return Ok(true);
        }
        *object = if self.kind.api_version() == self.target.kind.api_version() {
            read
        } else {
            self.snapshot.converted(read, &self.target.kind).await?
        };
        Ok(true)
    }

    fn read(&self, value: Value) -> Answer<Object> {
        let target = self.body_target();
        self.check_type(&target, &value)?;
        let mut value = value;
        match typed::of_body(&target) {
            Some(kind) => {
                value = typed::reread(kind, value).map(|read| read.value).map_err(|trouble| match trouble {
                    Trouble::WrongType(why) => internal(&why),
                    Trouble::Syntax(error) => internal(&error.to_string()),
                })?;
            }
            None => {
                custom_resource::read_metadata(&value).map_err(|why| internal(&why))?;
                drop(custom_resource::prune(&target.kind, &mut value));
            }
        }
        registry::object(&target, value)
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
