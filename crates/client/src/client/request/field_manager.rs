//! Who writes: the name that a program says once for its client, and the server keeps beside each field.

use std::sync::Arc;

use http::Request;
use pintle_core::call::{Call, Verb};

use super::info::RequestInfo;
use crate::client::Client;

impl Client {
    /// The same client, whose writes are those of the field manager `name` where they do not say another. Without one the
    /// server makes a name up from the program's. An apply through [`Api::patch`](crate::Api::patch) needs none of its
    /// own then. Not in kube.
    #[must_use]
    pub fn with_field_manager(mut self, name: &str) -> Self {
        self.field_manager = Some(Arc::from(name));
        self
    }

    /// The field manager of writes that do not name one; see [`with_field_manager`](Self::with_field_manager).
    pub fn field_manager(&self) -> Option<&str> {
        self.field_manager.as_deref()
    }

    /// The same request, which says who writes if it is a write.
    pub(in crate::client) fn managed(&self, mut request: Request<Vec<u8>>) -> Request<Vec<u8>> {
        let Some(manager) = self.field_manager() else { return request };
        let info = RequestInfo::of(&request);
        let Some(call) = info.call().filter(|call| writes_fields(call.verb) && call.query.field_manager.is_none())
        else {
            return request;
        };
        let mut call = Call::clone(call);
        call.query.field_manager = Some(manager.to_owned());
        // What cannot be printed again is sent as it is.
        if let Ok(printed) = call.to_request(Vec::new()) {
            *request.uri_mut() = printed.into_parts().0.uri;
            request.extensions_mut().insert(RequestInfo::of_call(call));
        }
        request
    }
}

fn writes_fields(verb: Verb) -> bool {
    matches!(verb, Verb::Create | Verb::Replace | Verb::Patch(_))
}
