//! Where a header or a client certificate comes from, and how often it has to be asked.
//!
//! `Source::ask` gives what is valid now. What it costs differs: a fixed token nothing, a file a read, a plugin a
//! process, a provider a request. When to ask is decided in `renewal.rs`.

use std::path::{Path, PathBuf};

use base64::Engine;
use http::header::HeaderValue;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};

use super::exec::Plugin;
use super::provider::Provider;
use super::{AuthError, Identity};
use crate::config::{AuthInfo, Config, read_file};

/// Where credentials come from.
pub(super) enum Source {
    /// Always the same.
    Fixed(HeaderValue),
    /// A file that is replaced while programs run.
    File(PathBuf),
    /// A command that prints them.
    Plugin(Box<Plugin>),
    /// Something built in.
    Provider(Box<Provider>),
}

/// What a source gave.
pub(super) struct Given {
    pub(super) header: Option<HeaderValue>,
    pub(super) expires: Option<Timestamp>,
}

impl Source {
    /// The first way of `auth_info` that is set, in kube's order.
    pub(super) fn of(config: &Config) -> Result<Option<Self>, AuthError> {
        let auth_info = &config.auth_info;
        if let Some(provider) = &auth_info.auth_provider {
            return Provider::new(provider, &config.exec_policy)
                .map(|provider| Some(Self::Provider(Box::new(provider))));
        }
        if let Some((user, password)) = basic_pair(auth_info) {
            return basic(user, password).map(|header| Some(Self::Fixed(header)));
        }
        let token_file = auth_info.token_file.as_ref().filter(|path| !path.is_empty());
        if let Some(token) = exposed(auth_info.token.as_ref()) {
            if let Some(path) = token_file {
                tracing::warn!(
                    path,
                    "a token is given beside a token file: the token is used, and never renewed; client-go would use the \
                     file, and so will this client once the token is taken out"
                );
            }
            return bearer(token).map(|header| Some(Self::Fixed(header)));
        }
        if let Some(path) = token_file {
            // Read once now, so that a wrong path is noticed when the client is built.
            read_token(path.as_ref())?;
            return Ok(Some(Self::File(path.into())));
        }
        let plugin = auth_info.exec.as_ref().map(|exec| Plugin::new(exec, &config.exec_policy)).transpose()?;
        Ok(plugin.map(|plugin| Self::Plugin(Box::new(plugin))))
    }

    /// What is valid now. A client certificate is shown by `identity` from then on.
    pub(super) async fn ask(&self, identity: Option<&Identity>) -> Result<Given, AuthError> {
        match self {
            Self::Fixed(header) => Ok(Given { header: Some(header.clone()), expires: None }),
            // A few hundred bytes from a memory file system, once a minute: cheaper than a trip to another thread.
            Self::File(path) => Ok(Given { header: Some(read_token(path)?), expires: None }),
            Self::Plugin(plugin) => {
                let plugin = plugin.clone();
                off_the_workers(move || plugin.run()).await.and_then(|given| from_plugin(&given, identity))
            }
            Self::Provider(provider) => {
                let (token, expires) = provider.token().await?;
                Ok(Given { header: Some(bearer(token.expose_secret())?), expires })
            }
        }
    }

    /// The same, for a caller that is not async: it blocks while a plugin runs.
    pub(super) fn ask_blocking(&self, identity: &Identity) -> Result<(), AuthError> {
        match self {
            Self::Plugin(plugin) => from_plugin(&plugin.run()?, Some(identity)).map(|_| ()),
            Self::Fixed(_) | Self::File(_) | Self::Provider(_) => Ok(()),
        }
    }
}

/// Runs what blocks where it keeps no async task waiting.
pub(super) async fn off_the_workers<T: Send + 'static>(
    run: impl FnOnce() -> Result<T, AuthError> + Send + 'static,
) -> Result<T, AuthError> {
    let ended = tokio::task::spawn_blocking(run).await;
    ended.unwrap_or_else(|_| Err(AuthError::AuthExec("it was given up because the program ends".to_owned())))
}

fn from_plugin(given: &super::exec::Given, identity: Option<&Identity>) -> Result<Given, AuthError> {
    if let (Some(identity), Some(chain), Some(key)) =
        (identity, given.client_certificate_data.as_ref(), given.client_key_data.as_ref())
    {
        let shown = identity.show_pem(chain.as_bytes(), key.expose_secret().as_bytes());
        // The message names what is wrong with the pair, and no line of it.
        shown.map_err(|error| AuthError::AuthExec(format!("its client certificate: {error}")))?;
    }
    let expires = given.expiration_timestamp.as_deref().map(str::parse).transpose();
    Ok(Given {
        header: given.token.as_ref().map(|token| bearer(token.expose_secret())).transpose()?,
        expires: expires.map_err(AuthError::MalformedTokenExpirationDate)?,
    })
}

fn exposed(secret: Option<&SecretString>) -> Option<&str> {
    secret.map(ExposeSecret::expose_secret).filter(|secret| !secret.is_empty())
}

fn basic_pair(auth_info: &AuthInfo) -> Option<(&str, &str)> {
    let user = auth_info.username.as_deref().filter(|user| !user.is_empty())?;
    Some((user, exposed(auth_info.password.as_ref())?))
}

fn basic(user: &str, password: &str) -> Result<HeaderValue, AuthError> {
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    let mut header = HeaderValue::try_from(format!("Basic {pair}")).map_err(AuthError::InvalidBasicAuth)?;
    header.set_sensitive(true);
    Ok(header)
}

fn read_token(path: &Path) -> Result<HeaderValue, AuthError> {
    let unreadable = |error| AuthError::ReadTokenFile(error, path.to_owned());
    let wrong = |why: &str| unreadable(std::io::Error::new(std::io::ErrorKind::InvalidData, why));
    let token = String::from_utf8(read_file(path).map_err(unreadable)?).map_err(|_| wrong("it is not text"))?;
    if token.trim().is_empty() {
        return Err(wrong("it is empty"));
    }
    bearer(token.trim())
}

pub(super) fn bearer(token: &str) -> Result<HeaderValue, AuthError> {
    let mut header = HeaderValue::try_from(format!("Bearer {token}")).map_err(AuthError::InvalidBearerToken)?;
    header.set_sensitive(true);
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_credentials_hide_them_from_debug() {
        for header in [bearer("s3cr3t").unwrap(), basic("me", "s3cr3t").unwrap()] {
            assert!(!format!("{header:?}").contains("s3cr3t") && header.is_sensitive());
        }
        let error = bearer("s3cr3t\n").unwrap_err();
        assert!(!format!("{error:?} {error}").contains("s3cr3t"));
    }

    #[test]
    fn the_first_way_that_is_set_is_used() {
        let mut config = Config::new("https://host".parse().unwrap());
        assert!(Source::of(&config).unwrap().is_none());
        config.auth_info.token = Some("t".into());
        assert!(matches!(Source::of(&config), Ok(Some(Source::Fixed(header))) if header == "Bearer t"));
        config.auth_info.username = Some("me".into());
        assert!(matches!(Source::of(&config), Ok(Some(Source::Fixed(header))) if header == "Bearer t"));
        config.auth_info.password = Some("pw".into());
        assert!(matches!(Source::of(&config), Ok(Some(Source::Fixed(header))) if header == "Basic bWU6cHc="));
    }
}
