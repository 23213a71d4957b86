//! The table of what is tried again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use http::StatusCode;
use tower::retry::Retry;
use tower::{ServiceExt, service_fn};

use super::*;
use crate::client::reporter::stalled::Stalled;
use crate::client::request::unrepeated::once;

type Answer = Result<Response<()>, BoxError>;

fn answer(status: u16, retry_after: Option<&str>) -> Answer {
    let mut response = Response::builder().status(StatusCode::from_u16(status).unwrap());
    if let Some(seconds) = retry_after {
        response = response.header("retry-after", seconds);
    }
    Ok(response.body(()).unwrap())
}

fn request(text: &str, body: &str) -> Request<Body> {
    let (method, uri) = text.split_once(' ').unwrap();
    let apply = ("content-type", "application/apply-patch+yaml");
    let builder = Request::builder().method(method).uri(uri).header(apply.0, apply.1);
    builder.body(Body::from(body.as_bytes().to_vec())).unwrap()
}

/// How often the request was sent, what came of it, and how many seconds that took.
async fn send(policy: RetryPolicy, request: Request<Body>, answers: Vec<Answer>) -> (usize, Answer, u64) {
    let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
    let sent = Arc::new(Mutex::new(0));
    let counted = sent.clone();
    let service = service_fn(move |_: Request<Body>| {
        *counted.lock().unwrap() += 1;
        let next = answers.lock().unwrap().pop_front().unwrap_or_else(|| answer(200, None));
        async move { next }
    });
    let started = Instant::now();
    let last = Retry::new(policy, service).oneshot(request).await;
    (*sent.lock().unwrap(), last, started.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn what_was_surely_not_executed_is_sent_again_and_what_maybe_was_only_where_that_is_safe() {
    let cases: [(u16, Option<&str>, bool, bool); 8] = [
        (429, None, true, true),
        (429, Some("1"), true, true),
        (503, Some("1"), true, true),
        (503, None, false, false),
        (504, Some("1"), true, false),
        (504, None, false, false),
        (500, Some("1"), true, false),
        (404, Some("1"), false, false),
    ];
    for (status, after, of_read, of_write) in cases {
        for (method, again) in [("GET", of_read), ("POST", of_write), ("PUT", of_write), ("DELETE", of_write)] {
            let asked = request(&format!("{method} /api/v1/pods"), "{}");
            let (sent, last, _) = send(RetryPolicy::careful(), asked, vec![answer(status, after)]).await;
            assert_eq!(sent, if again { 2 } else { 1 }, "{method} {status} {after:?}");
            assert_eq!(last.unwrap().status(), if again { 200 } else { status });
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_repeats_reads_and_applies_without_a_version() {
    let cases = [
        ("GET /api/v1/pods", "", 2),
        ("POST /api/v1/pods", "{}", 1),
        ("PATCH /api/v1/pods/a", r#"{"metadata":{"name":"a"}}"#, 2),
        ("PATCH /api/v1/pods/a", r#"{"metadata":{"name":"a","resourceVersion":"7"}}"#, 1),
        ("PATCH /api/v1/pods/a", "metadata: {resourceVersion: 7}", 1),
        ("GET /api/v1/pods?watch=true", "", 1),
    ];
    for (text, body, expected) in cases {
        let reset = Err(Box::new(std::io::Error::from(std::io::ErrorKind::ConnectionReset)) as BoxError);
        let (sent, ..) = send(RetryPolicy::careful(), request(text, body), vec![reset]).await;
        assert_eq!(sent, expected, "{text} {body}");
    }
    let unreachable = Err(Stalled::connecting(Duration::from_secs(30)).into());
    let (sent, ..) = send(RetryPolicy::careful(), request("POST /api/v1/pods", "{}"), vec![unreachable]).await;
    assert_eq!(sent, 2, "nothing was sent, so even a create can be sent again");
}

#[tokio::test(start_paused = true)]
async fn an_evictions_429_is_its_answer() {
    let asked = request("POST /api/v1/namespaces/a/pods/b/eviction", "{}");
    assert_eq!(send(RetryPolicy::careful(), asked, vec![answer(429, Some("10"))]).await.0, 1);
}

#[tokio::test(start_paused = true)]
async fn the_servers_wish_is_honoured_within_the_budget() {
    let (sent, last, seconds) =
        send(RetryPolicy::careful(), request("GET /api", ""), vec![answer(429, Some("20")), answer(429, Some("30"))])
            .await;
    assert_eq!((sent, last.unwrap().status().as_u16()), (3, 200));
    assert!((50..=60).contains(&seconds), "what was asked for and up to half of it again, not {seconds} s");
    let (sent, last, seconds) =
        send(RetryPolicy::careful(), request("GET /api", ""), vec![answer(429, Some("40")), answer(429, Some("40"))])
            .await;
    assert_eq!((sent, last.unwrap().status().as_u16()), (2, 429));
    assert!((40..=60).contains(&seconds), "{seconds} s");
    // Numbers that no clock can hold, and text, count as none.
    for wish in ["18446744073709551615", "99999999999999999999", "soon"] {
        let (_, last, _) = send(RetryPolicy::careful(), request("GET /api", ""), vec![answer(429, Some(wish))]).await;
        last.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn ten_tries_within_a_minute_and_the_last_error_lists_the_others() {
    let resets = |count| (0..count).map(|_| Err("connection lost".into())).collect::<Vec<Answer>>();
    let (sent, last, seconds) = send(RetryPolicy::careful(), request("GET /api", ""), resets(99)).await;
    assert!((5..=TRIES_MAX as usize).contains(&sent) && seconds <= 60, "{sent} {seconds}");
    let message = last.unwrap_err().to_string();
    assert!(message.contains(&format!("{sent} tries")) && message.contains("connection lost"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn kubes_policies_keep_their_numbers_and_send_no_write_twice() {
    let many = || (0..99).map(|_| answer(503, None)).collect::<Vec<_>>();
    assert_eq!(send(RetryPolicy::default(), request("GET /api", ""), many()).await.0, 4);
    let fast = RetryPolicy::new(Duration::from_millis(1), Duration::from_millis(2), 15, true).unwrap();
    assert_eq!(send(fast.clone(), request("GET /api", ""), many()).await.0, 16);
    assert_eq!(send(fast.clone(), request("POST /api", "{}"), many()).await.0, 1);
    assert_eq!(send(fast, request("POST /api", "{}"), vec![answer(429, None)]).await.0, 2);
    assert!(RetryPolicy::new(Duration::from_secs(2), Duration::from_secs(1), 3, true).is_err());
    assert_eq!(RetryPolicy::server_retry().tries_max, 16);
}

#[tokio::test(start_paused = true)]
async fn a_401_is_sent_again_once_where_the_credentials_were_renewed() {
    let renewed = || {
        let mut response = answer(401, None).unwrap();
        response.extensions_mut().insert(CredentialsRenewed);
        Ok(response)
    };
    for text in ["POST /api", "GET /api?watch=true"] {
        for policy in [RetryPolicy::careful(), RetryPolicy::renewal_only(), RetryPolicy::default()] {
            let (sent, last, _) = send(policy.clone(), request(text, "{}"), vec![renewed()]).await;
            assert_eq!((sent, last.unwrap().status().as_u16()), (2, 200));
            let (sent, ..) = send(policy, request(text, "{}"), vec![renewed(), renewed()]).await;
            assert_eq!(sent, 2);
        }
    }
    assert_eq!(send(RetryPolicy::careful(), request("GET /api", ""), vec![answer(401, None)]).await.0, 1);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_tries_again_by_itself_learns_of_the_failure_at_once() {
    let refused = || Err(Box::new(std::io::Error::from(std::io::ErrorKind::ConnectionRefused)) as BoxError);
    let get = || request("GET /api/v1/pods", "");
    let (sent, ..) = send(RetryPolicy::careful(), get(), vec![refused()]).await;
    assert_eq!(sent, 2, "others do not");
    let (sent, last, seconds) = once(send(RetryPolicy::careful(), get(), vec![refused()])).await;
    assert_eq!((sent, last.is_err(), seconds), (1, true, 0));
}
