//! Installing definitions: compare, apply, wait, migrate.

use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle_client::api::{ListParams, Patch, PatchParams};
use pintle_client::{Api, Client};
use pintle_core::{ApiResource, DynamicObject, ResourceExt};
use pintle_runtime::wait::{self, await_condition, conditions};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout_at};

use super::compatibility::{Break, breaks};
use super::migration;

/// Installs definitions; see [`Installer`] for settings.
///
/// # Errors
/// As [`Installer::install`].
pub async fn install(
    client: Client,
    definitions: impl IntoIterator<Item = CustomResourceDefinition>,
) -> Result<(), Error> {
    Installer::new(client).install(definitions).await
}

/// Brings definitions into a cluster, and their objects to the storage version.
///
/// ```no_run
/// # use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
/// # use pintle_client::Client;
/// # use pintle_manager::definitions::{Error, Installer};
/// # async fn example(client: Client, widgets: CustomResourceDefinition) -> Result<(), Error> {
/// Installer::new(client).field_manager("my-operator").install([widgets]).await
/// # }
/// ```
/// The program needs to `get`, `list`, `watch` and `patch` definitions, to `patch` their `status`, and to `get`, `list` and `update`
/// the objects they define.
#[derive(Clone, Debug)]
#[must_use = "nothing is installed until `install`"]
pub struct Installer {
    client: Client,
    field_manager: String,
    is_forced: bool,
    timeout: Duration,
}

/// Why a definition is not installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Objects of this definition exist that the new one would break.
    #[error(
        "{definition} is not changed, because it has objects that would break:\n  {}\nKeep what they use, or add a version and \
         convert them; to install it all the same, use `Installer::force`",
        .breaks.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
    )]
    #[non_exhaustive]
    Incompatible {
        /// The name of the definition.
        definition: String,
        /// What would break.
        breaks: Vec<Break>,
    },
    /// A definition that names no storage version, or is no definition.
    #[error("{0} cannot be installed: exactly one of its versions must have `storage: true`")]
    NoStorageVersion(String),
    /// The server does not serve it.
    #[error("{definition} was applied, but is not served after {} s: {why}", .timeout.as_secs())]
    #[non_exhaustive]
    NotServed {
        /// The name of the definition.
        definition: String,
        /// How long it was waited for.
        timeout: Duration,
        /// What the server says of it.
        why: String,
    },
    /// The server refused a call.
    #[error("{definition} cannot be installed: {source}")]
    #[non_exhaustive]
    Client {
        /// The name of the definition.
        definition: String,
        /// What it says.
        source: pintle_client::Error,
    },
    /// The definition could not be watched.
    #[error("{definition} was applied, but cannot be watched: {source}")]
    #[non_exhaustive]
    Wait {
        /// The name of the definition.
        definition: String,
        /// Why not.
        source: wait::Error,
    },
}

impl Installer {
    /// For this cluster.
    pub fn new(client: Client) -> Self {
        Self { client, field_manager: "pintle".to_owned(), is_forced: false, timeout: TIMEOUT }
    }

    /// The name under which definitions are applied; `pintle` unless set.
    pub fn field_manager(self, name: &str) -> Self {
        Self { field_manager: name.to_owned(), ..self }
    }

    /// Installs what would break objects, too.
    pub fn force(self) -> Self {
        Self { is_forced: true, ..self }
    }

    /// How long a definition may take to be served: 30 s unless set.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Applies definitions, waits until all their versions are served, and rewrites objects that are stored at another than
    /// the storage version. Nothing is written where nothing differs.
    ///
    /// # Errors
    /// When objects would break, the server refuses something, or a definition is not served in time. Those before it are
    /// installed.
    pub async fn install(&self, definitions: impl IntoIterator<Item = CustomResourceDefinition>) -> Result<(), Error> {
        for definition in definitions {
            self.install_one(&definition).await?;
        }
        Ok(())
    }

    async fn install_one(&self, new: &CustomResourceDefinition) -> Result<(), Error> {
        let name = new.name_any();
        let storage = new.spec.versions.iter().find(|version| version.storage);
        let storage = storage.ok_or_else(|| Error::NoStorageVersion(name.clone()))?.name.clone();
        let failed = |source| Error::Client { definition: name.clone(), source };
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let old = api.get_opt(&name).await.map_err(failed)?;
        if let Some(old) = &old {
            self.check(old, new).await?;
        }
        let first = old.as_ref().map_or_else(|| new.clone(), |old| with_stored_versions(old, new));
        self.apply(&api, &first).await.map_err(failed)?;
        self.wait(&api, &first).await?;
        migration::migrate(&self.client, &api, &name, &storage).await.map_err(failed)?;
        if first.spec != new.spec {
            self.apply(&api, new).await.map_err(failed)?;
            self.wait(&api, new).await?;
        }
        Ok(())
    }

    /// Whether objects exist that would break.
    async fn check(&self, old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Result<(), Error> {
        let found = breaks(old, new);
        if found.is_empty() {
            return Ok(());
        }
        let definition = new.name_any();
        let failed = |source| Error::Client { definition: definition.clone(), source };
        if !has_objects(&self.client, old).await.map_err(failed)? {
            return Ok(());
        }
        if !self.is_forced {
            return Err(Error::Incompatible { definition, breaks: found });
        }
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        tracing::warn!("{definition} is changed though it has objects that may break: {}", found.join("; "));
        Ok(())
    }

    async fn apply(
        &self,
        api: &Api<CustomResourceDefinition>,
        definition: &CustomResourceDefinition,
    ) -> pintle_client::Result<()> {
        let mut fields = json!(definition);
        fields["metadata"].as_object_mut().into_iter().for_each(|metadata| {
            metadata.retain(|word, _| ["name", "labels", "annotations"].contains(&word.as_str()));
        });
        fields.as_object_mut().into_iter().for_each(|fields| drop(fields.remove("status")));
        // Who installs a definition decides about all of it; what others added, such as a caBundle, is not among its fields.
        let params = PatchParams::apply(&self.field_manager).force();
        api.patch(&definition.name_any(), &params, &Patch::Apply(&fields)).await?;
        Ok(())
    }

    /// Until every served version can be asked for.
    async fn wait(
        &self,
        api: &Api<CustomResourceDefinition>,
        definition: &CustomResourceDefinition,
    ) -> Result<(), Error> {
        let (name, deadline) = (definition.name_any(), Instant::now() + self.timeout);
        let late = |why: String| Error::NotServed { definition: name.clone(), timeout: self.timeout, why };
        let established = await_condition(api.clone(), &name, conditions::is_crd_established());
        match timeout_at(deadline, established).await {
            Err(_) => {
                let now = api.get_opt(&name).await.ok().flatten();
                return Err(late(now.as_ref().map_or_else(|| "it is gone".to_owned(), conditions_of)));
            }
            Ok(Err(source)) => return Err(Error::Wait { definition: name.clone(), source }),
            Ok(Ok(_)) => {}
        }
        for version in definition.spec.versions.iter().filter(|version| version.served) {
            let api_version = format!("{}/{}", definition.spec.group, version.name);
            while !self.is_discovered(&api_version, &definition.spec.names.plural).await {
                if Instant::now() >= deadline {
                    return Err(late(format!("it is established, but {api_version} is not in discovery")));
                }
                sleep(DISCOVERY_PERIOD).await;
            }
        }
        Ok(())
    }

    async fn is_discovered(&self, api_version: &str, plural: &str) -> bool {
        let listed = self.client.list_api_group_resources(api_version).await;
        listed.is_ok_and(|list| list.resources.iter().any(|resource| resource.name == plural))
    }
}

/// Whether there is any object of a definition, at a version that is served.
async fn has_objects(client: &Client, definition: &CustomResourceDefinition) -> pintle_client::Result<bool> {
    let Some(resource) = resource_of(definition, None) else { return Ok(false) };
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    match api.list_metadata(&ListParams::default().limit(1)).await {
        Ok(list) => Ok(!list.items.is_empty()),
        // It is not served (yet), so that nobody could have made one.
        Err(pintle_client::Error::Api(status)) if status.code == 404 => Ok(false),
        Err(error) => Err(error),
    }
}

/// What a definition defines, at `version` if that is served, else at any version that is.
pub(super) fn resource_of(definition: &CustomResourceDefinition, version: Option<&str>) -> Option<ApiResource> {
    let served = || definition.spec.versions.iter().filter(|version| version.served);
    let wanted = version.and_then(|wanted| served().find(|version| version.name == wanted));
    let version = wanted.or_else(|| served().next())?.name.clone();
    let (group, names) = (definition.spec.group.clone(), &definition.spec.names);
    let api_version = format!("{group}/{version}");
    Some(ApiResource { group, version, api_version, kind: names.kind.clone(), plural: names.plural.clone() })
}

/// `new`, and the versions of `old` that objects are stored at: the server does not let them go before.
fn with_stored_versions(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> CustomResourceDefinition {
    let stored = old.status.as_ref().and_then(|status| status.stored_versions.clone()).unwrap_or_default();
    let mut first = new.clone();
    for version in &old.spec.versions {
        if stored.contains(&version.name) && new.spec.versions.iter().all(|new| new.name != version.name) {
            let mut kept = version.clone();
            kept.storage = false;
            first.spec.versions.push(kept);
        }
    }
    first
}

/// What the server says of a definition that is not established.
fn conditions_of(definition: &CustomResourceDefinition) -> String {
    let conditions = definition.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let wrong = conditions.filter(|condition| condition.status != "True");
    let said: Vec<_> =
        wrong.filter_map(|condition| Some(format!("{}: {}", condition.type_, condition.message.as_ref()?))).collect();
    if said.is_empty() { "it has no condition Established".to_owned() } else { said.join("; ") }
}

/// What API servers need at most is a few seconds each.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Discovery follows a definition within a second.
const DISCOVERY_PERIOD: Duration = Duration::from_millis(100);
