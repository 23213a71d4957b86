//! `cargo xtask kube`: the real kube-apiserver of `conformance/kube`, built once and run.
//!
//! In: the Go module, with a file of pinned dependencies for each version. Out: programs in `target/kube`, outside the tracked
//! files. Building is Go's own business: it knows what is up to date. What is checked against it is in [`mod@test`].

mod clients;
mod control;
pub(crate) mod differences;
mod e2e;
mod envtest;
mod foreign;
mod helm;
mod kubectl;
mod simulated;
mod stories;
mod test;
mod workspaces;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use pintle_real::{Options, Version};
pub(crate) use test::{lock, test};

/// What is wrong, and what to do.
pub(crate) type Problem = String;

/// The programs that are built: their names and their packages. Of an older version only the first is.
const PROGRAMS: [(&str, &str); 4] =
    [("kube", "."), ("kubectl", "./cmd/kubectl"), ("streams", "./cmd/streams"), ("kubelet", "./cmd/kubelet")];

/// How the server is run.
#[derive(clap::Args)]
pub(crate) struct RunOptions {
    /// Which Kubernetes.
    #[arg(long, default_value_t)]
    version: Version,
    /// Where to write the kubeconfig.
    #[arg(long, value_name = "FILE")]
    kubeconfig: PathBuf,
    /// Run the garbage collector, namespace, service-account, root-CA, role-aggregation, volume-protection, quota and policy-status controllers too.
    #[arg(long)]
    controllers: bool,
    /// Run the controllers of workloads, endpoints, volumes, token secrets and certificates besides.
    #[arg(long)]
    workloads: bool,
    /// Run without a watch cache.
    #[arg(long)]
    no_watch_cache: bool,
    /// Serve the versions too that a default server leaves off.
    #[arg(long)]
    every_version: bool,
}

/// Builds the server, and of the newest version kubectl and what else is tried with it.
pub(crate) fn build(version: Version, report: impl Fn(&str)) -> Result<(), Problem> {
    let (module, folder) = (module()?, version.folder());
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let count = if version == Version::default() { PROGRAMS.len() } else { 1 };
    for (name, package) in &PROGRAMS[..count] {
        report(&format!("building {name} {} (several minutes the first time)", version.release()));
        let begun = Instant::now();
        let status = go(version, &module, &folder.join(name), package)?;
        if !status.success() {
            return Err(format!("`go build` of {name} failed ({status}); its own words are above"));
        }
        report(&format!("{} after {} s", folder.join(name).display(), begun.elapsed().as_secs()));
    }
    Ok(())
}

/// Runs the server until it ends; its standard input is ours, so commands can be typed.
pub(crate) fn run(options: &RunOptions) -> Result<ExitStatus, Problem> {
    let program = options.version.program()?;
    let how = Options {
        version: options.version,
        controllers: options.controllers || options.workloads,
        workloads: options.workloads,
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
    let program = Version::default().program()?;
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

fn go(version: Version, module: &Path, output: &Path, package: &str) -> Result<ExitStatus, Problem> {
    let number = version.to_string();
    let (major, minor) = number.split_once('.').unwrap_or((&number, ""));
    let set = |name: &str, value: &str| format!("-X k8s.io/component-base/version.{name}={value}");
    let flags = [set("gitVersion", version.release()), set("gitMajor", major), set("gitMinor", minor)].join(" ");
    let module_file = format!("-modfile={}", version.module_file());
    let tags = if version == Version::default() { "-tags=" } else { "-tags=older" };
    Command::new("go")
        .current_dir(module)
        .args(["build", &module_file, tags, "-ldflags", &flags, "-o"])
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

/// Where the newest version is built, and everything of Go's that is tried with it.
pub(crate) fn folder() -> PathBuf {
    Version::default().folder()
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
