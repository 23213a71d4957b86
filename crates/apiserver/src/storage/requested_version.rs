//! The resourceVersion of a request: any, at least, or exactly; and waiting for one that has not come yet.
//!
//! In: the text of the query. Out: a number, or `None` for unset and "0", which both ask for the latest here, because
//! this server has no stale replica to read from.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::response::status::{Answer, version_too_large};

/// A version that is not a number; kube-apiserver answers it differently for each verb.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotANumber(pub(crate) String);

/// Reads a resourceVersion; unset, empty and "0" are `None`.
pub(crate) fn parse(text: Option<&str>) -> Result<Option<u64>, NotANumber> {
    match text {
        None | Some("" | "0") => Ok(None),
        Some(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().map(Some).map_err(|_| NotANumber(wrong(text, "value out of range")))
        }
        Some(text) => Err(NotANumber(wrong(text, "invalid syntax"))),
    }
}

fn wrong(text: &str, why: &str) -> String {
    format!("resourceVersion: Invalid value: \"{text}\": strconv.ParseUint: parsing \"{text}\": {why}")
}

/// Waits until the server has reached a version.
pub(crate) async fn reach(progress: &watch::Sender<u64>, version: u64) -> Answer<()> {
    let mut current = progress.subscribe();
    let reached = timeout(PATIENCE, current.wait_for(|current| *current >= version)).await;
    match reached {
        Ok(_) => Ok(()),
        Err(_) => Err(version_too_large(version, *progress.borrow())),
    }
}

/// How long kube-apiserver waits for its cache to catch up.
const PATIENCE: Duration = Duration::from_secs(3);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_empty_and_zero_are_not_versions() {
        for text in [None, Some(""), Some("0")] {
            assert_eq!(parse(text), Ok(None));
        }
        assert_eq!(parse(Some("12")), Ok(Some(12)));
        assert!(parse(Some("-1")).is_err() && parse(Some("x")).is_err() && parse(Some("+1")).is_err());
    }
}
