//! What is typed, line by line; `conformance/kubectl/README.md` says what a line may be.

use std::fmt;
use std::path::Path;

use crate::kube::Problem;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Shown while it runs.
    Remark(String),
    /// The namespace of all that follows.
    Namespace(String),
    Command(Command),
    /// Ends what was left running, once it has printed this.
    Until(String),
}

/// What kubectl is called with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<String>,
    /// Only lines that name a field count.
    pub(super) is_about_fields: bool,
    /// What it prints comes from controllers, which take their time: it is typed again until both servers agree.
    pub(super) is_eventual: bool,
    /// It is left running.
    pub(super) is_left: bool,
}

impl Step {
    /// Whether it is typed again until both servers agree.
    pub(super) fn is_eventual(&self) -> bool {
        matches!(self, Self::Command(command) if command.is_eventual)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Remark(text) => write!(f, "# {text}"),
            Step::Namespace(name) => write!(f, "namespace {name}"),
            Step::Command(command) => write!(f, "kubectl {}", command.words.join(" ")),
            Step::Until(text) => write!(f, "until {text}"),
        }
    }
}

/// Reads a session.
pub(super) fn read(file: &Path) -> Result<Vec<Step>, Problem> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| parse(line).ok_or_else(|| format!("{}:{}: what is `{line}`?", file.display(), at + 1)))
        .collect()
}

fn parse(line: &str) -> Option<Step> {
    if let Some(text) = line.strip_prefix("# ") {
        return Some(Step::Remark(text.to_owned()));
    }
    if let Some(name) = line.strip_prefix("namespace ") {
        return Some(Step::Namespace(name.to_owned()));
    }
    if let Some(text) = line.strip_prefix("until ") {
        return Some(Step::Until(text.to_owned()));
    }
    let (line, is_about_fields) = without_prefix(line, "[fields] ");
    let (line, is_eventual) = without_prefix(line, "[eventually] ");
    let (line, is_left) = line.strip_suffix(" &").map_or((line, false), |line| (line, true));
    let words = line.strip_prefix("kubectl ")?.split_whitespace().map(str::to_owned).collect();
    Some(Step::Command(Command { words, is_about_fields, is_eventual, is_left }))
}

/// The rest of a line, and whether it began with `prefix`.
fn without_prefix<'a>(line: &'a str, prefix: &str) -> (&'a str, bool) {
    line.strip_prefix(prefix).map_or((line, false), |rest| (rest, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_remark_a_namespace_a_command_or_a_wait() {
        let command = |words: &[&str], is_about_fields, is_left| {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            Some(Step::Command(Command { words, is_about_fields, is_eventual: false, is_left }))
        };
        let eventual = parse("[eventually] kubectl get pods");
        assert!(matches!(eventual, Some(Step::Command(Command { is_eventual: true, .. }))), "{eventual:?}");
        assert_eq!(parse("# hello"), Some(Step::Remark("hello".to_owned())));
        assert_eq!(parse("namespace a"), Some(Step::Namespace("a".to_owned())));
        assert_eq!(parse("until x y"), Some(Step::Until("x y".to_owned())));
        assert_eq!(parse("kubectl get pods"), command(&["get", "pods"], false, false));
        assert_eq!(parse("kubectl get pods -w &"), command(&["get", "pods", "-w"], false, true));
        assert_eq!(parse("[fields] kubectl explain pod"), command(&["explain", "pod"], true, false));
        assert_eq!(parse("rm -rf"), None);
    }
}
