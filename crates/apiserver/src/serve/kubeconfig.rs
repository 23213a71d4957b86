//! The kubeconfig with which kubectl and every other client finds the server: its text here, its file in
//! `kubeconfig/file.rs`, its place in a user's existing file in `kubeconfig/merge.rs`.

mod file;
mod merge;

use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret;

pub use file::WrittenKubeconfig;
pub(super) use file::write;

use super::{Credential, Scheme};

/// What the cluster, the user and the context are called.
const NAME: &str = "pintle";

/// The kubeconfig as YAML. Everything in it is base64, hexadecimal or an address, so nothing needs quoting.
pub(super) fn print(scheme: Scheme, address: SocketAddr, ca_pem: &str, credential: &Credential) -> String {
    let authority = match scheme {
        Scheme::Http => String::new(),
        Scheme::Https => format!("\x20   certificate-authority-data: {}\n", STANDARD.encode(ca_pem)),
    };
    let scheme = scheme.name();
    let user = match credential {
        Credential::Token(token) => format!("\x20   token: \"{}\"\n", token.expose_secret()),
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
         - name: {NAME}\n\
         \x20 cluster:\n\
         \x20   server: {scheme}://{address}\n\
         {authority}\
         users:\n\
         - name: {NAME}\n\
         \x20 user:\n\
         {user}\
         contexts:\n\
         - name: {NAME}\n\
         \x20 context:\n\
         \x20   cluster: {NAME}\n\
         \x20   user: {NAME}\n\
         \x20   namespace: default\n\
         current-context: {NAME}\n"
    )
}
