//! Every admission plugin that this server has: kube-apiserver's name, what it does, and whether it is on by default.
//!
//! In: names, as `--disable-admission-plugins` spells them. Out: plugins, or which there are. The order is kube-apiserver's.

use std::fmt;
use std::str::FromStr;

use super::{
    certificate_signers, certificate_subject_restriction, default_ingress_class, default_storage_class,
    default_toleration_seconds, limit_ranger, namespace_lifecycle, persistent_volume_claim_resize, pod_security,
    priority, runtime_class, service_account, storage_object_in_use_protection, taint_nodes_by_condition,
};
use crate::admission::{Attributes, Notes};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;

/// An admission plugin of kube-apiserver; its name is `kube-apiserver --disable-admission-plugins`'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AdmissionPlugin {
    /// Nothing is created in a namespace that is not there or is going; the first namespaces stay.
    NamespaceLifecycle,
    /// The LimitRanges of a namespace fill in and limit what containers, pods and claims ask for.
    LimitRanger,
    /// A pod runs as an account of its namespace and finds its token in a volume; off by default, as in the test set-ups of
    /// Kubernetes: with it, every pod has a volume more than was asked for.
    ServiceAccount,
    /// A new node has the taint `node.kubernetes.io/not-ready` until it is ready.
    TaintNodesByCondition,
    /// The labels of a namespace say what pods in it may do.
    PodSecurity,
    /// A pod gets the priority of its PriorityClass.
    Priority,
    /// A pod tolerates for five minutes that its node is not ready or not reachable.
    DefaultTolerationSeconds,
    /// A claim that names no class gets the default one.
    DefaultStorageClass,
    /// Volumes, claims and their classes get the finalizer that keeps them while they are in use.
    StorageObjectInUseProtection,
    /// A claim grows only where its class can make volumes bigger.
    PersistentVolumeClaimResize,
    /// A pod gets the overhead, node selector and tolerations of its RuntimeClass.
    RuntimeClass,
    /// Requests for certificates are approved by those who may approve for their signer.
    CertificateApproval,
    /// Requests for certificates are signed by those who may sign for their signer.
    CertificateSigning,
    /// No user may ask the API server's own signer to make them an administrator.
    CertificateSubjectRestriction,
    /// An Ingress that names no class gets the default one.
    DefaultIngressClass,
    /// MutatingAdmissionPolicies are in force.
    MutatingAdmissionPolicy,
    /// Mutating webhooks are called.
    MutatingAdmissionWebhook,
    /// ValidatingAdmissionPolicies are in force.
    ValidatingAdmissionPolicy,
    /// Validating webhooks are called.
    ValidatingAdmissionWebhook,
    /// A namespace has no more than its ResourceQuotas allow; the last to be asked, and settled with the commit.
    ResourceQuota,
}

/// What a plugin is called, and what it does.
pub(super) struct Row {
    pub(super) plugin: AdmissionPlugin,
    name: &'static str,
    pub(super) is_default: bool,
    pub(super) mutate: Option<Mutate>,
    pub(super) validate: Option<Validate>,
}

type Mutate = fn(&ClusterSnapshot, &Attributes<'_>, &mut Object) -> Answer<()>;
type Validate = fn(&ClusterSnapshot, &Attributes<'_>, Option<&Object>, &mut Notes) -> Answer<()>;

/// Every plugin, in the order of calls.
pub(super) const TABLE: &[Row] = &[
    row(AdmissionPlugin::NamespaceLifecycle, "NamespaceLifecycle")
        .mutating(namespace_lifecycle::mutate)
        .validating(namespace_lifecycle::validate),
    row(AdmissionPlugin::LimitRanger, "LimitRanger").mutating(limit_ranger::mutate).validating(limit_ranger::validate),
    row(AdmissionPlugin::ServiceAccount, "ServiceAccount")
        .mutating(service_account::mutate)
        .validating(service_account::validate)
        .off(),
    row(AdmissionPlugin::TaintNodesByCondition, "TaintNodesByCondition").mutating(taint_nodes_by_condition::mutate),
    row(AdmissionPlugin::PodSecurity, "PodSecurity").validating(pod_security::validate),
    row(AdmissionPlugin::Priority, "Priority").mutating(priority::mutate).validating(priority::validate),
    row(AdmissionPlugin::DefaultTolerationSeconds, "DefaultTolerationSeconds")
        .mutating(default_toleration_seconds::mutate),
    row(AdmissionPlugin::DefaultStorageClass, "DefaultStorageClass").mutating(default_storage_class::mutate),
    row(AdmissionPlugin::StorageObjectInUseProtection, "StorageObjectInUseProtection")
        .mutating(storage_object_in_use_protection::mutate),
    row(AdmissionPlugin::PersistentVolumeClaimResize, "PersistentVolumeClaimResize")
        .validating(persistent_volume_claim_resize::validate),
    row(AdmissionPlugin::RuntimeClass, "RuntimeClass")
        .mutating(runtime_class::mutate)
        .validating(runtime_class::validate),
    row(AdmissionPlugin::CertificateApproval, "CertificateApproval").validating(certificate_signers::validate_approval),
    row(AdmissionPlugin::CertificateSigning, "CertificateSigning").validating(certificate_signers::validate_signing),
    row(AdmissionPlugin::CertificateSubjectRestriction, "CertificateSubjectRestriction")
        .validating(certificate_subject_restriction::validate),
    row(AdmissionPlugin::DefaultIngressClass, "DefaultIngressClass").mutating(default_ingress_class::mutate),
    // Asked by `Admission`: they may wait, as no other plugin does.
    row(AdmissionPlugin::MutatingAdmissionPolicy, "MutatingAdmissionPolicy"),
    row(AdmissionPlugin::MutatingAdmissionWebhook, "MutatingAdmissionWebhook"),
    row(AdmissionPlugin::ValidatingAdmissionPolicy, "ValidatingAdmissionPolicy"),
    row(AdmissionPlugin::ValidatingAdmissionWebhook, "ValidatingAdmissionWebhook"),
    // Asked by `Admission::charge`, after the webhooks.
    row(AdmissionPlugin::ResourceQuota, "ResourceQuota"),
];

const fn row(plugin: AdmissionPlugin, name: &'static str) -> Row {
    Row { plugin, name, is_default: true, mutate: None, validate: None }
}

impl Row {
    const fn off(self) -> Row {
        Row { is_default: false, ..self }
    }

    const fn mutating(self, mutate: Mutate) -> Row {
        Row { mutate: Some(mutate), ..self }
    }

    const fn validating(self, validate: Validate) -> Row {
        Row { validate: Some(validate), ..self }
    }
}

impl AdmissionPlugin {
    /// Every plugin, in the order in which they are asked.
    pub fn all() -> impl Iterator<Item = AdmissionPlugin> {
        TABLE.iter().map(|row| row.plugin)
    }

    /// Whether it is on unless it is switched off.
    pub fn is_on_by_default(self) -> bool {
        self.row().is_default
    }

    /// Its name in kube-apiserver's flags.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.plugin == self).expect("the table has a row for every plugin")
    }
}

impl fmt::Display for AdmissionPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AdmissionPlugin {
    type Err = UnknownAdmissionPlugin;

    fn from_str(name: &str) -> Result<Self, UnknownAdmissionPlugin> {
        let row = TABLE.iter().find(|row| row.name == name);
        row.map(|row| row.plugin).ok_or_else(|| UnknownAdmissionPlugin(name.to_owned()))
    }
}

/// No admission plugin of this server has this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAdmissionPlugin(String);

impl fmt::Display for UnknownAdmissionPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        write!(f, "this server has no admission plugin {:?}: it has {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownAdmissionPlugin {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plugin_is_found_by_its_name() {
        for plugin in AdmissionPlugin::all() {
            assert_eq!(plugin.name(), format!("{plugin:?}"), "the name is the variant's");
            assert_eq!(plugin.to_string().parse(), Ok(plugin));
        }
        let unknown = "Nope".parse::<AdmissionPlugin>().unwrap_err().to_string();
        assert!(
            unknown.starts_with("this server has no admission plugin \"Nope\": it has NamespaceLifecycle, "),
            "{unknown}"
        );
    }

    #[test]
    fn they_are_asked_in_the_order_of_their_declaration() {
        assert!(AdmissionPlugin::all().is_sorted());
    }
}
