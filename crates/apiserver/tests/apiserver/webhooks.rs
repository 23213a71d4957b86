//! Admission webhooks: who is asked what, and what becomes of the answer. The words are those that kube-apiserver 1.37
//! used with a webhook that answered the same.

mod broken;
mod controllers;
#[cfg(feature = "serve")]
mod https;
mod many_writers;
mod matching;
mod patching;
pub(crate) mod program;

use serde_json::{Value, json};

use crate::apiserver::world::MAPS;
use program::{Program, hook, mutating, validating};

pub(crate) const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
pub(crate) const VALIDATING: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

#[tokio::test(start_paused = true)]
async fn a_webhook_sees_what_kube_apiserver_shows_it() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    world.post(MUTATING, mutating("m", &[hook("m")])).await.expect(201);
    world.post(VALIDATING, validating("v", &[hook("v")])).await.expect(201);
    world
        .post(&format!("{MAPS}?fieldManager=me"), json!({"metadata": {"generateName": "a-"}, "data": {"k": "1"}}))
        .await
        .expect(201);
    let [mutated, validated] = &program.reviews()[..] else { panic!("{:?}", program.reviews()) };
    assert_eq!(mutated.url, "https://hooks.test/m?timeout=10s");
    assert_eq!(mutated.body["apiVersion"], "admission.k8s.io/v1");
    let request = &mutated.body["request"];
    assert_eq!(request["kind"], json!({"group": "", "version": "v1", "kind": "ConfigMap"}));
    assert_eq!(request["resource"], json!({"group": "", "version": "v1", "resource": "configmaps"}));
    assert_eq!(request["requestKind"], request["kind"]);
    assert_eq!(request["operation"], "CREATE");
    assert_eq!(request["namespace"], "default");
    assert_eq!(request["userInfo"]["username"], "kubernetes-admin");
    assert_eq!(request["oldObject"], Value::Null);
    assert_eq!(request["dryRun"], false);
    let options = json!({"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"});
    assert_eq!(request["options"], options);
    // It has no name, uid and time before it was mutated.
    let metadata = &request["object"]["metadata"];
    assert!(request.get("name").is_none() && metadata.get("name").is_none() && metadata.get("uid").is_none());
    assert_eq!(metadata["managedFields"][0]["manager"], "me");
    let validated = &validated.body["request"];
    assert!(validated["name"].as_str().unwrap_or_default().starts_with("a-"), "{validated}");
    assert!(validated["object"]["metadata"]["uid"].is_string());
}

#[tokio::test(start_paused = true)]
async fn updates_patches_and_deletes_show_the_old_object() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"k": "1"}})).await.expect(201);
    world.post(VALIDATING, validating("v", &[hook("v")])).await.expect(201);
    let path = format!("{MAPS}/a");
    let merge = [("content-type", "application/merge-patch+json")];
    world.send("PATCH", &path, &merge, br#"{"data":{"k":"2"}}"#.to_vec()).await.expect(200);
    world.send("DELETE", &format!("{path}?dryRun=All"), &[], Vec::new()).await.expect(200);
    let [patched, deleted] = &program.reviews()[..] else { panic!("{:?}", program.reviews()) };
    let request = &patched.body["request"];
    assert_eq!(request["operation"], "UPDATE");
    assert_eq!(request["options"]["kind"], "UpdateOptions");
    assert_eq!((&request["object"]["data"]["k"], &request["oldObject"]["data"]["k"]), (&json!("2"), &json!("1")));
    let request = &deleted.body["request"];
    assert_eq!((&request["operation"], &request["object"]), (&json!("DELETE"), &Value::Null));
    assert_eq!(request["oldObject"]["data"]["k"], "2");
    assert_eq!(request["dryRun"], true);
    assert_eq!(request["options"]["kind"], "DeleteOptions");
}

#[tokio::test(start_paused = true)]
async fn a_denial_has_the_webhooks_words_code_and_reason() {
    let table: [(Value, u16, &str, &str); 5] = [
        (json!({}), 400, "", "admission webhook \"v.example.com\" denied the request without explanation"),
        (json!({"status": {"message": "no"}}), 400, "", "admission webhook \"v.example.com\" denied the request: no"),
        (
            json!({"status": {"code": 403, "message": "no", "reason": "Forbidden"}}),
            403,
            "Forbidden",
            "admission webhook \"v.example.com\" denied the request: no",
        ),
        (
            json!({"status": {"reason": "my reason"}}),
            400,
            "my reason",
            "admission webhook \"v.example.com\" denied the request: my reason",
        ),
        (
            json!({"status": {"code": 200, "message": "m", "status": "Success"}}),
            400,
            "",
            "admission webhook \"v.example.com\" denied the request: m",
        ),
    ];
    for (answer, code, reason, message) in table {
        let mut denial = answer.clone();
        denial["allowed"] = false.into();
        let program = Program::new(move |_, _| denial.clone());
        let world = program.world();
        world.post(VALIDATING, validating("v", &[hook("v")])).await.expect(201);
        let reply = world.post(MAPS, json!({"metadata": {"name": "a"}})).await;
        assert_eq!((reply.code, reply.message().as_str()), (code, message), "{answer}");
        assert_eq!(reply.json()["reason"].as_str().unwrap_or_default(), reason, "{answer}");
        world.get(&format!("{MAPS}/a")).await.expect(404);
    }
}

#[tokio::test(start_paused = true)]
async fn warnings_and_annotations_arrive_with_consent_and_with_denial() {
    for (is_allowed, code) in [(true, 201), (false, 400)] {
        let program = Program::new(move |_, _| {
            json!({"allowed": is_allowed, "warnings": ["one", "", "one", "line\nbreak", "say \"two\""],
                   "auditAnnotations": {"key": "value"}})
        });
        let world = program.world();
        world.post(VALIDATING, validating("v", &[hook("v")])).await.expect(201);
        let reply = world.post(MAPS, json!({"metadata": {"name": "a"}})).await;
        let warnings: Vec<_> = reply.headers.get_all("warning").iter().collect();
        assert_eq!(warnings, ["299 - \"one\"", "299 - \"say \\\"two\\\"\""]);
        reply.expect(code);
        let trace = world.server.trace();
        let last = trace.last().expect("the request was traced");
        assert_eq!(last.audit_annotations, [("v.example.com/key".to_owned(), "value".to_owned())]);
        assert!(last.to_string().ends_with(&format!("{code} v.example.com/key=\"value\"")), "{last}");
    }
}

#[tokio::test(start_paused = true)]
async fn validating_webhooks_are_asked_all_at_once_and_the_first_refusal_counts() {
    let program = Program::new(|path, _| match path {
        "/slow" => json!({"allowed": false, "status": {"message": "slowly"}}),
        _ => json!({"allowed": false, "status": {"message": "at once"}, "warnings": ["heard"]}),
    })
    .slow("/slow", 5)
    .slow("/also-slow", 5);
    let world = program.world();
    let hooks = [hook("slow"), hook("also-slow"), hook("fast")];
    world.post(VALIDATING, validating("v", &hooks)).await.expect(201);
    let begun = tokio::time::Instant::now();
    let reply = world.post(MAPS, json!({"metadata": {"name": "a"}})).await;
    assert_eq!(reply.header("warning"), "299 - \"heard\"");
    assert_eq!(reply.message(), "admission webhook \"slow.example.com\" denied the request: slowly");
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_hanging_webhook_holds_up_its_own_request_alone() {
    let program = Program::new(|_, _| json!({"allowed": true})).slow("/slow", 3600);
    let world = program.world();
    let mut slow = hook("slow");
    slow["timeoutSeconds"] = 3.into();
    slow["objectSelector"] = json!({"matchLabels": {"is": "slow"}});
    world.post(VALIDATING, validating("v", &[slow])).await.expect(201);
    let begun = tokio::time::Instant::now();
    let held = async {
        let reply = world.post(MAPS, json!({"metadata": {"name": "a", "labels": {"is": "slow"}}})).await;
        (reply, begun.elapsed())
    };
    let others = async {
        for number in 0..50 {
            world.post(MAPS, json!({"metadata": {"name": format!("b-{number}")}})).await.expect(201);
        }
        begun.elapsed()
    };
    let ((reply, held), others) = futures::join!(held, others);
    let why = "Internal error occurred: failed calling webhook \"slow.example.com\": failed to call webhook: Post \
               \"https://hooks.test/slow?timeout=3s\": context deadline exceeded";
    assert_eq!((reply.code, reply.message().as_str()), (500, why));
    assert_eq!((held.as_secs(), others.as_secs()), (3, 0));
}

#[tokio::test(start_paused = true)]
async fn reviews_of_the_first_version_are_sent_where_they_come_first() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    let mut old = hook("v");
    old["admissionReviewVersions"] = json!(["v0", "v1beta1", "v1"]);
    world.post(VALIDATING, validating("v", &[old])).await.expect(201);
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    assert_eq!(program.reviews()[0].body["apiVersion"], "admission.k8s.io/v1beta1");
}

#[tokio::test(start_paused = true)]
async fn match_conditions_decide_whether_a_webhook_is_asked() {
    let table = [
        ("true", "Fail", Ok(true)),
        ("object.metadata.name == 'b'", "Fail", Ok(false)),
        ("request.operation == 'CREATE' && request.userInfo.username == 'kubernetes-admin'", "Fail", Ok(true)),
        ("oldObject == null && request.kind.kind == 'ConfigMap' && !request.dryRun", "Fail", Ok(true)),
        ("authorizer.group('').resource('pods').namespace('x').check('get').allowed()", "Fail", Ok(true)),
        ("authorizer.requestResource.check('create').allowed()", "Fail", Ok(true)),
        (
            "object.data.missing == 'x'",
            "Fail",
            Err("'object.data.missing == 'x'' resulted in error: no such key: data"),
        ),
        ("object.data.missing == 'x'", "Ignore", Ok(false)),
    ];
    for (expression, policy, expected) in table {
        let program = Program::new(|_, _| json!({"allowed": true}));
        let world = program.world();
        let mut conditioned = hook("v");
        conditioned["matchConditions"] = json!([{"name": "c", "expression": expression}]);
        conditioned["failurePolicy"] = policy.into();
        world.post(VALIDATING, validating("v", &[conditioned])).await.expect(201);
        let reply = world.post(MAPS, json!({"metadata": {"name": "a"}})).await;
        match expected {
            Ok(is_asked) => {
                reply.expect(201);
                assert_eq!(!program.reviews().is_empty(), is_asked, "{expression}");
            }
            Err(why) => {
                assert_eq!(reply.code, 403, "{expression}");
                assert!(reply.message().ends_with(why), "{}", reply.message());
                assert!(program.reviews().is_empty());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_false_condition_wins_over_one_that_fails() {
    let program = Program::new(|_, _| json!({"allowed": true}));
    let world = program.world();
    let mut conditioned = hook("v");
    let failing = json!({"name": "a", "expression": "object.data.missing == 'x'"});
    conditioned["matchConditions"] = json!([failing, {"name": "b", "expression": "false"}]);
    world.post(VALIDATING, validating("v", &[conditioned])).await.expect(201);
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
    assert!(program.reviews().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_configuration_that_goes_is_not_asked_any_more() {
    let program = Program::new(|_, _| json!({"allowed": false}));
    let world = program.world();
    world.post(VALIDATING, validating("v", &[hook("v")])).await.expect(201);
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(400);
    // Webhooks are never called for their configurations, or a broken one could not be removed.
    world.send("DELETE", &format!("{VALIDATING}/v"), &[], Vec::new()).await.expect(200);
    world.post(MAPS, json!({"metadata": {"name": "a"}})).await.expect(201);
}
