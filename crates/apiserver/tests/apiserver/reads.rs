//! GET and LIST: versions, pages, selectors, forms.

use super::world::{DOCUMENTS, MAPS, World, names, pod_spec, version};
use serde_json::{Value, json};

async fn three() -> (World, Vec<String>) {
    let world = World::new();
    let mut versions = Vec::new();
    for name in ["a", "b", "c"] {
        versions.push(world.map(name).await);
    }
    (world, versions)
}

#[tokio::test(start_paused = true)]
async fn get_waits_for_a_version_and_gives_up_with_a_cause() {
    let (world, versions) = three().await;
    for query in ["", "?resourceVersion=", "?resourceVersion=0", &format!("?resourceVersion={}", versions[2])] {
        assert_eq!(world.get(&format!("{MAPS}/a{query}")).await.code, 200, "{query}");
    }
    let started = tokio::time::Instant::now();
    let reply = world.get(&format!("{MAPS}/a?resourceVersion=999")).await;
    assert_eq!(started.elapsed().as_secs(), 3);
    assert_eq!(reply.header("retry-after"), "1");
    let status = reply.expect(504);
    assert_eq!(status["message"], format!("Timeout: Too large resource version: 999, current: {}", versions[2]));
    assert_eq!(status["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    assert_eq!(world.get(&format!("{MAPS}/a?resourceVersion=x")).await.code, 500);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_get_is_answered_as_soon_as_its_version_is_there() {
    let (world, versions) = three().await;
    let next: u64 = versions[2].parse::<u64>().unwrap() + 1;
    let path = format!("{MAPS}/a?resourceVersion={next}");
    let (reply, _) = tokio::join!(world.get(&path), world.map("d"));
    assert_eq!(reply.code, 200);
}

#[tokio::test(start_paused = true)]
async fn lists_follow_the_table_of_version_match_and_limit() {
    let (world, versions) = three().await;
    let second = &versions[1];
    let all = vec!["a", "b", "c"];
    let table: Vec<(String, u16, Vec<&str>, bool)> = vec![
        (String::new(), 200, all.clone(), false),
        ("limit=2".to_owned(), 200, vec!["a", "b"], true),
        ("resourceVersion=0".to_owned(), 200, all.clone(), false),
        ("resourceVersion=0&limit=1".to_owned(), 200, all.clone(), false),
        ("resourceVersion=0&limit=1&resourceVersionMatch=NotOlderThan".to_owned(), 200, all.clone(), false),
        (format!("resourceVersion={second}"), 200, all.clone(), false),
        (format!("resourceVersion={second}&limit=1"), 200, vec!["a"], true),
        (format!("resourceVersion={second}&limit=5"), 200, vec!["a", "b"], false),
        (format!("resourceVersion={second}&resourceVersionMatch=Exact"), 200, vec!["a", "b"], false),
        (format!("resourceVersion={second}&resourceVersionMatch=NotOlderThan&limit=2"), 200, vec!["a", "b"], true),
        ("resourceVersion=999".to_owned(), 504, vec![], false),
        ("resourceVersion=999&resourceVersionMatch=Exact".to_owned(), 504, vec![], false),
        ("resourceVersion=x".to_owned(), 400, vec![], false),
    ];
    for (query, code, expected, more) in table {
        let list = world.get(&format!("{MAPS}?{query}")).await.expect(code);
        if code == 200 {
            assert_eq!(names(&list), expected, "{query}");
            assert_eq!(list["metadata"].get("continue").is_some(), more, "{query}");
            assert_eq!(list["kind"], "ConfigMapList");
        }
    }
    let exact = world.get(&format!("{MAPS}?resourceVersion={second}&resourceVersionMatch=Exact")).await.expect(200);
    assert_eq!(version(&exact), *second);
}

#[tokio::test]
async fn list_options_that_contradict_each_other_are_refused_with_their_sentence() {
    let world = World::new();
    let table = [
        ("resourceVersionMatch=Exact", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
        (
            "resourceVersionMatch=Exact&resourceVersion=0",
            "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        ),
        (
            "resourceVersionMatch=Exact&resourceVersion=1&continue=x",
            "resourceVersionMatch is forbidden when continue is provided",
        ),
        (
            "resourceVersionMatch=Other&resourceVersion=1",
            "Unsupported value: \"Other\": supported values: \"Exact\", \"NotOlderThan\"",
        ),
        ("sendInitialEvents=true", "sendInitialEvents is forbidden for list"),
    ];
    for (query, sentence) in table {
        let status = world.get(&format!("{MAPS}?{query}")).await.expect(422);
        let message = status["message"].as_str().unwrap();
        assert!(message.starts_with("ListOptions.meta.k8s.io \"\" is invalid: "), "{message}");
        assert!(message.contains(sentence), "{message}");
        assert_eq!(status["reason"], "Invalid");
        assert!(status["details"]["causes"][0]["field"].is_string());
    }
}

#[tokio::test]
async fn all_pages_are_of_the_first_pages_version() {
    let (world, versions) = three().await;
    let first = world.get(&format!("{MAPS}?limit=1")).await.expect(200);
    assert_eq!(first["metadata"]["remainingItemCount"], 2);
    world.map("bb").await;
    world.delete(&format!("{MAPS}/c")).await.expect(200);
    let token = first["metadata"]["continue"].as_str().unwrap();
    let rest = world.get(&format!("{MAPS}?limit=9&continue={token}")).await.expect(200);
    assert_eq!(names(&rest), ["b", "c"]);
    assert_eq!(version(&rest), versions[2]);
    assert!(rest["metadata"].get("continue").is_none());
    let all = world.get("/api/v1/configmaps?limit=1").await.expect(200);
    let token = all["metadata"]["continue"].as_str().unwrap();
    assert_eq!(names(&world.get(&format!("/api/v1/configmaps?continue={token}")).await.expect(200)), ["b", "bb"]);
}

#[tokio::test]
async fn an_expired_page_comes_with_a_token_to_go_on_inconsistently() {
    let (world, _) = three().await;
    let first = world.get(&format!("{MAPS}?limit=1")).await.expect(200);
    world.map("d").await;
    world.server.expire_history();
    let token = first["metadata"]["continue"].as_str().unwrap();
    let status = world.get(&format!("{MAPS}?limit=1&continue={token}")).await.expect(410);
    assert_eq!(status["reason"], "Expired");
    assert!(status["message"].as_str().unwrap().starts_with("The provided continue parameter is too old"));
    let token = status["metadata"]["continue"].as_str().unwrap();
    let rest = world.get(&format!("{MAPS}?continue={token}")).await.expect(200);
    assert_eq!(names(&rest), ["b", "c", "d"]);
    let old = world.get(&format!("{MAPS}?resourceVersion=3&resourceVersionMatch=Exact")).await;
    assert_eq!(old.message(), "The resourceVersion for the provided list is too old.");
    assert_eq!(old.code, 410);
}

#[tokio::test]
async fn continue_tokens_are_checked() {
    let world = World::new();
    let reply = world.get(&format!("{MAPS}?continue=%25%25")).await;
    assert_eq!(reply.code, 400);
    assert!(reply.message().starts_with("invalid continue token: continue key is not valid"), "{}", reply.text);
    let reply = world.get(&format!("{MAPS}?continue=abc&resourceVersion=5")).await;
    assert_eq!(reply.message(), "specifying resource version is not allowed when using continue");
}

#[tokio::test]
async fn selectors_choose_by_labels_and_fields() {
    let (world, _) = three().await;
    world.define().await;
    let table = [
        ("labelSelector=app%3Da", vec!["a"]),
        ("labelSelector=app+in+(a,c)", vec!["a", "c"]),
        ("labelSelector=app,app!%3Da", vec!["b", "c"]),
        ("labelSelector=!app", vec![]),
        ("fieldSelector=metadata.name%3Db", vec!["b"]),
        ("fieldSelector=metadata.name!%3Db,metadata.namespace%3Ddefault", vec!["a", "c"]),
    ];
    for (query, expected) in table {
        let list = world.get(&format!("{MAPS}?{query}&limit=5")).await.expect(200);
        assert_eq!(names(&list), expected, "{query}");
        assert!(list["metadata"].get("remainingItemCount").is_none(), "{query}");
    }
    let refused = async |path: String| world.get(&path).await.expect(400)["message"].clone();
    assert_eq!(refused(format!("{DOCUMENTS}?fieldSelector=spec.x%3D1")).await, "field label not supported: spec.x");
    assert_eq!(refused("/api/v1/pods?fieldSelector=spec.x%3D1".to_owned()).await, "field label not supported: spec.x");
    assert_eq!(
        refused(format!("{MAPS}?fieldSelector=data.x%3D1")).await,
        "\"data.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
    );
    let numbered = |name: &str, size: &str| json!({"metadata": {"name": name, "labels": {"size": size}}});
    for (name, size) in [("small", "3"), ("large", "30"), ("odd", "three")] {
        world.post(MAPS, numbered(name, size)).await.expect(201);
    }
    let larger = world.get(&format!("{MAPS}?labelSelector=size%3E5")).await.expect(200);
    let smaller = world.get(&format!("{MAPS}?labelSelector=size%3C5")).await.expect(200);
    assert_eq!(names(&larger), ["large"]);
    assert_eq!(names(&smaller), ["small"]);
    assert!(refused(format!("{MAPS}?labelSelector=a%3D%3D%3Db")).await.is_string());
}

#[tokio::test]
async fn built_in_kinds_offer_more_fields() {
    let world = World::new();
    let pods = "/api/v1/namespaces/default/pods";
    for (name, node) in [("a", "n1"), ("b", "n2"), ("c", "")] {
        world
            .post(pods, json!({"metadata": {"name": name}, "spec": pod_spec(json!({"nodeName": node}))}))
            .await
            .expect(201);
    }
    let chosen = |selector: &'static str| {
        let world = &world;
        async move { names(&world.get(&format!("{pods}?fieldSelector={selector}")).await.expect(200)) }
    };
    assert_eq!(chosen("spec.nodeName%3Dn1").await, ["a"]);
    assert_eq!(chosen("spec.nodeName%3D").await, ["c"]);
    assert_eq!(chosen("status.phase%3DPending,spec.nodeName!%3Dn1").await, ["b", "c"]);
    assert_eq!(chosen("spec.hostNetwork%3Dfalse").await, ["a", "b", "c"]);
}

#[tokio::test]
async fn the_metadata_form_has_metadata_alone() {
    let (world, _) = three().await;
    let accept = |kind: &str| format!("application/json;as={kind};g=meta.k8s.io;v=v1");
    let list = accept("PartialObjectMetadataList");
    let reply = world.send("GET", MAPS, &[("accept", &list)], vec![]).await.expect(200);
    assert_eq!((&reply["kind"], &reply["apiVersion"]), (&json!("PartialObjectMetadataList"), &json!("meta.k8s.io/v1")));
    assert_eq!(reply["items"][0]["kind"], "PartialObjectMetadata");
    let one = accept("PartialObjectMetadata");
    let path = format!("{MAPS}/a");
    let reply = world.send("GET", &path, &[("accept", &one)], vec![]).await.expect(200);
    assert_eq!(reply.as_object().unwrap().keys().collect::<Vec<_>>(), ["apiVersion", "kind", "metadata"]);
    assert_eq!(world.send("GET", MAPS, &[("accept", &one)], vec![]).await.code, 406);
    assert_eq!(world.send("GET", &path, &[("accept", &list)], vec![]).await.code, 406);
}

#[tokio::test]
async fn versions_of_a_resource_share_their_objects() {
    let world = World::new();
    world.define().await;
    world.post(DOCUMENTS, json!({"metadata": {"name": "a"}, "spec": {"x": 1}})).await.expect(201);
    let beta = DOCUMENTS.replace("/v1/", "/v1beta1/");
    let read = world.get(&format!("{beta}/a")).await.expect(200);
    assert_eq!(read["apiVersion"], "example.com/v1beta1");
    let list = world.get(&beta).await.expect(200);
    assert_eq!(list["items"][0]["apiVersion"], "example.com/v1beta1");
}

/// `read/autoscaler-versions` and `read/device-versions` show all of it.
#[tokio::test]
async fn an_object_reads_at_every_version_as_if_it_had_been_written_there() {
    let world = World::new();
    let autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let memory = json!({"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}});
    let metrics = json!([{"type": "Resource", "resource": memory}]);
    let spec = json!({"maxReplicas": 1, "scaleTargetRef": target, "metrics": metrics});
    world.post(autoscalers, json!({"metadata": {"name": "a"}, "spec": spec})).await.expect(201);
    let older = format!("{}/a", autoscalers.replace("v2", "v1"));
    let mut read = world.get(&older).await.expect(200);
    assert_eq!(read["apiVersion"], "autoscaling/v1");
    read["spec"]["targetCPUUtilizationPercentage"] = 50.into();
    world.put(&older, &read).await.expect(200);
    let newer = world.get(&format!("{autoscalers}/a")).await.expect(200);
    let kept = newer["spec"]["metrics"].as_array().unwrap();
    assert_eq!((kept.len(), &kept[0]), (2, &metrics[0]), "what the older version has no field for stays");
    assert_eq!(newer["metadata"]["annotations"], Value::Null);
}

#[tokio::test]
async fn conditions_of_an_autoscaler_that_are_none_are_not_stored() {
    let world = World::new();
    let newer = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let spec = json!({"maxReplicas": 1, "scaleTargetRef": target});
    world.post(newer, json!({"metadata": {"name": "a"}, "spec": spec})).await.expect(201);
    let status = format!("{}/a/status", newer.replace("v2", "v1"));
    let stored = async |conditions: &str| {
        let annotations = json!({"autoscaling.alpha.kubernetes.io/conditions": conditions});
        let patch = json!({"metadata": {"annotations": annotations}, "status": {"currentReplicas": 1}});
        world.merge(&status, patch).await.expect(200);
        world.get(&format!("{newer}/a")).await.expect(200)["status"]["conditions"].clone()
    };
    let able = r#"[{"type":"AbleToScale","status":"True","lastTransitionTime":null}]"#;
    assert_eq!(stored(able).await[0]["type"], "AbleToScale");
    for wrong in ["[5]", r#"[{"type":5}]"#, r#"{"type":"AbleToScale"}"#] {
        assert_eq!(stored(wrong).await, Value::Null, "{wrong}");
    }
}

#[tokio::test]
async fn a_write_at_the_newer_version_keeps_what_only_the_older_one_has_a_field_for() {
    let world = World::new();
    let older = "/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests";
    let spec = json!({
        "signerName": "example.com/signer", "podName": "p", "podUID": "1", "serviceAccountName": "s",
        "serviceAccountUID": "2", "nodeName": "n", "nodeUID": "3", "pkixPublicKey": "a2V5",
        "proofOfPossession": "cHJvb2Y=",
    });
    world.post(older, json!({"metadata": {"name": "c"}, "spec": spec})).await.expect(201);
    let newer = format!("{}/c", older.replace("v1beta1", "v1"));
    assert_eq!(world.get(&newer).await.expect(200)["spec"]["pkixPublicKey"], Value::Null);
    let denied = json!({"type": "Denied", "status": "True", "reason": "R", "message": "m",
        "lastTransitionTime": "2024-01-01T00:00:00Z"});
    world.merge(&format!("{newer}/status"), json!({"status": {"conditions": [denied]}})).await.expect(200);
    let kept = world.get(&format!("{older}/c")).await.expect(200);
    assert_eq!(kept["status"]["conditions"][0]["type"], "Denied");
    let fields = (&kept["spec"]["pkixPublicKey"], &kept["spec"]["proofOfPossession"]);
    assert_eq!(fields, (&json!("a2V5"), &json!("cHJvb2Y=")));
}

#[tokio::test]
async fn the_two_groups_of_events_show_the_same_event_in_their_own_words() {
    let world = World::new();
    let core = "/api/v1/namespaces/default/events";
    let event = json!({"metadata": {"name": "e"}, "involvedObject": {"name": "p"}, "message": "m", "reason": "R"});
    world.post(core, event).await.expect(201);
    let other: Value = world.get("/apis/events.k8s.io/v1/namespaces/default/events/e").await.expect(200);
    assert_eq!((&other["regarding"]["name"], &other["note"]), (&json!("p"), &json!("m")));
    let list = world.get(&format!("{core}?fieldSelector=involvedObject.name%3Dp")).await.expect(200);
    assert_eq!(names(&list), ["e"]);
}

#[tokio::test]
async fn an_empty_list_has_items_and_a_version() {
    let list = World::new().get("/apis/apps/v1/deployments").await.expect(200);
    assert_eq!(list["items"], json!([]));
    assert!(!version(&list).is_empty());
}

#[tokio::test]
async fn a_large_list_comes_whole() {
    let world = World::new();
    let filler = "x".repeat(10_000);
    for index in 0..30 {
        let map = json!({"metadata": {"name": format!("m{index:02}")}, "data": {"filler": filler}});
        world.post(MAPS, map).await.expect(201);
    }
    assert_eq!(names(&world.get(MAPS).await.expect(200)).len(), 30);
}

#[tokio::test]
async fn items_of_built_in_kinds_leave_it_to_the_list_to_say_what_they_are() {
    let world = World::new();
    world.post(MAPS, json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).await.expect(201);
    let list = world.get(MAPS).await.expect(200);
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("ConfigMapList"), &json!("v1")));
    let item = list["items"][0].as_object().unwrap();
    assert_eq!(item.keys().collect::<Vec<_>>(), ["data", "metadata"]);
    assert_eq!(item["data"], json!({"k": "v"}));
}
