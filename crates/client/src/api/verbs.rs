//! What can be done with objects: read, list, watch, create, replace, patch, delete.
//!
//! Each verb is a call printed, sent and decoded. Refusals are [`Error::Api`](crate::Error::Api).

use std::borrow::Cow;
use std::fmt::Debug;

use either::Either;
use futures::Stream;
use http::{Request, StatusCode};
use pintle_core::call::{self, Call, PatchKind, Target};
use pintle_core::params::{DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams, WatchParams};
use pintle_core::request::Error as RequestError;
use pintle_core::{ObjectList, PartialObjectMeta, Status, TypeMeta, WatchEvent};
use pintle_wire::MediaType;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::apply::body::completed;
use super::span_name::span_name;
use super::{Api, Protobuf};
use crate::client::{Body, Client, RawWatch, RequestInfo};
use crate::error::{Error, Result};

/// Reading.
impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Debug,
{
    /// The object `name`, as new as the server has it.
    ///
    /// # Errors
    /// When it does not exist, among others; [`Api::get_opt`] returns `None` then.
    pub async fn get(&self, name: &str) -> Result<K> {
        self.get_with(name, &GetParams::default()).await
    }

    /// The object `name`, as new as `gp` asks.
    ///
    /// # Errors
    /// When it does not exist, among others.
    pub async fn get_with(&self, name: &str, gp: &GetParams) -> Result<K> {
        self.request(print(Call::get(self.object(name), gp).map(|call| self.in_form(call)))?).await
    }

    /// The object `name`, or `None` where it does not exist. A server that does not have the kind has no such object
    /// either, so that is `None` too, as in kube; every other call then fails and says so.
    ///
    /// # Errors
    /// When the server refuses for another reason or cannot be reached.
    pub async fn get_opt(&self, name: &str) -> Result<Option<K>> {
        absent_is_none(self.get(name).await)
    }

    /// The metadata of the object `name`.
    ///
    /// # Errors
    /// When it does not exist, among others; [`Api::get_metadata_opt`] returns `None` then.
    pub async fn get_metadata(&self, name: &str) -> Result<PartialObjectMeta<K>> {
        self.get_metadata_with(name, &GetParams::default()).await
    }

    /// The metadata of the object `name`, as new as `gp` asks.
    ///
    /// # Errors
    /// When it does not exist, among others; [`Api::get_metadata_opt_with`] returns `None` then.
    pub async fn get_metadata_with(&self, name: &str, gp: &GetParams) -> Result<PartialObjectMeta<K>> {
        let call = Call::get(self.object(name), gp).map(Call::metadata);
        self.request_metadata(print(call)?).await
    }

    /// The metadata of the object `name`, or `None` where it does not exist.
    ///
    /// # Errors
    /// When the server refuses for another reason or cannot be reached.
    pub async fn get_metadata_opt(&self, name: &str) -> Result<Option<PartialObjectMeta<K>>> {
        self.get_metadata_opt_with(name, &GetParams::default()).await
    }

    /// The metadata of the object `name`, as new as `gp` asks, or `None` where it does not exist.
    ///
    /// # Errors
    /// When the server refuses for another reason or cannot be reached.
    pub async fn get_metadata_opt_with(&self, name: &str, gp: &GetParams) -> Result<Option<PartialObjectMeta<K>>> {
        absent_is_none(self.get_metadata_with(name, gp).await)
    }

    /// The objects that `lp` selects.
    ///
    /// # Errors
    /// When the server refuses, cannot be reached, or one object is not a `K`.
    pub async fn list(&self, lp: &ListParams) -> Result<ObjectList<K>> {
        self.request(print(Call::list(self.collection.clone(), lp).map(|call| self.in_form(call)))?).await
    }

    /// The metadata of the objects that `lp` selects.
    ///
    /// # Errors
    /// When the server refuses or cannot be reached.
    pub async fn list_metadata(&self, lp: &ListParams) -> Result<ObjectList<PartialObjectMeta<K>>> {
        let call = Call::list(self.collection.clone(), lp).map(Call::metadata);
        self.request_metadata(print(call)?).await
    }

    /// What happens from `version` on to the objects that `wp` selects.
    ///
    /// The stream ends quietly when the server ends it or the connection breaks; to go on, watch again from the last
    /// version seen. The runtime's `watcher` does that. What else makes its body fail, in a layer of the client, is a last error.
    ///
    /// Its opening is tried again as client-go does it, by a client that is made from a [`Config`](crate::Config): an answer
    /// of 429, or another with `Retry-After`, up to ten times within a minute; a connection that breaks before there is an
    /// answer, too, and if it breaks each time the stream is empty. A server that cannot be reached is an error at once.
    ///
    /// # Errors
    /// When the watch cannot be started.
    pub async fn watch(
        &self,
        wp: &WatchParams,
        version: &str,
    ) -> Result<impl Stream<Item = Result<WatchEvent<K>>> + use<K>> {
        let call = Call::watch(self.collection.clone(), wp, version).map(|call| self.in_form(call));
        let open = async |request| match self.protobuf {
            Protobuf::Objects => self.client.stream_protobuf_first(request).await,
            Protobuf::Metadata | Protobuf::Never => self.client.stream(request).await,
        };
        let (media_type, body) = RawWatch::open(print(call)?, open).await?;
        Ok(Client::events(media_type, body))
    }

    /// As [`Api::watch`], with metadata alone.
    ///
    /// # Errors
    /// When the watch cannot be started.
    pub async fn watch_metadata(
        &self,
        wp: &WatchParams,
        version: &str,
    ) -> Result<impl Stream<Item = Result<WatchEvent<PartialObjectMeta<K>>>> + use<K>> {
        let call = Call::watch(self.collection.clone(), wp, version).map(Call::metadata);
        let (media_type, body) = RawWatch::open(print(call)?, |request| self.client.stream(request)).await?;
        Ok(Client::events(media_type, body))
    }
}

/// Writing.
impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Debug,
{
    /// Creates an object and returns it as the server stored it.
    ///
    /// # Errors
    /// When it exists already or is refused, among others.
    pub async fn create(&self, pp: &PostParams, data: &K) -> Result<K>
    where
        K: Serialize,
    {
        let body = to_body(data)?;
        self.request(print_with(Call::create(self.collection.clone(), pp), body)?).await
    }

    /// Replaces the object `name` and returns it as the server stored it. With a `resourceVersion` in `data` the
    /// server refuses if the object has changed since.
    ///
    /// # Errors
    /// When it does not exist or has changed, among others.
    pub async fn replace(&self, name: &str, pp: &PostParams, data: &K) -> Result<K>
    where
        K: Serialize,
    {
        self.put(self.object(name), pp, data).await
    }

    /// Changes parts of the object `name` and returns it as the server stored it. A [`Patch::Apply`] that does not
    /// say `apiVersion` or `kind` gets those of `K`.
    ///
    /// # Errors
    /// When it does not exist or the patch is refused, among others.
    pub async fn patch<P: Serialize + Debug>(&self, name: &str, pp: &PatchParams, patch: &Patch<P>) -> Result<K> {
        self.request(self.print_patch(self.object(name), pp, patch, |call| self.in_form(call))?).await
    }

    /// As [`Api::patch`], returning metadata only.
    ///
    /// # Errors
    /// When it does not exist or the patch is refused, among others.
    pub async fn patch_metadata<P: Serialize + Debug>(
        &self,
        name: &str,
        pp: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<PartialObjectMeta<K>> {
        self.request_metadata(self.print_patch(self.object(name), pp, patch, Call::metadata)?).await
    }

    /// Deletes the object `name`: left is the object where it still has to be finalized, right where it is gone.
    ///
    /// # Errors
    /// When it does not exist or a precondition does not hold, among others.
    pub async fn delete(&self, name: &str, dp: &DeleteParams) -> Result<Either<K, Status>> {
        let body = to_body(dp)?;
        self.client.request_status(print_with(Call::delete(self.object(name)), body)?).await
    }

    /// Deletes every object that `lp` selects: left are those that still have to be finalized, right where all are
    /// gone.
    ///
    /// # Errors
    /// When the server refuses or cannot be reached.
    pub async fn delete_collection(&self, dp: &DeleteParams, lp: &ListParams) -> Result<Either<ObjectList<K>, Status>> {
        // kube sends no body where nothing is set about the deletion.
        let body = if *dp == DeleteParams::default() { Vec::new() } else { to_body(dp)? };
        let call = Call::delete_collection(self.collection.clone(), lp);
        self.client.request_status(print_with(call, body)?).await
    }
}

impl<K: DeserializeOwned> Api<K> {
    pub(super) async fn put(&self, target: Target, pp: &PostParams, data: &K) -> Result<K>
    where
        K: Serialize,
    {
        let body = to_body(data)?;
        self.request(print_with(Call::replace(target, pp), body)?).await
    }
}

/// Asking for protobuf first where `K` can be read from it. What is deleted comes as JSON: mostly that is a `Status`. So does metadata,
/// as in kube, whose users compare the header in their tests; the [road of the runtime](super::packed) asks for it as protobuf.
impl<K> Api<K> {
    pub(super) async fn request<T: DeserializeOwned>(&self, request: Request<Vec<u8>>) -> Result<T> {
        Ok(self.request_with_code(request).await?.1)
    }

    pub(super) async fn request_with_code<T: DeserializeOwned>(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<(StatusCode, T)> {
        match self.protobuf {
            Protobuf::Objects => self.client.request_protobuf_first(request).await,
            Protobuf::Metadata | Protobuf::Never => self.client.request_with_code(request).await,
        }
    }

    /// For the runtime.
    pub(super) async fn stream(&self, request: Request<Vec<u8>>) -> Result<(MediaType, Body)> {
        match self.protobuf {
            Protobuf::Never => self.client.stream(request).await,
            Protobuf::Metadata if !RequestInfo::of(&request).is_metadata() => self.client.stream(request).await,
            Protobuf::Objects | Protobuf::Metadata => self.client.stream_protobuf_first(request).await,
        }
    }

    async fn request_metadata<T: DeserializeOwned>(&self, request: Request<Vec<u8>>) -> Result<T> {
        Ok(self.client.request_with_code(request).await?.1)
    }
}

/// The request of a call without a body.
pub(super) fn print(call: call::Result<Call>) -> Result<Request<Vec<u8>>> {
    print_with(call, Vec::new())
}

impl<K> Api<K> {
    /// The request of a patch, asking for the answer in the form that `form` chooses. An apply that does not say its
    /// kind gets this one.
    pub(super) fn print_patch<P: Serialize>(
        &self,
        target: Target,
        pp: &PatchParams,
        patch: &Patch<P>,
        form: impl FnOnce(Call) -> Call,
    ) -> Result<Request<Vec<u8>>> {
        self.print_patch_of(&self.types(), target, pp, patch, form)
    }

    /// The same for what calls itself `types`.
    pub(super) fn print_patch_of<P: Serialize>(
        &self,
        types: &TypeMeta,
        target: Target,
        pp: &PatchParams,
        patch: &Patch<P>,
        form: impl FnOnce(Call) -> Call,
    ) -> Result<Request<Vec<u8>>> {
        let mut body = patch.serialize().map_err(|error| Error::BuildRequest(RequestError::SerializeBody(error)))?;
        let mut params = Cow::Borrowed(pp);
        if patch.kind() == PatchKind::Apply {
            body = completed(body, types);
            if pp.field_manager.is_none() {
                params.to_mut().field_manager = self.client.field_manager().map(str::to_owned);
            }
        }
        print_with(Call::patch(target, patch.kind(), &params).map(form), body)
    }
}

/// The request of a call; what is sent under its name in spans is kube's name for it.
pub(super) fn print_with(call: call::Result<Call>, body: Vec<u8>) -> Result<Request<Vec<u8>>> {
    let named = |call: Call| {
        let name = span_name(&call);
        let mut request = RequestInfo::print(call, body)?;
        request.extensions_mut().insert(name);
        Ok(request)
    };
    call.and_then(named).map_err(|error| Error::BuildRequest(error.into()))
}

/// The same request, under another name in spans than its verb has.
pub(super) fn named(name: &'static str, mut request: Request<Vec<u8>>) -> Request<Vec<u8>> {
    request.extensions_mut().insert(name);
    request
}

pub(super) fn to_body(data: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(data).map_err(|error| Error::BuildRequest(RequestError::SerializeBody(error)))
}

fn absent_is_none<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(object) => Ok(Some(object)),
        Err(error) if error.status().is_some_and(Status::is_not_found) => Ok(None),
        Err(error) => Err(error),
    }
}
