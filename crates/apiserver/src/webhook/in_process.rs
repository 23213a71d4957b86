//! A webhook that is a tower service of this process: no socket, no certificate, and paused time stays paused.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use http::{Request, Response};
use http_body_util::BodyExt;
use tower::{Service, ServiceExt};

use super::ResponseBody;
use crate::response::body::Body;
use crate::server::BoxError;

type Answered = Pin<Box<dyn Future<Output = Result<Response<ResponseBody>, BoxError>> + Send>>;

/// A service of this process.
#[derive(Clone)]
pub(crate) struct InProcess(Arc<dyn Fn(Request<Body>) -> Answered + Send + Sync>);

impl InProcess {
    pub(crate) fn new<S, B>(service: S) -> InProcess
    where
        S: Service<Request<Body>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send + 'static,
        B::Data: Buf + Send,
        B::Error: Into<BoxError>,
    {
        InProcess(Arc::new(move |request| {
            let answer = service.clone().oneshot(request);
            Box::pin(async move { answer.await.map(|response| response.map(boxed)).map_err(Into::into) })
        }))
    }

    pub(super) async fn call(&self, request: Request<Bytes>) -> Result<Response<ResponseBody>, BoxError> {
        (self.0)(request.map(Body::full)).await
    }
}

/// A body of any kind as the one that is read.
pub(super) fn boxed<B>(body: B) -> ResponseBody
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    let bytes = |mut data: B::Data| data.copy_to_bytes(data.remaining());
    body.map_frame(move |frame| frame.map_data(bytes)).map_err(Into::into).boxed_unsync()
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}
