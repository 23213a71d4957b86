//! The grammars of label keys and values, annotation keys and finalizers, with kube-apiserver's sentences.
//!
//! In: a text. Out: everything that is wrong with it, which may be more than one thing.

use crate::registry::validation::names;

/// What is wrong with a key such as `example.com/name`, whose prefix may be left out.
pub(crate) fn key(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut parts = text.split('/');
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(name), None, _) => name,
        (Some(prefix), Some(name), None) => {
            wrong.extend(prefix_errors(prefix));
            name
        }
        _ => {
            return vec![format!(
                "a qualified name {NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > NAME_BYTES_MAX {
        wrong.push(format!("name part must be no more than {NAME_BYTES_MAX} bytes"));
    }
    if !is_name(name) {
        wrong.push(format!("name part {NAME_RULE}"));
    }
    wrong
}

/// What is wrong with the value of a label.
pub(crate) fn label_value(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > NAME_BYTES_MAX {
        wrong.push(format!("must be no more than {NAME_BYTES_MAX} bytes"));
    }
    if !text.is_empty() && !is_name(text) {
        wrong.push(VALUE_RULE.to_owned());
    }
    wrong
}

fn prefix_errors(prefix: &str) -> Vec<String> {
    if prefix.is_empty() {
        return vec!["prefix part must be non-empty".to_owned()];
    }
    let wrong = names::subdomain(prefix).into_iter();
    // Of a key the bytes are counted, of a name the characters.
    wrong.map(|why| format!("prefix part {}", why.replace("253 characters", "253 bytes"))).collect()
}

fn is_name(text: &str) -> bool {
    let outer = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    outer(bytes.first())
        && outer(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// kube-apiserver's limit, a DNS label's.
const NAME_BYTES_MAX: usize = 63;

const NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                         alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation \
                         is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
                          and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or \
                          '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_name_with_or_without_a_domain() {
        for good in ["a", "A_b.C-1", "example.com/Name", "a.b/c"] {
            assert!(key(good).is_empty(), "{good}: {:?}", key(good));
        }
        for (bad, count) in [("", 2), ("a b", 1), ("/a", 1), ("a/", 2), ("A.B/c", 1), ("a/b/c", 1), ("-a", 1)] {
            assert_eq!(key(bad).len(), count, "{bad}: {:?}", key(bad));
        }
        assert_eq!(key(&"a".repeat(64)), ["name part must be no more than 63 bytes"]);
        assert_eq!(key(&format!("{}/x", "b".repeat(254))), ["prefix part must be no more than 253 bytes"]);
    }

    #[test]
    fn a_label_may_be_empty() {
        assert!(label_value("").is_empty());
        assert!(label_value("x_1.y").is_empty());
        assert_eq!(label_value("no spaces").len(), 1);
        assert_eq!(label_value(&"a".repeat(64)), ["must be no more than 63 bytes"]);
    }
}
