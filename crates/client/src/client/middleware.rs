//! The layers that [`ConfigExt`](super::ConfigExt) makes, for stacks of one's own.

mod base_uri;
mod extra_headers;

pub use super::auth::{Auth, AuthLayer};
pub(crate) use base_uri::locate;
pub use base_uri::{BaseUri, BaseUriLayer};
pub use extra_headers::{ExtraHeaders, ExtraHeadersLayer};
