//! Everything a call may say behind the `?`.
//!
//! Parsing keeps the difference between unset and empty, because servers do. Unknown parameters are ignored, as
//! by kube-apiserver.

use super::{Connect, Error, Result};
use crate::params::{ListParams, PatchParams, PostParams, WatchParams};
use crate::subresource::LogParams;

/// The query of a call; a field that is `None` was not said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Which objects, by labels.
    pub label_selector: Option<String>,
    /// Which objects, by fields.
    pub field_selector: Option<String>,
    /// At most so many objects in one answer.
    pub limit: Option<u64>,
    /// Where the previous page ended.
    pub continue_token: Option<String>,
    /// At which version, or from which on.
    pub resource_version: Option<String>,
    /// How the version is meant.
    pub resource_version_match: Option<String>,
    /// Seconds after which the server ends a watch.
    pub timeout_seconds: Option<u64>,
    /// Whether a watch may carry bookmarks.
    pub allow_watch_bookmarks: bool,
    /// Whether a watch begins with what exists.
    pub send_initial_events: Option<bool>,
    /// `All` to store nothing.
    pub dry_run: Option<String>,
    /// Who is writing.
    pub field_manager: Option<String>,
    /// What to do about unknown fields.
    pub field_validation: Option<String>,
    /// Whether an apply takes fields over.
    pub force: Option<bool>,
    /// Seconds a deleted object is given to end.
    pub grace_period_seconds: Option<i64>,
    /// What happens to what a deleted object owns.
    pub propagation_policy: Option<String>,
    /// The old way to say `propagation_policy`.
    pub orphan_dependents: Option<bool>,
    /// Which part of a log; parsed where the target is one.
    pub logs: LogParams,
    /// Which streams of a connection; parsed where the target is one.
    pub connect: Connect,
}

/// kube's watch timeout where none is set: below the 5 minutes after which many proxies drop a silent connection.
const WATCH_TIMEOUT_SECONDS: u32 = 290;

impl Query {
    pub(super) fn of_list(params: &ListParams) -> Self {
        // With a limit, servers ignore version 0 or refuse it; kube leaves it out then, and so do we.
        let versioned = params.limit.is_none() || params.resource_version.as_deref() != Some("0");
        // A continue token carries its version.
        let versioned = versioned && params.continue_token.is_none();
        Self {
            label_selector: params.label_selector.clone(),
            field_selector: params.field_selector.clone(),
            limit: params.limit.map(u64::from),
            continue_token: params.continue_token.clone(),
            resource_version: params.resource_version.clone().filter(|_| versioned),
            resource_version_match: params.version_match.map(|it| it.as_str().to_owned()).filter(|_| versioned),
            ..Self::default()
        }
    }

    pub(super) fn of_watch(params: &WatchParams, resource_version: &str) -> Self {
        Self {
            label_selector: params.label_selector.clone(),
            field_selector: params.field_selector.clone(),
            timeout_seconds: Some(params.timeout.unwrap_or(WATCH_TIMEOUT_SECONDS).into()),
            allow_watch_bookmarks: params.bookmarks,
            send_initial_events: params.send_initial_events.then_some(true),
            resource_version_match: params.send_initial_events.then(|| "NotOlderThan".to_owned()),
            resource_version: Some(resource_version.to_owned()),
            ..Self::default()
        }
    }

    pub(super) fn of_post(params: &PostParams) -> Self {
        Self {
            dry_run: params.dry_run.then(|| "All".to_owned()),
            field_manager: params.field_manager.clone(),
            ..Self::default()
        }
    }

    pub(super) fn of_patch(params: &PatchParams) -> Self {
        Self {
            dry_run: params.dry_run.then(|| "All".to_owned()),
            force: params.force.then_some(true),
            field_manager: params.field_manager.clone(),
            field_validation: params.field_validation.as_ref().map(|it| it.as_str().to_owned()),
            ..Self::default()
        }
    }

    /// Reads the query, and whether it asks for a watch.
    pub(super) fn parse(query: &str) -> Result<(Self, bool)> {
        let mut parsed = Self::default();
        let mut watch = false;
        let pairs = query.split('&').filter(|pair| is_escaped_well(pair));
        let said: Vec<_> = pairs.flat_map(|pair| form_urlencoded::parse(pair.as_bytes())).collect();
        // Of a parameter said twice the first counts, so it is read last.
        for (parameter, value) in said.into_iter().rev() {
            let value = value.into_owned();
            match parameter.as_ref() {
                "watch" => watch = truth(&value),
                "labelSelector" => parsed.label_selector = Some(value),
                "fieldSelector" => parsed.field_selector = Some(value),
                // A limit below zero is none, as everywhere in Kubernetes.
                "limit" => parsed.limit = number::<i64>("limit", &value)?.and_then(|limit| limit.try_into().ok()),
                "continue" => parsed.continue_token = Some(value),
                "resourceVersion" => parsed.resource_version = Some(value),
                "resourceVersionMatch" => parsed.resource_version_match = Some(value),
                "timeoutSeconds" => parsed.timeout_seconds = number("timeoutSeconds", &value)?,
                "allowWatchBookmarks" => parsed.allow_watch_bookmarks = truth(&value),
                "sendInitialEvents" => parsed.send_initial_events = Some(truth(&value)),
                "dryRun" => parsed.dry_run = Some(value),
                "fieldManager" => parsed.field_manager = Some(value),
                "fieldValidation" => parsed.field_validation = Some(value),
                "force" => parsed.force = Some(truth(&value)),
                "gracePeriodSeconds" => parsed.grace_period_seconds = number("gracePeriodSeconds", &value)?,
                "propagationPolicy" => parsed.propagation_policy = Some(value),
                "orphanDependents" => parsed.orphan_dependents = Some(truth(&value)),
                _ => {}
            }
        }
        Ok((parsed, watch))
    }
}

/// Whether every `%` is followed by two digits; a parameter where one is not is passed over, as Go does.
fn is_escaped_well(pair: &str) -> bool {
    let mut escapes = pair.split('%').skip(1);
    escapes.all(|rest| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
}

/// A flag is false if it says so, else true: `?watch`, `?watch=1` and `?watch=yes` all ask for a watch.
pub(crate) fn truth(value: &str) -> bool {
    !matches!(value.to_ascii_lowercase().as_str(), "false" | "0")
}

pub(crate) fn number<N: std::str::FromStr>(parameter: &'static str, value: &str) -> Result<Option<N>> {
    if value.is_empty() {
        return Ok(None);
    }
    let wrong = || Error::Query { parameter, value: value.to_owned(), expected: "a number" };
    value.parse().map(Some).map_err(|_| wrong())
}
