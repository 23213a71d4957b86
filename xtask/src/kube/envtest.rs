//! controller-runtime's own tests that use envtest, on the assets that `pintle assets` lays out.
//!
//! ```text
//!   module of controller-runtime ──copied──► target/kube/controller-runtime ──go test, a package at a time──► its Specs
//!   pintle assets ──► target/kube/pintle-assets ──KUBEBUILDER_ASSETS──┘                  │ what failed
//!   real kube-apiserver, etcd, kubectl ──► target/kube/real-assets ──────────────────────┴► once more: fails there, too?
//! ```
//! Tests are Ginkgo's and those that are plain Go; both are counted. What fails on both is not about the server. What fails on ours alone is listed with its reason in
//! `conformance/envtest/differences.txt`, or is a failure.

pub(super) mod spec;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pintle_real::Version;

use super::differences::{Differences, Outcomes};
use super::{Problem, folder, go, module, no_go, workspace};
use crate::programs::{Report, built, succeed};
use spec::{Spec, State};

/// Runs them all, and judges.
pub(super) fn run(report: Report<'_>) -> Result<(), Problem> {
    let source = writable_copy(report)?;
    let assets = folder().join("pintle-assets");
    succeed(Command::new(built("pintle")?).arg("assets").arg(&assets), report)?;
    let (mut outcomes, mut sums) = (Outcomes::default(), Sums::default());
    for package in packages(&source)? {
        let specs = test(&source, &package, &assets)?;
        sums.packages += 1;
        sums.not_run += specs.iter().filter(|spec| spec.state == State::NotRun).count();
        let failed = names_of(&specs, State::is_failure);
        report(&format!("{package}: {}", counts(&specs)));
        let excused = if failed.is_empty() { BTreeSet::new() } else { failing_on_real(&source, &package, report)? };
        for spec in specs.iter().filter(|spec| spec.state != State::NotRun) {
            let name = format!("{package}: {}", spec.name());
            if spec.state.is_failure() && excused.contains(&spec.name()) {
                report(&format!("fails with kube-apiserver, too: {name}: {}", spec.first_line()));
                sums.excused += 1;
                continue;
            }
            if spec.state.is_failure() {
                report(&format!("FAILS {name}: {}", spec.first_line()));
                sums.differ += 1;
            } else {
                sums.pass += 1;
            }
            outcomes.note(&name, !spec.state.is_failure());
        }
    }
    report(&sums.to_string());
    Differences::read(&workspace().join("conformance/envtest/differences.txt"), "envtest")?.judge(&outcomes, report)
}

/// What came of all packages.
#[derive(Default)]
struct Sums {
    packages: usize,
    pass: usize,
    differ: usize,
    excused: usize,
    not_run: usize,
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sums { packages, pass, differ, excused, not_run } = self;
        write!(
            f,
            "{packages} packages: {pass} pass, {differ} differ, {excused} fail with kube-apiserver, too, {not_run} \
             controller-runtime itself does not run"
        )
    }
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
    let module = workspace().join("conformance/controller-runtime");
    // Go says where a module is only if it is there.
    succeed(Command::new("go").current_dir(&module).args(["mod", "download"]), report)?;
    let output = Command::new("go")
        .current_dir(&module)
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
    let output = Command::new("go")
        .current_dir(source)
        .args(["test", "-json", "-count=1", "-timeout=20m", &format!("./{package}")])
        .args(["-args", "-ginkgo.flake-attempts=3"])
        .arg(format!("-ginkgo.json-report={}", file.display()))
        .env("KUBEBUILDER_ASSETS", assets)
        .stdin(Stdio::null())
        .output()
        .map_err(no_go)?;
    let plain = spec::of_go(&String::from_utf8_lossy(&output.stdout));
    let log_file = folder().join(format!("envtest-{}.log", package.replace('/', "-")));
    let log = [plain.log.as_bytes(), &output.stderr].concat();
    std::fs::write(&log_file, log).map_err(|error| format!("{}: {error}", log_file.display()))?;
    let of_ginkgo = match std::fs::read_to_string(&file) {
        Ok(text) => spec::of_ginkgo(&text).map_err(|error| format!("{}: {error}", file.display()))?,
        Err(_) => Vec::new(),
    };
    let specs: Vec<Spec> = of_ginkgo.into_iter().chain(plain.specs).collect();
    if specs.is_empty() || (!output.status.success() && !specs.iter().any(|spec| spec.state.is_failure())) {
        return Err(format!(
            "{package} ended with {} without saying which test; see {}",
            output.status,
            log_file.display()
        ));
    }
    Ok(specs)
}

fn names_of(specs: &[Spec], is_meant: fn(State) -> bool) -> BTreeSet<String> {
    specs.iter().filter(|spec| is_meant(spec.state)).map(Spec::name).collect()
}

fn counts(specs: &[Spec]) -> String {
    let count = |state| specs.iter().filter(|spec| spec.state == state).count();
    let failed = specs.iter().filter(|spec| spec.state.is_failure()).count();
    format!("{} pass, {failed} fail, {} are not run", count(State::Passed), count(State::NotRun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_say_what_passes_what_differs_and_what_is_not_about_the_server() {
        let sums = Sums { packages: 2, pass: 7, differ: 1, excused: 3, not_run: 4 };
        assert_eq!(
            sums.to_string(),
            "2 packages: 7 pass, 1 differ, 3 fail with kube-apiserver, too, 4 controller-runtime itself does not run"
        );
    }
}
