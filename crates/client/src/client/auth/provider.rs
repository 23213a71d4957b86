//! The `auth-provider` of old kubeconfigs: a token in the file, a command that prints one, or a service that gives one.
//!
//! kubectl has dropped them in favour of plugins; kube still knows `oidc` and `gcp`, and so does this client. What it
//! does not know is an error that names it.

use std::collections::HashMap;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use jiff::Timestamp;
use secrecy::SecretString;
use serde_json::Value;

use super::AuthError;
use super::exec::{NotRun, look_up, run_within};
#[cfg(feature = "oauth")]
use super::gcp::Gcp;
#[cfg(feature = "oidc")]
use super::oidc::Oidc;
use super::source::off_the_workers;
use crate::config::{AuthProviderConfig, ExecPolicy};

/// How long `cmd-path` may take: a request or two.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// Something built in that gives tokens.
pub(super) enum Provider {
    /// The token that stands in the file.
    Token(SecretString, Option<Timestamp>),
    Command(GcpCommand),
    #[cfg(feature = "oidc")]
    Oidc(Oidc),
    #[cfg(feature = "oauth")]
    Gcp(Gcp),
}

impl Provider {
    pub(super) fn new(config: &AuthProviderConfig, policy: &ExecPolicy) -> Result<Self, AuthError> {
        let settings = &config.config;
        match config.name.as_str() {
            "oidc" => Self::oidc(settings),
            "gcp" => Self::gcp(settings, policy),
            "azure" => {
                Err(refused("the `azure` auth-provider is gone; use the plugin https://github.com/Azure/kubelogin"))
            }
            name => Self::in_file(settings)?.ok_or_else(|| {
                refused(&format!("`{name}` is not an auth-provider that is known here; use a plugin (`exec`)"))
            }),
        }
    }

    /// A token and when it expires.
    pub(super) async fn token(&self) -> Result<(SecretString, Option<Timestamp>), AuthError> {
        match self {
            Self::Token(token, expires) => Ok((token.clone(), *expires)),
            Self::Command(command) => {
                let command = command.clone();
                off_the_workers(move || command.run()).await
            }
            #[cfg(feature = "oidc")]
            Self::Oidc(oidc) => oidc.id_token().await.map_err(AuthError::Oidc),
            #[cfg(feature = "oauth")]
            Self::Gcp(gcp) => gcp.token().await.map_err(AuthError::OAuth),
        }
    }

    #[cfg(feature = "oidc")]
    fn oidc(settings: &HashMap<String, String>) -> Result<Self, AuthError> {
        Oidc::new(settings).map(Self::Oidc).map_err(AuthError::Oidc)
    }

    /// Without the feature a token can be used, but not renewed.
    #[cfg(not(feature = "oidc"))]
    fn oidc(settings: &HashMap<String, String>) -> Result<Self, AuthError> {
        let token = settings.get("id-token").filter(|token| !token.is_empty());
        let token =
            token.ok_or_else(|| refused("the `oidc` auth-provider has no `id-token`; the feature `oidc` gets one"))?;
        Ok(Self::Token(token.as_str().into(), None))
    }

    fn gcp(settings: &HashMap<String, String>, policy: &ExecPolicy) -> Result<Self, AuthError> {
        if settings.contains_key("cmd-path") {
            return GcpCommand::new(settings, policy).map(Self::Command);
        }
        // A token that has not expired yet need not be renewed.
        if let Some(Self::Token(token, expires)) = Self::in_file(settings)?
            && expires.is_none_or(|expires| Timestamp::now() < expires)
        {
            return Ok(Self::Token(token, expires));
        }
        #[cfg(feature = "oauth")]
        return Gcp::new(settings).map(Self::Gcp).map_err(AuthError::OAuth);
        #[cfg(not(feature = "oauth"))]
        Err(refused("the `gcp` auth-provider needs the feature `oauth`, or a token that has not expired"))
    }

    fn in_file(settings: &HashMap<String, String>) -> Result<Option<Self>, AuthError> {
        let Some(token) = settings.get("access-token").filter(|token| !token.is_empty()) else {
            return Ok(None);
        };
        let expires = settings.get("expiry").map(|expiry| expiry.parse()).transpose();
        let expires = expires.map_err(AuthError::MalformedTokenExpirationDate)?;
        Ok(Some(Self::Token(token.as_str().into(), expires)))
    }
}

/// `cmd-path` of the `gcp` auth-provider: a command that prints JSON, and where the token stands in it.
#[derive(Clone)]
pub(super) struct GcpCommand {
    path: String,
    arguments: Vec<String>,
    token_key: Option<String>,
    expiry_key: Option<String>,
    policy: ExecPolicy,
}

impl GcpCommand {
    fn new(settings: &HashMap<String, String>, policy: &ExecPolicy) -> Result<Self, AuthError> {
        let setting = |name: &str| settings.get(name).filter(|value| !value.is_empty()).cloned();
        let command = Self {
            path: setting("cmd-path").ok_or(AuthError::MissingCommand)?,
            arguments: setting("cmd-args").unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
            token_key: setting("token-key"),
            expiry_key: setting("expiry-key"),
            policy: policy.clone(),
        };
        if *policy == ExecPolicy::DenyAll { Err(command.denied()) } else { Ok(command) }
    }

    fn denied(&self) -> AuthError {
        refused(&format!("`{}` may not run: `Config::exec_policy` does not allow it", self.path))
    }

    fn run(&self) -> Result<(SecretString, Option<Timestamp>), AuthError> {
        let found = look_up(self.path.as_ref());
        let found = found.ok_or_else(|| AuthError::AuthExecStart(std::io::ErrorKind::NotFound.into()))?;
        if !self.policy.allows(&found, look_up) {
            return Err(self.denied());
        }
        let mut command = Command::new(found);
        command.args(&self.arguments);
        command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped());
        let (status, output) = run_within(&mut command, COMMAND_TIMEOUT).map_err(|error| match error {
            NotRun::Start(error) => AuthError::AuthExecStart(error),
            NotRun::TooSlow(_) | NotRun::TooLarge => {
                refused(&format!("`{}` took too long or printed too much", self.path))
            }
        })?;
        if !status.success() {
            let out = Box::new(Output { status, stdout: Vec::new(), stderr: Vec::new() });
            return Err(AuthError::AuthExecRun { cmd: self.path.clone(), out });
        }
        self.read(&output)
    }

    fn read(&self, output: &[u8]) -> Result<(SecretString, Option<Timestamp>), AuthError> {
        let Some(token_key) = &self.token_key else {
            let token =
                String::from_utf8(output.to_vec()).map_err(|_| refused("the token that was printed is not text"))?;
            return Ok((token.trim().into(), None));
        };
        // serde_json's error has the position and may quote the text, so only the position is kept.
        let answer: Value = serde_json::from_slice(output).map_err(|error| {
            let place = format!("no JSON at line {} column {}", error.line(), error.column());
            AuthError::ParseTokenKey(serde::de::Error::custom(place))
        })?;
        let token = at(&answer, token_key).ok_or_else(|| refused(&format!("there is no text at `{token_key}`")))?;
        let expiry = self.expiry_key.as_deref().and_then(|key| at(&answer, key));
        let expires = expiry.map(str::parse).transpose().map_err(AuthError::MalformedTokenExpirationDate)?;
        Ok((token.into(), expires))
    }
}

/// The text at a path such as `{.credential.access_token}`.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a str> {
    let path = path.trim().trim_start_matches('{').trim_end_matches('}').trim_start_matches('$');
    let steps = path.split('.').filter(|step| !step.is_empty());
    steps.into_iter().try_fold(value, |value, step| value.get(step))?.as_str()
}

fn refused(why: &str) -> AuthError {
    AuthError::AuthExec(why.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn provider(name: &str, settings: &[(&str, &str)]) -> Result<Provider, AuthError> {
        let config = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let config = AuthProviderConfig { name: name.to_owned(), config, ..AuthProviderConfig::default() };
        Provider::new(&config, &ExecPolicy::AllowAll)
    }

    #[tokio::test]
    async fn a_command_prints_json_and_the_keys_say_where_the_token_stands() {
        let path = std::env::temp_dir().join(format!("pintle-gcp-{}.json", std::process::id()));
        std::fs::write(&path, r#"{"credential":{"access_token":"t0ken","token_expiry":"2033-05-18T03:33:20Z"}}"#)
            .unwrap();
        let settings = [
            ("cmd-path", "cat"),
            ("cmd-args", path.to_str().unwrap()),
            ("token-key", "{.credential.access_token}"),
            ("expiry-key", "{.credential.token_expiry}"),
        ];
        let (token, expires) = provider("gcp", &settings).unwrap().token().await.unwrap();
        assert_eq!((token.expose_secret(), expires.unwrap().as_second()), ("t0ken", 2_000_000_000));
        std::fs::write(&path, "s3cr3t").unwrap();
        let error = provider("gcp", &settings).unwrap().token().await.unwrap_err();
        assert!(matches!(error, AuthError::ParseTokenKey(_)) && !format!("{error:?}").contains("s3cr3t"));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn providers_that_are_not_known_are_named() {
        let refusal = |name| provider(name, &[]).map(|_| ()).unwrap_err().to_string();
        assert!(refusal("azure").contains("kubelogin") && refusal("openstack").contains("`openstack`"));
        assert!(matches!(provider("other", &[("access-token", "t")]), Ok(Provider::Token(..))));
    }
}
