//! Parts of objects, the small changes that are one call, and what a server is asked about itself: each request as it
//! leaves the client, and what is made of the answer.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::autoscaling::v1::Scale;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::{Node, Pod, ServiceAccount};
use kube::api::{
    Api, DeleteParams, GetParams, ListParams, LogParams, Patch, PatchParams, PostParams, ScaleSpec,
};
use kube::client::Body;
use kube::config::{Config, InferConfigError, KubeConfigOptions, Kubeconfig};
use kube::{Client, Error, ResourceExt};
use serde_json::{Value, json};

/// Prints each request without what differs each time, and answers with what every kind here can be read from.
fn client() -> Client {
    Client::new(
        tower::service_fn(|request: Request<Body>| async move {
            let (head, body) = request.into_parts();
            let body = String::from_utf8(body.collect_bytes().await?.to_vec())?;
            let content_type = head.headers.get("content-type").map_or("", |it| it.to_str().unwrap());
            println!("{} {} [{content_type}] {}", head.method, head.uri, without_times(&body));
            let answer = answer(head.uri.path());
            Ok::<_, tower::BoxError>(Response::new(Full::new(Bytes::from(answer.to_string()))))
        }),
        "here",
    )
}

fn without_times(body: &str) -> String {
    let Some((before, rest)) = body.split_once("restartedAt\":\"") else { return body.to_owned() };
    let (_, after) = rest.split_once('"').unwrap();
    format!("{before}restartedAt\":\"now\"{after}")
}

fn answer(path: &str) -> Value {
    let resources =
        json!([{"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod", "verbs": ["get"]}]);
    match path {
        "/version" => {
            json!({"major": "1", "minor": "37+", "gitVersion": "v1.37.0", "gitCommit": "c", "gitTreeState": "t",
            "buildDate": "b", "goVersion": "g", "compiler": "gc", "platform": "p"})
        }
        "/api" => json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [], "items": []}),
        "/apis" => json!({"kind": "APIGroupList", "groups": [], "items": []}),
        "/api/v1" => json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": resources}),
        "/apis/apps/v1" => json!({"kind": "APIResourceList", "groupVersion": "apps/v1", "resources": resources}),
        _ if path.ends_with("/scale") => json!({"metadata": {"name": "a"}, "spec": {"replicas": 3}}),
        _ if path.ends_with("/token") => json!({"metadata": {}, "spec": {"audiences": []},
            "status": {"token": "t", "expirationTimestamp": "2030-01-01T00:00:00Z"}}),
        _ if path.contains("/certificatesigningrequests/") => {
            json!({"metadata": {"name": "a"}, "spec": {"request": "", "signerName": "s"}})
        }
        _ if path.contains("/deployments/") || path.contains("/statefulsets/") => json!({"metadata": {"name": "a"},
            "spec": {"selector": {}, "template": {}, "serviceName": "s"}}),
        _ => json!({"metadata": {"name": "a"}, "spec": {"containers": []}}),
    }
}

pub async fn print() {
    let client = client();
    parts(&client).await;
    pods(&Api::default_namespaced(client.clone())).await;
    small_changes(&client).await;
    questions(&client).await;
    found().await;
}

async fn parts(client: &Client) {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "there");
    let (post, none) = (PostParams::default(), PatchParams::default());
    let mut scale = deployments.get_scale("a").await.unwrap();
    println!("{:?}", scale.spec.as_ref().and_then(|spec| spec.replicas));
    scale.spec = Some(ScaleSpec { replicas: Some(5) });
    deployments.replace_scale("a", &post, &Scale { status: None, ..scale }).await.unwrap();
    deployments.patch_scale("a", &none, &Patch::Merge(json!({"spec": {"replicas": 2}}))).await.unwrap();
    println!("{}", deployments.get_subresource("status", "a").await.unwrap().name_any());
    deployments.patch_subresource("status", "a", &none, &Patch::Merge(json!({"status": {}}))).await.unwrap();
    deployments.replace_subresource("status", "a", &post, &json!({"status": {}})).await.unwrap();
    let made: Value = deployments.create_subresource("x", "a", &post, &json!({"b": 1})).await.unwrap();
    println!("{made}");
}

async fn pods(pods: &Api<Pod>) {
    let (post, none, pod) = (PostParams::default(), PatchParams::default(), Pod::default());
    let change = Patch::Strategic(json!({"spec": {}}));
    pods.get_ephemeral_containers("a").await.unwrap();
    pods.patch_ephemeral_containers("a", &none, &change).await.unwrap();
    pods.replace_ephemeral_containers("a", &post, &pod).await.unwrap();
    pods.get_resize("a").await.unwrap();
    pods.patch_resize("a", &none, &change).await.unwrap();
    pods.replace_resize("a", &post, &pod).await.unwrap();
    println!("{}", pods.get_metadata_with("a", &GetParams::at("5")).await.unwrap().name_any());
    println!("{}", pods.get_metadata_opt_with("a", &GetParams::any()).await.unwrap().is_some());
    let params = LogParams {
        container: Some("c".into()),
        previous: true,
        since_seconds: Some(3),
        timestamps: true,
        ..LogParams::default()
    };
    println!("{}", pods.logs("a", &params).await.unwrap());
    println!(
        "{}",
        pods.delete_collection(&DeleteParams::background(), &ListParams::default().labels("a=b")).await.is_ok()
    );
}

async fn small_changes(client: &Client) {
    let nodes: Api<Node> = Api::all(client.clone());
    println!("{} {}", nodes.cordon("a").await.unwrap().name_any(), nodes.uncordon("a").await.unwrap().name_any());
    println!("{}", Api::<Deployment>::default_namespaced(client.clone()).restart("a").await.unwrap().name_any());
    println!("{}", Api::<StatefulSet>::default_namespaced(client.clone()).restart("a").await.unwrap().name_any());
    let accounts: Api<ServiceAccount> = Api::default_namespaced(client.clone());
    let token = accounts.create_token_request("a", &PostParams::default(), &TokenRequest::default()).await.unwrap();
    println!("{:?}", token.status.and_then(|status| status.token));
    let requests: Api<CertificateSigningRequest> = Api::all(client.clone());
    requests.get_approval("a").await.unwrap();
    requests.patch_approval("a", &PatchParams::default(), &Patch::Merge(json!({"status": {}}))).await.unwrap();
}

async fn questions(client: &Client) {
    let version = client.apiserver_version().await.unwrap();
    println!("{} {} {}", version.major, version.minor, version.git_version);
    println!("{}", client.list_api_groups().await.unwrap().groups.len());
    println!("{:?}", client.list_core_api_versions().await.unwrap().versions);
    for list in
        [client.list_core_api_resources("v1").await.unwrap(), client.list_api_group_resources("apps/v1").await.unwrap()]
    {
        println!(
            "{} {:?}",
            list.group_version,
            list.resources.iter().map(|resource| &resource.name).collect::<Vec<_>>()
        );
    }
    println!("{}", client.list_api_groups_aggregated().await.unwrap().items.len());
    println!("{}", client.list_core_api_versions_aggregated().await.unwrap().items.len());
}

/// Where a configuration is looked for when that is not given: here there is none, in a way that is the same everywhere.
async fn found() {
    println!(
        "{}",
        Config::incluster().is_err() && Config::incluster_env().is_err() && Config::incluster_dns().is_err()
    );
    let nowhere = Kubeconfig::read_from("/no/such/file").is_err();
    let options = KubeConfigOptions { context: Some("no such context".into()), ..KubeConfigOptions::default() };
    println!("{nowhere} {}", Config::from_kubeconfig(&options).await.is_err());
    let mut config = Config::new("https://host".parse().unwrap());
    config.apply_debug_overrides();
    println!("{} {:?}", config.cluster_url, config.auth_info.impersonate);
}

/// Never run: what it finds depends on where it runs.
pub async fn infer() -> Result<Client, Error> {
    let _: Result<Config, InferConfigError> = Config::infer().await;
    let _: Option<Kubeconfig> = Kubeconfig::from_env()?;
    let _: Kubeconfig = Kubeconfig::read()?;
    Client::try_default().await
}
