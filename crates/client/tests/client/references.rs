//! Objects by scope and name, or by a reference that another object holds.

use k8s_openapi::api::core::v1::{LocalObjectReference, Namespace as NamespaceObject, Node, ObjectReference, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use pintle_client::Error;
use pintle_client::api::{DynamicObject, ListParams};
use pintle_client::client::scope::{Cluster, Namespace, NamespacedRef};

use crate::scripted::{Answer, client};

const POD: &str = r#"{"metadata":{"name":"n"},"items":[]}"#;

fn reference(api_version: &str, kind: &str, name: &str) -> ObjectReference {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    ObjectReference { api_version: some(api_version), kind: some(kind), name: some(name), ..ObjectReference::default() }
}

#[tokio::test]
async fn objects_are_found_in_their_scope() {
    let (client, asked) = client(Answer::json(POD));
    client.get::<Pod>("a", &Namespace::from("z")).await.unwrap();
    client.get::<Node>("a", &Cluster).await.unwrap();
    client.list::<Pod>(&ListParams::default().limit(3), &Cluster).await.unwrap();
    client.list::<Pod>(&ListParams::default(), &Namespace::from("z".to_owned())).await.unwrap();
    let mut object = NamespaceObject::default();
    assert!(Namespace::try_from(&object).is_err(), "a namespace without a name is none");
    object.metadata.name = Some("y".into());
    client.get::<Pod>("a", &Namespace::try_from(&object).unwrap()).await.unwrap();
    let expected = [
        "GET /api/v1/namespaces/z/pods/a",
        "GET /api/v1/nodes/a",
        "GET /api/v1/pods?&limit=3",
        "GET /api/v1/namespaces/z/pods?",
        "GET /api/v1/namespaces/y/pods/a",
    ];
    assert_eq!(asked.take(), expected.map(|line| format!("{line} [] [] ")));
}

#[tokio::test]
async fn references_are_followed() {
    let (client, asked) = client(Answer::json(POD));
    let pod = ObjectReference { namespace: Some("ns".into()), ..reference("v1", "Pod", "p") };
    client.fetch::<Pod>(&pod).await.unwrap();
    client.fetch::<DynamicObject>(&reference("apps/v1", "Deployment", "d")).await.unwrap();
    let local = LocalObjectReference { name: "l".into() };
    client.fetch::<Pod>(&NamespacedRef::<Pod>::within(&local, "w".to_owned())).await.unwrap();
    let owner = |kind: &str| OwnerReference {
        api_version: "v1".into(),
        kind: kind.into(),
        name: "o".into(),
        ..Default::default()
    };
    client.fetch::<Pod>(&NamespacedRef::<Pod>::within(&owner("Pod"), "w".to_owned())).await.unwrap();
    client.fetch::<Node>(&owner("Node")).await.unwrap();
    let expected = [
        "GET /api/v1/namespaces/ns/pods/p",
        "GET /apis/apps/v1/deployments/d",
        "GET /api/v1/namespaces/w/pods/l",
        "GET /api/v1/namespaces/w/pods/o",
        "GET /api/v1/nodes/o",
    ];
    assert_eq!(asked.take(), expected.map(|line| format!("{line} [] [] ")));
}

#[tokio::test]
async fn a_reference_that_says_too_little_leads_nowhere() {
    let (client, asked) = client(Answer::json(POD));
    for vague in
        [reference("", "Pod", "n"), reference("v1", "", "n"), reference("v1", "Pod", ""), reference("a/b/c", "D", "n")]
    {
        let refused = client.fetch::<Pod>(&vague).await;
        assert!(matches!(refused, Err(Error::RefResolve(_))), "{vague:?}: {refused:?}");
    }
    assert!(asked.take().is_empty());
}
