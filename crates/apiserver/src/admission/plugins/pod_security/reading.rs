//! A pod as the checks read it: its containers in their order, its security contexts, and who of them is named how.
//!
//! In: a pod, or the template of pods. Out: lists of those who set something, printed as kube-apiserver does.

use serde_json::Value;

use crate::codec::object::Object;

/// A pod, or what one is made from.
pub(super) struct Pod<'a> {
    pub(super) spec: &'a Value,
    annotations: Option<&'a Value>,
}

impl<'a> Pod<'a> {
    pub(super) fn of(pod: &'a Object) -> Pod<'a> {
        Pod { spec: pod.get("spec").unwrap_or(&Value::Null), annotations: pod.metadata().get("annotations") }
    }

    pub(super) fn of_template(template: &'a Value) -> Pod<'a> {
        Pod { spec: &template["spec"], annotations: template.pointer("/metadata/annotations") }
    }

    /// Every container: those that come first, the usual ones, those that were added.
    pub(super) fn containers(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        let lists = [&self.spec["initContainers"], &self.spec["containers"], &self.spec["ephemeralContainers"]];
        lists.into_iter().filter_map(Value::as_array).flatten()
    }

    pub(super) fn volumes(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.spec["volumes"].as_array().into_iter().flatten()
    }

    pub(super) fn is_windows(&self) -> bool {
        self.spec["os"]["name"] == "windows"
    }

    /// Whether root in the pod is another user on its node.
    pub(super) fn has_own_users(&self) -> bool {
        self.spec["hostUsers"] == false
    }

    /// The annotations that name AppArmor profiles.
    pub(super) fn profile_annotations(&self) -> Vec<(String, String)> {
        let all = self.annotations.and_then(Value::as_object).into_iter().flatten();
        let profiles = all.filter(|(key, _)| key.starts_with(PROFILE_OF));
        profiles.map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned())).collect()
    }

    /// The pod, where its own context is so; and the containers whose context is so.
    pub(super) fn setters(&self, is_so: impl Fn(&'a Value) -> bool) -> Vec<String> {
        let pod = is_so(&self.spec["securityContext"]).then(|| "pod".to_owned());
        let containers = self.containers().filter(|container| is_so(&container["securityContext"]));
        pod.into_iter().chain(named("container", "containers", &names(containers))).collect()
    }

    /// The names of the containers of which something is so.
    pub(super) fn containers_that(&self, is_so: impl Fn(&'a Value) -> bool) -> Vec<&'a str> {
        names(self.containers().filter(|container| is_so(container)))
    }
}

fn names<'a>(items: impl Iterator<Item = &'a Value>) -> Vec<&'a str> {
    items.filter_map(|item| item["name"].as_str()).collect()
}

/// Things by their names, `container "a"` or `containers "a", "b"`; nothing where there are none.
pub(super) fn named(one: &str, several: &str, names: &[&str]) -> Option<String> {
    match names {
        [] => None,
        [name] => Some(format!("{one} \"{name}\"")),
        names => Some(format!("{several} {}", quoted(names))),
    }
}

/// Texts in quotes, in a list.
pub(super) fn quoted(texts: &[&str]) -> String {
    texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", ")
}

/// Texts in quotes, in their order and once each.
pub(super) fn quoted_set<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let set: std::collections::BTreeSet<&str> = texts.collect();
    quoted(&set.into_iter().collect::<Vec<_>>())
}

/// The key of the annotation with a container's AppArmor profile, before its name.
pub(super) const PROFILE_OF: &str = "container.apparmor.security.beta.kubernetes.io/";
