//! The layers that [`ConfigExt`](super::ConfigExt) makes, for stacks of one's own. kube's path to them.

pub use super::layers::auth::{Auth, AuthLayer};
pub use super::layers::base_uri::{BaseUri, BaseUriLayer};
pub use super::layers::extra_headers::{ExtraHeaders, ExtraHeadersLayer};
