//! kube's request builder: the calls of one collection, each printed at once.
//!
//! ```text
//!   Request { url_path } ─► Target ─► Call ─► http::Request
//! ```
//! A [`Call`] can be looked at and parsed back; this is for programs that have a URL and want kube's methods.
//! A `url_path` that is not a collection of the API is refused.

#[cfg(feature = "ws")]
mod connect;
mod error;
mod metadata;
mod subresource;
mod verbs;

use serde::Serialize;

pub use error::Error;

use crate::call::{self, Call, Target};
use crate::params::{Patch, PatchParams};

/// The calls of the collection at `url_path`.
#[derive(Clone, Debug)]
pub struct Request {
    /// The path of the collection, as [`Resource::url_path`](crate::Resource::url_path) gives it.
    pub url_path: String,
}

impl Request {
    /// The calls of the collection at `url_path`.
    pub fn new<S: Into<String>>(url_path: S) -> Self {
        Self { url_path: url_path.into() }
    }

    fn collection(&self) -> call::Result<Target> {
        let target = Target::parse(&self.url_path)?;
        if target.name.is_some() {
            return Err(call::Error::Validation(format!("{:?} is not a path of a collection", self.url_path)));
        }
        Ok(target)
    }

    fn object(&self, name: &str) -> call::Result<Target> {
        Ok(self.collection()?.named(name))
    }

    fn part(&self, subresource: &str, name: &str) -> call::Result<Target> {
        Ok(self.object(name)?.subresource(subresource))
    }
}

/// What every method returns.
type Printed = Result<http::Request<Vec<u8>>, Error>;

fn print(call: call::Result<Call>, body: Vec<u8>) -> Printed {
    Ok(call?.into_request(body)?)
}

fn print_patch<P: Serialize>(
    target: call::Result<Target>,
    params: &PatchParams,
    patch: &Patch<P>,
    form: impl FnOnce(Call) -> Call,
) -> Printed {
    let call = Call::patch(target?, patch.kind(), params)?;
    print(Ok(form(call)), patch.serialize().map_err(Error::SerializeBody)?)
}

#[cfg(test)]
mod tests;
