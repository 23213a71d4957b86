//! What can be said to `pintle serve`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use pintle_apiserver::{AdmissionPlugin, AuthorizationMode, Controllers};

use super::values::{authorization_mode, cache_size, seconds, service_address};

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// The port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// The loopback address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) address: IpAddr,
    /// Where to write the kubeconfig (address, certificate authority and token), readable only by its owner; by default a new
    /// file in the temporary folder, removed at the end.
    ///
    /// An existing kubeconfig keeps its content: the context, cluster and user called pintle are added or replaced, the current
    /// context stays, and a copy of the previous file is kept beside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Exit after this many seconds.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) duration: Option<Duration>,
    /// How many changes of each resource to remember; by default more, as long as they are recent.
    #[arg(long, value_name = "CHANGES")]
    pub(crate) default_watch_cache_size: Option<usize>,
    /// The same for single resources, such as pods#1000 or deployments.apps=50, separated by commas. A resource that is not
    /// served is an error.
    #[arg(long, value_name = "RESOURCE#CHANGES", value_delimiter = ',', value_parser = cache_size)]
    pub(crate) watch_cache_sizes: Vec<(String, usize)>,
    /// Whether to have a watch cache; without one no change is forgotten.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    pub(crate) watch_cache: bool,
    /// AlwaysAllow lets every authenticated user do everything; with RBAC, roles and bindings decide, and the server starts with
    /// the same ones as kube-apiserver.
    #[arg(long, value_name = "MODE", default_value = "AlwaysAllow", value_parser = authorization_mode)]
    pub(crate) authorization_mode: AuthorizationMode,
    /// Admission plugins to turn off, by their names in kube-apiserver, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) disable_admission_plugins: Vec<AdmissionPlugin>,
    /// Admission plugins to turn on in addition to the default ones: ServiceAccount, which gives every pod a service account and a
    /// volume with its token.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) enable_admission_plugins: Vec<AdmissionPlugin>,
    /// The address of a Service that webhook configurations name: my-operator/webhook=127.0.0.1:9443, or
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
    /// Serve /metrics, with kube-apiserver's names.
    #[arg(long)]
    pub(crate) metrics: bool,
    /// Write an audit log to this file, or to standard output for -: events of audit.k8s.io/v1 at level Metadata, one JSON object
    /// per line. An existing file is appended to.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_log: Option<PathBuf>,
    /// Log each request with its outcome, duration and user.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Manifests to start with (YAML, any number of documents), CRDs first. With --data, existing objects stay as they are.
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
