//! controller-runtime's own tests that use envtest, on the assets that `pintle assets` lays out.
//!
//! ```text
//!   module of controller-runtime ──copied──► target/kube/controller-runtime ──go test, a package at a time──► a report for each
//!   pintle assets ──► target/kube/pintle-assets ──KUBEBUILDER_ASSETS──┘                  │ what failed
//!   real kube-apiserver, etcd, kubectl ──► target/kube/real-assets ──────────────────────┴► once more: fails there, too?
//! ```
//! What fails on both is not about the server. What fails on ours alone is listed with its reason in
//! `conformance/envtest/differences.txt`, or is a failure.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pintle_real::Version;
use serde::Deserialize;

use super::differences::{Differences, Outcomes};
use super::{Problem, folder, go, module, no_go, workspace};
use crate::programs::{Report, built, succeed};

/// Runs them all, and judges.
pub(super) fn run(report: Report<'_>) -> Result<(), Problem> {
    let source = writable_copy(report)?;
    let assets = folder().join("pintle-assets");
    succeed(Command::new(built("pintle")?).arg("assets").arg(&assets), report)?;
    let mut outcomes = Outcomes::default();
    for package in packages(&source)? {
        let specs = test(&source, &package, &assets)?;
        let failed = names_of(&specs, State::is_failure);
        report(&format!("{package}: {}", counts(&specs)));
        let excused = if failed.is_empty() { BTreeSet::new() } else { failing_on_real(&source, &package, report)? };
        for spec in specs.iter().filter(|spec| spec.state != State::NotRun) {
            let name = format!("{package}: {}", spec.name());
            if spec.state.is_failure() && excused.contains(&spec.name()) {
                report(&format!("fails with kube-apiserver, too: {name}"));
                continue;
            }
            if spec.state.is_failure() {
                report(&format!("FAILS {name}: {}", spec.failure.message.lines().next().unwrap_or_default()));
            }
            outcomes.note(&name, !spec.state.is_failure());
        }
    }
    Differences::read(&workspace().join("conformance/envtest/differences.txt"), "envtest")?.judge(&outcomes, report)
}

/// Those tests of a package that fail on the real kube-apiserver and etcd.
fn failing_on_real(source: &Path, package: &str, report: Report<'_>) -> Result<BTreeSet<String>, Problem> {
    let assets = folder().join("real-assets");
    std::fs::create_dir_all(&assets).map_err(|error| format!("cannot make {}: {error}", assets.display()))?;
    for name in ["kube-apiserver", "etcd", "kubectl"] {
        if !go(Version::default(), &module()?, &assets.join(name), &format!("./cmd/{name}"))?.success() {
            return Err(format!("`go build` of {name} failed; its own words are above"));
        }
    }
    let specs = test(source, package, &assets)?;
    report(&format!("{package} on the real kube-apiserver: {}", counts(&specs)));
    Ok(names_of(&specs, State::is_failure))
}

/// The module of controller-runtime where its tests can be built and run: Go's own copy of it cannot be written to.
fn writable_copy(report: Report<'_>) -> Result<PathBuf, Problem> {
    let output = Command::new("go")
        .current_dir(workspace().join("conformance/controller-runtime"))
        .args(["list", "-m", "-f", "{{.Dir}} {{.Version}}", "sigs.k8s.io/controller-runtime"])
        .output()
        .map_err(no_go)?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let Some((from, version)) = said.split_once(' ') else {
        return Err(format!("Go does not know where it has controller-runtime: {said}"));
    };
    let copy = folder().join(format!("controller-runtime-{version}"));
    if !copy.exists() {
        report(&format!("copying controller-runtime {version}"));
        succeed(Command::new("cp").arg("-r").args([from.as_ref(), copy.as_os_str()]), report)?;
        succeed(Command::new("chmod").args(["-R", "u+w"]).arg(&copy), report)?;
        // Go's copies of modules have no programs, and some tests run scripts.
        succeed(Command::new("find").arg(&copy).args(["-name", "*.sh", "-exec", "chmod", "u+x", "{}", "+"]), report)?;
    }
    Ok(copy)
}

/// The packages whose tests start a control plane, and envtest itself.
fn packages(source: &Path) -> Result<Vec<String>, Problem> {
    let output = Command::new("grep")
        .current_dir(source)
        .args(["-rlE", r"envtest\.|controlplane\.", "--include=*_test.go", "pkg"])
        .output()
        .map_err(|error| format!("cannot run grep: {error}"))?;
    let files = String::from_utf8_lossy(&output.stdout).into_owned();
    let folders = files.lines().filter_map(|file| Path::new(file).parent()).map(|folder| folder.display().to_string());
    let packages: BTreeSet<String> =
        folders.chain(["pkg/envtest".to_owned(), "pkg/internal/testing/controlplane".to_owned()]).collect();
    let is_meant = |package: &String| match std::env::var("PINTLE_ENVTEST") {
        Ok(word) => package.contains(&word),
        Err(_) => true,
    };
    Ok(packages.into_iter().filter(is_meant).collect())
}

/// Runs the tests of a package. A test that fails once is tried again: most wait for a second, which a busy machine takes for
/// less.
fn test(source: &Path, package: &str, assets: &Path) -> Result<Vec<Spec>, Problem> {
    let file = folder().join("envtest-report.json");
    drop(std::fs::remove_file(&file));
    let log_file = folder().join(format!("envtest-{}.log", package.replace('/', "-")));
    let log = std::fs::File::create(&log_file).map_err(|error| format!("{}: {error}", log_file.display()))?;
    let status = Command::new("go")
        .current_dir(source)
        .args(["test", "-count=1", "-timeout=20m", &format!("./{package}"), "-args", "-ginkgo.flake-attempts=3"])
        .arg(format!("-ginkgo.json-report={}", file.display()))
        .env("KUBEBUILDER_ASSETS", assets)
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(|error| error.to_string())?)
        .stderr(log)
        .status()
        .map_err(no_go)?;
    let text = std::fs::read_to_string(&file).map_err(|error| {
        format!("{package} ended with {status} and no report ({error}); see {}", log_file.display())
    })?;
    let suites: Vec<Suite> = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(suites.into_iter().flat_map(|suite| suite.specs.unwrap_or_default()).filter(Spec::is_test).collect())
}

fn names_of(specs: &[Spec], is_meant: fn(State) -> bool) -> BTreeSet<String> {
    specs.iter().filter(|spec| is_meant(spec.state)).map(Spec::name).collect()
}

fn counts(specs: &[Spec]) -> String {
    let count = |state| specs.iter().filter(|spec| spec.state == state).count();
    let failed = specs.iter().filter(|spec| spec.state.is_failure()).count();
    format!("{} pass, {failed} fail, {} are not run", count(State::Passed), count(State::NotRun))
}

/// Ginkgo's report of a suite.
#[derive(Deserialize)]
struct Suite {
    #[serde(rename = "SpecReports")]
    specs: Option<Vec<Spec>>,
}

/// What it says of a test.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Spec {
    container_hierarchy_texts: Option<Vec<String>>,
    leaf_node_type: String,
    leaf_node_text: String,
    state: State,
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
enum State {
    Passed,
    /// Pending tests and those that skip themselves.
    #[serde(alias = "pending", alias = "skipped")]
    NotRun,
    /// Failed, panicked, timed out, interrupted.
    #[serde(other)]
    Failed,
}

impl State {
    fn is_failure(self) -> bool {
        self == State::Failed
    }
}

impl Spec {
    /// What comes before and after a suite counts only where it fails: then no test ran.
    fn is_test(&self) -> bool {
        self.leaf_node_type == "It" || self.state.is_failure()
    }

    fn name(&self) -> String {
        let mut words = self.container_hierarchy_texts.clone().unwrap_or_default();
        words.push(if self.leaf_node_text.is_empty() {
            self.leaf_node_type.clone()
        } else {
            self.leaf_node_text.clone()
        });
        words.join(" ")
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
        let suites: Vec<Suite> = serde_json::from_str(text).unwrap();
        let specs: Vec<Spec> = suites.into_iter().flat_map(|suite| suite.specs.unwrap_or_default()).collect();
        let specs: Vec<Spec> = specs.into_iter().filter(Spec::is_test).collect();
        assert_eq!(specs.iter().map(Spec::name).collect::<Vec<_>>(), ["A b c", "A d"]);
        assert_eq!(counts(&specs), "0 pass, 1 fail, 1 are not run");
        assert_eq!(names_of(&specs, State::is_failure), BTreeSet::from(["A b c".to_owned()]));
    }
}
