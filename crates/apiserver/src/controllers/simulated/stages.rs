//! What happens to a simulated pod, as data: a list of steps, in an annotation of the pod or in a file for many.
//!
//! ```yaml
//! - match: {namespace: default, labels: {app: database}, owner: StatefulSet}
//!   steps:
//!   - {after: 2s, ready: true}
//!   - {after: 1m, exit: 1, times: 2}
//! ```
//! In: YAML or JSON. Out: steps, or what is wrong with them and where. The first entry that matches a pod counts, and the
//! annotation `pintle.dev/stages` of a pod counts before them.

use std::collections::BTreeMap;
use std::fmt;

use jiff::SignedDuration;
use pintle_core::Duration;
use serde::Deserialize;
use serde_json::Value;

use super::controller_revisions::fnv;
use super::view::{annotation, label};
use crate::codec::object::Object;

/// What happens to simulated pods; see [`Builder::pod_stages`](crate::Builder::pod_stages).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stages {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(default, rename = "match")]
    selects: Match,
    steps: Vec<Step>,
}

/// Which pods are meant; what is not said is any.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Match {
    namespace: Option<String>,
    name: Option<String>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    /// The kind of its controller.
    owner: Option<String>,
}

/// One thing that happens to a pod, a time after what happened before.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    #[serde(default)]
    after: Option<Duration>,
    /// Its containers run, and are ready or not.
    ready: Option<bool>,
    /// Its containers end with this code, and are started again as its restart policy says.
    exit: Option<i32>,
    /// Its containers wait, for this reason, such as `ImagePullBackOff`.
    waiting: Option<String>,
    /// The pod fails as a whole, for this reason, such as `Evicted`.
    fail: Option<String>,
    /// The one container that is meant, instead of all.
    pub(super) container: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    /// In how many runs of the pod's containers it happens; in each unless given.
    pub(super) times: Option<u32>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Deed<'a> {
    Ready(bool),
    Exit(i32),
    Waiting(&'a str),
    Fail(&'a str),
}

impl Step {
    pub(super) fn after(&self) -> SignedDuration {
        let after = std::time::Duration::from(self.after.unwrap_or_else(|| std::time::Duration::ZERO.into()));
        SignedDuration::try_from(after).unwrap_or(SignedDuration::MAX)
    }

    pub(super) fn deed(&self) -> Deed<'_> {
        match (self.ready, self.exit, &self.waiting, &self.fail) {
            (_, Some(code), ..) => Deed::Exit(code),
            (_, _, Some(reason), _) => Deed::Waiting(reason),
            (.., Some(reason)) => Deed::Fail(reason),
            (ready, ..) => Deed::Ready(ready.unwrap_or(true)),
        }
    }

    fn ready(after: Option<Duration>) -> Step {
        Step { after, ready: Some(true), ..Step::default() }
    }

    fn exit(after: Option<Duration>, code: i32) -> Step {
        Step { after, exit: Some(code), ..Step::default() }
    }

    fn problem(&self) -> Option<&'static str> {
        let said = [self.ready.is_some(), self.exit.is_some(), self.waiting.is_some(), self.fail.is_some()];
        let said = said.into_iter().filter(|said| *said).count();
        (said != 1).then_some("a step says one of ready, exit, waiting and fail")
    }
}

/// The steps of one pod.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Steps {
    pub(super) steps: Vec<Step>,
    /// What names them, where somebody wrote them; the usual ones follow from the pod and have no name.
    pub(super) name: Option<String>,
}

impl Stages {
    /// Reads stages from YAML or JSON.
    ///
    /// ```
    /// use pintle_apiserver::Stages;
    ///
    /// let stages = Stages::parse("[{match: {labels: {app: db}}, steps: [{after: 5s, ready: true}]}]")?;
    /// assert!(Stages::parse("[{steps: [{after: 5s}]}]").is_err());
    /// # Ok::<_, pintle_apiserver::InvalidStages>(())
    /// ```
    pub fn parse(text: &str) -> Result<Stages, InvalidStages> {
        let rules: Vec<Rule> = serde_saphyr::from_str(text).map_err(|error| InvalidStages::new(&error))?;
        match rules.iter().flat_map(|rule| &rule.steps).find_map(Step::problem) {
            Some(problem) => Err(InvalidStages::new(&problem)),
            None => Ok(Stages { rules }),
        }
    }

    /// The steps of a pod.
    pub(super) fn of(&self, pod: &Object) -> Result<Steps, InvalidStages> {
        let own = annotation(pod, ANNOTATION);
        if !own.is_empty() {
            let steps: Vec<Step> = serde_saphyr::from_str(own).map_err(|error| InvalidStages::new(&error))?;
            if let Some(problem) = steps.iter().find_map(Step::problem) {
                return Err(InvalidStages::new(&problem));
            }
            return Ok(Steps { steps, name: Some(named(own)) });
        }
        match self.rules.iter().find(|rule| rule.selects.is(pod)) {
            Some(rule) => Ok(Steps { steps: rule.steps.clone(), name: Some(named(&format!("{:?}", rule.steps))) }),
            None => usual(pod),
        }
    }
}

/// What happens to a pod of which nobody says anything: it is ready, and is done where it is meant to be done.
fn usual(pod: &Object) -> Result<Steps, InvalidStages> {
    let mut steps = vec![Step::ready(duration(pod, READY_AFTER)?)];
    if pod.text_at("/spec/restartPolicy") != "Always" {
        let sleep = duration(pod, FINISH_AFTER)?.map_or_else(|| sleep_of(pod), Sleep::For);
        if let Sleep::For(time) = sleep {
            steps.push(Step::exit(Some(time), exit_code(pod)?));
        }
    }
    Ok(Steps { steps, name: None })
}

/// How long a command sleeps.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Sleep {
    For(Duration),
    Forever,
}

/// How long the commands of a pod's containers sleep, which is all of them that is understood: examples and tests keep a pod running by
/// `sleep 3600`.
fn sleep_of(pod: &Object) -> Sleep {
    let containers = pod.at("/spec/containers").and_then(Value::as_array).into_iter().flatten();
    let sleeps = containers.map(|container| {
        let words = ["command", "args"].into_iter().filter_map(|field| container[field].as_array()).flatten();
        let words = words.filter_map(Value::as_str).flat_map(|word| word.split([' ', '\t', '\n', ';', '&', '|']));
        sleep_in(words.filter(|word| !word.is_empty()))
    });
    let none = Sleep::For(std::time::Duration::ZERO.into());
    sleeps.fold(none, |longest, sleep| if sleep > longest { sleep } else { longest })
}

/// All that these words of a command sleep, one after the other.
fn sleep_in<'a>(words: impl Iterator<Item = &'a str>) -> Sleep {
    let mut words = words.peekable();
    let mut all = std::time::Duration::ZERO;
    while let Some(word) = words.next() {
        if word != "sleep" && !word.ends_with("/sleep") {
            continue;
        }
        while let Some(sleep) = words.peek().and_then(|word| sleep_time(word)) {
            match sleep {
                Sleep::Forever => return Sleep::Forever,
                Sleep::For(time) => all = all.saturating_add(time.into()),
            }
            words.next();
        }
    }
    Sleep::For(all.into())
}

/// A time as the command `sleep` reads it.
fn sleep_time(word: &str) -> Option<Sleep> {
    if word == "infinity" || word == "inf" {
        return Some(Sleep::Forever);
    }
    let (number, unit) = match word.char_indices().next_back()? {
        (at, 's') => (&word[..at], 1.0),
        (at, 'm') => (&word[..at], 60.0),
        (at, 'h') => (&word[..at], 3600.0),
        (at, 'd') => (&word[..at], 86400.0),
        _ => (word, 1.0),
    };
    let seconds = number.parse::<f64>().ok()? * unit;
    match std::time::Duration::try_from_secs_f64(seconds) {
        Ok(time) if time < LIFETIME_MAX => Some(Sleep::For(time.into())),
        _ => Some(Sleep::Forever),
    }
}

fn exit_code(pod: &Object) -> Result<i32, InvalidStages> {
    match annotation(pod, EXIT_CODE) {
        "" => Ok(0),
        text => text.parse().map_err(|error| InvalidStages::new(&format!("annotation {EXIT_CODE}: {text:?}: {error}"))),
    }
}

/// A time that an annotation says.
pub(super) fn duration(pod: &Object, name: &str) -> Result<Option<Duration>, InvalidStages> {
    match annotation(pod, name) {
        "" => Ok(None),
        text => {
            let read = text.parse().map(Some);
            read.map_err(|error| InvalidStages::new(&format!("annotation {name}: {text:?}: {error}")))
        }
    }
}

impl Match {
    fn is(&self, pod: &Object) -> bool {
        let owner = super::ownership::controller_of(pod).and_then(|owner| owner["kind"].as_str());
        self.namespace.as_deref().is_none_or(|namespace| pod.meta("namespace") == namespace)
            && self.name.as_deref().is_none_or(|name| pod.name() == name)
            && self.owner.as_deref().is_none_or(|kind| owner == Some(kind))
            && self.labels.iter().all(|(name, value)| label(pod, name) == value)
    }
}

fn named(text: &str) -> String {
    format!("{:08x}", fnv(text) & 0xffff_ffff)
}

/// What is not a list of stages, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidStages {
    why: String,
}

impl InvalidStages {
    fn new(why: &impl ToString) -> InvalidStages {
        InvalidStages { why: why.to_string() }
    }
}

impl fmt::Display for InvalidStages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid stages: {}", self.why)
    }
}

impl std::error::Error for InvalidStages {}

/// The steps of one pod.
pub(super) const ANNOTATION: &str = "pintle.dev/stages";
/// How long a pod takes to be ready.
const READY_AFTER: &str = "pintle.dev/ready-after";
/// How long a pod that ends by itself runs.
const FINISH_AFTER: &str = "pintle.dev/finish-after";
/// A century: as good as for ever, and far from what a date cannot hold.
const LIFETIME_MAX: std::time::Duration = std::time::Duration::from_secs(100 * 365 * 24 * 60 * 60);
/// With which code it ends.
const EXIT_CODE: &str = "pintle.dev/exit-code";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(annotations: &Value) -> Object {
        Object::from_value(json!({
            "metadata": {"name": "p", "namespace": "n", "labels": {"app": "db"}, "annotations": annotations},
            "spec": {"restartPolicy": "Always"},
        }))
        .unwrap()
    }

    #[test]
    fn the_annotation_counts_before_the_file_and_the_first_entry_of_that_before_others() {
        let file =
            "[{match: {labels: {app: web}}, steps: []}, {match: {labels: {app: db}}, steps: [{exit: 3}]}, {steps: []}]";
        let stages = Stages::parse(file).unwrap();
        let deeds = |pod: &Object| {
            let steps = stages.of(pod).unwrap().steps;
            steps.iter().map(|step| format!("{:?}", step.deed())).collect::<Vec<_>>()
        };
        assert_eq!(deeds(&pod(&json!({}))), ["Exit(3)"]);
        let own = json!({ANNOTATION: r#"[{"waiting": "ImagePullBackOff"}, {"after": "2s", "ready": true}]"#});
        assert_eq!(deeds(&pod(&own)), ["Waiting(\"ImagePullBackOff\")", "Ready(true)"]);
    }

    #[test]
    fn a_pod_that_completes_runs_as_long_as_its_commands_sleep() {
        let seconds = |containers: &Value| {
            let spec = json!({"restartPolicy": "Never", "containers": containers});
            let pod = Object::from_value(json!({"metadata": {"name": "p"}, "spec": spec})).unwrap();
            usual(&pod).unwrap().steps.get(1).map(|step| step.after().as_secs_f64())
        };
        for (command, expected) in [
            (json!([]), Some(0.0)),
            (json!(["sleep", "20"]), Some(20.0)),
            (json!(["/bin/sleep", "1.5m", "1"]), Some(91.0)),
            (json!(["sh", "-c", "echo a; sleep 2 && sleep 3s; echo b"]), Some(5.0)),
            (json!(["sh", "-c", "echo sleep; asleep 3"]), Some(0.0)),
            (json!(["sleep", "infinity"]), None),
            (json!(["sleep", "1e300"]), None),
        ] {
            assert_eq!(seconds(&json!([{"name": "a", "command": command}])), expected, "{command}");
        }
        let two = json!([{"name": "a", "command": ["sleep"], "args": ["7"]}, {"name": "b", "args": ["sleep", "3"]}]);
        assert_eq!(seconds(&two), Some(7.0), "the longest of them");
    }

    #[test]
    fn a_step_that_says_nothing_or_two_things_is_refused() {
        for bad in ["[{after: 2s}]", "[{ready: true, exit: 1}]", "[{ready: true, afterwards: 2s}]", "ready"] {
            let annotated = pod(&json!({ANNOTATION: bad}));
            assert!(Stages::default().of(&annotated).is_err(), "{bad}");
        }
        let why = Stages::default().of(&pod(&json!({READY_AFTER: "soon"}))).unwrap_err().to_string();
        assert!(why.contains("pintle.dev/ready-after") && why.contains("soon"), "{why}");
    }
}
