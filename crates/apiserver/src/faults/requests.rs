//! Which requests a rule is about, and how often: read like a sentence, matched against one request at a time.
//!
//! ```
//! use pintle_apiserver::Requests;
//!
//! let some = Requests::watches().of("pods").within("default").skip(2).times(3);
//! let named = Requests::writes().of("deployments").named("web").subresource("status");
//! let discovery = Requests::all().below("/apis").with_chance(0.1);
//! # let _ = (some, named, discovery);
//! ```

use pintle_core::call::Verb;

use crate::request::info::RequestInfo;

/// Some requests: all of them unless narrowed, every time unless limited.
#[derive(Clone, Debug)]
#[must_use]
pub struct Requests {
    class: Class,
    plural: Option<String>,
    group: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    subresource: Option<String>,
    below: Option<String>,
    pub(super) skip: u64,
    pub(super) times: u64,
    pub(super) chance: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    All,
    Reads,
    Writes,
    Verb(&'static str),
}

impl Requests {
    /// Every request, discovery and health included.
    pub fn all() -> Requests {
        Requests::of_class(Class::All)
    }

    /// Gets and lists.
    pub fn reads() -> Requests {
        Requests::of_class(Class::Reads)
    }

    /// Everything that changes objects.
    pub fn writes() -> Requests {
        Requests::of_class(Class::Writes)
    }

    /// Gets of one object.
    pub fn gets() -> Requests {
        Requests::of_class(Class::Verb("get"))
    }

    /// Lists.
    pub fn lists() -> Requests {
        Requests::of_class(Class::Verb("list"))
    }

    /// Watches, streaming lists included.
    pub fn watches() -> Requests {
        Requests::of_class(Class::Verb("watch"))
    }

    /// Creates.
    pub fn creates() -> Requests {
        Requests::of_class(Class::Verb("create"))
    }

    /// Updates (PUT).
    pub fn updates() -> Requests {
        Requests::of_class(Class::Verb("update"))
    }

    /// Patches of any kind, server-side apply included.
    pub fn patches() -> Requests {
        Requests::of_class(Class::Verb("patch"))
    }

    /// Deletes of one object.
    pub fn deletes() -> Requests {
        Requests::of_class(Class::Verb("delete"))
    }

    fn of_class(class: Class) -> Requests {
        Requests {
            class,
            plural: None,
            group: None,
            namespace: None,
            name: None,
            subresource: None,
            below: None,
            skip: 0,
            times: u64::MAX,
            chance: 1.0,
        }
    }

    /// Only of this resource, by its plural: `pods`.
    pub fn of(mut self, plural: impl Into<String>) -> Self {
        self.plural = Some(plural.into());
        self
    }

    /// Only of this API group; empty for the core group.
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }

    /// Only in this namespace.
    pub fn within(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Only of the object of this name, in the path.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Only of this subresource: `status`. Without it subresources are meant as well.
    pub fn subresource(mut self, subresource: impl Into<String>) -> Self {
        self.subresource = Some(subresource.into());
        self
    }

    /// Only paths that begin like this: `/apis`.
    pub fn below(mut self, path: impl Into<String>) -> Self {
        self.below = Some(path.into());
        self
    }

    /// Not the first so many of them.
    pub fn skip(mut self, requests: u64) -> Self {
        self.skip = requests;
        self
    }

    /// At most so many of them.
    pub fn times(mut self, requests: u64) -> Self {
        self.times = requests;
        self
    }

    /// Only the n-th of them, counted from 1.
    pub fn nth(self, n: u64) -> Self {
        self.skip(n.saturating_sub(1)).times(1)
    }

    /// Each with this probability, from 0 to 1; drawn from the server's seed.
    pub fn with_chance(mut self, chance: f64) -> Self {
        self.chance = chance.clamp(0.0, 1.0);
        self
    }

    /// Whether a request is one of these, apart from how often.
    pub(crate) fn mean(&self, info: &RequestInfo) -> bool {
        let is = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        self.class.means(info)
            && is(&self.plural, &info.plural)
            && is(&self.group, &info.group)
            && is(&self.namespace, &info.namespace)
            && is(&self.name, &info.name)
            && is(&self.subresource, &info.subresource)
            && self.below.as_ref().is_none_or(|path| info.path.starts_with(path.as_str()))
    }
}

impl Class {
    fn means(self, info: &RequestInfo) -> bool {
        match (self, info.verb) {
            (Class::All, _) => true,
            (_, None) => false,
            (Class::Reads, Some(verb)) => matches!(verb, Verb::Get | Verb::List),
            (Class::Writes, Some(verb)) => !matches!(verb, Verb::Get | Verb::List | Verb::Watch),
            (Class::Verb(wanted), Some(verb)) => verb.as_str() == wanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(method: &str, uri: &str) -> RequestInfo {
        let (parts, ()) = http::Request::builder().method(method).uri(uri).body(()).unwrap().into_parts();
        RequestInfo::of(&parts)
    }

    #[test]
    fn a_rule_means_what_it_says_and_nothing_else() {
        let get = info("GET", "/api/v1/namespaces/n/pods/x");
        let watch = info("GET", "/api/v1/pods?watch=1");
        let status = info("PUT", "/apis/apps/v1/namespaces/n/deployments/x/status");
        let health = info("GET", "/healthz");
        let table = [
            (Requests::all(), [true, true, true, true]),
            (Requests::reads(), [true, false, false, false]),
            (Requests::watches().of("pods"), [false, true, false, false]),
            (Requests::all().within("n"), [true, false, true, false]),
            (Requests::all().named("x").group(""), [true, false, false, false]),
            (Requests::writes().subresource("status"), [false, false, true, false]),
            (Requests::all().below("/health"), [false, false, false, true]),
        ];
        for (requests, expected) in table {
            let found = [&get, &watch, &status, &health].map(|info| requests.mean(info));
            assert_eq!(found, expected, "{requests:?}");
        }
    }
}
