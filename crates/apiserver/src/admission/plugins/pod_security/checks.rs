//! The checks of the two levels, each from the version on that brought it.
//!
//! In: a policy and a pod. Out: what the policy forbids and the pod does, in kube-apiserver's order. A check of the stricter
//! level replaces its milder form.

use std::fmt;

use super::policy::{Level, Policy, Version};
use super::profiles::{app_armor, proc_mount, se_linux, seccomp_baseline, seccomp_restricted, sysctls};
use super::reading::{Pod, named, quoted_set};
use serde_json::Value;

/// Something that a policy forbids.
pub(super) struct Violation {
    pub(super) reason: &'static str,
    pub(super) detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.reason, self.detail)
    }
}

/// What a pod does that a policy forbids.
pub(super) fn violations(policy: Policy, pod: &Pod<'_>) -> Vec<Violation> {
    if policy.level == Level::Privileged {
        return Vec::new();
    }
    let is_asked = |check: &&Check| check.level <= policy.level && policy.version.has(check.since);
    let replaces: Vec<&str> = match policy.level {
        Level::Restricted => CHECKS.iter().filter(is_asked).filter_map(|check| check.replaces).collect(),
        _ => Vec::new(),
    };
    let asked = CHECKS.iter().filter(is_asked).filter(|check| !replaces.contains(&check.name));
    asked.filter_map(|check| (check.test)(pod, policy.version)).collect()
}

/// A check: its name, from which version on, and what it says of a pod.
struct Check {
    name: &'static str,
    level: Level,
    since: u32,
    replaces: Option<&'static str>,
    test: Test,
}

type Test = fn(&Pod<'_>, Version) -> Option<Violation>;

const fn baseline(name: &'static str, since: u32, test: Test) -> Check {
    Check { name, level: Level::Baseline, since, replaces: None, test }
}

const fn restricted(name: &'static str, since: u32, replaces: Option<&'static str>, test: Test) -> Check {
    Check { name, level: Level::Restricted, since, replaces, test }
}

/// Every check, in the order in which they are reported.
const CHECKS: &[Check] = &[
    baseline("appArmorProfile", 0, app_armor),
    baseline("capabilities_baseline", 0, capabilities_baseline),
    baseline("hostNamespaces", 0, host_namespaces),
    baseline("hostPathVolumes", 0, host_path_volumes),
    baseline("hostPorts", 0, host_ports),
    baseline("hostProbesAndHostLifecycle", 34, probe_hosts),
    baseline("privileged", 0, privileged),
    baseline("procMount", 0, |pod, version| proc_mount(pod, version.has(35) && pod.has_own_users())),
    baseline("seLinuxOptions", 0, se_linux),
    baseline("seccompProfile_baseline", 19, seccomp_baseline),
    baseline("sysctls", 0, sysctls),
    baseline("windowsHostProcess", 0, windows_host_process),
    restricted("allowPrivilegeEscalation", 8, None, allow_privilege_escalation),
    restricted("capabilities_restricted", 22, Some("capabilities_baseline"), capabilities_restricted),
    restricted("procMount_restricted", 35, Some("procMount"), |pod, _| proc_mount(pod, false)),
    restricted("restrictedVolumes", 0, Some("hostPathVolumes"), restricted_volumes),
    restricted("runAsNonRoot", 0, None, run_as_non_root),
    restricted("runAsUser", 23, None, run_as_user),
    restricted("seccompProfile_restricted", 19, Some("seccompProfile_baseline"), seccomp_restricted),
];

fn of(reason: &'static str, detail: Option<String>) -> Option<Violation> {
    detail.map(|detail| Violation { reason, detail })
}

fn containers(names: &[&str], what: &str) -> Option<String> {
    named("container", "containers", names).map(|who| format!("{who} {what}"))
}

/// The capabilities that a container adds.
fn added(container: &Value) -> impl Iterator<Item = &str> {
    let list = container["securityContext"]["capabilities"]["add"].as_array();
    list.into_iter().flatten().filter_map(Value::as_str)
}

fn forbidden_capabilities(pod: &Pod<'_>, allowed: &[&str]) -> Option<String> {
    let is_forbidden = |capability: &&str| !allowed.contains(capability);
    let who = pod.containers_that(|container| added(container).any(|it| is_forbidden(&it)));
    let which = quoted_set(pod.containers().flat_map(added).filter(is_forbidden));
    containers(&who, &format!("must not include {which} in securityContext.capabilities.add"))
}

fn capabilities_baseline(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    of("non-default capabilities", forbidden_capabilities(pod, &DEFAULT_CAPABILITIES))
}

fn capabilities_restricted(pod: &Pod<'_>, version: Version) -> Option<Violation> {
    if version.has(25) && pod.is_windows() {
        return None;
    }
    let drops_all = |container: &Value| {
        let list = container["securityContext"]["capabilities"]["drop"].as_array();
        list.is_some_and(|list| list.iter().any(|capability| capability == "ALL"))
    };
    let keeping = pod.containers_that(|container| !drops_all(container));
    let drop = containers(&keeping, "must set securityContext.capabilities.drop=[\"ALL\"]");
    let add = forbidden_capabilities(pod, &["NET_BIND_SERVICE"]);
    let all: Vec<String> = drop.into_iter().chain(add).collect();
    of("unrestricted capabilities", (!all.is_empty()).then(|| all.join("; ")))
}

fn host_namespaces(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let fields = ["hostNetwork", "hostPID", "hostIPC"].iter().filter(|field| pod.spec[**field] == true);
    let said: Vec<String> = fields.map(|field| format!("{field}=true")).collect();
    of("host namespaces", (!said.is_empty()).then(|| said.join(", ")))
}

fn host_path_volumes(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let volumes = pod.volumes().filter(|volume| volume["hostPath"].is_object());
    let names: Vec<&str> = volumes.filter_map(|volume| volume["name"].as_str()).collect();
    of("hostPath volumes", named("volume", "volumes", &names))
}

fn host_ports(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let ports = |container: &Value| -> Vec<String> {
        let list = container["ports"].as_array().into_iter().flatten().filter_map(|port| port["hostPort"].as_i64());
        list.filter(|port| *port != 0).map(|port| port.to_string()).collect()
    };
    let who = pod.containers_that(|container| !ports(container).is_empty());
    let all: std::collections::BTreeSet<String> = pod.containers().flat_map(ports).collect();
    let (use_, port) =
        (if who.len() == 1 { "uses" } else { "use" }, if all.len() == 1 { "hostPort" } else { "hostPorts" });
    of("hostPort", containers(&who, &format!("{use_} {port} {}", all.into_iter().collect::<Vec<_>>().join(", "))))
}

/// The hosts that probes and hooks of a container connect to.
fn hosts(container: &Value) -> impl Iterator<Item = &str> {
    let probes = ["livenessProbe", "readinessProbe", "startupProbe"].map(|probe| &container[probe]);
    let hooks = ["postStart", "preStop"].map(|hook| &container["lifecycle"][hook]);
    let handlers = probes.into_iter().chain(hooks).flat_map(|it| [&it["httpGet"]["host"], &it["tcpSocket"]["host"]]);
    handlers.filter_map(Value::as_str).filter(|host| !host.is_empty())
}

fn probe_hosts(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let who = pod.containers_that(|container| hosts(container).next().is_some());
    let all: std::collections::BTreeSet<&str> = pod.containers().flat_map(hosts).collect();
    let (use_, host) = (if who.len() == 1 { "uses" } else { "use" }, if all.len() == 1 { "host" } else { "hosts" });
    let what = format!("{use_} probe or lifecycle {host} {}", quoted_set(all.into_iter()));
    of("probe or lifecycle host", containers(&who, &what))
}

fn privileged(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let who = pod.containers_that(|container| container["securityContext"]["privileged"] == true);
    of("privileged", containers(&who, "must not set securityContext.privileged=true"))
}

fn windows_host_process(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let who = pod.setters(|context| context["windowsOptions"]["hostProcess"] == true);
    let what = "must not set securityContext.windowsOptions.hostProcess=true";
    of("hostProcess", (!who.is_empty()).then(|| format!("{} {what}", who.join(" and "))))
}

fn allow_privilege_escalation(pod: &Pod<'_>, version: Version) -> Option<Violation> {
    if version.has(25) && pod.is_windows() {
        return None;
    }
    let who = pod.containers_that(|container| container["securityContext"]["allowPrivilegeEscalation"] != false);
    of("allowPrivilegeEscalation != false", containers(&who, "must set securityContext.allowPrivilegeEscalation=false"))
}

fn restricted_volumes(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let source = |volume: &Value| -> Option<String> {
        let mut fields = volume.as_object()?.iter().filter(|(field, value)| *field != "name" && !value.is_null());
        let found = fields.next().map_or("unknown", |(field, _)| field.as_str());
        (!VOLUME_TYPES.contains(&found)).then(|| found.to_owned())
    };
    let who: Vec<&str> = pod.volumes().filter(|it| source(it).is_some()).filter_map(|it| it["name"].as_str()).collect();
    let types: std::collections::BTreeSet<String> = pod.volumes().filter_map(source).collect();
    let (use_, kind) = (if who.len() == 1 { "uses" } else { "use" }, if types.len() == 1 { "type" } else { "types" });
    let what = format!("{use_} restricted volume {kind} {}", quoted_set(types.iter().map(String::as_str)));
    of("restricted volume types", named("volume", "volumes", &who).map(|who| format!("{who} {what}")))
}

fn run_as_non_root(pod: &Pod<'_>, version: Version) -> Option<Violation> {
    if version.has(35) && pod.has_own_users() {
        return None;
    }
    let reason = "runAsNonRoot != true";
    let setters = pod.setters(|context| context["runAsNonRoot"] == false);
    if !setters.is_empty() {
        return of(reason, Some(format!("{} must not set securityContext.runAsNonRoot=false", setters.join(" and "))));
    }
    if pod.spec["securityContext"]["runAsNonRoot"] == true {
        return None;
    }
    let silent = pod.containers_that(|container| container["securityContext"]["runAsNonRoot"].is_null());
    let who = named("container", "containers", &silent);
    of(reason, who.map(|who| format!("pod or {who} must set securityContext.runAsNonRoot=true")))
}

fn run_as_user(pod: &Pod<'_>, version: Version) -> Option<Violation> {
    if version.has(35) && pod.has_own_users() {
        return None;
    }
    let who = pod.setters(|context| context["runAsUser"] == 0);
    of("runAsUser=0", (!who.is_empty()).then(|| format!("{} must not set runAsUser=0", who.join(" and "))))
}

/// What a container may add to what it has anyway.
const DEFAULT_CAPABILITIES: [&str; 13] = [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// The volumes of a restricted pod.
const VOLUME_TYPES: [&str; 9] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];
