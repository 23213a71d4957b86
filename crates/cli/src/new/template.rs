//! `templates/operator` with other names in it. Pure.
//!
//! The template is an operator itself, called `database-operator`, of the kind `Database` in `example.com`: it reads as what
//! it becomes. These words are replaced in one pass, so that nothing that was put in is replaced again.

use super::names::Names;

/// The template for one project.
pub(super) struct Template {
    /// What is replaced, longer words before their beginnings.
    words: [(&'static str, String); 7],
}

/// Where each file goes. Cargo would take a `Cargo.toml` below our own for another package and leave it out of ours.
const FILES: [(&str, &str); 11] = [
    (".github/workflows/ci.yaml", include_str!("../../templates/operator/.github/workflows/ci.yaml")),
    (".gitignore", include_str!("../../templates/operator/gitignore")),
    ("Cargo.toml", include_str!("../../templates/operator/Cargo.toml.template")),
    ("Dockerfile", include_str!("../../templates/operator/Dockerfile")),
    ("README.md", include_str!("../../templates/operator/README.md")),
    ("deploy/crd.yaml", include_str!("../../templates/operator/deploy/crd.yaml")),
    ("deploy/operator.yaml", include_str!("../../templates/operator/deploy/operator.yaml")),
    (RBAC, include_str!("../../templates/operator/deploy/rbac.yaml")),
    ("src/lib.rs", include_str!("../../templates/operator/src/lib.rs")),
    ("src/main.rs", include_str!("../../templates/operator/src/main.rs")),
    ("tests/operator.rs", include_str!("../../templates/operator/tests/operator.rs")),
];

const RBAC: &str = "deploy/rbac.yaml";

impl Template {
    /// `dependency` says where Pintle comes from, as in `version = "1.0.0"`.
    pub(super) fn new(names: &Names, dependency: String) -> Self {
        let Names { project, kind, plural, group } = names;
        Self {
            words: [
                ("version = \"0.0.0\"", dependency),
                ("database-operator", project.clone()),
                ("database_operator", project.replace('-', "_")),
                ("databases", plural.clone()),
                ("database", kind.to_ascii_lowercase()),
                ("Database", kind.clone()),
                ("example.com", group.clone()),
            ],
        }
    }

    /// Every file by its path.
    pub(super) fn files(&self) -> Vec<(&'static str, String)> {
        let file = |(path, text): (&'static str, &str)| {
            let text = self.fill(text);
            (path, if path == RBAC { in_order_of_groups(&text) } else { text })
        };
        FILES.map(file).into()
    }

    fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            match self.words.iter().find(|(word, _)| rest.starts_with(word)) {
                Some((word, replacement)) => {
                    filled.push_str(replacement);
                    rest = &rest[word.len()..];
                }
                None => {
                    filled.push(next);
                    rest = &rest[next.len_utf8()..];
                }
            }
        }
        filled
    }
}

/// Whether the sources have another use for a kind's name or for the names made of it.
pub(super) fn uses(kind: &str) -> bool {
    let names = [kind.to_owned(), format!("{kind}Spec"), format!("{kind}Status")];
    let sources = FILES.iter().filter(|(path, _)| path.ends_with(".rs"));
    sources
        .flat_map(|(_, text)| text.split(|character: char| !character.is_alphanumeric() && character != '_'))
        .any(|word| !word.starts_with("Database") && names.iter().any(|name| name == word))
}

/// The rules of each role by group, as `role_for` prints them and the project's test expects them.
fn in_order_of_groups(text: &str) -> String {
    const RULE: &str = "- apiGroups:\n";
    let document = |text: &str| {
        let Some((head, rules)) = text.split_once(RULE) else { return text.to_owned() };
        let mut rules: Vec<_> = rules.split(RULE).collect();
        rules.sort_by_key(|rule| rule.lines().next());
        rules.iter().fold(head.to_owned(), |text, rule| text + RULE + rule)
    };
    text.split("---\n").map(document).collect::<Vec<_>>().join("---\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(kind: &str, group: &str) -> Vec<(&'static str, String)> {
        let names = Names::new("web-operator", Some(kind), group).unwrap();
        Template::new(&names, "path = \"/pintle\"".to_owned()).files()
    }

    fn file<'a>(files: &'a [(&str, String)], path: &str) -> &'a str {
        files.iter().find(|(known, _)| *known == path).map(|(_, text)| text.as_str()).unwrap()
    }

    #[test]
    fn no_word_of_the_template_stays() {
        for (path, text) in files("Website", "acme.io") {
            let text = text.to_ascii_lowercase();
            assert!(!["database", "example.com", "0.0.0\""].iter().any(|word| text.contains(word)), "{path}: {text}");
        }
    }

    #[test]
    fn what_was_put_in_is_not_replaced_again() {
        let files = files("Mydatabases", "example.com.example.com");
        let definition = file(&files, "deploy/crd.yaml");
        assert!(definition.contains("kind: Mydatabases\n") && definition.contains("group: example.com.example.com\n"));
    }

    #[test]
    fn roles_list_their_groups_in_order() {
        for group in ["acme.io", "zoo.io"] {
            let files = files("Website", group);
            let (roles, _) = file(&files, RBAC).split_once("---").unwrap();
            let groups: Vec<_> =
                roles.lines().filter(|line| line.starts_with("  - apps") || line.ends_with(".io")).collect();
            assert!(groups.is_sorted() && groups.len() > 2, "{groups:?}");
        }
    }
}
