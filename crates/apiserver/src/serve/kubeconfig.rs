//! The kubeconfig with which kubectl and every other client finds the server.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret;

use super::{Credential, Scheme};

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
         - name: pintle\n\
         \x20 cluster:\n\
         \x20   server: {scheme}://{address}\n\
         {authority}\
         users:\n\
         - name: pintle\n\
         \x20 user:\n\
         {user}\
         contexts:\n\
         - name: pintle\n\
         \x20 context:\n\
         \x20   cluster: pintle\n\
         \x20   user: pintle\n\
         \x20   namespace: default\n\
         current-context: pintle\n"
    )
}

/// Writes a file beside the target and moves it there, so that no reader sees half of it.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let draft = path.with_file_name(format!(".{}.{}", name.to_string_lossy(), uuid::Uuid::new_v4().simple()));
    let written = create_private(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)
    });
    if written.is_err() {
        // The error that matters is the first one; a draft that was never made cannot be removed.
        fs::remove_file(&draft).unwrap_or_default();
    }
    written
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
