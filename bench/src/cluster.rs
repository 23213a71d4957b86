//! A cluster with objects of one kind, or of one kind and what they own: a tower service.
//!
//! In: requests for them, and what the measurement wants to happen next. Out: the answers of their collections. It checks
//! nothing and knows no other kind.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use http::{HeaderValue, Request, Response};
use tower::Service;

use crate::BoxError;
use crate::answer::Encoding;
use crate::collection::{Chunks, Collection, Happening};
use crate::objects::{Kind, Objects, TEMPLATES};
use crate::road::Road;

/// The service under a client; cloning shares the cluster.
#[derive(Clone)]
pub(crate) struct Cluster {
    /// What changes.
    changing: Collection,
    /// What does not: the owners of what changes, if there are any.
    owners: Option<Collection>,
}

impl Cluster {
    /// What a road leads to.
    pub(crate) fn new(road: Road, kind: Kind, count: usize, encoding: Encoding) -> Result<Self, BoxError> {
        let objects = Collection::new(Objects::generate(kind, count, TEMPLATES, encoding)?);
        if road != Road::Owns {
            return Ok(Self { changing: objects, owners: None });
        }
        Ok(Self { changing: Collection::new(Objects::owned_by(kind, count, encoding)?), owners: Some(objects) })
    }

    /// Changes every object that changes; nobody is told.
    pub(crate) fn change_all(&self) {
        self.changing.change_all();
    }

    /// Whether everything is watched.
    pub(crate) fn is_watched(&self) -> bool {
        self.changing.is_watched() && self.owners.as_ref().is_none_or(Collection::is_watched)
    }

    /// Sends every object's change on the watch that is open.
    pub(crate) fn send_changes(&self) {
        self.changing.happens(Happening::Changes);
    }

    /// Ends the watch that is open, so that its client lists again.
    pub(crate) fn expire_watch(&self) {
        self.changing.happens(Happening::Expiry);
    }

    fn collection(&self, path: &str) -> &Collection {
        match &self.owners {
            Some(owners) if path.ends_with(owners.objects().plural()) => owners,
            _ => &self.changing,
        }
    }
}

impl<B> Service<Request<B>> for Cluster {
    type Response = Response<Chunks>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let collection = self.collection(request.uri().path());
        let query = request.uri().query().unwrap_or_default();
        let content_type = match (collection.objects().encoding().content_type(), query.contains("watch=")) {
            (plain, false) => HeaderValue::from_static(plain),
            (plain, true) => HeaderValue::from_str(&format!("{plain};stream=watch")).expect("a media type"),
        };
        let mut response = Response::new(collection.answer(query));
        response.headers_mut().insert(http::header::CONTENT_TYPE, content_type);
        ready(Ok(response))
    }
}
