//! `cargo xtask kube test`: everything that is checked against the real Kubernetes, in stages.
//!
//! ```text
//!   STAGES ──chosen by words──► a few at once, each with servers of its own ──► stage │ what it says, line by line
//!                                                                           └──► failed: names, and what did not hold
//! ```
//! The stages are independent: one that fails stops no other, and one run reports all. Most of them wait (for watches to
//! end, for kinds to be established), so several wait together. What failed stages said last is repeated at the end: of a long
//! log the end is what one has.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use pintle_real::{Options, RealServer, Version};

use super::differences::{Differences, Outcomes};
use super::{Problem, go_environment};
use crate::programs::{Report, built, hear, program, succeed, tests};
use crate::{conformance, facts};

/// Something to check.
struct Stage {
    /// Stands before each of its lines.
    name: &'static str,
    /// What is true if it does not fail.
    claim: &'static str,
    on: On,
    check: fn(Version, Report<'_>) -> Result<(), Problem>,
}

/// Which Kubernetes a stage is about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum On {
    /// What our client relies on, so clusters of an older version must have it, too.
    EveryVersion,
    /// What the embedded server claims to be like.
    TheNewest,
    /// The same, where it is asked for by name: it takes long.
    TheNewestByName,
}

/// The longest first, so that none is begun when the others are done.
const STAGES: &[Stage] = &[
    Stage {
        name: "scripts",
        claim: "scripts are answered as their transcripts say",
        on: On::TheNewest,
        check: |_, report| check_scripts(report),
    },
    Stage { name: "stories", claim: "stories are true", on: On::EveryVersion, check: super::stories::run },
    Stage { name: "behaviours", claim: "behaviours hold", on: On::EveryVersion, check: conformance::check },
    Stage {
        name: "controllers",
        claim: "kube-controller-manager does what the small controllers are asked for",
        on: On::TheNewest,
        check: |_, report| conformance::check_controllers(report),
    },
    Stage {
        name: "kubectl",
        claim: "kubectl sees no difference between the servers",
        on: On::TheNewest,
        check: |_, report| super::kubectl::compare(report),
    },
    Stage {
        name: "odd",
        claim: "odd requests are refused as real Kubernetes refuses them",
        on: On::TheNewest,
        check: |_, report| send_odd_requests(report),
    },
    Stage {
        name: "cel",
        claim: "random rules in CEL mean what they mean to real Kubernetes",
        on: On::TheNewest,
        check: |_, report| compare_rules(report),
    },
    Stage {
        name: "regexp",
        claim: "patterns mean what they mean to Go",
        on: On::TheNewest,
        check: |_, report| compare_patterns(report),
    },
    Stage {
        name: "twin",
        claim: "our manifests are answered as real Kubernetes answers them",
        on: On::TheNewest,
        check: |_, report| compare_manifests(&["conformance/twin/manifests".into()], report),
    },
    Stage {
        name: "twin-projects",
        claim: "manifests of other projects are answered as real Kubernetes answers them",
        on: On::TheNewestByName,
        check: |_, report| compare_manifests(&sample_of_projects(), report),
    },
    Stage {
        name: "formats",
        claim: "JSON and protobuf of every kind become one another",
        on: On::EveryVersion,
        check: compare_formats,
    },
    Stage {
        name: "foreign",
        claim: "programs of others live on the embedded server",
        on: On::TheNewest,
        check: |_, report| super::foreign::live(report),
    },
    Stage {
        name: "helm",
        claim: "Helm installs, waits, tests, upgrades, rolls back and uninstalls on the small controllers",
        on: On::TheNewest,
        check: |_, report| super::helm::run(report),
    },
    Stage {
        name: "simulated",
        claim: "kubectl runs commands in simulated pods, attaches, and uses a certificate that it had approved",
        on: On::TheNewest,
        check: |_, report| super::simulated::run(report),
    },
    Stage {
        name: "clients",
        claim: "what users do with client-go, the Python client and kube is answered as real Kubernetes answers it",
        on: On::TheNewestByName,
        check: |_, report| super::clients::compare(report),
    },
    Stage {
        name: "envtest",
        claim: "controller-runtime's own tests pass on the assets for envtest",
        on: On::TheNewestByName,
        check: |_, report| super::envtest::run(report),
    },
    Stage {
        name: "e2e",
        claim: "Kubernetes' own end-to-end specs that a bare kube-apiserver passes pass",
        on: On::TheNewestByName,
        check: |_, report| super::e2e::run(report),
    },
    Stage {
        name: "golden",
        claim: "golden objects are known by the tables, and become JSON and protobuf",
        on: On::TheNewest,
        check: |_, report| golden(report),
    },
    Stage {
        name: "streams",
        claim: "client-go understands the server of our exec and log tests, and its like in Go passes them",
        on: On::TheNewest,
        check: |_, report| streams(report),
    },
    Stage {
        name: "scrape",
        claim: "Prometheus reads our metrics, and its linter has nothing to say",
        on: On::TheNewest,
        check: |_, report| scrape(report),
    },
    Stage {
        name: "failover",
        claim: "never two replicas write at once, though they are killed and stopped, with a leader and with shards",
        on: On::EveryVersion,
        check: fail_over,
    },
    Stage {
        name: "operator",
        claim: "the manifests of the example operator are enough for it, and its README's lines run it",
        on: On::TheNewest,
        check: operate,
    },
    Stage {
        name: "workspaces",
        claim: "tests with client-go and the Python client take a workspace each, and break it from outside",
        on: On::TheNewest,
        check: |_, report| super::workspaces::run(report),
    },
    Stage {
        name: "tables",
        claim: "the tables are not stale",
        on: On::TheNewest,
        check: |_, report| facts::run(true, report),
    },
];

/// More would wait for each other: the servers they start want two processors too.
const AT_ONCE: usize = 3;

/// Builds what is missing and runs every stage about `version` that one of `words` names, or all if there are none.
pub(crate) fn test(version: Version, words: &[String], report: fn(&str)) -> Result<(), Problem> {
    let stages = chosen(version, words)?;
    super::build(version, report)?;
    let (waiting, failed) = (Mutex::new(stages.iter()), Mutex::new(Vec::new()));
    // By a function, because a `while let` would hold the lock as long as the stage runs.
    let next = || lock(&waiting).next().copied();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(stage) = next() {
                    lock(&failed).extend(stage.run(version, report));
                }
            });
        }
    });
    let (failed, unsteady) =
        again_by_themselves(failed.into_inner().unwrap_or_else(PoisonError::into_inner), version, report);
    for failure in &failed {
        report(&format!("what {} said last:", failure.stage.name));
        failure.lines.iter().for_each(|line| report(line));
    }
    report(&format!("{} stages ran against Kubernetes {}, {} failed", stages.len(), version.release(), failed.len()));
    if !unsteady.is_empty() {
        report(&format!("!! UNSTEADY: failed beside others and held by themselves: {}", unsteady.join(", ")));
    }
    let named: Vec<_> = failed.iter().map(|failure| format!("{} ({})", failure.stage.name, failure.problem)).collect();
    if named.is_empty() { Ok(()) } else { Err(format!("failed: {}", named.join(", "))) }
}

/// Runs what failed once more, each by itself: beside two others and a build, a real server has been too slow for a stage that is right.
/// Returns what fails again, and the names of what then held. More than a few are no accident, and are not run again.
fn again_by_themselves(failed: Vec<Failure>, version: Version, report: fn(&str)) -> (Vec<Failure>, Vec<&'static str>) {
    if failed.len() > ACCIDENTS_MAX {
        return (failed, Vec::new());
    }
    let (mut again, mut unsteady) = (Vec::new(), Vec::new());
    for failure in failed {
        report(&format!("{} failed ({}); once more, by itself", failure.stage.name, failure.problem));
        match failure.stage.run(version, report) {
            Some(failure) => again.push(failure),
            None => unsteady.push(failure.stage.name),
        }
    }
    (again, unsteady)
}

/// Of twenty stages; one has failed by accident in a run of ten.
const ACCIDENTS_MAX: usize = 2;

/// A stage that did not hold.
struct Failure {
    stage: &'static Stage,
    problem: Problem,
    /// What it said last.
    lines: VecDeque<String>,
}

impl Stage {
    /// What is wrong, if it did not hold.
    fn run(&'static self, version: Version, report: fn(&str)) -> Option<Failure> {
        let lines = Mutex::new(VecDeque::new());
        let say = |line: &str| {
            let line = format!("{:>10} │ {line}", self.name);
            report(&line);
            remember(&mut lock(&lines), line);
        };
        let begun = Instant::now();
        say(&format!("== {}", self.claim));
        let done = (self.check)(version, &say);
        if let Err(problem) = &done {
            say(&format!("FAILED: {problem}"));
        }
        say(&format!("-- {} s", begun.elapsed().as_secs()));
        let lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.err().map(|problem| Failure { stage: self, problem, lines })
    }

    fn is_about(&self, version: Version) -> bool {
        self.on == On::EveryVersion || version == Version::default()
    }

    fn is_meant(&self, word: &str) -> bool {
        self.name.contains(word) || self.claim.contains(word)
    }
}

/// Keeps the last lines.
fn remember(lines: &mut VecDeque<String>, line: String) {
    lines.push_back(line);
    if lines.len() > LINES_REPEATED {
        lines.pop_front();
    }
}

/// The verdicts of a suite that says at its end what did not hold; more would be the log once more.
const LINES_REPEATED: usize = 40;

/// A stage that panicked has spoiled nothing that another one needs.
pub(crate) fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The stages about `version` that `words` mean. A word that means none is a mistake, not a way to run nothing.
fn chosen(version: Version, words: &[String]) -> Result<Vec<&'static Stage>, Problem> {
    let stages: Vec<_> = STAGES.iter().filter(|stage| stage.is_about(version)).collect();
    if let Some(unknown) = words.iter().find(|word| !stages.iter().any(|stage| stage.is_meant(word))) {
        let names: Vec<_> = stages.iter().map(|stage| stage.name).collect();
        return Err(format!("Kubernetes {version} has no stage called `{unknown}`; it has: {}", names.join(", ")));
    }
    let is_usual = |stage: &Stage| words.is_empty() && stage.on != On::TheNewestByName;
    let is_meant = |stage: &&Stage| is_usual(stage) || words.iter().any(|word| stage.is_meant(word));
    Ok(stages.into_iter().filter(is_meant).collect())
}

/// The objects that Kubernetes' own libraries are tested with, where Go has unpacked them.
fn golden(report: Report<'_>) -> Result<(), Problem> {
    let folders = ["k8s.io/api", "k8s.io/apiextensions-apiserver"].map(go_environment);
    let [api, definitions] = folders;
    let folders = format!("{}/testdata/HEAD:{}/pkg/apis/testdata/HEAD", api?, definitions?);
    succeed(tests("wire").args(["golden", "--ignored", "--nocapture"]).env("PINTLE_GOLDEN", folders), report)
}

/// Every collection of a server, in both formats. Of those only the different ones are named.
fn compare_formats(version: Version, report: Report<'_>) -> Result<(), Problem> {
    let differences = Differences::of(version, "formats")?;
    let server = RealServer::start("formats", Options { version, controllers: false, ..Options::default() })?;
    let which = ["--kubeconfig".into(), server.kubeconfig().into()];
    let outcomes = Mutex::new(Outcomes::default());
    let code = hear(&mut program("pintle-conformance", &["formats"], &which)?, &|line| {
        if let Some((path, _)) = line.split_once(": ").filter(|(path, _)| path.starts_with('/')) {
            lock(&outcomes).note(path, false);
        }
        report(line);
    })?;
    let outcomes = lock(&outcomes);
    match code {
        0 => differences.judge(&outcomes, report),
        1 if outcomes.has_failed() => differences.judge(&outcomes, report),
        _ => Err("its own words are above".to_owned()),
    }
}

/// Replicas as processes that are killed, stopped and continued; `PINTLE_FAILOVER=long` does it a hundred times.
fn fail_over(version: Version, report: Report<'_>) -> Result<(), Problem> {
    let server = RealServer::start("failover", Options { version, ..Options::default() })?;
    let mut command = tests("failover");
    let is_long = std::env::var("PINTLE_FAILOVER").is_ok_and(|how| how == "long");
    let which: &[&str] = if is_long { &["--ignored", "--nocapture"] } else { &["--nocapture"] };
    succeed(command.args(which).env("PINTLE_FAILOVER_KUBECONFIG", server.kubeconfig()), report)
}

/// The operator of `examples/deploy` with the roles there alone, and on `pintle dev`.
fn operate(_: Version, report: Report<'_>) -> Result<(), Problem> {
    let server = RealServer::start("operator", Options::default())?;
    let which = ["the_manifests_are_enough", "the_lines_of_the_readme", "--ignored", "--nocapture"];
    let mut command = tests("examples");
    let command = command.args(which).env("PINTLE_EXAMPLES_KUBECONFIG", server.kubeconfig());
    succeed(command.env("PINTLE_CLI", built("pintle")?), report)
}

/// The kubelet-like server of the client's tests, asked by client-go; and the client, asking Kubernetes' own code what it
/// asks that server.
fn streams(report: Report<'_>) -> Result<(), Problem> {
    let which = ["satisfies_client_go", "--ignored", "--nocapture"];
    succeed(tests("client").args(which).env("PINTLE_STREAMS", super::folder().join("streams")), report)?;
    succeed(tests("client").args(ON_BOTH).env("PINTLE_KUBELET", super::folder().join("kubelet")), report)
}

/// A manager's metrics, read by the parsers of Prometheus.
fn scrape(report: Report<'_>) -> Result<(), Problem> {
    let (program, source) = (super::folder().join("scrape"), super::workspace().join("conformance/scrape"));
    if !super::go(Version::default(), &source, &program, ".")?.success() {
        return Err("`go build` of the scraper failed; its own words are above".to_owned());
    }
    let which = ["prometheus_reads_both_formats", "--ignored", "--nocapture"];
    succeed(tests("stories").args(which).env("PINTLE_SCRAPE", program), report)
}

/// Tests of exec, attach and port-forward that hold with either server. The others are about its end, or its faults.
const ON_BOTH: [&str; 10] = [
    "processes::a_command_runs_and_reports_how_it_ended",
    "processes::a_command_that_fails_reports_its_code",
    "processes::input_is_carried_and_so_is_its_end",
    "processes::a_terminal_is_resized",
    "processes::joining_discards_output_that_was_not_taken",
    "processes::a_process_is_written_to_while_its_output_waits",
    "forwarding::ports_are_spoken_with_side_by_side",
    "forwarding::much_data_comes_back_whole_although_its_sender_is_done",
    "forwarding::a_port_where_no_process_listens_fails_alone",
    "forwarding::a_stream_outlives_its_forwarder_and_ends_with_the_pod",
];

/// A sample of the requests of `cargo xtask odd`, always the same.
fn send_odd_requests(report: Report<'_>) -> Result<(), Problem> {
    let sample = ["500", "--seed", "1637"].map(Into::into);
    ask_both("odd", &sample, "more than one of a hundred is answered otherwise; they are above", report)
}

/// A sample of the rules of `cargo xtask cel`, always the same.
fn compare_rules(report: Report<'_>) -> Result<(), Problem> {
    let sample = ["300", "--seed", "1637"].map(Into::into);
    ask_both("cel", &sample, "some rules mean something else; they are above", report)
}

/// A sample of the patterns of `cargo xtask regexp`, always the same; those of real definitions are left to it.
fn compare_patterns(report: Report<'_>) -> Result<(), Problem> {
    let sample = ["5000", "--seed", "1637", "--only-random"].map(Into::into);
    ask_both("regexp", &sample, "some patterns mean something else; they are above", report)
}

/// Some of the manifests of other projects, others at each commit.
fn sample_of_projects() -> [OsString; 4] {
    let head = Command::new("git").current_dir(super::workspace()).args(["rev-parse", "--short=8", "HEAD"]).output();
    let head = head.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let seed = u64::from_str_radix(&head, 16).unwrap_or_default().to_string();
    ["--sample", "40", "--seed", &seed].map(Into::into)
}

fn compare_manifests(which: &[OsString], report: Report<'_>) -> Result<(), Problem> {
    ask_both("twin", which, "what differs is above, by rule; conformance/twin/differences.txt lists what may", report)
}

/// Every script of `conformance/scripts`.
fn check_scripts(report: Report<'_>) -> Result<(), Problem> {
    let differ = "real Kubernetes answered otherwise than committed; the differences are above";
    ask_both("check", &[], differ, report)
}

/// Has `pintle-conformance` compare real Kubernetes with the embedded server, or with what was committed.
fn ask_both(command: &str, arguments: &[OsString], differ: &str, report: Report<'_>) -> Result<(), Problem> {
    match hear(&mut program("pintle-conformance", &[command], arguments)?, report)? {
        0 => Ok(()),
        1 => Err(differ.to_owned()),
        _ => Err("its own words are above".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_a_stage_are_remembered() {
        let mut lines = VecDeque::new();
        (0..=LINES_REPEATED).for_each(|number| remember(&mut lines, number.to_string()));
        assert_eq!(
            (lines.len(), lines.front(), lines.back()),
            (LINES_REPEATED, Some(&"1".to_owned()), Some(&"40".to_owned()))
        );
    }

    #[test]
    fn the_tests_that_run_on_both_servers_exist() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/client/tests/client");
        for name in ON_BOTH {
            let (module, test) = name.split_once("::").unwrap();
            let source = std::fs::read_to_string(folder.join(module).with_extension("rs")).unwrap();
            assert!(source.contains(&format!("async fn {test}()")), "{name} does not exist, so it does not run");
        }
    }
}
