//! An admission request as CEL expressions see it: the `request` variable of a ValidatingAdmissionPolicy.

use super::{AdmissionRequest, Operation};
use crate::resource::Resource;

impl<T: Resource> AdmissionRequest<T> {
    /// The `request` variable of policies, for evaluating them here with `kube_cel`.
    ///
    /// Its `uid` is the user's, as in policies, and not that of the review. What the review leaves out is empty.
    pub fn to_cel_request(&self) -> kube_cel::AdmissionRequest {
        let said = |it: &Option<String>| it.clone().unwrap_or_default();
        kube_cel::AdmissionRequest {
            operation: self.operation.as_str().to_owned(),
            username: said(&self.user_info.username),
            uid: said(&self.user_info.uid),
            groups: self.user_info.groups.clone().unwrap_or_default(),
            name: self.name.clone(),
            namespace: said(&self.namespace),
            dry_run: self.dry_run,
            kind: kube_cel::GroupVersionKind {
                group: self.kind.group.clone(),
                version: self.kind.version.clone(),
                kind: self.kind.kind.clone(),
            },
            resource: kube_cel::GroupVersionResource {
                group: self.resource.group.clone(),
                version: self.resource.version.clone(),
                resource: self.resource.resource.clone(),
            },
        }
    }
}

impl Operation {
    /// The word of the wire, which policies compare with.
    fn as_str(&self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}
