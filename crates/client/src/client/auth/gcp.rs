//! The `gcp` auth-provider: tokens from Google's default credentials (service account, user, metadata server).
//!
//! `tame-oauth` finds the credentials and writes the requests; sending them is done here.

use std::collections::HashMap;

use http::Response;
use jiff::Timestamp;
use secrecy::SecretString;
use tame_oauth::gcp::{TokenOrRequest, TokenProvider, TokenProviderWrapper};
use thiserror::Error;

use super::token_service::{self, NoAnswer};
use crate::error_chain::error_chain;

/// What is asked for where the kubeconfig does not say: as kubectl did.
const SCOPES: &str = "https://www.googleapis.com/auth/cloud-platform,https://www.googleapis.com/auth/userinfo.email";

/// Why there is no token from Google; kube's variants.
#[derive(Error, Debug)]
pub enum OAuthError {
    /// Default credentials were found and cannot be used.
    #[error("Google's default credentials cannot be used: {}", error_chain(.0))]
    InvalidDefaultProviderConfig(#[source] tame_oauth::Error),
    /// No default credentials were found.
    #[error("no default credentials of Google were found")]
    NoDefaultProvider,
    /// The credentials file cannot be read.
    #[error("the credentials file cannot be read: {}", error_chain(.0))]
    LoadCredentials(#[source] std::io::Error),
    /// The credentials file was not understood.
    #[error("the credentials file was not understood: {}", error_chain(.0))]
    ParseCredentials(#[source] serde_json::Error),
    /// The key of the credentials file has another format.
    #[error("the key of the credentials file has another format: {}", error_chain(.0))]
    InvalidKeyFormat(#[source] tame_oauth::Error),
    /// The key of the credentials file is not an RSA key.
    #[error("the key of the credentials file is not an RSA key: {}", error_chain(.0))]
    InvalidRsaKey(#[source] tame_oauth::Error),
    /// Google did not answer.
    #[error("Google did not answer: {}", error_chain(.0))]
    RequestToken(#[source] hyper_util::client::legacy::Error),
    /// Google gave no token.
    #[error("Google gave no token: {}", error_chain(.0))]
    RetrieveCredentials(#[source] tame_oauth::Error),
    /// The token was not understood.
    #[error("the token was not understood: {}", error_chain(.0))]
    ParseToken(#[source] serde_json::Error),
    /// The answer broke off.
    #[error("the answer broke off: {}", error_chain(.0))]
    ConcatBuffers(#[source] hyper::Error),
    /// The request could not be put together.
    #[error("the request could not be put together: {}", error_chain(.0))]
    BuildRequest(#[source] http::Error),
    /// The platform's trusted certificates cannot be used.
    #[error("the trusted certificates of this platform cannot be used: {}", error_chain(.0))]
    NoValidNativeRootCA(#[source] std::io::Error),
    /// Something else.
    #[error("{0}")]
    Unknown(String),
    /// OpenSSL cannot be set up.
    #[cfg(feature = "openssl-tls")]
    #[error("OpenSSL cannot be set up: {}", error_chain(.0))]
    CreateOpensslHttpsConnector(#[source] openssl::error::ErrorStack),
}

/// Google's default credentials.
pub(super) struct Gcp {
    provider: TokenProviderWrapper,
    scopes: Vec<String>,
}

impl Gcp {
    pub(super) fn new(settings: &HashMap<String, String>) -> Result<Self, OAuthError> {
        let provider = TokenProviderWrapper::get_default_provider();
        let provider = provider.map_err(|error| OAuthError::InvalidDefaultProviderConfig(without_content(error)))?;
        let scopes = settings.get("scopes").map_or(SCOPES, String::as_str);
        Ok(Self {
            provider: provider.ok_or(OAuthError::NoDefaultProvider)?,
            scopes: scopes.split(',').map(|scope| scope.trim().to_owned()).collect(),
        })
    }

    pub(super) async fn token(&self) -> Result<(SecretString, Option<Timestamp>), OAuthError> {
        let asked = self.provider.get_token(&self.scopes).map_err(|error| match error {
            error @ tame_oauth::Error::InvalidKeyFormat => OAuthError::InvalidKeyFormat(error),
            error @ (tame_oauth::Error::InvalidRsaKey(_) | tame_oauth::Error::InvalidRsaKeyRejected(_)) => {
                OAuthError::InvalidRsaKey(error)
            }
            error => OAuthError::RetrieveCredentials(without_content(error)),
        })?;
        let token = match asked {
            TokenOrRequest::Token(token) => token,
            TokenOrRequest::Request { request, scope_hash, .. } => {
                let answer = token_service::ask(request, None).await.map_err(|error| match error {
                    NoAnswer::Client(error) => OAuthError::RequestToken(error),
                    NoAnswer::Body(error) => OAuthError::ConcatBuffers(error),
                    NoAnswer::Setup(error) => OAuthError::NoValidNativeRootCA(error),
                    NoAnswer::TooSlowOrTooLarge => OAuthError::Unknown("Google took too long".to_owned()),
                })?;
                let (parts, body) = answer.into_parts();
                let answer = Response::from_parts(parts, body.to_vec());
                let parsed = self.provider.parse_token_response(scope_hash, answer);
                parsed.map_err(|error| OAuthError::RetrieveCredentials(without_content(error)))?
            }
        };
        let expires = token.expires_in_timestamp.and_then(|time| Timestamp::try_from(time).ok());
        Ok((token.access_token.into(), expires))
    }
}

/// Errors of serde_json may quote what they read.
fn without_content(error: tame_oauth::Error) -> tame_oauth::Error {
    match error {
        tame_oauth::Error::Json(_) => tame_oauth::Error::InvalidTokenFormat,
        error => error,
    }
}
