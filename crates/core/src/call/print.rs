//! A call as an HTTP request.
//!
//! kube writes `?` behind the path of every call but a plain get (the log is none), and `&` before every parameter, the first included;
//! users compare URLs in their tests, so the bytes are the same here.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::method::Method;

use super::{Call, Error, Form, Result, Verb};

/// Asks for the metadata of one object.
const ACCEPT_METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
/// Asks for the metadata of a collection.
const ACCEPT_METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
/// Asks for a table, or whole objects where there is none.
const ACCEPT_TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";
/// The same in protobuf, or in JSON where the server has no protobuf of it.
const PROTOBUF_FIRST: &str = "application/vnd.kubernetes.protobuf,application/json";
const PROTOBUF_FIRST_METADATA: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
     application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const PROTOBUF_FIRST_METADATA_LIST: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
     application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
/// Bodies are JSON unless they are a patch.
const JSON: &str = "application/json";

impl Call {
    /// Prints the call, with `body` as its body.
    pub fn into_request(self, body: Vec<u8>) -> Result<http::Request<Vec<u8>>> {
        self.to_request(body)
    }

    /// As [`into_request`](Self::into_request), for a caller that keeps the call.
    pub fn to_request(&self, body: Vec<u8>) -> Result<http::Request<Vec<u8>>> {
        let mut request = http::Request::builder().method(self.method()).uri(self.url()?);
        if let Some(accept) = self.accept() {
            request = request.header(ACCEPT, accept);
        }
        if let Some(content_type) = self.content_type() {
            request = request.header(CONTENT_TYPE, content_type);
        }
        request.body(body).map_err(Error::BuildRequest)
    }

    /// The `Accept` header that asks for the same answer in protobuf, and in JSON where the server has no protobuf of it;
    /// `None` for a table.
    pub fn accept_protobuf_first(&self) -> Option<&'static str> {
        match (self.form, self.verb) {
            (Form::Metadata, Verb::List) => Some(PROTOBUF_FIRST_METADATA_LIST),
            (Form::Metadata, _) => Some(PROTOBUF_FIRST_METADATA),
            (Form::Object, _) => Some(PROTOBUF_FIRST),
            (Form::Table, _) => None,
        }
    }

    fn method(&self) -> Method {
        match self.verb {
            Verb::Get | Verb::List | Verb::Watch => Method::GET,
            Verb::Create => Method::POST,
            Verb::Replace => Method::PUT,
            Verb::Patch(_) => Method::PATCH,
            Verb::Delete | Verb::DeleteCollection => Method::DELETE,
        }
    }

    fn accept(&self) -> Option<&'static str> {
        match (self.form, self.verb) {
            (Form::Metadata, Verb::List) => Some(ACCEPT_METADATA_LIST),
            (Form::Metadata, _) => Some(ACCEPT_METADATA),
            (Form::Table, _) => Some(ACCEPT_TABLE),
            (Form::Object, Verb::Patch(_)) => Some(JSON),
            (Form::Object, _) => None,
        }
    }

    fn content_type(&self) -> Option<&'static str> {
        match self.verb {
            Verb::Patch(kind) => Some(kind.content_type()),
            Verb::Create | Verb::Replace | Verb::Delete | Verb::DeleteCollection => Some(JSON),
            Verb::Get | Verb::List | Verb::Watch => (self.form == Form::Metadata).then_some(JSON),
        }
    }

    fn url(&self) -> Result<String> {
        let parameters = self.parameters();
        let mut url = self.target.path()?;
        if self.verb != Verb::Get || self.target.is_log() || !parameters.is_empty() {
            url.push('?');
        }
        let mut query = form_urlencoded::Serializer::new(url);
        for (parameter, value) in parameters {
            query.append_pair(parameter, &value);
        }
        Ok(query.finish())
    }

    /// What the query says, in kube's order.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let query = &self.query;
        let flag = |said: Option<bool>| said.map(|it| it.to_string());
        let is_watch = self.verb == Verb::Watch;
        let version = ("resourceVersion", query.resource_version.clone());
        let version_match = ("resourceVersionMatch", query.resource_version_match.clone());
        // A list says at which version first, a watch from which version last.
        let versions = if is_watch { [version_match, version] } else { [version, version_match] };
        let before = [
            ("watch", is_watch.then(|| "true".to_owned())),
            ("timeoutSeconds", query.timeout_seconds.map(|it| it.to_string())),
            ("dryRun", query.dry_run.clone()),
            ("force", flag(query.force)),
            ("fieldManager", query.field_manager.clone()),
            ("fieldValidation", query.field_validation.clone()),
            ("fieldSelector", query.field_selector.clone()),
            ("labelSelector", query.label_selector.clone()),
            ("limit", query.limit.map(|it| it.to_string())),
            ("continue", query.continue_token.clone()),
            ("allowWatchBookmarks", query.allow_watch_bookmarks.then(|| "true".to_owned())),
            ("sendInitialEvents", flag(query.send_initial_events)),
        ];
        let after = [
            ("gracePeriodSeconds", query.grace_period_seconds.map(|it| it.to_string())),
            ("propagationPolicy", query.propagation_policy.clone()),
            ("orphanDependents", flag(query.orphan_dependents)),
        ];
        before
            .into_iter()
            .chain(versions)
            .chain(after)
            .filter_map(|(parameter, value)| value.map(|value| (parameter, value)))
            .chain(query.logs.parameters())
            .chain(query.connect.parameters())
            .collect()
    }
}
