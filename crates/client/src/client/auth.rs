//! Who to be: the `Authorization` header of each request, and the client certificate of each connection.
//!
//! ```text
//!   Config ─► source.rs: token, file, plugin (exec.rs), provider ─► renewal.rs: asked again in time ─► layers/auth.rs
//!          └► identity.rs: the certificate of the next handshake
//! ```
//! No error, log or `Debug` holds a credential.

mod error;
mod exec;
#[cfg(feature = "oauth")]
mod gcp;
mod identity;
#[cfg(feature = "oidc")]
mod oidc;
mod provider;
mod renewal;
mod source;
#[cfg(any(feature = "oauth", feature = "oidc"))]
mod token_service;

use std::time::Duration;

pub use error::AuthError;
#[cfg(feature = "oauth")]
pub use gcp::OAuthError;
pub(crate) use identity::Identity;
#[cfg(feature = "oidc")]
pub use oidc::oidc_errors;
pub(crate) use renewal::Credentials;

/// How long what was read from a file is used. Kubernetes rotates tokens of an hour or more at four fifths of their
/// life, and authorities so that the old and the new one are valid for hours: a minute is far on the safe side.
pub(super) const AGE_MAX: Duration = Duration::from_secs(60);
