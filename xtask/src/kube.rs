//! `cargo xtask kube`: the real kube-apiserver of `conformance/kube`, built once and run.
//!
//! In: the Go module. Out: two programs in `target/kube`, outside the tracked files. Building is Go's own business:
//! it knows what is up to date. What is checked against it is in [`mod@test`].

mod control;
mod foreign;
mod kubectl;
mod stories;
mod test;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use pintle_real::Options;
pub(crate) use pintle_real::folder;
pub(crate) use test::test;

/// The version the module is pinned to, written into what it builds: clients parse it.
const VERSION: &str = "v1.37.1";

/// What is wrong, and what to do.
pub(crate) type Problem = String;

/// The programs that are built: their names and their packages.
const PROGRAMS: [(&str, &str); 4] =
    [("kube", "."), ("kubectl", "./cmd/kubectl"), ("streams", "./cmd/streams"), ("kubelet", "./cmd/kubelet")];

/// How the server is run.
#[derive(clap::Args)]
pub(crate) struct RunOptions {
    /// Where to write the kubeconfig.
    #[arg(long, value_name = "FILE")]
    kubeconfig: PathBuf,
    /// Run the garbage collector, namespace, service-account, root-CA, role-aggregation, volume-protection and quota controllers too.
    #[arg(long)]
    controllers: bool,
    /// Run without a watch cache.
    #[arg(long)]
    no_watch_cache: bool,
    /// Serve the versions too that a default server leaves off.
    #[arg(long)]
    every_version: bool,
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
    let program = pintle_real::program()?;
    let how = Options {
        controllers: options.controllers,
        watch_cache: !options.no_watch_cache,
        every_version: options.every_version,
    };
    pintle_real::command(&program, &options.kubeconfig, how)
        .stderr(log("run")?)
        .status()
        .map_err(|error| format!("cannot run {}: {error}", program.display()))
}

/// Has the server write what is known of its types and kinds.
pub(crate) fn write_facts(file: &Path) -> Result<(), Problem> {
    let program = pintle_real::program()?;
    let status = Command::new(&program)
        .stderr(log("facts")?)
        .stdin(Stdio::null())
        .arg("-facts")
        .arg(file)
        .status()
        .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if status.success() { Ok(()) } else { Err(format!("it ended with {status}; see {}", log_file("facts").display())) }
}

/// The folder where Go keeps a module that ours depends on.
pub(crate) fn go_environment(dependency: &str) -> Result<String, Problem> {
    let output = Command::new("go")
        .current_dir(module()?)
        .args(["list", "-m", "-f", "{{.Dir}}", dependency])
        .output()
        .map_err(no_go)?;
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && !folder.is_empty() {
        return Ok(folder);
    }
    Err(format!("Go does not know where {dependency} is: {}", String::from_utf8_lossy(&output.stderr)))
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
        .map_err(no_go)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands on")]
fn no_go(error: std::io::Error) -> Problem {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            "Go is not installed: install Go 1.26 or newer and put `go` on the PATH".to_owned()
        }
        _ => format!("cannot run go: {error}"),
    }
}

/// Its log is long and seldom read; it lies beside the program.
fn log(name: &str) -> Result<std::fs::File, Problem> {
    let file = log_file(name);
    std::fs::File::create(&file).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

fn log_file(name: &str) -> PathBuf {
    folder().join(format!("kube-{name}.log"))
}

fn module() -> Result<PathBuf, Problem> {
    let module = workspace().join("conformance/kube");
    if module.join("go.mod").exists() { Ok(module) } else { Err(format!("{} is not there", module.display())) }
}

/// This crate is built where its workspace is.
pub(crate) fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
