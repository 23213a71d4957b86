//! Subresources that lead to what runs in a container, on a node or behind a service: how far the way goes.
//!
//! In: a target that connects, and its query. Out: what kube-apiserver answers before it connects: nothing of that name, no
//! such container, no node, no address, no endpoint. Nothing runs here, so where it would connect the answer is a refusal
//! that says so by name; but what simulated pods have logged, what commands print in them, and what their ports answer, their
//! annotations say. A [`Connected`] leaves in an answer of 101, and the socket that offered to become one of its carriers
//! ([`Offered`]) speaks for it.

use http::header::UPGRADE;
use http::request::Parts;
use http::{Response, StatusCode};
use pintle_core::call::Query;
use serde_json::Value;

use crate::catalog::kinds;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::controllers::simulated::commands::{self, Process};
use crate::controllers::simulated::logs;
use crate::controllers::simulated::ports::{self, Ports};
use crate::registry::storage_key;
use crate::response;
use crate::response::body::Body;
use crate::response::status::{
    Answer, FieldError, bad_request, invalid, not_found, not_implemented, refuse, unforeseen,
};

/// What carries the streams of a process or the connections to ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// A WebSocket, whose messages begin with a channel.
    Channels(ChannelVersion),
    /// A WebSocket, whose messages together are what SPDY would say.
    TunnelledSpdy,
    Spdy(SpdyStreams),
}

/// What SPDY's streams are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpdyStreams {
    Channels,
    Ports,
}

/// Which messages there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChannelVersion {
    V4,
    /// One channel alone can be closed.
    V5,
}

/// What the connection of a request offers to become, in the extensions of the request; it can become nothing else.
#[derive(Debug, Clone)]
pub(crate) struct Offered(pub(crate) Vec<Carrier>);

/// What a connection is about to carry, and how; in the extensions of an answer of 101.
#[derive(Debug, Clone)]
pub(crate) struct Connected {
    pub(crate) to: Destination,
    pub(crate) by: Carrier,
}

/// Where a connection leads.
#[derive(Debug, Clone)]
pub(crate) enum Destination {
    Process(Process),
    Ports(Ports),
}

impl Destination {
    /// What can carry it, the best first.
    fn carriers(&self) -> &'static [Carrier] {
        const V4: Carrier = Carrier::Channels(ChannelVersion::V4);
        match self {
            Destination::Process(_) => {
                &[Carrier::Channels(ChannelVersion::V5), V4, Carrier::Spdy(SpdyStreams::Channels)]
            }
            // Kubelets forward ports in version 4.
            Destination::Ports(_) => &[Carrier::TunnelledSpdy, V4, Carrier::Spdy(SpdyStreams::Ports)],
        }
    }
}

/// Whether a request to connect means something, whatever there is.
pub(super) fn check(target: &ResolvedTarget, query: &Query, parts: &Parts) -> Answer<()> {
    let mut parameters = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let names_stream = parameters.any(|(name, _)| name == "stream");
    match target.subresource.as_deref() {
        Some("log") => check_log_options(target, query, names_stream),
        _ if query.dry_run.is_some() => Err(bad_request("dryRun is not supported")),
        _ => Ok(()),
    }
}

/// Whether a target leads into a container, so that its user has to be allowed to create the connection.
pub(super) fn enters_container(target: &ResolvedTarget) -> bool {
    let subresource = target.subresource.as_deref().unwrap_or_default();
    target.kind.plural == "pods" && matches!(subresource, "exec" | "attach" | "portforward")
}

/// Answers a request to connect.
pub(super) fn answer(
    snapshot: &ClusterSnapshot,
    target: &ResolvedTarget,
    query: &Query,
    parts: &Parts,
) -> Answer<Response<Body>> {
    let subresource = target.subresource.as_deref().unwrap_or_default();
    match (target.kind.plural.as_str(), subresource) {
        ("nodes", _) => reach_node(snapshot, Address::parse(target, "node")?.name)?,
        ("services", _) => reach_service(snapshot, target)?,
        (_, "proxy") => reach_pod(snapshot, target)?,
        (_, "log") => {
            let pod = container_of(snapshot, target, query.logs.container.as_deref())?;
            match node_of(&pod) {
                // There is no log yet, which is not a mistake.
                "" => return Ok(response::no_content()),
                node => {
                    if let Some(log) = logs::of(snapshot, &pod, node, &query.logs)? {
                        return Ok(response::text(200, log));
                    }
                    reach_node_of(snapshot, target, node)?;
                }
            }
        }
        _ => {
            let pod = match subresource {
                "portforward" => object(snapshot, target, target.name())?,
                _ => container_of(snapshot, target, query.connect.container.as_deref())?,
            };
            match node_of(&pod) {
                "" => return Err(bad_request(format!("pod {} does not have a host assigned", target.name()))),
                node => {
                    if let Some(destination) = destination(snapshot, &pod, node, subresource, query)? {
                        return connect(destination, parts);
                    }
                    reach_node_of(snapshot, target, node)?;
                }
            }
        }
    }
    Err(not_implemented(&format!("subresource {}/{subresource}", target.kind.qualified_plural())))
}

/// Where a request to a simulated pod leads; nowhere if nobody simulates it.
fn destination(
    snapshot: &ClusterSnapshot,
    pod: &Object,
    node: &str,
    subresource: &str,
    query: &Query,
) -> Answer<Option<Destination>> {
    let is_simulated = logs::is_simulated(snapshot, node);
    if subresource == "portforward" {
        let leads_there = is_simulated || ports::is_written_down(pod);
        return leads_there.then(|| Ports::of(pod, &query.connect.ports).map(Destination::Ports)).transpose();
    }
    let container = logs::container_of(pod, query.connect.container.as_deref());
    if !is_simulated && !commands::is_written_down(pod, container) {
        return Ok(None);
    }
    let process = match subresource {
        "exec" => Process::executed(pod, container, &query.connect)?,
        "attach" => Process::attached(pod, container, &query.connect)?,
        _ => return Ok(None),
    };
    Ok(Some(Destination::Process(process)))
}

/// Leaves a connection to the socket, if that can become what carries it.
fn connect(to: Destination, parts: &Parts) -> Answer<Response<Body>> {
    let offered = parts.extensions.get::<Offered>().map_or(&[][..], |offered| &offered.0);
    if let Some(by) = to.carriers().iter().find(|carrier| offered.contains(carrier)) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        response.extensions_mut().insert(Connected { to, by: *by });
        return Ok(response);
    }
    let asked = parts.headers.get(UPGRADE).and_then(|value| value.to_str().ok()).unwrap_or_default().to_lowercase();
    let ways = match (asked.as_str(), &to) {
        ("", _) => return Err(bad_request("Upgrade request required")),
        (_, Destination::Process(_)) => {
            "exec and attach are spoken over a socket with HTTP/1.1: over WebSocket in v5.channel.k8s.io or v4.channel.k8s.io, or over SPDY/3.1 in v4.channel.k8s.io"
        }
        (_, Destination::Ports(_)) => {
            "ports are forwarded over a socket with HTTP/1.1: over WebSocket in SPDY/3.1+portforward.k8s.io or v4.channel.k8s.io, or over SPDY/3.1 in portforward.k8s.io"
        }
    };
    Err(bad_request(format!("{ways}; serve the server (Server::serve, pintle serve), and offer one of these")))
}

/// What a proxy is asked for: a name, perhaps with a port, perhaps with a scheme before it.
struct Address<'a> {
    name: &'a str,
    port: &'a str,
}

impl Address<'_> {
    fn parse<'a>(target: &'a ResolvedTarget, what: &str) -> Answer<Address<'a>> {
        let id = target.name();
        let (scheme, name, port) = match id.split(':').collect::<Vec<_>>()[..] {
            [name] => ("", name, ""),
            [name, port] => ("", name, port),
            [scheme, name, port] => (scheme, name, port),
            _ => ("?", "", ""),
        };
        if name.is_empty() || !matches!(scheme, "" | "http" | "https") {
            return Err(bad_request(format!("invalid {what} request {id:?}")));
        }
        Ok(Address { name, port })
    }
}

fn object(snapshot: &ClusterSnapshot, target: &ResolvedTarget, name: &str) -> Answer<Object> {
    let target = ResolvedTarget { name: Some(name.to_owned()), ..target.clone() };
    storage_key::check(&target)?;
    let entry = snapshot.current(&target).ok_or_else(|| not_found(&target.kind, name))?;
    Ok(entry.object())
}

/// The pod, if the container that is meant is one of its own.
fn container_of(snapshot: &ClusterSnapshot, target: &ResolvedTarget, container: Option<&str>) -> Answer<Object> {
    let pod = object(snapshot, target, target.name())?;
    let names = |list: &str| -> Vec<String> {
        let containers = pod.get("spec").and_then(|spec| spec.get(list)).and_then(Value::as_array);
        let names = containers.into_iter().flatten().filter_map(|container| container.get("name")?.as_str());
        names.map(str::to_owned).collect()
    };
    let all = ["initContainers", "containers", "ephemeralContainers"].map(names).concat();
    match container.unwrap_or_default() {
        "" if names("containers").len() == 1 => Ok(pod),
        "" => Err(bad_request(format!(
            "a container name must be specified for pod {}, choose one of: [{}]",
            target.name(),
            all.join(" ")
        ))),
        container if all.iter().any(|name| name == container) => Ok(pod),
        container => Err(bad_request(format!("container {container} is not valid for pod {}", target.name()))),
    }
}

fn node_of(pod: &Object) -> &str {
    pod.get("spec").and_then(|spec| spec.get("nodeName")).and_then(Value::as_str).unwrap_or_default()
}

/// Whether the node of a pod is there and says where. One that is not there is missed as if it were a pod.
fn reach_node_of(snapshot: &ClusterSnapshot, pod: &ResolvedTarget, name: &str) -> Answer<()> {
    reach_node(snapshot, name).map_err(|refusal| if refusal.code == 404 { not_found(&pod.kind, name) } else { refusal })
}

/// Whether a node is there and says where.
fn reach_node(snapshot: &ClusterSnapshot, name: &str) -> Answer<()> {
    let kind = kinds::built_in("", "v1", "nodes").expect("the table has nodes");
    let target = ResolvedTarget {
        kind,
        namespace: None,
        name: Some(name.to_owned()),
        subresource: None,
        manager: String::new(),
    };
    let node = object(snapshot, &target, name)?;
    let addresses = node.get("status").and_then(|status| status.get("addresses")).and_then(Value::as_array);
    if addresses.is_none_or(Vec::is_empty) {
        return Err(unforeseen("no preferred addresses found; known addresses: []"));
    }
    Ok(())
}

fn reach_pod(snapshot: &ClusterSnapshot, target: &ResolvedTarget) -> Answer<()> {
    let pod = object(snapshot, target, Address::parse(target, "pod")?.name)?;
    let status = pod.get("status");
    let first = status.and_then(|status| status.pointer("/podIPs/0/ip")).and_then(Value::as_str);
    let address = first.or_else(|| status.and_then(|status| status.get("podIP")).and_then(Value::as_str));
    if address.unwrap_or_default().is_empty() {
        return Err(bad_request("address not allowed"));
    }
    Ok(())
}

fn reach_service(snapshot: &ClusterSnapshot, target: &ResolvedTarget) -> Answer<()> {
    let Address { name, port } = Address::parse(target, "service")?;
    let unavailable = |why: String| refuse(503, "ServiceUnavailable", why);
    if let Ok(number) = port.parse::<i64>() {
        let service = object(snapshot, target, name)?;
        let ports = service.get("spec").and_then(|spec| spec.get("ports")).and_then(Value::as_array);
        if !ports.into_iter().flatten().any(|port| port.get("port").and_then(Value::as_i64) == Some(number)) {
            return Err(unavailable(format!("no service port {number} found for service {name:?}")));
        }
    }
    if target.namespace.is_none() {
        return Err(bad_request("missing required namespace"));
    }
    let slices = kinds::built_in("discovery.k8s.io", "v1", "endpointslices").expect("the table has endpoint slices");
    let is_meant = |slice: &Object| {
        let label = slice.get("metadata").and_then(|metadata| metadata.pointer("/labels/kubernetes.io~1service-name"));
        label.and_then(Value::as_str) == Some(name)
    };
    let slices = snapshot.of(&slices.resource());
    let mut own = slices.values().filter(|slice| slice.head.namespace() == target.namespace.as_deref());
    if !own.any(|slice| is_meant(&slice.object())) {
        return Err(unavailable(format!("no endpoints available for service {name:?}")));
    }
    Ok(())
}

/// Whether the options of a log mean something together.
fn check_log_options(target: &ResolvedTarget, query: &Query, names_stream: bool) -> Answer<()> {
    let logs = &query.logs;
    let mut errors = Vec::new();
    if let Some(lines) = logs.tail_lines.filter(|lines| *lines < 0) {
        errors.push(FieldError::invalid("tailLines", &lines.to_string(), "must be greater than or equal to 0"));
    }
    if let Some(bytes) = logs.limit_bytes.filter(|bytes| *bytes < 1) {
        errors.push(FieldError::invalid("limitBytes", &bytes.to_string(), "must be greater than 0"));
    }
    match (logs.since_seconds, logs.since_time) {
        (Some(_), Some(_)) => {
            errors.push(FieldError::forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
        }
        (Some(seconds), None) if seconds < 1 => {
            errors.push(FieldError::invalid("sinceSeconds", &seconds.to_string(), "must be greater than 0"));
        }
        _ => {}
    }
    if names_stream {
        // To tell the streams apart is a feature that is off.
        errors.push(FieldError::forbidden("stream", "may not be specified"));
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid("PodLogOptions", "", target.name(), &errors)) }
}
