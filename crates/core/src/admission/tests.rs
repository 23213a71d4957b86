//! Reviews against the bytes kube 5 reads and sends.

use super::*;
use crate::dynamic::DynamicObject;

const ASKED: &str = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},"requestKind":{"group":"","version":"v1","kind":"Pod"},"requestResource":{"group":"","version":"v1","resource":"pods"},"name":"p","namespace":"ns","operation":"CREATE","userInfo":{"username":"me","groups":["a"]},"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}},"oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}}"#;

fn asked() -> AdmissionRequest<DynamicObject> {
    serde_json::from_str::<AdmissionReview<DynamicObject>>(ASKED).unwrap().try_into().unwrap()
}

fn check(response: AdmissionResponse, expected: &str) {
    let types = r#""apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview""#;
    let review = serde_json::to_string(&response.into_review()).unwrap();
    assert_eq!(review, format!(r#"{{{types},"response":{expected}}}"#));
}

#[test]
fn a_request_is_read_as_servers_send_it() {
    let request = asked();
    assert_eq!((request.operation, request.name.as_str()), (Operation::Create, "p"));
    assert_eq!(request.resource, GroupVersionResource::gvr("", "v1", "pods"));
    assert_eq!(request.user_info.username.as_deref(), Some("me"));
    assert!(request.object.is_some() && request.old_object.is_none() && !request.dry_run);
}

#[test]
fn answers_are_the_bytes_kube_sends() {
    let request = asked();
    let answer = || AdmissionResponse::from(&request);
    check(answer(), r#"{"uid":"u1","allowed":true,"status":{}}"#);
    check(answer().deny("no way"), r#"{"uid":"u1","allowed":false,"status":{"message":"no way"}}"#);
    let patched = answer().with_patch(json_patch::Patch(Vec::new())).unwrap();
    check(patched, r#"{"uid":"u1","allowed":true,"status":{},"patch":[91,93],"patchType":"JSONPatch"}"#);
    let invalid = r#"{"status":"Failure","message":"bad","reason":"InvalidRequest"}"#;
    check(AdmissionResponse::invalid("bad"), &format!(r#"{{"uid":"","allowed":false,"status":{invalid}}}"#));
}

#[test]
fn a_review_without_a_request_is_an_error() {
    let json = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":null}"#;
    let empty: AdmissionReview<DynamicObject> = serde_json::from_str(json).unwrap();
    assert!(AdmissionRequest::try_from(empty).is_err());
}

#[cfg(feature = "cel")]
#[test]
fn a_policy_sees_the_user_and_the_object_of_a_request() {
    use kube_cel::VapExpression;

    let mut request = asked();
    request.user_info.uid = Some("user-7".to_owned());
    let seen = request.to_cel_request();
    assert_eq!((seen.operation.as_str(), seen.username.as_str(), seen.uid.as_str()), ("CREATE", "me", "user-7"));
    assert_eq!((seen.name.as_str(), seen.namespace.as_str(), seen.dry_run), ("p", "ns", false));
    assert_eq!((seen.kind.kind.as_str(), seen.resource.resource.as_str()), ("Pod", "pods"));
    let rule =
        |expression: &str| VapExpression { expression: expression.to_owned(), message: None, message_expression: None };
    let rules = [rule("request.operation == 'CREATE' && 'a' in request.userInfo.groups"), rule("request.name == 'q'")];
    let object = serde_json::to_value(request.object.as_ref().unwrap()).unwrap();
    let policy = kube_cel::VapEvaluator::builder().object(object).request(seen).build();
    let held: Vec<_> = policy.evaluate(&rules).iter().map(|it| it.passed).collect();
    assert_eq!(held, [true, false]);
}

#[cfg(feature = "cel")]
#[test]
fn every_operation_has_its_word_on_the_wire_for_policies() {
    for operation in [Operation::Create, Operation::Update, Operation::Delete, Operation::Connect] {
        let word = serde_json::to_value(&operation).unwrap();
        assert_eq!(AdmissionRequest { operation, ..asked() }.to_cel_request().operation, word);
    }
}
