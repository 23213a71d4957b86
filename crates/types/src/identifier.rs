//! Names of Rust for names of JSON: fields, types and variants.
//!
//! In: any text. Out: an identifier that a Rust programmer would have chosen, that is not a keyword, and that differs from
//! those already taken. The same texts in the same order give the same identifiers.

use std::collections::BTreeSet;

/// The name of a field or module: `clusterIPs` is `cluster_ips`, `type` is `type_` as in k8s-openapi.
pub(crate) fn snake(text: &str) -> String {
    let name = words(text).iter().map(|word| word.to_ascii_lowercase()).collect::<Vec<_>>().join("_");
    valid(if name.is_empty() { spelled(text, "_").to_ascii_lowercase() } else { name })
}

/// The name of a type or variant: `http-01` is `Http01`, `ClusterIP` is `ClusterIp`.
pub(crate) fn pascal(text: &str) -> String {
    let mut name = String::new();
    for word in words(text) {
        // `1.2` is not `12`.
        if name.ends_with(is_digit) && word.starts_with(is_digit) {
            name.push('_');
        }
        name.push_str(&capitalized(&word));
    }
    valid(if name.is_empty() { spelled(text, "") } else { name })
}

/// What serde's `rename_all = "camelCase"` makes of the name of a field.
pub(crate) fn camel_by_serde(field: &str) -> String {
    let mut name = String::new();
    let mut is_start = true;
    for letter in field.chars() {
        if letter == '_' {
            is_start = true;
        } else if is_start {
            name.push(letter.to_ascii_uppercase());
            is_start = false;
        } else {
            name.push(letter);
        }
    }
    let (first, rest) = name.split_at(name.len().min(1));
    first.to_ascii_lowercase() + rest
}

/// The name itself, or with the lowest number behind it that makes it new.
pub(crate) fn unique(name: String, separator: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}{separator}{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
    // There are more numbers than names.
    let free = free.unwrap_or(name);
    taken.insert(free.clone());
    free
}

/// Splits a name where its writer began a new word. Acronyms are one word, also in the plural: `podIPs` is `pod`, `IPs`.
fn words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut words = vec![String::new()];
    for (index, &letter) in letters.iter().enumerate() {
        if !letter.is_ascii_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = index.checked_sub(1).map(|before| letters[before]);
        if letter.is_ascii_uppercase() && before.is_some_and(|before| begins_word(before, &letters[index + 1..])) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a capital letter begins a word, between the letter before it and those after it.
fn begins_word(before: char, after: &[char]) -> bool {
    if before.is_ascii_lowercase() || before.is_ascii_digit() {
        return true;
    }
    let is_lowercase = |index: usize| after.get(index).is_some_and(char::is_ascii_lowercase);
    let is_plural = after.first() == Some(&'s') && !is_lowercase(1);
    before.is_ascii_uppercase() && is_lowercase(0) && !is_plural
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
}

/// A text without letters and digits in words.
fn spelled(text: &str, separator: &str) -> String {
    if text.is_empty() {
        return "Empty".to_owned();
    }
    let words: Vec<&str> = text.chars().map(symbol).collect();
    words.join(separator)
}

fn symbol(letter: char) -> &'static str {
    match letter {
        '!' => "Not",
        '=' => "Equal",
        '<' => "Less",
        '>' => "Greater",
        '~' => "Tilde",
        '*' => "Star",
        '+' => "Plus",
        '-' => "Minus",
        '/' => "Slash",
        '.' => "Dot",
        '_' => "Underscore",
        '$' => "Dollar",
        '%' => "Percent",
        '&' => "And",
        '|' => "Or",
        '^' => "Caret",
        '@' => "At",
        '#' => "Hash",
        ' ' => "Space",
        _ => "Other",
    }
}

fn valid(name: String) -> String {
    if KEYWORDS.contains(&name.as_str()) {
        format!("{name}_")
    } else if name.starts_with(is_digit) {
        format!("_{name}")
    } else {
        name
    }
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// Every word that is, or may become, a keyword; some cannot even be raw identifiers.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{camel_by_serde, pascal, snake, unique};

    #[test]
    fn fields_are_named_as_a_programmer_would() {
        for (name, expected) in [
            ("replicas", "replicas"),
            ("secretName", "secret_name"),
            ("clusterIP", "cluster_ip"),
            ("podIPs", "pod_ips"),
            ("externalURL", "external_url"),
            ("HTTPRoute", "http_route"),
            ("IPBlock", "ip_block"),
            ("caCRTs", "ca_crts"),
            ("x509Field", "x509_field"),
            ("type", "type_"),
            ("self", "self_"),
            ("gen", "gen_"),
            ("$ref", "ref_"),
            ("x-kubernetes-thing", "x_kubernetes_thing"),
            ("dotted.name/with slash", "dotted_name_with_slash"),
            ("1stField", "_1st_field"),
            ("_hidden", "hidden"),
            ("", "empty"),
            ("-", "minus"),
            ("größe", "gr_e"),
            ("名前", "other_other"),
        ] {
            assert_eq!(snake(name), expected, "{name}");
        }
    }

    #[test]
    fn variants_and_types_are_in_camel_case_whatever_the_value_is() {
        for (value, expected) in [
            ("ClusterIP", "ClusterIp"),
            ("http-01", "Http01"),
            ("HTTP", "Http"),
            ("1.2", "_1_2"),
            ("v1.2", "V1_2"),
            ("12", "_12"),
            ("Self", "Self_"),
            ("", "Empty"),
            ("=~", "EqualTilde"),
            ("!=", "NotEqual"),
            ("do_not_schedule", "DoNotSchedule"),
        ] {
            assert_eq!(pascal(value), expected, "{value}");
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let mut taken = BTreeSet::from(["get2".to_owned()]);
        let names: Vec<_> = (0..3).map(|_| unique("get".to_owned(), "", &mut taken)).collect();
        assert_eq!(names, ["get", "get3", "get4"]);
    }

    #[test]
    fn camel_case_is_what_serde_makes_of_a_field() {
        for (field, expected) in
            [("secret_name", "secretName"), ("type_", "type"), ("_1st_field", "1stField"), ("cluster_ip", "clusterIp")]
        {
            assert_eq!(camel_by_serde(field), expected);
        }
    }
}
