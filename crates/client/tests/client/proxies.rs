//! Through proxies on a real socket: CONNECT and SOCKS5, with passwords, and past them where `NO_PROXY` says so.

use std::net::SocketAddr;
use std::process::Command;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::WatchParams;
use pintle_client::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle_client::{Api, Client, ErrorKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::served::{Asked, Notes, Served, Tls, VERSION, authority, base64, json};

/// A proxy that notes what it is asked and leads every connection to `server`.
struct Proxy {
    address: SocketAddr,
    asked: Notes<String>,
}

#[derive(Clone, Copy)]
enum Kind {
    Connect,
    Refusing,
    Socks5,
}

impl Proxy {
    async fn start(kind: Kind, server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Notes::default());
        let noted = asked.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(lead(kind, client, server, noted.clone()));
            }
        });
        Self { address, asked }
    }
}

async fn lead(kind: Kind, mut client: TcpStream, server: SocketAddr, asked: Notes<String>) {
    asked.add(match kind {
        Kind::Socks5 => socks5(&mut client).await,
        Kind::Connect | Kind::Refusing => headers(&mut client).await,
    });
    match kind {
        Kind::Socks5 => client.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 0]).await.unwrap(),
        Kind::Connect => client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap(),
        Kind::Refusing => {
            let _ = client.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await;
            return;
        }
    }
    let mut server = TcpStream::connect(server).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

async fn headers(client: &mut TcpStream) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        text.push(client.read_u8().await.unwrap());
    }
    String::from_utf8(text).unwrap()
}

/// The handshake with user name and password; gives back both and where the client wants to go.
async fn socks5(client: &mut TcpStream) -> String {
    // Version, and the ways to prove who one is.
    let [_, ways] = take(client, 2).await[..] else { unreachable!() };
    take(client, ways).await;
    client.write_all(&[5, 2]).await.unwrap();
    take(client, 1).await;
    let (user, password) = (word(client).await, word(client).await);
    client.write_all(&[1, 0]).await.unwrap();
    // Version, command, nothing, and that a name follows.
    assert_eq!(take(client, 4).await, [5, 1, 0, 3]);
    let host = word(client).await;
    let port = client.read_u16().await.unwrap();
    format!("{user}:{password}@{host}:{port}")
}

async fn take(client: &mut TcpStream, length: u8) -> Vec<u8> {
    let mut bytes = vec![0; length.into()];
    client.read_exact(&mut bytes).await.unwrap();
    bytes
}

/// A text behind its length.
async fn word(client: &mut TcpStream) -> String {
    let length = client.read_u8().await.unwrap();
    String::from_utf8(take(client, length).await).unwrap()
}

/// An API server that notes headers about proxies, which are none of its business.
async fn cluster() -> (Served, Notes<String>) {
    let seen = Notes::default();
    let noted: Notes<String> = seen.clone();
    let authority = authority();
    let tls = Tls { name: "cluster.example", ..Tls::of(&authority) };
    let served = Served::secured(&tls, move |asked: Asked| {
        noted.add(asked.header("proxy-authorization").to_owned());
        let is_watch = asked.is_watch();
        async move { if is_watch { http::Response::new(crate::served::unending(Vec::new())) } else { json(VERSION) } }
    });
    (served.await, seen)
}

fn through(served: &Served, proxy: &str) -> Client {
    let mut config = served.config();
    config.cluster_url = "https://cluster.example:6443".parse().unwrap();
    config.proxy_url = Some(proxy.parse().unwrap());
    config.default_retry = false;
    Client::try_from(config).unwrap()
}

#[tokio::test]
async fn calls_and_watches_go_through_a_proxy_which_alone_hears_its_password() {
    let (served, seen) = cluster().await;
    let proxy = Proxy::start(Kind::Connect, served.address).await;
    let client = through(&served, &format!("http://me:p%40ss@{}", proxy.address));
    client.apiserver_version().await.unwrap();
    let maps: Api<ConfigMap> = Api::all(client);
    let _watch = maps.watch(&WatchParams::default(), "1").await.unwrap().boxed();
    let asked = proxy.asked.all();
    assert_eq!(asked.len(), 2, "calls and watches have connections of their own: {asked:?}");
    for asked in asked {
        assert!(asked.starts_with("CONNECT cluster.example:6443 "), "{asked}");
        let password = format!("Basic {}", base64("me:p@ss"));
        assert!(asked.to_lowercase().contains("proxy-authorization:") && asked.contains(&password), "{asked}");
    }
    assert_eq!(seen.all(), ["", ""]);
}

#[tokio::test]
async fn a_proxy_that_refuses_leaves_the_cluster_unreachable_and_its_password_unprinted() {
    let (served, seen) = cluster().await;
    let proxy = Proxy::start(Kind::Refusing, served.address).await;
    let client = through(&served, &format!("http://me:hushhush@{}", proxy.address));
    let error = client.apiserver_version().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error:?}");
    assert!(!format!("{error:?}").contains("hushhush") && seen.all().is_empty());
}

#[tokio::test]
async fn socks5_leads_to_the_cluster_too_and_resolves_its_name() {
    let (served, _) = cluster().await;
    let proxy = Proxy::start(Kind::Socks5, served.address).await;
    through(&served, &format!("socks5://me:pw@{}", proxy.address)).apiserver_version().await.unwrap();
    assert_eq!(proxy.asked.all(), ["me:pw@cluster.example:6443"]);
}

/// P12: the list is about the cluster's host, not the proxy's, and an entry without a port covers every port. The
/// variables are those of a process, so each case is one: this program, running [`asks_as_the_environment_says`].
#[tokio::test(flavor = "multi_thread")]
async fn no_proxy_speaks_of_the_cluster_and_not_of_the_proxy() {
    let (served, _) = cluster().await;
    let proxy = Proxy::start(Kind::Connect, served.address).await;
    let folder = crate::folder::Folder::new("no-proxy");
    let authority = base64(pem(&served.config().root_cert.unwrap()[0]));
    let kubeconfig = folder.write(
        "config",
        &format!(
            "current-context: a\ncontexts: [{{name: a, context: {{cluster: c}}}}]\nclusters: [{{name: c, cluster: \
             {{server: 'https://cluster.example:6443', certificate-authority-data: {authority}}}}}]\n"
        ),
    );
    let cases =
        [("127.0.0.1,other.example", 1), ("cluster.example", 0), (".example", 0), ("cluster.example:443", 1), ("", 1)];
    for (list, connections) in cases {
        let before = proxy.asked.all().len();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "--ignored", "proxies::asks_as_the_environment_says"]);
        child
            .env("KUBECONFIG", &kubeconfig)
            .env("HTTPS_PROXY", format!("http://{}", proxy.address))
            .env("NO_PROXY", list);
        let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
        assert_eq!(proxy.asked.all().len() - before, connections, "NO_PROXY={list}: {output:?}");
        assert_eq!(output.status.success(), connections == 1, "only the proxy knows cluster.example: {output:?}");
    }
}

#[tokio::test]
#[ignore = "a part of the test above, in a process of its own"]
async fn asks_as_the_environment_says() {
    let kubeconfig = Kubeconfig::read().unwrap();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    config.default_retry = false;
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
}

fn pem(der: &[u8]) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", base64(der))
}
