//! Who asked for what: every verb on every resource, once for each user and program.
//!
//! Unlike the trace it forgets nothing, so that a long test can be asked at its end what its operator needs. It holds no names
//! of objects, so that it grows with what a program does and not with how often.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use http::header::{CONTENT_TYPE, HeaderMap, USER_AGENT};

use super::attributes::{Attributes, Requested};
use crate::request::user::User;

/// What each caller asked for.
#[derive(Debug, Default)]
pub(crate) struct AccessLog(Mutex<BTreeMap<Caller, BTreeSet<Access>>>);

/// A user, by the name of a program.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Caller {
    pub(crate) user: String,
    /// The product of its `User-Agent`, such as `kubectl`.
    pub(crate) agent: String,
}

/// One thing that somebody asked for.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Access {
    /// A verb on a resource.
    Resource {
        /// Empty for the core group.
        group: String,
        /// With its subresource, such as `pods/log`.
        resource: String,
        /// Empty for cluster-wide requests.
        namespace: String,
        verb: String,
    },
    /// A verb on a path that is not about objects.
    Path { path: String, verb: String },
}

impl AccessLog {
    pub(crate) fn note(&self, user: &User, headers: &HeaderMap, attributes: &Attributes) {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let agent = header(USER_AGENT).split(['/', ' ']).next().unwrap_or_default().to_owned();
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = callers.entry(Caller { user: user.name.clone(), agent }).or_default();
        // An apply creates what is not there.
        let is_apply = attributes.verb == "patch" && header(CONTENT_TYPE).contains("apply-patch");
        let creates = is_apply.then(|| attributes.with_verb("create"));
        for attributes in [Some(attributes), creates.as_ref()].into_iter().flatten() {
            let access = Access::of(attributes);
            if seen.len() < ACCESSES_MAX || seen.contains(&access) {
                seen.insert(access);
            }
        }
    }

    /// Everything that callers asked for who are meant by a name: the user's, that of a service account without its namespace, or
    /// that of the program.
    pub(crate) fn of(&self, name: &str) -> Vec<(Caller, BTreeSet<Access>)> {
        let callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_meant = |caller: &Caller| {
            let account = User::service_account_of(&caller.user).map(|(_, account)| account);
            caller.user == name || account == Some(name) || caller.agent == name
        };
        callers
            .iter()
            .filter(|(caller, _)| is_meant(caller))
            .map(|(caller, seen)| (caller.clone(), seen.clone()))
            .collect()
    }
}

impl Access {
    fn of(attributes: &Attributes) -> Access {
        let verb = attributes.verb.clone();
        match &attributes.requested {
            Requested::Path(path) => Access::Path { path: path.clone(), verb },
            Requested::Resource(requested) => Access::Resource {
                group: requested.group.clone(),
                resource: requested.combined(),
                namespace: requested.namespace.clone(),
                verb,
            },
        }
    }
}

/// More different things nobody asks for but a fuzzer: about 1 MB.
const ACCESSES_MAX: usize = 10_000;
