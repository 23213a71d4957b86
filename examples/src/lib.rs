//! Programs written for kube, built against Pintle.
//!
//! The line in this package's Cargo.toml that makes the difference is `kube = { package = "pintle", … }`; the
//! programs themselves say `use kube::…` and compile against either library.
//!
//! | program | what it shows |
//! |---|---|
//! | `document` | a whole operator: a custom resource, what it owns, its status, and cleaning up after it |
//! | `greeter` | an operator as it runs in production: lease, probes, metrics, a webhook and its certificate; `deploy` has its manifests |
//!
//! Each is started with `cargo run -p examples --bin <program>` and talks to the cluster of the current kubeconfig.
//! `course` beside this package has fourteen small programs, from the first get to a whole operator.
//! `otlp` beside this package is a program of its own, with a workspace of its own: an operator whose reconciles are traces.
