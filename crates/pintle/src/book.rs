//! The pages of the book whose programs are compiled, and run where they can be, with the documentation.
//!
//! `tests/stories/book.rs` checks that no block of Rust is left out: one of a page that is not here has to stand in a Rust
//! file, word for word.

macro_rules! pages {
    ($($name:ident: $path:literal,)*) => {
        $(#[doc = include_str!($path)] mod $name {})*
    };
}

pages! {
    apply: "../../../docs/apply.md",
    client: "../../../docs/client.md",
    controllers: "../../../docs/controllers.md",
    custom_resources: "../../../docs/custom-resources.md",
    data_directory: "../../../docs/data-directory.md",
    errors: "../../../docs/errors.md",
    features: "../../../docs/features.md",
    from_client_go: "../../../docs/from-client-go.md",
    from_controller_runtime: "../../../docs/from-controller-runtime.md",
    from_envtest: "../../../docs/from-envtest.md",
    from_kube_rs: "../../../docs/from-kube-rs.md",
    kinds: "../../../docs/kinds.md",
    reconcilers: "../../../docs/reconcilers.md",
    relations: "../../../docs/relations.md",
    requests: "../../../docs/requests.md",
    start: "../../../docs/start.md",
    stores: "../../../docs/stores.md",
    testing_levels: "../../../docs/testing-levels.md",
    third_party: "../../../docs/third-party.md",
    troubleshooting: "../../../docs/troubleshooting.md",
    tuning: "../../../docs/tuning.md",
    upgrades: "../../../docs/upgrades.md",
    watching: "../../../docs/watching.md",
}
