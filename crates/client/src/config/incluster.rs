//! The configuration that Kubernetes puts into a pod: two variables and a folder of files.
//!
//! Token and certificate authority are replaced while the pod runs, so the configuration keeps their paths.

use std::path::{Path, PathBuf};

use http::Uri;

use super::data::read_file;
use super::error::InClusterError;
use super::{AuthInfo, Config, certificates};

/// Where the service account's files are mounted in every container.
const FOLDER: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Where to look, and what the two variables say.
pub(super) struct ServiceAccount {
    folder: PathBuf,
    host: Result<String, std::env::VarError>,
    port: Result<String, std::env::VarError>,
}

impl ServiceAccount {
    pub(super) fn of_this_pod() -> Self {
        Self {
            folder: Path::new(FOLDER).to_owned(),
            host: std::env::var("KUBERNETES_SERVICE_HOST"),
            port: std::env::var("KUBERNETES_SERVICE_PORT"),
        }
    }

    pub(super) fn config(self) -> Result<Config, InClusterError> {
        let host = self.host.clone().map_err(InClusterError::ReadEnvironmentVariable)?;
        let port = self.port.clone().map_err(InClusterError::ReadEnvironmentVariable)?;
        let port: u16 = port.parse().map_err(InClusterError::ParseClusterPort)?;
        // An IPv6 address stands in brackets in a URL and without them in the variable.
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        self.config_at(format!("https://{host}:{port}/").parse().map_err(InClusterError::ParseClusterUrl)?)
    }

    /// At the name that the cluster's DNS has for its API server.
    pub(super) fn config_by_name(self) -> Result<Config, InClusterError> {
        self.config_at(Uri::from_static("https://kubernetes.default.svc/"))
    }

    fn config_at(self, url: Uri) -> Result<Config, InClusterError> {
        let authority = self.folder.join("ca.crt");
        let bundle = read_file(&authority).map_err(InClusterError::ReadCertificateBundle)?;
        let namespace = std::fs::read_to_string(self.folder.join("namespace"));
        let namespace = namespace.map_err(InClusterError::ReadDefaultNamespace)?;
        let token_file = self.folder.join("token").to_string_lossy().into_owned();
        Ok(Config {
            default_namespace: namespace.trim().to_owned(),
            root_cert: Some(certificates(&bundle).map_err(InClusterError::ParseCertificates)?),
            root_cert_file: Some(authority),
            auth_info: AuthInfo { token_file: Some(token_file), ..AuthInfo::default() },
            ..Config::new(url)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{InferConfigError, KubeconfigError};

    fn pod(folder: &Path, host: &str, port: &str) -> ServiceAccount {
        ServiceAccount { folder: folder.to_owned(), host: Ok(host.to_owned()), port: Ok(port.to_owned()) }
    }

    #[test]
    fn a_pod_is_configured_by_its_service_account() {
        let folder = std::env::temp_dir().join(format!("pintle-pod-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let authority = rcgen::generate_simple_self_signed(["ca".to_owned()]).unwrap();
        std::fs::write(folder.join("ca.crt"), authority.cert.pem()).unwrap();
        std::fs::write(folder.join("namespace"), "apps\n").unwrap();
        for (host, url) in [("10.0.0.1", "https://10.0.0.1:443/"), ("fd00::1", "https://[fd00::1]:443/")] {
            let config = pod(&folder, host, "443").config().unwrap();
            assert_eq!(config.cluster_url, url);
            assert_eq!(config.default_namespace, "apps");
            assert_eq!(config.root_cert, Some(vec![authority.cert.der().to_vec()]));
            assert_eq!(config.root_cert_file, Some(folder.join("ca.crt")));
            assert!(config.auth_info.token_file.unwrap().ends_with("token"));
        }
        let by_name = pod(&folder, "", "").config_by_name().unwrap();
        assert_eq!((by_name.cluster_url.host(), by_name.cluster_url.port()), (Some("kubernetes.default.svc"), None));
        let error = pod(&folder, "10.0.0.1", "https").config().unwrap_err();
        assert!(matches!(error, InClusterError::ParseClusterPort(_)));
        std::fs::remove_file(folder.join("namespace")).unwrap();
        let error = pod(&folder, "10.0.0.1", "443").config().unwrap_err();
        assert!(matches!(error, InClusterError::ReadDefaultNamespace(_)));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_failed_search_says_why_each_step_failed() {
        let missing = std::env::VarError::NotPresent;
        let nowhere = ServiceAccount { folder: PathBuf::new(), host: Err(missing.clone()), port: Err(missing) };
        let in_cluster = Box::new(nowhere.config().unwrap_err());
        let kubeconfig =
            KubeconfigError::ReadConfig(std::io::ErrorKind::NotFound.into(), "/home/me/.kube/config".into());
        let message = InferConfigError { in_cluster, kubeconfig: Box::new(kubeconfig) }.to_string();
        assert!(message.contains("/home/me/.kube/config") && message.contains("not found"), "{message}");
        assert!(message.contains("KUBERNETES_SERVICE_HOST"), "{message}");
    }
}
