//! What a project and its kind may be called. Pure.
//!
//! A project's name is a crate, a service account and a lease at once, and a kind is a Rust type and a Kubernetes kind: what
//! one of them refuses is refused here, with the rule.

use std::fmt::Display;

use pintle::core::{ApiResource, GroupVersionKind};

use super::template;

/// Everything that differs from one project to the next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Names {
    pub(crate) project: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) group: String,
}

impl Names {
    /// `project` and `group` were checked when they were typed; a kind that was not given is made of the project's name.
    pub(crate) fn new(project: &str, kind: Option<&str>, group: &str) -> Result<Self, String> {
        let kind = match kind {
            Some(kind) => kind.to_owned(),
            None => self::kind(&kind_of(project)).map_err(|why| format!("{why}, with --kind"))?,
        };
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, "v1alpha1", &kind));
        Ok(Self { project: project.to_owned(), kind, plural: resource.plural, group: group.to_owned() })
    }
}

/// A name for `<name>-system`, a namespace, which has at most 63 characters.
const PROJECT_LENGTH_MAX: usize = 63 - "-system".len();
/// Kinds in lower case are labels in Kubernetes; their plurals are up to two characters longer.
const KIND_LENGTH_MAX: usize = 61;
/// A definition is called by plural and group, in 253 characters at most, and its clean-up by one word more.
const GROUP_LENGTH_MAX: usize = 180;
/// Names of the crates that a project depends on, of those that come with Rust, and what cargo reserves.
#[rustfmt::skip]
const RESERVED_PROJECTS: &[&str] = &[
    "alloc", "build", "core", "deps", "examples", "incremental", "k8s-openapi", "pintle", "proc-macro",
    "schemars", "serde", "serde-json", "serde-saphyr", "std", "test", "tokio", "tracing",
    "tracing-subscriber",
];
/// Words that a crate cannot be called, because programs have to write its name.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];
/// Types and traits that every Rust source knows without naming where they are from.
#[rustfmt::skip]
const PRELUDE: &[&str] = &[
    "AsMut", "AsRef", "Box", "Clone", "Copy", "Default", "Drop", "Eq", "Err", "Fn", "FnMut", "FnOnce", "From",
    "Into", "Iterator", "None", "Ok", "Option", "Ord", "Result", "Self", "Some", "String", "Vec",
];

/// Words that YAML takes for something else than text, in any case.
const YAML_WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// A project's name, as typed.
pub(crate) fn project(text: &str) -> Result<String, String> {
    if text.len() > PROJECT_LENGTH_MAX {
        return Err(format!(
            "{text:?} has {} characters: {PROJECT_LENGTH_MAX} at most, because NAME-system is a namespace",
            text.len()
        ));
    }
    let is_label = is_label(text) && text.starts_with(|first: char| first.is_ascii_lowercase());
    if !is_label || text.contains("--") {
        return Err(wrong(
            text,
            "a project",
            "lower-case letters, digits and single hyphens, a letter first",
            "database-operator",
        ));
    }
    if YAML_WORDS.contains(&text) || RESERVED_PROJECTS.contains(&text) || KEYWORDS.contains(&text) {
        return Err(format!("{text:?} means something else to Rust, cargo or YAML: try {text}-operator"));
    }
    Ok(text.to_owned())
}

/// A kind, as typed.
pub(crate) fn kind(text: &str) -> Result<String, String> {
    let is_type_name = text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|character| character.is_ascii_alphanumeric());
    if !is_type_name {
        return Err(wrong(text, "a kind", "letters and digits, an upper-case letter first", "Database"));
    }
    if text.len() > KIND_LENGTH_MAX {
        return Err(format!("{text:?} has {} characters: {KIND_LENGTH_MAX} at most", text.len()));
    }
    if YAML_WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        return Err(format!("{text:?} is not a name to YAML: choose another, such as My{text}"));
    }
    if PRELUDE.contains(&text) || template::uses(text) {
        return Err(format!(
            "{text:?} is the name of something else in the generated sources: choose another, such as My{text}"
        ));
    }
    Ok(text.to_owned())
}

/// An API group, as typed.
pub(crate) fn group(text: &str) -> Result<String, String> {
    // A domain, and nothing that YAML takes for a number.
    let has_letters_last =
        text.rsplit_once('.').is_some_and(|(_, last)| last.chars().all(|it| it.is_ascii_lowercase()));
    if !has_letters_last || !text.split('.').all(is_label) || text.len() > GROUP_LENGTH_MAX {
        return Err(wrong(
            text,
            "an API group",
            format_args!("a domain, in lower case, of {GROUP_LENGTH_MAX} characters at most"),
            "example.com",
        ));
    }
    let is_of_kubernetes = |domain: &str| text == domain || text.ends_with(&format!(".{domain}"));
    if is_of_kubernetes("k8s.io") || is_of_kubernetes("kubernetes.io") {
        return Err(format!(
            "{text:?} is for Kubernetes itself, which refuses definitions in it: use a domain of your own"
        ));
    }
    Ok(text.to_owned())
}

fn wrong(text: &str, what: &str, rule: impl Display, example: &str) -> String {
    format!("{text:?} cannot name {what}: it takes {rule}, such as {example}")
}

/// Whether it is a label as Kubernetes and DNS know them.
fn is_label(text: &str) -> bool {
    let is_inner = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-';
    (1..=63).contains(&text.len()) && text.chars().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// `Database` for `database-operator`.
fn kind_of(project: &str) -> String {
    let stem = ["-operator", "-controller"].iter().find_map(|ending| project.strip_suffix(ending));
    let words = stem.unwrap_or(project).split('-');
    words
        .flat_map(|word| {
            let (first, rest) = word.split_at(usize::from(!word.is_empty()));
            [first.to_ascii_uppercase(), rest.to_owned()]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_made_of_the_name_of_the_project() {
        for (project, expected) in [
            ("database-operator", "Database"),
            ("message-queue-controller", "MessageQueue"),
            ("operator", "Operator"),
            ("a1-b2", "A1B2"),
        ] {
            assert_eq!(Names::new(project, None, "example.com").unwrap().kind, expected);
        }
        let names = Names::new("x", Some("Proxy"), "example.com").unwrap();
        assert_eq!((names.kind.as_str(), names.plural.as_str()), ("Proxy", "proxies"));
        let refused = Names::new("deployment-operator", None, "example.com").unwrap_err();
        assert!(refused.contains("--kind"), "{refused}");
    }

    #[test]
    fn what_rust_cargo_or_kubernetes_refuses_is_refused_with_the_rule() {
        let long = "a".repeat(57);
        for (text, expected) in [
            ("", "lower-case letters"),
            ("Database", "lower-case letters"),
            ("my_operator", "single hyphens"),
            ("my--operator", "single hyphens"),
            ("1st", "a letter first"),
            ("-a", "a letter first"),
            ("a-", "single hyphens"),
            ("a/b", "such as database-operator"),
            (&long, "56 at most"),
            (&long.repeat(2), "56 at most"),
            ("tokio", "try tokio-operator"),
            ("test", "try test-operator"),
            ("loop", "try loop-operator"),
            ("while", "try while-operator"),
            ("yes", "try yes-operator"),
        ] {
            let refused = project(text).unwrap_err();
            assert!(refused.contains(expected), "{text:?}: {refused}");
        }
        for text in ["a", "database-operator", "a1", &"a".repeat(56)] {
            assert_eq!(project(text).as_deref(), Ok(text));
        }
        for (text, expected) in [
            ("database", "an upper-case letter first"),
            ("My-Kind", "letters and digits"),
            ("", "such as Database"),
            ("Ünit", "letters and digits"),
            ("No", "not a name to YAML"),
            ("Option", "the name of something else"),
            ("Deployment", "the name of something else"),
            ("Pod", "the name of something else"),
            ("World", "the name of something else"),
        ] {
            let refused = kind(text).unwrap_err();
            assert!(refused.contains(expected), "{text:?}: {refused}");
        }
        for text in ["Database", "Website", "X", "HTTPProxy2"] {
            assert_eq!(kind(text).as_deref(), Ok(text));
        }
        for (text, expected) in [
            ("example", "a domain"),
            ("Example.com", "in lower case"),
            ("a..b", "a domain"),
            ("1.5", "a domain"),
            ("apps.k8s.io", "a domain of your own"),
            ("k8s.io", "a domain of your own"),
        ] {
            let refused = group(text).unwrap_err();
            assert!(refused.contains(expected), "{text:?}: {refused}");
        }
        assert!(group("db.example.com").is_ok() && group("notk8s.io").is_ok());
    }
}
