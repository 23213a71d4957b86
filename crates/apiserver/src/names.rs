//! What an object may be called, per kind, with kube-apiserver's sentences; and names made from a generateName.
//!
//! In: a kind and a name. Out: nothing, or why the name is refused. Everything the lists do not name has to be a
//! DNS-1123 subdomain, as custom resources have to.

use crate::kinds::Kind;

/// Why this kind cannot have this name; `None` when it can.
pub(crate) fn refused(kind: &Kind, name: &str) -> Option<String> {
    match Rule::of(kind) {
        Rule::PathSegment => path_segment(name),
        Rule::Label => label(name),
        Rule::Label1035 => label_1035(name),
        Rule::Subdomain => subdomain(name),
    }
}

/// A name for a generateName: its beginning and five random characters.
pub(crate) fn generate(base: &str, random: &mut fastrand::Rng) -> String {
    let kept: String = base.chars().take(NAME_LENGTH_MAX - SUFFIX_LENGTH).collect();
    let suffix = (0..SUFFIX_LENGTH).map(|_| ALPHABET[random.usize(..ALPHABET.len())] as char);
    kept.chars().chain(suffix).collect()
}

/// How often a generated name may be taken before the client is told to try again.
pub(crate) const GENERATE_TRIES: usize = 8;

enum Rule {
    Subdomain,
    Label,
    Label1035,
    PathSegment,
}

impl Rule {
    fn of(kind: &Kind) -> Rule {
        match (kind.group.as_str(), kind.plural.as_str()) {
            ("rbac.authorization.k8s.io", _) | ("certificates.k8s.io", "clustertrustbundles") => Rule::PathSegment,
            ("", "namespaces") => Rule::Label,
            ("", "services") => Rule::Label1035,
            _ => Rule::Subdomain,
        }
    }
}

/// Why this is no DNS-1123 subdomain.
pub(crate) fn subdomain(name: &str) -> Option<String> {
    if name.len() > 253 {
        return Some("must be no more than 253 characters".to_owned());
    }
    let good = name.split('.').all(is_label);
    (!good).then(|| {
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start \
         and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            .to_owned()
    })
}

fn label(name: &str) -> Option<String> {
    if name.len() > NAME_LENGTH_MAX {
        return Some("must be no more than 63 characters".to_owned());
    }
    (!is_label(name)).then(|| {
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
         with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
         '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
            .to_owned()
    })
}

/// Why this is no DNS-1035 label.
pub(crate) fn label_1035(name: &str) -> Option<String> {
    if name.len() > NAME_LENGTH_MAX {
        return Some("must be no more than 63 characters".to_owned());
    }
    let good = is_label(name) && name.starts_with(|first: char| first.is_ascii_lowercase());
    (!good).then(|| {
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
         character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation \
         is '[a-z]([-a-z0-9]*[a-z0-9])?')"
            .to_owned()
    })
}

fn path_segment(name: &str) -> Option<String> {
    if name == "." || name == ".." {
        return Some(format!("may not be '{name}'"));
    }
    ["/", "%"].iter().find(|sign| name.contains(**sign)).map(|sign| format!("may not contain '{sign}'"))
}

fn is_label(part: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-')
}

/// A label's longest length; generated names keep to it for every kind.
const NAME_LENGTH_MAX: usize = 63;

/// Random characters of a generated name.
const SUFFIX_LENGTH: usize = 5;

/// No vowels and nothing that looks like one, so that no word appears by chance.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::built_in;

    fn is_refused(plural: &str, name: &str) -> bool {
        let group = if plural == "roles" { "rbac.authorization.k8s.io" } else { "" };
        refused(&built_in(group, "v1", plural).unwrap(), name).is_some()
    }

    #[test]
    fn each_kind_has_its_own_rule() {
        let table = [
            ("configmaps", "a.b-c.1", false),
            ("configmaps", "A", true),
            ("configmaps", "a..b", true),
            ("configmaps", "-a", true),
            ("namespaces", "a.b", true),
            ("namespaces", "1a", false),
            ("services", "1a", true),
            ("services", "a1", false),
            ("roles", "system:Any Thing", false),
            ("roles", "a/b", true),
            ("roles", "..", true),
        ];
        for (plural, name, expected) in table {
            assert_eq!(is_refused(plural, name), expected, "{plural} {name}");
        }
        assert!(is_refused("configmaps", &"a".repeat(254)));
    }

    #[test]
    fn a_generated_name_keeps_its_beginning_and_fits_a_label() {
        let mut random = fastrand::Rng::with_seed(1);
        let name = generate("pod-", &mut random);
        assert!(name.starts_with("pod-") && name.len() == 9, "{name}");
        assert_eq!(generate(&"a".repeat(80), &mut random).len(), 63);
    }
}
