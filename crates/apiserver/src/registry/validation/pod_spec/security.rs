//! As whom containers run, and what of the host they may touch.

use serde_json::Value;

use super::is_true;
use crate::registry::validation::field::Field;
use crate::registry::validation::names;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::response::status::FieldError;

/// What is wrong with the security of a pod.
pub(super) fn of_pod(spec: &Field<'_>) -> Vec<FieldError> {
    let context = spec.field("securityContext");
    let mut errors = rules::errors(&context, IDENTITIES);
    errors.extend(context.field("supplementalGroups").items().flat_map(|group| Rule::Identity.errors(&group)));
    if is_true(&spec.field("shareProcessNamespace")) && is_true(&spec.field("hostPID")) {
        let why = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.push(spec.field("shareProcessNamespace").wrong(why));
    }
    errors.extend(kernel_settings(&context.field("sysctls"), spec));
    errors.extend(rules::errors(&context, &[("fsGroupChangePolicy", Rule::OneOf(&["Always", "OnRootMismatch"]))]));
    errors.extend(profile(&context.field("seccompProfile"), &SECCOMP));
    errors.extend(windows_options(&context.field("windowsOptions")));
    errors.extend(profile(&context.field("appArmorProfile"), &APP_ARMOR));
    errors.extend(rules::errors(&context, CHOICES));
    errors
}

/// What is wrong with the security of a container.
pub(super) fn of_container(container: &Field<'_>, spec: &Field<'_>) -> Vec<FieldError> {
    let context = container.field("securityContext");
    if context.value.is_null() {
        return Vec::new();
    }
    let mut errors = rules::errors(&context, OF_CONTAINER);
    let mount = context.field("procMount");
    if mount.text() == "Unmasked" && *spec.field("hostUsers").value != Value::Bool(false) {
        errors.push(mount.wrong_text("`hostUsers` must be false to use `Unmasked`"));
    }
    errors.extend(profile(&context.field("seccompProfile"), &SECCOMP));
    if *context.field("allowPrivilegeEscalation").value == Value::Bool(false) {
        if is_true(&context.field("privileged")) {
            errors.push(escalates(&context, "`privileged` to true"));
        }
        if context.field("capabilities").field("add").items().any(|it| it.text() == "CAP_SYS_ADMIN") {
            errors.push(escalates(&context, "`capabilities.Add` CAP_SYS_ADMIN"));
        }
    }
    errors.extend(windows_options(&context.field("windowsOptions")));
    errors.extend(profile(&context.field("appArmorProfile"), &APP_ARMOR));
    errors
}

/// A context that forbids to gain rights and gives them, shown by Go's names of its fields.
fn escalates(context: &Field<'_>, what: &str) -> FieldError {
    let fields = CONTEXT.map(|(go, json, inner)| {
        let value = context.field(json);
        let shown = match inner {
            [] => value.value.to_string(),
            _ if value.value.is_null() => value.value.to_string(),
            _ => in_go(&value, inner),
        };
        format!("\"{go}\":{shown}")
    });
    let why = format!("cannot set `allowPrivilegeEscalation` to false and {what}");
    FieldError::invalid(&context.path, &format!("{{{}}}", fields.join(",")), &why)
}

fn in_go(place: &Field<'_>, fields: &[&str]) -> String {
    let shown: Vec<String> = fields
        .iter()
        .map(|name| {
            let (first, rest) = name.split_at(1);
            format!("\"{}{rest}\":{}", first.to_uppercase(), place.field(name).value)
        })
        .collect();
    format!("{{{}}}", shown.join(","))
}

/// How a kind of profile is called.
struct Profile {
    field: &'static str,
    name: &'static str,
}

const SECCOMP: Profile = Profile { field: "seccompProfile", name: "seccomp" };
const APP_ARMOR: Profile = Profile { field: "appArmorProfile", name: "AppArmor" };

fn profile(profile: &Field<'_>, kind: &Profile) -> Vec<FieldError> {
    if profile.value.is_null() {
        return Vec::new();
    }
    let (sort, file) = (profile.field("type"), profile.field("localhostProfile"));
    let error = match sort.text() {
        "Localhost" if file.text().trim().is_empty() => {
            FieldError::required(&file.path, &format!("must be set when {} type is Localhost", kind.name))
        }
        "Localhost" => return Rule::RelativePath.errors(&file),
        "" => FieldError::required(&sort.path, &format!("type is required when {} is set", kind.field)),
        "RuntimeDefault" | "Unconfined" if file.value.is_null() => return Vec::new(),
        "RuntimeDefault" | "Unconfined" => {
            let why = format!("can only be set when {} type is Localhost", kind.name);
            // Of one the whole profile is shown, of the other only the file.
            let whole = in_go(profile, &["type", "localhostProfile"]);
            let shown = if kind.field == SECCOMP.field { whole } else { file.value.to_string() };
            FieldError::invalid(&file.path, &shown, &why)
        }
        _ => FieldError::not_supported(&sort.path, sort.text(), &["Localhost", "RuntimeDefault", "Unconfined"]),
    };
    vec![error]
}

fn kernel_settings(settings: &Field<'_>, spec: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for name in settings.items().map(|setting| setting.field("name")) {
        if name.is_empty() {
            errors.extend(name.required());
            continue;
        }
        if !is_kernel_setting(name.text()) {
            errors.push(name.wrong_text(KERNEL_SETTING));
        } else if taken.contains(&name.text()) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        taken.push(name.text());
        let dotted = name.text().replace('/', ".");
        let shared = OF_THE_HOST.iter().find(|(beginning, _)| dotted.starts_with(beginning)).map(|(_, host)| *host);
        if let Some(host) = shared.filter(|host| is_true(&spec.field(host))) {
            errors.push(name.wrong_text(&format!("may not be specified when '{host}' is true")));
        }
    }
    errors
}

fn is_kernel_setting(name: &str) -> bool {
    let is_edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        let ends = [bytes.first(), bytes.last()];
        ends.iter().all(|byte| byte.is_some_and(|byte| is_edge(*byte)))
            && bytes.iter().all(|byte| is_edge(*byte) || matches!(byte, b'-' | b'_'))
    };
    name.len() <= 253 && name.split(['.', '/']).all(is_part)
}

fn windows_options(options: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (spec_name, spec, user) =
        (options.field("gmsaCredentialSpecName"), options.field("gmsaCredentialSpec"), options.field("runAsUserName"));
    if !spec_name.value.is_null() {
        errors.extend(names::subdomain(spec_name.text()).iter().map(|why| spec_name.wrong_text(why)));
    }
    if spec.value.as_str() == Some("") {
        errors.push(spec.wrong_text("gmsaCredentialSpec cannot be an empty string"));
    }
    if user.value.as_str() == Some("") {
        errors.push(user.wrong_text("runAsUserName cannot be an empty string"));
    } else if user.text().matches('\\').count() > 1 {
        errors.push(user.wrong_text("runAsUserName cannot contain more than one backslash"));
    }
    errors
}

/// With users of its own a pod cannot share what belongs to the host's.
pub(super) fn of_host_users(spec: &Field<'_>) -> Vec<FieldError> {
    if *spec.field("hostUsers").value != Value::Bool(false) {
        return Vec::new();
    }
    let shared = [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")];
    let shared = shared.iter().filter(|(field, _)| is_true(&spec.field(field)));
    // Two of them are called as Go calls them.
    shared.map(|(_, shown)| FieldError::forbidden(&spec.field(shown).path, "when `hostUsers` is false")).collect()
}

/// What means nothing on Linux.
pub(super) fn of_linux(spec: &Field<'_>) -> Vec<FieldError> {
    const RULES: Rules = &[("windowsOptions", Rule::Forbidden("windows options cannot be set for a linux pod"))];
    everywhere(spec, RULES, &[], RULES)
}

/// What means nothing on Windows.
pub(super) fn of_windows(spec: &Field<'_>) -> Vec<FieldError> {
    everywhere(spec, NOT_IN_WINDOWS_PODS, NOT_ON_WINDOWS, NOT_IN_WINDOWS_CONTAINERS)
}

fn everywhere(spec: &Field<'_>, pod: Rules, own: Rules, container: Rules) -> Vec<FieldError> {
    let mut errors = rules::errors(&spec.field("securityContext"), pod);
    for (name, rule) in own {
        // Saying false is as good as saying nothing, but for the users, which exist on Linux alone.
        if *name == "hostUsers" || is_true(&spec.field(name)) {
            errors.extend(rule.errors(&spec.field(name)));
        }
    }
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        let contexts = spec.field(list).items().map(|container| container.field("securityContext"));
        errors.extend(contexts.flat_map(|context| rules::errors(&context, container)));
    }
    errors
}

const IDENTITIES: Rules = &[("fsGroup", Rule::Identity), ("runAsUser", Rule::Identity), ("runAsGroup", Rule::Identity)];

const CHOICES: Rules = &[
    ("supplementalGroupsPolicy", Rule::OneOf(&["Merge", "Strict"])),
    ("seLinuxChangePolicy", Rule::OneOf(&["MountOption", "Recursive"])),
];

const OF_CONTAINER: Rules = &[
    ("runAsUser", Rule::Identity),
    ("runAsGroup", Rule::Identity),
    ("procMount", Rule::OneOf(&["Default", "Unmasked"])),
];

/// Settings of the kernel that a pod shares with its host, by how they begin.
const OF_THE_HOST: &[(&str, &str)] =
    &[("kernel.shm", "hostIPC"), ("kernel.msg", "hostIPC"), ("fs.mqueue.", "hostIPC"), ("net.", "hostNetwork")];

const KERNEL_SETTING: &str = "must have at most 253 characters and match regex \
                              ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

/// The fields of a container's context in Go, in JSON, and those below that are shown by Go's names too.
const CONTEXT: [(&str, &str, &[&str]); 12] = [
    ("Capabilities", "capabilities", &["add", "drop"]),
    ("Privileged", "privileged", &[]),
    ("SELinuxOptions", "seLinuxOptions", &[]),
    ("WindowsOptions", "windowsOptions", &[]),
    ("RunAsUser", "runAsUser", &[]),
    ("RunAsGroup", "runAsGroup", &[]),
    ("RunAsNonRoot", "runAsNonRoot", &[]),
    ("ReadOnlyRootFilesystem", "readOnlyRootFilesystem", &[]),
    ("AllowPrivilegeEscalation", "allowPrivilegeEscalation", &[]),
    ("ProcMount", "procMount", &[]),
    ("SeccompProfile", "seccompProfile", &["type", "localhostProfile"]),
    ("AppArmorProfile", "appArmorProfile", &["type", "localhostProfile"]),
];

const NO_WINDOWS: Rule = Rule::Forbidden("cannot be set for a windows pod");

const NOT_IN_WINDOWS_PODS: Rules = &[
    ("appArmorProfile", NO_WINDOWS),
    ("seLinuxOptions", NO_WINDOWS),
    ("seccompProfile", NO_WINDOWS),
    ("fsGroup", NO_WINDOWS),
    ("fsGroupChangePolicy", NO_WINDOWS),
    ("sysctls", NO_WINDOWS),
    ("runAsUser", NO_WINDOWS),
    ("runAsGroup", NO_WINDOWS),
    ("supplementalGroups", NO_WINDOWS),
    ("supplementalGroupsPolicy", NO_WINDOWS),
    ("seLinuxChangePolicy", NO_WINDOWS),
];

const NOT_ON_WINDOWS: Rules = &[
    ("hostUsers", NO_WINDOWS),
    ("hostPID", NO_WINDOWS),
    ("hostIPC", NO_WINDOWS),
    ("shareProcessNamespace", NO_WINDOWS),
];

const NOT_IN_WINDOWS_CONTAINERS: Rules = &[
    ("appArmorProfile", NO_WINDOWS),
    ("seLinuxOptions", NO_WINDOWS),
    ("seccompProfile", NO_WINDOWS),
    ("capabilities", NO_WINDOWS),
    ("readOnlyRootFilesystem", NO_WINDOWS),
    ("privileged", NO_WINDOWS),
    ("allowPrivilegeEscalation", NO_WINDOWS),
    ("procMount", NO_WINDOWS),
    ("runAsUser", NO_WINDOWS),
    ("runAsGroup", NO_WINDOWS),
];
