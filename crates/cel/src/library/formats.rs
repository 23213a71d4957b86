//! Named formats: `format.dns1123Label().validate(name)`, in the words of Kubernetes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{time, url};
use crate::functions::Library;
use crate::value::{Evaluated, EvaluationError, Kubernetes, Value};

/// A format by its name.
#[derive(Debug)]
pub struct NamedFormat {
    pub(crate) name: &'static str,
    /// What the name is in `format.named()`.
    key: &'static str,
    validate: fn(&str) -> Vec<String>,
    /// The length of the pattern that it is, or costs as much as.
    pub(crate) pattern_length: u64,
}

macro_rules! declared {
    ($($key:literal, $name:literal, $length:literal, $validate:expr;)*) => {
        static FORMATS: &[NamedFormat] =
            &[$(NamedFormat { name: $name, key: $key, validate: $validate, pattern_length: $length }),*];

        pub(crate) const LIBRARY: Library = Library {
            declarations: concat!(
                "format-validate: Format::validate(string) -> optional(list(string))\n",
                "format-named: format.named(string) -> optional(Format)\n",
                $("format.", $key, ": format.", $key, "() -> Format\n"),*
            ),
            implementations: &[
                ("validate", validate),
                ("format.named", |arguments| match &arguments[0] {
                    Value::String(name) => {
                        let found = FORMATS.iter().find(|format| *format.key == **name);
                        let value = |format| Value::optional(Value::Kubernetes(Kubernetes::Format(format)));
                        Ok(found.map_or(Value::Optional(None), value))
                    }
                    _ => Err(EvaluationError::NoSuchOverload),
                }),
                $((concat!("format.", $key), |_| named($key))),*
            ],
        };
    };
}

declared! {
    "dns1123Label", "DNS1123Label", 30, dns_1123_label;
    "dns1123Subdomain", "DNS1123Subdomain", 60, dns_1123_subdomain;
    "dns1035Label", "DNS1035Label", 30, dns_1035_label;
    "qualifiedName", "QualifiedName", 60, qualified_name;
    "dns1123LabelPrefix", "DNS1123LabelPrefix", 30, |text| dns_1123_label(&without_dash(text));
    "dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, |text| dns_1123_subdomain(&without_dash(text));
    "dns1035LabelPrefix", "DNS1035LabelPrefix", 30, |text| dns_1035_label(&without_dash(text));
    "labelValue", "LabelValue", 40, label_value;
    "uri", "URI", 1103, |text| url::Url::parse(text).err().into_iter().collect();
    "uuid", "uuid", 70, |text| unless(is_uuid(text), "does not match the UUID format");
    "byte", "byte", 84, |text| unless(!text.is_empty() && STANDARD.decode(text).is_ok(), "invalid base64");
    "date", "date", 71, |text| unless(is_date(text), "invalid date");
    "datetime", "datetime", 71, |text| unless(time::parse_date_time(text).is_some(), "invalid datetime");
}

fn named<'v>(key: &str) -> Evaluated<'v> {
    let found = FORMATS.iter().find(|format| format.key == key).ok_or(EvaluationError::NoSuchOverload)?;
    Ok(Value::Kubernetes(Kubernetes::Format(found)))
}

fn validate<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (Value::Kubernetes(Kubernetes::Format(format)), Value::String(text)) = (&arguments[0], &arguments[1]) else {
        return Err(EvaluationError::NoSuchOverload);
    };
    let wrong = (format.validate)(text);
    if wrong.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::optional(Value::list(wrong.iter().map(|why| Value::string(why)).collect())))
}

fn unless(is_good: bool, why: &str) -> Vec<String> {
    if is_good { Vec::new() } else { vec![why.to_owned()] }
}

/// What is appended to a prefix ends well, so a dash at its end does no harm.
fn without_dash(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let kept = rest.char_indices().next_back().map_or(0, |(at, _)| at);
            format!("{}a", &rest[..kept])
        }
        _ => text.to_owned(),
    }
}

/// Whether a text is a DNS-1123 label.
pub(crate) fn is_label(text: &str) -> bool {
    text.len() <= 63 && is_label_part(text)
}

/// Whether a text is a DNS-1123 subdomain.
pub(crate) fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label_part)
}

fn is_label_part(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

fn checked(text: &str, length_max: usize, is_good: bool, why: impl FnOnce() -> String) -> Vec<String> {
    let too_long = (text.len() > length_max).then(|| format!("must be no more than {length_max} characters"));
    too_long.into_iter().chain((!is_good).then(why)).collect()
}

fn dns_1123_label(text: &str) -> Vec<String> {
    checked(text, 63, is_label_part(text), || match text.split('.').all(is_label_part) {
        true => "must not contain dots".to_owned(),
        false => {
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
                  and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
                  '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
                .to_owned()
        }
    })
}

fn dns_1123_subdomain(text: &str) -> Vec<String> {
    checked(text, 253, text.split('.').all(is_label_part), || {
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start \
         and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            .to_owned()
    })
}

fn dns_1035_label(text: &str) -> Vec<String> {
    let is_good = is_label_part(text) && text.starts_with(|first: char| first.is_ascii_lowercase());
    checked(text, 63, is_good, || {
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
         character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation \
         is '[a-z]([-a-z0-9]*[a-z0-9])?')"
            .to_owned()
    })
}

fn is_qualified_part(text: &str) -> bool {
    let is_edge = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes().all(inner) && is_edge(text.bytes().next()) && is_edge(text.bytes().last())
}

const QUALIFIED: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                         alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation \
                         is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

fn qualified_name(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_owned());
            } else {
                wrong.extend(dns_1123_subdomain(prefix).iter().map(|why| format!("prefix part {why}")));
            }
            name
        }
        _ => {
            let why = format!("a valid label key {QUALIFIED} with an optional DNS subdomain prefix and '/'");
            return vec![format!("{why} (e.g. 'example.com/MyName')")];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        wrong.push("name part must be no more than 63 characters".to_owned());
    }
    if !is_qualified_part(name) {
        wrong.push(format!("name part {QUALIFIED}"));
    }
    wrong
}

fn label_value(text: &str) -> Vec<String> {
    checked(text, 63, text.is_empty() || is_qualified_part(text), || {
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start \
         and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation \
         is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            .to_owned()
    })
}

/// With or without dashes between its groups.
fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (place, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if place > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some(group) = rest.get(..length).filter(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit())) else {
            return false;
        };
        rest = &rest[group.len()..];
    }
    rest.is_empty()
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}
