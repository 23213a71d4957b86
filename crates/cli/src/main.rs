//! The `pintle` command.
//!
//! ```text
//!   pintle serve   the API server alone, on loopback
//!   pintle dev     the same, with a kind installed and a controller at work: a live view, or lines
//!   pintle new     an operator to start from
//!   pintle watch   objects as they change, and how the watch is doing
//!   pintle snapshot  the objects of a data directory or a running server as a file, and back
//!   pintle types   Rust types from CustomResourceDefinitions
//!   pintle assets  kube-apiserver, etcd and kubectl for envtest: this program under their names
//!   pintle completions, pintle man   what shells and man know of all this
//! ```
//!
//! Exit codes: 0 for a clean end (Ctrl-C included), 1 for a failure, 2 for a command line that was not understood.

mod args;
mod assets;
mod dev;
mod failure;
mod generate_types;
mod kubeconfig;
mod log;
mod manual;
mod narrator;
mod new;
mod serve;
mod snapshot;
mod stop;
mod watch;

use std::process::ExitCode;

use args::{Args, Command};
use assets::Program;
use clap::Parser;
use dev::view::shared_model::SharedModel;
use failure::Failure;
use log::Requests;
use narrator::Narrator;

/// Objects are trees of small pieces, made and dropped with every write: a third less processor time than with glibc's, whose
/// place is worse still in a static build with musl. Without huge pages, which would be resident before they are used.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    if let Some(program) = words.next().and_then(|name| Program::called(&name)) {
        let narrator = Narrator::default();
        return end(program.run(words, &narrator), &narrator);
    }
    let args = Args::parse();
    let view = match &args.command {
        Command::Dev(args) => dev::wants_view(args).then(SharedModel::new),
        _ => None,
    };
    let narrator = Narrator::new(view.clone());
    let requests = match &args.command {
        Command::Serve(args) if args.verbose => Requests::Logged,
        _ => Requests::Unlogged,
    };
    end(log::start(view.as_ref(), requests).and_then(|()| run(args, view, &narrator)), &narrator)
}

fn end(result: Result<(), Failure>, narrator: &Narrator) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            narrator.fail(&failure);
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args, view: Option<SharedModel>, narrator: &Narrator) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new("cannot start the async runtime", error))?;
    runtime.block_on(async {
        match args.command {
            Command::Serve(args) => serve::run(args, narrator).await,
            Command::Dev(args) => dev::run(args, view, narrator).await,
            Command::New(args) => new::run(args, narrator),
            Command::Watch(args) => watch::run(args, narrator).await,
            Command::Types(args) => generate_types::run(*args, narrator).await,
            Command::Snapshot(args) => snapshot::run(args.command, narrator).await,
            Command::Completions(args) => {
                manual::completions(&args, narrator);
                Ok(())
            }
            Command::Man(args) => manual::pages(&args),
            Command::Assets(args) => assets::lay_out(&args, narrator),
        }
    })
}
