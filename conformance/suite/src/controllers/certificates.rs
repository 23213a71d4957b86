//! Certificates that are asked for, approved and signed.

use serde_json::{Value, json};

use super::pods::condition;
use crate::behaviour::behaviours;
use crate::place::Place;

behaviours! {
    "CertificateSigningRequest": a_request_that_is_approved_gets_a_certificate,
        a_request_that_is_not_approved_waits,
        a_request_that_its_signer_does_not_sign_says_why,
        a_request_for_another_signer_is_left_alone,
        a_kubelet_s_own_request_is_approved,
        a_request_for_a_kubelet_is_approved_for_who_may,
        a_request_whose_signature_is_wrong_is_refused;
}

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/// A request of `CN=jane`, signed with a key of P-256, as openssl writes it.
const JANE: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkpUeG5zYXVuUjJDcGcvRVc3TW9vT1dPUnhqS3VLZnZUODlqSkNFU3ZKeHR4c3BIZ2Z0ME9CQ2YwbkoyCmVnV3k0ZjB5enFjTWZNMDZxaHNWNzluQ3pUR2dBREFLQmdncWhrak9QUVFEQWdOSUFEQkZBaUFBeEdnUWhBOFYKUW1zaGxIcUY3ZWdFMG1hU3dMZWpYYVRvb3lRU0ZYWWl3Z0loQU9BYUFkRk5YZjlSUVBCUXdjb3J3NTNPZGNCYwoxNWlYRjIzMllnd29ZVUNECi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

/// One of `O=system:nodes, CN=system:node:suite`.
const NODE: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIdk1JR1ZBZ0VBTURNeEZUQVRCZ05WQkFvTURITjVjM1JsYlRwdWIyUmxjekVhTUJnR0ExVUVBd3dSYzNsegpkR1Z0T201dlpHVTZjM1ZwZEdVd1dUQVRCZ2NxaGtqT1BRSUJCZ2dxaGtqT1BRTUJCd05DQUFSejFaRmpLQWhoCncraitZaXdxVTdTc3VJUTlPUU1oTTdXQ011NnlJUTVGSnNIL1ZKcFlWai9FY0NuYWJDNnpyOWVWRmpHbzQ2U3oKWUp5WGhKU0lGcE40b0FBd0NnWUlLb1pJemowRUF3SURTUUF3UmdJaEFLSnd4UHI5R0VlZTJsNFEvQktDTUszOQpqOUVrdTRpQlQ4WmZGM1piT2M4QUFpRUE1NUN3STBmUnowMXJGdjVhSnl6eFVDUUlXS1U4WkZNaDIyU2hqWjZvCkFPRT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

/// One whose signature is another's.
const WRONG: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVU1IMENBUUF3R3pFTU1Bb0dBMVVFQ2d3RFpHVjJNUXN3Q1FZRFZRUUREQUpxYnpCWk1CTUdCeXFHU000OQpBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJIUFZrV01vQ0dIRDZQNWlMQ3BUdEt5NGhEMDVBeUV6dFlJeTdySWhEa1VtCndmOVVtbGhXUDhSd0tkcHNMck92MTVVV01hampwTE5nbkplRWxJZ1drM2lnQURBS0JnZ3Foa2pPUFFRREFnTkgKQURCRUFpQmxuUmFkdWxkVlRDSDZxQTJsMjd0ZzU4dW9WOHMwSy9JTk91N28yZytNY0FJZ0MyOE9jcFZBRzVxTAo1V0NWWFh1K1NjNmtyWmtxNDdkTFZXWVFjaE93YmlJPQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

async fn request(p: &Place, signer: &str, usages: &[&str]) -> String {
    let request = json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "{ns}"},
        "spec": {"request": JANE, "signerName": signer, "usages": usages, "expirationSeconds": 3600},
    });
    p.create(REQUESTS, request).await;
    let path = format!("{REQUESTS}/{{ns}}");
    p.remove_later(&path);
    path
}

async fn approve(p: &Place, path: &str) {
    let approved = json!({"type": "Approved", "status": "True", "reason": "Suite", "message": "it may have one"});
    let mut request = p.get(path).await.value(200);
    request["status"] = json!({"conditions": [approved]});
    p.put(&format!("{path}/approval"), request).await.value(200);
}

fn certificate(request: &Value) -> String {
    let text = request["status"]["certificate"].as_str().unwrap_or_default();
    let pem = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, text).unwrap_or_default();
    String::from_utf8_lossy(&pem).into_owned()
}

const CLIENT: &str = "kubernetes.io/kube-apiserver-client";

async fn a_request_that_is_approved_gets_a_certificate(p: &Place) {
    let path = request(p, CLIENT, &["client auth", "digital signature"]).await;
    approve(p, &path).await;
    let signed = p.becomes("it has a certificate", &path, |request| !certificate(request).is_empty()).await;
    assert!(certificate(&signed).starts_with("-----BEGIN CERTIFICATE-----\n"), "{}", certificate(&signed));
    assert!(certificate(&signed).ends_with("-----END CERTIFICATE-----\n"));
    assert_eq!(signed["status"]["conditions"].as_array().map(Vec::len), Some(1));
}

async fn a_request_that_is_not_approved_waits(p: &Place) {
    let path = request(p, CLIENT, &["client auth"]).await;
    let denied = json!({"type": "Denied", "status": "True", "reason": "Suite", "message": "not today"});
    let mut request = p.get(&path).await.value(200);
    assert_eq!(request["status"], json!({}));
    request["status"] = json!({"conditions": [denied]});
    p.put(&format!("{path}/approval"), request).await.value(200);
    // Others are signed meanwhile; this one is not.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(p.get(&path).await.value(200)["status"].get("certificate").is_none());
}

async fn a_request_that_its_signer_does_not_sign_says_why(p: &Place) {
    let path = request(p, "kubernetes.io/kubelet-serving", &["server auth", "digital signature"]).await;
    approve(p, &path).await;
    let failed = p.becomes("it has failed", &path, |request| condition(request, "Failed").0 == "True").await;
    assert_eq!(
        condition(&failed, "Failed"),
        ("True", "SignerValidationFailure", "subject organization is not system:nodes")
    );
    assert!(failed["status"].get("certificate").is_none());
}

async fn a_request_for_another_signer_is_left_alone(p: &Place) {
    let path = request(p, "example.com/own", &["client auth"]).await;
    approve(p, &path).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let left = p.get(&path).await.value(200);
    assert_eq!(left["status"]["conditions"].as_array().map(Vec::len), Some(1));
}

/// Asks for a kubelet's client certificate, as this user.
async fn ask_for_node(p: &Place, user: &str, group: &str) -> crate::answer::Answer {
    let request = json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "{ns}"},
        "spec": {
            "request": NODE, "signerName": "kubernetes.io/kube-apiserver-client-kubelet",
            "usages": ["digital signature", "client auth"],
        },
    });
    let ask = p.ask("POST", REQUESTS).header("Impersonate-User", user).header("Impersonate-Group", group);
    let answer = ask.json(&request).send().await;
    p.remove_later(&format!("{REQUESTS}/{{ns}}"));
    answer
}

async fn becomes_approved(p: &Place) -> Value {
    let path = format!("{REQUESTS}/{{ns}}");
    p.becomes("it is approved", &path, |request| condition(request, "Approved").0 == "True").await
}

async fn a_kubelet_s_own_request_is_approved(p: &Place) {
    ask_for_node(p, "system:node:suite", "system:masters").await.value(201);
    let message = "Auto approving self kubelet client certificate after SubjectAccessReview.";
    assert_eq!(condition(&becomes_approved(p).await, "Approved"), ("True", "AutoApproved", message));
}

async fn a_request_for_a_kubelet_is_approved_for_who_may(p: &Place) {
    let requests = json!({
        "apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests"], "verbs": ["create"],
    });
    let mut role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "{ns}"},
        "rules": [requests],
    });
    p.create(&format!("{RBAC}/clusterroles"), role.clone()).await;
    p.remove_later(&format!("{RBAC}/clusterroles/{{ns}}"));
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "{ns}"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "{ns}"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "{ns}"}],
    });
    p.create(&format!("{RBAC}/clusterrolebindings"), binding).await;
    p.remove_later(&format!("{RBAC}/clusterrolebindings/{{ns}}"));
    // Roles come into effect in the server's own time.
    let (group, mut tries) = (p.named("{ns}"), 0);
    while ask_for_node(p, "kim", &group).await.code != 201 {
        tries += 1;
        assert!(tries < 100, "kim may never ask");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let waiting = p.get(&format!("{REQUESTS}/{{ns}}")).await.value(200);
    assert_eq!(waiting["status"], json!({}), "she may ask, and not have it");
    role["rules"][0]["resources"] = json!(["certificatesigningrequests", "certificatesigningrequests/nodeclient"]);
    p.put(&format!("{RBAC}/clusterroles/{{ns}}"), role).await.value(200);
    let message = "Auto approving kubelet client certificate after SubjectAccessReview.";
    assert_eq!(condition(&becomes_approved(p).await, "Approved"), ("True", "AutoApproved", message));
}

async fn a_request_whose_signature_is_wrong_is_refused(p: &Place) {
    let request = json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "{ns}"},
        "spec": {"request": WRONG, "signerName": CLIENT, "usages": ["client auth"]},
    });
    let refused = p.post(REQUESTS, request).await.value(422);
    let cause = &refused["details"]["causes"][0];
    assert_eq!(cause["field"], "spec.request");
    let message = cause["message"].as_str().unwrap_or_default();
    assert!(message.ends_with("x509: ECDSA verification failure"), "{message}");
}

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
