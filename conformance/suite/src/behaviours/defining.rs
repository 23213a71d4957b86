//! Custom resource definitions: their rules, schemas and life.

use serde_json::{Value, json};

use crate::answer::{Answer, names};
use crate::behaviour::behaviours;
use crate::place::{DEFINITIONS, Place, definition, version};

behaviours! {
    "1.18": a_definition_is_established_in_order,
        names_are_filled_in,
        a_definitions_name_is_plural_and_group,
        a_definition_needs_one_stored_version,
        a_protected_group_needs_approval,
        a_schema_must_be_structural,
        a_schema_needs_types,
        a_taken_kind_is_not_accepted,
        unknown_fields_are_pruned,
        preserved_fields_stay,
        defaults_are_set,
        defaults_are_set_on_read,
        a_null_gives_way_to_its_default,
        a_wrong_type_is_refused,
        a_missing_required_field_is_refused,
        a_value_that_is_not_in_the_enumeration_is_refused,
        numbers_have_bounds,
        strings_have_patterns_and_lengths,
        lists_have_lengths,
        a_set_has_no_duplicates,
        a_map_list_has_no_duplicate_keys,
        int_or_string_takes_both,
        a_nullable_field_takes_null,
        a_format_is_checked,
        several_errors_are_listed,
        versions_are_converted_by_name,
        a_version_that_is_not_served_is_not_found,
        stored_versions_are_remembered,
        a_schema_changes_while_it_is_served,
        a_new_version_is_served,
        a_deleted_definition_takes_its_objects,
        a_cluster_kind_has_no_namespace,
        an_object_carries_its_kind_in_lists,
        unknown_fields_of_a_custom_resource_are_warned_about,
        strict_refuses_unknown_fields_of_a_custom_resource,
        strict_refuses_duplicates_within_what_is_preserved,
        an_embedded_resource_is_kept,
        unchanged_invalid_values_are_tolerated,
        any_of_is_checked;
}

const THINGS: &str = "/apis/{group}/v1/namespaces/{ns}/things";

async fn a_definition_is_established_in_order(p: &Place) {
    let made = p.define("Thing", json!([version("v1", json!({}))])).await;
    let conditions = made["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let found: Vec<_> =
        conditions.iter().map(|c| (c["type"].as_str(), c["status"].as_str(), c["reason"].as_str())).collect();
    let expected = [
        (Some("NamesAccepted"), Some("True"), Some("NoConflicts")),
        (Some("Established"), Some("True"), Some("InitialNamesAccepted")),
    ];
    assert_eq!(found, expected);
    assert_eq!(conditions[0]["message"], "no conflicts found");
    assert_eq!(conditions[1]["message"], "the initial names have been accepted");
    assert_eq!(made["status"]["storedVersions"], json!(["v1"]));
}

async fn names_are_filled_in(p: &Place) {
    let mut given = definition("Thing", json!([version("v1", json!({}))]));
    given["spec"]["names"] = json!({"kind": "Thing", "plural": "things", "shortNames": ["th"], "categories": ["all"]});
    let made = p.define_as(given).await;
    let names = json!({"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing",
        "shortNames": ["th"], "categories": ["all"]});
    assert_eq!((&made["spec"]["names"], &made["status"]["acceptedNames"]), (&names, &names));
    assert_eq!(made["spec"]["conversion"], json!({"strategy": "None"}));
}

async fn a_definitions_name_is_plural_and_group(p: &Place) {
    let mut given = definition("Thing", json!([version("v1", json!({}))]));
    given["metadata"]["name"] = json!("others.{group}");
    let answer = p.post(DEFINITIONS, given).await;
    let part = "metadata.name: Invalid value: \"others.{group}\": must be spec.names.plural+\".\"+spec.group";
    answer.refused_with(422, "Invalid", part);
}

async fn a_definition_needs_one_stored_version(p: &Place) {
    let mut one = version("v1", json!({}));
    one["storage"] = json!(false);
    let answer = p.post(DEFINITIONS, definition("Thing", json!([one]))).await;
    answer.refused_with(422, "Invalid", "must have exactly one version marked as storage version");
    let two = json!([version("v1", json!({})), version("v2", json!({}))]);
    let answer = p.post(DEFINITIONS, definition("Thing", two)).await;
    answer.refused_with(422, "Invalid", "must have exactly one version marked as storage version");
}

async fn a_protected_group_needs_approval(p: &Place) {
    let mut given = definition("Thing", json!([version("v1", json!({}))]));
    given["spec"]["group"] = json!("{ns}.k8s.io");
    given["metadata"]["name"] = json!("things.{ns}.k8s.io");
    let answer = p.post(DEFINITIONS, given).await;
    let part = "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval \
                annotation \"api-approved.kubernetes.io\"";
    answer.refused_with(422, "Invalid", part);
}

async fn a_schema_must_be_structural(p: &Place) {
    let spec = json!({"x": {"type": "string", "anyOf": [{"type": "string"}]}});
    let answer = p.post(DEFINITIONS, definition("Thing", json!([version("v1", spec)]))).await;
    let part = "anyOf[0].type: Forbidden: must be empty to be structural";
    answer.refused_with(422, "Invalid", part);
}

async fn a_schema_needs_types(p: &Place) {
    let spec = json!({"x": {"properties": {"y": {"type": "string"}}}});
    let answer = p.post(DEFINITIONS, definition("Thing", json!([version("v1", spec)]))).await;
    let part = "properties[spec].properties[x].type: Required value: must not be empty for specified object fields";
    answer.refused_with(422, "Invalid", part);
}

async fn a_taken_kind_is_not_accepted(p: &Place) {
    p.define("Thing", json!([version("v1", json!({}))])).await;
    let mut second = definition("Thing", json!([version("v1", json!({}))]));
    second["metadata"]["name"] = json!("stuffs.{group}");
    second["spec"]["names"] = json!({"kind": "Thing", "plural": "stuffs"});
    p.create(DEFINITIONS, second).await;
    let path = format!("{DEFINITIONS}/stuffs.{{group}}");
    p.remove_later(&path);
    let is_refused = |answer: &Answer| answer.json()["status"]["conditions"][0]["status"] == "False";
    let refused = p.eventually("its names are judged", &path, is_refused).await.value(200);
    let condition = &refused["status"]["conditions"][0];
    assert_eq!((&condition["type"], &condition["reason"]), (&json!("NamesAccepted"), &json!("ListKindConflict")));
    assert_eq!(condition["message"], "\"ThingList\" is already in use");
    assert_eq!(p.get("/apis/{group}/v1/namespaces/{ns}/stuffs").await.code, 404);
}

async fn unknown_fields_are_pruned(p: &Place) {
    p.define("Thing", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    let made = p.create(THINGS, thing(json!({"n": 1, "other": {"deep": true}}))).await;
    assert_eq!(made["spec"], json!({"n": 1}));
    let patched = p.merge(&format!("{THINGS}/a"), json!({"spec": {"more": 1}, "top": 2})).await.value(200);
    assert_eq!((&patched["spec"], patched.get("top")), (&json!({"n": 1}), None));
}

async fn preserved_fields_stay(p: &Place) {
    let free = json!({"free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
        "properties": {"known": {"type": "object", "properties": {"n": {"type": "integer"}}}}}});
    p.define("Thing", json!([version("v1", free)])).await;
    let made = p.create(THINGS, thing(json!({"free": {"any": [1, {"x": null}], "known": {"n": 1, "gone": 2}}}))).await;
    assert_eq!(made["spec"]["free"], json!({"any": [1, {"x": null}], "known": {"n": 1}}));
}

async fn defaults_are_set(p: &Place) {
    let spec = json!({
        "n": {"type": "integer", "default": 5},
        "inner": {"type": "object", "default": {}, "properties": {"s": {"type": "string", "default": "x"}}},
        "list": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "boolean", "default": true}}}},
    });
    p.define("Thing", json!([version("v1", spec)])).await;
    let made = p.create(THINGS, thing(json!({"list": [{}, {"b": false}]}))).await;
    assert_eq!(made["spec"], json!({"n": 5, "inner": {"s": "x"}, "list": [{"b": true}, {"b": false}]}));
}

async fn defaults_are_set_on_read(p: &Place) {
    let mut definition = p.define("Thing", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    p.create(THINGS, thing(json!({}))).await;
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["n"]["default"] =
        json!(7);
    p.put(&format!("{DEFINITIONS}/things.{{group}}"), definition).await.value(200);
    let set = |answer: &Answer| answer.json()["spec"]["n"] == 7;
    p.eventually("the default is read", &format!("{THINGS}/a"), set).await;
}

async fn a_null_gives_way_to_its_default(p: &Place) {
    let spec = json!({"n": {"type": "integer", "default": 5}, "s": {"type": "string"}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let made = p.create(THINGS, thing(json!({"n": null, "s": null}))).await;
    assert_eq!(made["spec"], json!({"n": 5}));
}

async fn a_wrong_type_is_refused(p: &Place) {
    p.define("Thing", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    let answer = p.post(THINGS, thing(json!({"n": "five"}))).await;
    let message = "Thing.{group} \"a\" is invalid: spec.n: Invalid value: \"string\": spec.n in body must be of type \
                   integer: \"string\"";
    let status = answer.refused(422, "Invalid", message);
    let cause = &status["details"]["causes"][0];
    assert_eq!((&cause["reason"], &cause["field"]), (&json!("FieldValueTypeInvalid"), &json!("spec.n")));
}

async fn a_missing_required_field_is_refused(p: &Place) {
    let mut one = version("v1", json!({"n": {"type": "integer"}}));
    one["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] = json!(["n"]);
    p.define("Thing", json!([one])).await;
    let answer = p.post(THINGS, thing(json!({}))).await;
    let message = "Thing.{group} \"a\" is invalid: spec.n: Required value";
    let status = answer.refused(422, "Invalid", message);
    assert_eq!(status["details"]["causes"][0]["reason"], "FieldValueRequired");
}

async fn a_value_that_is_not_in_the_enumeration_is_refused(p: &Place) {
    p.define("Thing", json!([version("v1", json!({"c": {"type": "string", "enum": ["red", "blue"]}}))])).await;
    let answer = p.post(THINGS, thing(json!({"c": "green"}))).await;
    let message =
        "Thing.{group} \"a\" is invalid: spec.c: Unsupported value: \"green\": supported values: \"red\", \"blue\"";
    answer.refused(422, "Invalid", message);
}

async fn numbers_have_bounds(p: &Place) {
    let spec = json!({"n": {"type": "integer", "minimum": 1, "maximum": 9}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let answer = p.post(THINGS, thing(json!({"n": 0}))).await;
    answer.refused_with(
        422,
        "Invalid",
        "spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1",
    );
    let answer = p.post(THINGS, thing(json!({"n": 10}))).await;
    answer.refused_with(422, "Invalid", "spec.n: Invalid value: 10: spec.n in body should be less than or equal to 9");
}

async fn strings_have_patterns_and_lengths(p: &Place) {
    let spec = json!({"s": {"type": "string", "pattern": "^[a-z]+$"}, "t": {"type": "string", "minLength": 2, "maxLength": 3}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let answer = p.post(THINGS, thing(json!({"s": "A1"}))).await;
    answer.refused_with(422, "Invalid", "spec.s: Invalid value: \"A1\": spec.s in body should match '^[a-z]+$'");
    let answer = p.post(THINGS, thing(json!({"t": "x"}))).await;
    answer.refused_with(422, "Invalid", "spec.t: Invalid value: \"x\": spec.t in body should be at least 2 chars long");
    let answer = p.post(THINGS, thing(json!({"t": "xxxx"}))).await;
    answer.refused_with(422, "Invalid", "spec.t: Too long: may not be more than 3 bytes");
}

async fn lists_have_lengths(p: &Place) {
    let spec = json!({"l": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let answer = p.post(THINGS, thing(json!({"l": []}))).await;
    answer.refused_with(422, "Invalid", "spec.l: Invalid value: 0: spec.l in body should have at least 1 items");
    let answer = p.post(THINGS, thing(json!({"l": [1, 2, 3]}))).await;
    answer.refused_with(422, "Invalid", "spec.l: Too many: 3: must have at most 2 items");
}

async fn a_set_has_no_duplicates(p: &Place) {
    let spec = json!({"l": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let answer = p.post(THINGS, thing(json!({"l": ["a", "b", "a"]}))).await;
    answer.refused_with(422, "Invalid", "spec.l[2]: Duplicate value: \"a\"");
}

async fn a_map_list_has_no_duplicate_keys(p: &Place) {
    let item = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}});
    let spec = json!({"l": {"type": "array", "items": item, "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["id"]}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let answer = p.post(THINGS, thing(json!({"l": [{"id": "a"}, {"id": "a"}]}))).await;
    answer.refused_with(422, "Invalid", "spec.l[1]: Duplicate value: {\"id\":\"a\"}");
}

async fn int_or_string_takes_both(p: &Place) {
    p.define("Thing", json!([version("v1", json!({"p": {"x-kubernetes-int-or-string": true}}))])).await;
    assert_eq!(p.create(THINGS, thing(json!({"p": 80}))).await["spec"]["p"], 80);
    assert_eq!(p.merge(&format!("{THINGS}/a"), json!({"spec": {"p": "http"}})).await.value(200)["spec"]["p"], "http");
    let answer = p.merge(&format!("{THINGS}/a"), json!({"spec": {"p": true}})).await;
    answer.refused_with(422, "Invalid", "spec.p in body must be of type integer,string: \"boolean\"");
}

async fn a_nullable_field_takes_null(p: &Place) {
    let spec = json!({"n": {"type": "integer", "nullable": true, "default": 5}});
    p.define("Thing", json!([version("v1", spec)])).await;
    assert_eq!(p.create(THINGS, thing(json!({"n": null}))).await["spec"], json!({"n": null}));
}

async fn a_format_is_checked(p: &Place) {
    let spec = json!({"t": {"type": "string", "format": "date-time"}, "n": {"type": "integer", "format": "int32"}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let answer = p.post(THINGS, thing(json!({"t": "yesterday"}))).await;
    let part = "spec.t: Invalid value: \"yesterday\": spec.t in body must be of type date-time: \"yesterday\"";
    answer.refused_with(422, "Invalid", part);
}

async fn several_errors_are_listed(p: &Place) {
    let spec = json!({"m": {"type": "integer", "minimum": 1}, "n": {"type": "integer", "minimum": 1}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let answer = p.post(THINGS, thing(json!({"m": 0, "n": 0}))).await;
    let status = answer.refused_with(422, "Invalid", "Thing.{group} \"a\" is invalid: [");
    assert_eq!(status["details"]["causes"].as_array().map(Vec::len), Some(2));
}

async fn versions_are_converted_by_name(p: &Place) {
    let properties = json!({"n": {"type": "integer"}});
    let (one, mut two) = (version("v1", properties.clone()), version("v2", properties));
    two["storage"] = json!(false);
    p.define("Thing", json!([one, two])).await;
    p.create(THINGS, thing(json!({"n": 1}))).await;
    let other = p.get("/apis/{group}/v2/namespaces/{ns}/things/a").await.value(200);
    assert_eq!((other["apiVersion"].as_str(), &other["spec"]["n"]), (Some(p.named("{group}/v2").as_str()), &json!(1)));
}

async fn a_version_that_is_not_served_is_not_found(p: &Place) {
    let (one, mut two) = (version("v1", json!({})), version("v2", json!({})));
    (two["storage"], two["served"]) = (json!(false), json!(false));
    p.define("Thing", json!([one, two])).await;
    assert_eq!(p.get("/apis/{group}/v2/namespaces/{ns}/things").await.code, 404);
}

async fn stored_versions_are_remembered(p: &Place) {
    let mut definition = p.define("Thing", json!([version("v1", json!({}))])).await;
    definition["spec"]["versions"][0]["storage"] = json!(false);
    let versions = definition["spec"]["versions"].as_array_mut().expect("it has versions");
    versions.push(version("v2", json!({})));
    let path = format!("{DEFINITIONS}/things.{{group}}");
    p.put(&path, definition).await.value(200);
    let both = |answer: &Answer| answer.json()["status"]["storedVersions"] == json!(["v1", "v2"]);
    p.eventually("both are remembered", &path, both).await;
}

async fn a_schema_changes_while_it_is_served(p: &Place) {
    let mut definition = p.define("Thing", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    let properties = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    properties["properties"]["s"] = json!({"type": "string"});
    p.put(&format!("{DEFINITIONS}/things.{{group}}"), definition).await.value(200);
    p.create(THINGS, thing(json!({"n": 1}))).await;
    let patch = json!({"spec": {"s": "x"}});
    let is_kept = |answer: &Answer| answer.value(200)["spec"]["s"] == "x";
    p.merge_until("the new field is kept", &format!("{THINGS}/a"), &patch, is_kept).await;
}

async fn a_new_version_is_served(p: &Place) {
    let mut definition = p.define("Thing", json!([version("v1", json!({}))])).await;
    let mut second = version("v2", json!({}));
    second["storage"] = json!(false);
    definition["spec"]["versions"].as_array_mut().expect("it has versions").push(second);
    p.put(&format!("{DEFINITIONS}/things.{{group}}"), definition).await.value(200);
    p.eventually("it is served", "/apis/{group}/v2/namespaces/{ns}/things", |answer| answer.code == 200).await;
}

async fn a_deleted_definition_takes_its_objects(p: &Place) {
    p.define("Thing", json!([version("v1", json!({}))])).await;
    p.create(THINGS, thing(json!({}))).await;
    let path = format!("{DEFINITIONS}/things.{{group}}");
    p.delete(&path).await.value(200);
    p.eventually("the definition is gone", &path, |answer| answer.code == 404).await;
    p.eventually("the kind is gone", THINGS, |answer| answer.code == 404).await;
    p.define("Thing", json!([version("v1", json!({}))])).await;
    assert_eq!(names(&p.get(THINGS).await.value(200)), [""; 0]);
}

async fn a_cluster_kind_has_no_namespace(p: &Place) {
    let mut given = definition("Thing", json!([version("v1", json!({}))]));
    given["spec"]["scope"] = json!("Cluster");
    p.define_as(given).await;
    let made = p.create("/apis/{group}/v1/things", thing(json!({}))).await;
    assert_eq!(made["metadata"].get("namespace"), None);
    assert_eq!(p.get(THINGS).await.code, 404);
}

async fn an_object_carries_its_kind_in_lists(p: &Place) {
    p.define("Thing", json!([version("v1", json!({}))])).await;
    p.create(THINGS, thing(json!({}))).await;
    let list = p.get(THINGS).await.value(200);
    assert_eq!((&list["kind"], &list["items"][0]["kind"]), (&json!("ThingList"), &json!("Thing")));
}

async fn unknown_fields_of_a_custom_resource_are_warned_about(p: &Place) {
    p.define("Thing", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    let answer = p.post(THINGS, thing(json!({"other": 1}))).await;
    assert_eq!(answer.value(201)["spec"], json!({}));
    assert_eq!(answer.warnings(), ["unknown field \"spec.other\""]);
}

async fn strict_refuses_unknown_fields_of_a_custom_resource(p: &Place) {
    p.define("Thing", json!([version("v1", json!({"n": {"type": "integer"}}))])).await;
    let answer = p.post(&format!("{THINGS}?fieldValidation=Strict"), thing(json!({"other": 1}))).await;
    answer.refused_with(400, "BadRequest", "strict decoding error: unknown field \"spec.other\"");
}

async fn strict_refuses_duplicates_within_what_is_preserved(p: &Place) {
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    p.define("Thing", json!([version("v1", json!({"any": any}))])).await;
    let body = "{\"apiVersion\":\"{group}/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"},\
                \"spec\":{\"any\":{\"x\":{\"y\":1,\"y\":2},\"x\":3}}}";
    let things = "/apis/{group}/v1/namespaces/{ns}/things";
    let ask = |query: &str| p.ask("POST", &format!("{things}?{query}")).text("application/json", body);
    let answer = ask("fieldValidation=Strict").send().await;
    let part = "strict decoding error: duplicate field \"spec.any.x.y\", duplicate field \"spec.any.x\"";
    answer.refused_with(400, "BadRequest", part);
    let answer = ask("fieldValidation=Warn").send().await;
    assert_eq!(answer.value(201)["spec"], json!({"any": {"x": 3}}));
    assert_eq!(answer.warnings(), ["duplicate field \"spec.any.x.y\"", "duplicate field \"spec.any.x\""]);
}

async fn an_embedded_resource_is_kept(p: &Place) {
    let spec = json!({"template": {"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let inner = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"k": "v"}});
    assert_eq!(p.create(THINGS, thing(json!({"template": inner}))).await["spec"]["template"], inner);
    let answer = p.merge(&format!("{THINGS}/a"), json!({"spec": {"template": {"kind": null}}})).await;
    answer.refused_with(422, "Invalid", "spec.template.kind: Required value");
}

async fn unchanged_invalid_values_are_tolerated(p: &Place) {
    let spec = json!({"n": {"type": "integer"}, "s": {"type": "string"}});
    let mut definition = p.define("Thing", json!([version("v1", spec)])).await;
    p.create(THINGS, thing(json!({"n": 50}))).await;
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["n"]["maximum"] =
        json!(9);
    p.put(&format!("{DEFINITIONS}/things.{{group}}"), definition).await.value(200);
    // Once the new rule is served, a new object is refused by it.
    let mut probe = thing(json!({"n": 60}));
    probe["metadata"]["name"] = json!("probe");
    let tried = format!("{THINGS}?dryRun=All");
    p.post_until("the new rule is served", &tried, &probe, |answer| answer.code == 422).await;
    let patched = p.merge(&format!("{THINGS}/a"), json!({"spec": {"s": "x"}})).await.value(200);
    assert_eq!(patched["spec"], json!({"n": 50, "s": "x"}));
}

async fn any_of_is_checked(p: &Place) {
    let spec = json!({"n": {"type": "integer", "anyOf": [{"minimum": 10}, {"maximum": 1}]}});
    p.define("Thing", json!([version("v1", spec)])).await;
    let answer = p.post(THINGS, thing(json!({"n": 5}))).await;
    answer.refused_with(422, "Invalid", "spec.n: Invalid value: ");
    p.create(THINGS, thing(json!({"n": 12}))).await;
}

fn thing(spec: Value) -> Value {
    json!({"apiVersion": "{group}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}
