//! What streams of watch events are turned into, and what is waited for.

use std::time::Duration;

use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};
use kube::runtime::events::{EventType, Reporter};
use kube::runtime::reflector::{store, store_shared};
use kube::runtime::utils::{Backoff, ResetTimerBackoff};
use kube::runtime::wait::{self, Condition, conditions};
use kube::runtime::watcher::{DefaultBackoff, Error, Event};
use kube::runtime::{Predicate, WatchStreamExt, predicates};
use kube::{Resource, ResourceExt};
use serde_json::json;

pub async fn print() {
    errors();
    conditions_hold();
    println!("{:?} {:?}", EventType::Normal, Reporter::from("me"));
    filters().await;
    stores().await;
    let mut backoff = ResetTimerBackoff::new(DefaultBackoff::default(), Duration::from_secs(120));
    let first = backoff.next();
    backoff.reset();
    println!("{}", first.is_some_and(|delay| (800..1700).contains(&delay.as_millis())));
}

fn errors() {
    println!("{}", wait::Error::ProbeFailed(Error::NoResourceVersion));
    println!("{}", wait::delete::Error::NoUid);
    println!("{}", wait::delete::Error::Await(wait::Error::ProbeFailed(Error::NoResourceVersion)));
}

fn object<K: serde::de::DeserializeOwned>(json: serde_json::Value) -> K {
    serde_json::from_value(json).expect("the JSON is of that kind")
}

fn conditions_hold() {
    let pod = |phase: &str| object::<Pod>(json!({"metadata": {"uid": "u"}, "status": {"phase": phase}}));
    for phase in ["Pending", "Running"] {
        println!("{phase} {}", conditions::is_pod_running().matches_object(Some(&pod(phase))));
        println!("{}", conditions::is_pod_running().not().matches_object(Some(&pod(phase))));
    }
    println!("{}", conditions::is_pod_running().matches_object(None));
    println!("{}", conditions::is_created::<Pod>().matches_object(None));
    for uid in ["u", "v"] {
        println!("{}", conditions::is_deleted::<Pod>(uid).matches_object(Some(&pod("Running"))));
    }
    let either = conditions::is_pod_running().or(|pod: Option<&Pod>| pod.is_none());
    println!("{} {}", either.matches_object(None), either.matches_object(Some(&pod("Pending"))));
    for service in [
        json!({}),
        json!({"spec": {"type": "ClusterIP"}}),
        json!({"spec": {"type": "LoadBalancer"}}),
        json!({"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}),
        json!({"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}, {}]}}}),
        json!({"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [{"hostname": "a"}, {}]}}}),
    ] {
        let holds = conditions::is_service_loadbalancer_provisioned().matches_object(Some(&object::<Service>(service.clone())));
        println!("{service} {holds}");
    }
    for ingress in [
        json!({}),
        json!({"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}),
        json!({"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}, {}]}}}),
    ] {
        println!("{ingress} {}", conditions::is_ingress_provisioned().matches_object(Some(&object(ingress.clone()))));
    }
    for deployment in [
        json!({"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}),
        json!({"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}),
        json!({"type": "Progressing", "status": "False", "reason": "NewReplicaSetAvailable"}),
        json!({"type": "Available", "status": "True"}),
    ] {
        let object = object(json!({"status": {"conditions": [deployment]}}));
        println!("{deployment} {}", conditions::is_deployment_completed().matches_object(Some(&object)));
    }
    for job in [json!({"type": "Complete", "status": "True"}), json!({"type": "Failed", "status": "True"})] {
        println!("{job} {}", conditions::is_job_completed().matches_object(Some(&object(json!({"status": {"conditions": [job]}})))));
    }
}

fn map(name: &str, generation: Option<i64>, label: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.meta_mut().name = Some(name.into());
    map.meta_mut().generation = generation;
    map.labels_mut().insert("l".into(), label.into());
    map
}

async fn passes(label: &str, predicate: impl Predicate<ConfigMap> + 'static) {
    let objects = [
        map("a", Some(1), "x"),
        map("a", Some(1), "y"),
        map("b", Some(1), "x"),
        map("a", Some(2), "y"),
        map("c", None, "x"),
        map("c", None, "y"),
        map("a", Some(2), "y"),
    ];
    let passed: Vec<_> = stream::iter(objects.into_iter().enumerate().map(|(number, mut map)| {
        map.data = Some([("n".into(), number.to_string())].into());
        Ok(map)
    }))
    .predicate_filter(predicate, Default::default())
    .map(|map| map.expect("there are no errors").data.expect("it has a number")["n"].clone())
    .collect()
    .await;
    println!("{label} {passed:?}");
}

async fn filters() {
    passes("generation", predicates::generation).await;
    passes("labels", predicates::labels).await;
    passes("resource_version", predicates::resource_version).await;
    passes("annotations", predicates::annotations).await;
    passes("finalizers", predicates::finalizers).await;
    passes("combined", predicates::generation.combine(predicates::labels)).await;
    passes("fallback", predicates::generation.fallback(predicates::labels)).await;
    let modified = stream::iter([Event::Init, Event::InitApply(map("a", None, "x")), Event::Delete(map("b", None, "x"))].map(Ok))
        .modify(|map: &mut ConfigMap| map.labels_mut().clear())
        .map(|event| format!("{event:?}"));
    println!("{:?}", modified.collect::<Vec<_>>().await);
}

async fn stores() {
    let (reader, mut writer) = store::<ConfigMap>();
    println!("{}", writer.subscribe().is_none());
    for event in [Event::Init, Event::InitApply(map("a", None, "x")), Event::InitDone, Event::Apply(map("b", None, "y"))] {
        writer.apply_watcher_event(&event);
        println!("{event} {} {}", reader.len(), reader.is_empty());
    }
    let selector = [("l", "y")].into_iter().map(|(key, value)| kube::core::Expression::Equal(key.into(), value.into())).collect();
    println!("{:?}", reader.state_filter_selector(&selector).iter().map(|map| map.name_any()).collect::<Vec<_>>());
    println!("{:?}", reader.state_filter(|map| map.name_any() == "a").len());
    println!("{:?}", reader.find(|map| map.name_any() == "c"));
    writer.apply_watcher_event(&Event::Delete(map("a", None, "x")));
    println!("{}", reader.len());

    let (reader, writer) = store_shared::<ConfigMap>(8);
    let subscriber = writer.subscribe().expect("it is shared");
    let events = [Event::Init, Event::InitApply(map("a", None, "x")), Event::InitDone, Event::Apply(map("b", None, "y"))];
    let count = stream::iter(events.map(Ok)).reflect_shared(writer).collect::<Vec<_>>().await.len();
    println!("{count} {}", reader.len());
    println!("{:?}", subscriber.map(|map| map.name_any()).collect::<Vec<_>>().await);
}
