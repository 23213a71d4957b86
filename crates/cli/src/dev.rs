//! `pintle dev`: a server, a kind, a controller and a few objects, all in this process; and a view of it, or a commentary.
//!
//! ```text
//!   author, kubectl ─► server ◄─https─ publisher ─┬─► view (a terminal): SharedModel ─► draw
//!   editor ──────────────┘ ▲                      └─► plain (no terminal): lines
//!                          └── faults ◄── Controls ◄── keys, chaos
//! ```
//!
//! The controller reaches the server the way any other would: over HTTPS, with the token of its service account, whose role
//! allows what it does and nothing else. With `--manifests` the kinds and objects are the user's, and so is the controller.

mod account;
mod author;
mod chaos;
mod controls;
mod document;
mod editor;
mod kind;
mod manifests;
mod observer;
mod plain;
mod publisher;
mod requests;
pub(crate) mod view;
mod watches;

use std::env;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Instant;

use pintle::Client;
use pintle::api::GroupVersionKind;
use pintle::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle_apiserver::{Credential, ServeOptions, Server, Serving};
use tokio::task::JoinSet;

use crate::args::DevArgs;
use crate::failure::Failure;
use crate::kubeconfig::KubeconfigFile;
use crate::narrator::Narrator;
use crate::serve;
use crate::stop::Stop;
use chaos::Chaos;
use controls::Controls;
use editor::{Editor, Scenario};
use kind::WatchedKind;
use publisher::Publisher;
use view::shared_model::SharedModel;
use view::terminal::{self, TakenTerminal};
use view::{Palette, View};

/// Whether the terminal gets the view.
pub(crate) fn wants_view(args: &DevArgs) -> bool {
    !args.plain && terminal::is_there(env::var("TERM").ok().as_deref())
}

/// Runs until it is time to stop; with a view if there is a model for it.
pub(crate) async fn run(args: DevArgs, view: Option<SharedModel>, narrator: &Narrator) -> Result<(), Failure> {
    let stop = Stop::listen(args.duration);
    let mut environment = Environment::start(&args, view.clone(), &stop, narrator).await?;
    let done = match view {
        None => {
            plain::run(&mut environment.controls, environment.chaos.take(), &stop).await;
            Ok(())
        }
        Some(model) => {
            let palette = Palette::of(env::var("NO_COLOR").ok().as_deref());
            let view = View { model, controls: &mut environment.controls, chaos: environment.chaos.take(), palette };
            let mut taken = TakenTerminal::take()?;
            view.run(&mut taken.terminal, crossterm::event::EventStream::new(), &stop).await
        }
    };
    stop.now();
    environment.stop(narrator).await;
    done
}

/// Everything that runs, apart from what shows it.
struct Environment {
    serving: Serving,
    /// Removed at the end, if it is ours.
    _kubeconfig: KubeconfigFile,
    /// Those who follow the objects, and the author.
    tasks: JoinSet<()>,
    controls: Controls,
    chaos: Option<Chaos>,
}

impl Environment {
    async fn start(
        args: &DevArgs,
        view: Option<SharedModel>,
        stop: &Stop,
        narrator: &Narrator,
    ) -> Result<Self, Failure> {
        let server = Server::builder().rbac().build();
        let manifest_kinds = args.manifests.as_deref().map(|folder| manifests::load(&server, folder)).transpose()?;
        let file = KubeconfigFile::at(args.kubeconfig.clone());
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (serving, milliseconds) =
            serve::start(server.clone(), ServeOptions::new(), Instant::now(), address, &file, narrator).await?;
        let client = connect(&serving.kubeconfig()).await?;
        let exempt = Client::new(server.without_faults(), "default");
        // What the view shows must not depend on the faults; lines are the watch's own account of them.
        let observing = if view.is_some() { exempt.clone() } else { client.clone() };
        let mut tasks = JoinSet::new();
        if let Some(model) = &view {
            tasks.spawn(observer::follow_events(exempt.clone(), model.clone()));
        }
        let model = view.unwrap_or_else(SharedModel::new);

        let kinds = match &manifest_kinds {
            None => vec![WatchedKind::of_sample()],
            Some(kinds) => find_kinds(&exempt, kinds).await?,
        };
        introduce(&serving, milliseconds, file.path(), &kinds, &model, narrator);
        let (scenario, controller) = match manifest_kinds {
            Some(_) => (Scenario::Manifests(kinds.clone()), None),
            None => {
                document::install(&client, narrator).await?;
                tasks.spawn(author::run(client.clone(), narrator.clone()));
                let token = account::install(&client, narrator).await?;
                let own = connect(&serving.kubeconfig_with(&Credential::Token(token))).await?;
                (Scenario::Sample, Some(Publisher::started(own, stop.clone(), narrator.clone())))
            }
        };
        for kind in kinds {
            tasks.spawn(observer::follow_objects(observing.clone(), kind, model.clone(), narrator.clone()));
        }
        let chaos = args.chaos.then(|| chaos(args, controller.is_some(), narrator));
        let editor = Editor::new(exempt, scenario);
        let controls = Controls::new(server, editor, controller, model, narrator.clone());
        Ok(Self { serving, _kubeconfig: file, tasks, controls, chaos })
    }

    /// Ends all of it, the server last: whoever still follows it would complain.
    async fn stop(mut self, narrator: &Narrator) {
        self.controls.stop().await;
        self.tasks.shutdown().await;
        self.serving.shutdown().await;
        narrator.say("server", "stopped");
    }
}

async fn find_kinds(client: &Client, manifest_kinds: &[GroupVersionKind]) -> Result<Vec<WatchedKind>, Failure> {
    let mut kinds = Vec::new();
    for kind in manifest_kinds {
        let found = WatchedKind::find(client, kind).await;
        kinds.push(found.map_err(|error| Failure::new(format!("cannot find the kind {}", kind.kind), error))?);
    }
    Ok(kinds)
}

fn chaos(args: &DevArgs, has_controller: bool, narrator: &Narrator) -> Chaos {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    narrator.say("chaos", format_args!("the same again: --chaos --seed {seed}"));
    if has_controller { Chaos::of_sample(seed) } else { Chaos::of_manifests(seed) }
}

/// Says where the server is and how to reach it.
fn introduce(
    serving: &Serving,
    milliseconds: f64,
    kubeconfig: &Path,
    kinds: &[WatchedKind],
    model: &SharedModel,
    narrator: &Narrator,
) {
    let server = format!("https://{}", serving.local_addr());
    let plural = kinds.first().map_or("namespaces", |kind| kind.resource.plural.as_str());
    let kubectl = format!("kubectl --kubeconfig {} get {plural}", kubeconfig.display());
    narrator.say_in_lines(
        "server",
        format_args!("{server}, ready in {milliseconds:.1} ms; for development, not production"),
    );
    narrator.say_in_lines("kubectl", format_args!("{kubectl} --all-namespaces --watch"));
    // The same, short enough for a narrow terminal.
    model.with(|model| (model.server, model.kubectl) = (server, format!("{kubectl} -A --watch")));
}

async fn connect(kubeconfig: &str) -> Result<Client, Failure> {
    let what = "cannot use the kubeconfig just written";
    let kubeconfig = Kubeconfig::from_yaml(kubeconfig).map_err(|error| Failure::new(what, error))?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(|error| Failure::new(what, error))?;
    Client::try_from(config).map_err(|error| Failure::new(what, error))
}
