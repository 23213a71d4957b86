//! A certificate that the replicas of a program make, share and rotate among themselves.
//!
//! Each replica looks at the Secret now and then, serves what it says, brings the authorities to those who call, and takes
//! the step that is due. Two replicas that take it at once write with the version they read: one wins, the other looks
//! again. Nothing is decided here; see `rotation`.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use pintle_client::api::{Patch, PatchParams, PostParams};
use pintle_client::{Api, Client};
use pintle_core::DynamicObject;
use tokio::time::sleep;

use super::bundle::{Callee, Target, TargetKind};
use super::issue::{IssueError, issue};
use super::rotation::{self, Policy, State, Step};
use super::secret::empty;
use super::serving::{PairError, ServingCertificate};

type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A certificate in a Secret, made where there is none, and rotated without a failed call.
///
/// ```no_run
/// # use pintle_client::Client;
/// # use pintle_manager::certificates::ManagedCertificate;
/// # use pintle_manager::http_server::HttpServer;
/// # use pintle_manager::webhook::Webhooks;
/// # async fn example(client: Client, webhooks: Webhooks) -> Result<(), Box<dyn std::error::Error>> {
/// let certificate = ManagedCertificate::new(client, "my-system", "my-operator-webhook")
///     .service("my-system", "my-operator-webhook")
///     .validating_configuration("my-operator")
///     .definition("widgets.example.com");
/// certificate.look().await?;
/// let server = HttpServer::bind("0.0.0.0:9443".parse()?).await?.tls(certificate.serving().tls()?);
/// tokio::spawn(async move { certificate.run().await });
/// server.serve(webhooks, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
/// The program needs to `get`, `create` and `update` Secrets in that namespace, and to `get` and `patch` the configurations and
/// definitions it names. A configuration that does not exist yet gets the authorities within [`Policy::period`] once it does.
#[derive(Clone)]
pub struct ManagedCertificate {
    client: Client,
    namespace: String,
    name: String,
    callee: Callee,
    targets: Vec<Target>,
    policy: Policy,
    clock: Clock,
    serving: ServingCertificate,
    seen: Arc<Mutex<Seen>>,
}

/// What this replica saw last.
#[derive(Debug, Default)]
struct Seen {
    certificate: String,
    problem: Option<String>,
}

/// Why a certificate cannot be made or served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The Secret cannot be read or written.
    #[error("the certificate's Secret {secret} cannot be read or written: {source}")]
    Secret {
        /// Its namespace and name.
        secret: String,
        /// What the server says.
        source: pintle_client::Error,
    },
    /// Others wrote it again and again.
    #[error("the certificate's Secret {0} is changed by others all the time")]
    Contended(String),
    /// A certificate cannot be made.
    #[error(transparent)]
    Issue(#[from] IssueError),
    /// What the Secret holds cannot be served.
    #[error(
        "the certificate's Secret {secret} holds what cannot be served; delete it to have another one made: {source}"
    )]
    Pair {
        /// Its namespace and name.
        secret: String,
        /// What is wrong with it.
        source: PairError,
    },
}

impl ManagedCertificate {
    /// A certificate that is kept in the Secret `namespace/name`.
    pub fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self {
            client,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            callee: Callee { service: None, names: Vec::new() },
            targets: Vec::new(),
            policy: Policy::default(),
            clock: Arc::new(Timestamp::now),
            serving: ServingCertificate::new(),
            seen: Arc::default(),
        }
    }

    /// The Service that is called: the certificate is for its DNS names.
    #[must_use]
    pub fn service(mut self, namespace: &str, name: &str) -> Self {
        let host = format!("{name}.{namespace}.svc");
        self.callee.names.extend([format!("{host}.cluster.local"), host]);
        self.callee.service = Some((namespace.to_owned(), name.to_owned()));
        self
    }

    /// Another DNS name or IP address that the certificate is for, where webhooks are called by `url`.
    #[must_use]
    pub fn host(mut self, name: &str) -> Self {
        self.callee.names.push(name.to_owned());
        self
    }

    /// Entries of this ValidatingWebhookConfiguration that call us get the authorities.
    #[must_use]
    pub fn validating_configuration(self, name: &str) -> Self {
        self.target(TargetKind::Validating, name)
    }

    /// Entries of this MutatingWebhookConfiguration that call us get the authorities.
    #[must_use]
    pub fn mutating_configuration(self, name: &str) -> Self {
        self.target(TargetKind::Mutating, name)
    }

    /// The conversion of this CustomResourceDefinition gets the authorities, if it calls us.
    #[must_use]
    pub fn definition(self, name: &str) -> Self {
        self.target(TargetKind::Definition, name)
    }

    /// Other times than the default ones.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Another clock than the system's, for tests.
    #[must_use]
    pub fn clock(self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// The certificate that is to be served, for TLS. It is empty until the first [`look`](Self::look).
    pub fn serving(&self) -> ServingCertificate {
        self.serving.clone()
    }

    /// What is worth a word about the certificate, for a readiness check: that it expires soon.
    ///
    /// # Errors
    /// Until there is one, and when it has expired; with why it was not renewed, if that is known.
    pub fn check(&self) -> Result<Option<String>, String> {
        let problem = self.seen.lock().unwrap_or_else(PoisonError::into_inner).problem.clone();
        if self.serving.is_set() {
            let why = |text| match &problem {
                Some(problem) => format!("{text}: {problem}"),
                None => format!("{text}: it is in Secret {}", self.secret()),
            };
            return self.serving.check((self.clock)()).map(|note| note.map(why)).map_err(why);
        }
        Err(problem.unwrap_or_else(|| format!("the certificate's Secret {} was not read yet", self.secret())))
    }

    /// Looks now and then, for ever. What fails is logged once, until something else does.
    pub async fn run(&self) {
        loop {
            let wait = match self.look().await {
                Ok(wait) => wait,
                Err(error) => {
                    self.report(Some(error.to_string()));
                    self.policy.period
                }
            };
            // Others may have written, or a configuration may be new: so long and no longer.
            sleep(wait.min(self.policy.period)).await;
        }
    }

    /// Reads the Secret, serves what it holds, publishes the authorities, and takes the steps that are due. Returns how long
    /// nothing is.
    ///
    /// # Errors
    /// When there is no certificate to serve, or the Secret cannot be read or written. A configuration that cannot be written
    /// is only logged: the next look tries again.
    pub async fn look(&self) -> Result<Duration, Error> {
        let secrets: Api<Secret> = Api::namespaced(self.client.clone(), &self.namespace);
        for _ in 0..STEPS_MAX {
            let secret = secrets.get_opt(&self.name).await.map_err(|source| self.secret_error(source))?;
            let state = secret.as_ref().and_then(State::from_secret);
            let mut is_published = false;
            if let Some(state) = &state {
                self.serve(state)?;
                is_published = self.publish(&state.bundle()).await;
            }
            let now = (self.clock)();
            let step = rotation::step(state.as_ref(), &self.callee.names, &self.policy, is_published, now);
            if let Step::Wait(until) = step {
                return Ok(until.duration_since(now).try_into().unwrap_or_default());
            }
            let Some(next) = self.after(step, state, now)? else { continue };
            match self.write(&secrets, &next, secret).await {
                Ok(()) => tracing::info!("certificate in Secret {}: {}", self.secret(), meaning(step)),
                // Another replica was faster.
                Err(pintle_client::Error::Api(status)) if status.code == 409 => {}
                Err(source) => return Err(self.secret_error(source)),
            }
        }
        Err(Error::Contended(self.secret()))
    }

    /// The state after a step.
    fn after(&self, step: Step, state: Option<State>, now: Timestamp) -> Result<Option<State>, IssueError> {
        let issue = || issue(&self.callee.names, self.policy.lifetime, now);
        Ok(match (step, state) {
            (Step::Create, _) => Some(State::created(issue()?)),
            (Step::Prepare, Some(state)) => Some(state.prepared(issue()?)),
            (Step::NotePublished, Some(state)) => Some(state.noted(now)),
            (Step::Switch, Some(state)) => Some(state.switched(&self.policy, now)),
            (Step::Retire, Some(state)) => Some(state.retired()),
            (Step::Wait(_), _) | (_, None) => None,
        })
    }

    /// Writes a state. A Secret is made empty and then written as at every other time: a role that lacks `update` is noticed
    /// on the first day, and not at the first rotation.
    async fn write(&self, secrets: &Api<Secret>, state: &State, before: Option<Secret>) -> pintle_client::Result<()> {
        let post = PostParams::default();
        let before = match before {
            Some(before) => before,
            None => secrets.create(&post, &empty(&self.namespace, &self.name)).await?,
        };
        secrets.replace(&self.name, &post, &state.write_to(before)).await?;
        Ok(())
    }

    fn serve(&self, state: &State) -> Result<(), Error> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.certificate == state.current.certificate {
            return Ok(());
        }
        let pair = (state.current.certificate.as_bytes(), state.current.key.as_bytes());
        self.serving.set_pem(pair.0, pair.1).map_err(|source| Error::Pair { secret: self.secret(), source })?;
        seen.certificate.clone_from(&state.current.certificate);
        Ok(())
    }

    /// Whether all who call carry the bundle now.
    async fn publish(&self, bundle: &str) -> bool {
        let mut problem = None;
        for target in &self.targets {
            if let Err(error) = self.publish_to(target, bundle).await {
                let resource = target.kind.resource();
                problem = Some(format!("{} {} cannot be given the authorities: {error}", resource.kind, target.name));
            }
        }
        let is_published = problem.is_none();
        self.report(problem);
        is_published
    }

    async fn publish_to(&self, target: &Target, bundle: &str) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &target.kind.resource());
        // What does not exist calls nobody.
        let Some(object) = api.get_opt(&target.name).await? else { return Ok(()) };
        let operations = target.kind.operations(&serde_json::to_value(object)?, &self.callee, bundle);
        if !operations.is_empty() {
            let patch = Patch::Json::<()>(serde_json::from_value(operations.into())?);
            api.patch(&target.name, &PatchParams::default(), &patch).await?;
        }
        Ok(())
    }

    /// Logs a problem when it is new.
    fn report(&self, problem: Option<String>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(problem) = &problem
            && seen.problem.as_ref() != Some(problem)
        {
            tracing::warn!("{problem}");
        }
        seen.problem = problem;
    }

    fn target(mut self, kind: TargetKind, name: &str) -> Self {
        self.targets.push(Target { kind, name: name.to_owned() });
        self
    }

    fn secret(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    fn secret_error(&self, source: pintle_client::Error) -> Error {
        Error::Secret { secret: self.secret(), source }
    }
}

impl fmt::Debug for ManagedCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ManagedCertificate");
        debug.field("secret", &self.secret()).field("names", &self.callee.names).finish_non_exhaustive()
    }
}

/// What a step did, for the log.
fn meaning(step: Step) -> &'static str {
    match step {
        Step::Create => "a new one is served",
        Step::Prepare => "the next one is made, and its authority published",
        Step::NotePublished => "the next authority is published; it is served after a while",
        Step::Switch => "the next one is served",
        Step::Retire => "the authority before is no longer trusted",
        Step::Wait(_) => "nothing to do",
    }
}

/// A rotation has four steps, and each may be lost to another replica: more is not progress.
const STEPS_MAX: usize = 20;
