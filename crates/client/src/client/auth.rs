//! The bearer token of each request.
//!
//! A token file is replaced while programs run (Kubernetes rotates it), so it is read again at most each minute; a
//! read that fails keeps the last token, because the kubelet swaps the file and may be caught in between. The header
//! is marked sensitive, and no error or `Debug` holds the token.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::Request;
use http::header::{AUTHORIZATION, HeaderValue, InvalidHeaderValue};
use secrecy::ExposeSecret;
use thiserror::Error;
use tokio::time::Instant;

use super::body::Body;
use crate::config::AuthInfo;

/// How long a token read from a file is used. Kubernetes rotates tokens of an hour or more at four fifths of their
/// life, so a minute is far on the safe side.
const TOKEN_AGE_MAX: Duration = Duration::from_secs(60);

/// Why credentials cannot be used: kube's variants, also those of plugins, which do not exist here yet.
#[derive(Debug, Error)]
pub enum AuthError {
    /// User name and password hold characters that no header can hold.
    #[error("user name and password hold characters that a header cannot hold")]
    InvalidBasicAuth(#[source] InvalidHeaderValue),
    /// The token holds characters that no header can hold.
    #[error("the bearer token holds characters that a header cannot hold")]
    InvalidBearerToken(#[source] InvalidHeaderValue),
    /// The token file cannot be read.
    #[error("cannot read token file `{1}`")]
    ReadTokenFile(#[source] std::io::Error, PathBuf),
    /// A plugin was asked for a new token and gave none that can be renewed.
    #[error("the credentials cannot be renewed")]
    UnrefreshableTokenResponse,
    /// A plugin answered without a status.
    #[error("the credential plugin answered without credentials")]
    ExecPluginFailed,
    /// A plugin said when its token expires, and it is no time.
    #[error("the expiration time of the token is no time")]
    MalformedTokenExpirationDate(#[source] jiff::Error),
    /// A plugin could not be started.
    #[error("the credential plugin cannot be started")]
    AuthExecStart(#[source] std::io::Error),
    /// A plugin ended with an error.
    // Its output is not shown: it may hold credentials.
    #[error("the credential plugin `{cmd}` failed: {}", out.status)]
    AuthExecRun {
        /// Which plugin.
        cmd: String,
        /// How it ended and what it printed.
        out: Box<Output>,
    },
    /// A plugin answered something that is no `ExecCredential`.
    #[error("the answer of the credential plugin cannot be read")]
    AuthExecParse(#[source] Box<serde_saphyr::Error>),
    /// What a plugin is told could not be written.
    #[error("what the credential plugin is told cannot be written")]
    AuthExecSerialize(#[source] serde_json::Error),
    /// A plugin could not be used.
    #[error("the credential plugin cannot be used: {0}")]
    AuthExec(String),
    /// The token of a provider could not be read.
    #[error("the token of the credential provider cannot be read")]
    ParseTokenKey(#[source] serde_json::Error),
    /// A plugin is configured without a command.
    #[error("the credential plugin has no command")]
    MissingCommand,
    /// A plugin wants to know the cluster, and nothing is known of it.
    #[error("the credential plugin wants to know the cluster, of which nothing is known")]
    ExecMissingClusterInfo,
    /// The platform's trusted certificates cannot be used.
    #[error("the trusted certificates of this platform cannot be used")]
    NoValidNativeRootCA(#[source] std::io::Error),
}

/// What a configuration says about who to be, beside the client certificate.
pub(super) enum Credentials {
    Nobody,
    Token(HeaderValue),
    File(TokenFile),
}

impl Credentials {
    pub(super) fn new(auth_info: &AuthInfo) -> Result<Self, AuthError> {
        let token = auth_info.token.as_ref().map(ExposeSecret::expose_secret).filter(|token| !token.is_empty());
        let token_file = auth_info.token_file.as_ref().filter(|path| !path.is_empty());
        Ok(match (token, token_file) {
            (Some(token), _) => Self::Token(bearer(token)?),
            (None, Some(path)) => Self::File(TokenFile::open(path.into())?),
            (None, None) => Self::Nobody,
        })
    }

    /// Adds the token. A header that the caller has set is the caller's will and stays.
    pub(super) fn authorize(&self, mut request: Request<Body>) -> Result<Request<Body>, AuthError> {
        if request.headers().contains_key(AUTHORIZATION) {
            return Ok(request);
        }
        let header = match self {
            Self::Nobody => return Ok(request),
            Self::Token(header) => header.clone(),
            Self::File(file) => file.header(Instant::now())?,
        };
        request.headers_mut().insert(AUTHORIZATION, header);
        Ok(request)
    }
}

pub(super) struct TokenFile {
    path: PathBuf,
    last: Mutex<Option<(HeaderValue, Instant)>>,
}

impl TokenFile {
    /// Reads the file once, so that a wrong path is noticed when the client is built.
    fn open(path: PathBuf) -> Result<Self, AuthError> {
        read(&path)?;
        // The first request reads again: only then is there surely a runtime and its clock.
        Ok(Self { path, last: Mutex::new(None) })
    }

    fn header(&self, now: Instant) -> Result<HeaderValue, AuthError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((header, read_at)) = &*last
            && now.saturating_duration_since(*read_at) < TOKEN_AGE_MAX
        {
            return Ok(header.clone());
        }
        // A few hundred bytes from a memory file system, once a minute: cheaper than a trip to another thread.
        let header = match (read(&self.path), &*last) {
            (Ok(header), _) => header,
            (Err(error), Some((header, _))) => {
                tracing::warn!(%error, "keeping the last token");
                header.clone()
            }
            (Err(error), None) => return Err(error),
        };
        *last = Some((header.clone(), now));
        Ok(header)
    }
}

fn read(path: &Path) -> Result<HeaderValue, AuthError> {
    let unreadable = |error| AuthError::ReadTokenFile(error, path.to_owned());
    let token = std::fs::read_to_string(path).map_err(unreadable)?;
    if token.trim().is_empty() {
        return Err(unreadable(std::io::Error::new(std::io::ErrorKind::InvalidData, "it is empty")));
    }
    bearer(token.trim())
}

fn bearer(token: &str) -> Result<HeaderValue, AuthError> {
    let mut header = HeaderValue::try_from(format!("Bearer {token}")).map_err(AuthError::InvalidBearerToken)?;
    header.set_sensitive(true);
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token_of(file: &TokenFile, now: Instant) -> String {
        file.header(now).unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn a_token_file_is_read_again_after_a_minute_and_a_failed_read_keeps_the_last_token() {
        let path = std::env::temp_dir().join(format!("pintle-token-{}", std::process::id()));
        std::fs::write(&path, "one\n").unwrap();
        let file = TokenFile::open(path.clone()).unwrap();
        let start = Instant::now();
        assert_eq!(token_of(&file, start), "Bearer one");
        std::fs::write(&path, "two\n").unwrap();
        assert_eq!(token_of(&file, start + TOKEN_AGE_MAX / 2), "Bearer one");
        assert_eq!(token_of(&file, start + TOKEN_AGE_MAX), "Bearer two");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(token_of(&file, start + TOKEN_AGE_MAX * 3), "Bearer two");
        assert!(matches!(TokenFile::open(path), Err(AuthError::ReadTokenFile(..))));
    }

    #[test]
    fn the_header_of_a_token_hides_it_from_debug() {
        let header = bearer("s3cr3t").unwrap();
        assert!(!format!("{header:?}").contains("s3cr3t"));
        let error = bearer("s3cr3t\n").unwrap_err();
        assert!(!format!("{error:?} {error}").contains("s3cr3t"));
    }
}
