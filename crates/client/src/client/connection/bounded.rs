//! A connector that gives up after a while: a connection that is not there in time is an error that names its stage.

use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use http::Uri;
use tower::{BoxError, Service};

use crate::client::reporter::stalled::{Stage, Stalled};

/// A connector that gives up.
#[derive(Clone)]
pub(in crate::client) struct BoundedConnector<C> {
    pub(in crate::client) inner: C,
    pub(in crate::client) stage: Stage,
    pub(in crate::client) limit: Option<Duration>,
}

impl<C> Service<Uri> for BoundedConnector<C>
where
    C: Service<Uri>,
    C::Future: Send + 'static,
    C::Response: 'static,
    C::Error: Into<BoxError>,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<C::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (connecting, stage, limit) = (self.inner.call(uri), self.stage, self.limit);
        async move {
            let Some(limit) = limit else {
                return connecting.await.map_err(Into::into);
            };
            match tokio::time::timeout(limit, connecting).await {
                Ok(connection) => connection.map_err(Into::into),
                Err(_) => Err(Stalled::new(stage, limit).into()),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tower::{ServiceExt, service_fn};

    use super::*;
    use crate::error::{Error, ErrorKind};

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_not_made_in_time_is_unreachable() {
        let limit = Some(Duration::from_secs(30));
        let inner = service_fn(|_: Uri| std::future::pending::<Result<(), Infallible>>());
        for stage in [Stage::Connect, Stage::Tls] {
            let connector = BoundedConnector { inner, stage, limit };
            let error = connector.oneshot(Uri::default()).await.unwrap_err();
            assert_eq!(Error::of_service(error).kind(), ErrorKind::Unreachable);
        }
    }
}
