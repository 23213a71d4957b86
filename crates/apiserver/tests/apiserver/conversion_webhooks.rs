//! Custom resources whose versions a webhook converts. The words are those that kube-apiserver 1.37 used with a webhook that
//! answered the same.

use std::sync::Arc;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::webhooks::program::Program;
use super::world::{DEFINITIONS, World};

const V1: &str = "/apis/example.com/v1/namespaces/default/things";
const V2: &str = "/apis/example.com/v2/namespaces/default/things";

/// Things have `hostPort` in v1, which is stored, and `host` and `port` in v2.
fn definition() -> Value {
    let text = json!({"type": "string"});
    let version = |name: &str, properties: Value| {
        let schema = json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": properties},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        }});
        json!({"name": name, "served": true, "storage": name == "v1", "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": schema}})
    };
    json!({"metadata": {"name": "things.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
        "conversion": {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://hooks.test/convert"},
        }},
        "versions": [
            version("v1", json!({"hostPort": text})),
            version("v2", json!({"host": text, "port": text, "weight": {"type": "integer", "default": 1}})),
        ],
    }})
}

fn thing(version: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("example.com/{version}"), "kind": "Thing", "metadata": {"name": name}, "spec": spec})
}

/// One object at another version.
fn converted(object: &Value, api_version: &Value) -> Value {
    let mut object = object.clone();
    object["apiVersion"] = api_version.clone();
    let Some(spec) = object["spec"].as_object_mut() else { return object };
    if api_version == "example.com/v2" {
        if let Some(Value::String(both)) = spec.remove("hostPort") {
            let (host, port) = both.split_once(':').unwrap_or((&both, ""));
            spec.insert("host".to_owned(), host.into());
            spec.insert("port".to_owned(), port.into());
        }
    } else {
        let text = |value: Option<Value>| value.and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
        let both = format!("{}:{}", text(spec.remove("host")), text(spec.remove("port")));
        spec.insert("hostPort".to_owned(), both.into());
    }
    object
}

fn all_converted(review: &Value) -> Value {
    let request = &review["request"];
    let objects = request["objects"].as_array().unwrap().iter();
    let objects: Vec<Value> = objects.map(|object| converted(object, &request["desiredAPIVersion"])).collect();
    json!({"convertedObjects": objects, "result": {"status": "Success"}})
}

async fn things(program: &Program) -> World {
    let world = program.world();
    world.post(DEFINITIONS, definition()).await.expect(201);
    world
}

async fn apply(world: &World, path: &str, body: &Value) -> super::world::Reply {
    let headers = [("content-type", "application/apply-patch+yaml")];
    world.send("PATCH", path, &headers, body.to_string().into_bytes()).await
}

#[tokio::test(start_paused = true)]
async fn objects_are_read_and_written_at_every_version_and_stored_at_one() {
    let program = Program::new(|_, review| all_converted(review));
    let world = things(&program).await;
    world.post(V1, thing("v1", "a", &json!({"hostPort": "h:1"}))).await.expect(201);
    assert_eq!(world.get(&format!("{V1}/a")).await.expect(200)["spec"], json!({"hostPort": "h:1"}));
    assert_eq!(program.reviews().len(), 0, "no webhook is called where the versions are equal");
    let read = world.get(&format!("{V2}/a")).await.expect(200);
    // Defaults are those of the version that is stored.
    assert_eq!((&read["apiVersion"], &read["spec"]), (&json!("example.com/v2"), &json!({"host": "h", "port": "1"})));
    let review = program.reviews().remove(0);
    assert_eq!(review.url, "https://hooks.test/convert?timeout=30s");
    assert_eq!(review.body["kind"], "ConversionReview");
    assert_eq!(review.body["request"]["objects"][0]["metadata"].get("resourceVersion"), None);
    let made = world.post(V2, thing("v2", "b", &json!({"host": "h", "port": "2"}))).await.expect(201);
    assert_eq!(made["spec"], json!({"host": "h", "port": "2"}), "what is stored has no weight");
    let calls = program.reviews().len();
    assert_eq!(world.get(&format!("{V1}/b")).await.expect(200)["spec"], json!({"hostPort": "h:2"}));
    assert_eq!(world.get(&format!("{V2}/b")).await.expect(200), made);
    assert_eq!(program.reviews().len(), calls, "what was converted is kept");
}

#[tokio::test(start_paused = true)]
async fn updates_and_patches_are_made_at_the_version_of_the_request() {
    let program = Program::new(|_, review| all_converted(review));
    let world = things(&program).await;
    world.post(V1, thing("v1", "a", &json!({"hostPort": "h:1"}))).await.expect(201);
    let patched = world.merge(&format!("{V2}/a"), json!({"spec": {"port": "9"}})).await.expect(200);
    assert_eq!((&patched["spec"]["host"], &patched["spec"]["port"]), (&json!("h"), &json!("9")));
    assert_eq!(patched["metadata"]["generation"], 2);
    let mut whole = patched;
    whole["spec"]["host"] = "other".into();
    whole = world.put(&format!("{V2}/a"), &whole).await.expect(200);
    assert_eq!(whole["spec"]["host"], "other");
    assert_eq!(world.get(&format!("{V1}/a")).await.expect(200)["spec"], json!({"hostPort": "other:9"}));
    let reported = world.merge(&format!("{V2}/a/status"), json!({"status": {"ready": true}})).await.expect(200);
    assert_eq!(reported["status"], json!({"ready": true}));
    let gone = world.send("DELETE", &format!("{V2}/a"), &[], Vec::new()).await.expect(200);
    assert_eq!(gone["status"], "Success");
}

#[tokio::test(start_paused = true)]
async fn a_list_is_converted_in_few_reviews() {
    let program = Program::new(|_, review| all_converted(review));
    let world = things(&program).await;
    for number in 0..250 {
        world
            .post(V1, thing("v1", &format!("a{number:03}"), &json!({"hostPort": format!("h:{number}")})))
            .await
            .expect(201);
    }
    let list = world.get(V2).await.expect(200);
    let ports: Vec<String> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["spec"]["port"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ports, (0..250).map(|number| number.to_string()).collect::<Vec<_>>());
    assert_eq!(program.reviews().len(), 3);
    world.get(V2).await.expect(200);
    assert_eq!(program.reviews().len(), 3);
    let metadata = [("accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")];
    let list = world.send("GET", V2, &metadata, Vec::new()).await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 250);
}

#[tokio::test(start_paused = true)]
async fn a_watch_sends_everything_at_its_version_and_in_order() {
    let program = Program::new(|_, review| all_converted(review)).slow("/convert", 1);
    let world = things(&program).await;
    for number in 0..3 {
        world
            .post(V1, thing("v1", &format!("a{number}"), &json!({"hostPort": format!("h:{number}")})))
            .await
            .expect(201);
    }
    let mut watch = world.watch(&format!("{V2}?watch=true")).await;
    for number in 0..3 {
        let event = watch.next().await.unwrap();
        assert_eq!((&event["type"], &event["object"]["spec"]["port"]), (&json!("ADDED"), &json!(number.to_string())));
    }
    for number in 3..6 {
        world
            .post(V1, thing("v1", &format!("a{number}"), &json!({"hostPort": format!("h:{number}")})))
            .await
            .expect(201);
    }
    world.send("DELETE", &format!("{V1}/a0"), &[], Vec::new()).await.expect(200);
    for number in 3..6 {
        let event = watch.next().await.unwrap();
        assert_eq!((&event["type"], &event["object"]["spec"]["port"]), (&json!("ADDED"), &json!(number.to_string())));
    }
    let event = watch.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["spec"]), (&json!("DELETED"), &json!({"host": "h", "port": "0"})));
}

#[tokio::test(start_paused = true)]
async fn a_watch_sends_the_last_state_that_it_selected_at_its_version() {
    let program = Program::new(|_, review| all_converted(review));
    let world = things(&program).await;
    let mut labelled = thing("v1", "a", &json!({"hostPort": "h:1"}));
    labelled["metadata"]["labels"] = json!({"is": "meant"});
    world.post(V1, labelled).await.expect(201);
    let mut watch = world.watch(&format!("{V2}?watch=true&labelSelector=is%3Dmeant")).await;
    assert_eq!(watch.next().await.unwrap()["object"]["spec"], json!({"host": "h", "port": "1"}));
    let change = json!({"metadata": {"labels": {"is": null}}, "spec": {"hostPort": "h:2"}});
    let changed = world.merge(&format!("{V1}/a"), change).await.expect(200);
    let event = watch.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["spec"]), (&json!("DELETED"), &json!({"host": "h", "port": "1"})));
    assert_eq!(event["object"]["metadata"]["resourceVersion"], changed["metadata"]["resourceVersion"]);
}

#[tokio::test(start_paused = true)]
async fn apply_finds_conflicts_with_managers_who_wrote_in_another_version() {
    let program = Program::new(|_, review| all_converted(review));
    let world = things(&program).await;
    let agent = [("user-agent", "creator/1")];
    let body = thing("v1", "a", &json!({"hostPort": "h:1"})).to_string().into_bytes();
    world.send("POST", V1, &agent, body).await.expect(201);
    let stated = thing("v2", "a", &json!({"port": "10"}));
    let refused = apply(&world, &format!("{V2}/a?fieldManager=two"), &stated).await;
    let why = "Apply failed with 1 conflict: conflict with \"creator\" using example.com/v1: .spec.hostPort";
    assert_eq!((refused.code, refused.message().as_str()), (409, why));
    let forced = apply(&world, &format!("{V2}/a?fieldManager=two&force=true"), &stated).await.expect(200);
    assert_eq!(forced["spec"], json!({"host": "h", "port": "10"}));
    let owned = |object: &Value, manager: &str| {
        let managers = object["metadata"]["managedFields"].as_array().unwrap().clone();
        managers.into_iter().find(|entry| entry["manager"] == manager).map(|entry| entry["fieldsV1"].clone())
    };
    assert_eq!(owned(&forced, "two").unwrap(), json!({"f:spec": {"f:port": {}}}));
    assert_eq!(owned(&forced, "creator").unwrap(), json!({"f:spec": {}}));
    // What is the same at that manager's version is not a conflict.
    let other =
        apply(&world, &format!("{V1}/a?fieldManager=one"), &thing("v1", "a", &json!({"hostPort": "z:10"}))).await;
    let other = other.expect(200);
    assert_eq!(other["spec"], json!({"hostPort": "z:10"}));
    assert_eq!(owned(&other, "two").unwrap(), json!({"f:spec": {"f:port": {}}}));
    assert_eq!(world.get(&format!("{V2}/a")).await.expect(200)["spec"]["host"], "z");
}

#[tokio::test(start_paused = true)]
async fn what_an_applier_states_no_longer_goes_unless_another_version_has_it_in_one_field() {
    let program = Program::new(|_, review| all_converted(review));
    let world = things(&program).await;
    world.post(V1, thing("v1", "a", &json!({"hostPort": "h:1"}))).await.expect(201);
    // As kube-apiserver does: who created it at v1 keeps the whole of what is one field there.
    for (name, host) in [("a", "mine"), ("b", "")] {
        let path = format!("{V2}/{name}?fieldManager=two&force=true");
        let both = apply(&world, &path, &thing("v2", name, &json!({"host": "mine", "port": "10"}))).await;
        assert_eq!(both.json()["spec"], json!({"host": "mine", "port": "10"}), "{}", both.text);
        let left = apply(&world, &path, &thing("v2", name, &json!({"port": "10"}))).await.expect(200);
        assert_eq!(left["spec"], json!({"host": host, "port": "10"}));
    }
}

const CORRUPT: &str = "Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/things/default/a, \
                       ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision={rv}: ";

#[tokio::test(start_paused = true)]
async fn wrong_answers_are_named_as_kube_apiserver_names_them() {
    let changed = |change: fn(&mut Value)| {
        move |review: &Value| {
            let mut answer = all_converted(review);
            answer["convertedObjects"].as_array_mut().unwrap().iter_mut().for_each(change);
            answer
        }
    };
    type Answer = Box<dyn Fn(&Value) -> Value + Send + Sync>;
    let table: [(Answer, &str); 9] = [
        (
            Box::new(|_| json!({"result": {"status": "Failure", "message": "cannot do it"}})),
            "conversion webhook for example.com/v1, Kind=Thing failed: cannot do it",
        ),
        (
            Box::new(|_| json!({"result": {"status": "Failure"}})),
            "conversion webhook for example.com/v1, Kind=Thing failed: response.result.status was 'Failure', not 'Success'",
        ),
        (
            Box::new(|_| json!({"whole": {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}})),
            "conversion webhook for example.com/v1, Kind=Thing failed: no response provided",
        ),
        (
            Box::new(|_| json!({"convertedObjects": [], "result": {"status": "Success"}})),
            "conversion webhook for example.com/v1, Kind=Thing returned 0 objects, expected 1",
        ),
        (
            Box::new(
                |review| json!({"convertedObjects": review["request"]["objects"], "result": {"status": "Success"}}),
            ),
            "conversion webhook for example.com/v1, Kind=Thing returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)",
        ),
        (
            Box::new(changed(|object| object["metadata"]["name"] = "b".into())),
            "conversion webhook for example.com/v1, Kind=Thing returned invalid object: must have the same name: a != b",
        ),
        (Box::new(changed(|object| *object = Value::Null)), "unexpected end of JSON input"),
        (
            Box::new(|_| json!({"whole": "boom", "http": 500})),
            "conversion webhook for example.com/v1, Kind=Thing failed: an error on the server (\"unknown\") has prevented the request from succeeding",
        ),
        (
            Box::new(
                |_| json!({"whole": {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "ConversionReview", "response": {}}}),
            ),
            "conversion webhook for example.com/v1, Kind=Thing failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion",
        ),
    ];
    for (answer, why) in table {
        let program = Program::new(move |_, review| answer(review));
        let world = things(&program).await;
        let made = world.post(V1, thing("v1", "a", &json!({"hostPort": "h:1"}))).await.expect(201);
        let version = made["metadata"]["resourceVersion"].as_str().unwrap();
        let expected = format!("{}{why}", CORRUPT.replace("{rv}", version));
        for reply in [world.get(&format!("{V2}/a")).await, world.get(V2).await] {
            assert_eq!((reply.code, reply.message()), (500, expected.clone()));
        }
        let mut watch = world.watch(&format!("{V2}?watch=true")).await;
        let event = watch.next().await.unwrap();
        assert_eq!((&event["type"], &event["object"]["message"]), (&json!("ERROR"), &json!(expected)));
        // A client that stays at the stored version is not affected.
        world.merge(&format!("{V1}/a"), json!({"spec": {"hostPort": "h:2"}})).await.expect(200);
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_that_cannot_be_converted_says_so_and_stores_nothing() {
    let program = Program::new(|_, _| json!({"result": {"status": "Failure", "message": "cannot do it"}}));
    let world = things(&program).await;
    let reply = world.post(V2, thing("v2", "a", &json!({"host": "h", "port": "2"}))).await;
    let why = "conversion webhook for example.com/v2, Kind=Thing failed: cannot do it";
    assert_eq!((reply.code, reply.message().as_str()), (500, why));
    world.get(&format!("{V1}/a")).await.expect(404);
}

#[tokio::test(start_paused = true)]
async fn one_bad_object_is_found_among_many() {
    let program = Program::new(|_, review| {
        let mut answer = all_converted(review);
        for object in answer["convertedObjects"].as_array_mut().unwrap() {
            if object["metadata"]["name"] == "bad" {
                object["metadata"]["uid"] = "other".into();
            }
        }
        answer
    });
    let world = things(&program).await;
    for name in ["a", "bad", "c"] {
        world.post(V1, thing("v1", name, &json!({"hostPort": "h:1"}))).await.expect(201);
    }
    let reply = world.get(V2).await;
    assert_eq!(reply.code, 500);
    assert!(reply.message().contains("/things/default/bad"), "{}", reply.message());
    world.get(&format!("{V2}/a")).await.expect(200);
}

#[tokio::test(start_paused = true)]
async fn controllers_reach_objects_whose_version_is_not_served_any_more() {
    let program = Program::new(|_, review| all_converted(review));
    let world = things(&program).await;
    world.post(V1, thing("v1", "a", &json!({"hostPort": "h:1"}))).await.expect(201);
    let mut changed = world.get(&format!("{DEFINITIONS}/things.example.com")).await.expect(200);
    changed["spec"]["versions"][0]["served"] = false.into();
    changed["spec"]["versions"][0]["storage"] = false.into();
    changed["spec"]["versions"][1]["storage"] = true.into();
    world.put(&format!("{DEFINITIONS}/things.example.com"), &changed).await.expect(200);
    assert_eq!(world.get(&format!("{V2}/a")).await.expect(200)["spec"], json!({"host": "h", "port": "1"}));
    world.send("DELETE", &format!("{DEFINITIONS}/things.example.com"), &[], Vec::new()).await.expect(200);
    world.server.settle().await;
    world.get(&format!("{DEFINITIONS}/things.example.com")).await.expect(404);
}

#[tokio::test(start_paused = true)]
async fn admission_webhooks_see_the_version_that_they_ask_for() {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let program = Program::new(move |path, review| match path {
        "/convert" => all_converted(review),
        _ => {
            noted.lock().unwrap().push(review["request"]["object"].clone());
            super::webhooks::program::patch(&json!([{"op": "replace", "path": "/spec/hostPort", "value": "changed:3"}]))
        }
    });
    let world = things(&program).await;
    let mut hook = super::webhooks::program::hook("m");
    hook["rules"] =
        json!([{"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["things"], "operations": ["*"]}]);
    world.post(super::webhooks::MUTATING, json!({"metadata": {"name": "m"}, "webhooks": [hook]})).await.expect(201);
    let made = world.post(V2, thing("v2", "a", &json!({"host": "h", "port": "2"}))).await.expect(201);
    assert_eq!(made["spec"], json!({"host": "changed", "port": "3"}));
    let object = seen.lock().unwrap().remove(0);
    assert_eq!((&object["apiVersion"], &object["spec"]["hostPort"]), (&json!("example.com/v1"), &json!("h:2")));
}
