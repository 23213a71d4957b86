//! What is fuzzed. A new target is a file with a function that makes it, and a line here.

mod kubeconfig;
mod list;
mod protobuf;
mod server;
mod url;

use crate::target::Target;

/// All targets.
pub(crate) fn all() -> Vec<Target> {
    vec![kubeconfig::target(), url::target(), list::cutter(), list::framer(), protobuf::target(), server::target()]
}
