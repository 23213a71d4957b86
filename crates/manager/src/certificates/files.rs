//! A certificate in two files that somebody else renews: cert-manager by a mounted Secret, or an administrator.
//!
//! They are read every 10 s, and at a handshake when they have not been for so long: a program that was stopped for a while
//! shows no old certificate. Two files are never written at once, so that a pair which does not fit is expected: the last
//! one that did stays, and the next look finds both.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use pintle_runtime::metrics::{Number, Sample, Samples};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::time::{Instant, sleep};

use super::serving::{PairError, ServingCertificate};
use crate::http_server::{Tls, TlsError};

/// How often the files are read: as often as controller-runtime reads them.
const PERIOD: Duration = Duration::from_secs(10);

/// A certificate and its key in files.
#[derive(Clone, Debug)]
pub struct CertificateFiles(Arc<Files>);

#[derive(Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    serving: ServingCertificate,
    last: Mutex<Last>,
    metrics: FilesMetrics,
}

/// What was read last.
#[derive(Debug)]
struct Last {
    at: Instant,
    content: Option<Content>,
    /// Logged once, until the files change.
    problem: Option<String>,
}

#[derive(Eq, PartialEq)]
struct Content {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl std::fmt::Debug for Content {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Content")
    }
}

/// How often the files were read, under controller-runtime's names.
#[derive(Clone, Debug, Default)]
pub struct FilesMetrics {
    reads: Arc<Number>,
    errors: Arc<Number>,
}

/// Why files are not a certificate.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("cannot read {}: {source}", .path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{} and {}: {source}", .certificate.display(), .key.display())]
    Pair { certificate: PathBuf, key: PathBuf, source: PairError },
}

impl CertificateFiles {
    /// The files `tls.crt` and `tls.key` of a directory, which is how a Secret is mounted.
    pub fn in_directory(directory: impl AsRef<Path>) -> Self {
        let directory = directory.as_ref();
        Self::new(directory.join("tls.crt"), directory.join("tls.key"))
    }

    /// A certificate, with the chain that follows it, and its key, both in PEM. They need not exist yet: handshakes fail until
    /// they do, and the log says why.
    pub fn new(certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        let files = Files {
            certificate: certificate.into(),
            key: key.into(),
            serving: ServingCertificate::new(),
            last: Mutex::new(Last { at: Instant::now(), content: None, problem: None }),
            metrics: FilesMetrics::default(),
        };
        files.read();
        Self(Arc::new(files))
    }

    /// TLS that shows what is in the files.
    ///
    /// # Errors
    /// When the process has installed a TLS provider that cannot serve.
    pub fn tls(&self) -> Result<Tls, TlsError> {
        Tls::new(Arc::new(self.clone()))
    }

    /// What is worth a word about the certificate, for a readiness check: that it expires soon.
    ///
    /// # Errors
    /// When the files never held a usable pair, or what they hold has expired.
    pub fn check(&self) -> Result<Option<String>, String> {
        if self.0.serving.is_set() {
            let at = |problem| format!("{problem}: {}", self.0.certificate.display());
            return self.0.serving.check(Timestamp::now()).map(|note| note.map(at)).map_err(at);
        }
        let last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        Err(last.problem.clone().unwrap_or_else(|| "the certificate was not read yet".to_owned()))
    }

    /// Reads the files every 10 s. It does not end; handshakes look by themselves where it does not run.
    pub async fn run(&self) {
        loop {
            sleep(PERIOD).await;
            self.0.read();
        }
    }

    /// What is counted, for an exporter.
    pub fn metrics(&self) -> FilesMetrics {
        self.0.metrics.clone()
    }
}

impl ResolvesServerCert for CertificateFiles {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if self.0.is_overdue() {
            // Two small files in memory: it takes less than the handshake.
            self.0.read();
        }
        self.0.serving.resolve(hello)
    }
}

impl FilesMetrics {
    /// Everything counted so far.
    pub fn samples(&self) -> Vec<Sample> {
        let mut samples = Samples::with_labels(&[]);
        let (name, help) = ("certwatcher_read_certificate_total", "How often the certificate's files were read.");
        samples.counter(name, help, self.reads.get());
        let (name, help) = ("certwatcher_read_certificate_errors_total", "How often they could not be used.");
        samples.counter(name, help, self.errors.get());
        samples.into_vec()
    }
}

impl Files {
    fn is_overdue(&self) -> bool {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).at.elapsed() >= PERIOD
    }

    /// Reads the files, and shows what they hold if it is new and a pair.
    fn read(&self) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.at = Instant::now();
        self.metrics.reads.add_one();
        match self.try_read(last.content.as_ref()) {
            Ok(None) => {}
            Ok(Some(content)) => {
                if last.content.is_some() {
                    tracing::info!("the certificate in {} is shown from now on", self.certificate.display());
                }
                (last.content, last.problem) = (Some(content), None);
            }
            Err(error) => {
                self.metrics.errors.add_one();
                let problem = error.to_string();
                if last.problem.as_ref() != Some(&problem) {
                    let instead = if self.serving.is_set() { "the one before is still shown" } else { "none is shown" };
                    tracing::warn!("the certificate cannot be used, and {instead}: {problem}");
                    last.problem = Some(problem);
                }
            }
        }
    }

    /// What the files hold now; `None` where it is what they held before.
    fn try_read(&self, before: Option<&Content>) -> Result<Option<Content>, ReadError> {
        let read = |path: &PathBuf| fs::read(path).map_err(|source| ReadError::File { path: path.clone(), source });
        let content = Content { certificate: read(&self.certificate)?, key: read(&self.key)? };
        if before == Some(&content) {
            return Ok(None);
        }
        self.serving.set_pem(&content.certificate, &content.key).map_err(|source| ReadError::Pair {
            certificate: self.certificate.clone(),
            key: self.key.clone(),
            source,
        })?;
        Ok(Some(content))
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    /// A directory of this test, gone with it.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("pintle-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn write(&self, name: &str, content: &str) {
            fs::write(self.0.join(name), content).unwrap();
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap_or_default();
        }
    }

    fn made() -> (String, String) {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["a".to_owned()]).unwrap();
        (cert.pem(), signing_key.serialize_pem())
    }

    /// The certificate that is shown.
    fn shown(files: &CertificateFiles) -> Option<Vec<u8>> {
        Some(files.0.serving.certificate()?.to_vec())
    }

    fn counts(files: &CertificateFiles) -> Vec<pintle_runtime::metrics::Value> {
        files.metrics().samples().into_iter().map(|sample| sample.value).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewed_pair_is_shown_within_ten_seconds_and_half_of_one_never() {
        let directory = Directory::new("renewed-pair");
        let ((first, first_key), (second, second_key)) = (made(), made());
        directory.write("tls.crt", &first);
        directory.write("tls.key", &first_key);
        let files = CertificateFiles::in_directory(&directory.0);
        let before = shown(&files).expect("it is read at once");
        let running = files.clone();
        tokio::spawn(async move { running.run().await });

        // A moment more, because the files are read when it has passed.
        let a_period = PERIOD + Duration::from_secs(1);
        directory.write("tls.crt", &second);
        sleep(a_period).await;
        assert_eq!(shown(&files), Some(before.clone()), "the new certificate does not fit the old key");
        assert_eq!(files.check(), Ok(None));
        directory.write("tls.key", &second_key);
        sleep(a_period).await;
        let after = shown(&files);
        assert!(after.is_some() && after != Some(before));
        use pintle_runtime::metrics::Value::Counter;
        assert_eq!(counts(&files), [Counter(3), Counter(1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn files_that_are_missing_or_not_pem_are_named_and_awaited() {
        let directory = Directory::new("missing-files");
        let files = CertificateFiles::in_directory(&directory.0);
        assert!(files.check().unwrap_err().starts_with("cannot read "), "{:?}", files.check());
        let (certificate, key) = made();
        directory.write("tls.crt", "no certificate");
        directory.write("tls.key", &key);
        files.0.read();
        let problem = files.check().unwrap_err();
        assert!(
            problem.ends_with("the certificate is not PEM with at least one certificate: there is none"),
            "{problem}"
        );
        directory.write("tls.crt", &certificate);
        sleep(PERIOD).await;
        assert!(files.0.is_overdue(), "a handshake would look by itself");
        files.0.read();
        assert_eq!(files.check(), Ok(None));
    }
}
