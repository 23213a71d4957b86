//! A CertificateSigningRequest says who asks: the server, not the client, and for good.

use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::request::user::User;

/// Notes who makes a new request, whatever it says itself.
pub(crate) fn stamp(target: &ResolvedTarget, user: &User, object: &mut Object) {
    if !target.kind.is("certificates.k8s.io", "certificatesigningrequests") {
        return;
    }
    let info = user.info();
    object.change_field("spec", |spec| {
        for field in ["username", "uid", "groups", "extra"] {
            match info.get(field) {
                Some(value) => spec.insert(field.to_owned(), value.clone()),
                None => spec.remove(field),
            };
        }
    });
}

/// What is asked for stays as it was asked.
pub(super) fn keep(before: &Object, object: &mut Object) {
    object.set("spec", before.get("spec").cloned().unwrap_or_default());
}
