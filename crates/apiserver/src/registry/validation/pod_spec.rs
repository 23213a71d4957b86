//! The spec of a pod, wherever it stands: containers that could run, with the volumes and ports they name.

use std::collections::BTreeSet;

use crate::registry::validation::field::Field;
use crate::registry::validation::{metadata, names};
use crate::response::status::FieldError;

/// What is wrong with the spec of a pod.
pub(crate) fn errors(spec: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, volumes) = volumes(&spec.field("volumes"));
    let containers = spec.field("containers");
    errors.extend(containers.required());
    let taken: Vec<&str> = containers.items().map(|container| container.field("name").text()).collect();
    for (index, init) in spec.field("initContainers").items().enumerate() {
        errors.extend(container(&init, &volumes));
        let earlier = spec.field("initContainers").items().take(index).map(|other| other.field("name").text());
        errors.extend(duplicate(&init, earlier.chain(taken.iter().copied())));
        if init.field("restartPolicy").text() != "Always" {
            for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
                let probe = init.field(probe);
                if !probe.value.is_null() {
                    errors.push(probe.forbidden("may not be set for init containers without restartPolicy=Always"));
                }
            }
        }
    }
    for (index, one) in containers.items().enumerate() {
        errors.extend(container(&one, &volumes));
        errors.extend(duplicate(&one, taken[..index].iter().copied()));
    }
    errors.extend(spec.field("restartPolicy").one_of(&["Always", "OnFailure", "Never"]));
    let dns = spec.field("dnsPolicy");
    errors.extend(dns.one_of(&["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]));
    if dns.text() == "None" {
        let why = "must provide `dnsConfig` when `dnsPolicy` is None";
        errors.extend(spec.field("dnsConfig").required_because(why));
    }
    errors.extend(metadata::labels(&spec.field("nodeSelector").path, Some(spec.field("nodeSelector").value)));
    errors.extend(spec.field("serviceAccountName").subdomain());
    errors.extend(spec.field("nodeName").subdomain());
    errors.extend(spec.field("activeDeadlineSeconds").between(1, i64::from(i32::MAX)));
    errors.extend(spec.field("hostname").label());
    errors.extend(spec.field("subdomain").label());
    errors
}

fn container(container: &Field<'_>, volumes: &BTreeSet<&str>) -> Vec<FieldError> {
    let (name, image) = (container.field("name"), container.field("image"));
    let mut errors = Vec::new();
    errors.extend(name.required());
    errors.extend(name.label());
    errors.extend(image.required());
    errors.extend(container.field("terminationMessagePolicy").one_of(&["File", "FallbackToLogsOnError"]));
    errors.extend(ports(&container.field("ports")));
    errors.extend(container.field("env").items().flat_map(|variable| variable_errors(&variable)));
    errors.extend(mounts(&container.field("volumeMounts"), volumes));
    errors.extend(container.field("imagePullPolicy").one_of(&["Always", "IfNotPresent", "Never"]));
    errors.extend(quantities(&container.field("resources")));
    errors
}

fn duplicate<'a>(container: &Field<'_>, mut earlier: impl Iterator<Item = &'a str>) -> Option<FieldError> {
    let name = container.field("name");
    let is_taken = !name.is_empty() && earlier.any(|other| other == name.text());
    is_taken.then(|| FieldError::duplicate(&name.path, &name.value.to_string()))
}

fn ports(ports: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut taken = BTreeSet::new();
    for port in ports.items() {
        let (name, number) = (port.field("name"), port.field("containerPort"));
        errors.extend(name.named(names::port_name));
        if !name.is_empty() && !taken.insert(name.text()) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        match number.value.as_i64().unwrap_or_default() {
            0 => errors.push(FieldError::required(&number.path, "")),
            _ => errors.extend(number.between(1, PORT_MAX)),
        }
        errors.extend(
            port.field("hostPort")
                .between(0, PORT_MAX)
                .map(|_| port.field("hostPort").wrong(&format!("must be between 1 and {PORT_MAX}, inclusive"))),
        );
        errors.extend(port.field("protocol").one_of(&["SCTP", "TCP", "UDP"]));
    }
    errors
}

fn variable_errors(variable: &Field<'_>) -> Vec<FieldError> {
    let (name, from) = (variable.field("name"), variable.field("valueFrom"));
    let mut errors = Vec::new();
    errors.extend(name.required());
    let is_printable = name.text().bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'=');
    if !is_printable {
        let why = "a valid environment variable name must consist only of printable ASCII characters other than '='";
        errors.push(name.wrong_text(why));
    }
    if from.value.is_null() {
        return errors;
    }
    let why = if !variable.field("value").is_empty() {
        "may not be specified when `value` is not empty"
    } else if from.is_empty() {
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
    } else {
        return errors;
    };
    errors.push(FieldError::invalid_text(&from.path, "", why));
    errors
}

fn mounts(mounts: &Field<'_>, volumes: &BTreeSet<&str>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut taken = BTreeSet::new();
    for mount in mounts.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        errors.extend(name.required());
        if !name.is_empty() && !volumes.contains(name.text()) {
            errors.push(FieldError::not_found(&name.path, &name.value.to_string()));
        }
        errors.extend(path.required());
        if !path.is_empty() && !taken.insert(path.text()) {
            errors.push(path.wrong_text("must be unique"));
        }
    }
    errors
}

fn quantities(resources: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for list in ["limits", "requests"] {
        let list = resources.field(list);
        for (name, amount) in list.value.as_object().into_iter().flatten() {
            if amount.as_str().is_some_and(|amount| amount.starts_with('-')) {
                let field = format!("{}[{name}]", list.path);
                errors.push(FieldError::invalid(&field, &amount.to_string(), "must be greater than or equal to 0"));
            }
        }
    }
    errors
}

/// What is wrong with volumes, and the names of those that a container can mount.
fn volumes<'a>(volumes: &Field<'a>) -> (Vec<FieldError>, BTreeSet<&'a str>) {
    let (mut errors, mut taken) = (Vec::new(), BTreeSet::new());
    for volume in volumes.items() {
        let name = volume.field("name");
        errors.extend(name.required());
        errors.extend(name.label());
        if !name.is_empty() && !taken.insert(name.text()) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        errors.extend(source(&volume));
    }
    (errors, taken)
}

fn source(volume: &Field<'_>) -> Vec<FieldError> {
    let fields = volume.value.as_object().into_iter().flatten();
    let sources: Vec<&String> =
        fields.filter(|(name, value)| *name != "name" && !value.is_null()).map(|(name, _)| name).collect();
    let mut errors = Vec::new();
    for more in sources.iter().skip(1) {
        errors.push(volume.field(more).forbidden("may not specify more than 1 volume type"));
    }
    for (kind, field) in NAMED_SOURCES {
        if sources.first().is_some_and(|first| first == kind) {
            errors.extend(volume.field(kind).field(field).required());
        }
    }
    errors
}

/// Volumes that are somewhere else, and the field that says where.
const NAMED_SOURCES: &[(&str, &str)] =
    &[("configMap", "name"), ("hostPath", "path"), ("persistentVolumeClaim", "claimName"), ("secret", "secretName")];

const PORT_MAX: i64 = 65535;
