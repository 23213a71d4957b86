//! The client certificate: which one the next TLS handshake shows.
//!
//! It comes from the kubeconfig (inline, or files that are replaced while programs run) or from a credential plugin.
//! `generation` rises with every new one, so that connections made with an older one can be given up: a server looks
//! at a certificate only when a connection begins.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustls::SignatureScheme;
use rustls::client::ResolvesClientCert;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use tokio::time::Instant;

use super::AGE_MAX;
use crate::client::connection::tls::RustlsTlsError;
use crate::config::{AuthInfo, LoadDataError};

/// The client certificate that the next handshake shows.
pub(crate) struct Identity {
    provider: Arc<CryptoProvider>,
    /// Where it is read again; `None` where it is inline or a plugin gives it.
    files: Option<AuthInfo>,
    shown: RwLock<Option<Shown>>,
    generation: AtomicU64,
    read_at: Mutex<Option<Instant>>,
}

struct Shown {
    key: Arc<CertifiedKey>,
    // To find out whether what was read again is new.
    chain: Vec<CertificateDer<'static>>,
    #[cfg(feature = "openssl-tls")]
    der: PrivateKeyDer<'static>,
}

impl Identity {
    /// What the kubeconfig says; nothing yet where a plugin will say it.
    pub(crate) fn new(auth_info: &AuthInfo, provider: Arc<CryptoProvider>) -> Result<Option<Self>, RustlsTlsError> {
        let loaded = load(auth_info)?;
        if loaded.is_none() && auth_info.exec.is_none() {
            return Ok(None);
        }
        let is_set = |path: &Option<String>| path.as_ref().is_some_and(|path| !path.is_empty());
        let from_files = is_set(&auth_info.client_certificate) || is_set(&auth_info.client_key);
        let identity = Self {
            provider,
            files: (loaded.is_some() && from_files).then(|| auth_info.clone()),
            shown: RwLock::new(None),
            generation: AtomicU64::new(0),
            read_at: Mutex::new(None),
        };
        if let Some((chain, key)) = loaded {
            identity.show(chain, key)?;
        }
        Ok(Some(identity))
    }

    /// Rises with every new certificate.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Shows a certificate from PEM.
    pub(super) fn show_pem(&self, chain: &[u8], key: &[u8]) -> Result<(), RustlsTlsError> {
        let (chain, key) = parse(chain, key)?;
        self.show(chain, key)
    }

    /// Reads the files again where they have not been read for a minute.
    pub(super) fn refresh(&self, now: Instant) {
        let mut read_at = self.read_at.lock().unwrap_or_else(PoisonError::into_inner);
        let last = *read_at.get_or_insert(now);
        if now.saturating_duration_since(last) >= AGE_MAX {
            *read_at = Some(now);
            drop(read_at);
            self.read_again();
        }
    }

    /// Reads the files again. Certificate and key are replaced one after the other, so a pair that does not fit yet
    /// is left for the next time.
    pub(super) fn read_again(&self) -> bool {
        let Some(files) = &self.files else { return false };
        let before = self.generation();
        let shown = load(files).and_then(|loaded| match loaded {
            Some((chain, key)) => self.show(chain, key),
            None => Ok(()),
        });
        if let Err(error) = shown {
            tracing::warn!(%error, "keeping the last client certificate");
        }
        self.generation() != before
    }

    /// The certificate and its key, for OpenSSL.
    #[cfg(feature = "openssl-tls")]
    pub(crate) fn der(&self) -> Option<Pair> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        shown.as_ref().map(|shown| (shown.chain.clone(), shown.der.clone_key()))
    }

    fn show(&self, chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Result<(), RustlsTlsError> {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        if shown.as_ref().is_some_and(|shown| shown.chain == chain) {
            return Ok(());
        }
        #[cfg(feature = "openssl-tls")]
        let der = key.clone_key();
        let certified = CertifiedKey::from_der(chain.clone(), key, &self.provider);
        let key = Arc::new(certified.map_err(RustlsTlsError::InvalidPrivateKey)?);
        *shown = Some(Shown {
            key,
            chain,
            #[cfg(feature = "openssl-tls")]
            der,
        });
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }
}

impl ResolvesClientCert for Identity {
    fn resolve(&self, _root_hints: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        shown.as_ref().map(|shown| shown.key.clone())
    }

    fn has_certs(&self) -> bool {
        self.shown.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("generation", &self.generation()).finish_non_exhaustive()
    }
}

/// A chain of certificates and the key of its first.
type Pair = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn load(auth_info: &AuthInfo) -> Result<Option<Pair>, RustlsTlsError> {
    let chain = auth_info.load_client_certificate().map_err(unreadable)?;
    let key = auth_info.load_client_key().map_err(unreadable)?;
    match (chain, key) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(RustlsTlsError::MissingPrivateKey),
        (None, Some(_)) => Err(RustlsTlsError::MissingCertificate),
        (Some(chain), Some(key)) => parse(&chain, &key).map(Some),
    }
}

fn parse(chain: &[u8], key: &[u8]) -> Result<Pair, RustlsTlsError> {
    let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>().map_err(not_pem)?;
    if chain.is_empty() {
        return Err(RustlsTlsError::MissingCertificate);
    }
    Ok((chain, PrivateKeyDer::from_pem_slice(key).map_err(not_pem)?))
}

fn unreadable(error: LoadDataError) -> RustlsTlsError {
    RustlsTlsError::InvalidIdentityPem(pem::Error::Io(std::io::Error::other(error)))
}

/// Some PEM errors hold the line they stumbled over, and here that may be a line of a key.
fn not_pem(error: pem::Error) -> RustlsTlsError {
    RustlsTlsError::InvalidIdentityPem(match error {
        pem::Error::IllegalSectionStart { .. } => {
            pem::Error::Io(std::io::Error::new(std::io::ErrorKind::InvalidData, "illegal start of a section"))
        }
        error => error,
    })
}
