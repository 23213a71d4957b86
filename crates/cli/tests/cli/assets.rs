//! `pintle assets`: the programs that envtest starts, started as envtest does.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Service, ServiceAccount};
use pintle::api::{Api, DeleteParams, ListParams, ObjectMeta, PostParams};
use pintle::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle::{Client, Error};
use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

use super::process::{Folder, Process};

/// The folder of assets, moved to another place after it was made.
async fn assets(folder: &Folder) -> PathBuf {
    let (made, moved) = (folder.path().join("made"), folder.path().join("moved"));
    let ended = Process::start(["assets", made.to_str().expect("a plain path")]).end().await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    std::fs::rename(&made, &moved).expect("the folder is ours");
    moved
}

fn start(program: &Path, args: &[String]) -> Child {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command.spawn().expect("it is a program")
}

/// Ends it as envtest does, and returns its code and what it said on standard error.
async fn stop(child: Child) -> (Option<i32>, String) {
    let id = child.id().expect("it is running").to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().await.expect("kill is there").success());
    let output = tokio::time::timeout(Duration::from_secs(30), child.wait_with_output()).await;
    let output = output.expect("it ends").expect("its output can be read");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A port that was free a moment ago: envtest chooses ports in this way.
async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    listener.local_addr().expect("it listens").port()
}

/// What envtest's authority makes: certificates for the server and for a user.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().expect("a key can be made");
        let mut params = CertificateParams::new(Vec::new()).expect("it has no names");
        params.distinguished_name.push(DnType::CommonName, "envtest-environment");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("it can be signed").pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// Certificate and key, as PEM.
    fn sign(&self, name: &str, group: &str, hosts: &[&str], usage: ExtendedKeyUsagePurpose) -> (String, String) {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(hosts).expect("they are names");
        params.distinguished_name.push(DnType::CommonName, name);
        params.distinguished_name.push(DnType::OrganizationName, group);
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().expect("a key can be made");
        (params.signed_by(&key, &self.issuer).expect("it can be signed").pem(), key.serialize_pem())
    }
}

/// An API server of the assets with envtest's flags.
struct ControlPlane {
    child: Child,
    port: u16,
    serving: Authority,
    clients: Authority,
}

impl ControlPlane {
    async fn start(assets: &Path, folder: &Folder, more: &[&str]) -> Self {
        Self::start_with(assets, folder, "http://127.0.0.1:1", more).await
    }

    async fn start_with(assets: &Path, folder: &Folder, etcd: &str, more: &[&str]) -> Self {
        let (serving, clients, port) = (Authority::new(), Authority::new(), free_port().await);
        let (certificate, key) =
            serving.sign("localhost", "envtest", &["localhost", "127.0.0.1"], ExtendedKeyUsagePurpose::ServerAuth);
        let certificates = format!("certificates-{port}");
        std::fs::create_dir(folder.path().join(&certificates)).expect("the folder is ours");
        folder.write(&format!("{certificates}/apiserver.crt"), &certificate);
        folder.write(&format!("{certificates}/apiserver.key"), &key);
        folder.write(&format!("{certificates}/client-cert-auth-ca.crt"), &clients.pem);
        let certificates = folder.path().join(certificates).display().to_string();
        let mut args = vec![
            "--allow-privileged=true".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--cert-dir={certificates}"),
            format!("--client-ca-file={certificates}/client-cert-auth-ca.crt"),
            "--disable-admission-plugins=ServiceAccount".to_owned(),
            format!("--etcd-servers={etcd}"),
            format!("--secure-port={port}"),
            format!("--service-account-issuer=https://127.0.0.1:{port}/"),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        ];
        args.extend(more.iter().map(ToString::to_string));
        let child = start(&assets.join("kube-apiserver"), &args);
        let plane = Self { child, port, serving, clients };
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        plane
    }

    /// A client that shows a certificate of envtest's authority.
    async fn client(&self, user: &str, group: &str) -> Client {
        let (certificate, key) = self.clients.sign(user, group, &[], ExtendedKeyUsagePurpose::ClientAuth);
        let encoded = |pem: &str| {
            use k8s_openapi::ByteString;
            serde_json::to_value(ByteString(pem.as_bytes().to_vec())).expect("bytes are base64")
        };
        let kubeconfig = serde_json::json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "e",
            "contexts": [{"name": "e", "context": {"cluster": "e", "user": "e"}}],
            "clusters": [{"name": "e", "cluster": {
                "server": format!("https://127.0.0.1:{}", self.port),
                "certificate-authority-data": encoded(&self.serving.pem),
            }}],
            "users": [{"name": "e", "user": {
                "client-certificate-data": encoded(&certificate), "client-key-data": encoded(&key),
            }}],
        });
        let kubeconfig = Kubeconfig::from_yaml(&kubeconfig.to_string()).expect("JSON is YAML");
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        Client::try_from(config.expect("it is complete")).expect("a client can be made of it")
    }

    async fn administrator(&self) -> Client {
        self.client("admin", "system:masters").await
    }
}

fn map(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

#[tokio::test]
async fn two_environments_run_side_by_side_with_users_of_their_own() {
    let folder = Folder::new();
    let assets = assets(&folder).await;
    let (one, other) =
        (ControlPlane::start(&assets, &folder, &[]).await, ControlPlane::start(&assets, &folder, &[]).await);
    let maps = |client: Client| Api::<ConfigMap>::default_namespaced(client);
    maps(one.administrator().await).create(&PostParams::default(), &map("a")).await.expect("administrators may");
    let names = |list: Vec<ConfigMap>| list.into_iter().filter_map(|map| map.metadata.name).collect::<Vec<_>>();
    let of_one = maps(one.administrator().await).list(&ListParams::default()).await.expect("administrators may");
    let of_other = maps(other.administrator().await).list(&ListParams::default()).await.expect("administrators may");
    assert_eq!((names(of_one.items), names(of_other.items)), (vec!["a".to_owned()], Vec::new()));
    let refused = maps(one.client("jane", "dev").await).list(&ListParams::default()).await;
    assert!(matches!(&refused, Err(Error::Api(status)) if status.code == 403), "{refused:?}");
    for plane in [one, other] {
        let (code, said) = stop(plane.child).await;
        assert_eq!(code, Some(0), "{said}");
        assert!(!said.contains("no effect"), "{said}");
    }
}

/// envtest runs no kube-controller-manager, and tests have come to rely on that.
#[tokio::test]
async fn nothing_moves_by_itself_unless_controllers_are_asked_for() {
    let folder = Folder::new();
    let assets = assets(&folder).await;
    for (flags, expected) in [(&[][..], false), (&["--controllers"][..], true)] {
        let plane = ControlPlane::start(&assets, &folder, flags).await;
        let client = plane.administrator().await;
        let services = Api::<Service>::namespaced(client.clone(), "default");
        services.get("kubernetes").await.expect("kube-apiserver makes this one itself");
        let namespaces = Api::<Namespace>::all(client.clone());
        let metadata = ObjectMeta { name: Some("a".to_owned()), ..ObjectMeta::default() };
        let namespace = Namespace { metadata, ..Namespace::default() };
        namespaces.create(&PostParams::default(), &namespace).await.expect("it is new");
        let accounts = Api::<ServiceAccount>::namespaced(client, "a").list(&ListParams::default()).await;
        assert_eq!(!accounts.expect("administrators may").items.is_empty(), expected, "{flags:?}");
        namespaces.delete("a", &DeleteParams::default()).await.expect("it is there");
        let left = namespaces.get_opt("a").await.expect("administrators may");
        let phase = left.and_then(|namespace| namespace.status?.phase);
        assert_eq!(phase.as_deref(), (!expected).then_some("Terminating"), "{flags:?}");
        stop(plane.child).await;
    }
}

#[tokio::test]
async fn etcd_is_healthy_says_what_it_is_and_ends_by_sigterm() {
    let folder = Folder::new();
    let assets = assets(&folder).await;
    let port = free_port().await;
    let urls = format!("--listen-client-urls=http://127.0.0.1:{port}");
    let args = [urls, "--data-dir=/nowhere".to_owned(), "--unsafe-no-fsync=true".to_owned()];
    let child = start(&assets.join("etcd"), &args);
    let ask = async |path: &str| {
        let mut stream = loop {
            match TcpStream::connect(("127.0.0.1", port)).await {
                Ok(stream) => break stream,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it listens");
        let mut response = String::new();
        stream.read_to_string(&mut response).await.expect("it answers");
        response
    };
    let health = ask("/health").await;
    assert!(health.starts_with("HTTP/1.1 200") && health.contains(r#"{"health":"true""#), "{health}");
    let other = ask("/v3/kv/range").await;
    assert!(other.starts_with("HTTP/1.1 404") && other.contains("this is not etcd"), "{other}");
    let (code, said) = stop(child).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("this is not etcd"), "{said}");
}

/// Some tests stop the API server alone, and start it again.
#[tokio::test]
async fn objects_outlive_the_api_server_as_long_as_etcd_runs() {
    let folder = Folder::new();
    let assets = assets(&folder).await;
    let port = free_port().await;
    let url = format!("http://127.0.0.1:{port}");
    let etcd = start(&assets.join("etcd"), &[format!("--listen-client-urls={url}")]);
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let maps = async |plane: &ControlPlane| Api::<ConfigMap>::default_namespaced(plane.administrator().await);
    let first = ControlPlane::start_with(&assets, &folder, &url, &[]).await;
    let made = maps(&first).await.create(&PostParams::default(), &map("a")).await.expect("it is new");
    stop(first.child).await;
    let second = ControlPlane::start_with(&assets, &folder, &url, &[]).await;
    let found = maps(&second).await.get("a").await.expect("it is still there");
    assert_eq!(found.metadata, made.metadata);
    maps(&second).await.create(&PostParams::default(), &map("b")).await.expect("it is new");
    stop(second.child).await;
    stop(etcd).await;
    let other = ControlPlane::start_with(&assets, &folder, &url, &[]).await;
    assert_eq!(maps(&other).await.get_opt("a").await.expect("administrators may"), None, "its etcd is gone");
}

#[tokio::test]
async fn wrong_flags_end_it_at_once_and_help_names_those_with_an_effect() {
    let folder = Folder::new();
    let assets = assets(&folder).await;
    let run = async |args: &[&str]| {
        let mut command = Command::new(assets.join("kube-apiserver"));
        let output = command.args(args).output().await.expect("it is a program");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it says text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, _, said) = run(&["--secure-prot=1"]).await;
    assert_eq!(code, Some(1));
    assert!(said.contains("unknown flag: --secure-prot; did you mean --secure-port?"), "{said}");
    let (code, help, _) = run(&["--help"]).await;
    assert_eq!(code, Some(0));
    assert!(help.contains("\n  --client-ca-file"), "{help}");
    // envtest would use it if it were there.
    assert!(!help.contains("--insecure-port"), "{help}");
}

#[tokio::test]
async fn kubectl_is_the_one_on_the_path_or_says_that_there_is_none() {
    let folder = Folder::new();
    let assets = assets(&folder).await;
    let kubectl =
        |path: PathBuf| Command::new(assets.join("kubectl")).args(["version", "-o", "yaml"]).env("PATH", path).output();
    let output = kubectl(assets.clone()).await.expect("it is a program");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("there is no kubectl on the PATH"), "{said}");

    folder.write("kubectl", "#!/bin/sh\necho asked for \"$@\"\nexit 3\n");
    let installed = folder.path().join("kubectl");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&installed, executable).expect("the file is ours");
    let output = kubectl(folder.path().to_owned()).await.expect("it is a program");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "asked for version -o yaml\n");
}
