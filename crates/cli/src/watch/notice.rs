//! One thing that happened, as a line for people and as JSON for programs.
//!
//! Only metadata is in it: what is in the objects is not printed, so that Secrets stay what they are.

use std::fmt;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

/// What happened, and when it was seen.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub(super) time: Timestamp,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// Something about an object.
    Object(Change, Seen),
    /// A list begins; the first or another.
    Listing { lists: u64 },
    /// A list is complete.
    Synced { objects: usize, resource_version: String },
    /// A watch that had ended was opened again, from this version on.
    Resumed { watches: u64, resource_version: String },
    /// The version to resume from is forgotten: everything is listed again.
    Expired { reason: String },
    /// It failed and is tried again.
    Failed { reason: String },
    /// The end.
    Summary(Summary),
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Change {
    /// It was there when the watch began.
    Exists,
    Added,
    Modified,
    Deleted,
}

impl Change {
    /// As watch events name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exists => "EXISTS",
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// How a change was learnt.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    /// As it happened.
    Watch,
    /// Later, by listing.
    List,
}

/// What is shown of an object.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Seen {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) resource_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) generation: Option<i64>,
    /// The newest time that the server wrote into its metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changed_at: Option<Timestamp>,
    /// From then until it was seen.
    #[serde(rename = "latencySeconds", serialize_with = "seconds", skip_serializing_if = "Option::is_none")]
    pub(super) latency: Option<Duration>,
    pub(super) source: Source,
}

impl Seen {
    /// As `default/a`.
    pub(super) fn path(&self) -> String {
        self.namespace.iter().chain([&self.name]).map(String::as_str).collect::<Vec<_>>().join("/")
    }
}

/// What a watch came to.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    pub(super) seconds: f64,
    pub(super) objects: usize,
    pub(super) added: u64,
    pub(super) modified: u64,
    pub(super) deleted: u64,
    pub(super) lists: u64,
    pub(super) watches: u64,
    pub(super) expired: u64,
    pub(super) failures: u64,
    pub(super) resource_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latency_seconds_mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latency_seconds_max: Option<f64>,
}

impl What {
    /// Its name, in capitals as in watch events.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Object(change, _) => change.name(),
            Self::Listing { .. } => "LISTING",
            Self::Synced { .. } => "SYNCED",
            Self::Resumed { .. } => "RESUMED",
            Self::Expired { .. } => "EXPIRED",
            Self::Failed { .. } => "FAILED",
            Self::Summary(_) => "SUMMARY",
        }
    }
}

impl Notice {
    /// One JSON object, on one line.
    pub(super) fn to_json(&self) -> serde_json::Value {
        let mut fields = match &self.what {
            What::Object(_, seen) => json!(seen),
            What::Listing { lists } => json!({"lists": lists}),
            What::Synced { objects, resource_version } => {
                json!({"objects": objects, "resourceVersion": resource_version})
            }
            What::Resumed { watches, resource_version } => {
                json!({"watches": watches, "resourceVersion": resource_version})
            }
            What::Expired { reason } | What::Failed { reason } => json!({"reason": reason}),
            What::Summary(summary) => json!(summary),
        };
        fields["time"] = json!(self.time);
        fields["type"] = json!(self.what.name());
        fields
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Milliseconds, and a fixed width.
        write!(f, "{:.3} {:<8} {}", self.time, self.what.name(), self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(change, seen) => {
                write!(f, "{} version {}", seen.path(), seen.resource_version)?;
                if let Some(generation) = seen.generation {
                    write!(f, ", generation {generation}")?;
                }
                if let Some(latency) = seen.latency {
                    write!(f, ", {:.3} s old", latency.as_secs_f64())?;
                }
                if *change != Change::Exists && seen.source == Source::List {
                    write!(f, ", missed by the watch and found by the list")?;
                }
                Ok(())
            }
            Self::Listing { lists: 1 } => write!(f, "what exists"),
            Self::Listing { lists } => write!(f, "what exists, again: list {lists}"),
            Self::Synced { objects, resource_version } => {
                write!(f, "{} at version {resource_version}", count_objects(*objects))
            }
            Self::Resumed { watches, resource_version } => {
                write!(f, "the watch had ended; watch {watches} goes on from version {resource_version}")
            }
            Self::Expired { reason } => write!(f, "the server forgot the version to go on from: {reason}"),
            Self::Failed { reason } => write!(f, "{reason}; trying again"),
            Self::Summary(summary) => summary.fmt(f),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, objects, added, modified, deleted, lists, watches, expired, failures, .. } = self;
        write!(f, "{} after {seconds:.1} s; ", count_objects(*objects))?;
        write!(f, "added {added}, modified {modified}, deleted {deleted}; ")?;
        write!(f, "watches {watches}, lists {lists}, expired {expired}, failures {failures}")?;
        if let (Some(mean), Some(max)) = (self.latency_seconds_mean, self.latency_seconds_max) {
            write!(f, "; changes were {mean:.3} s old when seen, at most {max:.3} s")?;
        }
        Ok(())
    }
}

pub(super) fn count_objects(count: usize) -> String {
    if count == 1 { "1 object".to_owned() } else { format!("{count} objects") }
}

fn seconds<S: serde::Serializer>(latency: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    latency.map(|latency| latency.as_secs_f64()).serialize(serializer)
}
