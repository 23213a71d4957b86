//! An operator whose reconciles are traces: each with its calls, sent to a collector by OTLP over HTTP.
//!
//! ```text
//!   reconcile ConfigMap ─► create secret ──traceparent──► API server (its own spans continue the trace)
//!        └──── spans ────► BatchSpanProcessor ──OTLP──► OTEL_EXPORTER_OTLP_ENDPOINT, http://localhost:4318 unless set
//! ```
//!
//! It copies each ConfigMap with the label `copy=secret` into a Secret. `cargo run` talks to the cluster of the current
//! kubeconfig. Pintle knows nothing of OpenTelemetry: its spans have the names and fields that OpenTelemetry gives them, a
//! layer of `tracing` hands them on, and one function writes the header.

#![expect(clippy::print_stderr, reason = "what it does is shown on the terminal")]

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, ObjectMeta, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Client, Resource, ResourceExt};
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HeaderInjector, hyper::HyperClient};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource as Program;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::runtime::Tokio;
use opentelemetry_sdk::trace::SdkTracerProvider;
use opentelemetry_sdk::trace::span_processor_with_async_runtime::BatchSpanProcessor;
use tokio::sync::oneshot;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What is traced and logged unless `RUST_LOG` says otherwise: reconciles are spans at `info`, calls at `debug`.
const FILTER: &str = "info,pintle_client=debug";

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let endpoint = std::env::var("OTEL_EXPORTER_OTLP_ENDPOINT").unwrap_or_else(|_| "http://localhost:4318".to_owned());
    let provider = provider(&endpoint)?;
    let filter = std::env::var("RUST_LOG").unwrap_or_else(|_| FILTER.to_owned());
    subscriber(&provider, &filter)?.init();
    eprintln!("sending spans to {endpoint}");
    let client = with_trace_context(Client::try_default().await?);
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move {
        drop(tokio::signal::ctrl_c().await);
        drop(stop);
    });
    operate(client, stopped).await;
    // What was not sent yet is sent now.
    Ok(provider.shutdown()?)
}

/// Sends spans to the collector at `endpoint`, some at a time.
fn provider(endpoint: &str) -> Result<SdkTracerProvider, BoxError> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(HyperClient::with_default_connector(Duration::from_secs(10), None))
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .build()?;
    let program = Program::builder().with_service_name("otlp").build();
    let processor = BatchSpanProcessor::builder(exporter, Tokio).build();
    Ok(SdkTracerProvider::builder().with_span_processor(processor).with_resource(program).build())
}

/// Hands spans to OpenTelemetry, and log lines to the terminal.
fn subscriber(provider: &SdkTracerProvider, filter: &str) -> Result<impl Subscriber + Send + Sync + use<>, BoxError> {
    let spans = tracing_opentelemetry::layer().with_tracer(provider.tracer("otlp"));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    Ok(tracing_subscriber::registry().with(EnvFilter::try_new(filter)?).with(spans).with(lines))
}

/// Has every call say to the server which trace it belongs to, as W3C's `traceparent`.
fn with_trace_context(client: Client) -> Client {
    client.with_trace_context(|headers| {
        let context = tracing::Span::current().context();
        TraceContextPropagator::new().inject_context(&context, &mut HeaderInjector(headers));
    })
}

/// Copies config maps until the other end of `stopped` is dropped.
async fn operate(client: Client, stopped: oneshot::Receiver<()>) {
    let maps: Api<ConfigMap> = Api::all(client.clone());
    Controller::new(maps, watcher::Config::default().labels("copy=secret"))
        .graceful_shutdown_on(async { drop(stopped.await) })
        .run(copy, |_, _, _| Action::backoff(), Arc::new(client))
        .for_each(|_| async {})
        .await;
}

async fn copy(map: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let secrets: Api<Secret> = Api::namespaced(Client::clone(&client), &map.namespace().unwrap_or_default());
    let name = map.name_any();
    let metadata = ObjectMeta {
        name: Some(name.clone()),
        owner_references: Some(map.controller_owner_ref(&()).into_iter().collect()),
        ..ObjectMeta::default()
    };
    let secret = Secret { metadata, string_data: map.data.clone(), ..Secret::default() };
    secrets.patch(&name, &PatchParams::apply("otlp").force(), &Patch::Apply(&secret)).await?;
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Mutex;

    use http::{Request, Response};
    use http_body_util::BodyExt;
    use kube::api::PostParams;
    use kube::manager::http_server::HttpServer;
    use kube::testing::{Server, ServerExt};
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
    use opentelemetry_proto::tonic::common::v1::any_value::Value;
    use opentelemetry_proto::tonic::trace::v1::Span;
    use prost::Message;
    use tower::{ServiceExt, service_fn};

    use super::*;

    /// What a collector was sent, and what the API server saw in `traceparent`.
    #[derive(Default)]
    struct Received {
        spans: Mutex<Vec<Span>>,
        programs: Mutex<Vec<String>>,
        traceparents: Mutex<Vec<String>>,
    }

    /// A stand-in for a collector; returns where it listens.
    async fn collector(received: Arc<Received>) -> String {
        let server = HttpServer::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let endpoint = format!("http://{}", server.local_addr());
        let collect = service_fn(move |request: Request<_>| {
            let received = Arc::clone(&received);
            async move {
                assert_eq!(request.uri().path(), "/v1/traces");
                let body = hyper::body::Incoming::collect(request.into_body()).await.unwrap().to_bytes();
                let sent = ExportTraceServiceRequest::decode(body).expect("what arrives is OTLP");
                for resource in sent.resource_spans {
                    let attributes = resource.resource.unwrap().attributes;
                    let name = attributes.into_iter().find(|attribute| attribute.key == "service.name");
                    received.programs.lock().unwrap().push(text(&name.unwrap().value));
                    let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
                    received.spans.lock().unwrap().extend(spans);
                }
                Ok::<_, Infallible>(Response::new(String::new()))
            }
        });
        tokio::spawn(server.serve(collect, std::future::pending()));
        endpoint
    }

    fn text(value: &Option<opentelemetry_proto::tonic::common::v1::AnyValue>) -> String {
        match value.as_ref().and_then(|value| value.value.as_ref()) {
            Some(Value::StringValue(text)) => text.clone(),
            Some(Value::IntValue(number)) => number.to_string(),
            other => format!("{other:?}"),
        }
    }

    fn attribute(span: &Span, key: &str) -> String {
        let found = span.attributes.iter().find(|attribute| attribute.key == key);
        found.map_or_else(|| panic!("no {key} in {span:?}"), |attribute| text(&attribute.value))
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[tokio::test]
    async fn a_collector_gets_a_reconcile_with_its_call_and_the_server_sees_the_same_trace() {
        let received = Arc::new(Received::default());
        let provider = provider(&collector(Arc::clone(&received)).await).unwrap();
        let _subscribed = tracing::subscriber::set_default(subscriber(&provider, FILTER).unwrap());
        let server = Server::new();
        let (noted, api) = (Arc::clone(&received), server.clone());
        let service = service_fn(move |request: Request<kube::client::Body>| {
            if request.method() == http::Method::PATCH {
                let header = request.headers()["traceparent"].to_str().unwrap().to_owned();
                noted.traceparents.lock().unwrap().push(header);
            }
            api.clone().oneshot(request)
        });
        let client = with_trace_context(Client::layered(service, "default"));
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(operate(client, stopped));
        let mut map = ConfigMap::default();
        map.metadata.name = Some("a".to_owned());
        map.metadata.labels = Some([("copy".to_owned(), "secret".to_owned())].into());
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
        maps.create(&PostParams::default(), &map).await.unwrap();
        let secrets: Api<Secret> = Api::default_namespaced(server.client());
        while secrets.get_opt("a").await.unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop(stop);
        running.await.unwrap();
        // It waits until the rest is sent, which this thread does.
        tokio::task::spawn_blocking(move || provider.shutdown()).await.unwrap().unwrap();

        let spans = received.spans.lock().unwrap().clone();
        let find =
            |name: &str| spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no {name}: {spans:?}"));
        let reconcile = find("reconcile ConfigMap");
        for (key, value) in [
            ("object.kind", "ConfigMap"),
            ("object.namespace", "default"),
            ("object.name", "a"),
            ("attempt", "1"),
            ("outcome", "success"),
        ] {
            assert_eq!(attribute(reconcile, key), value);
        }
        let is_its_call =
            |span: &&Span| span.parent_span_id == reconcile.span_id && span.trace_id == reconcile.trace_id;
        let call = spans.iter().find(is_its_call).unwrap_or_else(|| panic!("the reconcile has no child: {spans:?}"));
        assert_eq!(attribute(call, "http.request.method"), "PATCH");
        assert_eq!(attribute(call, "url.full"), "/api/v1/namespaces/default/secrets/a");
        assert!(["200", "201"].contains(&attribute(call, "http.response.status_code").as_str()));
        assert_eq!(call.kind, 3, "it is a client's span");
        let traceparents = received.traceparents.lock().unwrap().clone();
        let expected = format!("00-{}-{}-01", hex(&call.trace_id), hex(&call.span_id));
        assert_eq!(traceparents, [expected], "the server's spans are children of the call");
        assert!(received.programs.lock().unwrap().iter().all(|name| name == "otlp"));
    }
}
