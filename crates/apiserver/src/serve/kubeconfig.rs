//! The kubeconfig with which kubectl and every other client finds the server: its text here, its file in
//! `kubeconfig/file.rs`, its place in a user's existing file in `kubeconfig/merge.rs`.

mod file;
mod merge;

use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret;
use serde_json::Value;

pub use file::WrittenKubeconfig;
pub(super) use file::write;

use super::{Credential, Scheme};

/// What the cluster, the user and the context of a server are called.
pub(super) const NAME: &str = "pintle";

/// How clients reach a server: the `cluster` of a kubeconfig.
#[derive(Clone)]
pub(super) struct Reach {
    pub(super) url: String,
    /// The authority to trust; none where TLS is not spoken.
    pub(super) ca_pem: Option<String>,
}

impl Reach {
    pub(super) fn new(scheme: Scheme, address: SocketAddr, ca_pem: &str) -> Reach {
        let ca_pem = (scheme == Scheme::Https).then(|| ca_pem.to_owned());
        Reach { url: format!("{}://{address}", scheme.name()), ca_pem }
    }

    /// That of a server at the same address, behind the beginning of a path.
    pub(super) fn behind(&self, prefix: &str) -> Reach {
        Reach { url: format!("{}{prefix}", self.url), ca_pem: self.ca_pem.clone() }
    }

    /// The kubeconfig as YAML. Everything in it is base64, hexadecimal, an address or the name of a workspace, so nothing needs
    /// quoting but tokens.
    pub(super) fn kubeconfig(&self, name: &str, credential: &Credential) -> String {
        let ca_pem = self.ca_pem.as_deref();
        let authority = ca_pem.map(|pem| format!("\x20   certificate-authority-data: {}\n", STANDARD.encode(pem)));
        let (server, authority) = (&self.url, authority.unwrap_or_default());
        let user = match credential {
            Credential::Token(token) => format!("\x20   token: {}\n", Value::from(token.expose_secret())),
            Credential::Certificate { certificate_pem, key_pem } => format!(
                "\x20   client-certificate-data: {}\n\x20   client-key-data: {}\n",
                STANDARD.encode(certificate_pem),
                STANDARD.encode(key_pem.expose_secret())
            ),
        };
        format!(
            "apiVersion: v1\n\
             kind: Config\n\
             clusters:\n\
             - name: {name}\n\
             \x20 cluster:\n\
             \x20   server: {server}\n\
             {authority}\
             users:\n\
             - name: {name}\n\
             \x20 user:\n\
             {user}\
             contexts:\n\
             - name: {name}\n\
             \x20 context:\n\
             \x20   cluster: {name}\n\
             \x20   user: {name}\n\
             \x20   namespace: default\n\
             current-context: {name}\n"
        )
    }
}
