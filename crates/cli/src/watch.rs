//! `pintle watch`: the objects of a kind as a controller's watch sees them, and how the watch itself is doing.
//!
//! ```text
//!   KIND ──discovery──► Api ──watcher──► events, errors ─┐
//!                              └─health─► watches opened ─┴─► Observer ──► Notice ──► a line, JSON, or the table
//! ```
//!
//! It watches by the library that controllers use: what it shows of cuts, relists and waits is what they would meet.

mod kind;
mod notice;
mod observer;
mod table;

use std::fmt::Debug;
use std::future::pending;
use std::io::{self, IsTerminal};
use std::pin::Pin;
use std::time::Duration;

use futures::stream::Peekable;
use futures::{Stream, StreamExt, poll};
use k8s_openapi::jiff::Timestamp;
use pintle::api::{Api, ApiResource, DynamicObject, Resource};
use pintle::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle::discovery::{Mapping, Scope, verbs};
use pintle::runtime::watcher::{self, Event, watcher};
use pintle::{Client, Error};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, MissedTickBehavior, interval};

use notice::Notice;
use observer::Observer;
use table::Table;

use crate::args::{WatchArgs, WatchOutput};
use crate::failure::Failure;
use crate::log;
use crate::narrator::Narrator;
use crate::stop::Stop;

pub(crate) async fn run(args: WatchArgs, narrator: &Narrator) -> Result<(), Failure> {
    let stop = Stop::listen(args.duration);
    // A server that does not answer must not keep anybody from stopping.
    let (client, found) = tokio::select! {
        biased;
        () = stop.clone().wait() => return Ok(()),
        ready = connect(&args) => ready?,
    };
    let resource = &found.resource;
    if !found.capabilities.supports_operation(verbs::WATCH) {
        let why = "the server can list them at most; kubectl api-resources -o wide shows what it can do with each kind";
        return Err(Failure::new(format!("{} cannot be watched", resource.plural), why));
    }
    let namespace = match (&found.capabilities.scope, args.all_namespaces) {
        (Scope::Cluster, _) | (Scope::Namespaced, true) => None,
        (Scope::Namespaced, false) => Some(args.namespace.as_deref().unwrap_or(client.default_namespace())),
    };
    let (title, api): (_, Api<DynamicObject>) = match namespace {
        Some(namespace) => {
            let title = format!("{} in namespace {namespace}", name_of(resource));
            (title, Api::namespaced_with(client.clone(), namespace, resource))
        }
        None => (name_of(resource), Api::all_with(client, resource)),
    };
    let shown = Shown::new(args.output, title, narrator);
    let config = watcher::Config {
        label_selector: args.selector,
        field_selector: args.field_selector,
        ..watcher::Config::default()
    };
    if args.metadata {
        follow(api.into_metadata(), config, stop, shown).await
    } else {
        follow(api, config, stop, shown).await
    }
}

async fn connect(args: &WatchArgs) -> Result<(Client, Mapping), Failure> {
    let client = client(args).await.map_err(|error| Failure::new("cannot reach a cluster", error))?;
    let found = kind::find(&client, &args.kind).await?;
    Ok((client, found))
}

/// The client of the kubeconfig and context that were asked for.
async fn client(args: &WatchArgs) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let options = KubeConfigOptions { context: args.context.clone(), ..KubeConfigOptions::default() };
    let config = match (&args.kubeconfig, &args.context) {
        (Some(file), _) => Config::from_custom_kubeconfig(Kubeconfig::read_from(file)?, &options).await?,
        (None, Some(_)) => Config::from_kubeconfig(&options).await?,
        (None, None) => Config::infer().await?,
    };
    Ok(Client::try_from(config)?)
}

/// As `deployments.apps/v1`.
fn name_of(resource: &ApiResource) -> String {
    if resource.group.is_empty() {
        return resource.plural.clone();
    }
    format!("{}.{}/{}", resource.plural, resource.group, resource.version)
}

/// How often the table is drawn: what moves faster cannot be read, and is not worth drawing.
const FRAME: Duration = Duration::from_millis(250);

/// Shows what happens until it is time to stop, and then what it came to.
async fn follow<K>(api: Api<K>, config: watcher::Config, stop: Stop, mut shown: Shown<'_>) -> Result<(), Failure>
where
    K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let events = watcher(api, config);
    let health = events.health();
    let mut events = events.peekable();
    let mut observer = Observer::new(Instant::now());
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let stopped = stop.wait();
    tokio::pin!(stopped);
    loop {
        // To stop comes first, and a frame before the next event, or a list of thousands would show nothing. That a watch
        // was opened comes before what it brings.
        let notices = tokio::select! {
            biased;
            () = &mut stopped => break,
            _ = frames.tick(), if shown.is_drawn() => {
                drop(shown.draw(&observer, &health.report()));
                continue;
            }
            report = health.wait_for(|report| observer.is_behind(report)) => {
                observer.opened(&report, Timestamp::now()).into_iter().collect()
            }
            event = events.next() => match event {
                Some(Ok(event)) => {
                    if matches!(event, Event::InitDone) {
                        ask_ahead(&mut events).await;
                    }
                    observer.on_event(event, &health.report(), Timestamp::now(), Instant::now())
                }
                Some(Err(error)) => {
                    if is_hopeless(&error) && !observer.has_synced() {
                        return Err(Failure::new("the watch is refused", error));
                    }
                    vec![observer.failed(&error, Timestamp::now())]
                }
                None => pending().await,
            },
        };
        if shown.show(&notices).is_err() {
            // Nobody reads any more.
            return Ok(());
        }
    }
    let summary = [observer.summary(&health.report(), Timestamp::now(), Instant::now())];
    drop(shown.show(&summary).and_then(|()| shown.draw(&observer, &health.report())));
    Ok(())
}

/// The watcher notes the version of a list once it is asked for what comes next, which stays where it is.
async fn ask_ahead(events: &mut Peekable<impl Stream + Unpin>) {
    let _ = poll!(Pin::new(events).peek());
}

/// A refusal that waiting does not change: no right to it, or a selector that is none.
fn is_hopeless(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(Error::Api(status))
        | watcher::Error::WatchStartFailed(Error::Api(status)) => {
            matches!(status.code, 400 | 401 | 403 | 404 | 405 | 422)
        }
        _ => false,
    }
}

/// Where notices go, and in which form.
struct Shown<'a> {
    form: Form,
    narrator: &'a Narrator,
}

enum Form {
    Lines,
    Json,
    Table(Table),
}

impl<'a> Shown<'a> {
    fn new(output: Option<WatchOutput>, title: String, narrator: &'a Narrator) -> Self {
        let form = match output {
            Some(WatchOutput::Json) => Form::Json,
            Some(WatchOutput::Lines) => Form::Lines,
            None if io::stdout().is_terminal() => Form::Table(Table::new(title, log::colours_on(&io::stdout()))),
            None => Form::Lines,
        };
        Self { form, narrator }
    }

    /// Whether it changes with time, too.
    fn is_drawn(&self) -> bool {
        matches!(self.form, Form::Table(_))
    }

    /// Prints the notices, or keeps them for the next frame.
    fn show(&mut self, notices: &[Notice]) -> io::Result<()> {
        let text: String = match &mut self.form {
            Form::Lines => notices.iter().map(|notice| format!("{notice}\n")).collect(),
            Form::Json => notices.iter().map(|notice| format!("{}\n", notice.to_json())).collect(),
            Form::Table(table) => {
                table.note(notices);
                return Ok(());
            }
        };
        if text.is_empty() { Ok(()) } else { self.narrator.write(&text) }
    }

    /// Draws a frame, where there are frames.
    fn draw(&mut self, observer: &Observer, report: &watcher::Report) -> io::Result<()> {
        match &mut self.form {
            Form::Lines | Form::Json => Ok(()),
            Form::Table(table) => self.narrator.write(&table.draw(observer, report, Instant::now())),
        }
    }
}
