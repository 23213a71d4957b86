//! What a webhook answered, read as client-go reads it.
//!
//! In: a response. Out: the JSON in it, or what is wrong with it in client-go's words. A body is read up to a limit, so that
//! no webhook can fill the memory of the server.

use bytes::{Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;

use super::ResponseBody;
use crate::codec::typed::go_errors;
use crate::codec::yaml;

/// The JSON of a response that says that all went well.
pub(super) async fn read(response: Response<ResponseBody>) -> Result<Value, String> {
    let (parts, body) = response.into_parts();
    let content_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let body = collect(body).await?;
    if !(200..=206).contains(&parts.status.as_u16()) {
        return Err(failure(parts.status, content_type, &body));
    }
    if body.is_empty() {
        let code = parts.status.as_u16();
        return Err(format!("0-length response with status code: {code} and content type: {content_type}"));
    }
    if let Ok(value) = serde_json::from_slice(&body) {
        return Ok(value);
    }
    // What is not JSON may be YAML, and most texts are.
    yaml::read(&body).map(|read| read.value).map_err(|why| {
        serde_json::from_slice::<Value>(&body).err().map_or(why, |error| go_errors::syntax(&error, &body))
    })
}

/// What is said of a body that broke off.
pub(super) fn unreadable(why: &str) -> String {
    format!("unexpected error when reading response body. Please retry. Original error: {why}")
}

/// A body as bytes.
async fn collect(mut body: ResponseBody) -> Result<Bytes, String> {
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| unreadable("unexpected EOF"))?;
        let Ok(data) = frame.into_data() else { continue };
        if read.len() + data.len() > BODY_BYTES_MAX {
            return Err(unreadable(&format!("it is larger than {BODY_BYTES_MAX} bytes")));
        }
        read.extend_from_slice(&data);
    }
    Ok(read.freeze())
}

fn failure(status: StatusCode, content_type: &str, body: &[u8]) -> String {
    if let Ok(Value::Object(said)) = serde_json::from_slice(body)
        && said.get("kind").is_some_and(|kind| kind == "Status")
        && let Some(message) = said.get("message").and_then(Value::as_str).filter(|message| !message.is_empty())
    {
        return message.to_owned();
    }
    let is_text = content_type.starts_with("text/");
    let text = if is_text { String::from_utf8_lossy(body).trim().to_owned() } else { "unknown".to_owned() };
    let fixed = match status.as_u16() {
        400 => "the server rejected our request for an unknown reason",
        401 => "the server has asked for the client to provide credentials",
        403 if is_text => return text,
        403 => "unknown",
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        409 => "the server reported a conflict",
        422 => "the server rejected our request due to an error in our request",
        429 => "the server has received too many requests and has asked us to try again later",
        503 => "the server is currently unable to handle the request",
        504 => {
            "the server was unable to return a response in the time allotted, but may still be processing the request"
        }
        500.. => return format!("an error on the server ({text:?}) has prevented the request from succeeding"),
        code => return format!("the server responded with the status code {code} but did not return more information"),
    };
    fixed.to_owned()
}

/// Ten times what a request may have: no review is larger, and every one fits into memory.
const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use http_body_util::Full;

    use super::*;
    use crate::webhook::in_process::boxed;

    fn check(code: u16, content_type: &str, body: &str, expected: Result<Value, &str>) {
        let response = Response::builder().status(code).header(CONTENT_TYPE, content_type);
        let response = response.body(boxed(Full::new(Bytes::from(body.to_owned())))).unwrap();
        let read = read(response).now_or_never().unwrap();
        assert_eq!(read, expected.map_err(str::to_owned), "{code} {body}");
    }

    /// As kube-apiserver 1.37 said it.
    #[test]
    fn responses_are_understood_as_client_go_does() {
        let json = "application/json";
        check(201, json, "{\"a\": 1}", Ok(serde_json::json!({"a": 1})));
        check(200, json, "this is not json", Ok("this is not json".into()));
        let empty = "0-length response with status code: 200 and content type: application/json";
        check(200, json, "", Err(empty));
        let unknown = "an error on the server (\"unknown\") has prevented the request from succeeding";
        check(500, json, "boom", Err(unknown));
        check(
            502,
            "text/plain",
            "boom\n",
            Err("an error on the server (\"boom\") has prevented the request from succeeding"),
        );
        check(404, "text/plain", "404 page not found\n", Err("the server could not find the requested resource"));
        let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"hello","code":400}"#;
        check(400, json, status, Err("hello"));
    }
}
