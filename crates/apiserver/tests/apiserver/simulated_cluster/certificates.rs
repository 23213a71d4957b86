//! Certificates that are asked for, approved and signed by the authority of a served server.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_apiserver::Credential;
use pintle_core::certificate::Certificate;
use rcgen::{CertificateParams, DnType, KeyPair, PKCS_ECDSA_P256_SHA256, SanType};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use secrecy::SecretString;

use super::super::serving::{Who, loopback, whoami};
use super::*;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

const CLIENT: &str = "kubernetes.io/kube-apiserver-client";
const KUBELET: &str = "kubernetes.io/kube-apiserver-client-kubelet";
const SERVING: &str = "kubernetes.io/kubelet-serving";

/// Somebody who asks for a certificate.
struct Asker {
    key: KeyPair,
    pem: String,
}

impl Asker {
    fn new(name: &str, organization: &str, names: Vec<SanType>) -> Asker {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        if !organization.is_empty() {
            params.distinguished_name.push(DnType::OrganizationName, organization);
        }
        params.subject_alt_names = names;
        let pem = params.serialize_request(&key).unwrap().pem().unwrap();
        Asker { key, pem }
    }

    fn body(&self, name: &str, signer: &str, usages: &[&str]) -> Value {
        json!({
            "metadata": {"name": name},
            "spec": {"request": STANDARD.encode(&self.pem), "signerName": signer, "usages": usages},
        })
    }
}

impl World {
    async fn approve(&self, name: &str) {
        let path = format!("{REQUESTS}/{name}");
        let mut request = self.get(&path).await.expect(200);
        request["status"] = json!({"conditions": [{"type": "Approved", "status": "True", "reason": "Test"}]});
        self.put(&format!("{path}/approval"), &request).await.expect(200);
    }

    /// A request that was made and approved, as it is then.
    async fn approved(&self, body: Value) -> Value {
        let name = body["metadata"]["name"].as_str().unwrap().to_owned();
        self.post(REQUESTS, body).await.expect(201);
        self.approve(&name).await;
        self.get(&format!("{REQUESTS}/{name}")).await.expect(200)
    }
}

fn certificate(request: &Value) -> String {
    let text = request["status"]["certificate"].as_str().unwrap_or_else(|| panic!("it has none: {request}"));
    String::from_utf8(STANDARD.decode(text).unwrap()).unwrap()
}

#[tokio::test]
async fn a_request_that_is_approved_gets_a_certificate_that_opens_the_server() {
    let world = cluster();
    let asker = Asker::new("jane", "developers", Vec::new());
    let mut early = asker.body("early", CLIENT, &["client auth"]);
    early["spec"]["expirationSeconds"] = json!(600);
    let early = world.approved(early).await;
    assert!(early["status"].get("certificate").is_none(), "there is no authority before there is a socket: {early}");

    let serving = world.server.serve(loopback()).await.unwrap();
    let signed = world.get(&format!("{REQUESTS}/early")).await.expect(200);
    let pem = certificate(&signed);
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let (begin, end) = Certificate::read(&der).unwrap().validity().unwrap();
    assert_eq!(end.as_second() - begin.as_second(), 900, "ten minutes, and five for clocks that differ");

    let key_pem = SecretString::from(asker.key.serialize_pem());
    let credential = Credential::Certificate { certificate_pem: pem, key_pem };
    let user = whoami(&serving, Who::Certificate(&credential), "").await;
    assert_eq!(user["username"], "jane");
    assert_eq!(user["groups"], json!(["developers", "system:authenticated"]));

    world.post(REQUESTS, asker.body("late", CLIENT, &["client auth", "digital signature"])).await.expect(201);
    assert!(world.get(&format!("{REQUESTS}/late")).await.expect(200)["status"].get("certificate").is_none());
    world.approve("late").await;
    certificate(&world.get(&format!("{REQUESTS}/late")).await.expect(200));
    let accept = ("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    let shown = world.send("GET", &format!("{REQUESTS}/early"), &[accept], Vec::new()).await.expect(200);
    let cells = shown["rows"][0]["cells"].as_array().unwrap();
    assert_eq!(cells[2..], [json!(CLIENT), json!("kubernetes-admin"), json!("10m"), json!("Approved,Issued")]);
    let legacy = world.post(REQUESTS, asker.body("legacy", "kubernetes.io/legacy-unknown", &["client auth"])).await;
    assert!(legacy.message().ends_with("the legacy signerName is not allowed via this API version"), "{}", legacy.text);
    let others = world.approved(asker.body("others", "example.com/own", &["client auth"])).await;
    assert_eq!(others["status"]["conditions"].as_array().unwrap().len(), 1, "others sign what is theirs: {others}");
}

#[tokio::test]
async fn a_certificate_for_serving_has_its_names_and_is_not_a_client_s() {
    let world = cluster();
    let serving = world.server.serve(loopback()).await.unwrap();
    let names = vec![SanType::IpAddress("10.0.0.7".parse().unwrap()), SanType::DnsName("node-7".try_into().unwrap())];
    let asker = Asker::new("system:node:node-7", "system:nodes", names);
    let signed = world.approved(asker.body("node-7", SERVING, &["digital signature", "server auth"])).await;
    let pem = certificate(&signed);
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();

    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(serving.ca_pem().as_bytes()).unwrap()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let verifier = rustls::client::WebPkiServerVerifier::builder_with_provider(roots.into(), provider).build().unwrap();
    let is_for = |name: &str| {
        let name = rustls::pki_types::ServerName::try_from(name.to_owned()).unwrap();
        let now = rustls::pki_types::UnixTime::now();
        rustls::client::danger::ServerCertVerifier::verify_server_cert(&*verifier, &der, &[], &name, &[], now).is_ok()
    };
    assert!(is_for("node-7") && is_for("10.0.0.7") && !is_for("node-8"));
    let read = Certificate::read(&der).unwrap().names().unwrap();
    assert_eq!(read, ("system:node:node-7".to_owned(), vec!["system:nodes".to_owned()]));
}

/// A signer, the name and organization of who asks, their other names, what it is for, and why there is none.
type Refused<'a> = (&'a str, (&'a str, &'a str), Vec<SanType>, &'a [&'a str], &'a str);

#[tokio::test]
async fn what_a_signer_does_not_sign_says_why() {
    let world = cluster();
    let _serving = world.server.serve(loopback()).await.unwrap();
    let dns = || vec![SanType::DnsName("a".try_into().unwrap())];
    let mail = || vec![SanType::Rfc822Name("a@b.c".try_into().unwrap())];
    let node = ("system:node:n", "system:nodes");
    let (client, server) = (["digital signature", "client auth"], ["digital signature", "server auth"]);
    let cases: [Refused<'_>; 11] = [
        (
            CLIENT,
            ("jane", ""),
            vec![],
            &["client auth", "server auth"],
            "invalid usage for client certificate: server auth",
        ),
        (
            CLIENT,
            ("jane", ""),
            vec![],
            &["digital signature"],
            "missing required usage for client certificate: client auth",
        ),
        (KUBELET, (node.0, "x"), dns(), &client, "subject organization is not system:nodes"),
        (KUBELET, ("n", node.1), dns(), &client, "DNS subjectAltNames are not allowed"),
        (KUBELET, ("n", node.1), mail(), &client, "Email subjectAltNames are not allowed"),
        (KUBELET, ("n", node.1), vec![], &client, "subject common name does not begin with system:node:"),
        (
            KUBELET,
            node,
            vec![],
            &["client auth"],
            "usages did not match [client auth digital signature key encipherment]",
        ),
        (SERVING, node, vec![], &server, "DNS or IP subjectAltName is required"),
        (SERVING, node, [dns(), mail()].concat(), &server, "Email subjectAltNames are not allowed"),
        (
            SERVING,
            ("n", node.1),
            dns(),
            &client,
            "usages did not match [digital signature key encipherment server auth]",
        ),
        (SERVING, ("n", node.1), dns(), &server, "subject common name does not begin with system:node:"),
    ];
    for (at, (signer, (name, organization), names, usages, why)) in cases.into_iter().enumerate() {
        let asker = Asker::new(name, organization, names);
        let refused = world.approved(asker.body(&format!("case-{at}"), signer, usages)).await;
        assert_eq!(reason(&refused, "Failed"), "SignerValidationFailure", "{why}: {refused}");
        assert_eq!(refused["status"]["conditions"][1]["message"], why);
        assert!(refused["status"].get("certificate").is_none());
    }
}

#[tokio::test]
async fn a_fork_signs_nothing_that_opens_the_server_it_was_made_of() {
    let world = cluster();
    let _serving = world.server.serve(loopback()).await.unwrap();
    let fork = World { server: world.server.fork() };
    let asker = Asker::new("kubernetes-admin", "", Vec::new());
    let request = fork.approved(asker.body("r", CLIENT, &["client auth"])).await;
    assert!(request["status"].get("certificate").is_none(), "{request}");
}
