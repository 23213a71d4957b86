//! Logs, whole and line by line, wherever the answer is cut.

use futures::{AsyncBufReadExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use pintle_client::api::{Api, LogParams};
use pintle_client::{Error, ErrorKind};

use crate::scripted::{Answer, client};

const TEXT: &str = "first\nsecond\n\nlast";

#[tokio::test]
async fn a_log_is_read_line_by_line() {
    for size in 1..TEXT.len() {
        let (client, asked) = client(Answer::json(TEXT).content_type(Some("text/plain")).cut(size));
        let pods: Api<Pod> = Api::namespaced(client, "ns");
        let params = LogParams { follow: true, tail_lines: Some(3), ..LogParams::default() };
        let lines: Vec<_> = pods.log_stream("n", &params).await.unwrap().lines().try_collect().await.unwrap();
        assert_eq!(lines, ["first", "second", "", "last"]);
        assert_eq!(asked.take(), ["GET /api/v1/namespaces/ns/pods/n/log?&follow=true&tailLines=3 [] [] "]);
        assert_eq!(pods.logs("n", &LogParams::default()).await.unwrap(), TEXT);
    }
}

#[tokio::test]
async fn a_log_that_breaks_off_is_an_error_after_what_came() {
    let (client, _) = client(Answer::json("first\nsec").breaking());
    let pods: Api<Pod> = Api::namespaced(client, "ns");
    let mut lines = pods.log_stream("n", &LogParams::default()).await.unwrap().lines();
    assert_eq!(lines.try_next().await.unwrap().as_deref(), Some("first"));
    let error = lines.try_next().await.unwrap_err();
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<Error>()).expect("the client's own error");
    assert_eq!(cause.kind(), ErrorKind::Interrupted);
}

#[tokio::test]
async fn a_log_that_does_not_exist_is_a_refusal() {
    let body =
        r#"{"kind":"Status","status":"Failure","message":"container not started","reason":"BadRequest","code":400}"#;
    let (client, _) = client(Answer::json(body).code(400));
    let refused = Api::<Pod>::all(client).log_stream("n", &LogParams::default()).await;
    assert!(matches!(refused.err(), Some(Error::Api(status)) if status.code == 400));
}
