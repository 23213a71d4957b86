//! Why credentials cannot be used: kube's variants with kube's payloads.
//!
//! No variant holds a credential. What a plugin printed is not kept: it may be one.

use std::path::PathBuf;
use std::process::Output;

use http::header::InvalidHeaderValue;
use thiserror::Error;

use crate::error_chain::error_chain;

/// Why credentials cannot be used.
#[derive(Debug, Error)]
pub enum AuthError {
    /// User name and password hold characters that no header can hold.
    #[error("user name and password hold characters that a header cannot hold: {}", error_chain(.0))]
    InvalidBasicAuth(#[source] InvalidHeaderValue),
    /// The token holds characters that no header can hold.
    #[error("the bearer token holds characters that a header cannot hold: {}", error_chain(.0))]
    InvalidBearerToken(#[source] InvalidHeaderValue),
    /// A plugin was asked for a new token and gave none that can be renewed.
    #[error("the credentials cannot be renewed")]
    UnrefreshableTokenResponse,
    /// A plugin answered without a status.
    #[error("the credential plugin answered without credentials")]
    ExecPluginFailed,
    /// A plugin said when its token expires, and it is not a time.
    #[error("the expiration time of the token is not a time: {}", error_chain(.0))]
    MalformedTokenExpirationDate(#[source] jiff::Error),
    /// A plugin could not be started.
    #[error("the credential plugin cannot be started: {}", error_chain(.0))]
    AuthExecStart(#[source] std::io::Error),
    /// A plugin ended with an error.
    #[error("the credential plugin `{cmd}` failed ({}); run it by hand to see what it says", out.status)]
    AuthExecRun {
        /// Which plugin.
        cmd: String,
        /// How it ended. What it printed is left out.
        out: Box<Output>,
    },
    /// A plugin answered something that is not an `ExecCredential`.
    #[error("the answer of the credential plugin cannot be read: {}", error_chain(.0))]
    AuthExecParse(#[source] Box<serde_saphyr::Error>),
    /// The input of a plugin could not be written.
    #[error("the input of the credential plugin cannot be written: {}", error_chain(.0))]
    AuthExecSerialize(#[source] serde_json::Error),
    /// A plugin could not be used.
    #[error("the credential plugin cannot be used: {0}")]
    AuthExec(String),
    /// The token file cannot be read.
    #[error("cannot read token file `{1}`: {why}", why = error_chain(.0))]
    ReadTokenFile(#[source] std::io::Error, PathBuf),
    /// The token of a provider could not be read.
    #[error("the token of the credential provider cannot be read: {}", error_chain(.0))]
    ParseTokenKey(#[source] serde_json::Error),
    /// A plugin is configured without a command.
    #[error("the credential plugin has no command")]
    MissingCommand,
    /// Google's credentials could not be had.
    #[cfg(feature = "oauth")]
    #[error("cannot get a token from Google: {}", error_chain(.0))]
    OAuth(#[source] super::OAuthError),
    /// The token of an OpenID Connect provider could not be had.
    #[cfg(feature = "oidc")]
    #[error("cannot get a token from the OpenID Connect provider: {}", error_chain(.0))]
    Oidc(#[source] super::oidc_errors::Error),
    /// A plugin wants to know the cluster, and nothing is known of it.
    #[error("the credential plugin wants to know the cluster, of which nothing is known")]
    ExecMissingClusterInfo,
    /// The platform's trusted certificates cannot be used.
    #[error("the trusted certificates of this platform cannot be used: {}", error_chain(.0))]
    NoValidNativeRootCA(#[source] std::io::Error),
}
