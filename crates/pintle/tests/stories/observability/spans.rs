//! Spans: one per reconcile, with its calls as children, under the names that tracing systems know.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::ResourceExt;
use pintle::api::{Api, PostParams};
use pintle::runtime::controller::{Action, Controller};
use pintle::testing::ServerExt;
use tracing::Instrument;

use crate::world::World;
use crate::world::log::{Log, Span};

fn field<'a>(span: &'a Span, name: &str) -> &'a str {
    span.fields.get(name).unwrap_or_else(|| panic!("no {name} in {span:?}"))
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_is_a_span_with_its_calls_as_children_and_says_how_it_ended() {
    let (world, log) = (World::embedded(), Log::catch());
    world.create_config_map("a").await;
    let client = world.server().client();
    let tries = Arc::new(AtomicUsize::new(0));
    let reconcile = async |map: Arc<ConfigMap>, context: Arc<(pintle::Client, Arc<AtomicUsize>)>| {
        let secrets: Api<Secret> = Api::default_namespaced(context.0.clone());
        if context.1.fetch_add(1, Ordering::Relaxed) == 0 {
            return secrets.get("missing").await.map(|_| Action::await_change());
        }
        let secret = Secret { metadata: crate::world::config_map(&map.name_any()).metadata, ..Secret::default() };
        secrets.create(&PostParams::default(), &secret).await.map(|_| Action::await_change())
    };
    let controller = Controller::new(world.config_maps(), World::watching());
    let context = Arc::new((client, tries));
    let running = controller.run(reconcile, |_, _, _| Action::backoff(), context);
    // Two items: the one that failed and the one that did not.
    let items: Vec<_> = running.take(2).collect().await;
    assert!(items[0].is_err() && items[1].is_ok(), "{items:?}");
    let spans = log.spans();
    let reconciles: Vec<_> = spans.iter().filter(|span| span.name == "reconciling object").collect();
    let [failed, succeeded] = reconciles[..] else { panic!("{reconciles:?}") };
    assert_eq!(
        (field(failed, "attempt"), field(failed, "outcome"), field(failed, "otel.status_code")),
        ("1", "error", "ERROR")
    );
    assert_eq!((field(succeeded, "attempt"), field(succeeded, "outcome")), ("2", "success"));
    assert!(!succeeded.fields.contains_key("otel.status_code") && !succeeded.fields.contains_key("error.type"));
    for (name, value) in [
        ("object.kind", "ConfigMap"),
        ("object.namespace", "default"),
        ("object.name", "a"),
        ("object.reason", "object updated"),
        ("otel.name", "reconcile ConfigMap"),
        ("otel.kind", "internal"),
    ] {
        assert_eq!(field(failed, name), value, "{failed:?}");
    }
    let calls = |parent: &Span| {
        spans.iter().filter(|span| span.name == "HTTP" && span.parent == Some(parent.id)).cloned().collect::<Vec<_>>()
    };
    let [refused] = &calls(failed)[..] else { panic!("{:?}", calls(failed)) };
    for (name, value) in [
        ("http.request.method", "GET"),
        ("url.full", "/api/v1/namespaces/default/secrets/missing"),
        ("http.response.status_code", "404"),
        ("error.type", "404"),
        ("otel.status_code", "ERROR"),
        ("otel.kind", "client"),
    ] {
        assert_eq!(field(refused, name), value, "{refused:?}");
    }
    let [created] = &calls(succeeded)[..] else { panic!("{:?}", calls(succeeded)) };
    assert_eq!((field(created, "http.request.method"), field(created, "http.response.status_code")), ("POST", "201"));
    assert!(!created.fields.contains_key("error.type"), "{created:?}");
}

#[tokio::test(start_paused = true)]
async fn calls_carry_the_trace_where_asked_and_within_their_own_span() {
    let log = Log::catch();
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let server = tower::service_fn(move |request: http::Request<pintle::client::Body>| {
        let header = request.headers().get("traceparent").map(|value| value.to_str().unwrap().to_owned());
        noted.lock().unwrap().push(header);
        async { Ok::<_, std::convert::Infallible>(http::Response::new(r#"{"major":"1","minor":"37"}"#.to_owned())) }
    });
    let current = |headers: &mut http::HeaderMap| {
        let name = tracing::Span::current().metadata().map_or("none", |metadata| metadata.name()).replace(' ', "-");
        headers.insert("traceparent", name.parse().unwrap());
    };
    let ask = |client: pintle::Client| async move {
        let request = http::Request::get("/version").body(Vec::new()).unwrap();
        client.request_text(request).instrument(tracing::info_span!("caller")).await.unwrap()
    };
    for client in [pintle::Client::layered(server.clone(), "default"), pintle::Client::new(server, "default")] {
        ask(client.clone()).await;
        ask(client.with_trace_context(current)).await;
    }
    let seen = seen.lock().unwrap().clone();
    let expected = [None, Some("HTTP"), None, Some("caller")].map(|name| name.map(str::to_owned));
    assert_eq!(seen, expected, "{:?}", log.spans());
}
