//! What a container sees of the pod's volumes: folders it mounts, and devices.

use std::collections::BTreeMap;

use super::is_true;
use crate::registry::validation::field::Field;
use crate::registry::validation::rules::Rule;
use crate::response::status::FieldError;

/// The volumes that can be mounted, by name, and which kind each is.
pub(super) type Volumes<'a> = BTreeMap<&'a str, &'a str>;

/// What is wrong with the mounts and devices of a container.
pub(super) fn errors(container: &Field<'_>, volumes: &Volumes<'_>) -> Vec<FieldError> {
    let (mounts, devices) = (container.field("volumeMounts"), container.field("volumeDevices"));
    let texts = |list: &Field<'_>, field: &str| list.items().map(|item| item.field(field).text().to_owned()).collect();
    let mounted =
        Others { list: "volumeDevices", names: texts(&devices, "name"), paths: texts(&devices, "devicePath") };
    let used = Others { list: "volumeMounts", names: texts(&mounts, "name"), paths: texts(&mounts, "mountPath") };
    let mut errors = Vec::new();
    let mut taken = Vec::new();
    for mount in mounts.items() {
        errors.extend(found(&mount.field("name"), volumes));
        errors.extend(unique(&mount.field("mountPath"), &mut taken));
        errors.extend(mounted.errors(&mount.field("name"), &mount.field("mountPath")));
        errors.extend(options(&mount, &mounts.path, container));
    }
    let mut taken = Vec::new();
    for device in devices.items() {
        let (name, path) = (device.field("name"), device.field("devicePath"));
        errors.extend(found(&name, volumes));
        let kind = volumes.get(name.text()).copied();
        if kind.is_some_and(|kind| !matches!(kind, "persistentVolumeClaim" | "ephemeral")) {
            let why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
            errors.push(name.wrong_text(why));
        }
        errors.extend(unique(&path, &mut taken));
        if path.text().split('/').any(|step| step == "..") {
            errors.push(path.wrong_text("can not contain backsteps ('..')"));
        }
        errors.extend(used.errors(&name, &path));
    }
    errors
}

/// What the other list has: a volume is a folder or a device.
struct Others {
    list: &'static str,
    names: Vec<String>,
    paths: Vec<String>,
}

impl Others {
    fn errors(&self, name: &Field<'_>, path: &Field<'_>) -> Vec<FieldError> {
        let has = |texts: &[String], field: &Field<'_>| texts.iter().any(|text| text == field.text());
        let mut errors = Vec::new();
        if has(&self.names, name) {
            errors.push(name.wrong_text(&format!("must not already exist in {}", self.list)));
        }
        if has(&self.paths, path) {
            errors.push(path.wrong_text(&format!("must not already exist as a path in {}", self.list)));
        }
        errors
    }
}

fn found(name: &Field<'_>, volumes: &Volumes<'_>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = name.required().into_iter().collect();
    if !volumes.contains_key(name.text()) {
        errors.push(FieldError::not_found(&name.path, &format!("{:?}", name.text())));
    }
    errors
}

fn unique<'a>(path: &Field<'a>, taken: &mut Vec<&'a str>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = path.required().into_iter().collect();
    if taken.contains(&path.text()) {
        errors.push(path.wrong_text("must be unique"));
    }
    taken.push(path.text());
    errors
}

/// How a folder is mounted. Of these fields a path leaves out which mount it is.
fn options(mount: &Field<'_>, list: &str, container: &Field<'_>) -> Vec<FieldError> {
    let of_list = |name: &'static str| Field { path: format!("{list}.{name}").into(), ..mount.field(name) };
    let mut errors = Rule::RelativePath.errors(&of_list("subPath"));
    let expression = mount.field("subPathExpr");
    if !expression.is_empty() {
        if !mount.field("subPath").is_empty() {
            errors.push(expression.wrong_text("subPathExpr and subPath are mutually exclusive"));
        }
        errors.extend(Rule::RelativePath.errors(&expression));
    }
    let spread = of_list("mountPropagation");
    errors.extend(spread.one_of(&["Bidirectional", "HostToContainer", "None"]));
    if spread.text() == "Bidirectional" && !is_true(&container.field("securityContext").field("privileged")) {
        let why = "Bidirectional mount propagation is available only to privileged containers";
        errors.push(spread.forbidden(why));
    }
    let recursive = of_list("recursiveReadOnly");
    match recursive.text() {
        "" | "Disabled" => {}
        "Enabled" | "IfPossible" if !is_true(&mount.field("readOnly")) => {
            errors.push(recursive.forbidden("may only be specified when readOnly is true"));
        }
        "Enabled" | "IfPossible" if !matches!(spread.text(), "" | "None") => {
            errors.push(recursive.forbidden("may only be specified when mountPropagation is None or not specified"));
        }
        _ => errors.extend(recursive.one_of(&["Disabled", "Enabled", "IfPossible"])),
    }
    errors
}
