//! Versions: `semver("1.2.3").isLessThan(semver("2.0.0"))`, as semver.org orders them.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::functions::Library;
use crate::value::{Evaluated, EvaluationError, Kubernetes, Value, fail};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        string_to_semver: semver(string) -> Semver
        string_bool_to_semver: semver(string, bool) -> Semver
        is_semver_string: isSemver(string) -> bool
        is_semver_string_bool: isSemver(string, bool) -> bool
        semver_is_greater_than: Semver::isGreaterThan(Semver) -> bool
        semver_is_less_than: Semver::isLessThan(Semver) -> bool
        semver_compare_to: Semver::compareTo(Semver) -> int
        semver_major: Semver::major() -> int
        semver_minor: Semver::minor() -> int
        semver_patch: Semver::patch() -> int
    ",
    implementations: &[
        ("semver", |arguments| match read(arguments)? {
            Ok(version) => Ok(Value::Kubernetes(Kubernetes::Semver(Arc::new(version)))),
            Err(why) => fail(why),
        }),
        ("isSemver", |arguments| Ok(Value::Bool(read(arguments)?.is_ok()))),
        ("isGreaterThan", |arguments| compared(arguments, |order| Value::Bool(order.is_gt()))),
        ("isLessThan", |arguments| compared(arguments, |order| Value::Bool(order.is_lt()))),
        ("compareTo", |arguments| compared(arguments, |order| Value::Int(order as i64))),
        ("major", |arguments| number(version(&arguments[0])?.major)),
        ("minor", |arguments| number(version(&arguments[0])?.minor)),
        ("patch", |arguments| number(version(&arguments[0])?.patch)),
    ],
};

/// A version.
#[derive(Debug, Clone)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    prerelease: Vec<Identifier>,
    build: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    /// Comes before every text.
    Number(u64),
    Text(String),
}

fn version<'r>(value: &'r Value<'_>) -> Result<&'r Version, EvaluationError> {
    match value {
        Value::Kubernetes(Kubernetes::Semver(version)) => Ok(version),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

/// The outer error is one of the call, the inner one says why the text is no version.
fn read(arguments: &[Value<'_>]) -> Result<Result<Version, String>, EvaluationError> {
    match arguments {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => Ok(Version::parse(text)),
        [Value::String(text), Value::Bool(true)] => Ok(normalized(text).and_then(|text| Version::parse(&text))),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn compared<'v>(arguments: &[Value<'v>], result: fn(Ordering) -> Value<'v>) -> Evaluated<'v> {
    Ok(result(version(&arguments[0])?.compare(version(&arguments[1])?)))
}

fn number<'v>(number: u64) -> Evaluated<'v> {
    Ok(Value::Int(number as i64))
}

/// Without a leading `v` and leading zeros, with all three numbers.
fn normalized(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err("short version cannot contain PreRelease/Build meta data".to_owned());
    }
    parts.resize(3, "0".to_owned());
    Ok(parts.join("."))
}

fn without_zeros(part: &str) -> String {
    if part.len() <= 1 {
        return part.to_owned();
    }
    let rest = part.trim_start_matches('0');
    if rest.starts_with(|first: char| first.is_ascii_digit()) { rest.to_owned() } else { format!("0{rest}") }
}

impl Version {
    fn parse(text: &str) -> Result<Version, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, rest] = parts[..] else { return Err("No Major.Minor.Patch elements found".to_owned()) };
        let (rest, build) = rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
        let (patch, prerelease) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
        let prerelease = prerelease.map_or(Ok(Vec::new()), |text| text.split('.').map(identifier).collect());
        let build = build.map_or(Ok(Vec::new()), |text| text.split('.').map(metadata).collect());
        Ok(Version {
            major: digits("major", "Major", major)?,
            minor: digits("minor", "Minor", minor)?,
            patch: digits("patch", "Patch", patch)?,
            prerelease: prerelease?,
            build: build?,
        })
    }

    /// Which comes first; what follows a `+` does not count.
    pub(crate) fn compare(&self, other: &Version) -> Ordering {
        let numbers = |version: &Version| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| match (&self.prerelease[..], &other.prerelease[..]) {
            ([], []) => Ordering::Equal,
            ([], _) => Ordering::Greater,
            (_, []) => Ordering::Less,
            (one, other) => one.cmp(other),
        })
    }
}

fn digits(name: &str, title: &str, text: &str) -> Result<u64, String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("Invalid character(s) found in {name} number {text:?}"));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{title} number must not contain leading zeroes {text:?}"));
    }
    text.parse().map_err(|_| match text {
        "" => "strconv.ParseUint: parsing \"\": invalid syntax".to_owned(),
        text => format!("strconv.ParseUint: parsing {text:?}: value out of range"),
    })
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {text:?}"));
        }
        let out_of_range = |_| format!("strconv.ParseUint: parsing {text:?}: value out of range");
        return text.parse().map(Identifier::Number).map_err(out_of_range);
    }
    if !is_identifier(text) {
        return Err(format!("Invalid character(s) found in prerelease {text:?}"));
    }
    Ok(Identifier::Text(text.to_owned()))
}

fn metadata(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("Build meta data is empty".to_owned());
    }
    if !is_identifier(text) {
        return Err(format!("Invalid character(s) found in build meta data {text:?}"));
    }
    Ok(text.to_owned())
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (place, part) in self.prerelease.iter().enumerate() {
            f.write_str(if place == 0 { "-" } else { "." })?;
            match part {
                Identifier::Number(number) => write!(f, "{number}")?,
                Identifier::Text(text) => f.write_str(text)?,
            }
        }
        for (place, part) in self.build.iter().enumerate() {
            f.write_str(if place == 0 { "+" } else { "." })?;
            f.write_str(part)?;
        }
        Ok(())
    }
}
