//! `conformance`: asks a server for the behaviours of Kubernetes and prints which hold. Called by `cargo xtask conformance`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use pintle::config::{KubeConfigOptions, Kubeconfig};
use pintle::testing::ServerExt;
use pintle::{Client, Config};
use pintle_suite::{Behaviour, Verdict};

/// Ask a server for the behaviours of Kubernetes.
///
/// Without an option the embedded server is asked. A cluster is touched only in namespaces and API groups made for this,
/// which are removed afterwards.
#[derive(Parser)]
#[command(name = "cargo xtask conformance", bin_name = "cargo xtask conformance")]
struct Arguments {
    /// Ask the cluster of this kubeconfig.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Ask only for behaviours whose `theme::name` holds this text.
    #[arg(value_name = "TEXT", default_value = "")]
    filter: String,
    /// Ask for the behaviours of controllers instead: those of kube-controller-manager, or the small ones of the embedded server.
    #[arg(long)]
    controllers: bool,
    /// Print the behaviours and the facts they show, and ask no server.
    #[arg(long)]
    list: bool,
    /// How many to ask for at a time.
    #[arg(long, value_name = "N", default_value_t = 16)]
    at_once: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let all = if arguments.controllers { pintle_suite::of_controllers() } else { pintle_suite::all() };
    let chosen: Vec<Behaviour> =
        all.into_iter().filter(|behaviour| behaviour.path().contains(&arguments.filter)).collect();
    if arguments.list {
        if arguments.controllers {
            list_controllers(&chosen);
        } else {
            list(&chosen);
        }
        return ExitCode::SUCCESS;
    }
    let client = match client(&arguments).await {
        Ok(client) => client,
        Err(problem) => {
            complain(&problem);
            return ExitCode::from(2);
        }
    };
    // A behaviour that does not hold is printed by the verdict.
    std::panic::set_hook(Box::new(|_| {}));
    let verdicts = pintle_suite::run(&client, chosen, arguments.at_once, pintle_suite::LIMIT, print).await;
    if !arguments.controllers {
        print_gaps();
    }
    // Once more, because of a long log one reads the end.
    let failed: Vec<&Verdict> = verdicts.iter().filter(|verdict| verdict.failure.is_some()).collect();
    failed.iter().for_each(|verdict| print(verdict));
    say(&format!("{} behaviours, {} hold, {} do not", verdicts.len(), verdicts.len() - failed.len(), failed.len()));
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn client(arguments: &Arguments) -> Result<Client, String> {
    let Some(path) = &arguments.kubeconfig else {
        let server = if arguments.controllers {
            pintle_suite::embedded_with_controllers().await
        } else {
            pintle_suite::embedded().await
        };
        return Ok(server?.client());
    };
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = Kubeconfig::read_from(path).map_err(|error| named(&error))?;
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await;
    let mut config = config.map_err(|error| named(&error))?;
    // Answers are looked at as the server sent them.
    config.disable_compression = true;
    Client::try_from(config).map_err(|error| named(&error))
}

fn print(verdict: &Verdict) {
    match &verdict.failure {
        None => say(&format!("holds  {}", verdict.behaviour.path())),
        Some(failure) => say(&format!("FAILS  {} ({}): {failure}", verdict.behaviour.path(), verdict.behaviour.fact)),
    }
}

fn list(behaviours: &[Behaviour]) {
    let mut by_fact: BTreeMap<Vec<u32>, Vec<&Behaviour>> = BTreeMap::new();
    for behaviour in behaviours {
        let fact = behaviour.fact.split('.').filter_map(|part| part.parse().ok()).collect();
        by_fact.entry(fact).or_default().push(behaviour);
    }
    for behaviours in by_fact.values() {
        say(behaviours[0].fact);
        for behaviour in behaviours {
            say(&format!("  {}", behaviour.path()));
        }
    }
    say(&format!("{} behaviours of {} sections", behaviours.len(), by_fact.len()));
    print_gaps();
}

fn list_controllers(behaviours: &[Behaviour]) {
    for behaviour in behaviours {
        say(&format!("{}: {}", behaviour.fact, behaviour.path()));
    }
    say(&format!("{} behaviours of controllers", behaviours.len()));
}

/// Says which sections were not tried, whatever was chosen.
fn print_gaps() {
    for gap in pintle_suite::gaps() {
        say(&format!("{} has no behaviour: {}", gap.section, gap.why.unwrap_or("without a reason")));
    }
}

#[expect(clippy::print_stdout, reason = "the one place where results are printed")]
fn say(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "the one place where problems are printed")]
fn complain(text: &str) {
    eprintln!("conformance: {text}");
}
