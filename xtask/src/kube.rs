//! `cargo xtask kube`: the real kube-apiserver of `conformance/kube`, built once and run.
//!
//! In: the Go module. Out: two programs in `target/kube`, outside the tracked files. Building is Go's own business:
//! it knows what is up to date.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

/// The version the module is pinned to, written into what it builds: clients parse it.
const VERSION: &str = "v1.37.1";

/// What is wrong, and what to do.
type Problem = String;

/// The programs that are built: their names and their packages.
const PROGRAMS: [(&str, &str); 2] = [("kube", "."), ("kubectl", "./cmd/kubectl")];

/// How the server is run.
#[derive(clap::Args)]
pub(crate) struct RunOptions {
    /// Where to write the kubeconfig.
    #[arg(long, value_name = "FILE")]
    kubeconfig: PathBuf,
    /// Run the garbage collector, namespace, service-account and root-CA controllers too.
    #[arg(long)]
    controllers: bool,
    /// Run without a watch cache.
    #[arg(long)]
    no_watch_cache: bool,
}

/// Builds the server and kubectl.
pub(crate) fn build(report: impl Fn(&str)) -> Result<(), Problem> {
    let module = module()?;
    let folder = folder();
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    for (name, package) in PROGRAMS {
        report(&format!("building {name} {VERSION} (several minutes the first time)"));
        let begun = Instant::now();
        let status = go(&module, &folder.join(name), package)?;
        if !status.success() {
            return Err(format!("`go build` of {name} failed ({status}); its own words are above"));
        }
        report(&format!("{} after {} s", folder.join(name).display(), begun.elapsed().as_secs()));
    }
    Ok(())
}

/// Runs the server until it ends; its standard input is ours, so commands can be typed.
pub(crate) fn run(options: &RunOptions) -> Result<ExitStatus, Problem> {
    let program = folder().join("kube");
    if !program.exists() {
        return Err("it is not built yet: run `cargo xtask kube build` first".to_owned());
    }
    // Its log is long and seldom read; whoever needs it finds it beside the program.
    let log = folder().join("kube.log");
    let log = std::fs::File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    Command::new(&program)
        .stderr(log)
        .arg("-kubeconfig")
        .arg(&options.kubeconfig)
        .arg(format!("-controllers={}", options.controllers))
        .arg(format!("-watch-cache={}", !options.no_watch_cache))
        .status()
        .map_err(|error| format!("cannot run {}: {error}", program.display()))
}

fn go(module: &Path, output: &Path, package: &str) -> Result<ExitStatus, Problem> {
    let (major, minor) = ("1", "37");
    let set = |name: &str, value: &str| format!("-X k8s.io/component-base/version.{name}={value}");
    let flags = [set("gitVersion", VERSION), set("gitMajor", major), set("gitMinor", minor)].join(" ");
    Command::new("go")
        .current_dir(module)
        .args(["build", "-ldflags", &flags, "-o"])
        .arg(output)
        .arg(package)
        .stdin(Stdio::null())
        .status()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                "Go is not installed: install Go 1.26 or newer and put `go` on the PATH".to_owned()
            }
            _ => format!("cannot run go: {error}"),
        })
}

fn module() -> Result<PathBuf, Problem> {
    let module = workspace().join("conformance/kube");
    if module.join("go.mod").exists() { Ok(module) } else { Err(format!("{} is not there", module.display())) }
}

fn folder() -> PathBuf {
    workspace().join("target/kube")
}

/// This crate is built where its workspace is.
fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
