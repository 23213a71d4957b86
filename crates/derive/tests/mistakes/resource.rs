use pintle_derive::Resource;

#[derive(Resource)]
struct NothingInherited {
    metadata: String,
}

#[derive(Resource)]
#[resource(inherits = "ConfigMap")]
struct Misspelled {
    metadata: String,
}
