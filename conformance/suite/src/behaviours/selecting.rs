//! Label and field selectors.

use serde_json::{Value, json};

use crate::answer::names;
use crate::behaviour::behaviours;
use crate::place::{CONFIG_MAPS, PODS, Place, config_map, definition, version};

behaviours! {
    "1.9": labels_are_selected_by_equality,
        labels_are_selected_by_inequality_also_where_they_are_missing,
        labels_are_selected_by_sets,
        labels_are_selected_by_existence,
        labels_are_compared_as_numbers,
        requirements_are_all_met,
        a_selector_that_is_none_is_refused,
        fields_are_selected_by_name,
        fields_are_selected_by_inequality,
        an_unknown_field_is_refused,
        an_unknown_field_of_a_custom_resource_is_refused,
        pods_are_selected_by_node_and_phase,
        secrets_are_selected_by_type,
        events_are_selected_by_their_object,
        a_custom_resource_is_selected_by_its_selectable_field,
        a_field_selector_with_an_escaped_value_is_read,
        a_collection_is_deleted_by_selector;
}

async fn labels_are_selected_by_equality(p: &Place) {
    people(p).await;
    assert_eq!(selected(p, "team=red").await, ["ann", "cid"]);
    assert_eq!(selected(p, "team==red").await, ["ann", "cid"]);
}

async fn labels_are_selected_by_inequality_also_where_they_are_missing(p: &Place) {
    people(p).await;
    assert_eq!(selected(p, "person,team!=red").await, ["bob", "dan"]);
}

async fn labels_are_selected_by_sets(p: &Place) {
    people(p).await;
    assert_eq!(selected(p, "team in (red, blue)").await, ["ann", "bob", "cid"]);
    assert_eq!(selected(p, "person,team notin (red)").await, ["bob", "dan"]);
}

async fn labels_are_selected_by_existence(p: &Place) {
    people(p).await;
    assert_eq!(selected(p, "team").await, ["ann", "bob", "cid"]);
    assert_eq!(selected(p, "person,!team").await, ["dan"]);
}

async fn labels_are_compared_as_numbers(p: &Place) {
    people(p).await;
    assert_eq!(selected(p, "age>30").await, ["bob", "cid"]);
    assert_eq!(selected(p, "age<40").await, ["ann"]);
}

async fn requirements_are_all_met(p: &Place) {
    people(p).await;
    assert_eq!(selected(p, "team=red,age>30").await, ["cid"]);
}

async fn a_selector_that_is_none_is_refused(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?labelSelector=a%20b%20c")).await;
    answer.refused_with(400, "BadRequest", "unable to parse requirement");
    let answer = p.get(&format!("{CONFIG_MAPS}?fieldSelector=nothing")).await;
    answer.refused_with(400, "BadRequest", "invalid selector: 'nothing'; can't understand 'nothing'");
}

async fn fields_are_selected_by_name(p: &Place) {
    people(p).await;
    let list = p.get(&format!("{CONFIG_MAPS}?fieldSelector=metadata.name%3Dbob")).await.value(200);
    assert_eq!(names(&list), ["bob"]);
}

async fn fields_are_selected_by_inequality(p: &Place) {
    people(p).await;
    let path = format!("{CONFIG_MAPS}?labelSelector=person&fieldSelector=metadata.name!%3Dbob");
    assert_eq!(names(&p.get(&path).await.value(200)), ["ann", "cid", "dan"]);
}

async fn an_unknown_field_is_refused(p: &Place) {
    let answer = p.get(&format!("{CONFIG_MAPS}?fieldSelector=data.k%3Dv")).await;
    let part = "\"data.k\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    answer.refused_with(400, "BadRequest", part);
}

async fn an_unknown_field_of_a_custom_resource_is_refused(p: &Place) {
    p.define("Field", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    let answer = p.get("/apis/{group}/v1/namespaces/{ns}/fields?fieldSelector=spec.n%3D1").await;
    answer.refused_with(400, "BadRequest", "field label not supported: spec.n");
}

async fn pods_are_selected_by_node_and_phase(p: &Place) {
    for (name, node) in [("a", "n1"), ("b", "n2")] {
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}]}});
        p.create(PODS, pod).await;
    }
    let list = p.get(&format!("{PODS}?fieldSelector=spec.nodeName%3Dn2,status.phase%3DPending")).await.value(200);
    assert_eq!(names(&list), ["b"]);
    let list = p.get(&format!("{PODS}?fieldSelector=status.phase%3DRunning")).await.value(200);
    assert_eq!(names(&list), [""; 0]);
}

async fn secrets_are_selected_by_type(p: &Place) {
    for (name, kind) in [("a", "Opaque"), ("b", "suite.example/other")] {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "type": kind});
        p.create("/api/v1/namespaces/{ns}/secrets", secret).await;
    }
    let path = "/api/v1/namespaces/{ns}/secrets?fieldSelector=type%3Dsuite.example/other";
    assert_eq!(names(&p.get(path).await.value(200)), ["b"]);
}

async fn events_are_selected_by_their_object(p: &Place) {
    for (name, about) in [("a.1", "a"), ("b.1", "b")] {
        let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "reason": "Tested",
            "type": "Normal", "involvedObject": {"kind": "Pod", "namespace": "{ns}", "name": about}});
        p.create("/api/v1/namespaces/{ns}/events", event).await;
    }
    let path =
        "/api/v1/namespaces/{ns}/events?fieldSelector=involvedObject.kind%3DPod,involvedObject.name%3Db,type%3DNormal";
    assert_eq!(names(&p.get(path).await.value(200)), ["b.1"]);
}

async fn a_custom_resource_is_selected_by_its_selectable_field(p: &Place) {
    let mut versions = json!([version("v1", json!({"colour": {"type": "string"}}))]);
    versions[0]["selectableFields"] = json!([{"jsonPath": ".spec.colour"}]);
    p.define_as(definition("Shirt", versions)).await;
    let path = "/apis/{group}/v1/namespaces/{ns}/shirts";
    for (name, spec) in [("a", json!({"colour": "red"})), ("b", json!({"colour": "blue"})), ("c", json!({}))] {
        let shirt = json!({"apiVersion": "{group}/v1", "kind": "Shirt", "metadata": {"name": name}, "spec": spec});
        p.create(path, shirt).await;
    }
    let blue = p.get(&format!("{path}?fieldSelector=spec.colour%3Dblue")).await.value(200);
    assert_eq!(names(&blue), ["b"]);
    let none = p.get(&format!("{path}?fieldSelector=spec.colour%3D")).await.value(200);
    assert_eq!(names(&none), ["c"]);
}

async fn a_field_selector_with_an_escaped_value_is_read(p: &Place) {
    let list = p.get(&format!("{CONFIG_MAPS}?fieldSelector=metadata.name%3Da%5C%2Cb")).await.value(200);
    assert_eq!(names(&list), [""; 0]);
    let answer = p.get(&format!("{CONFIG_MAPS}?fieldSelector=metadata.name%3Da%5Cb")).await;
    answer.refused_with(400, "BadRequest", "invalid field selector");
}

async fn a_collection_is_deleted_by_selector(p: &Place) {
    people(p).await;
    p.delete(&format!("{CONFIG_MAPS}?labelSelector=team%3Dred")).await.value(200);
    assert_eq!(selected(p, "person").await, ["bob", "dan"]);
}

async fn people(p: &Place) {
    let people = [("ann", "red", "30"), ("bob", "blue", "40"), ("cid", "red", "50"), ("dan", "", "")];
    for (name, team, age) in people {
        let mut labels = json!({"person": "yes"});
        if !team.is_empty() {
            labels["team"] = json!(team);
            labels["age"] = json!(age);
        }
        let mut object: Value = config_map(name, json!({}));
        object["metadata"]["labels"] = labels;
        p.create(CONFIG_MAPS, object).await;
    }
}

async fn selected(p: &Place, selector: &str) -> Vec<String> {
    let escaped: String = selector.bytes().map(|byte| format!("%{byte:02X}")).collect();
    names(&p.get(&format!("{CONFIG_MAPS}?labelSelector={escaped}")).await.value(200))
}
