//! A real kube-apiserver to list: the one of `cargo xtask kube build`, filled with generated objects, or one that is there.
//!
//! In: a kubeconfig, or how many objects of which kind. Out: a kubeconfig, and how many of them there are. A server that is
//! there is not written to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use futures::{StreamExt, TryStreamExt, stream};
use http::{Method, Request};
use pintle::config::{KubeConfigOptions, Kubeconfig};
use pintle::{Client, Config};
use pintle_real::{Options, RealServer};
use serde_json::{Value, json};

use crate::BoxError;
use crate::objects::{Kind, TEMPLATES};

/// A server with objects; if it was started for this, it ends when this is dropped.
pub(crate) struct FilledServer {
    started: Option<RealServer>,
    kubeconfig: PathBuf,
    /// How many objects of the kind there are.
    pub(crate) count: usize,
}

impl FilledServer {
    /// The server of `kubeconfig`, or without one a new server with so many objects.
    pub(crate) fn new(kubeconfig: Option<&Path>, kind: Kind, count: usize) -> Result<Self, BoxError> {
        if kind == Kind::Documents {
            return Err("a real server does not have the kind of `documents`".into());
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        if let Some(kubeconfig) = kubeconfig {
            let count = runtime.block_on(async { count_objects(&client(kubeconfig).await?, kind).await })?;
            return Ok(Self { started: None, kubeconfig: kubeconfig.to_owned(), count });
        }
        // Without controllers: the garbage collector would miss the owners.
        let started = RealServer::start("bench", Options { controllers: false, ..Options::default() })?;
        let kubeconfig = started.kubeconfig().to_owned();
        let count = runtime.block_on(async {
            let client = client(&kubeconfig).await?;
            fill(&client, kind, count).await?;
            count_objects(&client, kind).await
        })?;
        Ok(Self { started: Some(started), kubeconfig, count })
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        self.started.as_ref().map_or(&self.kubeconfig, RealServer::kubeconfig)
    }
}

async fn client(kubeconfig: &Path) -> Result<Client, BoxError> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    Ok(Client::try_from(Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?)?)
}

async fn fill(client: &Client, kind: Kind, count: usize) -> Result<(), BoxError> {
    let namespaces: BTreeSet<String> =
        kind.references(count.min(TEMPLATES))?.into_iter().map(|(namespace, _)| namespace).collect();
    for name in namespaces {
        send(client, Method::POST, "/api/v1/namespaces", &json!({ "metadata": { "name": name } })).await?;
    }
    stream::iter((0..count).map(|index| create(client, kind, index))).buffer_unordered(WRITERS).try_collect().await
}

async fn create(client: &Client, kind: Kind, index: usize) -> Result<(), BoxError> {
    let mut object: Value = serde_json::from_str(&kind.json(index, TEMPLATES))?;
    let metadata = object["metadata"].as_object_mut().ok_or("it has metadata")?;
    metadata.retain(|field, _| !SERVERS_FIELDS.contains(&field.as_str()));
    let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
    let (name, namespace) = (text("name"), text("namespace"));
    // A server takes no probes of containers that end.
    for container in object["spec"]["initContainers"].as_array_mut().into_iter().flatten() {
        container.as_object_mut().ok_or("it is a container")?.retain(|field, _| !field.ends_with("Probe"));
    }
    let path = format!("/api/v1/namespaces/{namespace}/{}", kind.name());
    send(client, Method::POST, &path, &object).await?;
    if kind == Kind::Pods {
        send(client, Method::PUT, &format!("{path}/{name}/status"), &object).await?;
    }
    Ok(())
}

async fn count_objects(client: &Client, kind: Kind) -> Result<usize, BoxError> {
    let request = Request::get(format!("/api/v1/{}?limit=1", kind.name()));
    let page: Value = client.request(request.body(Vec::new())?).await?;
    let first = page["items"].as_array().map_or(0, Vec::len);
    Ok(first + usize::try_from(page["metadata"]["remainingItemCount"].as_u64().unwrap_or_default())?)
}

async fn send(client: &Client, method: Method, path: &str, object: &Value) -> Result<(), BoxError> {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    client.request::<Value>(request.body(serde_json::to_vec(object)?)?).await?;
    Ok(())
}

/// What a server writes itself.
const SERVERS_FIELDS: [&str; 5] = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"];
/// As many as keep a server busy on a few processors.
const WRITERS: usize = 16;
