//! Lists and watches whose objects stay packed.

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_client::api::{Api, ListParams, PartialObjectMeta, WatchEvent, WatchParams};
use pintle_client::{Error, ErrorKind};
use pintle_wire::Packed;

use crate::scripted::{Answer, client};

const LIST: &str = r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"next"},
 "items":[{"metadata":{"name":"a","namespace":"ns","resourceVersion":"1"},"data":{"k":"}]{\"é"}},
          {"metadata":{"name":"b","namespace":"ns","resourceVersion":"2"}}]}"#;

fn maps(answer: Answer) -> Api<ConfigMap> {
    Api::namespaced(client(answer).0, "ns")
}

async fn list(answer: Answer) -> (Vec<Result<Packed<ConfigMap>, Error>>, Option<String>) {
    let mut list = maps(answer).list_packed(&ListParams::default()).await.unwrap();
    assert!(list.metadata().is_none());
    let mut items = Vec::new();
    while let Some(item) = list.next().await {
        items.push(item);
    }
    (items, list.metadata().and_then(|metadata| metadata.resource_version.clone()))
}

async fn watch(answer: Answer) -> Vec<Result<WatchEvent<Packed<ConfigMap>>, Error>> {
    maps(answer).watch_packed(&WatchParams::default(), "1").await.unwrap().collect().await
}

#[tokio::test]
async fn a_list_cut_anywhere_gives_the_same_objects_and_then_its_metadata() {
    for size in 1..LIST.len() {
        let (items, version) = list(Answer::json(LIST).cut(size)).await;
        let objects: Vec<_> = items.iter().map(|item| item.as_ref().unwrap()).collect();
        let names: Vec<_> = objects.iter().map(|packed| packed.head().name()).collect();
        assert_eq!((names, version.as_deref()), (vec!["a", "b"], Some("42")));
        assert_eq!(objects[0].decode().unwrap().data.unwrap()["k"], "}]{\"é");
    }
}

#[tokio::test]
async fn a_list_that_breaks_off_gives_what_came_and_then_an_error_and_no_metadata() {
    let half = &LIST[..LIST.len() - 2];
    for answer in [Answer::json(half), Answer::json(half).breaking(), Answer::json(LIST).breaking()] {
        let (items, version) = list(answer).await;
        assert_eq!((items.len(), version), (3, None));
        assert_eq!(items[2].as_ref().unwrap_err().kind(), ErrorKind::Interrupted);
    }
}

#[tokio::test]
async fn a_body_that_is_not_a_list_is_malformed() {
    let (items, _) = list(Answer::json(r#"{"items":7}"#)).await;
    assert!(matches!(&items[..], [Err(error)] if error.kind() == ErrorKind::Malformed), "{items:?}");
}

#[tokio::test]
async fn an_item_without_a_head_is_one_error_and_the_list_goes_on() {
    let (items, version) = list(Answer::json(
        r#"{"metadata":{"resourceVersion":"1"},"items":[{"metadata":7},{"metadata":{"name":"b"}}]}"#,
    ))
    .await;
    assert!(matches!(&items[..], [Err(_), Ok(_)]), "{items:?}");
    assert_eq!(version.as_deref(), Some("1"));
}

#[tokio::test]
async fn partial_objects_are_asked_for_in_their_metadata_form() {
    let (client, asked) = client(Answer::json(LIST));
    let maps: Api<PartialObjectMeta<ConfigMap>> = Api::namespaced(client, "ns");
    let mut list = maps.list_packed(&ListParams::default()).await.unwrap();
    list.next().await.unwrap().unwrap();
    let _watch = maps.watch_packed(&WatchParams::default(), "1").await.unwrap();
    let asked = asked.take();
    assert!(asked[0].contains("as=PartialObjectMetadataList;"), "{asked:?}");
    assert!(asked[1].contains("as=PartialObjectMetadata;"), "{asked:?}");
}

#[tokio::test]
async fn another_content_type_is_an_error_that_names_it_and_none_counts_as_json() {
    let html = Answer::json(LIST).content_type(Some("text/html; charset=utf-8"));
    let error = maps(html.clone()).list_packed(&ListParams::default()).await.unwrap_err();
    let Error::Service(cause) = &error else { panic!("{error:?}") };
    assert!(cause.to_string().contains("text/html"), "{cause}");
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(maps(html).watch_packed(&WatchParams::default(), "1").await.is_err());
    for content_type in [None, Some("application/json;stream=watch")] {
        let (items, _) = list(Answer::json(LIST).content_type(content_type)).await;
        assert_eq!(items.len(), 2);
    }
}

#[tokio::test]
async fn a_refused_watch_is_an_error_of_the_start() {
    let body = r#"{"kind":"Status","status":"Failure","code":410,"reason":"Expired","message":"too old"}"#;
    let refused = maps(Answer::json(body).code(410)).watch_packed(&WatchParams::default(), "1").await;
    assert!(matches!(refused, Err(Error::Api(status)) if status.code == 410));
}

#[tokio::test]
async fn a_watch_ends_quietly_however_it_ends() {
    let event = r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#;
    let half = format!("{event}\n{}", &event[..20]);
    let ends =
        [Answer::json(event), Answer::json(event).breaking(), Answer::json(&half), Answer::json(&half).breaking()];
    for answer in ends {
        for size in [1, 3, 1000] {
            let events = watch(answer.clone().cut(size)).await;
            assert!(matches!(&events[..], [Ok(WatchEvent::Added(a))] if a.head().name() == "a"), "{events:?}");
        }
    }
}

#[tokio::test]
async fn a_body_that_fails_in_a_layer_is_an_error_of_a_plain_watch_and_the_end_for_who_resumes_it() {
    let event = r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#;
    let answer = Answer::json(event).breaking();
    assert!(matches!(&watch(answer.clone()).await[..], [Ok(WatchEvent::Added(_))]));
    let plain: Vec<_> = maps(answer).watch(&WatchParams::default(), "1").await.unwrap().collect().await;
    let [Ok(WatchEvent::Added(_)), Err(Error::ReadEvents(error))] = &plain[..] else { panic!("{plain:?}") };
    assert!(error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Error>), "{error:?}");
}

#[tokio::test]
async fn a_bad_object_is_one_error_and_the_watch_goes_on() {
    let body = r#"{"type":"ADDED","object":{"metadata":7}}{"type":"DELETED","object":{"metadata":{"name":"b"}}}"#;
    let events = watch(Answer::json(body)).await;
    assert!(matches!(&events[..], [Err(_), Ok(WatchEvent::Deleted(_))]), "{events:?}");
}

#[tokio::test]
async fn a_frame_that_is_not_an_event_ends_the_watch_with_an_error() {
    let body = r#"{"type":"hunter2","object":{}}{"type":"ADDED","object":{"metadata":{"name":"b"}}}"#;
    let events = watch(Answer::json(body)).await;
    let [Err(error)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

#[tokio::test]
async fn an_event_larger_than_any_object_ends_the_watch_with_an_error() {
    let mut pieces = vec![br#"{"type":"ADDED","object":{"data":""#.to_vec()];
    pieces.extend(vec![vec![b'x'; 1 << 20]; 17]);
    let events = watch(Answer { pieces, ..Answer::json("") }).await;
    assert!(matches!(&events[..], [Err(Error::LinesCodecMaxLineLengthExceeded)]), "{events:?}");
}

#[tokio::test]
async fn an_error_frame_is_an_event() {
    let body = r#"{"type":"ERROR","object":{"kind":"Status","status":"Failure","code":410,"reason":"Expired","message":"old"}}"#;
    let events = watch(Answer::json(body)).await;
    assert!(matches!(&events[..], [Ok(WatchEvent::Error(status))] if status.code == 410), "{events:?}");
}
