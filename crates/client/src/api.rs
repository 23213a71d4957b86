//! `Api<K>`: the calls of one kind, in one namespace or in all.
//!
//! In: params and objects. Out: objects. An `Api` knows its collection and its client and nothing else: URLs are
//! printed by [`Call`], answers are read by the client. What the scope of a kind does not allow (a
//! namespaced `Node`) does not compile.
//!
//! The rest of kube's `api` module is re-exported here, and nothing else: programs import all of it. What kube does not
//! have is in [`apply`], [`pages`], [`packed`] and [`update`]. Each subresource has a file in `api/subresource`.

pub mod apply;
pub mod entry;
mod if_needed;
mod node;
pub mod packed;
pub mod pages;
mod restart;
mod span_name;
mod subresource;
pub mod update;
mod verbs;

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use pintle_core::call::{Call, Target};
use pintle_core::discovery::Scope;
use pintle_core::resource::NamespaceScope;
#[cfg(feature = "ws")]
pub use subresource::attach::{Attach, Execute, Portforward};
#[cfg(feature = "ws")]
pub use subresource::attached_process::{AttachedProcess, TerminalSize};

#[cfg(feature = "admission")]
pub use pintle_core::admission;
pub use pintle_core::dynamic::DynamicObject;
pub use pintle_core::gvk::{GroupVersionKind, GroupVersionResource};
pub use pintle_core::metadata::{ListMeta, ObjectMeta, PartialObjectMeta, PartialObjectMetaExt, TypeMeta};
pub use pintle_core::object::{NotUsed, Object, ObjectList};
pub use pintle_core::params::{
    DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams, Preconditions, PropagationPolicy,
    ValidationDirective, VersionMatch, WatchParams,
};
pub use pintle_core::request::Request;
#[cfg(feature = "ws")]
pub use pintle_core::subresource::AttachParams;
pub use pintle_core::subresource::{EvictParams, LogParams, ScaleSpec, ScaleStatus};
pub use pintle_core::watch::WatchEvent;
pub use pintle_core::{ApiResource, Resource, ResourceExt};
use pintle_core::{DynamicResourceScope, NamespaceResourceScope};
use pintle_wire::facts::{self, Type};
pub use subresource::ephemeral::Ephemeral;
pub use subresource::eviction::Evict;
pub use subresource::log::Log;
#[cfg(feature = "ws")]
pub use subresource::portforward::Portforwarder;
pub use subresource::resize::Resize;
use tokio::time::Instant;

use crate::client::Client;

/// The calls of one kind.
pub struct Api<K> {
    client: Client,
    collection: Target,
    url: String,
    resource: ApiResource,
    // Whether the kind lives in namespaces, where that is known at run time.
    scope: Option<Scope>,
    // Which answers are asked for as protobuf.
    protobuf: Protobuf,
    // Whether `K` is metadata alone.
    is_metadata: bool,
    kind: PhantomData<fn() -> K>,
}

/// For kinds known only at run time: the last argument says which.
impl<K: Resource> Api<K> {
    /// All objects of a kind: of a cluster-scoped one, or of a namespaced one in all namespaces.
    pub fn all_with(client: Client, dyntype: &K::DynamicType) -> Self {
        Self::of(client, None, dyntype)
    }

    /// The objects in one namespace.
    pub fn namespaced_with(client: Client, ns: &str, dyntype: &K::DynamicType) -> Self
    where
        K: Resource<Scope = DynamicResourceScope>,
    {
        Self::of(client, Some(ns), dyntype)
    }

    /// The objects in the client's namespace.
    pub fn default_namespaced_with(client: Client, dyntype: &K::DynamicType) -> Self
    where
        K: Resource<Scope = DynamicResourceScope>,
    {
        let namespace = client.default_namespace().to_owned();
        Self::of(client, Some(&namespace), dyntype)
    }

    /// All objects of a kind that discovery found with this `scope`. [`Api::constrain`] then leaves a cluster-scoped
    /// kind as it is, so one program handles both.
    pub fn dynamic(client: Client, dyntype: &K::DynamicType, scope: &Scope) -> Self
    where
        K: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>,
    {
        Self { scope: Some(scope.clone()), ..Self::of(client, None, dyntype) }
    }

    /// The same kind, in the namespace `ns` alone; in all namespaces if it is empty.
    #[must_use]
    pub fn constrain(self, ns: &str) -> Self
    where
        K::Scope: NamespaceScope,
    {
        if self.scope == Some(Scope::Cluster) {
            return self;
        }
        self.within(Some(ns).filter(|ns| !ns.is_empty()))
    }

    /// The same kind, in all namespaces.
    #[must_use]
    pub fn unconstrain(self) -> Self
    where
        K::Scope: NamespaceScope,
    {
        self.within(None)
    }

    /// The same kind, in the client's namespace alone.
    #[must_use]
    pub fn constrain_default(self) -> Self
    where
        K::Scope: NamespaceScope,
    {
        let namespace = self.client.default_namespace().to_owned();
        self.constrain(&namespace)
    }

    /// The path of the collection.
    pub fn resource_url(&self) -> &str {
        &self.url
    }

    /// What was last applied through this client and its clones: for `runtime::apply_if_changed`.
    #[doc(hidden)]
    pub fn applied(&self) -> &crate::client::AppliedMemory {
        self.client.applied()
    }

    /// The field manager of writes that do not name one: for `runtime::apply_if_changed`.
    #[doc(hidden)]
    pub fn field_manager(&self) -> Option<&str> {
        self.client.field_manager()
    }

    fn of(client: Client, namespace: Option<&str>, dyntype: &K::DynamicType) -> Self {
        let resource = ApiResource::erase::<K>(dyntype);
        Self {
            client,
            collection: Target::collection::<K>(dyntype, namespace),
            url: K::url_path(dyntype, namespace),
            protobuf: Protobuf::of::<K>(&resource),
            is_metadata: K::metadata_api(),
            resource,
            scope: None,
            kind: PhantomData,
        }
    }

    fn within(self, namespace: Option<&str>) -> Self {
        let url = DynamicObject::url_path(&self.resource, namespace);
        let collection = Target { namespace: namespace.map(str::to_owned), ..self.collection };
        Self { url, collection, ..self }
    }
}

/// For kinds whose Rust type says it all.
impl<K: Resource> Api<K>
where
    K::DynamicType: Default,
{
    /// All objects of a kind: of a cluster-scoped one, or of a namespaced one in all namespaces.
    pub fn all(client: Client) -> Self {
        Self::all_with(client, &K::DynamicType::default())
    }

    /// The objects in one namespace.
    ///
    /// A kind that lives in no namespace has none to ask for:
    /// ```compile_fail,E0271
    /// # use k8s_openapi::api::core::v1::Node;
    /// # use pintle_client::{Api, Client};
    /// fn nodes(client: Client) -> Api<Node> {
    ///     Api::namespaced(client, "default")
    /// }
    /// ```
    pub fn namespaced(client: Client, ns: &str) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        Self::of(client, Some(ns), &K::DynamicType::default())
    }

    /// The objects in the client's namespace.
    pub fn default_namespaced(client: Client) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        let namespace = client.default_namespace().to_owned();
        Self::namespaced(client, &namespace)
    }
}

impl<K> Api<K> {
    /// The namespace; `None` for all of them, and for kinds that have none.
    pub fn namespace(&self) -> Option<&str> {
        self.collection.namespace.as_deref()
    }

    /// The same calls, each of which takes at most so long, all tries included; a watch, a log or a connection has to
    /// begin within that time. See [`Client::with_timeout`].
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.client = self.client.with_timeout(timeout);
        self
    }

    /// The same calls, all of which end by `deadline`. See [`Client::with_deadline`].
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.client = self.client.with_deadline(deadline);
        self
    }

    /// The client.
    pub fn into_client(self) -> Client {
        self.client
    }

    /// The same objects, of which only the metadata is asked for.
    #[must_use]
    pub fn into_metadata(self) -> Api<PartialObjectMeta<K>> {
        Api {
            client: self.client,
            collection: self.collection,
            url: self.url,
            resource: self.resource,
            scope: self.scope,
            protobuf: Protobuf::Metadata,
            is_metadata: true,
            kind: PhantomData,
        }
    }

    /// The same call, asking for what `K` is: the whole object, or its metadata alone.
    fn in_form(&self, call: Call) -> Call {
        if self.is_metadata { call.metadata() } else { call }
    }

    /// The object `name` of this collection.
    fn object(&self, name: &str) -> Target {
        self.collection.clone().named(name)
    }
}

/// Which answers are asked for as protobuf.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Protobuf {
    /// None: a kind without such a form, or a type written by hand, which may expect anything of a JSON decoder.
    Never,
    /// All: a generated type of a kind that has such a form.
    Objects,
    /// Those that are metadata alone: they have one form for every kind, custom ones included.
    Metadata,
}

impl Protobuf {
    fn of<K: Resource>(resource: &ApiResource) -> Self {
        let kind = || facts::kind_of(&resource.api_version, &resource.kind);
        match (K::can_read_protobuf(), K::metadata_api()) {
            (true, true) => Self::Metadata,
            (true, false) if kind().is_some_and(Type::has_protobuf) => Self::Objects,
            _ => Self::Never,
        }
    }
}

impl<K> From<Api<K>> for Client {
    fn from(api: Api<K>) -> Self {
        api.client
    }
}

impl<K> Clone for Api<K> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            collection: self.collection.clone(),
            url: self.url.clone(),
            resource: self.resource.clone(),
            scope: self.scope.clone(),
            protobuf: self.protobuf,
            is_metadata: self.is_metadata,
            kind: PhantomData,
        }
    }
}

impl<K> fmt::Debug for Api<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("url", &self.url).finish_non_exhaustive()
    }
}
