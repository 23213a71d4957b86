//! Conversion: the versions of a kind, functions between pairs of them, and the review that asks for it.
//!
//! Versions are the nodes of a graph and functions its edges. An object takes the shortest way, so that a hub is nothing
//! but a version to and from which all others have a function.

mod round_trip;

use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use pintle_core::conversion::{
    ConversionRequest, ConversionResponse, ConversionReview, META_API_VERSION_V1, META_KIND,
};
use pintle_core::{Resource, Status};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use round_trip::{RoundTripError, assert_round_trips};

use super::exchange::Refusal;
use super::metrics::Panics;
use crate::http_server::panic_message;

type Function = Arc<dyn Fn(Value) -> Result<Value, String> + Send + Sync>;

/// How objects of some kinds become objects of another version.
///
/// ```
/// # mod v1 {
/// #     #[derive(serde::Deserialize, serde::Serialize)]
/// #     pub struct Widget { pub metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta, pub size: u32 }
/// # }
/// # mod v2 {
/// #     #[derive(serde::Deserialize, serde::Serialize)]
/// #     pub struct Widget { pub metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta, pub replicas: u32 }
/// # }
/// # macro_rules! widget { ($version:ident) => { impl pintle_core::Resource for $version::Widget {
/// #     type DynamicType = ();
/// #     type Scope = k8s_openapi::NamespaceResourceScope;
/// #     fn kind(_: &()) -> std::borrow::Cow<'_, str> { "Widget".into() }
/// #     fn group(_: &()) -> std::borrow::Cow<'_, str> { "example.com".into() }
/// #     fn version(_: &()) -> std::borrow::Cow<'_, str> { stringify!($version).into() }
/// #     fn plural(_: &()) -> std::borrow::Cow<'_, str> { "widgets".into() }
/// #     fn meta(&self) -> &pintle_core::ObjectMeta { &self.metadata }
/// #     fn meta_mut(&mut self) -> &mut pintle_core::ObjectMeta { &mut self.metadata }
/// # } } }
/// # widget!(v1);
/// # widget!(v2);
/// use std::convert::Infallible;
///
/// use pintle_manager::webhook::Conversion;
/// use serde_json::json;
///
/// let conversion = Conversion::new()
///     .with(|old: v1::Widget| Ok::<_, Infallible>(v2::Widget { metadata: old.metadata, replicas: old.size }))
///     .with(|new: v2::Widget| Ok::<_, Infallible>(v1::Widget { metadata: new.metadata, size: new.replicas }));
/// let old = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "size": 3});
/// assert_eq!(conversion.convert(&old, "example.com/v2")?["replicas"], 3);
/// pintle_manager::webhook::assert_round_trips(&conversion, [old]);
/// # Ok::<_, String>(())
/// ```
#[derive(Clone, Default)]
pub struct Conversion {
    /// From a version, to others.
    functions: BTreeMap<Version, BTreeMap<Version, Function>>,
}

/// A version of a kind, such as `Widget` of `example.com/v1`.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Version {
    kind: String,
    api_version: String,
}

impl Conversion {
    /// None yet: objects only stay what they are.
    pub fn new() -> Self {
        Self::default()
    }

    /// Converts an `A` to a `B` by this function. They are versions of one kind; what `B` says of metadata beyond labels and
    /// annotations is not used, because a conversion may not change it.
    ///
    /// # Panics
    /// When the types are not of one group and kind: they could never be asked for.
    #[must_use]
    pub fn with<A, B, E>(self, function: impl Fn(A) -> Result<B, E> + Send + Sync + 'static) -> Self
    where
        A: Resource<DynamicType = ()> + DeserializeOwned + 'static,
        B: Resource<DynamicType = ()> + Serialize + 'static,
        E: Display,
    {
        let (from, to) = (Version::of::<A>(), Version::of::<B>());
        assert!(
            A::kind(&()) == B::kind(&()) && A::group(&()) == B::group(&()),
            "{from} and {to} are not versions of one kind"
        );
        let unreadable = format!("it cannot be read as {from}");
        self.add(from, to, move |object| {
            // What serde says may quote a secret.
            let object = serde_json::from_value::<A>(object).map_err(|_| unreadable.clone())?;
            let converted = function(object).map_err(|error| error.to_string())?;
            serde_json::to_value(converted).map_err(|error| error.to_string())
        })
    }

    /// Converts objects of `kind` without types: `from` and `to` are API versions, such as `example.com/v1`. The function need
    /// not set `apiVersion`.
    #[must_use]
    pub fn with_values<E: Display>(
        self,
        kind: &str,
        from: &str,
        to: &str,
        function: impl Fn(Value) -> Result<Value, E> + Send + Sync + 'static,
    ) -> Self {
        let version = |api_version: &str| Version { kind: kind.to_owned(), api_version: api_version.to_owned() };
        self.add(version(from), version(to), move |object| function(object).map_err(|error| error.to_string()))
    }

    /// The object at another API version.
    ///
    /// # Errors
    /// When no functions lead there, or one of them fails: the message names the object and both versions.
    pub fn convert(&self, object: &Value, api_version: &str) -> Result<Value, String> {
        let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
        let from = Version { kind: text("kind"), api_version: text("apiVersion") };
        let to = Version { kind: from.kind.clone(), api_version: api_version.to_owned() };
        let name = [object["metadata"]["namespace"].as_str(), object["metadata"]["name"].as_str()];
        let name = name.into_iter().flatten().collect::<Vec<_>>().join("/");
        let failed = |why: &str| format!("cannot convert {from} {name:?} to {api_version}: {why}");
        if !object.is_object() {
            return Err(failed("it is not an object"));
        }
        let way = self.way(&from, &to).ok_or_else(|| failed("there is no conversion between these versions"))?;
        let mut converted = object.clone();
        for (version, function) in way {
            converted = function(converted).map_err(|why| failed(&why))?;
            if !converted.is_object() {
                return Err(failed("the conversion did not return an object"));
            }
            converted["apiVersion"] = version.api_version.as_str().into();
            converted["kind"] = version.kind.as_str().into();
        }
        keep_metadata(object, &mut converted);
        Ok(converted)
    }

    fn add(
        mut self,
        from: Version,
        to: Version,
        function: impl Fn(Value) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        self.functions.entry(from).or_default().insert(to, Arc::new(function));
        self
    }

    /// The functions that lead from one version to another, as few as possible.
    fn way<'a>(&'a self, from: &'a Version, to: &'a Version) -> Option<Vec<(&'a Version, &'a Function)>> {
        let mut came_from: BTreeMap<&Version, (&Version, &Function)> = BTreeMap::new();
        let mut next = VecDeque::from([from]);
        while let Some(version) = next.pop_front() {
            if version == to {
                break;
            }
            for (other, function) in self.functions.get(version).into_iter().flatten() {
                if other != from && !came_from.contains_key(other) {
                    came_from.insert(other, (version, function));
                    next.push_back(other);
                }
            }
        }
        let (mut way, mut at) = (Vec::new(), to);
        while at != from {
            let (version, function) = came_from.get(at)?;
            way.push((at, *function));
            at = version;
        }
        way.reverse();
        Some(way)
    }

    /// The versions that an object of this one can be converted to.
    fn reachable<'a>(&'a self, from: &'a Version) -> impl Iterator<Item = &'a Version> {
        let all = self.functions.values().flat_map(BTreeMap::keys);
        let mut all: Vec<_> = all.filter(|to| *to != from && self.way(from, to).is_some()).collect();
        all.sort();
        all.dedup();
        all.into_iter()
    }
}

impl fmt::Debug for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.functions.iter().map(|(from, to)| (from, to.keys()))).finish()
    }
}

impl Version {
    fn of<K: Resource<DynamicType = ()>>() -> Self {
        Self { kind: K::kind(&()).into_owned(), api_version: K::api_version(&()).into_owned() }
    }
}

impl Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version, self.kind)
    }
}

/// Labels and annotations may change with a version; an API server refuses a conversion that changes anything else.
fn keep_metadata(object: &Value, converted: &mut Value) {
    let made = converted["metadata"].take();
    converted["metadata"] = object["metadata"].clone();
    let Some(metadata) = converted["metadata"].as_object_mut() else { return };
    for word in ["labels", "annotations"] {
        match made.get(word) {
            Some(value) => metadata.insert(word.to_owned(), value.clone()),
            None => metadata.remove(word),
        };
    }
}

/// Answers a review.
pub(super) fn answer(body: &[u8], conversion: &Conversion, panics: &Panics) -> Result<Bytes, Refusal> {
    let not_one = |_| Refusal::bad_request(format!("a {META_KIND} of {META_API_VERSION_V1} was expected"));
    let review: ConversionReview = serde_json::from_slice(body).map_err(not_one)?;
    if review.types.kind != META_KIND || !API_VERSIONS.contains(&review.types.api_version.as_str()) {
        let (kind, api_version) = (&review.types.kind, &review.types.api_version);
        let what = format!("a {META_KIND} of {META_API_VERSION_V1} was expected, not {kind:?} of {api_version:?}");
        return Err(Refusal::bad_request(what));
    }
    let request = ConversionRequest::from_review(review).map_err(|error| Refusal::bad_request(error.to_string()))?;
    let converted = catch_unwind(AssertUnwindSafe(|| {
        request.objects.iter().map(|object| conversion.convert(object, &request.desired_api_version)).collect()
    }));
    let converted: Result<Vec<Value>, String> = converted.unwrap_or_else(|panic| {
        panics.add_one();
        tracing::error!(uid = request.uid, "a conversion panicked: {}", panic_message(&*panic));
        Err("the conversion panicked; the webhook's log says more".to_owned())
    });
    let response = ConversionResponse::for_request(request);
    let response = match converted {
        Ok(objects) => response.success(objects),
        Err(why) => {
            tracing::warn!(uid = response.uid, "{why}");
            response.failure(Status::failure(&why, "InternalError").with_code(500))
        }
    };
    Ok(json!(response.into_review()).to_string().into())
}

/// v1beta1 has the same fields; the answer has the version of the question.
const API_VERSIONS: [&str; 2] = [META_API_VERSION_V1, "apiextensions.k8s.io/v1beta1"];
