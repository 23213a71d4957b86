//! Parts of objects: what each method prints and what it makes of the answer.

use either::Either;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::{Node, Pod, ServiceAccount};
use pintle_client::api::{
    Api, DeleteParams, EvictParams, GetParams, ListParams, LogParams, Patch, PatchParams, PostParams,
};
use pintle_client::{Client, Error};
use pintle_core::subresource::Scale;
use serde_json::json;

use crate::scripted::{Answer, Asked, client};

/// What a built-in kind is asked for as.
const EITHER: &str = "[application/vnd.kubernetes.protobuf,application/json]";
const MERGE: &str = "[application/merge-patch+json]";
const POD: &str = "/api/v1/namespaces/ns/pods/n";
const SCALE: &str = "/apis/apps/v1/namespaces/ns/deployments/n/scale";

/// A client that is answered with an empty object, which every kind here can be read from.
fn answered() -> (Client, Asked) {
    client(Answer::json(r#"{"metadata":{"name":"n"},"spec":{"replicas":3}}"#))
}

#[tokio::test]
async fn the_scale_is_read_and_written() {
    let (client, asked) = answered();
    let deployments: Api<Deployment> = Api::namespaced(client, "ns");
    let scale = deployments.get_scale("n").await.unwrap();
    assert_eq!(scale.spec.unwrap().replicas, Some(3));
    let patch = json!({"spec": {"replicas": 1}});
    deployments.patch_scale("n", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    deployments.replace_scale("n", &PostParams::default(), &Scale::default()).await.unwrap();
    let put = serde_json::to_string(&Scale::default()).unwrap();
    assert_eq!(
        asked.take(),
        [
            format!("GET {SCALE} [] [] "),
            format!("PATCH {SCALE}? [application/json] {MERGE} {patch}"),
            format!("PUT {SCALE}? [] [application/json] {put}"),
        ]
    );
}

#[tokio::test]
async fn parts_are_reached_by_their_name() {
    let (client, asked) = answered();
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let (post, patch, body) = (PostParams::default(), PatchParams::default(), json!({"a": 1}));
    pods.get_subresource("status", "n").await.unwrap();
    let bound: serde_json::Value = pods.create_subresource("binding", "n", &post, &body).await.unwrap();
    assert_eq!(bound["metadata"]["name"], "n");
    pods.patch_subresource("status", "n", &patch, &Patch::Merge(&body)).await.unwrap();
    pods.replace_subresource("status", "n", &post, &body).await.unwrap();
    assert_eq!(
        asked.take(),
        [
            format!("GET {POD}/status {EITHER} [] "),
            format!("POST {POD}/binding? [] [application/json] {body}"),
            format!("PATCH {POD}/status? {EITHER} {MERGE} {body}"),
            format!("PUT {POD}/status? {EITHER} [application/json] {body}"),
        ]
    );
}

#[tokio::test]
async fn running_pods_take_containers_and_resources() {
    let (client, asked) = answered();
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let (pod, body, patch) = (Pod::default(), json!({"a": 1}), PatchParams::default());
    let put = serde_json::to_string(&pod).unwrap();
    pods.get_ephemeral_containers("n").await.unwrap();
    pods.patch_ephemeral_containers("n", &patch, &Patch::Merge(&body)).await.unwrap();
    pods.replace_ephemeral_containers("n", &PostParams::default(), &pod).await.unwrap();
    pods.get_resize("n").await.unwrap();
    pods.patch_resize("n", &patch, &Patch::Merge(&body)).await.unwrap();
    pods.replace_resize("n", &PostParams::default(), &pod).await.unwrap();
    let expected: Vec<_> = ["ephemeralcontainers", "resize"]
        .into_iter()
        .flat_map(|part| {
            [
                format!("GET {POD}/{part} {EITHER} [] "),
                format!("PATCH {POD}/{part}? {EITHER} {MERGE} {body}"),
                format!("PUT {POD}/{part}? {EITHER} [application/json] {put}"),
            ]
        })
        .collect();
    assert_eq!(asked.take(), expected);
}

#[tokio::test]
async fn logs_are_text() {
    let (client, asked) = client(Answer::json("one\ntwo\n").content_type(Some("text/plain")));
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let params = LogParams { tail_lines: Some(2), ..LogParams::default() };
    assert_eq!(pods.logs("n", &params).await.unwrap(), "one\ntwo\n");
    assert_eq!(asked.take(), [format!("GET {POD}/log?&tailLines=2 [] [] ")]);
    let refused = pods.logs("a/b", &params).await.unwrap_err();
    assert!(matches!(refused, Error::BuildRequest(_)), "{refused:?}");
    assert_eq!(asked.take(), [""; 0]);
}

#[tokio::test]
async fn an_eviction_is_answered_with_a_status() {
    let (client, asked) = client(Answer::json(r#"{"kind":"Status","status":"Success"}"#).code(201));
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    assert!(pods.evict("n", &EvictParams::default()).await.unwrap().is_success());
    let body = r#"{"metadata":{"name":"n"}}"#;
    assert_eq!(asked.take(), [format!("POST {POD}/eviction? [] [application/json] {body}")]);
}

#[tokio::test]
async fn small_changes_are_one_call() {
    let (client, asked) = answered();
    Api::<Node>::all(client.clone()).cordon("n").await.unwrap();
    Api::<Node>::all(client.clone()).uncordon("n").await.unwrap();
    let strategic = format!("{EITHER} [application/strategic-merge-patch+json]");
    assert_eq!(
        asked.take(),
        [
            format!(r#"PATCH /api/v1/nodes/n? {strategic} {{"spec":{{"unschedulable":true}}}}"#),
            format!(r#"PATCH /api/v1/nodes/n? {strategic} {{"spec":{{"unschedulable":false}}}}"#),
        ]
    );
    let selector = json!({"metadata": {"name": "n"}, "spec": {"selector": {}, "template": {}}});
    let (client, asked) = crate::scripted::client(Answer::json(&selector.to_string()));
    Api::<Deployment>::namespaced(client, "ns").restart("n").await.unwrap();
    let asked = asked.take().concat();
    assert!(asked.starts_with("PATCH /apis/apps/v1/namespaces/ns/deployments/n? "), "{asked}");
    assert!(asked.contains("restartedAt"), "{asked}");
}

#[tokio::test]
async fn tokens_and_approvals_are_parts_too() {
    let (client, asked) = client(Answer::json(
        r#"{"metadata":{"name":"n"},"spec":{"audiences":[],"request":"","signerName":"s"},"status":{"token":"t","expirationTimestamp":"2024-01-02T03:04:05Z"}}"#,
    ));
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "ns");
    let wanted = TokenRequest::default();
    let got = accounts.create_token_request("n", &PostParams::default(), &wanted).await.unwrap();
    assert_eq!(got.status.unwrap().token.as_deref(), Some("t"));
    let body = serde_json::to_string(&wanted).unwrap();
    let url = "/api/v1/namespaces/ns/serviceaccounts/n/token?";
    assert_eq!(asked.take(), [format!("POST {url} [] [application/json] {body}")]);
}

#[tokio::test]
async fn signing_requests_are_approved_by_a_patch() {
    let (client, asked) = client(Answer::json(r#"{"metadata":{"name":"n"},"spec":{"request":"","signerName":"s"}}"#));
    let requests: Api<CertificateSigningRequest> = Api::all(client);
    let (url, body) = ("/apis/certificates.k8s.io/v1/certificatesigningrequests/n/approval", json!({"a": 1}));
    requests.get_approval("n").await.unwrap();
    requests.patch_approval("n", &PatchParams::default(), &Patch::Merge(&body)).await.unwrap();
    assert_eq!(asked.take(), [format!("GET {url} {EITHER} [] "), format!("PATCH {url}? {EITHER} {MERGE} {body}")]);
}

#[tokio::test]
async fn a_collection_is_deleted_in_one_call() {
    let (going, asked) =
        client(Answer::json(r#"{"kind":"PodList","metadata":{},"items":[{"metadata":{"name":"n"}}]}"#));
    let pods: Api<Pod> = Api::namespaced(going, "ns");
    let list = ListParams::default().labels("a=b");
    let left = pods.delete_collection(&DeleteParams::default(), &list).await.unwrap();
    assert!(matches!(left, Either::Left(list) if list.items.len() == 1));
    let url = "DELETE /api/v1/namespaces/ns/pods?&labelSelector=a%3Db [] [application/json] ";
    assert_eq!(asked.take(), [url]);
    let (gone, _) = client(Answer::json(r#"{"kind":"Status","status":"Success"}"#));
    let pods: Api<Pod> = Api::namespaced(gone, "ns");
    let right = pods.delete_collection(&DeleteParams::background(), &list).await.unwrap();
    assert!(matches!(right, Either::Right(status) if status.is_success()));
}

#[tokio::test]
async fn metadata_is_read_as_new_as_asked() {
    let (client, asked) = answered();
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    pods.get_metadata_with("n", &GetParams::at("5")).await.unwrap();
    assert!(pods.get_metadata_opt_with("n", &GetParams::any()).await.unwrap().is_some());
    let form = "[application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1] [application/json] ";
    assert_eq!(
        asked.take(),
        [format!("GET {POD}?&resourceVersion=5 {form}"), format!("GET {POD}?&resourceVersion=0 {form}")]
    );
}
