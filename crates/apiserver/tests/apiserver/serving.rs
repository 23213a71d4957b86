//! The server on a socket.

use std::net::SocketAddr;
use std::sync::Arc;

use super::world::World;
use pintle_apiserver::{Credential, ServeError, ServeOptions, Server, Serving};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// The credential of a connection's client.
pub(super) enum Who<'a> {
    Token(&'a str),
    Certificate(&'a Credential),
}

async fn get(serving: &Serving, path: &str, token: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n");
    exchange(serving, &request, "", Who::Token(token)).await
}

/// Sends a request whose headers still lack what says who it is from.
async fn exchange(serving: &Serving, request: &str, body: &str, who: Who<'_>) -> String {
    let stream = TcpStream::connect(serving.local_addr()).await.unwrap();
    let name = ServerName::from(serving.local_addr().ip());
    let connector = TlsConnector::from(Arc::new(trusting(serving, &who)));
    let mut stream = connector.connect(name, stream).await.unwrap();
    let authorization = match who {
        Who::Token(token) => format!("authorization: Bearer {token}\r\n"),
        Who::Certificate(_) => String::new(),
    };
    let request = format!("{request}{authorization}content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

fn trusting(serving: &Serving, who: &Who<'_>) -> rustls::ClientConfig {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(serving.ca_pem().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    match who {
        Who::Certificate(Credential::Certificate { certificate_pem, key_pem }) => {
            let certificate = CertificateDer::from_pem_slice(certificate_pem.as_bytes()).unwrap();
            let key = PrivateKeyDer::from_pem_slice(key_pem.expose_secret().as_bytes()).unwrap();
            builder.with_client_auth_cert(vec![certificate], key).unwrap()
        }
        _ => builder.with_no_client_auth(),
    }
}

/// Who the server says one is, acting as another if the headers say so.
pub(super) async fn whoami(serving: &Serving, who: Who<'_>, headers: &str) -> Value {
    let request = format!(
        "POST /apis/authentication.k8s.io/v1/selfsubjectreviews HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/json\r\n{headers}"
    );
    let body = r#"{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}"#;
    let text = exchange(serving, &request, body, who).await;
    assert!(text.starts_with("HTTP/1.1 201"), "{text}");
    let review: Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
    review["status"]["userInfo"].clone()
}

pub(super) fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

#[tokio::test]
async fn only_the_token_opens_and_health_is_open() {
    let serving = Server::new().serve(loopback()).await.unwrap();
    let token = serving.token().expose_secret().to_owned();
    assert!(get(&serving, "/api/v1/namespaces", &token).await.starts_with("HTTP/1.1 200"));
    let refused = get(&serving, "/api/v1/namespaces", "guess").await;
    assert!(refused.starts_with("HTTP/1.1 401") && refused.contains("\"reason\":\"Unauthorized\""), "{refused}");
    let stranger = get(&serving, "/api/v1/namespaces/n/configmaps/a", "").await;
    let sentence = r#"configmaps \"a\" is forbidden: User \"system:anonymous\" cannot get resource \"configmaps\" in API group \"\" in the namespace \"n\""#;
    assert!(stranger.starts_with("HTTP/1.1 403") && stranger.contains(sentence), "{stranger}");
    let sentence = r#"forbidden: User \"system:anonymous\" cannot get path \"/apis\""#;
    assert!(get(&serving, "/apis", "").await.contains(sentence));
    assert!(get(&serving, "/healthz", "").await.ends_with("ok"));
    assert!(!format!("{serving:?}").contains(&token));
    serving.shutdown().await;
}

#[tokio::test]
async fn addresses_that_others_could_reach_are_refused() {
    let error = Server::new().serve("0.0.0.0:0".parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, ServeError::NotLoopback(_)));
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn the_kubeconfig_names_the_server_and_is_private() {
    let serving = Server::new().serve(loopback()).await.unwrap();
    let text = serving.kubeconfig();
    for part in [
        format!("server: https://{}", serving.local_addr()),
        "current-context: pintle".to_owned(),
        "namespace: default".to_owned(),
    ] {
        assert!(text.contains(&part), "{part}");
    }
    let folder = std::env::temp_dir().join(format!("pintle-apiserver-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("kubeconfig");
    serving.write_kubeconfig(&path).unwrap();
    serving.write_kubeconfig(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no draft is left behind");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_client_is_the_user_that_its_credential_names() {
    let serving = Server::new().serve(loopback()).await.unwrap();
    let administrator = whoami(&serving, Who::Token(serving.token().expose_secret()), "").await;
    assert_eq!(
        administrator,
        json!({"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]})
    );

    let Credential::Token(token) = serving.token_for("jane", &["dev"]) else { panic!("it is a token") };
    let jane = json!({"username": "jane", "groups": ["dev", "system:authenticated"]});
    assert_eq!(whoami(&serving, Who::Token(token.expose_secret()), "").await, jane);

    let certificate = serving.certificate_for("joe", &["ops", "dev"]).unwrap();
    let joe = json!({"username": "joe", "groups": ["ops", "dev", "system:authenticated"]});
    assert_eq!(whoami(&serving, Who::Certificate(&certificate), "").await, joe);
    assert!(!format!("{certificate:?}").contains("BEGIN"), "no key is in what is logged");

    let other = "impersonate-user: ann\r\nimpersonate-group: qa\r\n";
    let ann = json!({"username": "ann", "groups": ["qa", "system:authenticated"]});
    assert_eq!(whoami(&serving, Who::Certificate(&certificate), other).await, ann);
}

/// What envtest gives to kube-apiserver: a certificate to show, an authority of users, and tokens.
#[tokio::test]
async fn certificates_and_tokens_that_were_made_elsewhere_are_known() {
    let elsewhere = Server::new().serve(loopback()).await.unwrap();
    let ann = elsewhere.certificate_for("ann", &["ops"]).unwrap();
    let key = rcgen::KeyPair::generate().unwrap();
    let shown = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap().self_signed(&key).unwrap();
    let options = ServeOptions::new()
        .certificate(&shown.pem(), &key.serialize_pem())
        .unwrap()
        .client_authority(elsewhere.ca_pem())
        .unwrap()
        .token("s3cret".into(), "robot", "42", &["machines"]);
    let serving = Server::new().serve_with(loopback(), options).await.unwrap();
    assert_eq!(serving.ca_pem(), shown.pem());

    let ann = whoami(&serving, Who::Certificate(&ann), "").await;
    assert_eq!((&ann["username"], &ann["groups"]), (&json!("ann"), &json!(["ops", "system:authenticated"])));
    let id = ann["extra"]["authentication.kubernetes.io/credential-id"][0].as_str().unwrap();
    assert!(id.starts_with("X509SHA256=") && id.len() == 75, "{id}");
    let robot = json!({"username": "robot", "uid": "42", "groups": ["machines", "system:authenticated"]});
    assert_eq!(whoami(&serving, Who::Token("s3cret"), "").await, robot);
    let own = whoami(&serving, Who::Token(serving.token().expose_secret()), "").await;
    assert_eq!(own["username"], "kubernetes-admin");
}

#[tokio::test]
async fn requests_without_credentials_are_refused_where_nobody_may_be_anonymous() {
    let serving = Server::new().serve_with(loopback(), ServeOptions::new().anonymous(false)).await.unwrap();
    assert!(get(&serving, "/healthz", "").await.starts_with("HTTP/1.1 401"));
    assert!(get(&serving, "/healthz", serving.token().expose_secret()).await.starts_with("HTTP/1.1 200"));
    let wrong = ServeOptions::new().certificate("garbage", "garbage").unwrap_err().to_string();
    assert!(wrong.contains("there is no certificate in it"), "{wrong}");
    let wrong = ServeOptions::new().certificate(serving.ca_pem(), "garbage").unwrap_err().to_string();
    assert!(wrong.contains("the private key of the serving certificate is not PEM"), "{wrong}");
}

#[tokio::test]
async fn the_token_of_a_service_account_opens_until_the_account_is_gone() {
    let world = World::new();
    let serving = world.server.serve(loopback()).await.unwrap();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    let account = world.post(accounts, json!({"metadata": {"name": "robot"}})).await.expect(201);
    let request = |audiences: Value| json!({"spec": {"audiences": audiences}});
    let issued = world.post(&format!("{accounts}/robot/token"), request(json!([]))).await.expect(201);
    let token = issued["status"]["token"].as_str().unwrap().to_owned();
    let robot = whoami(&serving, Who::Token(&token), "").await;
    assert_eq!(robot["username"], "system:serviceaccount:default:robot");
    assert_eq!(robot["uid"], account["metadata"]["uid"]);
    assert_eq!(
        robot["groups"],
        json!(["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"])
    );

    let elsewhere = world.post(&format!("{accounts}/robot/token"), request(json!(["vault"]))).await.expect(201);
    let elsewhere = elsewhere["status"]["token"].as_str().unwrap();
    assert!(get(&serving, "/api", elsewhere).await.starts_with("HTTP/1.1 401"), "the token is for another audience");

    world.delete(&format!("{accounts}/robot")).await.expect(200);
    assert!(get(&serving, "/api", &token).await.starts_with("HTTP/1.1 401"), "the account of the token is gone");
}

#[tokio::test]
async fn over_a_socket_with_rbac_roles_decide_and_strangers_see_what_is_public() {
    let server = Server::builder().rbac().build();
    let serving = server.serve(loopback()).await.unwrap();
    let administrator = serving.token().expose_secret().to_owned();
    let Credential::Token(jane) = serving.token_for("jane", &[]) else { panic!("it is a token") };
    let robot = serving.certificate_for("system:serviceaccount:default:robot", &[]).unwrap();
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n");
    assert!(get(&serving, "/api/v1/nodes", &administrator).await.starts_with("HTTP/1.1 200"));
    assert!(get(&serving, "/api/v1/nodes", jane.expose_secret()).await.starts_with("HTTP/1.1 403"));
    assert!(get(&serving, "/apis", jane.expose_secret()).await.starts_with("HTTP/1.1 200"));
    let refused = exchange(&serving, &request("/api/v1/nodes"), "", Who::Certificate(&robot)).await;
    assert!(refused.contains(r#"User \"system:serviceaccount:default:robot\" cannot list"#), "{refused}");
    for (path, code) in [("/healthz", 200), ("/version", 200), ("/apis", 403), ("/api/v1/nodes", 403)] {
        let answer = get(&serving, path, "").await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {code}")), "{path}: {answer}");
    }
    let pretending = format!(
        "{}impersonate-user: kubernetes-admin\r\nimpersonate-group: system:masters\r\n",
        request("/api/v1/nodes")
    );
    let refused = exchange(&serving, &pretending, "", Who::Token(jane.expose_secret())).await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    let refused = exchange(&serving, &pretending, "", Who::Token("")).await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    serving.shutdown().await;
}

#[tokio::test]
async fn a_credential_of_one_server_opens_no_other() {
    let (mine, other) = (Server::new(), Server::new());
    let (mine, other) = (mine.serve(loopback()).await.unwrap(), other.serve(loopback()).await.unwrap());
    let token = mine.token().expose_secret();
    assert!(get(&mine, "/api", token).await.starts_with("HTTP/1.1 200"));
    assert!(get(&other, "/api", token).await.starts_with("HTTP/1.1 401"));
}

#[tokio::test]
async fn plain_http_asks_for_the_token_too() {
    let serving = Server::new().serve_http(loopback()).await.unwrap();
    assert!(serving.kubeconfig().contains(&format!("server: http://{}\n", serving.local_addr())));
    let token = serving.token().expose_secret();
    for (token, answer) in [(token, "HTTP/1.1 200"), ("guess", "HTTP/1.1 401")] {
        let mut stream = TcpStream::connect(serving.local_addr()).await.unwrap();
        let request =
            format!("GET /api HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert!(text.starts_with(answer), "{text}");
    }
}

#[tokio::test]
async fn the_kubeconfig_of_a_certificate_holds_it_and_no_token() {
    let serving = Server::new().serve(loopback()).await.unwrap();
    let certificate = serving.certificate_for("joe", &[]).unwrap();
    let text = serving.kubeconfig_with(&certificate);
    assert!(text.contains("client-certificate-data: ") && text.contains("client-key-data: "), "{text}");
    assert!(!text.contains("token"), "{text}");
}

#[tokio::test]
async fn every_namespace_has_the_certificate_authority_which_comes_back_and_default_the_service_kubernetes() {
    let server = Server::new();
    let serving = server.serve(loopback()).await.unwrap();
    let world = World { server };
    world.post("/api/v1/namespaces", json!({"metadata": {"name": "later"}})).await.expect(201);
    for namespace in ["default", "kube-system", "later"] {
        let path = format!("/api/v1/namespaces/{namespace}/configmaps/kube-root-ca.crt");
        assert_eq!(world.get(&path).await.expect(200)["data"], json!({"ca.crt": serving.ca_pem()}));
        world.merge(&path, json!({"data": {"ca.crt": "forged"}})).await.expect(200);
        assert_eq!(world.get(&path).await.expect(200)["data"]["ca.crt"], serving.ca_pem(), "it is put right");
        world.delete(&path).await.expect(200);
        assert_eq!(world.get(&path).await.expect(200)["data"]["ca.crt"], serving.ca_pem(), "it comes back");
    }
    let service = world.get("/api/v1/namespaces/default/services/kubernetes").await.expect(200);
    let port = json!([{"name": "https", "port": 443, "protocol": "TCP", "targetPort": serving.local_addr().port()}]);
    assert_eq!((&service["spec"]["ports"], &service["spec"]["type"]), (&port, &json!("ClusterIP")));
    assert_eq!(service["metadata"]["labels"], json!({"component": "apiserver", "provider": "kubernetes"}));
    world.delete("/api/v1/namespaces/default/services/kubernetes").await.expect(200);
    world.get("/api/v1/namespaces/default/services/kubernetes").await.expect(200);
    serving.shutdown().await;
}
