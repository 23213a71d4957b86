//! What a request wants to do, in the words of authorization: a verb on a resource, or a verb on a path.
//!
//! In: method and URI, as the client sent them. Out: [`Attributes`]. Nothing is looked up: a request for a kind that
//! does not exist has attributes too, so a user who may not ask learns nothing about it.

use http::{Method, Uri};
use percent_encoding::percent_decode_str;
use pintle_core::fields::FieldSelector;

use crate::storage::selection::label_grammar;

/// A verb and what it is meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) verb: String,
    pub(crate) requested: Requested,
}

/// What a verb is meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Requested {
    Resource(ResourceAttributes),
    /// A path that is not about objects, such as `/healthz` or `/apis`.
    Path(String),
}

/// A resource, an object or a subresource; what is not meant is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ResourceAttributes {
    pub(crate) group: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl ResourceAttributes {
    /// `pods`, or `pods/log`, as rules name it.
    pub(crate) fn combined(&self) -> String {
        match self.subresource.as_str() {
            "" => self.resource.clone(),
            subresource => format!("{}/{subresource}", self.resource),
        }
    }
}

/// A path that begins as one of a resource does and names none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoResource;

impl Attributes {
    /// The attributes of a request.
    pub(crate) fn of(method: &Method, uri: &Uri) -> Result<Attributes, NoResource> {
        let path = percent_decode_str(uri.path()).decode_utf8_lossy();
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        let below = match segments[..] {
            ["api", _, _, ..] => Some(("", &segments[2..])),
            ["apis", group, _, _, ..] => Some((group, &segments[3..])),
            _ => None,
        };
        let Some((group, below)) = below else {
            let verb = method.as_str().to_lowercase();
            return Ok(Attributes { verb, requested: Requested::Path(path.into_owned()) });
        };
        of_resource(method, group, below, uri.query().unwrap_or_default())
    }

    /// A verb on a resource.
    pub(crate) fn new(verb: &str, requested: ResourceAttributes) -> Attributes {
        Attributes { verb: verb.to_owned(), requested: Requested::Resource(requested) }
    }

    /// The same with another verb.
    pub(crate) fn with_verb(&self, verb: impl Into<String>) -> Attributes {
        Attributes { verb: verb.into(), requested: self.requested.clone() }
    }
}

fn of_resource(method: &Method, group: &str, below: &[&str], query: &str) -> Result<Attributes, NoResource> {
    let (special, below) = match below {
        ["watch" | "proxy"] => return Err(NoResource),
        [verb @ ("watch" | "proxy"), rest @ ..] => (Some(*verb), rest),
        _ => (None, below),
    };
    let (namespace, parts) = match below {
        ["namespaces", namespace] | ["namespaces", namespace, "status" | "finalize", ..] => (*namespace, below),
        ["namespaces", namespace, rest @ ..] => (*namespace, rest),
        _ => ("", below),
    };
    let part = |at: usize| parts.get(at).copied().unwrap_or_default().to_owned();
    let mut requested = ResourceAttributes {
        group: group.to_owned(),
        resource: part(0),
        name: part(1),
        // The old paths of watches and proxies go on with something else.
        subresource: if special.is_some() { String::new() } else { part(2) },
        namespace: namespace.to_owned(),
    };
    let verb = match special.unwrap_or_else(|| verb_of(method)) {
        "get" if requested.name.is_empty() => {
            let list = ListRequest::parse(query);
            requested.name = list.name.unwrap_or_default();
            if list.is_watch { "watch" } else { "list" }
        }
        "delete" if requested.name.is_empty() => "deletecollection",
        verb => verb,
    };
    Ok(Attributes::new(verb, requested))
}

/// A method that is not listed has an empty verb, which only a rule with the verb `*` allows.
fn verb_of(method: &Method) -> &'static str {
    match *method {
        Method::GET | Method::HEAD => "get",
        Method::POST => "create",
        Method::PUT => "update",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        _ => "",
    }
}

/// What the query of a GET says about which objects are meant.
struct ListRequest {
    is_watch: bool,
    /// The one name that a field selector allows.
    name: Option<String>,
}

impl ListRequest {
    fn parse(query: &str) -> ListRequest {
        let parameters: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
        let first = |wanted: &str| parameters.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_ref());
        let is_watch = first("watch").is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"));
        // Options that cannot be read say nothing; the request is refused for them later.
        let is_readable =
            ["limit", "timeoutSeconds"].iter().all(|name| first(name).is_none_or(|value| value.parse::<i64>().is_ok()))
                && first("labelSelector").is_none_or(|text| label_grammar::problem(text).is_none());
        let selector = first("fieldSelector").filter(|_| is_readable);
        let selector = selector.and_then(|text| text.parse::<FieldSelector>().ok());
        let name = selector.and_then(|selector| selector.exact("metadata.name").map(ToString::to_string));
        ListRequest { is_watch, name: name.filter(|name| is_path_segment(name)) }
    }
}

fn is_path_segment(name: &str) -> bool {
    !matches!(name, "." | "..") && !name.contains(['/', '%'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(method: &str, uri: &str) -> String {
        let method: Method = method.parse().unwrap();
        match Attributes::of(&method, &uri.parse().unwrap()) {
            Err(NoResource) => "none".to_owned(),
            Ok(Attributes { verb, requested: Requested::Path(path) }) => format!("{verb} {path}"),
            Ok(Attributes { verb, requested: Requested::Resource(it) }) => {
                format!("{verb} {}|{}|{}|{}", it.group, it.combined(), it.namespace, it.name)
            }
        }
    }

    /// Each line was asked of kube-apiserver 1.37.1, which repeats the attributes in its refusal.
    #[test]
    fn requests_have_the_attributes_that_kube_apiserver_gives_them() {
        let table = [
            ("GET /api/v1/namespaces/n/pods", "list |pods|n|"),
            ("GET /api/v1/namespaces/n/pods/x", "get |pods|n|x"),
            ("HEAD /apis/foo/v1/bars", "list foo|bars||"),
            ("GET /api/v1/namespaces/foo", "get |namespaces|foo|foo"),
            ("GET /api/v1/namespaces/foo/status", "get |namespaces/status|foo|foo"),
            ("PUT /api/v1/namespaces/foo/finalize", "update |namespaces/finalize|foo|foo"),
            ("GET /api/v1/namespaces/foo/pods/x/log/y/z", "get |pods/log|foo|x"),
            ("POST /api/v1/namespaces/n/pods/x/exec", "create |pods/exec|n|x"),
            ("GET /api/v1", "get /api/v1"),
            ("GET /apis/foo/v1", "get /apis/foo/v1"),
            ("OPTIONS /api/v1/pods", " |pods||"),
            ("OPTIONS /metrics", "options /metrics"),
            ("DELETE /api/v1/namespaces/n/pods?fieldSelector=metadata.name=x", "deletecollection |pods|n|"),
            ("GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name=x&watch=1", "watch |pods|n|x"),
            ("GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name=x&limit=zz", "list |pods|n|"),
            ("GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3D%3Dx,a=b", "list |pods|n|x"),
            ("GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name=x&limit=", "list |pods|n|"),
            ("GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name=x&labelSelector=a%20in", "list |pods|n|"),
            ("GET /api/v1/namespaces/n/pods/x%2Fy", "get |pods/y|n|x"),
            ("GET /api/v1/namespaces/n/pods?watch", "watch |pods|n|"),
            ("GET /api/v1/namespaces/n/pods?watch=zz", "watch |pods|n|"),
            ("GET /api/v1/namespaces/n/pods?watch=false", "list |pods|n|"),
            ("GET /api/v1/watch/namespaces/n/pods/x", "watch |pods|n|x"),
            ("GET /api/v1/watch/namespaces/n", "watch |namespaces|n|n"),
            ("GET /api/v1/watch", "none"),
            ("GET /api/v1/proxy/namespaces/n/pods/x/y", "proxy |pods|n|x"),
            ("GET /api/v1//pods", "get |||pods"),
            ("GET /", "get /"),
            ("GET /version/", "get /version/"),
            ("PATCH /apis/apps/v1/namespaces/n/deployments/d/scale", "patch apps|deployments/scale|n|d"),
        ];
        for (request, expected) in table {
            let (method, uri) = request.split_once(' ').unwrap();
            assert_eq!(of(method, uri), expected, "{request}");
        }
    }
}
