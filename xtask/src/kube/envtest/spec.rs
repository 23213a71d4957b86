//! What came of a test: from Ginkgo's report of a suite, or from `go test -json` where the test is plain Go.
//!
//! In: their JSON. Out: a [`Spec`] for each test. A function of Go that runs a suite of Ginkgo is not a test, nor is one that
//! runs others: those count.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The tests in Ginkgo's report.
pub(in crate::kube) fn of_ginkgo(text: &str) -> Result<Vec<Spec>, serde_json::Error> {
    let suites: Vec<Suite> = serde_json::from_str(text)?;
    Ok(suites.into_iter().flat_map(|suite| suite.specs.unwrap_or_default()).filter(Spec::is_test).collect())
}

/// The tests of plain Go in a package, and all that it printed.
pub(in crate::kube) struct PlainTests {
    pub(in crate::kube) specs: Vec<Spec>,
    pub(in crate::kube) log: String,
}

/// Reads the lines of `go test -json`.
pub(in crate::kube) fn of_go(text: &str) -> PlainTests {
    let (mut log, mut printed, mut ended) = (String::new(), BTreeMap::<String, String>::new(), Vec::new());
    let mut suites = BTreeSet::new();
    for Event { action, test, output } in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        log.push_str(&output);
        let Some(test) = test else { continue };
        if output.starts_with("Running Suite: ") {
            suites.insert(test.clone());
        }
        // Lines like `=== RUN` are about the run, not about the test.
        if !output.starts_with("===") {
            printed.entry(test.clone()).or_default().push_str(&output);
        }
        match action.as_str() {
            "pass" => ended.push((test, State::Passed)),
            "fail" => ended.push((test, State::Failed)),
            "skip" => ended.push((test, State::NotRun)),
            _ => {}
        }
    }
    let names: Vec<String> = ended.iter().map(|(name, _)| name.clone()).collect();
    let runs_others = |name: &str| names.iter().any(|other| other.starts_with(&format!("{name}/")));
    let counted = ended.into_iter().filter(|(name, _)| !suites.contains(name) && !runs_others(name));
    let specs = counted.map(|(name, state)| Spec::plain(&name, state, printed.remove(&name).unwrap_or_default()));
    PlainTests { specs: specs.collect(), log }
}

/// A line of `go test -json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    test: Option<String>,
    #[serde(default)]
    output: String,
}

/// Ginkgo's report of a suite.
#[derive(Deserialize)]
struct Suite {
    #[serde(rename = "SpecReports")]
    specs: Option<Vec<Spec>>,
}

/// What came of a test.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::kube) struct Spec {
    container_hierarchy_texts: Option<Vec<String>>,
    leaf_node_type: String,
    leaf_node_text: String,
    pub(in crate::kube) state: State,
    #[serde(default)]
    failure: Failure,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Failure {
    #[serde(default)]
    message: String,
}

#[derive(Clone, Copy, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(in crate::kube) enum State {
    Passed,
    /// Pending tests and those that skip themselves.
    #[serde(alias = "pending", alias = "skipped")]
    NotRun,
    /// Failed, panicked, timed out, interrupted.
    #[serde(other)]
    Failed,
}

impl State {
    pub(in crate::kube) fn is_failure(self) -> bool {
        self == State::Failed
    }
}

impl Spec {
    /// What comes before and after a suite counts only where it fails: then no test ran.
    fn is_test(&self) -> bool {
        self.leaf_node_type == "It" || self.state.is_failure()
    }

    pub(in crate::kube) fn name(&self) -> String {
        let mut words = self.container_hierarchy_texts.clone().unwrap_or_default();
        words.push(if self.leaf_node_text.is_empty() {
            self.leaf_node_type.clone()
        } else {
            self.leaf_node_text.clone()
        });
        words.join(" ")
    }

    /// What it failed of, in short.
    pub(in crate::kube) fn first_line(&self) -> &str {
        self.failure.message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }

    /// A test that is plain Go.
    fn plain(name: &str, state: State, message: String) -> Spec {
        Spec {
            container_hierarchy_texts: None,
            leaf_node_type: "It".to_owned(),
            leaf_node_text: name.to_owned(),
            state,
            failure: Failure { message },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_ginkgo_is_read() {
        let text = r#"[{"SpecReports": [
            {"ContainerHierarchyTexts": null, "LeafNodeType": "BeforeSuite", "LeafNodeText": "", "State": "passed"},
            {"ContainerHierarchyTexts": ["A", "b"], "LeafNodeType": "It", "LeafNodeText": "c", "State": "panicked",
             "Failure": {"Message": "why"}},
            {"ContainerHierarchyTexts": ["A"], "LeafNodeType": "It", "LeafNodeText": "d", "State": "pending"}
        ]}, {"SpecReports": null}]"#;
        let specs = of_ginkgo(text).unwrap();
        assert_eq!(specs.iter().map(Spec::name).collect::<Vec<_>>(), ["A b c", "A d"]);
        assert_eq!(specs.iter().map(|spec| spec.state.is_failure()).collect::<Vec<_>>(), [true, false]);
        assert_eq!(specs[0].first_line(), "why");
    }

    #[test]
    fn tests_of_plain_go_are_read_and_those_that_run_others_are_not_counted_twice() {
        let text = r#"{"Action":"output","Test":"TestSuite","Output":"Running Suite: All - /somewhere\n"}
{"Action":"fail","Test":"TestSuite"}
{"Action":"output","Test":"TestA/one","Output":"=== RUN   TestA/one\n"}
{"Action":"output","Test":"TestA/one","Output":"    a_test.go:3: it broke\n"}
{"Action":"fail","Test":"TestA/one"}
{"Action":"pass","Test":"TestA/two"}
{"Action":"fail","Test":"TestA"}
{"Action":"skip","Test":"TestB"}
{"Action":"output","Output":"FAIL\n"}
{"Action":"fail"}"#;
        let plain = of_go(text);
        let seen: Vec<_> = plain.specs.iter().map(|spec| (spec.name(), spec.state.is_failure())).collect();
        assert_eq!(
            seen,
            [("TestA/one".to_owned(), true), ("TestA/two".to_owned(), false), ("TestB".to_owned(), false)]
        );
        assert_eq!(plain.specs[0].first_line(), "a_test.go:3: it broke");
        assert!(plain.log.ends_with("it broke\nFAIL\n"), "{}", plain.log);
    }
}
