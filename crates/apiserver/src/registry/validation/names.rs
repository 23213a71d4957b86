//! What an object may be called, per kind, with kube-apiserver's sentences; and names made from a generateName.
//!
//! In: a kind and a name. Out: everything that is wrong with the name. The kind's strategy says which rule applies.

use std::net::IpAddr;

use super::ip_address;
use crate::catalog::kinds::Kind;

/// What the names of a kind's objects have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// DNS-1123 subdomains.
    Subdomain,
    /// DNS-1123 labels.
    Label,
    /// Whatever can stand in a path.
    PathSegment,
    /// Addresses.
    IpAddress,
}

/// Why this kind cannot have this name.
pub(crate) fn refused(kind: &Kind, name: &str) -> Vec<String> {
    match kind.strategy.name_rule() {
        NameRule::PathSegment => path_segment(name),
        NameRule::Label => label(name),
        NameRule::IpAddress => ip_address(name),
        NameRule::Subdomain => subdomain(name),
    }
}

fn ip_address(name: &str) -> Vec<String> {
    name.parse::<IpAddr>().err().map(|_| ip_address::REFUSED.to_owned()).into_iter().collect()
}

/// Why this kind cannot have names that begin so. What is appended ends well, so a dash at the end does no harm.
pub(crate) fn refused_base(kind: &Kind, base: &str) -> Vec<String> {
    match base.strip_suffix('-').filter(|rest| !rest.is_empty()) {
        Some(rest) if kind.strategy.name_rule() != NameRule::PathSegment => {
            let rest = &rest[..rest.char_indices().next_back().map_or(0, |(at, _)| at)];
            refused(kind, &format!("{rest}a"))
        }
        _ => refused(kind, base),
    }
}

/// A name for a generateName: its beginning and five random characters.
pub(crate) fn generate(base: &str, random: &mut fastrand::Rng) -> String {
    let kept: String = base.chars().take(NAME_LENGTH_MAX - SUFFIX_LENGTH).collect();
    let suffix = (0..SUFFIX_LENGTH).map(|_| ALPHABET[random.usize(..ALPHABET.len())] as char);
    kept.chars().chain(suffix).collect()
}

/// How often a generated name may be taken before the client is asked to try again.
pub(crate) const GENERATE_TRIES: usize = 8;

/// Why this is not a DNS-1123 subdomain.
pub(crate) fn subdomain(name: &str) -> Vec<String> {
    wrong(name, SUBDOMAIN_LENGTH_MAX, is_subdomain(name), || {
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start \
         and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
    })
}

/// Why this is not a DNS-1123 label.
pub(crate) fn label(name: &str) -> Vec<String> {
    wrong(name, NAME_LENGTH_MAX, is_label(name), || {
        if is_subdomain(name) {
            return NO_DOTS;
        }
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
         with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
         '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
    })
}

/// Why this is not a DNS-1035 label.
pub(crate) fn label_1035(name: &str) -> Vec<String> {
    let is_good = is_label(name) && name.starts_with(|first: char| first.is_ascii_lowercase());
    wrong(name, NAME_LENGTH_MAX, is_good, || {
        if name.contains('.') && is_subdomain(name) {
            return NO_DOTS;
        }
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
         character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation \
         is '[a-z]([-a-z0-9]*[a-z0-9])?')"
    })
}

/// Why this cannot be a part of a path.
pub(crate) fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    let signs = ["/", "%"].iter().filter(|sign| name.contains(**sign));
    signs.map(|sign| format!("may not contain '{sign}'")).collect()
}

/// Why this cannot be a key of a ConfigMap or Secret, each of which can become a file.
pub(crate) fn config_key(key: &str) -> Vec<String> {
    let is_good =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let mut wrong = wrong(key, SUBDOMAIN_LENGTH_MAX, is_good, || {
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  \
         or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
    });
    if key == "." || key.starts_with("..") {
        let why = if key.len() > 2 { "must not start with '..'".to_owned() } else { format!("must not be '{key}'") };
        wrong.push(why);
    }
    wrong
}

/// Why this cannot be the name of a port.
pub(crate) fn port_name(name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if name.len() > PORT_NAME_LENGTH_MAX {
        wrong.push(format!("must be no more than {PORT_NAME_LENGTH_MAX} characters"));
    }
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        wrong.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned());
    }
    if !name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        wrong.push("must contain at least one letter (a-z)".to_owned());
    }
    if name.contains("--") {
        wrong.push("must not contain consecutive hyphens".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        wrong.push("must not begin or end with a hyphen".to_owned());
    }
    wrong
}

/// A name that is too long, or breaks its rule, or both.
fn wrong(name: &str, length_max: usize, is_good: bool, rule: impl FnOnce() -> &'static str) -> Vec<String> {
    let mut wrong = Vec::new();
    if name.len() > length_max {
        wrong.push(format!("must be no more than {length_max} characters"));
    }
    if !is_good {
        wrong.push(rule().to_owned());
    }
    wrong
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(is_label)
}

fn is_label(part: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-')
}

/// What is said of a name that would be fine as a domain.
const NO_DOTS: &str = "must not contain dots";

/// A domain's longest length.
const SUBDOMAIN_LENGTH_MAX: usize = 253;

/// The longest name that services have at IANA.
const PORT_NAME_LENGTH_MAX: usize = 15;

/// A label's longest length; generated names keep to it for every kind.
const NAME_LENGTH_MAX: usize = 63;

/// Random characters of a generated name.
const SUFFIX_LENGTH: usize = 5;

/// No vowels and nothing that looks like one, so that no word appears by chance.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::kinds::built_in;

    fn is_refused(plural: &str, name: &str) -> bool {
        let group = match plural {
            "roles" => "rbac.authorization.k8s.io",
            "certificatesigningrequests" => "certificates.k8s.io",
            "statefulsets" => "apps",
            _ => "",
        };
        !refused(&built_in(group, "v1", plural).unwrap(), name).is_empty()
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
            ("services", "1a", false),
            ("services", "a.b", true),
            ("roles", "system:Any Thing", false),
            ("roles", "a/b", true),
            ("roles", "..", true),
            ("events", "Pod_A.17f", false),
            ("events", "a%b", true),
            ("certificatesigningrequests", "node:A", false),
            ("statefulsets", "a.b", true),
            ("statefulsets", "1a", false),
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
