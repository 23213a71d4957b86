//! The smallest controller that people write: it prints a line when it reconciles for the first time.

use std::convert::Infallible;
use std::error::Error;
use std::future::ready;
use std::sync::{Arc, Once};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Api, Client};

static FIRST: Once = Once::new();

async fn reconcile(_: Arc<Pod>, _: Arc<()>) -> Result<Action, Infallible> {
    FIRST.call_once(|| println!("reconciled"));
    Ok(Action::await_change())
}

async fn run() -> Result<(), Box<dyn Error>> {
    let client = Client::try_default().await?;
    let config = watcher::Config {
        initial_list_strategy: watcher::InitialListStrategy::ListWatch,
        ..watcher::Config::default()
    };
    let controller = Controller::new(Api::<Pod>::all(client), config);
    controller.run(reconcile, |_, error, _| match *error {}, Arc::new(())).for_each(|_| ready(())).await;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(run())
}
