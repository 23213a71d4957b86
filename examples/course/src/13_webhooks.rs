//! 13. Webhooks: refuse or complete objects before they are stored, with a certificate that the program keeps itself.
//!
//! The certificate is made, kept in a Secret, put into the `caBundle` of the configuration, and replaced in time. In
//! a cluster a Service leads to the program: `.service(namespace, name)` instead of `.host(…)`. This one works where
//! the API server runs on your machine.
//!
//! ```console
//! $ cargo run -p course 13_webhooks
//! refused: the API server refused: admission webhook "polite.course.example.com" denied the request: letter is not polite: Forbidden (403)
//! stored: please come in
//! ```

use std::future::pending;

use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{Api, DeleteParams, Patch, PatchParams};
use pintle::core::admission::AdmissionRequest;
use pintle::manager::certificates::ManagedCertificate;
use pintle::manager::http_server::HttpServer;
use pintle::manager::webhook::{Decision, Webhooks};
use pintle::{Client, ResourceExt};
use serde_json::json;

#[tokio::main]
pub async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let certificate = ManagedCertificate::new(client.clone(), client.default_namespace(), "course-webhook")
        .host("127.0.0.1")
        .validating_configuration("course.example.com");
    let server = HttpServer::bind("127.0.0.1:0".parse()?).await?.tls(certificate.serving().tls()?);
    let url = format!("https://{}/validate", server.local_addr());
    tokio::spawn(server.serve(Webhooks::new().validating("/validate", validate), pending()));

    let configurations: Api<ValidatingWebhookConfiguration> = Api::all(client.clone());
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "course.example.com"},
        "webhooks": [{
            "name": "polite.course.example.com", "clientConfig": {"url": url},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["*"]}],
            "objectSelector": {"matchLabels": {"course": "13"}},
            "sideEffects": "None", "admissionReviewVersions": ["v1"],
        }],
    });
    let apply = PatchParams::apply("course").force();
    configurations.patch("course.example.com", &apply, &Patch::Apply(configuration)).await?;
    // Makes the certificate and publishes its authority; `run()` instead goes on and replaces it in time.
    certificate.look().await?;

    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    for text in ["go away", "please come in"] {
        let metadata = json!({"name": "letter", "labels": {"course": "13"}});
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": text}});
        match maps.patch("letter", &apply, &Patch::Apply(map)).await {
            Ok(map) => println!("stored: {}", map.data.unwrap_or_default()["text"]),
            Err(error) => println!("refused: {error}"),
        }
    }

    configurations.delete("course.example.com", &DeleteParams::default()).await?;
    Api::<Secret>::default_namespaced(client).delete("course-webhook", &DeleteParams::default()).await?;
    maps.delete("letter", &DeleteParams::default()).await?;
    Ok(())
}

async fn validate(request: AdmissionRequest<ConfigMap>) -> Decision {
    let Some(map) = request.object else { return Decision::allow() };
    let text = map.data.as_ref().and_then(|data| data.get("text")).map_or("", String::as_str);
    if text.contains("please") {
        Decision::allow()
    } else {
        Decision::deny(format!("{} is not polite", map.name_any()))
    }
}
