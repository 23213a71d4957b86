//! A level and a version of it, as the labels of a namespace name them.
//!
//! In: labels. Out: one [`Policy`] for each of the three modes; and what is wrong with the labels, in kube-apiserver's words.

use std::fmt;

use super::PREFIX;
use crate::response::status::FieldError;

/// How strict, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Level {
    #[default]
    Privileged,
    Baseline,
    Restricted,
}

/// Of which Kubernetes: its minor version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Version {
    Minor(u32),
    #[default]
    Latest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Policy {
    pub(super) level: Level,
    pub(super) version: Version,
}

/// What is done about violations, in the order in which the labels are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Enforce,
    Audit,
    Warn,
}

/// The policies of a namespace.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Policies {
    pub(super) enforce: Policy,
    pub(super) audit: Policy,
    pub(super) warn: Policy,
}

impl Policies {
    /// What labels say. A level that does not exist is the strictest, a version that does not exist the latest.
    pub(super) fn of_labels<'a>(label: impl Fn(&str) -> Option<&'a str>) -> (Policies, Vec<FieldError>) {
        let (mut policies, mut errors) = (Policies::default(), Vec::new());
        for mode in [Mode::Enforce, Mode::Audit, Mode::Warn] {
            let policy = policies.of_mode(mode);
            let key = format!("{PREFIX}{}", mode.name());
            let wrong = |key: &str, found: &str, why: &str| {
                FieldError::invalid_text(&format!("metadata.labels[{key}]"), found, why)
            };
            if let Some(found) = label(&key) {
                let level = Level::parse(found);
                policy.level = level.unwrap_or(Level::Restricted);
                errors.extend(level.is_none().then(|| wrong(&key, found, LEVELS)));
            }
            let key = format!("{key}-version");
            if let Some(found) = label(&key) {
                let version = Version::parse(found);
                policy.version = version.unwrap_or_default();
                errors.extend(version.is_none().then(|| wrong(&key, found, VERSIONS)));
            }
        }
        (policies, errors)
    }

    fn of_mode(&mut self, mode: Mode) -> &mut Policy {
        match mode {
            Mode::Enforce => &mut self.enforce,
            Mode::Audit => &mut self.audit,
            Mode::Warn => &mut self.warn,
        }
    }
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Enforce => "enforce",
            Mode::Audit => "audit",
            Mode::Warn => "warn",
        }
    }
}

impl Level {
    fn parse(text: &str) -> Option<Level> {
        match text {
            "privileged" => Some(Level::Privileged),
            "baseline" => Some(Level::Baseline),
            "restricted" => Some(Level::Restricted),
            _ => None,
        }
    }
}

impl Version {
    fn parse(text: &str) -> Option<Version> {
        if text == "latest" {
            return Some(Version::Latest);
        }
        let minor = text.strip_prefix("v1.")?;
        let is_plain = minor == "0" || (!minor.starts_with('0') && minor.bytes().all(|byte| byte.is_ascii_digit()));
        minor.parse().ok().filter(|_| is_plain).map(Version::Minor)
    }

    /// Whether something that came with a minor version is part of it.
    pub(super) fn has(self, minor: u32) -> bool {
        self >= Version::Minor(minor)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Privileged => "privileged",
            Level::Baseline => "baseline",
            Level::Restricted => "restricted",
        };
        match self.version {
            Version::Latest => write!(f, "{level}:latest"),
            Version::Minor(minor) => write!(f, "{level}:v1.{minor}"),
        }
    }
}

const LEVELS: &str = "must be one of privileged, baseline, restricted";
const VERSIONS: &str = "must be \"latest\" or \"v1.x\"";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_a_level_and_a_version_for_each_mode() {
        let labels = [("enforce", "baseline"), ("enforce-version", "v1.20"), ("warn", "restricted"), ("audit", "no")];
        let find = |key: &str| {
            let key = key.strip_prefix(PREFIX)?;
            labels.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
        };
        let (policies, errors) = Policies::of_labels(find);
        assert_eq!(policies.enforce.to_string(), "baseline:v1.20");
        assert_eq!(policies.warn.to_string(), "restricted:latest");
        assert_eq!(policies.audit.to_string(), "restricted:latest", "an invalid level counts as the strictest");
        let errors: Vec<String> = errors.iter().map(FieldError::text).collect();
        let expected = "metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: \"no\": must be one of privileged, \
                        baseline, restricted";
        assert_eq!(errors, [expected]);
        assert!(Version::Latest.has(99) && Version::Minor(20).has(20) && !Version::Minor(20).has(21));
        assert_eq!(
            (Version::parse("v1.0"), Version::parse("v1.01"), Version::parse("v2.0")),
            (Some(Version::Minor(0)), None, None)
        );
    }
}
