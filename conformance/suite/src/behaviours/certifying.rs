//! Requests for certificates: what may be asked for, and how it is answered.

use serde_json::{Value, json};

use crate::behaviour::behaviours;
use crate::place::Place;

behaviours! {
    "1.10": a_request_for_a_certificate_is_checked,
        a_request_of_a_pod_for_a_certificate_is_checked,
        a_request_of_a_pod_is_answered_once;
}

/// An empty request that openssl made with a key on curve P-256.
const REQUEST: &str = "MIG6MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABH6bwFFtpAQO5Xu04OLfErgJwu3O6O6RrQPk86gM0UoetSA1lS91lOL9/phrCjgDpoxi0xuq+3o9Ybri/QSNSomgADAKBggqhkjOPQQDAgNIADBFAiEApsSEcJn7vabKVN+Z19UzFmsBwILYvCQR71cc9BbElUUCIBRRwm2d+t4fOkr12QQoDmc/rKgWx9NjkAl0a5y0OVsm";

const PODS_REQUESTS: &str = "/apis/certificates.k8s.io/v1/namespaces/{ns}/podcertificaterequests";

async fn a_request_for_a_certificate_is_checked(p: &Place) {
    let body = json!({"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
        "metadata": {"name": "{ns}"}, "spec": {"request": "aGVsbG8=", "signerName": "example/a",
            "usages": ["client auth", "nonsense", "client auth"], "expirationSeconds": 5}});
    let answer = p.post("/apis/certificates.k8s.io/v1/certificatesigningrequests", body).await;
    for part in [
        "spec.request: Invalid value: \"aGVsbG8=\": PEM block type must be CERTIFICATE REQUEST",
        "spec.usages[1]: Unsupported value: \"nonsense\": supported values: \"any\", \"cert sign\"",
        "spec.usages[2]: Duplicate value: \"client auth\"",
        "spec.signerName: Invalid value: \"example\": should be a domain with at least two segments separated by dots",
        "spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)",
    ] {
        answer.refused_with(422, "Invalid", part);
    }
}

fn request(change: impl FnOnce(&mut Value)) -> Value {
    let mut spec = json!({"signerName": "example.com/a", "podName": "p", "podUID": "1", "serviceAccountName": "default",
        "serviceAccountUID": "2", "nodeName": "n", "nodeUID": "3", "stubPKCS10Request": REQUEST});
    change(&mut spec);
    json!({"apiVersion": "certificates.k8s.io/v1", "kind": "PodCertificateRequest", "metadata": {"name": "a"},
        "spec": spec})
}

async fn a_request_of_a_pod_for_a_certificate_is_checked(p: &Place) {
    let answer = p
        .post(
            PODS_REQUESTS,
            request(|spec| {
                spec["signerName"] = "x".into();
                spec["podName"] = "A".into();
                spec["podUID"] = "".into();
                spec["maxExpirationSeconds"] = 5.into();
                spec["unverifiedUserAnnotations"] = json!({"a": "b"});
                spec["stubPKCS10Request"] = "aGVsbG8=".into();
            }),
        )
        .await;
    for part in [
        "spec.signerName: Invalid value: \"x\": must be a fully qualified domain and path of the form \
         'example.com/signer-name'",
        "spec.unverifiedUserAnnotations: Invalid value: \"a\": must be a domain-prefixed key (such as \"acme.io/foo\")",
        "spec.podName: Invalid value: \"A\": a lowercase RFC 1123 subdomain",
        "spec.podUID: Invalid value: \"\": must not be empty",
        "spec.maxExpirationSeconds: Invalid value: 5: must be in the range [3600, 7862400]",
        "spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR",
    ] {
        answer.refused_with(422, "Invalid", part);
    }
}

async fn a_request_of_a_pod_is_answered_once(p: &Place) {
    let made = p.create(PODS_REQUESTS, request(|_| ())).await;
    assert_eq!(made["spec"]["maxExpirationSeconds"], 86_400);
    let path = format!("{PODS_REQUESTS}/a");
    let answer = |kind: &str, status: &str| {
        json!({"status": {"conditions": [{"type": kind, "status": status, "reason": "R", "message": "m",
            "lastTransitionTime": "2024-01-01T00:00:00Z"}]}})
    };
    let refused = p.merge(&path, json!({"spec": {"podName": "q"}})).await;
    refused.refused_with(422, "Invalid", "field is immutable");
    let status = format!("{path}/status");
    let refused = p.merge(&status, answer("Approved", "True")).await;
    refused.refused_with(
        422,
        "Invalid",
        "Unsupported value: \"Approved\": supported values: \"Issued\", \"Denied\", \"Failed\"",
    );
    let refused = p.merge(&status, answer("Issued", "True")).await;
    refused.refused_with(422, "Invalid", "issued certificate chain must contain at least one certificate");
    p.merge(&status, answer("Denied", "True")).await.value(200);
    let refused = p.merge(&status, answer("Failed", "True")).await;
    let why = "status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed";
    refused.refused_with(422, "Invalid", why);
}
