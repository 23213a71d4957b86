//! What was typed.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use pintle_apiserver::{AdmissionPlugin, AuthorizationMode, Controllers};

use crate::new::names;

/// A Kubernetes API for development and tests, and a controller to watch at work.
#[derive(Debug, Parser)]
#[command(
    name = "pintle",
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        pintle dev                                    see a controller at work; q or Ctrl-C ends it\n  \
        pintle serve --kubeconfig ./kubeconfig        an API server for kubectl and for tests\n  \
        kubectl --kubeconfig ./kubeconfig get ns      … and the way to talk to it\n  \
        pintle serve --kubeconfig ~/.kube/config      … as the context pintle among your others\n  \
        pintle serve --authorization-mode RBAC        … where roles decide who may do what\n  \
        pintle serve --data ./data                    … that goes on where it was when it is started again\n  \
        pintle new database-operator                  an operator to start from, with tests and deployment\n  \
        pintle watch pods -A                          what a controller would see of them\n  \
        pintle types -f crd.yaml -o src/crd.rs        Rust types of a custom resource\n  \
        pintle assets ./assets                        kube-apiserver and etcd for tests in Go that use envtest\n\n\
        RUST_LOG=debug shows what happens inside Pintle; RUST_LOG=debug,h2=debug the libraries it uses, too.\n\
        Colours are for terminals; NO_COLOR=1 switches them off."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an API server with a sample controller at work, and show what happens.
    ///
    /// Installs the kind Document (documents.example.com), runs a controller that gives every Document a ConfigMap,
    /// and creates a few. On a terminal it is a live view of objects, watches, reconciles, events and requests, with keys to
    /// change objects and to break things (? explains them); elsewhere each event and reconcile is a line. Change the objects
    /// with kubectl meanwhile: the command to use is shown. RBAC is on: the controller runs as a service account with a role
    /// of its own. Everything is in memory and gone at the end.
    #[command(after_help = DEV_EXAMPLES)]
    Dev(DevArgs),
    /// Run the API server alone.
    ///
    /// Prints one line `ready` with its port when it can be used. Everything is in memory and gone at the end, unless it has a
    /// directory for it (--data). It is for development and tests, listens on loopback only, and asks for the token in the
    /// kubeconfig it writes.
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// Make a project: an operator with tests, deployment and CI.
    ///
    /// Writes a folder NAME in this one, with a custom resource, its controller, status conditions, a finalizer, probes,
    /// metrics, and a lease; tests that run it on an API server in their own process and make that fail; manifests with no more
    /// rights than it uses, which the tests keep in step with the code. It compiles and passes its tests as it is.
    #[command(after_help = NEW_EXAMPLES)]
    New(NewArgs),
    /// Show the objects of a kind as they change, and how the watch is doing.
    ///
    /// Watches as a controller does, on the cluster of the current kubeconfig: every change with its version, and every time the
    /// watch was cut and resumed, had expired and was listed anew, or failed. On a terminal it is a table that updates; elsewhere a
    /// line for each, or JSON. Ctrl-C ends it with a summary. Only metadata is shown, never what is in the objects.
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(WatchArgs),
    /// Save all objects of a server to a file, or restore them.
    #[command(after_help = SNAPSHOT_EXAMPLES)]
    Snapshot(SnapshotArgs),
    /// Generate Rust types from CustomResourceDefinitions.
    ///
    /// Every schema becomes structs and enums with documentation, and a kind for the client: spec, status, defaults, printer
    /// columns and subresources as in the definition. The source has a module per version; of several definitions, in a
    /// module per kind. In a build script, use the crate pintle-types, which this command is made of.
    #[command(after_help = TYPES_EXAMPLES)]
    // Boxed, because it is much larger than the others.
    Types(Box<TypesArgs>),
    /// Make a folder for envtest: kube-apiserver, etcd and kubectl.
    ///
    /// Tests in Go that use envtest of controller-runtime run on this server unchanged when KUBEBUILDER_ASSETS names the folder:
    /// they begin in milliseconds. kube-apiserver is this program, etcd a stub that stores nothing, kubectl the one on the
    /// PATH. The folder can be moved; it stays as it is when another version is installed.
    #[command(after_help = "Example:\n  \
        export KUBEBUILDER_ASSETS=\"$PWD/bin/assets\"; pintle assets \"$KUBEBUILDER_ASSETS\" && go test ./...")]
    Assets(AssetsArgs),
    /// Print the completions for a shell.
    #[command(after_help = "Examples:\n  \
        pintle completions bash > /etc/bash_completion.d/pintle\n  \
        pintle completions zsh > \"${fpath[1]}/_pintle\"\n  \
        pintle completions fish > ~/.config/fish/completions/pintle.fish")]
    Completions(CompletionsArgs),
    /// Write the manual pages of this command and its subcommands to a folder.
    #[command(after_help = "Example:\n  pintle man /usr/local/share/man/man1 && man pintle-types")]
    Man(ManArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct DevArgs {
    /// End by itself after so many seconds.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) duration: Option<Duration>,
    /// Where to write the kubeconfig; a file of its own in the temporary folder unless given. A kubeconfig that is there
    /// already keeps what it has: the context pintle is added to it.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Print lines also where there is a terminal.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Break things by itself, one after the other: what the keys of the view do, in a sequence that follows from the seed.
    #[arg(long)]
    pub(crate) chaos: bool,
    /// The seed of --chaos; a new one each time unless given. It is shown at the start.
    #[arg(long, value_name = "NUMBER", requires = "chaos")]
    pub(crate) seed: Option<u64>,
    /// Use the definitions and objects of this folder (*.yaml, *.yml, *.json) instead of the sample. No controller runs then:
    /// start yours with the kubeconfig.
    #[arg(long, value_name = "DIR")]
    pub(crate) manifests: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// The port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// The loopback address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) address: IpAddr,
    /// Where to write the kubeconfig (address, certificate authority and token), readable by its owner alone; a file of
    /// its own in the temporary folder unless given, gone at the end.
    ///
    /// A kubeconfig that is there already keeps what it has: the context, cluster and user called pintle are added or
    /// replaced, the current context stays, and the file as it was is kept beside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// End by itself after so many seconds.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) duration: Option<Duration>,
    /// How many changes of each resource are remembered; more by default, while they are young.
    #[arg(long, value_name = "CHANGES")]
    pub(crate) default_watch_cache_size: Option<usize>,
    /// The same for single resources, as pods#1000 or deployments.apps=50, separated by commas. A resource that is not
    /// served is an error.
    #[arg(long, value_name = "RESOURCE#CHANGES", value_delimiter = ',', value_parser = cache_size)]
    pub(crate) watch_cache_sizes: Vec<(String, usize)>,
    /// Whether there is a watch cache; without one nothing is forgotten.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    pub(crate) watch_cache: bool,
    /// Who may do what: AlwaysAllow lets all authenticated users do everything; with RBAC roles and bindings decide,
    /// and the server begins with those that kube-apiserver begins with.
    #[arg(long, value_name = "MODE", default_value = "AlwaysAllow", value_parser = authorization_mode)]
    pub(crate) authorization_mode: AuthorizationMode,
    /// Admission plugins to switch off, by their names in kube-apiserver, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) disable_admission_plugins: Vec<AdmissionPlugin>,
    /// Admission plugins to switch on besides those that are on by default: ServiceAccount, which gives every pod an
    /// account and a volume with its token.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) enable_admission_plugins: Vec<AdmissionPlugin>,
    /// Where a Service is, for webhooks that are called by it: my-operator/webhook=127.0.0.1:9443, or
    /// my-operator/webhook:443=127.0.0.1:9443 for one of its ports. Can be given several times.
    #[arg(long, value_name = "NAMESPACE/NAME[:PORT]=HOST:PORT", value_parser = service_address)]
    pub(crate) service_address: Vec<(String, String)>,
    /// Run small controllers around the server, all of them or some by name (--controllers=deployment,job): pods,
    /// replicaset, replicationcontroller, deployment, statefulset, daemonset, job, cronjob, endpointslice, service-lb,
    /// persistentvolume-binder, serviceaccount-token, certificatesigningrequest-signing. A name after a minus is left out (--controllers=all,-pods).
    ///
    /// They do what kube-controller-manager, scheduler and kubelets do, but no container runs: pods are bound to simulated
    /// nodes and become ready at once, or when the annotation pintle.dev/ready-after or pintle.dev/stages says so; kubectl logs
    /// answers what pintle.dev/logs says, and kubectl exec what pintle.dev/exec does: [{command: date, stdout: today, exit: 0}].
    /// kubectl rollout, wait, scale and certificate approve work, and helm install --wait.
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub(crate) controllers: Option<Controllers>,
    /// How many simulated nodes there are for --controllers: pintle, pintle-2, pintle-3 and so on.
    #[arg(long, value_name = "COUNT", requires = "controllers")]
    pub(crate) nodes: Option<usize>,
    /// What happens to simulated pods, as a list in YAML of which ([match: labels, namespace, name, owner]) and what (steps:
    /// after, and ready, exit, waiting or fail): [{match: {labels: {app: db}}, steps: [{after: 5s, ready: true}]}].
    #[arg(long, value_name = "FILE", requires = "controllers")]
    pub(crate) pod_stages: Option<PathBuf>,
    /// The least of --controllers, without nodes: Deployments, ReplicaSets and Jobs get their pods, and these are ready at
    /// once.
    #[arg(long, conflicts_with = "controllers")]
    pub(crate) simulated_workloads: bool,
    /// Count requests for /metrics, under kube-apiserver's names.
    #[arg(long)]
    pub(crate) metrics: bool,
    /// Write an audit log to this file, or to standard output for -: events of audit.k8s.io/v1 at the level Metadata, one JSON
    /// object on a line. A file that is there is continued.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_log: Option<PathBuf>,
    /// Log each request with its outcome, the time it took and who sent it.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Manifests to begin with (YAML, any number of documents), definitions of kinds first. With --data, objects that are
    /// there already stay as they are.
    #[arg(long, value_name = "FILE")]
    pub(crate) load: Vec<PathBuf>,
    /// Keep everything in this directory, which is made if it does not exist: started again, the server goes on with the same
    /// objects, revisions, tokens, certificate authority and (unless --port says otherwise) port, so that a kubeconfig
    /// goes on working. A write is synced to the disk before it is answered or seen, so a kill or a power cut loses
    /// nothing that was acknowledged. One process can use a directory at a time. If the disk fails or is full, the server
    /// ends and says so.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Serve workspaces, too: any number of isolated servers at the same port, at most this many at a time. A POST to
    /// /pintle/v1/workspaces with the kubeconfig's token makes one at once, and answers with its kubeconfig.
    ///
    /// Each begins with what this server has at that moment (--load, and what was written since), is found below
    /// /workspaces/NAME, has tokens of its own, and is gone when it is deleted: one for each test, in any language.
    #[arg(long, value_name = "MOST", num_args = 0..=1, require_equals = true, default_missing_value = "1000")]
    pub(crate) workspaces: Option<usize>,
    /// Drop workspaces after so many seconds, unless the request that makes one says otherwise (ttlSeconds).
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "workspaces")]
    pub(crate) workspace_ttl: Option<Duration>,
    /// Let tests break this server from outside: faults, cut watches, expired history, pause, rewind, a clock that moves,
    /// all below /pintle/v1, with the token in the kubeconfig that is written to this file.
    ///
    /// kubectl get --raw /pintle/v1 --kubeconfig FILE lists what there is. The token is new each time, or the one in the
    /// environment variable PINTLE_ADMIN_TOKEN.
    #[arg(long, value_name = "FILE")]
    pub(crate) admin_kubeconfig: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SnapshotArgs {
    #[command(subcommand)]
    pub(crate) command: SnapshotCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SnapshotCommand {
    /// Write all objects to a file: of a server that runs, or of a directory that none runs on.
    ///
    /// The file has Secrets in it, so only its owner can read it. Keys (the certificate authority, tokens) are not in it. It is
    /// text: a line of JSON for each object, and one before them with the revision, their number and a digest.
    Save(SnapshotSaveArgs),
    /// Fill a data directory with the objects of a file; no server may run on it.
    ///
    /// A new directory goes on from the snapshot's revision. One that has objects is refused without --force; with it, its objects
    /// are replaced as a whole, its keys stay, and the next revision is above all that it ever gave out.
    Restore(SnapshotRestoreArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct SnapshotSaveArgs {
    /// The file to write; one that is there is replaced.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The directory that a server was given with --data.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kubeconfig", "context"])]
    pub(crate) data: Option<PathBuf>,
    /// The kubeconfig of a server that runs; $KUBECONFIG or ~/.kube/config unless given.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig; its current one unless given.
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SnapshotRestoreArgs {
    /// The file that `pintle snapshot save` wrote.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The directory to fill; it is made if it does not exist.
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
    /// The kind that it is the operator of; made of NAME unless given.
    #[arg(long, value_name = "KIND", value_parser = names::kind)]
    pub(crate) kind: Option<String>,
    /// The API group of that kind: a domain of yours.
    #[arg(long, value_name = "GROUP", default_value = "example.com", value_parser = names::group)]
    pub(crate) group: String,
    /// Depend on this checkout of Pintle instead of the released version.
    #[arg(long, value_name = "DIR")]
    pub(crate) pintle_path: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// The kind, as kubectl takes it: pods, pod, po, deployments.apps or deployments.v1.apps, in any case.
    #[arg(value_name = "KIND")]
    pub(crate) kind: String,
    /// The namespace; that of the context unless given.
    #[arg(short, long, value_name = "NAME", conflicts_with = "all_namespaces")]
    pub(crate) namespace: Option<String>,
    /// Every namespace.
    #[arg(short = 'A', long)]
    pub(crate) all_namespaces: bool,
    /// Only objects whose labels match, as app=web,tier!=test.
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub(crate) selector: Option<String>,
    /// Only objects whose fields match, as metadata.name=a.
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) field_selector: Option<String>,
    /// Ask for metadata alone, which is less to send.
    #[arg(long)]
    pub(crate) metadata: bool,
    /// One line for each event, or one JSON object on a line, also on a terminal.
    #[arg(short, long, value_enum)]
    pub(crate) output: Option<WatchOutput>,
    /// The context of the kubeconfig; its current one unless given.
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
    /// The kubeconfig; $KUBECONFIG or ~/.kube/config unless given.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// End by itself after so many seconds.
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
    /// A file with definitions, YAML or JSON, any number of documents; - is standard input. Other objects in it are passed
    /// over. Can be given several times.
    #[arg(short = 'f', long = "filename", value_name = "FILE", group = "definitions")]
    pub(crate) files: Vec<PathBuf>,
    /// The name of a definition to read from the cluster of the current kubeconfig, such as certificates.cert-manager.io.
    /// Can be given several times.
    #[arg(long, value_name = "NAME", group = "definitions")]
    pub(crate) from_cluster: Vec<String>,
    /// Where to write the source; standard output unless given. A failure leaves a file there as it is.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The version to generate types of, instead of the one that objects are stored in.
    #[arg(long, value_name = "VERSION", conflicts_with = "all_versions")]
    pub(crate) crd_version: Option<String>,
    /// Generate types of every version.
    #[arg(long)]
    pub(crate) all_versions: bool,
    /// The schema of Kind::crd(): none; the original, with its rules; or derived from the types.
    #[arg(long, value_enum, default_value_t = SchemaChoice::None)]
    pub(crate) schema: SchemaChoice,
    /// Another trait that the types derive, such as Eq (where possible) or a path. Can be given several times.
    #[arg(long, value_name = "TRAIT")]
    pub(crate) derive: Vec<String>,
    /// A Rust type for a place, as spec.template=k8s_openapi::api::core::v1::PodTemplateSpec. The items of a list are
    /// spec.ports[*], the values of a map spec.labels.*; Widget:spec.size is of that kind only.
    #[arg(long = "type", value_name = "PATH=TYPE", value_parser = type_at)]
    pub(crate) types: Vec<(String, String)>,
    /// A field to leave out, by its path. Objects that are read and replaced lose it.
    #[arg(long, value_name = "PATH")]
    pub(crate) elide: Vec<String>,
    /// Use HashMap instead of BTreeMap.
    #[arg(long)]
    pub(crate) hash_map: bool,
    /// Use k8s-openapi's LabelSelector, ObjectReference, ResourceRequirements, Toleration and Affinity for objects that have
    /// exactly their fields.
    #[arg(long)]
    pub(crate) well_known_types: bool,
    /// Write no documentation.
    #[arg(long)]
    pub(crate) no_docs: bool,
    /// What your Cargo.toml calls this library.
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
    /// The folder; it is made if it does not exist.
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
    /// The folder; it is made if it does not exist.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

const NEW_EXAMPLES: &str = "Examples:\n  \
    pintle new database-operator                                     kind Database in the group example.com\n  \
    pintle new shop --kind Order --group shop.example.com            … with names of your own\n  \
    pintle new database-operator --pintle-path ~/src/pintle          … on a checkout of Pintle\n\n\
    Then: cd database-operator && cargo test";

const SNAPSHOT_EXAMPLES: &str = "Examples:\n  \
    pintle snapshot save before.snapshot --kubeconfig ./kubeconfig   of the server that runs there\n  \
    pintle snapshot save before.snapshot --data ./data               of a directory that no server runs on\n  \
    pintle snapshot restore before.snapshot --data ./other           … into a new directory\n  \
    pintle snapshot restore before.snapshot --data ./data --force    … instead of what is there";

const WATCH_EXAMPLES: &str = "Examples:\n  \
    pintle watch pods                                    in the namespace of the current context\n  \
    pintle watch deploy -A -l app=web                    in every namespace, by label\n  \
    pintle watch certificates.cert-manager.io --metadata a custom resource, its metadata alone\n  \
    pintle watch cm -o json | jq 'select(.type == \"EXPIRED\")'\n\n\
    Events: EXISTS, ADDED, MODIFIED, DELETED; LISTING, SYNCED; RESUMED (the watch had ended), EXPIRED (its version was\n\
    forgotten), FAILED, SUMMARY. How old a change was when it was seen is counted from the newest time in its metadata.\n\
    Kubernetes writes whole seconds there, so it is up to a second too much.\n\n\
    Exit codes: 0 after Ctrl-C, --for or a closed pipe; 1 if there is no such kind, no cluster, or no right to watch; 2 for a\n\
    command line that was not understood.";

const SERVE_EXAMPLES: &str = "Examples:\n  \
    pintle serve --kubeconfig k                         one server; kubectl --kubeconfig k get ns\n  \
    pintle serve --kubeconfig k --load crds.yaml --workspaces\n  \
    kubectl --kubeconfig k create --raw /pintle/v1/workspaces -f - <<< '{\"name\": \"t1\", \"ttlSeconds\": 600}' | jq -r .kubeconfig > t1\n  \
    kubectl --kubeconfig t1 get ns                      a server of its own, with the same definitions\n  \
    pintle serve --kubeconfig k --admin-kubeconfig a    … and tests can break it:\n  \
    kubectl --kubeconfig a create --raw /pintle/v1/watches/cut -f - <<< '{\"resource\": \"pods\"}'\n  \
    kubectl --kubeconfig a create --raw /pintle/v1/clock -f - <<< '{\"advanceSeconds\": 3600}'";

const DEV_EXAMPLES: &str = "Examples:\n  \
    pintle dev                                      see a controller at work; ? explains the keys, q quits\n  \
    pintle dev --chaos                              … and how it recovers from one thing after another\n  \
    pintle dev --manifests config --kubeconfig k    your kinds and objects; then KUBECONFIG=k cargo run\n  \
    pintle dev --chaos --seed 7 --for 60 | tee log  lines, for a minute";

const TYPES_EXAMPLES: &str = "Examples:\n  \
    pintle types -f certificates.yaml -o src/certificate.rs      then: mod certificate; use certificate::v1::Certificate;\n  \
    pintle types --from-cluster certificates.cert-manager.io     … as the cluster has it\n  \
    curl -L https://example.com/install.yaml | pintle types -f - … every definition in a manifest\n  \
    pintle types -f crd.yaml --schema original                   … and Certificate::crd() installs it in a test\n\n\
    The generated source needs the crates pintle (feature derive), k8s-openapi, serde and serde_json; with --schema also\n\
    schemars.";

fn type_at(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, rust_type)) if !path.is_empty() && !rust_type.is_empty() => {
            Ok((path.to_owned(), rust_type.to_owned()))
        }
        _ => Err(format!("{text:?} is not a path and a type, such as spec.size=u8")),
    }
}

fn authorization_mode(text: &str) -> Result<AuthorizationMode, String> {
    match text {
        "AlwaysAllow" => Ok(AuthorizationMode::AlwaysAllow),
        "RBAC" => Ok(AuthorizationMode::Rbac),
        _ => Err(format!("{text:?} is not built into this server; use RBAC or AlwaysAllow")),
    }
}

pub(crate) fn cache_size(text: &str) -> Result<(String, usize), String> {
    let wrong = || format!("{text:?} is not a resource and size, such as pods#1000 or pods=1000");
    let (resource, size) = text.split_once(['#', '=']).ok_or_else(wrong)?;
    Ok((resource.to_owned(), size.parse().map_err(|_| wrong())?))
}

fn service_address(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("{text:?} is not a Service and its address, such as my-operator/webhook=127.0.0.1:9443");
    let (service, address) = text.split_once('=').ok_or_else(wrong)?;
    let has_name = service.split_once('/').is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
    let has_port = address.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if has_name && has_port { Ok((service.to_owned(), address.to_owned())) } else { Err(wrong()) }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a number of seconds, such as 10 or 0.5");
    let number: f64 = text.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number).map_err(|_| wrong())
}
