//! The `oidc` auth-provider: an ID token that is renewed with a refresh token.
//!
//! In: the settings of a kubeconfig (`id-token`, `refresh-token`, `idp-issuer-url`, `client-id`, `client-secret`,
//! `idp-certificate-authority`, `…-data`). Out: an ID token that has not expired. The token in the file is used while
//! it is valid; then the issuer's metadata says where to get the next. Nothing is written back to the file.

use std::collections::HashMap;

use base64::Engine;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Request, Response, StatusCode, Uri};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::token_service::{self, NoAnswer};
use crate::config::{certificates, read_data};
use oidc_errors::{Error, IdTokenError, RefreshError, RefreshInitError};

/// kube's error types.
pub mod oidc_errors {
    use thiserror::Error;

    use crate::error_chain::error_chain;

    /// What is wrong with an ID token.
    #[derive(Error, Debug)]
    pub enum IdTokenError {
        /// It is not a JWT.
        #[error("the ID token is not a JWT")]
        InvalidFormat,
        /// Its payload is not base64.
        #[error("the payload of the ID token is not base64: {}", error_chain(.0))]
        InvalidBase64(#[from] base64::DecodeError),
        /// Its payload is not JSON with an expiration time.
        #[error("the payload of the ID token has no expiration time: {}", error_chain(.0))]
        InvalidJson(#[from] serde_json::Error),
        /// Its expiration time is not a time.
        #[error("the expiration time of the ID token is not a time: {}", error_chain(.0))]
        InvalidExpirationTimestamp(#[from] jiff::Error),
    }

    /// Why the token cannot be renewed.
    #[derive(Error, Debug, Clone)]
    pub enum RefreshInitError {
        /// A setting is missing.
        #[error("the setting `{0}` is missing")]
        MissingField(&'static str),
        /// The trusted certificates cannot be used.
        #[error("the trusted certificates cannot be used")]
        NoValidNativeRootCA,
        /// OpenSSL cannot be set up. It is set up when the issuer is asked, so this never comes.
        #[cfg(feature = "openssl-tls")]
        #[error("OpenSSL cannot be set up: {}", error_chain(.0))]
        CreateOpensslHttpsConnector(#[from] openssl::error::ErrorStack),
    }

    /// Why the token was not renewed.
    #[derive(Error, Debug)]
    pub enum RefreshError {
        /// The issuer, or where it says to ask, is not a URL.
        #[error("the URL of the issuer is not a URL: {}", error_chain(.0))]
        InvalidURI(#[from] http::uri::InvalidUri),
        /// The answer broke off.
        #[error("the answer of the issuer broke off: {}", error_chain(.0))]
        HyperError(#[from] hyper::Error),
        /// There was no answer.
        #[error("the issuer did not answer: {}", error_chain(.0))]
        HyperUtilError(#[from] hyper_util::client::legacy::Error),
        /// The issuer's metadata was not understood.
        #[error("the metadata of the issuer was not understood: {}", error_chain(.0))]
        InvalidMetadata(#[source] serde_json::Error),
        /// The issuer refused, or took too long (408).
        #[error("the issuer answered {0}")]
        RequestFailed(http::StatusCode),
        /// The request could not be put together.
        #[error("the request to the issuer could not be put together: {}", error_chain(.0))]
        HttpError(#[from] http::Error),
        /// The issuer accepted the client's secret neither in a header nor in the body.
        #[error("the issuer did not accept client id and secret")]
        AuthorizationFailure,
        /// The issuer's answer was not understood.
        #[error("the answer of the issuer was not understood: {}", error_chain(.0))]
        InvalidTokenResponse(#[source] serde_json::Error),
        /// The issuer gave no ID token.
        #[error("the issuer gave no ID token")]
        NoIdTokenReceived,
    }

    /// Why there is no ID token.
    #[derive(Error, Debug)]
    pub enum Error {
        /// The kubeconfig holds none.
        #[error("the setting `id-token` is missing")]
        IdTokenMissing,
        /// The one it holds is not valid.
        #[error("the setting `id-token` holds no ID token: {}", error_chain(.0))]
        IdToken(#[from] IdTokenError),
        /// It has expired and there is no way to another.
        #[error("the ID token has expired and cannot be renewed: {}", error_chain(.0))]
        RefreshInit(#[from] RefreshInitError),
        /// It has expired and the way to another failed.
        #[error("the ID token has expired and was not renewed: {}", error_chain(.0))]
        Refresh(#[from] RefreshError),
    }
}

/// An ID token and the way to the next.
pub(super) struct Oidc {
    first: SecretString,
    way: Result<Way, RefreshInitError>,
    // Issuers may give a new refresh token with each ID token.
    latest: tokio::sync::Mutex<Option<SecretString>>,
}

/// How to get the next token.
struct Way {
    issuer: String,
    refresh_token: SecretString,
    client_id: String,
    client_secret: SecretString,
    authorities: Option<Vec<Vec<u8>>>,
}

#[derive(Deserialize)]
struct Metadata {
    token_endpoint: String,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: Option<SecretString>,
    refresh_token: Option<SecretString>,
}

#[derive(Deserialize)]
struct Claims {
    exp: i64,
}

/// Where client id and secret stand in the request. Issuers take one, the other, or both.
#[derive(Clone, Copy)]
enum Style {
    Header,
    Body,
}

impl Oidc {
    pub(super) fn new(settings: &HashMap<String, String>) -> Result<Self, Error> {
        let first = settings.get("id-token").filter(|token| !token.is_empty()).ok_or(Error::IdTokenMissing)?;
        expiration(first)?;
        let way = Way::new(settings);
        Ok(Self { first: first.as_str().into(), way, latest: tokio::sync::Mutex::default() })
    }

    /// The token of the file while it is valid, then a new one.
    pub(super) async fn id_token(&self) -> Result<(SecretString, Option<Timestamp>), Error> {
        let expires = expiration(self.first.expose_secret())?;
        let mut latest = self.latest.lock().await;
        if latest.is_none() && Timestamp::now() < expires {
            return Ok((self.first.clone(), Some(expires)));
        }
        let way = self.way.as_ref().map_err(Clone::clone)?;
        let refresh_token = latest.as_ref().unwrap_or(&way.refresh_token).clone();
        let tokens = way.renew(&refresh_token).await?;
        let token = tokens.id_token.ok_or(RefreshError::NoIdTokenReceived)?;
        *latest = Some(tokens.refresh_token.unwrap_or(refresh_token));
        let expires = expiration(token.expose_secret())?;
        Ok((token, Some(expires)))
    }
}

impl Way {
    fn new(settings: &HashMap<String, String>) -> Result<Self, RefreshInitError> {
        let setting = |name: &'static str| {
            settings.get(name).filter(|value| !value.is_empty()).ok_or(RefreshInitError::MissingField(name))
        };
        Ok(Self {
            issuer: setting("idp-issuer-url")?.clone(),
            refresh_token: setting("refresh-token")?.as_str().into(),
            client_id: setting("client-id")?.clone(),
            client_secret: settings.get("client-secret").map(String::as_str).unwrap_or_default().into(),
            authorities: authorities(settings)?,
        })
    }

    async fn renew(&self, refresh_token: &SecretString) -> Result<Tokens, RefreshError> {
        let metadata = format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let request = Request::get(metadata.parse::<Uri>()?).body(Vec::new())?;
        let answer = success(self.ask(request).await?)?;
        let metadata: Metadata = decode(answer.body()).map_err(RefreshError::InvalidMetadata)?;
        let endpoint: Uri = metadata.token_endpoint.parse()?;
        for style in [Style::Header, Style::Body] {
            let answer = self.ask(self.request(&endpoint, refresh_token, style)?).await?;
            if matches!(answer.status(), StatusCode::UNAUTHORIZED | StatusCode::BAD_REQUEST) {
                continue;
            }
            return decode(success(answer)?.body()).map_err(RefreshError::InvalidTokenResponse);
        }
        Err(RefreshError::AuthorizationFailure)
    }

    fn request(&self, endpoint: &Uri, token: &SecretString, style: Style) -> Result<Request<Vec<u8>>, http::Error> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "refresh_token").append_pair("refresh_token", token.expose_secret());
        let mut request = Request::post(endpoint).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        match style {
            Style::Body => {
                form.append_pair("client_id", &self.client_id);
                form.append_pair("client_secret", self.client_secret.expose_secret());
            }
            Style::Header => {
                let pair = format!("{}:{}", self.client_id, self.client_secret.expose_secret());
                let pair = base64::engine::general_purpose::STANDARD.encode(pair);
                let mut header = HeaderValue::try_from(format!("Basic {pair}"))?;
                header.set_sensitive(true);
                request = request.header(AUTHORIZATION, header);
            }
        }
        request.body(form.finish().into_bytes())
    }

    async fn ask(&self, request: Request<Vec<u8>>) -> Result<Response<bytes::Bytes>, RefreshError> {
        let answer = token_service::ask(request, self.authorities.clone()).await;
        answer.map_err(|error| match error {
            NoAnswer::Client(error) => error.into(),
            NoAnswer::Body(error) => error.into(),
            NoAnswer::TooSlowOrTooLarge => RefreshError::RequestFailed(StatusCode::REQUEST_TIMEOUT),
            // The certificates were read before, so what is left is the crypto.
            NoAnswer::Setup(_) => RefreshError::RequestFailed(StatusCode::NOT_IMPLEMENTED),
        })
    }
}

fn authorities(settings: &HashMap<String, String>) -> Result<Option<Vec<Vec<u8>>>, RefreshInitError> {
    let setting = |name: &str| settings.get(name).filter(|value| !value.is_empty());
    let bundle = match (setting("idp-certificate-authority-data"), setting("idp-certificate-authority")) {
        (Some(data), _) => base64::engine::general_purpose::STANDARD.decode(data).ok(),
        (None, Some(path)) => read_data(path.as_ref()).ok(),
        (None, None) => return Ok(None),
    };
    let authorities = bundle.and_then(|bundle| certificates(&bundle).ok());
    authorities.map(Some).ok_or(RefreshInitError::NoValidNativeRootCA)
}

fn success(answer: Response<bytes::Bytes>) -> Result<Response<bytes::Bytes>, RefreshError> {
    if answer.status().is_success() { Ok(answer) } else { Err(RefreshError::RequestFailed(answer.status())) }
}

/// Errors of serde_json may quote what they read, and here that is a token.
fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(body).map_err(|error| {
        let place = format!("not as expected at line {} column {}", error.line(), error.column());
        serde::de::Error::custom(place)
    })
}

fn expiration(token: &str) -> Result<Timestamp, IdTokenError> {
    let mut parts = token.split('.');
    let (Some(_), Some(payload), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Err(IdTokenError::InvalidFormat);
    };
    let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload.trim_end_matches('='))?;
    let claims: Claims = decode(&payload)?;
    Ok(Timestamp::from_second(claims.exp)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token that expires at `seconds`. Signatures are not checked here: that is the server's work.
    fn token(seconds: i64) -> String {
        let encode = |text: String| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text);
        format!("{}.{}.sig", encode("{}".to_owned()), encode(format!(r#"{{"exp":{seconds}}}"#)))
    }

    fn settings(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[tokio::test]
    async fn the_token_of_the_file_is_used_while_it_is_valid_and_then_the_error_says_what_is_missing() {
        let valid = Oidc::new(&settings(&[("id-token", &token(4_000_000_000))])).unwrap();
        assert_eq!(valid.id_token().await.unwrap().1.unwrap().as_second(), 4_000_000_000);
        let expired = Oidc::new(&settings(&[("id-token", &token(1))])).unwrap();
        let error = expired.id_token().await.unwrap_err();
        assert!(matches!(error, Error::RefreshInit(RefreshInitError::MissingField("idp-issuer-url"))), "{error:?}");
    }

    #[test]
    fn what_is_not_a_token_is_an_error_that_does_not_quote_it() {
        assert!(matches!(Oidc::new(&settings(&[])), Err(Error::IdTokenMissing)));
        for text in ["s3cr3t", "a.s3cr3t.b", "a.InMzY3IzdCI.b"] {
            let error = Oidc::new(&settings(&[("id-token", text)])).map(|_| ()).unwrap_err();
            assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
        }
    }
}
