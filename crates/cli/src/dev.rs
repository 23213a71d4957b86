//! `pintle dev`: a server, a kind, a controller and a few objects, all in this process, and a commentary.
//!
//! The controller reaches the server the way any other would: over HTTPS, with the token of its service account, whose role
//! allows what it does and nothing else.

mod account;
mod author;
mod document;
mod observer;
mod publisher;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Instant;

use pintle::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle::{Api, Client};
use pintle_apiserver::{Credential, Server};

use crate::args::DevArgs;
use crate::failure::Failure;
use crate::kubeconfig::KubeconfigFile;
use crate::narrator::Narrator;
use crate::serve;
use crate::stop::Stop;

pub(crate) async fn run(args: DevArgs, narrator: &Narrator) -> Result<(), Failure> {
    let stop = Stop::listen(args.duration);
    let file = KubeconfigFile::at(args.kubeconfig);
    let (serving, milliseconds) = serve::start(
        Server::builder().rbac().build(),
        Instant::now(),
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        &file,
        narrator,
    )
    .await?;
    let address = serving.local_addr();
    narrator.say(
        "server",
        format_args!("https://{address}, ready in {milliseconds:.1} ms; for development, not production"),
    );
    narrator.say(
        "kubectl",
        format_args!("kubectl --kubeconfig {} get documents --all-namespaces --watch", file.path().display()),
    );

    let client = connect(&serving.kubeconfig()).await?;
    document::install(&client, narrator).await?;
    let documents: Api<document::Document> = Api::all(client.clone());
    let observing = tokio::spawn(observer::run(documents, narrator.clone()));
    let writing = tokio::spawn(author::run(client.clone(), narrator.clone()));
    let token = account::install(&client, narrator).await?;
    let controller = connect(&serving.kubeconfig_with(&Credential::Token(token))).await?;
    publisher::run(controller, stop, narrator).await;

    writing.abort();
    observing.abort();
    serving.shutdown().await;
    narrator.say("server", "stopped");
    Ok(())
}

async fn connect(kubeconfig: &str) -> Result<Client, Failure> {
    let what = "cannot use the kubeconfig just written";
    let kubeconfig = Kubeconfig::from_yaml(kubeconfig).map_err(|error| Failure::new(what, error))?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(|error| Failure::new(what, error))?;
    Client::try_from(config).map_err(|error| Failure::new(what, error))
}
