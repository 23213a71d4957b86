//! Fourteen programs, from the first get to a whole operator: `cargo run -p course 01_get_and_list`, or just its number.
//!
//! Each file is a whole program: copied to `src/main.rs` of a package with these dependencies, it runs (the ninth with
//! `backup.rs` and `crds/backup.json` beside it). Here they are
//! modules of one, because each binary would have all of Kubernetes' types in it once more. They talk to the cluster of
//! the current kubeconfig; `pintle serve` is one. Without a kubeconfig they run on a server of their own.

#[path = "08_apply_and_status.rs"]
mod apply_and_status;
#[path = "10_errors_and_backoff.rs"]
mod errors_and_backoff;
#[path = "07_finalizer.rs"]
mod finalizer;
#[path = "04_first_controller.rs"]
mod first_controller;
#[path = "01_get_and_list.rs"]
mod get_and_list;
#[path = "12_leader_election.rs"]
mod leader_election;
mod own_server;
#[path = "05_owns_and_watches.rs"]
mod owns_and_watches;
#[path = "06_references_by_index.rs"]
mod references_by_index;
#[path = "03_reflector.rs"]
mod reflector;
#[path = "11_testing_with_faults.rs"]
mod testing_with_faults;
#[path = "14_the_whole_operator.rs"]
mod the_whole_operator;
#[path = "09_third_party_kinds.rs"]
mod third_party_kinds;
#[path = "02_watch.rs"]
mod watch;
#[path = "13_webhooks.rs"]
mod webhooks;

type Program = fn() -> anyhow::Result<()>;

const PROGRAMS: [(&str, Program); 14] = [
    ("01_get_and_list", get_and_list::main),
    ("02_watch", watch::main),
    ("03_reflector", reflector::main),
    ("04_first_controller", first_controller::main),
    ("05_owns_and_watches", owns_and_watches::main),
    ("06_references_by_index", references_by_index::main),
    ("07_finalizer", finalizer::main),
    ("08_apply_and_status", apply_and_status::main),
    ("09_third_party_kinds", third_party_kinds::main),
    ("10_errors_and_backoff", errors_and_backoff::main),
    ("11_testing_with_faults", testing_with_faults::main),
    ("12_leader_election", leader_election::main),
    ("13_webhooks", webhooks::main),
    ("14_the_whole_operator", the_whole_operator::main),
];

fn main() -> anyhow::Result<()> {
    let asked = std::env::args().nth(1).unwrap_or_default();
    let is_asked =
        |name: &str| name == asked || (!asked.is_empty() && name.split('_').next() == Some(&format!("{asked:0>2}")));
    match PROGRAMS.iter().find(|(name, _)| is_asked(name)) {
        Some((name, _)) if own_server::is_needed() => {
            let ended = own_server::run(name)?;
            std::process::exit(ended.code().unwrap_or(1))
        }
        Some((_, program)) => program(),
        None => {
            let names: Vec<_> = PROGRAMS.iter().map(|(name, _)| format!("  cargo run -p course {name}")).collect();
            anyhow::bail!("{asked:?} is not a program of the course; these are:\n{}", names.join("\n"))
        }
    }
}
