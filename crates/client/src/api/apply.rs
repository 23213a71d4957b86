//! Server-side apply of Rust objects: these fields are mine, with these values.
//!
//! ```text
//!   api.apply(manager, &object) ─► [against, status, force, force_on_conflict, dry_run] ─await─► Applied { object, change, taken }
//! ```
//! In: an object whose type leaves out what is not set. Out: the object as the server has it, and whether that is news.
//! Only what is set is sent (`apply/body.rs`); `apiVersion` and `kind` are added, `managedFields` and
//! `resourceVersion` left out. To send exactly given bytes, use [`Api::patch`] with
//! [`Patch::Apply`](pintle_core::params::Patch::Apply).

pub(super) mod body;
mod own_fields;

use std::fmt::{self, Debug};
use std::future::IntoFuture;

use futures::future::{BoxFuture, FutureExt};
use http::StatusCode;
use pintle_core::call::{Call, PatchKind, Target};
use pintle_core::params::{PatchParams, ValidationDirective};
use pintle_core::request::Error as RequestError;
use pintle_core::response::conflicts::FieldConflict;
use pintle_core::{Resource, TypeMeta};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use own_fields::OwnFieldsError;

use super::Api;
use super::verbs::print_with;
use crate::error::{Error, Result};

impl<K> Api<K> {
    /// Applies `fields` as `manager`: they become what they are here, and the fields of other managers stay. An object
    /// that does not exist is created. It is sent when it is awaited.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use pintle_client::api::apply::Change;
    /// # use pintle_client::api::{Api, ObjectMeta};
    /// # async fn reconcile(maps: Api<ConfigMap>) -> pintle_client::Result<()> {
    /// let map = ConfigMap {
    ///     metadata: ObjectMeta { name: Some("settings".into()), ..ObjectMeta::default() },
    ///     data: Some([("colour".into(), "green".into())].into()),
    ///     ..ConfigMap::default()
    /// };
    /// let applied = maps.apply("painter", &map).await?;
    /// // Against the version of the last time, the server's answer shows whether anything changed.
    /// let version = applied.object.metadata.resource_version.as_deref().unwrap_or_default();
    /// let again = maps.apply("painter", &map).against(version).await?;
    /// assert_eq!(again.change, Change::Unchanged);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Fields that a type cannot leave out are not sent where they are empty or zero, if the kind is a built-in one: the
    /// `template` of a `Deployment` of which only `replicas` is set. In a kind of your own, make such a field an `Option`.
    pub fn apply<T: Serialize>(&self, manager: &str, fields: &T) -> Apply<'_, K> {
        let (body, version) = match body::set_fields(fields, &self.types()) {
            Ok((body, version)) => (Ok(body), version),
            Err(error) => (Err(error), None),
        };
        Apply {
            api: self,
            body,
            version,
            subresource: None,
            params: PatchParams::apply(manager),
            forces: Forces::Never,
        }
    }

    /// What objects of this kind call themselves.
    pub(super) fn types(&self) -> TypeMeta {
        TypeMeta { api_version: self.resource.api_version.clone(), kind: self.resource.kind.clone() }
    }
}

/// An apply that is sent when it is awaited.
#[must_use = "an apply is sent when it is awaited"]
pub struct Apply<'a, K> {
    api: &'a Api<K>,
    body: serde_json::Result<Map<String, Value>>,
    version: Option<String>,
    subresource: Option<String>,
    params: PatchParams,
    forces: Forces,
}

/// When fields are taken from their owners.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Forces {
    Never,
    OnConflict,
    Always,
}

impl<K> Apply<'_, K> {
    /// Says which version of the object the caller knows, so that the answer shows whether anything changed. It is the
    /// version of the object that is applied, unless this says another.
    pub fn against(mut self, resource_version: &str) -> Self {
        self.version = Some(resource_version.to_owned());
        self
    }

    /// Applies the status: by way of its own path, where nothing else is changed.
    pub fn status(self) -> Self {
        self.subresource("status")
    }

    /// Applies by way of the part `name` of the object.
    pub fn subresource(mut self, name: &str) -> Self {
        self.subresource = Some(name.to_owned());
        self
    }

    /// Takes the fields that are applied, and no others, from managers that want other values for them: the values
    /// become these, this manager owns them, and those others do not any more. Who wants the same value goes on owning it,
    /// too.
    pub fn force(mut self) -> Self {
        self.forces = Forces::Always;
        self
    }

    /// Asks first without force, and takes fields from their owners only where they are in the way.
    /// [`Applied::taken`] says which, and whose they were.
    pub fn force_on_conflict(mut self) -> Self {
        self.forces = Forces::OnConflict;
        self
    }

    /// Goes through everything and stores nothing.
    pub fn dry_run(mut self) -> Self {
        self.params.dry_run = true;
        self
    }

    /// Says what to do about fields the server does not know.
    pub fn validation(mut self, directive: ValidationDirective) -> Self {
        self.params.field_validation = Some(directive);
        self
    }
}

impl<K: Resource + DeserializeOwned> Apply<'_, K> {
    async fn send(self) -> Result<Applied<K>> {
        let body = self.body.map_err(|error| Error::BuildRequest(RequestError::SerializeBody(error)))?;
        let target = target(self.api, &body, self.subresource)?;
        let body =
            serde_json::to_vec(&body).map_err(|error| Error::BuildRequest(RequestError::SerializeBody(error)))?;
        let mut params = self.params;
        params.force = self.forces == Forces::Always;
        let is_known = self.version.filter(|_| !params.dry_run);
        let mut taken = Vec::new();
        let (code, object) = match patch(self.api, &target, &params, &body).await {
            Err(Error::Api(status)) if self.forces == Forces::OnConflict && !status.field_conflicts().is_empty() => {
                taken = status.field_conflicts();
                params.force = true;
                patch(self.api, &target, &params, &body).await?
            }
            answer => answer?,
        };
        let change = Change::between(code, is_known.as_deref(), &object);
        Ok(Applied { object, change, taken })
    }
}

async fn patch<K: DeserializeOwned>(
    api: &Api<K>,
    target: &Target,
    params: &PatchParams,
    body: &[u8],
) -> Result<(StatusCode, K)> {
    let call = Call::patch(target.clone(), PatchKind::Apply, params);
    api.request_with_code(print_with(call, body.to_vec())?).await
}

/// The object is named by what is applied, and lives where the `Api` looks.
fn target<K>(api: &Api<K>, body: &Map<String, Value>, subresource: Option<String>) -> Result<Target> {
    let wrong = |why: String| Error::BuildRequest(RequestError::Validation(why));
    let said = |word| body.get("metadata").and_then(|metadata| metadata.get(word)).and_then(Value::as_str);
    let Some(name) = said("name").filter(|name| !name.is_empty()) else {
        return Err(wrong("an apply needs the name of its object: set metadata.name".to_owned()));
    };
    if let (Some(said), Some(namespace)) = (said("namespace"), api.namespace())
        && said != namespace
    {
        return Err(wrong(format!("the object is of namespace {said:?}, but the Api is of {namespace:?}")));
    }
    Ok(Target { subresource, ..api.object(name) })
}

impl<'a, K> IntoFuture for Apply<'a, K>
where
    K: Resource + DeserializeOwned + Send + 'a,
{
    type Output = Result<Applied<K>>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.send().boxed()
    }
}

impl<K> Debug for Apply<'_, K> {
    /// Without the object, which may be a Secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Apply").field("api", self.api).field("params", &self.params).finish_non_exhaustive()
    }
}

/// What became of an apply.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Applied<K> {
    /// The object as the server has it now.
    pub object: K,
    /// Whether that is news.
    pub change: Change,
    /// What was taken from other managers, where [`Apply::force_on_conflict`] had to: the conflicts that the server named
    /// when it was first asked.
    pub taken: Vec<FieldConflict>,
}

/// Whether a write changed an object.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Change {
    /// It did not exist before.
    Created,
    /// It is at another version than the one the caller knew.
    Changed,
    /// It is still at the version the caller knew.
    Unchanged,
    /// The caller knew no version, or nothing was stored because it was a dry run.
    Unknown,
}

impl Change {
    fn between<K: Resource>(code: StatusCode, known: Option<&str>, object: &K) -> Self {
        match known {
            _ if code == StatusCode::CREATED => Self::Created,
            None => Self::Unknown,
            Some(version) if object.meta().resource_version.as_deref() == Some(version) => Self::Unchanged,
            Some(_) => Self::Changed,
        }
    }
}
