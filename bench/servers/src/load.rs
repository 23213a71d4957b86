//! Writers and readers: how many writes and how many megabytes of lists a server manages in a second.

use std::ops::Range;

use bytes::Bytes;
use tokio::task::JoinSet;

use crate::BoxError;
use crate::connection::Connection;
use crate::measure::{Rate, Stretch};
use crate::objects;
use crate::side::Running;

/// Creates pods and patches each once, from several connections at once; says how many writes that were.
pub(crate) async fn writes(running: &Running) -> Result<Rate, BoxError> {
    writes_by(running, WRITERS, 0..PODS).await
}

/// The same with these pods, from so many connections.
pub(crate) async fn writes_by(running: &Running, count: usize, numbers: Range<usize>) -> Result<Rate, BoxError> {
    writes_of(running, count, PATH, numbers.map(Object::pod).collect()).await
}

/// The same with objects of a collection.
pub(crate) async fn writes_of(
    running: &Running,
    count: usize,
    collection: &'static str,
    objects: Vec<Object>,
) -> Result<Rate, BoxError> {
    let amount = objects.len();
    // Written down beforehand: making them is not the server's work.
    let mut shares: Vec<Vec<Object>> = (0..count).map(|_| Vec::new()).collect();
    objects.into_iter().enumerate().for_each(|(number, object)| shares[number % count].push(object));
    let mut writers = Vec::new();
    for share in shares {
        writers.push((Connection::open(&running.address).await?, share));
    }
    let mut writing = JoinSet::new();
    let stretch = Stretch::begin(running.process()?)?;
    for (connection, objects) in writers {
        writing.spawn(write(connection, collection, objects));
    }
    while let Some(done) = writing.join_next().await {
        done??;
    }
    stretch.end(2.0 * amount as f64)
}

/// What is sent about one object.
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) created: Bytes,
    pub(crate) patch: Bytes,
}

impl Object {
    fn pod(number: usize) -> Self {
        let name = objects::pod_name(number);
        Self { name, created: objects::pod(number), patch: objects::label_patch(number) }
    }
}

async fn write(mut connection: Connection, collection: &str, objects: Vec<Object>) -> Result<(), BoxError> {
    for object in objects {
        let path = format!("{collection}/{}", object.name);
        connection.send("POST", collection, "application/json", object.created).await?;
        connection.send("PATCH", &path, "application/merge-patch+json", object.patch).await?;
    }
    Ok(())
}

/// Lists all pods again and again, from several connections at once; says how many megabytes came.
pub(crate) async fn lists(running: &Running) -> Result<Rate, BoxError> {
    let mut readers = JoinSet::new();
    let mut connections = Vec::new();
    for _ in 0..READERS {
        connections.push(Connection::open(&running.address).await?);
    }
    let stretch = Stretch::begin(running.process()?)?;
    for connection in connections {
        readers.spawn(read(connection));
    }
    let mut bytes = 0;
    while let Some(done) = readers.join_next().await {
        bytes += done??;
    }
    stretch.end(bytes as f64 / 1e6)
}

async fn read(mut connection: Connection) -> Result<usize, BoxError> {
    let mut bytes = 0;
    for _ in 0..LISTS {
        bytes += connection.send("GET", "/api/v1/pods", "", Default::default()).await?;
    }
    Ok(bytes)
}

const PATH: &str = "/api/v1/namespaces/default/pods";

/// Enough that starting and ending does not count.
const PODS: usize = 3000;

/// A few controllers at work.
pub(crate) const WRITERS: usize = 8;

/// Two at once keep both cores busy.
const READERS: usize = 2;

/// A list of all pods has about 10 MB.
const LISTS: usize = 10;
