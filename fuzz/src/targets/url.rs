//! URLs of calls: names come from users, and none may lead to another path, a query or a fragment.
//!
//! An input is a line per field. For every input: the call prints and parses back as itself, segment by segment, or is
//! refused; and what a server parses from any path prints back as a path that it parses the same.

use http::Uri;
use pintle_core::call::{Call, PatchKind, Query, Target as Place, Verb};
use pintle_core::params::GetParams;
use pintle_core::request::Request;

use crate::target::{Print, Target};

pub(crate) fn target() -> Target {
    Target {
        name: "url",
        claim: "a call's URL parses back as the same call, or is refused, whatever its names are",
        seeds,
        words: WORDS,
        run,
    }
}

const WORDS: &[&str] = &[
    "namespaces",
    "status",
    "finalize",
    "pods",
    "log",
    "exec",
    "scale",
    "api",
    "apis",
    "v1",
    "..",
    "%2e%2e",
    "%2F",
    "%00",
    "?",
    "#",
    "//",
    "\\",
    "watch=true",
    "&",
    "=",
    "é",
    "漢",
    "\u{202e}",
    "true",
    "0",
    "18446744073709551616",
    "-1",
];

fn seeds() -> Vec<Vec<u8>> {
    [
        "0\n\nv1\npods\nns\nname\nstatus\na=b\nmetadata.name=x\ntoken\n5\nmanager",
        "1\napps\nv1\ndeployments\nns\n\n\na in (b,c)\n\n\n0\n",
        "2\n\nv1\nnodes\n\n\n\n\n\n\n7\n",
        "3\nexample.com\nv1beta1\nthings\nns\n\n\n\n\n\n\nme",
        "5\n\nv1\nnamespaces\n\nx\nfinalize\n\n\n\n\n",
        "6\n\nv1\npods\nns\nname\nlog\n\n\n\n\n",
        "/api/v1/namespaces/ns/pods/name?&dryRun=All",
        "/apis/apps/v1/deployments?watch=1&timeoutSeconds=5&limit=3&allowWatchBookmarks=true",
        "/apis/example.com/v1/namespaces/a%20b/things/c/scale",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}

fn run(input: &[u8]) -> Print {
    let text = String::from_utf8_lossy(input);
    if text.starts_with('/') {
        return parsed(&text);
    }
    let call = made(&text);
    let by_builder = builder(&call.target);
    let (method, target) = (call.verb.as_str(), call.target.clone());
    let Ok(request) = call.clone().into_request(Vec::new()) else {
        return Print::of((method, "refused", by_builder, look(&target)));
    };
    let uri = request.uri().clone();
    goes_where_it_should(&uri, &target);
    let (parts, _) = request.into_parts();
    let again = Call::parse(&parts).unwrap_or_else(|error| panic!("{uri} does not parse back: {error}"));
    assert_eq!(again, call, "{uri}");
    Print::of((method, by_builder, look(&target), uri.path().contains('%'), call.query.label_selector.is_some()))
}

/// A path from outside: what is understood of it prints as a path that is understood the same.
fn parsed(text: &str) -> Print {
    let Ok(request) = http::Request::get(text).body(()) else {
        return Print::of("no URI");
    };
    let (parts, ()) = request.into_parts();
    let call = match Call::parse(&parts) {
        Ok(call) => call,
        Err(error) => return Print::of(std::mem::discriminant(&error)),
    };
    let printed =
        call.clone().into_request(Vec::new()).unwrap_or_else(|error| panic!("{text} does not print: {error}"));
    let (parts, _) = printed.into_parts();
    assert_eq!(Call::parse(&parts).expect("it was printed"), call, "{}", parts.uri);
    Print::of((
        call.verb.as_str(),
        look(&call.target),
        call.query.limit.is_some(),
        call.query.timeout_seconds.is_some(),
    ))
}

/// kube's builder puts a name behind a path: one segment, or an error.
fn builder(target: &Place) -> bool {
    let name = target.name.as_deref().unwrap_or_default();
    let Ok(request) = Request::new("/api/v1/pods").get(name, &GetParams::default()) else {
        return false;
    };
    let rest = request.uri().path().strip_prefix("/api/v1/pods/").unwrap_or_else(|| panic!("{}", request.uri()));
    assert!(!rest.contains('/') && request.uri().query().is_none_or(str::is_empty), "{}", request.uri());
    true
}

/// The path has as many segments as were meant, and none climbs.
fn goes_where_it_should(uri: &Uri, target: &Place) {
    let segments: Vec<&str> = uri.path().split('/').skip(1).collect();
    let of_group = if target.group.is_empty() { 2 } else { 3 };
    let of_namespace = if target.namespace.is_some() { 2 } else { 0 };
    let of_rest = 1 + usize::from(target.name.is_some()) + usize::from(target.subresource.is_some());
    assert_eq!(segments.len(), of_group + of_namespace + of_rest, "{uri}");
    assert!(segments.iter().all(|segment| !matches!(*segment, "" | "." | "..")), "{uri}");
}

fn made(text: &str) -> Call {
    let mut lines = text.split('\n');
    let mut line = || lines.next().unwrap_or_default().to_owned();
    let said = |text: String| Some(text).filter(|text| !text.is_empty());
    let verb = line();
    let mut target = Place { group: line(), version: line(), plural: line(), ..Place::default() };
    (target.namespace, target.name, target.subresource) = (said(line()), said(line()), said(line()));
    let query = Query {
        label_selector: said(line()),
        field_selector: said(line()),
        continue_token: said(line()),
        resource_version: said(line()),
        field_manager: said(line()),
        ..Query::default()
    };
    let verb = verb_for(verb.bytes().next().unwrap_or_default(), &target);
    Call { query, ..Call::new(verb, target) }
}

/// A verb that fits: some are for collections, some for objects.
fn verb_for(choice: u8, target: &Place) -> Verb {
    let patches = PatchKind::ALL.map(Verb::Patch);
    let of_objects = [Verb::Get, Verb::Replace, Verb::Delete, patches[0], patches[1], patches[2], patches[3]];
    let of_collections = [Verb::List, Verb::Watch, Verb::Create, Verb::DeleteCollection];
    let verbs: &[Verb] = if target.name.is_some() { &of_objects } else { &of_collections };
    verbs[usize::from(choice) % verbs.len()]
}

fn look(target: &Place) -> (bool, bool, bool, bool) {
    (target.group.is_empty(), target.namespace.is_some(), target.name.is_some(), target.subresource.is_some())
}
