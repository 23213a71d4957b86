//! Everything a call may say behind the `?`.
//!
//! Parsing keeps the difference between unset and empty, because servers do. Unknown parameters are ignored, as
//! by kube-apiserver.

use super::path::LOG;
use super::{Connect, Error, Result, Target};
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

    /// Reads the query of a call to a target.
    pub fn parse(query: &str, target: &Target) -> Result<Self> {
        let mut parsed = Self::default();
        for (parameter, value) in said(query) {
            match parameter.as_ref() {
                "labelSelector" => parsed.label_selector = Some(value),
                "fieldSelector" => parsed.field_selector = Some(value),
                // A limit below zero is none, as everywhere in Kubernetes.
                "limit" => parsed.limit = number::<i64>("limit", &value)?.and_then(|limit| limit.try_into().ok()),
                "continue" => parsed.continue_token = Some(value),
                "resourceVersion" => parsed.resource_version = Some(value),
                "resourceVersionMatch" => parsed.resource_version_match = Some(value),
                // A watch that is to end before it begins ends as soon as one can.
                "timeoutSeconds" => {
                    let seconds = number::<i64>("timeoutSeconds", &value)?;
                    parsed.timeout_seconds = seconds.map(|seconds| seconds.try_into().unwrap_or(1));
                }
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
        match target.subresource.as_deref() {
            Some(LOG) => parsed.logs = LogParams::parse(query)?,
            Some(part) if Connect::SUBRESOURCES.contains(&part) => parsed.connect = Connect::parse(query)?,
            _ => {}
        }
        Ok(parsed)
    }
}

/// Whether a query asks for a watch.
pub(super) fn asks_to_watch(query: &str) -> bool {
    said(query).filter(|(parameter, _)| parameter == "watch").last().is_some_and(|(_, value)| truth(&value))
}

/// The parameters of a query, the last first: of one that is said twice the first counts, so it is read last.
fn said(query: &str) -> impl Iterator<Item = (String, String)> {
    let pairs = query.split('&').filter(|pair| is_escaped_well(pair));
    let said: Vec<_> = pairs.flat_map(|pair| form_urlencoded::parse(pair.as_bytes()).into_owned()).collect();
    said.into_iter().rev()
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
    let wrong = || Error::Query { parameter, value: value.to_owned(), expected: "a number" };
    value.parse().map(Some).map_err(|_| wrong())
}
