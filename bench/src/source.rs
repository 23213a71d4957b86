//! Where a measured program gets its objects from, and how the measurement says what happens next there.
//!
//! In its own process the cluster is a service under the client: nothing but the library is measured. Behind a socket it is
//! the process that compares, which serves every side alike; what reads the socket is then part of what is measured. A real
//! server is listed and nothing more.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;

use crate::BoxError;
use crate::cluster::Cluster;
use crate::objects::Kind;

/// A cluster of so many objects, and what happens in it.
pub(crate) struct Source {
    pub(crate) kind: Kind,
    pub(crate) count: usize,
    pub(crate) place: Place,
    pub(crate) history: History,
}

/// What happens while it is measured.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum History {
    /// The first list, a change of every object, and a list in which each has changed again.
    Whole,
    /// The first list.
    FirstList,
}

/// Where it is.
#[derive(Clone)]
pub(crate) enum Place {
    Here(Cluster),
    BehindSocket(SocketAddr),
    /// A real server, by its kubeconfig.
    Server(PathBuf),
}

impl Place {
    /// Whether its objects are those of `objects`.
    pub(crate) fn is_generated(&self) -> bool {
        !matches!(self, Self::Server(_))
    }

    /// Changes every object; nobody is told.
    pub(crate) fn change_all(&self) -> Result<(), BoxError> {
        self.perform(Step::ChangeAll)
    }

    /// Sends every object's change on the watch that is open.
    pub(crate) fn send_changes(&self) -> Result<(), BoxError> {
        self.perform(Step::SendChanges)
    }

    /// Ends the watch that is open, so that its client lists again.
    pub(crate) fn expire_watch(&self) -> Result<(), BoxError> {
        self.perform(Step::ExpireWatch)
    }

    /// Whether a watch is open.
    pub(crate) fn is_watched(&self) -> bool {
        self.perform(Step::IsWatched).is_ok()
    }

    fn perform(&self, step: Step) -> Result<(), BoxError> {
        match self {
            Self::Here(cluster) if step.perform(cluster) => Ok(()),
            Self::Here(_) => Err("there is no watch".into()),
            Self::BehindSocket(address) => steer(*address, step),
            Self::Server(_) => Err("a real server is only listed".into()),
        }
    }
}

/// What can be asked of a cluster behind a socket.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    ChangeAll,
    SendChanges,
    ExpireWatch,
    IsWatched,
}

impl Step {
    const ALL: [Self; 4] = [Self::ChangeAll, Self::SendChanges, Self::ExpireWatch, Self::IsWatched];

    /// The path of the request that asks for it.
    fn path(self) -> &'static str {
        match self {
            Self::ChangeAll => "/control/change-all",
            Self::SendChanges => "/control/send-changes",
            Self::ExpireWatch => "/control/expire-watch",
            Self::IsWatched => "/control/is-watched",
        }
    }

    /// What a request asks for.
    pub(crate) fn of(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.path() == path)
    }

    /// Does it; whether it could be done.
    pub(crate) fn perform(self, cluster: &Cluster) -> bool {
        match self {
            Self::ChangeAll => cluster.change_all(),
            Self::SendChanges => cluster.send_changes(),
            Self::ExpireWatch => cluster.expire_watch(),
            Self::IsWatched => return cluster.is_watched(),
        }
        true
    }
}

/// Asks for a step with a connection of its own, and waits until it is done.
fn steer(address: SocketAddr, step: Step) -> Result<(), BoxError> {
    let mut connection = TcpStream::connect(address)?;
    let path = step.path();
    write!(connection, "POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    if answer.starts_with("HTTP/1.1 200") {
        return Ok(());
    }
    Err(format!("{path}: {}", answer.lines().next().unwrap_or_default()).into())
}
