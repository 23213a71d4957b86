//! One rule of a role: verbs on resources, or verbs on paths.
//!
//! In: the JSON of a rule. Out: whether it allows a request, and whether it covers another rule. A rule never forbids.

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::attributes::{Attributes, Requested, ResourceAttributes};

/// A rule of a Role or ClusterRole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PolicyRule {
    pub(crate) verbs: Vec<String>,
    pub(crate) api_groups: Vec<String>,
    pub(crate) resources: Vec<String>,
    pub(crate) resource_names: Vec<String>,
    #[serde(rename = "nonResourceURLs")]
    pub(crate) non_resource_urls: Vec<String>,
}

impl PolicyRule {
    /// The rules of a role; one that cannot be read allows nothing.
    pub(crate) fn list(rules: Option<&Value>) -> Vec<PolicyRule> {
        let rules = rules.and_then(Value::as_array).into_iter().flatten();
        rules.filter_map(|rule| PolicyRule::deserialize(rule).ok()).collect()
    }

    /// Everything on every resource, and everything on every path.
    pub(crate) fn everything() -> Vec<PolicyRule> {
        let all = || vec![ALL.to_owned()];
        vec![
            PolicyRule { verbs: all(), api_groups: all(), resources: all(), ..PolicyRule::default() },
            PolicyRule { verbs: all(), non_resource_urls: all(), ..PolicyRule::default() },
        ]
    }

    pub(crate) fn allows(&self, attributes: &Attributes) -> bool {
        has(&self.verbs, &attributes.verb)
            && match &attributes.requested {
                Requested::Path(path) => self.non_resource_urls.iter().any(|url| url_covers(url, path)),
                Requested::Resource(requested) => self.allows_resource(requested),
            }
    }

    fn allows_resource(&self, requested: &ResourceAttributes) -> bool {
        has(&self.api_groups, &requested.group)
            && resource_covered(&self.resources, &requested.combined())
            && (self.resource_names.is_empty() || self.resource_names.contains(&requested.name))
    }

    /// Whether this rule allows all that a rule of one verb, group, resource, name or path allows.
    pub(super) fn covers(&self, single: &PolicyRule) -> bool {
        let names_cover = self.resource_names.is_empty()
            || (!single.resource_names.is_empty()
                && single.resource_names.iter().all(|name| self.resource_names.contains(name)));
        single.verbs.iter().all(|verb| has(&self.verbs, verb))
            && single.api_groups.iter().all(|group| has(&self.api_groups, group))
            && single.resources.iter().all(|resource| resource_covered(&self.resources, resource))
            && single
                .non_resource_urls
                .iter()
                .all(|path| self.non_resource_urls.iter().any(|url| url_covers(url, path)))
            && names_cover
    }

    /// The rules of one verb, group, resource, name or path that make up this one.
    pub(super) fn single_rules(&self) -> Vec<PolicyRule> {
        let one = |text: &String| vec![text.clone()];
        let mut singles = Vec::new();
        for group in &self.api_groups {
            for resource in &self.resources {
                for verb in &self.verbs {
                    let unnamed = PolicyRule {
                        verbs: one(verb),
                        api_groups: one(group),
                        resources: one(resource),
                        ..PolicyRule::default()
                    };
                    let named = self.resource_names.iter();
                    singles.extend(named.map(|name| PolicyRule { resource_names: one(name), ..unnamed.clone() }));
                    singles.extend(self.resource_names.is_empty().then_some(unnamed));
                }
            }
        }
        for url in &self.non_resource_urls {
            let of_url = |verb| PolicyRule { verbs: one(verb), non_resource_urls: one(url), ..PolicyRule::default() };
            singles.extend(self.verbs.iter().map(of_url));
        }
        singles
    }

    /// The rule as a SelfSubjectRulesReview lists it, where it is about resources.
    pub(crate) fn resource_rule(&self) -> Option<Value> {
        let mut rule = Map::from_iter([("verbs".to_owned(), json!(self.verbs))]);
        let lists =
            [("apiGroups", &self.api_groups), ("resources", &self.resources), ("resourceNames", &self.resource_names)];
        for (field, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            rule.insert(field.to_owned(), json!(list));
        }
        (!self.resources.is_empty()).then_some(Value::Object(rule))
    }

    /// The rule as a SelfSubjectRulesReview lists it, where it is about paths.
    pub(crate) fn non_resource_rule(&self) -> Option<Value> {
        let rule = || json!({"verbs": self.verbs, "nonResourceURLs": self.non_resource_urls});
        (!self.non_resource_urls.is_empty()).then(rule)
    }
}

/// As refusals of escalations print it.
impl fmt::Display for PolicyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.non_resource_urls),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ];
        let printed: Vec<String> = lists
            .into_iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(field, list)| format!("{field}:{}", quoted(list)))
            .collect();
        write!(f, "{{{}}}", printed.join(", "))
    }
}

/// A list of texts as Go prints it.
pub(super) fn quoted(list: &[String]) -> String {
    let quoted: Vec<String> = list.iter().map(|text| format!("{text:?}")).collect();
    format!("[{}]", quoted.join(" "))
}

fn has(list: &[String], wanted: &str) -> bool {
    list.iter().any(|text| text == ALL || text == wanted)
}

/// `*` covers every resource and subresource, `*/scale` every resource's scale.
fn resource_covered(resources: &[String], wanted: &str) -> bool {
    let subresource = wanted.split_once('/').map(|(_, subresource)| subresource);
    resources.iter().any(|resource| {
        resource == ALL
            || resource == wanted
            || subresource.is_some_and(|subresource| resource.strip_prefix("*/") == Some(subresource))
    })
}

/// `/apis/*` covers what is below `/apis/`.
fn url_covers(url: &str, wanted: &str) -> bool {
    url == ALL || url == wanted || (url.ends_with(ALL) && wanted.starts_with(url.trim_end_matches('*')))
}

/// What covers everything.
const ALL: &str = "*";

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(value: &Value) -> PolicyRule {
        PolicyRule::list(Some(&json!([value]))).remove(0)
    }

    fn on(verb: &str, group: &str, resource: &str, name: &str) -> Attributes {
        let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let requested = ResourceAttributes {
            group: group.to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            name: name.to_owned(),
            ..ResourceAttributes::default()
        };
        Attributes::new(verb, requested)
    }

    #[test]
    fn a_rule_allows_what_each_of_its_lists_allows() {
        let pods = rule(&json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}));
        let one = rule(&json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]}));
        let scales = rule(&json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*/scale"]}));
        let all = rule(&json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}));
        let table = [
            (&pods, on("get", "", "pods", "a"), true),
            (&pods, on("get", "", "pods/log", "a"), false),
            (&pods, on("list", "", "pods", ""), false),
            (&pods, on("get", "apps", "pods", ""), false),
            (&one, on("get", "", "pods", "a"), true),
            (&one, on("get", "", "pods", "b"), false),
            (&one, on("get", "", "pods", ""), false),
            (&scales, on("get", "apps", "deployments/scale", "d"), true),
            (&scales, on("get", "apps", "deployments", "d"), false),
            (&scales, on("get", "apps", "deployments/upscale", "d"), false),
            (&all, on("fly", "g", "things/wings", "x"), true),
        ];
        for (rule, attributes, expected) in table {
            assert_eq!(rule.allows(&attributes), expected, "{rule} {attributes:?}");
        }
    }

    #[test]
    fn a_path_is_allowed_by_itself_or_by_what_is_above_it() {
        let paths = rule(&json!({"verbs": ["get"], "nonResourceURLs": ["/healthz", "/apis/*"]}));
        let get = |path: &str| Attributes { verb: "get".to_owned(), requested: Requested::Path(path.to_owned()) };
        for (path, expected) in
            [("/healthz", true), ("/healthz/etcd", false), ("/apis/apps", true), ("/apis", false), ("/", false)]
        {
            assert_eq!(paths.allows(&get(path)), expected, "{path}");
        }
        assert!(!paths.allows(&get("/healthz").with_verb("post")));
        assert!(!paths.allows(&on("get", "", "pods", "")));
    }

    #[test]
    fn a_rule_is_as_many_single_rules_as_its_lists_multiply_to() {
        let wide = rule(&json!({"verbs": ["get", "list"], "apiGroups": ["", "apps"], "resources": ["a", "b"]}));
        assert_eq!(wide.single_rules().len(), 8);
        let named =
            rule(&json!({"verbs": ["get"], "apiGroups": [""], "resources": ["a"], "resourceNames": ["x", "y"]}));
        assert_eq!(named.single_rules().len(), 2);
        let paths = rule(&json!({"verbs": ["get", "post"], "nonResourceURLs": ["/a", "/b"]}));
        assert_eq!(paths.single_rules().len(), 4);
        for rule in [wide, named, paths] {
            assert!(rule.single_rules().iter().all(|single| rule.covers(single)), "{rule}");
        }
    }
}
