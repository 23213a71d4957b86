//! What the vocabulary prints.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Node, ObjectReference, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, EvictParams, ListParams, LogParams, ObjectList, ObjectMeta, Patch, PatchParams,
    PostParams, WatchEvent, WatchParams,
};
use kube::core::{
    Expression, GroupVersion, GroupVersionKind, PartialObjectMetaExt, Request, Selector, SelectorExt, Status, TypeMeta,
};
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::watcher;
use kube::{Resource, ResourceExt};
use serde_json::json;

pub fn print() {
    objects();
    references();
    selectors();
    answers();
    params();
    requests();
}

/// Requests made without a client.
fn requests() {
    let pods = Request::new(Pod::url_path(&(), Some("n")));
    let post = PostParams::default();
    let eviction = EvictParams { post_options: PostParams { dry_run: true, field_manager: None }, ..EvictParams::default() };
    let log = LogParams { follow: true, tail_lines: Some(5), container: Some("c".into()), ..LogParams::default() };
    for request in [
        pods.delete_collection(&DeleteParams::default(), &ListParams::default().labels("a=b")),
        pods.get_subresource("scale", "a"),
        pods.create_subresource("binding", "a", &post, b"{}".to_vec()),
        pods.replace_subresource("status", "a", &post, b"{}".to_vec()),
        pods.patch_subresource("resize", "a", &PatchParams::default(), &Patch::Merge(json!({"spec": {}}))),
        pods.logs("a", &log),
    ] {
        let request = request.unwrap();
        println!("{} {} {}", request.method(), request.uri(), String::from_utf8_lossy(request.body()));
    }
    // kube writes the options of an eviction under a name that servers do not know; only the rest can be the same.
    println!("{}", pods.evict("a", &eviction).unwrap().uri());
    println!("{:?} {:?}", pods.get("", &Default::default()).is_err(), pods.list(&ListParams::default()).unwrap().uri());
}

fn pod() -> Pod {
    let json = json!({"metadata": {"name": "a", "namespace": "n", "uid": "u", "labels": {"x": "y"}, "finalizers": ["f"]}});
    serde_json::from_value(json).unwrap()
}

fn objects() {
    let pod = pod();
    println!("{} {:?} {:?} {:?}", pod.name_any(), pod.namespace(), pod.labels(), pod.finalizers());
    println!("{:?} {:?}", TypeMeta::list::<Pod>(), TypeMeta::resource::<Pod>());
    println!("{:?}", ApiResource::erase::<Pod>(&()));
    for kind in ["Deployment", "Endpoints", "Ingress", "NetworkPolicy", "Gateway", "Box", "Bus", "Dish", "Branch", "Proxy"] {
        println!("{}", ApiResource::from_gvk(&GroupVersionKind::gvk("g", "v1", kind)).plural);
    }
    let dynamic = DynamicObject::new("x", &ApiResource::erase::<Pod>(&())).within("n").data(json!({"spec": {"a": 1}}));
    println!("{}", serde_json::to_string(&dynamic).unwrap());
    println!("{}", serde_json::to_string(&ObjectMeta::default().into_request_partial::<Pod>()).unwrap());
    println!("{}", serde_json::to_string(&ObjectMeta::default().into_response_partial::<Pod>()).unwrap());
    let list = r#"{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a"}}]}"#;
    let list: ObjectList<Pod> = serde_json::from_str(list).unwrap();
    println!("{}", serde_json::to_string(&list).unwrap());
    println!("{:?} {:?}", "v1".parse::<GroupVersion>(), "apps/v1".parse::<GroupVersion>());
}

fn references() {
    let pod = pod();
    println!("{} {:?}", ObjectRef::from_obj(&pod), ObjectRef::from_obj(&pod));
    println!("{} {:?}", ObjectRef::<Node>::new("x"), ObjectRef::<Pod>::new("x").within("n").erase());
    println!("{:?} {:?}", pod.object_ref(&()), pod.owner_ref(&()));
    println!("{:?}", ObjectReference::from(ObjectRef::from_obj(&pod)));
    let owner = OwnerReference { api_version: "v1".into(), kind: "Pod".into(), name: "o".into(), uid: "u".into(), ..OwnerReference::default() };
    println!("{:?}", ObjectRef::<Pod>::from_owner_ref(Some("n"), &owner, ()));
    println!("{:?}", ObjectRef::<Node>::from_owner_ref(Some("n"), &owner, ()));
}

fn selectors() {
    let selector: Selector = [
        Expression::In("a".into(), ["x".into(), "y".into()].into()),
        Expression::NotIn("b".into(), ["z".into()].into()),
        Expression::Equal("c".into(), "d".into()),
        Expression::NotEqual("e".into(), "f".into()),
        Expression::Exists("g".into()),
        Expression::DoesNotExist("h".into()),
    ]
    .into_iter()
    .collect();
    println!("{selector} {:?}", LabelSelector::from(selector.clone()));
    let labels = [("a", "x"), ("c", "d"), ("g", "")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    println!("{} {} {}", selector.matches(&labels), selector.selects_all(), Selector::default().selects_all());
    println!("{:?}", ListParams::default().labels_from(&selector).label_selector);
}

fn answers() {
    let json = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"NotFound","details":{"name":"x","kind":"pods"},"code":404}"#;
    let status: Status = serde_json::from_str(json).unwrap();
    println!("{status} {} {} {}", status.is_failure(), status.is_not_found(), status.is_conflict());
    println!("{}", Status::failure("message", "Reason").with_code(409));
    for event in ["ADDED", "MODIFIED", "DELETED"] {
        let event: WatchEvent<Pod> = serde_json::from_value(json!({"type": event, "object": pod()})).unwrap();
        println!("{event:?}");
    }
    println!("{} {}", watcher::Event::Apply(pod()), watcher::Event::<Pod>::InitDone);
}

fn params() {
    println!("{:?} {:?}", ListParams::default().match_any(), WatchParams::default());
    println!("{:?} {:?}", PatchParams::apply("x").force(), DeleteParams::orphan());
    println!("{}", serde_json::to_string(&DeleteParams::background().dry_run()).unwrap());
    println!("{}", Action::requeue(Duration::from_secs(3)) == Action::requeue(Duration::from_secs(3)));
    println!("{:?}", watcher::Config::default().any_semantic().timeout(3).page_size(2).labels("c=d").label_selector);
}
