//! A client over a service that notes each request and gives a prepared answer.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::stream;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use pintle_client::Client;
use pintle_client::client::Body;

/// One answer for every request, in pieces.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) content_type: Option<&'static str>,
    pub(crate) pieces: Vec<Vec<u8>>,
    /// Whether the connection breaks behind the last piece.
    pub(crate) breaks: bool,
    /// The code where protobuf is asked for.
    pub(crate) refusal: Option<u16>,
}

impl Answer {
    pub(crate) fn json(body: &str) -> Self {
        Self {
            code: 200,
            content_type: Some("application/json"),
            pieces: vec![body.into()],
            breaks: false,
            refusal: None,
        }
    }

    /// A body in Kubernetes' protobuf, or frames of it.
    pub(crate) fn protobuf(body: Vec<u8>) -> Self {
        let content_type = Some("application/vnd.kubernetes.protobuf;stream=watch");
        Self { content_type, pieces: vec![body], ..Self::json("") }
    }

    pub(crate) fn code(self, code: u16) -> Self {
        Self { code, ..self }
    }

    pub(crate) fn content_type(self, content_type: Option<&'static str>) -> Self {
        Self { content_type, ..self }
    }

    /// The same, for those who do not ask for protobuf; the others are refused.
    pub(crate) fn refusing_protobuf(self, code: u16) -> Self {
        Self { refusal: Some(code), ..self }
    }

    pub(crate) fn breaking(self) -> Self {
        Self { breaks: true, ..self }
    }

    /// The same body, cut into pieces of `size` bytes.
    pub(crate) fn cut(self, size: usize) -> Self {
        let whole = self.pieces.concat();
        Self { pieces: whole.chunks(size).map(<[u8]>::to_vec).collect(), ..self }
    }

    fn response(self) -> Response<Body> {
        let mut frames: Vec<Result<Frame<Bytes>, std::io::Error>> =
            self.pieces.into_iter().map(|piece| Ok(Frame::data(Bytes::from(piece)))).collect();
        if self.breaks {
            frames.push(Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset)));
        }
        let mut response = Response::new(Body::wrap_body(StreamBody::new(stream::iter(frames))));
        *response.status_mut() = self.code.try_into().unwrap();
        if let Some(content_type) = self.content_type {
            response.headers_mut().insert(CONTENT_TYPE, content_type.parse().unwrap());
        }
        response
    }
}

/// What was asked: method and URL, the headers that matter, the body.
#[derive(Clone, Default)]
pub(crate) struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

pub(crate) fn client(answer: Answer) -> (Client, Asked) {
    let asked = Asked::default();
    let noted = asked.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (noted, answer) = (noted.clone(), answer.clone());
        async move {
            let (parts, body) = request.into_parts();
            let body = String::from_utf8(body.collect_bytes().await.unwrap().to_vec()).unwrap();
            let header = |name| parts.headers.get(name).map_or("", |value| value.to_str().unwrap());
            let (accept, kind) = (header("accept"), header("content-type"));
            let answer = match answer.refusal {
                Some(code) if accept.contains("protobuf") => Answer::json("{}").code(code),
                _ => answer,
            };
            noted.0.lock().unwrap().push(format!("{} {} [{accept}] [{kind}] {body}", parts.method, parts.uri));
            Ok::<_, Infallible>(answer.response())
        }
    });
    (Client::new(service, "home"), asked)
}
