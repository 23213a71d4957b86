//! The checks of what the kernel keeps a container from: AppArmor, seccomp, SELinux, /proc and sysctls.
//!
//! In: a pod. Out: what it forbids itself too little of, in kube-apiserver's words.

use std::collections::BTreeSet;

use serde_json::Value;

use super::checks::Violation;
use super::policy::Version;
use super::reading::{PROFILE_OF, Pod, named, quoted, quoted_set};

/// Profiles of AppArmor, in fields or in the annotations of old.
pub(super) fn app_armor(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let annotations = pod.profile_annotations();
    let is_bad = |(_, profile): &&(String, String)| {
        !(profile.is_empty() || profile == "runtime/default" || profile.starts_with("localhost/"))
    };
    let bad: Vec<&(String, String)> = annotations.iter().filter(is_bad).collect();
    let of_annotation = |name: &str| {
        let of_it = bad.iter().find(|(key, _)| key.strip_prefix(PROFILE_OF) == Some(name));
        of_it.filter(|(_, profile)| profile == "unconfined").map(|_| "Unconfined")
    };
    let own = |context: &'_ Value| context["appArmorProfile"]["type"].as_str().map(str::to_owned);
    let of_container = |container: &Value| {
        let name = container["name"].as_str().unwrap_or_default();
        own(&container["securityContext"]).or_else(|| of_annotation(name).map(str::to_owned))
    };
    let is_forbidden = |profile: &String| !matches!(profile.as_str(), "RuntimeDefault" | "Localhost");
    let of_pod = own(&pod.spec["securityContext"]).filter(is_forbidden);
    let containers = pod.containers_that(|container| of_container(container).as_ref().is_some_and(is_forbidden));
    let mut who: Vec<String> = of_pod.iter().map(|_| "pod".to_owned()).collect();
    who.extend(named("container", "containers", &containers));
    who.extend((!bad.is_empty()).then(|| if bad.len() == 1 { "annotation" } else { "annotations" }.to_owned()));
    let profiles: BTreeSet<String> =
        of_pod.into_iter().chain(pod.containers().filter_map(of_container).filter(is_forbidden)).collect();
    let mut values: Vec<String> = profiles.into_iter().collect();
    values.extend(bad.iter().map(|(key, profile)| format!("{key}=\"{profile}\"")));
    let reason = if values.len() == 1 { "forbidden AppArmor profile" } else { "forbidden AppArmor profiles" };
    let shown = quoted(&values.iter().map(String::as_str).collect::<Vec<_>>());
    let detail = format!("{} must not set AppArmor profile type to {shown}", who.join(" and "));
    (!who.is_empty()).then_some(Violation { reason, detail })
}

/// The profile of system calls that a context names.
fn seccomp(context: &Value) -> Option<&str> {
    context["seccompProfile"]["type"].as_str()
}

fn is_confined(profile: &str) -> bool {
    matches!(profile, "RuntimeDefault" | "Localhost")
}

/// Neither the pod nor a container may turn the filter of system calls off.
pub(super) fn seccomp_baseline(pod: &Pod<'_>, _: Version) -> Option<Violation> {
    let is_bad = |context: &Value| seccomp(context).is_some_and(|profile| !is_confined(profile));
    let who = pod.setters(is_bad);
    let contexts = pod.containers().map(|container| &container["securityContext"]);
    let all = std::iter::once(&pod.spec["securityContext"]).chain(contexts);
    let values = quoted_set(all.filter_map(seccomp).filter(|profile| !is_confined(profile)));
    let detail = format!("{} must not set securityContext.seccompProfile.type to {values}", who.join(" and "));
    (!who.is_empty()).then_some(Violation { reason: "seccompProfile", detail })
}

/// Every container says what is kept from it, or its pod does.
pub(super) fn seccomp_restricted(pod: &Pod<'_>, version: Version) -> Option<Violation> {
    if version.has(25) && pod.is_windows() {
        return None;
    }
    if let Some(violation) = seccomp_baseline(pod, version) {
        return Some(violation);
    }
    if seccomp(&pod.spec["securityContext"]).is_some() {
        return None;
    }
    let silent = pod.containers_that(|container| seccomp(&container["securityContext"]).is_none());
    let who = named("container", "containers", &silent)?;
    let what = "must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"";
    Some(Violation { reason: "seccompProfile", detail: format!("pod or {who} {what}") })
}

/// Labels of SELinux that give no more than containers have anyway.
pub(super) fn se_linux(pod: &Pod<'_>, version: Version) -> Option<Violation> {
    let is_allowed = |kind: &str| {
        matches!(kind, "" | "container_t" | "container_init_t" | "container_kvm_t")
            || (kind == "container_engine_t" && version.has(31))
    };
    let text =
        |context: &'_ Value, field: &str| context["seLinuxOptions"][field].as_str().unwrap_or_default().to_owned();
    let is_bad = |context: &Value| {
        !is_allowed(&text(context, "type")) || !text(context, "user").is_empty() || !text(context, "role").is_empty()
    };
    let who = pod.setters(is_bad);
    let own = std::iter::once(&pod.spec["securityContext"]);
    let contexts: Vec<&Value> = own.chain(pod.containers().map(|container| &container["securityContext"])).collect();
    let types: BTreeSet<String> =
        contexts.iter().map(|context| text(context, "type")).filter(|kind| !is_allowed(kind)).collect();
    let mut what = Vec::new();
    if !types.is_empty() {
        let word = if types.len() == 1 { "type" } else { "types" };
        what.push(format!("{word} {}", quoted_set(types.iter().map(String::as_str))));
    }
    for field in ["user", "role"] {
        if contexts.iter().any(|context| !text(context, field).is_empty()) {
            what.push(format!("{field} may not be set"));
        }
    }
    let detail = format!("{} set forbidden securityContext.seLinuxOptions: {}", who.join(" and "), what.join("; "));
    (!who.is_empty()).then_some(Violation { reason: "seLinuxOptions", detail })
}

/// Containers see as little of /proc as usual, unless that is allowed.
pub(super) fn proc_mount(pod: &Pod<'_>, is_allowed: bool) -> Option<Violation> {
    let mount = |container: &'_ Value| container["securityContext"]["procMount"].as_str().map(str::to_owned);
    let is_other = |mount: &String| mount != "Default";
    let who = pod.containers_that(|container| mount(container).as_ref().is_some_and(is_other));
    let values: BTreeSet<String> = pod.containers().filter_map(mount).filter(is_other).collect();
    let who = named("container", "containers", &who).filter(|_| !is_allowed)?;
    let values = quoted_set(values.iter().map(String::as_str));
    Some(Violation { reason: "procMount", detail: format!("{who} must not set securityContext.procMount to {values}") })
}

/// Parameters of the kernel that are a pod's own.
pub(super) fn sysctls(pod: &Pod<'_>, version: Version) -> Option<Violation> {
    let is_allowed = |name: &&str| SYSCTLS.iter().any(|(known, since)| known == name && version.has(*since));
    let list = pod.spec["securityContext"]["sysctls"].as_array().into_iter().flatten();
    let forbidden: Vec<&str> =
        list.filter_map(|sysctl| sysctl["name"].as_str()).filter(|name| !is_allowed(name)).collect();
    (!forbidden.is_empty()).then(|| Violation { reason: "forbidden sysctls", detail: forbidden.join(", ") })
}

/// What is a pod's own, and since when that is known.
const SYSCTLS: [(&str, u32); 12] = [
    ("kernel.shm_rmid_forced", 0),
    ("net.ipv4.ip_local_port_range", 0),
    ("net.ipv4.ip_unprivileged_port_start", 0),
    ("net.ipv4.tcp_syncookies", 0),
    ("net.ipv4.ping_group_range", 0),
    ("net.ipv4.ip_local_reserved_ports", 27),
    ("net.ipv4.tcp_keepalive_time", 29),
    ("net.ipv4.tcp_fin_timeout", 29),
    ("net.ipv4.tcp_keepalive_intvl", 29),
    ("net.ipv4.tcp_keepalive_probes", 29),
    ("net.ipv4.tcp_rmem", 32),
    ("net.ipv4.tcp_wmem", 32),
];
