//! The objects of a server as text, and a server that goes on from it: what etcd is for kube-apiserver between two runs.
//!
//! In: a server, or a text. Out: a text, a line of JSON for each object and one for the revision; or a server with exactly these
//! objects: uids, versions, managers and all. History, watches and faults are not in it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use pintle_wire::HeadReader;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Server;
use crate::storage::entry::Entry;
use crate::storage::store::{Objects, Resource};

impl Server {
    /// Everything that is stored, as text for [`Server::restore`].
    ///
    /// ```
    /// # use pintle_apiserver::Server;
    /// let before = Server::new();
    /// let after = Server::new();
    /// after.restore(&before.backup())?;
    /// assert_eq!(after.revision(), before.revision());
    /// # Ok::<(), pintle_apiserver::RestoreError>(())
    /// ```
    pub fn backup(&self) -> String {
        let cluster = self.state.settled();
        let mut text = line(&Head { revision: cluster.store.revision() });
        for (resource, stored) in &cluster.store.objects() {
            for (key, entry) in stored {
                let object = serde_json::from_slice(entry.body_bytes()).expect("what is stored is JSON");
                let (group, plural, key) = (&*resource.group, &*resource.plural, Cow::Borrowed(&**key));
                text += &line(&Stored { group, plural, key, revision: entry.revision, object });
            }
        }
        text
    }

    /// Replaces everything that is stored by what a [`Server::backup`] holds, and goes on from its revision, as a
    /// kube-apiserver does that was started anew on its etcd: a watch or an exact list from before is answered with 410.
    ///
    /// # Errors
    /// If the text is not a backup; nothing is changed then.
    pub fn restore(&self, backup: &str) -> Result<(), RestoreError> {
        let mut lines = backup.lines().enumerate();
        let wrong = |at: usize, why: &dyn fmt::Display| RestoreError { line: at + 1, why: why.to_string() };
        let (_, first) = lines.next().ok_or_else(|| wrong(0, &"it is empty"))?;
        let head: Head = serde_json::from_str(first).map_err(|error| wrong(0, &error))?;
        let (mut objects, mut reader) = (Objects::new(), HeadReader::new());
        for (at, text) in lines {
            let stored: Stored<'_> = serde_json::from_str(text).map_err(|error| wrong(at, &error))?;
            let entry = Entry::of_body(&mut reader, stored.object.get().as_bytes(), stored.revision);
            let entry = entry.map_err(|error| wrong(at, &error))?;
            let resource = Resource::new(stored.group, stored.plural);
            objects.entry(resource).or_default().insert(Arc::from(&*stored.key), Arc::new(entry));
        }
        self.state.cluster().restore(objects, head.revision);
        Ok(())
    }
}

/// The first line.
#[derive(Deserialize, Serialize)]
struct Head {
    revision: u64,
}

/// Every other line. Groups and plurals have no characters that JSON escapes; the name of a role may.
#[derive(Deserialize, Serialize)]
struct Stored<'a> {
    group: &'a str,
    plural: &'a str,
    #[serde(borrow)]
    key: Cow<'a, str>,
    revision: u64,
    #[serde(borrow)]
    object: &'a RawValue,
}

fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("texts and numbers are JSON");
    line.push('\n');
    line
}

/// Why a text could not be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreError {
    line: usize,
    why: String,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is not a backup of a server: line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for RestoreError {}
