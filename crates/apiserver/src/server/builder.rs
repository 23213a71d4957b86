//! The settings of a server, and how they become one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use http::{Request, Response};

use super::{BoxError, Exposure, Server, State};
use crate::admission::Admission;
use crate::admission::plugins::{AdmissionPlugin, Plugins};
use crate::authorization::bootstrap::Bootstrap;
use crate::authorization::{AuthorizationMode, Authorizer};
use crate::clock::Clock;
use crate::cluster::ids::{Ids, Uids};
use crate::cluster::service_network::{ServiceNetwork, ServiceRange};
use crate::cluster::{Cluster, GarbageCollection};
use crate::controllers::namespace::{NamespaceController, NamespaceDefaults};
use crate::controllers::simulated::{Controllers, Simulation, Stages};
use crate::data::DataDirectory;
use crate::data::database::{Contents, Database};
use crate::data::error::DataError;
use crate::data::journal::Journal;
use crate::faults::{Fault, Requests, Rules};
use crate::observation::{AuditLog, Metrics, Observation};
use crate::registry::core::service_accounts::token::TokenKey;
use crate::request::user::User;
use crate::response::body::Body;
use crate::storage::event_ttl::Expiries;
use crate::storage::watch_cache::WatchCacheSizes;
use crate::webhook::{InProcess, Routes, WebhookClient};

/// Settings of a [`Server`]; each has a default.
#[derive(Debug)]
#[must_use]
pub struct Builder {
    clock: Clock,
    seed: Option<u64>,
    bookmark_period: Duration,
    sizes: WatchCacheSizes,
    garbage: GarbageCollection,
    controllers: Controllers,
    nodes: Option<usize>,
    stages: Stages,
    faults: Vec<(Requests, Fault)>,
    uids: Option<Uids>,
    namespaces: NamespaceController,
    has_namespace_defaults: bool,
    event_time_to_live: Option<Duration>,
    plugins: Plugins,
    authorization: AuthorizationMode,
    webhook_services: Vec<(String, InProcess)>,
    service_addresses: BTreeMap<String, String>,
    service_range: ServiceRange,
    metrics: Option<Metrics>,
    audit: Option<AuditLog>,
}

impl Builder {
    pub(super) fn new() -> Builder {
        Builder {
            clock: Clock::default(),
            seed: None,
            bookmark_period: BOOKMARK_PERIOD,
            sizes: WatchCacheSizes::default(),
            garbage: GarbageCollection::On,
            controllers: Controllers::default(),
            nodes: None,
            stages: Stages::default(),
            faults: Vec::new(),
            uids: None,
            namespaces: NamespaceController::On,
            has_namespace_defaults: true,
            event_time_to_live: None,
            plugins: Plugins::default(),
            authorization: AuthorizationMode::AlwaysAllow,
            webhook_services: Vec::new(),
            service_addresses: BTreeMap::new(),
            service_range: ServiceRange::default(),
            metrics: None,
            audit: None,
        }
    }

    /// The wall clock for timestamps in objects; the system's by default. Timers follow `tokio::time`.
    pub fn clock(mut self, now: impl Fn() -> jiff::Timestamp + Send + Sync + 'static) -> Self {
        self.clock = Clock::new(now);
        self
    }

    /// The seed of uids and generated names; random by default. The same seed and the same requests give the same
    /// objects.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The source of uids; random ones, from the seed, by default.
    pub fn uids(mut self, next: impl FnMut() -> uuid::Uuid + Send + 'static) -> Self {
        self.uids = Some(Uids::new(next));
        self
    }

    /// A rule from the start, as [`Server::fault`] makes one later: what an older server does not have, for instance.
    pub fn fault(mut self, requests: Requests, fault: Fault) -> Self {
        self.faults.push((requests, fault));
        self
    }

    /// Answers as an older server would, in every respect that clients have to cope with: JSON only, discovery document by
    /// document, streaming lists refused. Each is a rule of its own, counted and traced as such.
    pub fn older_server(self) -> Self {
        let all = Requests::all;
        self.fault(all(), Fault::JsonOnly)
            .fault(all(), Fault::LegacyDiscovery)
            .fault(all(), Fault::StreamingListRefused)
    }

    /// The time between two bookmarks of a watch that asked for them; one minute by default.
    pub fn bookmark_period(mut self, period: Duration) -> Self {
        self.bookmark_period = period;
        self
    }

    /// How many changes of a resource are remembered, exactly. By default it is 100, and more (up to 102,400) while
    /// they are younger than 75 seconds.
    pub fn history(mut self, changes: usize) -> Self {
        self.sizes.set_default(changes);
        self
    }

    /// The same for one resource, by its plural (`pods`, `deployments.apps`): kube-apiserver's `--watch-cache-sizes`.
    pub fn history_of(mut self, resource: &str, changes: usize) -> Self {
        self.sizes.set(resource, changes);
        self
    }

    /// Whether there is a watch cache at all; on by default. Without one nothing is forgotten until
    /// [`Server::expire_history_before`], as etcd forgets nothing until it is compacted.
    pub fn watch_cache(mut self, on: bool) -> Self {
        if !on {
            self.sizes = WatchCacheSizes::unlimited();
        }
        self
    }

    /// Whether objects whose owners are gone are deleted, which a real cluster does and a lone kube-apiserver does
    /// not; on by default. The same goes for volumes, claims and their classes that are deleted: they wait, by a finalizer,
    /// until they are no longer in use, or, where this is off, until a client removes it.
    pub fn garbage_collection(mut self, on: bool) -> Self {
        self.garbage = if on { GarbageCollection::On } else { GarbageCollection::Off };
        self
    }

    /// Whether the server acts as kube-controller-manager, scheduler and kubelet would, in small: a Deployment gets its
    /// ReplicaSet, that and a Job their pods, and every pod is bound and ready, or has succeeded for its Job, a moment after
    /// the request that makes it ([`Server::settle`]). Off by default: then nothing moves that your test does not move.
    pub fn simulated_workloads(mut self, on: bool) -> Self {
        self.controllers = if on { Controllers::of_workloads() } else { Controllers::default() };
        self.nodes = Some(0);
        self
    }

    /// Which of the small controllers run, as kube-controller-manager, scheduler and kubelets do around a real server: all
    /// ([`Controllers::all`]), or some by their names. Off by default. There is a node `pintle` then ([`Builder::nodes`]);
    /// pods are bound to it and become ready at once, unless their annotations or [`Builder::pod_stages`] say otherwise.
    /// Their writes come after the answer to the request that causes them, as those of every controller ([`Server::settle`]);
    /// where they wait, they wait by `tokio::time` or, where there is one, by [`Builder::clock`].
    ///
    /// ```
    /// use pintle_apiserver::{Controllers, Server};
    ///
    /// let all = Server::builder().controllers(Controllers::all()).build();
    /// let some = Server::builder().controllers("deployment,job".parse()?).nodes(3).build();
    /// # Ok::<_, pintle_apiserver::UnknownController>(())
    /// ```
    pub fn controllers(mut self, controllers: Controllers) -> Self {
        self.controllers = controllers;
        self.nodes = None;
        self
    }

    /// How many simulated nodes there are where [`Builder::controllers`] run; one by default.
    pub fn nodes(mut self, count: usize) -> Self {
        self.nodes = Some(count);
        self
    }

    /// What happens to simulated pods: how long they take to be ready, when they fail and restart. The annotation
    /// `pintle.dev/stages` of a pod counts before this.
    pub fn pod_stages(mut self, stages: Stages) -> Self {
        self.stages = stages;
        self
    }

    /// Whether every namespace is given a ServiceAccount `default` and, once the server is served and has a certificate
    /// authority, a ConfigMap `kube-root-ca.crt`, and `default` the Service `kubernetes`, as in a real cluster; on by
    /// default.
    pub fn namespace_defaults(mut self, on: bool) -> Self {
        self.has_namespace_defaults = on;
        self
    }

    /// As kube-apiserver is without kube-controller-manager, which is how envtest runs it: no garbage is collected, a
    /// namespace that is deleted stays `Terminating`, none is given a ServiceAccount, and nobody keeps the status of quotas.
    pub fn without_controllers(mut self) -> Self {
        self.namespaces = NamespaceController::Off;
        self.garbage_collection(false)
    }

    /// How long an event stays after it was last written; an hour by default.
    pub fn event_time_to_live(mut self, time: Duration) -> Self {
        self.event_time_to_live = Some(time);
        self
    }

    /// Switches admission plugins off that are on by default, as kube-apiserver's `--disable-admission-plugins`.
    ///
    /// ```
    /// use pintle_apiserver::{AdmissionPlugin, Server};
    ///
    /// let server = Server::builder().disable_admission_plugins([AdmissionPlugin::Priority]).build();
    /// ```
    pub fn disable_admission_plugins(mut self, plugins: impl IntoIterator<Item = AdmissionPlugin>) -> Self {
        plugins.into_iter().for_each(|plugin| self.plugins.switch(plugin, false));
        self
    }

    /// Switches admission plugins on that are off by default, as kube-apiserver's `--enable-admission-plugins`.
    pub fn enable_admission_plugins(mut self, plugins: impl IntoIterator<Item = AdmissionPlugin>) -> Self {
        plugins.into_iter().for_each(|plugin| self.plugins.switch(plugin, true));
        self
    }

    /// Who may do what; [`AuthorizationMode::AlwaysAllow`] by default.
    pub fn authorization(mut self, mode: AuthorizationMode) -> Self {
        self.authorization = mode;
        self
    }

    /// Roles and bindings decide who may do what, as in a real cluster: a controller whose role is too small fails here as
    /// it would there. [`Server::as_user`] says who asks. The roles that a server begins with are kube-apiserver's; their
    /// uids are made of their names.
    pub fn rbac(self) -> Self {
        self.authorization(AuthorizationMode::Rbac)
    }

    /// Calls webhooks by this name in this process rather than over HTTPS: admission and conversion webhooks whose `url`
    /// begins with it, or whose `service` is `namespace/name`, `namespace/name:port` or one of them and the beginning of a
    /// path. The service receives the request that kube-apiserver would send; no socket is opened, no certificate is
    /// asked for, and with paused time its timeouts follow.
    ///
    /// ```
    /// # use http::{Request, Response};
    /// # use pintle_apiserver::{Body, Server};
    /// let hook = tower::service_fn(|_review: Request<Body>| async move {
    ///     Ok::<_, std::convert::Infallible>(Response::new(r#"{"kind": "AdmissionReview"}"#.to_owned()))
    /// });
    /// let server = Server::builder().webhook_service("my-operator/webhook", hook).build();
    /// ```
    pub fn webhook_service<S, B>(mut self, name: &str, service: S) -> Self
    where
        S: tower::Service<Request<Body>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send + 'static,
        B::Data: Buf + Send,
        B::Error: Into<BoxError>,
    {
        self.webhook_services.push((name.to_owned(), InProcess::new(service)));
        self
    }

    /// Where a Service of the cluster is, for webhooks that are called by it: `namespace/name`, or `namespace/name:port`
    /// for one of its ports, and the `host:port` to connect to. Its certificate must be for `name.namespace.svc`, as in a
    /// cluster, and signed by the webhook's `caBundle`.
    #[cfg(feature = "serve")]
    pub fn service_address(mut self, service: &str, address: impl Into<String>) -> Self {
        self.service_addresses.insert(service.to_owned(), address.into());
        self
    }

    /// The addresses that Services get, as kube-apiserver's `--service-cluster-ip-range`; `10.0.0.0/16` by default.
    pub fn service_cluster_ip_range(mut self, range: ServiceRange) -> Self {
        self.service_range = range;
        self
    }

    /// Whether requests are counted, for `/metrics`, which has kube-apiserver's names for what there is of it:
    /// `apiserver_request_total`, `apiserver_request_duration_seconds`, `apiserver_current_inflight_requests`,
    /// `apiserver_longrunning_requests` and `apiserver_resource_objects`. Off by default.
    pub fn metrics(mut self, on: bool) -> Self {
        self.metrics = on.then(Metrics::default);
        self
    }

    /// Writes an audit log: events of `audit.k8s.io/v1` at the level Metadata, one JSON object on a line, as kube-apiserver
    /// writes them with `--audit-log-path`. Each request waits until its line is written.
    pub fn audit_log(mut self, sink: impl std::io::Write + Send + 'static) -> Self {
        self.audit = Some(AuditLog::new(sink));
        self
    }

    /// The server, ready.
    pub fn build(self) -> Server {
        self.build_from(None).into_server(None)
    }

    /// The server, ready, with its objects in a directory that outlives it: what is acknowledged is synced there first, and
    /// the next server that opens the directory goes on with the same objects, revisions and tokens. A directory that is not
    /// there is made. One process can use it at a time.
    ///
    /// A watch or an exact list from a revision before the start is answered with 410, as by a kube-apiserver that was started
    /// anew. The settings are not kept: give the same ones. Served, it shows the same certificate authority, takes the
    /// same administrator's token, and listens on the same port if it is free, so a kubeconfig goes on working.
    ///
    /// ```
    /// # use pintle_apiserver::{DataError, Server};
    /// # fn main() -> Result<(), DataError> {
    /// # let directory = std::env::temp_dir().join(format!("pintle-doc-{}", std::process::id()));
    /// let server = Server::builder().rbac().open(&directory)?;
    /// let revision = server.revision();
    /// drop(server);
    /// assert_eq!(Server::builder().rbac().open(&directory)?.revision(), revision);
    /// # std::fs::remove_dir_all(&directory).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the directory cannot be written, is in use by another process, was written by a newer Pintle, or is damaged.
    pub fn open(self, directory: impl AsRef<Path>) -> Result<Server, DataError> {
        self.open_in(DataDirectory::open(directory)?)
    }

    /// The same in a directory that is open already.
    pub(crate) fn open_in(self, directory: DataDirectory) -> Result<Server, DataError> {
        let kept = Kept::read(&directory.database)?;
        let is_new = kept.contents.is_none();
        let begun = self.build_from(Some(kept));
        let store = &begun.cluster.store;
        if is_new {
            directory.database.replace(&store.objects(), store.revision())?;
        } else {
            let (batch, _) = store.unjournalled();
            directory.database.write(&batch)?;
        }
        let server = begun.into_server(Some(Journal::new(directory)));
        // What the process before left undone.
        drop(server.state.settled());
        Ok(server)
    }

    /// Everything that a server begins with.
    fn build_from(mut self, kept: Option<Kept>) -> Begun {
        if let (Some(seed), Some(contents)) = (&mut self.seed, kept.as_ref().and_then(|kept| kept.contents.as_ref())) {
            // The same draws again would be the uids of objects that are there.
            *seed = seed.wrapping_add(contents.revision.wrapping_mul(GOLDEN_RATIO));
        }
        let mut random = self.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        // A source of its own, so that faults do not change what objects are called.
        let rules = Rules::new(self.seed.map_or_else(|| random.fork(), |seed| fastrand::Rng::with_seed(!seed)));
        for (requests, fault) in self.faults {
            rules.add(requests, fault);
        }
        let (token_key, stored) = match kept {
            Some(kept) => (kept.token_key, kept.contents),
            None => (self.seed.map_or_else(TokenKey::random, TokenKey::of_seed), None),
        };
        let mut cluster = Cluster::new(self.sizes, self.clock, Ids::new(random, self.uids), token_key, self.garbage);
        cluster.authorizer = Authorizer::new(self.authorization, self.garbage);
        // Whether or not anything is authorized by them, as in kube-apiserver.
        let bootstrap = Bootstrap::new(&cluster.clock, self.garbage);
        if stored.is_none() {
            cluster.store.begin_with(&bootstrap.objects, bootstrap.revision);
        }
        if !self.controllers.is_empty() {
            let nodes = self.nodes.unwrap_or(usize::from(self.controllers.has_pods()));
            cluster.simulation = Some(Box::new(Simulation::new(self.controllers, nodes, Arc::new(self.stages))));
        }
        cluster.network = ServiceNetwork::new(self.service_range);
        let routes = Routes::new(self.webhook_services, self.service_addresses);
        cluster.webhook_client = WebhookClient::new(routes);
        cluster.admission = Arc::new(Admission::new(self.plugins, cluster.webhook_client.clone()));
        if let Some(time) = self.event_time_to_live {
            cluster.expiries = Expiries::new(time);
        }
        cluster.namespaces = self.namespaces;
        cluster.defaults = self.has_namespace_defaults.then(NamespaceDefaults::default);
        match stored {
            Some(contents) => cluster.go_on_with(contents, &bootstrap),
            None => {
                cluster.create_first_namespaces();
                cluster.create_system_priority_classes();
            }
        }
        cluster.create_simulated_cluster();
        let observation = Observation::new(cluster.clock.clone(), self.metrics, self.audit);
        Begun { cluster, rules, observation, bookmark_period: self.bookmark_period }
    }
}

/// What a data directory has for a server that begins.
struct Kept {
    token_key: TokenKey,
    contents: Option<Contents>,
}

impl Kept {
    fn read(database: &Database) -> Result<Kept, DataError> {
        let token_key = match database.value(TOKEN_KEY)?.as_deref().and_then(TokenKey::of_bytes) {
            Some(key) => key,
            None => {
                let key = TokenKey::random();
                database.keep(TOKEN_KEY, key.bytes())?;
                key
            }
        };
        Ok(Kept { token_key, contents: database.load()? })
    }
}

/// A server that is about to be.
struct Begun {
    cluster: Cluster,
    rules: Rules,
    observation: Arc<Observation>,
    bookmark_period: Duration,
}

impl Begun {
    fn into_server(self, journal: Option<Journal>) -> Server {
        let state = State::new(self.cluster, self.rules, self.observation, self.bookmark_period, journal);
        Server { state, user: Arc::new(User::administrator()), exposure: Exposure::Exposed }
    }
}

/// Under which name a data directory keeps the key that signs tokens of service accounts.
const TOKEN_KEY: &str = "service-account-token-key";

/// Revisions that are near to each other lead to seeds that are not.
const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;

/// kube-apiserver's.
const BOOKMARK_PERIOD: Duration = Duration::from_secs(60);
