//! Who writes: the name that a program says once for its client, and the server keeps beside each field.

use std::sync::Arc;

use http::{Method, Request};
use pintle_core::call::{Call, Verb};

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

    /// Who writes, where a write does not say so; see [`with_field_manager`](Self::with_field_manager).
    pub fn field_manager(&self) -> Option<&str> {
        self.field_manager.as_deref()
    }

    /// The same request, which says who writes if it is a write.
    pub(in crate::client) fn managed(&self, request: Request<Vec<u8>>) -> Request<Vec<u8>> {
        let Some(manager) = self.field_manager().filter(|_| writes_fields(request.method())) else {
            return request;
        };
        let (mut parts, body) = request.into_parts();
        if let Ok(mut call) = Call::parse(&parts)
            && matches!(call.verb, Verb::Create | Verb::Replace | Verb::Patch(_))
            && call.query.field_manager.is_none()
        {
            call.query.field_manager = Some(manager.to_owned());
            // What cannot be printed again is sent as it is.
            if let Ok(printed) = call.into_request(Vec::new()) {
                parts.uri = printed.into_parts().0.uri;
            }
        }
        Request::from_parts(parts, body)
    }
}

fn writes_fields(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH)
}
