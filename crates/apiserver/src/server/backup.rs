//! The objects of a server as text, and a server that goes on from it: what etcd is for kube-apiserver between two runs.
//!
//! In: a server, or a text. Out: a text (`data/snapshot.rs` prints and reads it), or a server with exactly these objects.
//! History, watches and faults are not in it.

use super::Server;
use crate::data::snapshot::{self, RestoreError};

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
        let text = self.state.backup();
        // If the data directory fails, the server answers nobody any more, and this is all there is of what memory had.
        drop(self.state.flush_committed());
        text
    }

    /// Replaces everything that is stored by what a [`Server::backup`] holds, and goes on from its revision, as a
    /// kube-apiserver does that was started anew on its etcd: a watch or an exact list from before is answered with 410.
    ///
    /// # Errors
    /// If the text is not a backup; nothing is changed then.
    pub fn restore(&self, backup: &str) -> Result<(), RestoreError> {
        let contents = snapshot::parse(backup)?;
        self.state.replace_stored(|cluster| {
            cluster.restore(contents.objects, contents.revision);
            true
        });
        self.state.check_journal().map_err(RestoreError::of_data)
    }
}
