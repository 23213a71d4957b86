//! What makes a Rust type a Kubernetes object: its group, version, kind and plural, its scope, and its metadata.
//!
//! Every k8s-openapi kind is a [`Resource`] by one blanket impl; custom resources get theirs from the derive macro;
//! types whose kind is known only at run time carry it in `DynamicType`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, OwnerReference, Time};

use crate::metadata::ObjectMeta;

/// An object the API server knows: where it is served, and where its metadata is.
pub trait Resource {
    /// What must be known at run time to say which kind this is: `()` where the Rust type says it all.
    type DynamicType: Send + Sync + 'static;
    /// Whether objects live in a namespace: [`NamespaceResourceScope`], [`ClusterResourceScope`](k8s_openapi::ClusterResourceScope) or
    /// [`DynamicResourceScope`].
    type Scope;

    /// The kind, as in `kind: Pod`.
    fn kind(dt: &Self::DynamicType) -> Cow<'_, str>;
    /// The API group, empty for the core group.
    fn group(dt: &Self::DynamicType) -> Cow<'_, str>;
    /// The version within the group, as in `v1`.
    fn version(dt: &Self::DynamicType) -> Cow<'_, str>;
    /// Group and version as `apiVersion` spells them.
    fn api_version(dt: &Self::DynamicType) -> Cow<'_, str> {
        api_version_from_group_version(Self::group(dt), Self::version(dt))
    }
    /// The name of the collection in URLs, as in `pods`.
    fn plural(dt: &Self::DynamicType) -> Cow<'_, str>;

    /// Whether objects are asked for in their metadata-only form.
    fn metadata_api() -> bool {
        false
    }

    /// Whether the type can be read from protobuf as well as from JSON, which is true for those of k8s-openapi and for
    /// metadata alone. Where Kubernetes has a protobuf form of its kind, objects are asked for in that form; a type that
    /// keeps fields it does not know would lose them on the way.
    fn can_read_protobuf() -> bool {
        false
    }

    /// The path of the collection, in `namespace` if one is given.
    fn url_path(dt: &Self::DynamicType, namespace: Option<&str>) -> String {
        let group = Self::group(dt);
        let root = if group.is_empty() { "api" } else { "apis" };
        let namespace = namespace.map(|ns| format!("namespaces/{ns}/")).unwrap_or_default();
        format!("/{root}/{}/{namespace}{}", Self::api_version(dt), Self::plural(dt))
    }

    /// The object's metadata.
    fn meta(&self) -> &ObjectMeta;
    /// The object's metadata, to change it.
    fn meta_mut(&mut self) -> &mut ObjectMeta;

    /// A reference to this object, as events and status fields hold it.
    fn object_ref(&self, dt: &Self::DynamicType) -> ObjectReference {
        let meta = self.meta();
        ObjectReference {
            api_version: Some(Self::api_version(dt).into_owned()),
            kind: Some(Self::kind(dt).into_owned()),
            name: meta.name.clone(),
            namespace: meta.namespace.clone(),
            uid: meta.uid.clone(),
            // It names the object, not this state of it: two events about one object are about the same.
            resource_version: None,
            field_path: None,
        }
    }

    /// An owner reference that marks this object as the managing controller of another; `None` until the object has a
    /// name and a uid.
    ///
    /// It does not ask that the owner's deletion waits for the other (`blockOwnerDeletion`): that takes the right to
    /// change the owner's finalizers. The runtime's `owner::set_controller_reference` asks for it, as client-go does.
    fn controller_owner_ref(&self, dt: &Self::DynamicType) -> Option<OwnerReference> {
        Some(OwnerReference { controller: Some(true), ..self.owner_ref(dt)? })
    }

    /// An owner reference to this object; `None` until it has a name and a uid.
    fn owner_ref(&self, dt: &Self::DynamicType) -> Option<OwnerReference> {
        let meta = self.meta();
        Some(OwnerReference {
            api_version: Self::api_version(dt).into_owned(),
            kind: Self::kind(dt).into_owned(),
            name: meta.name.clone()?,
            uid: meta.uid.clone()?,
            ..OwnerReference::default()
        })
    }
}

/// Joins group and version as `apiVersion` spells them: the core group has no name and no slash.
pub fn api_version_from_group_version<'a>(group: Cow<'a, str>, version: Cow<'a, str>) -> Cow<'a, str> {
    if group.is_empty() {
        return version;
    }
    let mut api_version = group.into_owned();
    api_version.push('/');
    api_version.push_str(&version);
    Cow::Owned(api_version)
}

/// The scope of kinds known only at run time: whether they are namespaced is decided there too.
#[derive(Clone, Copy, Debug)]
pub struct DynamicResourceScope;
impl k8s_openapi::ResourceScope for DynamicResourceScope {}

/// Scopes whose objects may live in a namespace.
pub trait NamespaceScope: k8s_openapi::ResourceScope {}
impl NamespaceScope for NamespaceResourceScope {}
impl NamespaceScope for DynamicResourceScope {}

impl<K, S> Resource for K
where
    K: k8s_openapi::Metadata<Ty = ObjectMeta> + k8s_openapi::Resource<Scope = S>,
{
    type DynamicType = ();
    type Scope = S;

    fn kind((): &()) -> Cow<'_, str> {
        K::KIND.into()
    }
    fn group((): &()) -> Cow<'_, str> {
        K::GROUP.into()
    }
    fn version((): &()) -> Cow<'_, str> {
        K::VERSION.into()
    }
    fn api_version((): &()) -> Cow<'_, str> {
        K::API_VERSION.into()
    }
    fn plural((): &()) -> Cow<'_, str> {
        K::URL_PATH_SEGMENT.into()
    }
    fn can_read_protobuf() -> bool {
        true
    }
    fn meta(&self) -> &ObjectMeta {
        self.metadata()
    }
    fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.metadata_mut()
    }
}

/// Short ways to an object's metadata.
pub trait ResourceExt: Resource {
    /// The name, for objects that come from a server; panics on one that has only a `generateName`.
    fn name_unchecked(&self) -> String;
    /// The name, or the prefix it will be generated from, or nothing: never panics.
    fn name_any(&self) -> String;
    /// The namespace, if the object lives in one.
    fn namespace(&self) -> Option<String>;
    /// The version the server gave this state of the object.
    fn resource_version(&self) -> Option<String>;
    /// The identity the server gave the object for its whole life.
    fn uid(&self) -> Option<String>;
    /// When the server created it.
    fn creation_timestamp(&self) -> Option<Time>;
    /// Its labels.
    fn labels(&self) -> &BTreeMap<String, String>;
    /// Its labels, to change them.
    fn labels_mut(&mut self) -> &mut BTreeMap<String, String>;
    /// Its annotations.
    fn annotations(&self) -> &BTreeMap<String, String>;
    /// Its annotations, to change them.
    fn annotations_mut(&mut self) -> &mut BTreeMap<String, String>;
    /// Who owns it.
    fn owner_references(&self) -> &[OwnerReference];
    /// Who owns it, to change that.
    fn owner_references_mut(&mut self) -> &mut Vec<OwnerReference>;
    /// What must happen before it may go.
    fn finalizers(&self) -> &[String];
    /// What must happen before it may go, to change that.
    fn finalizers_mut(&mut self) -> &mut Vec<String>;
    /// Which manager set which fields.
    fn managed_fields(&self) -> &[ManagedFieldsEntry];
    /// Which manager set which fields, to change or clear that.
    fn managed_fields_mut(&mut self) -> &mut Vec<ManagedFieldsEntry>;
}

static NO_ENTRIES: BTreeMap<String, String> = BTreeMap::new();

impl<K: Resource> ResourceExt for K {
    fn name_unchecked(&self) -> String {
        self.meta().name.clone().expect("an object from a server has metadata.name; use name_any() before that")
    }
    fn name_any(&self) -> String {
        let meta = self.meta();
        meta.name.clone().or_else(|| meta.generate_name.clone()).unwrap_or_default()
    }
    fn namespace(&self) -> Option<String> {
        self.meta().namespace.clone()
    }
    fn resource_version(&self) -> Option<String> {
        self.meta().resource_version.clone()
    }
    fn uid(&self) -> Option<String> {
        self.meta().uid.clone()
    }
    fn creation_timestamp(&self) -> Option<Time> {
        self.meta().creation_timestamp.clone()
    }
    fn labels(&self) -> &BTreeMap<String, String> {
        self.meta().labels.as_ref().unwrap_or(&NO_ENTRIES)
    }
    fn labels_mut(&mut self) -> &mut BTreeMap<String, String> {
        self.meta_mut().labels.get_or_insert_with(BTreeMap::new)
    }
    fn annotations(&self) -> &BTreeMap<String, String> {
        self.meta().annotations.as_ref().unwrap_or(&NO_ENTRIES)
    }
    fn annotations_mut(&mut self) -> &mut BTreeMap<String, String> {
        self.meta_mut().annotations.get_or_insert_with(BTreeMap::new)
    }
    fn owner_references(&self) -> &[OwnerReference] {
        self.meta().owner_references.as_deref().unwrap_or_default()
    }
    fn owner_references_mut(&mut self) -> &mut Vec<OwnerReference> {
        self.meta_mut().owner_references.get_or_insert_with(Vec::new)
    }
    fn finalizers(&self) -> &[String] {
        self.meta().finalizers.as_deref().unwrap_or_default()
    }
    fn finalizers_mut(&mut self) -> &mut Vec<String> {
        self.meta_mut().finalizers.get_or_insert_with(Vec::new)
    }
    fn managed_fields(&self) -> &[ManagedFieldsEntry] {
        self.meta().managed_fields.as_deref().unwrap_or_default()
    }
    fn managed_fields_mut(&mut self) -> &mut Vec<ManagedFieldsEntry> {
        self.meta_mut().managed_fields.get_or_insert_with(Vec::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::{ConfigMap, Namespace};

    #[test]
    fn paths_name_group_version_namespace_and_plural() {
        assert_eq!(ConfigMap::url_path(&(), Some("ns")), "/api/v1/namespaces/ns/configmaps");
        assert_eq!(Deployment::url_path(&(), None), "/apis/apps/v1/deployments");
        assert_eq!(Namespace::url_path(&(), None), "/api/v1/namespaces");
    }

    #[test]
    fn an_object_without_a_uid_owns_nothing() {
        let mut owner = ConfigMap::default();
        owner.metadata.name = Some("a".into());
        assert_eq!(owner.owner_ref(&()), None);
        owner.metadata.uid = Some("u".into());
        let reference = owner.controller_owner_ref(&()).expect("it has a name and a uid");
        assert_eq!((reference.controller, reference.block_owner_deletion), (Some(true), None));
        assert_eq!((reference.api_version.as_str(), reference.kind.as_str()), ("v1", "ConfigMap"));
    }

    #[test]
    fn a_reference_names_the_object_and_not_a_state_of_it() {
        let mut object = ConfigMap::default();
        object.metadata.resource_version = Some("7".into());
        object.metadata.uid = Some("u".into());
        let reference = object.object_ref(&());
        assert_eq!((reference.resource_version, reference.uid.as_deref()), (None, Some("u")));
    }

    #[test]
    fn name_any_falls_back_to_the_prefix() {
        let mut object = ConfigMap::default();
        assert_eq!(object.name_any(), "");
        object.metadata.generate_name = Some("job-".into());
        assert_eq!(object.name_any(), "job-");
    }
}
