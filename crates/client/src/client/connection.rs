//! The connections to a cluster, from an address to bytes.
//!
//! ```text
//!   request ─► connection_pool.rs   which connection: calls, streams and upgrades have their own
//!                └► connector.rs    TCP, through a proxy where there is one
//!                     └► tls.rs, openssl.rs   TLS: whom to trust and who to be
//!                          └► bounded.rs      each stage within its time limit
//!   write_fence.rs   what may not be written any more does not leave, whichever buffer it lies in
//!   exec, attach, port-forward ─► upgrade.rs  the call becomes a WebSocket
//!                                   └► web_socket.rs   both directions, and whether it is alive
//! ```
//! HTTP/2 where the server offers it (ALPN), else HTTP/1.1; plain `http://` is HTTP/1.1. Redirects are not followed:
//! one could carry the credentials to another host.

pub(super) mod bounded;
pub(super) mod connection_pool;
pub(super) mod connector;
#[cfg(feature = "kubelet-debug")]
mod kubelet;
#[cfg(feature = "openssl-tls")]
pub(super) mod openssl;
pub(super) mod tls;
#[cfg(feature = "ws")]
pub(super) mod upgrade;
#[cfg(feature = "ws")]
pub(super) mod web_socket;
pub(super) mod write_fence;

use std::sync::Arc;

use http::uri::Scheme;

use super::auth::Identity;
use super::reporter::Reporter;
use super::reporter::stalled::Stage;
use crate::config::Config;
use crate::error::Result;
use connector::{Connector, Versions};
use write_fence::WriteFence;

/// How the connections of one cluster are made.
pub(super) struct Connectors {
    /// For everything but upgrades.
    all: Connector,
    /// For what is to become another protocol.
    http1: Connector,
}

impl Connectors {
    pub(super) fn new(
        config: &Config,
        identity: Option<&Arc<Identity>>,
        reporter: &Arc<Reporter>,
        fence: &Arc<WriteFence>,
    ) -> Result<Self> {
        let plain = connector::noted(connector::plain(config, fence)?, reporter, Stage::Connect);
        if config.cluster_url.scheme() == Some(&Scheme::HTTP) {
            return Ok(Self { all: plain.clone(), http1: plain });
        }
        tls::warn_of_trust_in_anyone(config);
        let secured = |versions| -> Result<Connector> {
            let secured = connector::secured(plain.clone(), config, identity.cloned(), versions)?;
            Ok(connector::noted(secured, reporter, Stage::Tls))
        };
        Ok(Self { all: secured(Versions::All)?, http1: secured(Versions::Http1)? })
    }
}
