//! Who a server is to its clients: its certificate authority, the administrator's token and its port.
//!
//! In: a server. Out: what it had when it was last served from its data directory, or what is made now and, where there is
//! such a directory, kept there. So a kubeconfig that was written once goes on working.

use std::net::SocketAddr;

use secrecy::{ExposeSecret, SecretString};

use super::ServeError;
use super::tls::Authority;
use crate::server::Server;

/// What clients know a server by.
pub(super) struct Identity {
    pub(super) authority: Authority,
    /// The administrator's.
    pub(super) token: SecretString,
}

impl Identity {
    /// That of a server.
    pub(super) fn of(server: &Server) -> Result<Identity, ServeError> {
        Ok(Identity { authority: authority(server)?, token: token(server)? })
    }
}

/// An authority that is about to expire is replaced: its kubeconfigs have to be written anew then.
fn authority(server: &Server) -> Result<Authority, ServeError> {
    let kept = server.kept(AUTHORITY).and_then(|text| Authority::of_pem(&String::from_utf8(text).ok()?));
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let made = Authority::make().map_err(ServeError::Certificate)?;
    server.keep(AUTHORITY, made.with_key_pem().expose_secret().as_bytes()).map_err(ServeError::Data)?;
    Ok(made)
}

fn token(server: &Server) -> Result<SecretString, ServeError> {
    if let Some(kept) = server.kept(TOKEN).and_then(|text| String::from_utf8(text).ok()) {
        return Ok(SecretString::from(kept));
    }
    let made = new_token();
    server.keep(TOKEN, made.expose_secret().as_bytes()).map_err(ServeError::Data)?;
    Ok(made)
}

/// A token that cannot be guessed.
pub(super) fn new_token() -> SecretString {
    SecretString::from(format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple()))
}

/// The address at which a server that takes any port was served last.
pub(super) fn last_address(server: &Server, asked: SocketAddr) -> Option<SocketAddr> {
    let kept = server.kept(PORT).filter(|_| asked.port() == 0)?;
    Some(SocketAddr::new(asked.ip(), u16::from_be_bytes(kept.try_into().ok()?)))
}

/// Notes the port for the next time.
pub(super) fn keep_port(server: &Server, port: u16) -> Result<(), ServeError> {
    if server.kept(PORT).is_some_and(|kept| kept == port.to_be_bytes()) {
        return Ok(());
    }
    server.keep(PORT, &port.to_be_bytes()).map_err(ServeError::Data)
}

/// Under which names a data directory keeps these.
const AUTHORITY: &str = "certificate-authority";
const TOKEN: &str = "administrator-token";
const PORT: &str = "port";
