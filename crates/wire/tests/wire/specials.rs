//! The types that protobuf writes otherwise than JSON does, one by one: an object of each kind goes from JSON into its
//! type, from there into protobuf, and comes back the same in both forms.

use k8s_openapi::api::apps::v1::{ControllerRevision, Deployment};
use k8s_openapi::api::authorization::v1::SubjectAccessReview;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, ResourceQuota, Secret, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle_wire::protobuf::{self, Envelope};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Checks that `object` survives every way, and gives its message.
fn check<K: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(object: &Value) -> Vec<u8> {
    let typed: K = serde_json::from_value(object.clone()).unwrap();
    let words = (object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap());
    let body = protobuf::encode(words.0, words.1, &typed).unwrap();
    let json = json_of(&body);
    assert!(holds(&json, object), "{json} should hold {object}");
    assert_eq!(protobuf::decode::<K>(&body).unwrap(), serde_json::from_value(json.clone()).unwrap());
    assert_eq!(protobuf::from_json(json.to_string().as_bytes()).unwrap(), body, "from that JSON");
    assert_eq!(protobuf::from_json(object.to_string().as_bytes()).unwrap(), body, "from the first JSON");
    Envelope::open(&body).unwrap().raw.to_vec()
}

/// Whether everything that was said is still there. A server says more: structs that JSON never leaves out.
fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| holds(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| holds(whole, part))
        }
        (Value::Number(whole), Value::Number(part)) => whole.as_f64() == part.as_f64(),
        (whole, part) => whole == part,
    }
}

/// The JSON of a body.
fn json_of(body: &[u8]) -> Value {
    serde_json::from_slice(&protobuf::to_json(body).unwrap()).unwrap()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn values_that_a_server_always_sends_come_out_as_json_has_them() {
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" },
                      "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let raw = check::<Pod>(&pod);
    // hostNetwork (11), hostname (16): sent although false and empty.
    assert!(contains(&raw, &[0x58, 0]) && contains(&raw, &[0x82, 0x01, 0]));
    let body = protobuf::from_json(pod.to_string().as_bytes()).unwrap();
    let json = json_of(&body);
    assert_eq!(
        json,
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "status": {},
                "spec": { "containers": [{ "name": "c", "image": "i", "resources": {} }] } }),
        "no hostNetwork, no hostname, no creationTimestamp; the structs that JSON never leaves out"
    );
    let decoded: Pod = protobuf::decode(&body).unwrap();
    let spec = decoded.spec.unwrap();
    assert_eq!((spec.host_network, spec.hostname, decoded.metadata.creation_timestamp), (None, None, None));
}

#[test]
fn an_empty_time_is_null_where_json_says_null_and_absent_where_it_says_nothing() {
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "creationTimestamp": null },
                      "status": { "conditions": [{ "type": "Ready", "status": "True", "lastProbeTime": null }] } });
    let body = protobuf::from_json(pod.to_string().as_bytes()).unwrap();
    let json = json_of(&body);
    assert!(json["metadata"].get("creationTimestamp").is_none(), "{json}");
    let condition = json["status"]["conditions"][0].as_object().unwrap();
    assert_eq!(condition.get("lastProbeTime"), Some(&Value::Null));
    let decoded: Pod = protobuf::decode(&body).unwrap();
    assert_eq!(decoded.status.unwrap().conditions.unwrap()[0].last_probe_time, None);
}

#[test]
fn a_list_that_json_always_has_is_null_where_there_is_none() {
    let kind = "io.k8s.api.core.v1.PodSpec";
    let spec = protobuf::message_to_json(pintle_wire::facts::named(kind).unwrap(), &[]).unwrap();
    assert_eq!(String::from_utf8(spec).unwrap(), r#"{"containers":null}"#);
}

#[test]
fn an_empty_list_has_no_items_rather_than_null() {
    let list = json!({ "apiVersion": "v1", "kind": "PodList", "metadata": { "resourceVersion": "7" }, "items": [] });
    assert_eq!(json_of(&protobuf::from_json(list.to_string().as_bytes()).unwrap()), list);
}

#[test]
fn extra_values_are_lists_in_messages_of_their_own() {
    check::<SubjectAccessReview>(&json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
        "spec": { "user": "u", "extra": { "scopes": ["a", "", "b"], "none": [] } },
        "status": { "allowed": false },
    }));
}

#[test]
fn json_schemas_their_alternatives_and_references_come_back() {
    let schema = json!({
        "type": "object",
        "$schema": "https://example.com/s", "$ref": "#/definitions/x",
        "default": { "a": [1, 2.5, null, "x"] }, "example": "text", "enum": [1, "two", null, { "three": 3 }],
        "additionalProperties": false, "additionalItems": true, "maximum": 2, "multipleOf": 0.5,
        "items": [{ "type": "string" }, { "type": "integer", "minimum": -1 }],
        "dependencies": { "a": ["b", "c"], "b": { "type": "string" } },
        "properties": {
            "map": { "type": "object", "additionalProperties": { "type": "integer" } },
            "list": { "type": "array", "items": { "$ref": "#/x" } },
            "zero": { "default": 0, "maximum": 0.0, "x-kubernetes-preserve-unknown-fields": false },
        },
    });
    let raw = check::<CustomResourceDefinition>(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "names": { "kind": "Widget", "plural": "widgets" }, "scope": "Namespaced",
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    }));
    assert!(contains(&raw, br##"{"a":[1,2.5,null,"x"]}"##), "defaults are kept as JSON");
    assert!(contains(&raw, b"#/definitions/x"));
}

#[test]
fn a_schema_or_list_that_holds_neither_is_none_in_every_way() {
    let definition = json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "a" }, "spec": { "group": "g", "scope": "Cluster",
            "names": { "kind": "K", "plural": "p" },
            "versions": [{ "name": "v", "served": true, "storage": true,
                           "schema": { "openAPIV3Schema": { "items": { "not": {} } } } }] } });
    let body = protobuf::from_json(definition.to_string().as_bytes()).unwrap();
    // The schema in `items` (24) is field 1 there; as field 6, which is unknown, it is passed over.
    let at = body.windows(2).position(|pair| pair == [0xc2, 0x01]).unwrap() + 3;
    let mut unknown = body.clone();
    assert_eq!(std::mem::replace(&mut unknown[at], 0x32), 0x0a);
    let typed: CustomResourceDefinition = protobuf::decode(&unknown).unwrap();
    let json = json_of(&unknown);
    assert_eq!(json["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["items"], Value::Null);
    assert_eq!(typed, serde_json::from_value(json).unwrap());
}

/// A definition whose schema says `maximum` and nothing else.
fn limited(maximum: &str) -> String {
    format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"a"}},"spec":{{"group":"g",
        "scope":"Cluster","names":{{"kind":"K","plural":"p"}},"versions":[{{"name":"v","served":true,"storage":true,
        "schema":{{"openAPIV3Schema":{{"maximum":{maximum}}}}}}}]}}}}"#
    )
}

/// Where `value` stands in `body`, which has it once.
fn place_of(value: f64, body: &[u8]) -> usize {
    body.windows(8).position(|window| window == value.to_le_bytes()).unwrap()
}

fn maximum_of(definition: &CustomResourceDefinition) -> Option<f64> {
    definition.spec.versions[0].schema.as_ref()?.open_api_v3_schema.as_ref()?.maximum
}

#[test]
fn doubles_are_the_same_to_their_last_bit_in_every_form() {
    // The last ones are read as a neighbour by those who round twice.
    for text in [
        "0",
        "1.5",
        "-2",
        "0.1",
        "1e-7",
        "123456789.12345679",
        "5e-324",
        "1.7976931348623157e308",
        "31.245270191439438",
        "121.48791951161945",
        "100.78399658203125",
        "2.2250738585072011e-308",
    ] {
        let exact: f64 = text.parse().unwrap();
        let body = protobuf::from_json(limited(text).as_bytes()).unwrap();
        place_of(exact, &body);
        assert_eq!(maximum_of(&protobuf::decode(&body).unwrap()), Some(exact), "{text}");
        let json = protobuf::to_json(&body).unwrap();
        assert_eq!(maximum_of(&serde_json::from_slice(&json).unwrap()), Some(exact), "{text}");
        assert_eq!(protobuf::from_json(&json).unwrap(), body, "{text}");
    }
}

#[test]
fn a_whole_double_is_written_as_go_writes_it() {
    for (text, written) in
        [("2", "2"), ("-2.0", "-2"), ("0.0", "0"), ("2.5", "2.5"), ("9007199254740992", "9007199254740992")]
    {
        let json = protobuf::to_json(&protobuf::from_json(limited(text).as_bytes()).unwrap()).unwrap();
        assert!(contains(&json, format!("{{\"maximum\":{written}}}").as_bytes()), "{}", String::from_utf8_lossy(&json));
    }
}

#[test]
fn a_number_that_json_cannot_write_is_refused_in_every_way_and_named_by_its_place() {
    let mut definition: CustomResourceDefinition = serde_json::from_str(&limited("1.25")).unwrap();
    let body = protobuf::from_json(limited("1.25").as_bytes()).unwrap();
    let at = place_of(1.25, &body);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut body = body.clone();
        body[at..at + 8].copy_from_slice(&value.to_le_bytes());
        let schema = definition.spec.versions[0].schema.as_mut().unwrap();
        schema.open_api_v3_schema.as_mut().unwrap().maximum = Some(value);
        assert!(protobuf::to_json(&body).is_err(), "{value}");
        let refusals = [
            protobuf::decode::<CustomResourceDefinition>(&body).unwrap_err(),
            protobuf::encode("apiextensions.k8s.io/v1", "CustomResourceDefinition", &definition).unwrap_err(),
        ];
        for refusal in refusals {
            let message = refusal.to_string();
            assert!(message.contains("maximum: expected a finite number"), "{value}: {message}");
        }
    }
}

#[test]
fn embedded_messages_are_written_among_the_fields_around_them() {
    let raw = check::<Pod>(&json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" },
        "spec": {
            "volumes": [
                { "name": "data", "emptyDir": { "sizeLimit": "1Gi" } },
                { "name": "settings", "configMap": { "name": "c", "optional": true } },
                { "name": "token", "projected": { "sources": [{ "serviceAccountToken": { "path": "t" } }] } },
            ],
            "containers": [{
                "name": "c",
                "livenessProbe": { "httpGet": { "port": "web", "path": "/" }, "periodSeconds": 5 },
                "readinessProbe": { "exec": { "command": ["true"] } },
                "env": [{ "name": "E", "valueFrom": { "secretKeyRef": { "name": "s", "key": "k" } } }],
                "envFrom": [{ "configMapRef": { "name": "m" } }],
            }],
            "ephemeralContainers": [{ "name": "debug", "image": "i", "targetContainerName": "c" }],
        },
    }));
    // A volume is its name (1) and a message of its source (2), in which emptyDir is 2.
    assert!(contains(&raw, b"\x0a\x04data\x12"));
}

#[test]
fn quantities_are_their_text() {
    let raw = check::<ResourceQuota>(&json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "q" },
        "spec": { "hard": { "cpu": "1500m", "memory": "1Gi", "pods": "0" } }, "status": {},
    }));
    assert!(contains(&raw, b"\x0a\x03cpu\x12\x07\x0a\x051500m"));
    let json = json!({ "apiVersion": "v1", "kind": "ResourceQuota", "spec": { "hard": { "cpu": null } } });
    let body = protobuf::from_json(json.to_string().as_bytes()).unwrap();
    assert_eq!(json_of(&body)["spec"]["hard"]["cpu"], "0", "as Go writes a quantity that was never set");
}

#[test]
fn int_or_string_is_one_or_the_other() {
    let service = |target: Value| {
        json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "s" },
                "spec": { "ports": [{ "port": 80, "targetPort": target }] }, "status": {} })
    };
    assert!(contains(&check::<Service>(&service(json!("web"))), b"\x22\x09\x08\x01\x10\x00\x1a\x03web"));
    assert!(contains(&check::<Service>(&service(json!(8080))), b"\x22\x07\x08\x00\x10\x90\x3f\x1a\x00"));
    check::<Service>(&service(json!(-1)));
    check::<Service>(&service(json!("")));
}

#[test]
fn raw_extensions_keep_their_json() {
    let raw = check::<ControllerRevision>(&json!({
        "apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": { "name": "r" }, "revision": 1,
        "data": { "apiVersion": "example.com/v1", "kind": "Widget", "spec": { "n": 18446744073709551615_u64, "f": 1.5 } },
    }));
    assert!(contains(&raw, br#""n":18446744073709551615"#));
}

/// A list of anything, with one item: its items (2) are raw extensions, whose bytes are field 1.
fn list_of(object: &[u8]) -> Vec<u8> {
    let list = behind_length(0x12, &behind_length(0x0a, object));
    Envelope { api_version: "v1", kind: "List", raw: &list }.seal()
}

/// A field of bytes.
fn behind_length(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let (mut field, mut length) = (vec![tag], bytes.len());
    while length >= 0x80 {
        field.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    field.push(u8::try_from(length).unwrap());
    field.extend_from_slice(bytes);
    field
}

#[test]
fn a_raw_extension_may_hold_an_object_in_an_envelope() {
    let inner = protobuf::from_json(br#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"}}"#).unwrap();
    assert_eq!(
        json_of(&list_of(&inner))["items"],
        json!([{ "apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "data": { "a": "1" } }])
    );
}

#[test]
fn envelopes_within_envelopes_are_nesting_too() {
    let mut body = protobuf::from_json(br#"{"apiVersion":"v1","kind":"ConfigMap"}"#).unwrap();
    let wrap = |body: &mut Vec<u8>, times: usize| (0..times).for_each(|_| *body = list_of(body));
    wrap(&mut body, 50);
    assert_eq!(json_of(&body)["items"][0]["items"][0]["kind"], "List");
    wrap(&mut body, 5000);
    let error = protobuf::to_json(&body).unwrap_err().to_string();
    assert!(error.ends_with("items: nested deeper than 128 levels"), "{error}");
    assert!(protobuf::decode::<Value>(&body).is_err());
}

#[test]
fn fields_of_managers_are_kept_as_json() {
    let raw = check::<ConfigMap>(&json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "c", "managedFields": [{
            "manager": "m", "operation": "Apply", "apiVersion": "v1", "time": "2026-11-16T00:00:00Z",
            "fieldsType": "FieldsV1", "fieldsV1": { "f:data": { ".": {}, "f:a": {} } },
        }] },
    }));
    assert!(contains(&raw, br#"{"f:data":{".":{},"f:a":{}}}"#));
}

#[test]
fn bytes_are_base64_in_json_and_themselves_in_protobuf() {
    let raw = check::<Secret>(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "type": "Opaque",
        "data": { "all": "AAECA//+/Q==", "none": "" },
    }));
    assert!(contains(&raw, &[0, 1, 2, 3, 255, 254, 253]));
    let wrong = json!({ "apiVersion": "v1", "kind": "Secret", "data": { "k": "!hunter2!" } });
    let error = protobuf::from_json(wrong.to_string().as_bytes()).unwrap_err().to_string();
    assert!(error.contains("data: expected base64") && !error.contains("hunter2"), "{error}");
}

#[test]
fn times_have_seconds_and_micro_times_microseconds() {
    check::<Lease>(&json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": { "name": "l", "creationTimestamp": "2026-11-16T00:35:45Z" },
        "spec": { "renewTime": "2026-11-16T00:35:45.000120Z", "acquireTime": "1969-12-31T23:59:59.999999Z" },
    }));
}

#[test]
fn the_envelope_says_what_is_in_it() {
    let body = protobuf::encode("v1", "ConfigMap", &json!({ "data": { "a": "1" } })).unwrap();
    assert!(body.starts_with(b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12"));
    assert!(body.ends_with(b"\x1a\0\x22\0"), "as a server ends it");
    let envelope = Envelope::open(&body).unwrap();
    assert_eq!((envelope.api_version, envelope.kind), ("v1", "ConfigMap"));
    let error = protobuf::decode::<Secret>(&body).unwrap_err();
    assert_eq!(error.to_string(), "expected Secret", "as the JSON of another kind is refused");
    for (wrong, said) in [
        (&b"{\"kind\":\"Pod\"}"[..], "does not begin as"),
        (b"k8s\0\x0a\x0f\x0a\x02v1", "beyond the end"),
        (b"k8s\0\x0a\x07\x0a\x01x\x12\x02Pq", "\"Pq\" of \"x\" has no protobuf form"),
        (b"k8s\0\x22\x10application/json", "\"application/json\" and no protobuf"),
    ] {
        let error = protobuf::to_json(wrong).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(protobuf::from_json(br#"{"apiVersion":"example.com/v1","kind":"Widget"}"#).unwrap_err().is_unknown_kind());
}

#[test]
fn what_is_of_another_type_is_named_by_its_place_and_never_quoted() {
    let wrong = json!({ "apiVersion": "apps/v1", "kind": "Deployment",
                        "spec": { "template": { "spec": { "containers": [{ "name": ["hunter2"] }] } } } });
    let error = protobuf::from_json(wrong.to_string().as_bytes()).unwrap_err().to_string();
    assert!(error.contains("expected a text") && error.contains("containers"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
    // A Deployment's replicas (1) are a number; here they are bytes.
    let spec = b"\x12\x0a\x0a\x08hunter2!";
    let body = Envelope { api_version: "apps/v1", kind: "Deployment", raw: spec }.seal();
    let error = protobuf::decode::<Deployment>(&body).unwrap_err().to_string();
    assert_eq!(error, "spec.replicas: malformed protobuf: a field of another wire type");
}

#[test]
fn fields_may_come_in_pieces_and_in_any_order() {
    // Data, half of the metadata, more data, the other half, the first key again, and an unknown field.
    let apart = [
        &b"\x12\x06\x0a\x01a\x12\x011"[..],
        b"\x0a\x08\x5a\x06\x0a\x01l\x12\x01x",
        b"\x12\x06\x0a\x01b\x12\x012",
        b"\x0a\x03\x0a\x01n",
        b"\x12\x06\x0a\x01a\x12\x013",
        b"\xf8\x07\x01",
    ]
    .concat();
    let kind = pintle_wire::facts::named("io.k8s.api.core.v1.ConfigMap").unwrap();
    let decoded: ConfigMap = protobuf::decode_message(kind, &apart).unwrap();
    assert_eq!(decoded.metadata.name.as_deref(), Some("n"));
    assert_eq!(decoded.metadata.labels.unwrap()["l"], "x");
    let data: Vec<_> = decoded.data.unwrap().into_iter().collect();
    assert_eq!(data, [("a".to_owned(), "3".to_owned()), ("b".to_owned(), "2".to_owned())]);
}

#[test]
fn an_unknown_field_does_not_cut_a_map_in_two() {
    let entries = b"\x0a\x03\x0a\x01n\x12\x06\x0a\x01a\x12\x011\xf8\x07\x01\x12\x06\x0a\x01b\x12\x012";
    let kind = pintle_wire::facts::named("io.k8s.api.core.v1.ConfigMap").unwrap();
    let decoded: ConfigMap = protobuf::decode_message(kind, entries).unwrap();
    assert_eq!(decoded.data.unwrap().into_keys().collect::<Vec<_>>(), ["a", "b"]);
    let json: Value = serde_json::from_slice(&protobuf::message_to_json(kind, entries).unwrap()).unwrap();
    assert_eq!(json["data"], json!({ "a": "1", "b": "2" }));
}

/// The JSON is made of a message that was put in order first, the object of one that was not.
#[test]
fn a_message_decodes_as_its_json_does_whichever_bit_of_it_is_changed() {
    let kind = pintle_wire::facts::named("io.k8s.api.core.v1.Pod").unwrap();
    let message = protobuf::message_from_json(
        kind,
        br#"{"metadata":{"name":"a","creationTimestamp":"2026-11-16T00:35:45Z","labels":{"l":"v","m":"w"},
        "managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}]},
        "spec":{"containers":[{"name":"c","ports":[{"containerPort":80},{"containerPort":81}],
        "livenessProbe":{"httpGet":{"port":"web"}},"resources":{"limits":{"cpu":"1"}}}],
        "volumes":[{"name":"v","emptyDir":{}}],"securityContext":{"supplementalGroups":[1,2]},"priority":-1},
        "status":{"conditions":[{"type":"Ready","status":"True"}]}}"#,
    )
    .unwrap();
    let check = |message: &[u8]| {
        let typed = protobuf::decode_message::<Pod>(kind, message).ok();
        let json = protobuf::message_to_json(kind, message).ok();
        assert_eq!(typed, json.and_then(|json| serde_json::from_slice(&json).ok()), "{message:02x?}");
    };
    for at in 0..message.len() {
        check(&message[..at]);
        for bit in 0..8 {
            let mut changed = message.clone();
            changed[at] ^= 1 << bit;
            check(&changed);
        }
    }
}

#[test]
fn numbers_in_lists_may_be_packed() {
    // supplementalGroups (4) of a pod's security context.
    let kind = pintle_wire::facts::named("io.k8s.api.core.v1.PodSecurityContext").unwrap();
    for bytes in [&[0x22, 3, 1, 0xac, 0x02][..], &[0x20, 1, 0x20, 0xac, 0x02], &[0x22, 1, 1, 0x20, 0xac, 0x02]] {
        let json = protobuf::message_to_json(kind, bytes).unwrap();
        assert_eq!(String::from_utf8(json).unwrap(), r#"{"supplementalGroups":[1,300]}"#);
    }
}

#[test]
fn text_that_is_not_utf_8_is_mended_as_go_mends_it() {
    let kind = pintle_wire::facts::named("io.k8s.api.core.v1.ConfigMap").unwrap();
    let json = protobuf::message_to_json(kind, b"\x12\x07\x0a\x01\xff\x12\x02\xfea").unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["data"]["\u{fffd}"], "\u{fffd}a");
}

#[test]
fn nesting_has_a_limit() {
    let mut schema = Vec::new();
    for _ in 0..200 {
        // The tag of `not` is two bytes.
        schema = [&[0xe2][..], &behind_length(0x01, &schema)].concat();
    }
    let name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
    let kind = pintle_wire::facts::named(name).unwrap();
    let error = protobuf::message_to_json(kind, &schema).unwrap_err().to_string();
    assert!(error.ends_with("not: nested deeper than 128 levels"), "{error}");
}
