//! Writers and readers: how many writes and how many megabytes of lists a server manages in a second.

use tokio::task::JoinSet;

use crate::BoxError;
use crate::connection::Connection;
use crate::measure::{Rate, Stretch};
use crate::objects;
use crate::side::Running;

/// Creates pods and patches each once, from several connections at once; says how many writes that were.
pub(crate) async fn writes(running: &Running) -> Result<Rate, BoxError> {
    let mut writers = JoinSet::new();
    let mut connections = Vec::new();
    for _ in 0..WRITERS {
        connections.push(Connection::open(&running.address).await?);
    }
    let stretch = Stretch::begin(running.process()?)?;
    for (writer, connection) in connections.into_iter().enumerate() {
        writers.spawn(write(connection, (writer..PODS).step_by(WRITERS)));
    }
    while let Some(done) = writers.join_next().await {
        done??;
    }
    stretch.end(2.0 * PODS as f64)
}

async fn write(mut connection: Connection, numbers: impl Iterator<Item = usize>) -> Result<(), BoxError> {
    for number in numbers {
        connection.send("POST", PATH, "application/json", objects::pod(number)).await?;
        let path = format!("{PATH}/{}", objects::pod_name(number));
        connection.send("PATCH", &path, "application/merge-patch+json", objects::label_patch(number)).await?;
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
const WRITERS: usize = 8;

/// Two at once keep both cores busy.
const READERS: usize = 2;

/// A list of all pods has about 10 MB.
const LISTS: usize = 10;
