//! What an API server would refuse in a definition, found before it is asked.
//!
//! In: a whole `CustomResourceDefinition`. Out: the same, or every problem in it: names that are not DNS labels, and with
//! feature `cel` rules that do not compile or cost too much. That the schema is structural is known before (`schema/structural.rs`).

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

/// Why an API server would refuse the definition of a kind.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct InvalidDefinition {
    /// The kind that it is the definition of.
    pub kind: String,
    /// What is wrong, each in one sentence.
    pub problems: Vec<String>,
}

impl InvalidDefinition {
    /// This problem, and those that are found in the rest.
    pub(super) fn with(definition: &CustomResourceDefinition, problem: String) -> Self {
        let kind = definition.spec.names.kind.clone();
        let mut problems = vec![problem];
        problems.extend(problems_of(definition));
        Self { kind, problems }
    }
}

impl fmt::Display for InvalidDefinition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an API server would refuse the definition of {}: {}", self.kind, self.problems.join("; "))
    }
}

impl std::error::Error for InvalidDefinition {}

/// The definition, if nothing in it is known to be refused.
pub(super) fn checked(definition: CustomResourceDefinition) -> Result<CustomResourceDefinition, InvalidDefinition> {
    let problems = problems_of(&definition);
    if problems.is_empty() {
        return Ok(definition);
    }
    Err(InvalidDefinition { kind: definition.spec.names.kind, problems })
}

fn problems_of(definition: &CustomResourceDefinition) -> Vec<String> {
    let mut problems = Vec::new();
    check_group(&definition.spec.group, &mut problems);
    check_names(definition, &mut problems);
    #[cfg(feature = "cel")]
    check_rules(definition, &mut problems);
    problems
}

fn check_group(group: &str, problems: &mut Vec<String>) {
    let is_subdomain = group.len() <= 253 && group.split('.').all(is_dns_1123_label);
    if !is_subdomain || !group.contains('.') {
        problems.push(format!("the group `{group}` is not a domain in lower case with at least one dot"));
    }
}

fn check_names(definition: &CustomResourceDefinition, problems: &mut Vec<String>) {
    let names = &definition.spec.names;
    let mut labels = vec![("kind", names.kind.to_lowercase()), ("plural", names.plural.clone())];
    labels.extend(names.singular.iter().map(|name| ("singular", name.clone())));
    labels.extend(names.short_names.iter().flatten().map(|name| ("short name", name.clone())));
    labels.extend(names.categories.iter().flatten().map(|name| ("category", name.clone())));
    labels.extend(definition.spec.versions.iter().map(|version| ("version", version.name.clone())));
    for (what, name) in labels {
        if !is_dns_1035_label(&name) {
            problems.push(format!(
                "the {what} `{name}` is not a DNS label: at most 63 lower-case letters, digits and `-`, beginning with a letter"
            ));
        }
    }
}

fn is_dns_1123_label(label: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_inside = !label.starts_with('-') && !label.ends_with('-');
    (1..=63).contains(&label.len()) && is_inside && label.bytes().all(is_allowed)
}

fn is_dns_1035_label(label: &str) -> bool {
    is_dns_1123_label(label) && label.starts_with(|first: char| first.is_ascii_lowercase())
}

/// The rules of each schema: each must compile, name fields that exist, and cost no more than a server allows.
#[cfg(feature = "cel")]
fn check_rules(definition: &CustomResourceDefinition, problems: &mut Vec<String>) {
    for version in &definition.spec.versions {
        let schema = version.schema.as_ref().and_then(|schema| schema.open_api_v3_schema.as_ref());
        let schema = serde_json::to_value(schema).expect("what is sent to a server can be written as JSON");
        for issue in pintle_cel::rule_issues("openAPIV3Schema", &schema) {
            // It points at the place on lines of its own.
            let detail = issue.detail.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            problems.push(format!("{}: {detail}", issue.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::checked;
    use crate::crd::definition::Definition;

    const DOCUMENT: Definition = Definition {
        group: "example.com",
        version: "v1",
        kind: "Document",
        plural: "documents",
        singular: "document",
        ..EMPTY
    };

    const EMPTY: Definition = Definition {
        group: "",
        version: "",
        kind: "",
        plural: "",
        singular: "",
        shortnames: &[],
        categories: &[],
        scope: crate::crd::definition::Scope::Cluster,
        status: crate::crd::definition::StatusSubresource::Absent,
        scale: None,
        columns: &[],
        selectable: &[],
        annotations: &[],
        labels: &[],
        is_served: true,
        is_stored: true,
        deprecation: crate::crd::definition::Deprecation::None,
    };

    #[test]
    fn names_that_a_server_refuses_are_all_reported() {
        assert!(checked(DOCUMENT.without_schema()).is_ok());
        let wrong = Definition {
            group: "example",
            version: "V1",
            plural: "Documents",
            singular: "a_document",
            shortnames: &["ok", "no.dots"],
            categories: &["All", "1st", "-"],
            ..DOCUMENT
        };
        let error = checked(wrong.without_schema()).unwrap_err();
        assert_eq!(error.problems.len(), 8, "{error}");
        assert!(
            error.to_string().starts_with("an API server would refuse the definition of Document: the group `example`")
        );
    }

    #[test]
    fn a_schema_that_does_not_exist_is_a_problem_among_others() {
        let error = Definition { group: "", ..DOCUMENT }.try_with_schema(Err("it is a tuple")).unwrap_err();
        assert_eq!(error.problems[0], "it is a tuple");
        assert_eq!(error.problems.len(), 2, "{error}");
    }

    #[cfg(feature = "cel")]
    #[test]
    fn rules_that_do_not_compile_are_reported_with_their_place() {
        let schema = serde_json::json!({
            "type": "object",
            "x-kubernetes-validations": [{ "rule": "self.a.size() > 0" }, { "rule": "self.a >" }, { "rule": "self.b == 1" }],
            "properties": { "a": { "type": "array", "items": {
                "type": "string",
                "x-kubernetes-validations": [{ "rule": "self != ''", "messageExpression": "('no'" }],
            } } },
        });
        let schema = serde_json::from_value(schema).unwrap();
        let error = DOCUMENT.try_with_schema(Ok::<_, &str>(schema)).unwrap_err();
        let begins = [
            "openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].messageExpression: messageExpression compilation failed: ",
            "openAPIV3Schema.x-kubernetes-validations[1].rule: compilation failed: ERROR: <input>:1:9: Syntax error: ",
            "openAPIV3Schema.x-kubernetes-validations[2].rule: compilation failed: ERROR: <input>:1:5: undefined field 'b' ",
        ];
        assert_eq!(error.problems.len(), begins.len(), "{error}");
        for (problem, begin) in error.problems.iter().zip(begins) {
            assert!(problem.starts_with(begin), "{problem}");
        }
    }
}
