use pintle_derive::CustomResource;

#[derive(CustomResource)]
struct NothingSaid {
    title: String,
}

#[derive(CustomResource)]
#[kube(group = "example.com", version = "v1", kind = "Document", namspaced)]
#[kube(scale = "not json", shortname = 7)]
struct ThreeMistakes {
    title: String,
}

#[derive(CustomResource)]
#[kube(group = "example.com", version = "v1", kind = "Document")]
struct NoSuchDependency {
    title: String,
}

#[derive(CustomResource)]
#[kube(group = "example.com", group = "example.org", version = "v1", kind = "Document")]
struct SaidTwice {
    title: String,
}

#[derive(CustomResource)]
#[kube(group = "example.com", version = "v1", kind = "Same")]
struct Same {
    title: String,
}

#[derive(CustomResource)]
#[kube(group = "example.com", version = "v1", kind = "Document", schema = "none")]
#[kube(printcolumn(name = "Title"), selectable = "spec.title")]
struct WrongValues {
    title: String,
}

#[derive(CustomResource)]
#[kube(printcolumn(name = "Title", type = "string", json_path = ".spec.title"), group = "example.com", version = "v1")]
#[kube(kind = "Document")]
struct OneWrongKey {
    title: String,
}
