//! What was typed.

mod examples;
mod serve;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::new::names;
use examples::{DEV_EXAMPLES, NEW_EXAMPLES, SERVE_EXAMPLES, SNAPSHOT_EXAMPLES, TYPES_EXAMPLES, WATCH_EXAMPLES};
pub(crate) use serve::ServeArgs;
pub(crate) use values::cache_size;
use values::{seconds, type_at};

/// Kubernetes without a cluster: an API server for development and tests, and tools for operators in Rust.
#[derive(Debug, Parser)]
#[command(
    name = "pintle",
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        pintle dev                               watch a controller at work; q quits\n  \
        pintle serve --kubeconfig ./k            an API server for kubectl and tests\n  \
        kubectl --kubeconfig ./k get ns          … and how to talk to it\n  \
        pintle serve --kubeconfig ~/.kube/config … as the context pintle of your own\n  \
        pintle serve --authorization-mode RBAC   … with RBAC\n  \
        pintle serve --data ./data               … that keeps its objects\n  \
        pintle new database-operator             an operator with tests and manifests\n  \
        pintle watch pods -A                     what a controller would see\n  \
        pintle types -f crd.yaml -o src/crd.rs   Rust types from a CRD\n  \
        pintle assets ./assets                   Go tests with envtest, without etcd\n\n\
        Exit codes: 0 success, or ended by Ctrl-C; 1 failure, the last line says why; 2 wrong arguments.\n\n\
        RUST_LOG=debug logs what Pintle does; RUST_LOG=debug,h2=debug includes the libraries it uses. \
        Terminals get colours; NO_COLOR=1 turns them off."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an API server and a sample controller, and show what happens.
    ///
    /// Installs the kind Document (documents.example.com), runs a controller that creates a ConfigMap for every Document, and
    /// creates a few Documents. On a terminal it shows a live view of objects, watches, reconciles, events and requests, with keys
    /// that change objects and break things (? explains them); otherwise it prints a line for each event and reconcile. You can
    /// use kubectl meanwhile: the command is shown. RBAC is on, and the controller runs as a service account with its own role.
    /// Everything is in memory and gone at the end.
    #[command(after_help = DEV_EXAMPLES)]
    Dev(DevArgs),
    /// Run only the API server.
    ///
    /// Prints a line `ready` with its port as soon as it can be used. Everything is in memory and gone at the end, unless you give
    /// it a directory (--data). It is for development and tests: it listens on loopback only, and requires the token in the
    /// kubeconfig that it writes.
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// Create a project: an operator with tests, manifests and CI.
    ///
    /// Creates a folder NAME with a custom resource, its controller, status conditions, a finalizer, probes, metrics and leader
    /// election; tests that run it against an API server in their own process, with faults; and manifests with the smallest
    /// possible role, which the tests keep in step with the code. It compiles and passes its tests as it is.
    #[command(after_help = NEW_EXAMPLES)]
    New(NewArgs),
    /// Show the objects of a kind as they change, and the state of the watch.
    ///
    /// Watches like a controller, on the cluster of the current kubeconfig. Shows every change with its version, and every time
    /// the watch was cut and resumed, expired and listed again, or failed. On a terminal it is a live table; otherwise it prints a
    /// line for each, or JSON. Ctrl-C ends it with a summary. Only metadata is shown, never the content of objects.
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(WatchArgs),
    /// Save all objects of a server to a file, or restore them.
    #[command(after_help = SNAPSHOT_EXAMPLES)]
    Snapshot(SnapshotArgs),
    /// Generate Rust types from CustomResourceDefinitions.
    ///
    /// Every schema becomes documented structs and enums, and a kind for the client, with the spec, status, defaults, printer
    /// columns and subresources of the CRD. The source has a module per version and, with several CRDs, a module per kind around
    /// them. In a build script, use the crate pintle-types, which this command is built on.
    #[command(after_help = TYPES_EXAMPLES)]
    // Boxed, because it is much larger than the others.
    Types(Box<TypesArgs>),
    /// Create a folder for envtest: kube-apiserver, etcd and kubectl.
    ///
    /// Go tests that use controller-runtime's envtest run unchanged on this server if KUBEBUILDER_ASSETS names the folder, and start
    /// in milliseconds. kube-apiserver is a copy of this program, etcd a stub that stores nothing, and kubectl the one on the
    /// PATH. You can move the folder; it does not change when you install another version.
    #[command(after_help = "Example:\n  \
        export KUBEBUILDER_ASSETS=\"$PWD/bin/assets\"; pintle assets \"$KUBEBUILDER_ASSETS\" && go test ./...")]
    Assets(AssetsArgs),
    /// Print the completion script for a shell.
    #[command(after_help = "Examples:\n  \
        pintle completions bash > /etc/bash_completion.d/pintle\n  \
        pintle completions zsh > \"${fpath[1]}/_pintle\"\n  \
        pintle completions fish > ~/.config/fish/completions/pintle.fish")]
    Completions(CompletionsArgs),
    /// Write the man pages of this command and its subcommands to a folder.
    #[command(after_help = "Example:\n  pintle man /usr/local/share/man/man1 && man pintle-types")]
    Man(ManArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct DevArgs {
    /// Exit after this many seconds.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) duration: Option<Duration>,
    /// Where to write the kubeconfig; by default a new file in the temporary folder. An existing kubeconfig keeps its content: the
    /// context pintle is added to it.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Print lines even on a terminal.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Break and repair one thing after another automatically, as the keys of the view do, in an order given by the seed.
    #[arg(long)]
    pub(crate) chaos: bool,
    /// The seed of --chaos; by default a new one each time, which is shown at the start.
    #[arg(long, value_name = "NUMBER", requires = "chaos")]
    pub(crate) seed: Option<u64>,
    /// Use the CRDs and objects of this folder (*.yaml, *.yml, *.json) instead of the sample. No controller runs then: start your
    /// own with the kubeconfig.
    #[arg(long, value_name = "DIR")]
    pub(crate) manifests: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SnapshotArgs {
    #[command(subcommand)]
    pub(crate) command: SnapshotCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SnapshotCommand {
    /// Save all objects of a running server, or of a data directory that is not in use, to a file.
    ///
    /// The file contains Secrets, so only its owner can read it. It does not contain keys (the certificate authority, tokens). It
    /// is text: a first line with the revision, the number of objects and a digest, then one line of JSON per object.
    Save(SnapshotSaveArgs),
    /// Fill a data directory that is not in use with the objects of a file.
    ///
    /// A new directory continues from the snapshot's revision. A directory with objects is refused unless you use --force: then all
    /// its objects are replaced, its keys stay, and the next revision is higher than any it has used.
    Restore(SnapshotRestoreArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct SnapshotSaveArgs {
    /// The file to write; an existing file is replaced.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The directory that a server was given with --data.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kubeconfig", "context"])]
    pub(crate) data: Option<PathBuf>,
    /// The kubeconfig of a running server [default: $KUBECONFIG or ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig [default: its current context].
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SnapshotRestoreArgs {
    /// The file that `pintle snapshot save` wrote.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The directory to fill; it is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Replace the objects that the directory has.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// The name of the folder, the crate, the service account and the lease, such as database-operator.
    #[arg(value_name = "NAME", value_parser = names::project)]
    pub(crate) name: String,
    /// The kind that the operator manages, such as Database [default: derived from NAME].
    #[arg(long, value_name = "KIND", value_parser = names::kind)]
    pub(crate) kind: Option<String>,
    /// The API group of the kind: a domain that you own.
    #[arg(long, value_name = "GROUP", default_value = "example.com", value_parser = names::group)]
    pub(crate) group: String,
    /// Depend on this checkout of Pintle instead of the version on crates.io.
    #[arg(long, value_name = "DIR")]
    pub(crate) pintle_path: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// The kind, as in kubectl: pods, pod, po, deployments.apps or deployments.v1.apps, in any case.
    #[arg(value_name = "KIND")]
    pub(crate) kind: String,
    /// The namespace [default: that of the context].
    #[arg(short, long, value_name = "NAME", conflicts_with = "all_namespaces")]
    pub(crate) namespace: Option<String>,
    /// All namespaces.
    #[arg(short = 'A', long)]
    pub(crate) all_namespaces: bool,
    /// Only objects whose labels match, such as app=web,tier!=test.
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub(crate) selector: Option<String>,
    /// Only objects whose fields match, such as metadata.name=a.
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) field_selector: Option<String>,
    /// Request only metadata, which is less data.
    #[arg(long)]
    pub(crate) metadata: bool,
    /// Print a line or a JSON object for each event, even on a terminal.
    #[arg(short, long, value_enum)]
    pub(crate) output: Option<WatchOutput>,
    /// The context of the kubeconfig [default: its current context].
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
    /// The kubeconfig [default: $KUBECONFIG or ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Exit after this many seconds.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) duration: Option<Duration>,
}

/// How `pintle watch` prints what it sees.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum WatchOutput {
    Lines,
    Json,
}

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("definitions").required(true).multiple(true))]
pub(crate) struct TypesArgs {
    /// A file with CRDs, YAML or JSON, any number of documents; - is standard input. Other objects in it are ignored. Can be
    /// given several times.
    #[arg(short = 'f', long = "filename", value_name = "FILE", group = "definitions")]
    pub(crate) files: Vec<PathBuf>,
    /// The name of a CRD to read from the cluster of the current kubeconfig, such as certificates.cert-manager.io.
    /// Can be given several times.
    #[arg(long, value_name = "NAME", group = "definitions")]
    pub(crate) from_cluster: Vec<String>,
    /// Where to write the source [default: standard output]. On failure an existing file is left as it is.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The version to generate types for [default: the storage version].
    #[arg(long, value_name = "VERSION", conflicts_with = "all_versions")]
    pub(crate) crd_version: Option<String>,
    /// Generate types for every version.
    #[arg(long)]
    pub(crate) all_versions: bool,
    /// The schema of Kind::crd(): none; the original, with its rules; or derived from the types.
    #[arg(long, value_enum, default_value_t = SchemaChoice::None)]
    pub(crate) schema: SchemaChoice,
    /// Another trait that the types derive, such as Eq (where possible) or a path. Can be given several times.
    #[arg(long, value_name = "TRAIT")]
    pub(crate) derive: Vec<String>,
    /// Use this Rust type at a path, such as spec.template=k8s_openapi::api::core::v1::PodTemplateSpec. The items of a list are
    /// spec.ports[*], the values of a map spec.labels.*; Widget:spec.size is only for that kind.
    #[arg(long = "type", value_name = "PATH=TYPE", value_parser = type_at)]
    pub(crate) types: Vec<(String, String)>,
    /// Leave out the field at this path. Objects that are read and replaced lose it.
    #[arg(long, value_name = "PATH")]
    pub(crate) elide: Vec<String>,
    /// Use HashMap instead of BTreeMap.
    #[arg(long)]
    pub(crate) hash_map: bool,
    /// Use k8s-openapi's LabelSelector, ObjectReference, ResourceRequirements, Toleration and Affinity for objects that have
    /// exactly their fields.
    #[arg(long)]
    pub(crate) well_known_types: bool,
    /// Omit documentation comments.
    #[arg(long)]
    pub(crate) no_docs: bool,
    /// The name of this library in your Cargo.toml.
    #[arg(long, value_name = "NAME", default_value = "pintle")]
    pub(crate) crate_name: String,
}

/// Where the schema of a generated kind comes from.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum SchemaChoice {
    None,
    Original,
    Derived,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AssetsArgs {
    /// The folder; it is created if it does not exist.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The folder; it is created if it does not exist.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
