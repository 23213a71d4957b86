//! Whatever is plugged in under the client: services that are neither `Clone` nor `Sync`, Unix sockets, a retry policy
//! and an executor of one's own; and what each call looks like in a trace.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use http::{Request, Response, StatusCode, Uri};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo};
use pintle_client::client::middleware::BaseUriLayer;
use pintle_client::client::{Body, ClientBuilder};
use pintle_client::{Client, Error};
use tokio::net::{UnixListener, UnixStream};
use tower::buffer::BufferLayer;
use tower::retry::{Policy, RetryLayer};
use tower::{BoxError, Service, ServiceBuilder};

use crate::folder::Folder;
use crate::served::{Asked, Notes, Served, VERSION, json, refused};

/// Counts its calls in a cell, which no two threads may share; it has to be made ready before each call.
struct Lonely {
    calls: Cell<u32>,
    is_ready: bool,
}

impl Service<Request<Body>> for Lonely {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.is_ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        assert!(std::mem::take(&mut self.is_ready), "called before it was ready");
        self.calls.set(self.calls.get() + 1);
        let version = VERSION.replace("37", &self.calls.get().to_string());
        ready(Ok(Response::new(Body::from(version.into_bytes()))))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_service_that_is_neither_clone_nor_sync_serves_many_tasks() {
    // Made outside of any task, as a program's `main` may do.
    let client = std::thread::spawn(|| Client::new(Lonely { calls: Cell::new(0), is_ready: false }, "home"));
    let client = client.join().unwrap();
    let calls = (0..50).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.apiserver_version().await.unwrap().minor })
    });
    let mut counts = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        counts.push(call.await.unwrap().parse::<u32>().unwrap());
    }
    counts.sort_unstable();
    assert_eq!(counts, (1..=50).collect::<Vec<_>>());
    assert_eq!(client.default_namespace(), "home");
}

/// A connection that is a file.
struct ToSocket(TokioIo<UnixStream>);

impl Connection for ToSocket {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl hyper::rt::Read for ToSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: hyper::rt::ReadBufCursor<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl hyper::rt::Write for ToSocket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[tokio::test]
async fn a_unix_socket_is_a_service_like_any_other() {
    let folder = Folder::new("socket");
    let path = folder.path("api.sock");
    let listener = UnixListener::bind(&path).unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let service = hyper::service::service_fn(|_| async { Ok::<_, Infallible>(json(VERSION)) });
        let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    });
    let connector = tower::service_fn(move |_: Uri| {
        let path = path.clone();
        Box::pin(async move { UnixStream::connect(path).await.map(|stream| ToSocket(TokioIo::new(stream))) })
    });
    let service = ServiceBuilder::new()
        .layer(BaseUriLayer::new("http://localhost".parse().unwrap()))
        .map_err(BoxError::from)
        .service(HyperClient::builder(TokioExecutor::new()).build::<_, Body>(connector));
    assert_eq!(Client::new(service, "default").apiserver_version().await.unwrap().minor, "37");
}

/// Spawns as tokio does, and counts.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for Counting {
    fn execute(&self, task: F) {
        self.0.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(task);
    }
}

#[tokio::test]
async fn the_tasks_of_connections_are_spawned_by_the_executor_that_was_given() {
    let served = Served::plain(|_| async { json(VERSION) }).await;
    let executor = Counting::default();
    let client = ClientBuilder::try_from((served.config(), executor.clone())).unwrap().build();
    client.apiserver_version().await.unwrap();
    assert!(executor.0.load(Ordering::Relaxed) > 0);
}

/// Repeats every 500, as often as it likes.
#[derive(Clone)]
struct Stubborn;

impl<R> Policy<Request<Body>, Response<R>, BoxError> for Stubborn {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut Request<Body>, result: &mut Result<Response<R>, BoxError>) -> Option<Ready<()>> {
        let failed = result.as_ref().is_ok_and(|answer| answer.status() == StatusCode::INTERNAL_SERVER_ERROR);
        failed.then(|| ready(()))
    }

    fn clone_request(&mut self, request: &Request<Body>) -> Option<Request<Body>> {
        let mut clone = Request::new(request.body().try_clone()?);
        *clone.uri_mut() = request.uri().clone();
        *clone.method_mut() = request.method().clone();
        Some(clone)
    }
}

#[tokio::test]
async fn a_retry_policy_of_ones_own_takes_the_place_of_ours() {
    let tries = Notes::<()>::default();
    let noted = tries.clone();
    let served = Served::plain(move |_: Asked| {
        noted.add(());
        let number = noted.all().len();
        async move { if number < 30 { refused(500, "InternalError", "not yet") } else { json(VERSION) } }
    })
    .await;
    let mut config = served.config();
    config.default_retry = false;
    let ours = Client::try_from(config.clone()).unwrap();
    assert!(matches!(ours.apiserver_version().await, Err(Error::Api(status)) if status.code == 500));
    // As around kube's: the service that a builder begins with cannot be cloned, one behind a buffer can.
    let layers = ServiceBuilder::new().layer(RetryLayer::new(Stubborn)).layer(BufferLayer::new(64)).into_inner();
    let client = ClientBuilder::try_from(config).unwrap().with_layer(&layers).build();
    client.apiserver_version().await.unwrap();
    assert_eq!(tries.all().len(), 30);
}

#[tokio::test]
async fn a_call_is_one_span_and_each_try_another_within() {
    let log = crate::logged::Log::default();
    let _recording = log.record();
    let served = Served::plain(|asked: Asked| async move {
        if asked.connection == 1 && asked.path() == "/version" {
            let mut answer = refused(429, "TooManyRequests", "slow down");
            answer.headers_mut().insert("retry-after", "0".parse().unwrap());
            answer.headers_mut().insert("connection", "close".parse().unwrap());
            return answer;
        }
        json(VERSION)
    })
    .await;
    Client::try_from(served.config()).unwrap().apiserver_version().await.unwrap();
    let text = log.text();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("pintle_client")).collect();
    let answered: Vec<&&str> = lines.iter().filter(|line| line.contains("attempt: answered ")).collect();
    assert_eq!(answered.len(), 2, "{text}");
    for line in answered {
        let (call, attempt) = (line.find("HTTP{").unwrap(), line.find("attempt").unwrap());
        assert!(
            call < attempt
                && line.contains("http.request.method=GET")
                && line.contains(&format!("url.full=http://{}/version", served.address)),
            "{line}"
        );
    }
    assert!(lines.iter().any(|line| line.contains("is tried again") && !line.contains("attempt")), "{text}");
}

/// Layers that programs have written for kube fit: these are its types and bounds.
#[test]
fn a_builder_and_the_middleware_have_kubes_types() {
    use pintle_client::client::retry::RetryPolicy;
    use pintle_client::client::{ConfigExt, DynBody};
    use tower::util::BoxService;
    use tower::{Layer, service_fn};
    type Kubes = BoxService<Request<Body>, Response<Box<DynBody>>, BoxError>;
    fn is_service<B>(_: &impl Service<Request<B>, Response = (), Error = Infallible>) {}
    fn is_policy<R>(_: &impl Policy<Request<Body>, Response<R>, BoxError>) {}

    let config = pintle_client::Config::new("http://localhost".parse().unwrap());
    let _: ClientBuilder<Kubes> = ClientBuilder::try_from(config.clone()).unwrap();
    let _: ClientBuilder<Kubes> = ClientBuilder::try_from((config.clone(), TokioExecutor::new())).unwrap();
    let of_text = service_fn(|_: Request<&'static str>| ready(Ok(())));
    is_service::<&'static str>(&config.base_uri_layer().layer(of_text));
    is_service::<&'static str>(&config.extra_headers_layer().unwrap().layer(of_text));
    is_policy::<()>(&RetryPolicy::default());
    is_policy::<Box<DynBody>>(&RetryPolicy::server_retry());
}
