//! The types of the variables that expressions of webhooks and policies may refer to.

use pintle_cel::Type;

fn object(name: &str, fields: &[(&str, Type)]) -> Type {
    Type::object(name, fields.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())).collect())
}

/// `request`: what a review tells of the request, without the objects.
pub(super) fn request_type() -> Type {
    let three = |name: &str, last: &str| {
        object(name, &[("group", Type::String), ("version", Type::String), (last, Type::String)])
    };
    let kind = three("kubernetes.GroupVersionKind", "kind");
    let resource = three("kubernetes.GroupVersionResource", "resource");
    let texts = Type::list(Type::String);
    let user = object(
        "kubernetes.UserInfo",
        &[
            ("username", Type::String),
            ("uid", Type::String),
            ("groups", texts.clone()),
            ("extra", Type::map(Type::String, texts)),
        ],
    );
    object(
        "kubernetes.AdmissionRequest",
        &[
            ("kind", kind.clone()),
            ("resource", resource.clone()),
            ("subResource", Type::String),
            ("requestKind", kind),
            ("requestResource", resource),
            ("requestSubResource", Type::String),
            ("name", Type::String),
            ("namespace", Type::String),
            ("operation", Type::String),
            ("userInfo", user),
            ("dryRun", Type::Bool),
            ("options", Type::Dyn),
        ],
    )
}

/// `namespaceObject`, as admission policies know it.
pub(super) fn namespace_type() -> Type {
    let texts = || Type::list(Type::String);
    let labels = || Type::map(Type::String, Type::String);
    let metadata = object(
        "kubernetes.NamespaceMetadata",
        &[
            ("name", Type::String),
            ("generateName", Type::String),
            ("namespace", Type::String),
            ("labels", labels()),
            ("annotations", labels()),
            ("UID", Type::String),
            ("creationTimestamp", Type::Timestamp),
            ("deletionGracePeriodSeconds", Type::Int),
            ("deletionTimestamp", Type::Timestamp),
            ("generation", Type::Int),
            ("resourceVersion", Type::String),
            ("finalizers", texts()),
        ],
    );
    let condition = object(
        "kubernetes.NamespaceCondition",
        &[
            ("status", Type::String),
            ("type", Type::String),
            ("lastTransitionTime", Type::Timestamp),
            ("message", Type::String),
            ("reason", Type::String),
        ],
    );
    let status = [("conditions", Type::list(condition)), ("phase", Type::String)];
    object(
        "kubernetes.Namespace",
        &[
            ("metadata", metadata),
            ("spec", object("kubernetes.NamespaceSpec", &[("finalizers", texts())])),
            ("status", object("kubernetes.NamespaceStatus", &status)),
        ],
    )
}
