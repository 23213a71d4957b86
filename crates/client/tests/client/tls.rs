//! TLS on a real socket: whom the client trusts, who it is, and which HTTP version is agreed on. By rustls with ring, or
//! by whatever the features ask for: `.ci/run` runs these tests with aws-lc-rs and with OpenSSL too.

use std::time::Duration;

use http::Version;
use pintle_client::config::{AuthInfo, Config, KubeConfigOptions, Kubeconfig};
use pintle_client::{Client, Error, ErrorKind};
use rustls::crypto::CryptoProvider;
use secrecy::SecretString;
use tokio::net::TcpListener;

use crate::folder::Folder;
use crate::served::{Asked, Authority, Notes, Served, Tls, VERSION, authority, base64, json, leaf, tick};

/// Whether OpenSSL is what the features ask for; its words are not those of rustls.
const IS_OPENSSL: bool = cfg!(all(feature = "openssl-tls", not(feature = "rustls-tls")));

/// What the server saw of each request: version, user agent, authorization.
type Seen = Notes<(Version, String, String)>;

async fn start(tls: &Tls<'_>) -> (Served, Seen) {
    let seen = Seen::default();
    let noted = seen.clone();
    let served = Served::secured(tls, move |asked: Asked| {
        let header = |name| asked.header(name).to_owned();
        noted.add((asked.request.version(), header("user-agent"), header("authorization")));
        async { json(VERSION) }
    });
    (served.await, seen)
}

/// How to reach `served` while trusting another authority than its own.
fn trusting(served: &Served, trusted: &Authority) -> Config {
    let mut config = served.config();
    config.root_cert = Some(vec![trusted.der().to_vec()]);
    config
}

fn with_token(config: Config, token: &str) -> Config {
    let mut config = config;
    config.auth_info = AuthInfo { token: Some(SecretString::from(token)), ..AuthInfo::default() };
    config
}

#[tokio::test]
async fn a_kubeconfig_with_ca_and_token_is_all_it_takes() {
    let authority = authority();
    let (served, seen) = start(&Tls::of(&authority)).await;
    let (address, ca) = (served.address, base64(authority.pem()));
    let text = format!(
        "current-context: here\ncontexts: [{{name: here, context: {{cluster: c, user: u}}}}]\n\
         clusters: [{{name: c, cluster: {{server: 'https://{address}', certificate-authority-data: {ca}}}}}]\n\
         users: [{{name: u, user: {{token: s3cr3t}}}}]\n"
    );
    let file = Kubeconfig::from_yaml(&text).unwrap();
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
    assert_eq!(seen.all()[0].2, "Bearer s3cr3t");
}

#[tokio::test]
async fn the_newest_http_version_that_the_server_offers_is_spoken() {
    let authority = authority();
    let cases: [(&[&str], Version); 3] =
        [(&["h2", "http/1.1"], Version::HTTP_2), (&["http/1.1"], Version::HTTP_11), (&[], Version::HTTP_11)];
    for (protocols, version) in cases {
        let (served, seen) = start(&Tls { protocols, ..Tls::of(&authority) }).await;
        let client = Client::try_from(served.config()).unwrap();
        assert_eq!(client.apiserver_version().await.unwrap().minor, "37");
        let agent = concat!("pintle/", env!("CARGO_PKG_VERSION")).to_owned();
        assert_eq!(seen.all(), [(version, agent, String::new())]);
    }
}

#[tokio::test]
async fn the_token_is_sent_and_shows_nowhere() {
    let (served, seen) = start(&Tls::of(&authority())).await;
    let config = with_token(served.config(), "s3cr3t");
    assert!(!format!("{config:?}").contains("s3cr3t"));
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
    assert_eq!(seen.all()[0].2, "Bearer s3cr3t");
}

#[tokio::test]
async fn a_server_of_another_authority_or_name_is_refused_before_anything_is_sent() {
    let (ours, theirs) = (authority(), authority());
    let other_authority = start(&Tls::of(&theirs)).await;
    let other_name = start(&Tls { name: "elsewhere.example", ..Tls::of(&ours) }).await;
    for (served, seen) in [&other_authority, &other_name] {
        let config = with_token(trusting(served, &ours), "s3cr3t");
        let error = Client::try_from(config).unwrap().apiserver_version().await.unwrap_err();
        assert!(matches!(error, Error::Service(_)) && error.kind() == ErrorKind::Untrusted, "{error:?}");
        let message = format!("{error:?}");
        assert!(!message.contains("s3cr3t"));
        assert_eq!(message.contains("certificate verify failed"), IS_OPENSSL, "who says it, by its words: {message}");
        assert!(seen.all().is_empty());
    }
}

#[tokio::test]
async fn another_name_or_any_certificate_is_accepted_only_where_the_config_says_so() {
    let (ours, theirs) = (authority(), authority());
    let (served, _) = start(&Tls { name: "elsewhere.example", ..Tls::of(&ours) }).await;
    let mut config = served.config();
    config.tls_server_name = Some("elsewhere.example".into());
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
    let mut config = trusting(&served, &theirs);
    config.accept_invalid_certs = true;
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
}

#[tokio::test]
async fn a_client_certificate_opens_a_server_that_asks_for_one() {
    let (authority, clients) = (authority(), authority());
    let (served, _) = start(&Tls { clients: Some(&clients), ..Tls::of(&authority) }).await;
    let anonymous = Client::try_from(served.config()).unwrap().apiserver_version().await.unwrap_err();
    assert_eq!(anonymous.kind(), ErrorKind::Untrusted, "{anonymous:?}");

    let (certificate, key) = leaf(&clients, "user");
    let mut config = served.config();
    config.auth_info.client_certificate_data = Some(base64(certificate.pem()));
    let without_key = Client::try_from(config.clone());
    assert!(matches!(without_key, Err(Error::RustlsTls(_))), "{without_key:?}");
    config.auth_info.client_key_data = Some(base64(key.serialize_pem()).into());
    Client::try_from(config).unwrap().apiserver_version().await.unwrap();
}

/// P13: other clients panic at their first connection where the process has no default provider, or two candidates.
#[tokio::test]
async fn the_crypto_is_the_clients_own_and_a_process_without_any_gets_it_too() {
    let (served, _) = start(&Tls::of(&authority())).await;
    Client::try_from(served.config()).unwrap().apiserver_version().await.unwrap();
    // Programs with TLS of their own rely on it, as kube leaves one behind.
    assert!(CryptoProvider::get_default().is_some());
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut config = Config::new(format!("http://{address}").parse().unwrap());
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
    assert_eq!(client.apiserver_version().await.unwrap_err().kind(), ErrorKind::Unreachable);
}

#[tokio::test(start_paused = true)]
async fn a_handshake_that_never_ends_is_given_up() {
    tick();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = Config::new(format!("https://{}", listener.local_addr().unwrap()).parse().unwrap());
    config.connect_timeout = Some(Duration::from_secs(2));
    config.default_retry = false;
    config.root_cert = Some(vec![authority().der().to_vec()]);
    let started = tokio::time::Instant::now();
    let error = Client::try_from(config).unwrap().apiserver_version().await.unwrap_err();
    assert!(error.kind() == ErrorKind::Unreachable && error.is_timeout(), "{error:?}");
    assert!(format!("{error:?}").contains("Tls"), "{error:?}");
    let waited = started.elapsed();
    assert!(waited >= Duration::from_secs(10) && waited < Duration::from_secs(20), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_file_of_authorities_is_read_again_after_a_minute_and_a_broken_one_changes_nothing() {
    tick();
    let (folder, old, new) = (Folder::new("authorities"), authority(), authority());
    let tls = Tls { protocols: &["http/1.1"], ..Tls::of(&new) };
    let served = Served::secured(&tls, |_| async {
        let mut answer = json(VERSION);
        // So that each call meets a handshake.
        answer.headers_mut().insert("connection", "close".parse().unwrap());
        answer
    });
    let mut config = served.await.config();
    config.root_cert_file = Some(folder.write("ca.crt", &old.pem()));
    let client = Client::try_from(config).unwrap();
    let ask = async || client.apiserver_version().await.map(|version| version.minor).map_err(|error| error.kind());
    assert_eq!(ask().await, Err(ErrorKind::Untrusted));
    folder.write("ca.crt", &new.pem());
    assert_eq!(ask().await, Err(ErrorKind::Untrusted), "it was read a moment ago");
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(ask().await.as_deref(), Ok("37"));
    folder.write("ca.crt", "no PEM");
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(ask().await.as_deref(), Ok("37"));
    folder.write("ca.crt", &old.pem());
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(ask().await, Err(ErrorKind::Untrusted), "what is no longer in the file is no longer trusted");
}

#[tokio::test]
async fn a_file_of_authorities_that_is_not_there_is_an_error_and_never_trust_in_others() {
    let folder = Folder::new("no-authorities");
    let mut config = Config::new("https://host".parse().unwrap());
    config.root_cert = Some(vec![authority().der().to_vec()]);
    config.root_cert_file = Some(folder.path("ca.crt").into());
    let error = Client::try_from(config).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Misuse, "{error:?}");
    assert!(format!("{error:?}").contains("ca.crt"), "the file is named: {error:?}");
}

#[tokio::test]
async fn a_root_certificate_that_is_none_is_named_when_the_client_is_built() {
    let mut config = Config::new("https://host".parse().unwrap());
    config.root_cert = Some(vec![vec![1, 2, 3]]);
    let error = Client::try_from(config).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Misuse, "{error:?}");
    // Which of the two says it depends on the features.
    let message = format!("{error:?}");
    assert!(message.starts_with("RustlsTls(AddRoot") || message.contains("DeserializeRootCertificate"), "{message}");
}
