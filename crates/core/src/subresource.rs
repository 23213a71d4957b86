//! What may be asked of parts of objects: the log of a pod, its eviction, the scale of a workload.
//!
//! The params are plain structs as in kube. They become part of a [`Call`](crate::call::Call) like all others, so a server
//! reads them back.

#[cfg(feature = "ws")]
mod attach;

#[cfg(feature = "ws")]
pub use attach::AttachParams;
#[cfg(feature = "kubelet-debug")]
pub(crate) use attach::check_ports;
use jiff::{Timestamp, Unit};
pub use k8s_openapi::api::autoscaling::v1::{Scale, ScaleSpec, ScaleStatus};
use serde::Serialize;

use crate::call::{self, Error};
use crate::params::{DeleteParams, PostParams};

/// Which part of a container's log, in which form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogParams {
    /// The container; a pod with only one needs no name.
    pub container: Option<String>,
    /// Whether to wait for what is logged from now on.
    pub follow: bool,
    /// At most so many bytes.
    pub limit_bytes: Option<i64>,
    /// Whether the server should write it for people.
    pub pretty: bool,
    /// The log of the container before its last restart.
    pub previous: bool,
    /// Only what is not older than so many seconds; wins over `since_time`.
    pub since_seconds: Option<i64>,
    /// Only what is not older than this, to the second.
    pub since_time: Option<Timestamp>,
    /// Only so many lines from the end.
    pub tail_lines: Option<i64>,
    /// Whether each line begins with its time.
    pub timestamps: bool,
}

impl LogParams {
    /// What the query says, in kube's order.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let flag = |said: bool| said.then(|| "true".to_owned());
        let number = |said: Option<i64>| said.map(|it| it.to_string());
        let since_time = self.since_time.filter(|_| self.since_seconds.is_none()).map(to_the_second);
        [
            ("container", self.container.clone()),
            ("follow", flag(self.follow)),
            ("limitBytes", number(self.limit_bytes)),
            ("pretty", flag(self.pretty)),
            ("previous", flag(self.previous)),
            ("sinceSeconds", number(self.since_seconds)),
            ("sinceTime", since_time),
            ("tailLines", number(self.tail_lines)),
            ("timestamps", flag(self.timestamps)),
        ]
        .into_iter()
        .filter_map(|(parameter, value)| value.map(|value| (parameter, value)))
    }

    /// Reads the query back.
    pub(crate) fn parse(query: &str) -> call::Result<Self> {
        let mut parsed = Self::default();
        let said: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
        // Of a parameter said twice the first counts, so it is read last.
        for (parameter, value) in said.iter().rev() {
            match parameter.as_ref() {
                "container" => parsed.container = Some(value.to_string()),
                "follow" => parsed.follow = call::truth(value),
                "limitBytes" => parsed.limit_bytes = call::number("limitBytes", value)?,
                "pretty" => parsed.pretty = call::truth(value),
                "previous" => parsed.previous = call::truth(value),
                "sinceSeconds" => parsed.since_seconds = call::number("sinceSeconds", value)?,
                "sinceTime" => parsed.since_time = time("sinceTime", value)?,
                "tailLines" => parsed.tail_lines = call::number("tailLines", value)?,
                "timestamps" => parsed.timestamps = call::truth(value),
                _ => {}
            }
        }
        Ok(parsed)
    }
}

fn to_the_second(time: Timestamp) -> String {
    time.round(Unit::Second).unwrap_or(time).to_string()
}

fn time(parameter: &'static str, value: &str) -> call::Result<Option<Timestamp>> {
    if value.is_empty() {
        return Ok(None);
    }
    let wrong = |_| Error::Query { parameter, value: value.to_owned(), expected: "an RFC 3339 time" };
    value.parse().map(Some).map_err(wrong)
}

/// How to evict a pod: ask for its deletion, which a disruption budget may refuse for now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvictParams {
    /// How the pod is then deleted.
    pub delete_options: Option<DeleteParams>,
    /// How the eviction is created.
    pub post_options: PostParams,
}

impl EvictParams {
    /// The body of the request: the eviction of the pod `name`.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    #[doc(hidden)]
    pub fn body(&self, name: &str) -> call::Result<Vec<u8>> {
        let eviction = Eviction { delete_options: self.delete_options.as_ref(), metadata: Named { name } };
        serde_json::to_vec(&eviction).map_err(Error::SerializeBody)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Eviction<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    delete_options: Option<&'a DeleteParams>,
    metadata: Named<'a>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}
