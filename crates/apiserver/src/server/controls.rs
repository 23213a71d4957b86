//! What a test does to a server: make rules of faults, command watches about, forget history, stand still, go back, move its
//! clock.

use std::collections::BTreeMap;

use super::Server;
use crate::authorization::least_privilege::{self, LeastPrivilege};
use crate::clock::{ClockMove, OutOfRange};
use crate::faults::open_watches::WatchCommand;
use crate::faults::trace::Trace;
use crate::faults::{Fault, Requests, Rule};

impl Server {
    /// From now on this happens to these requests; see [`Fault`] for everything that can.
    ///
    /// ```
    /// # use pintle_apiserver::{Fault, Requests, Server};
    /// # let server = Server::new();
    /// let rule = server.fault(Requests::updates().of("leases").with_chance(0.2), Fault::LostResponse);
    /// // … run the controller …
    /// rule.lift();
    /// ```
    pub fn fault(&self, requests: Requests, fault: Fault) -> Rule {
        self.state.rules.add(requests, fault)
    }

    /// Ends all rules.
    pub fn lift_faults(&self) {
        self.state.rules.lift_all();
    }

    /// How often each kind of fault took effect, by [`Fault::name`]; faults that have a rule but did not happen yet
    /// count 0.
    pub fn faults_fired(&self) -> BTreeMap<&'static str, u64> {
        self.state.rules.fired()
    }

    /// The last 1,000 lines of what was requested, answered and made to fail, oldest first.
    pub fn trace(&self) -> Vec<Trace> {
        self.state.log.lines()
    }

    /// The smallest roles for what a user did so far: `name` is the user's, that of its service account without the namespace,
    /// or that of the program (the first word of its `User-Agent`). Run an operator in a test with everything allowed, and
    /// print what it needs; see [`LeastPrivilege`] for what is added to what was seen.
    ///
    /// ```
    /// # use pintle_apiserver::Server;
    /// let server = Server::new();
    /// let operator = server.as_user("system:serviceaccount:my-system:my-operator", &[]);
    /// // … run the operator through this handle, then:
    /// let role = server.role_for("my-operator");
    /// println!("{}", role.to_yaml());
    /// ```
    pub fn role_for(&self, name: &str) -> LeastPrivilege {
        let callers = self.state.access_log.of(name);
        let user = callers.first().map_or_else(|| name.to_owned(), |(caller, _)| caller.user.clone());
        let seen = callers.into_iter().flat_map(|(_, seen)| seen).collect();
        let catalog = self.state.catalog();
        least_privilege::roles(&user, &seen, |group, plural| catalog.is_namespaced(group, plural))
    }

    /// Ends these watches now, as at their timeout, and returns how many there were.
    pub fn cut_watches(&self, requests: &Requests) -> usize {
        self.state.watches.command(requests, WatchCommand::End, &self.state.log)
    }

    /// Breaks these watches now, as a reset connection does, and returns how many there were.
    pub fn break_watches(&self, requests: &Requests) -> usize {
        self.state.watches.command(requests, WatchCommand::Break, &self.state.log)
    }

    /// Makes these watches silent while they stay open, and returns how many there were.
    pub fn stall_watches(&self, requests: &Requests) -> usize {
        self.state.watches.command(requests, WatchCommand::Stall, &self.state.log)
    }

    /// Lets these watches go on that were silent, with everything they missed, and returns how many there were.
    pub fn resume_watches(&self, requests: &Requests) -> usize {
        self.state.watches.command(requests, WatchCommand::Go, &self.state.log)
    }

    /// Sends a bookmark to these watches now, those that asked for bookmarks, and returns how many watches there were.
    pub fn send_bookmarks(&self, requests: &Requests) -> usize {
        self.state.watches.command_bookmarks(requests, &self.state.log)
    }

    /// Pauses: requests are not handled and watches send nothing until [`Server::resume`].
    pub fn pause(&self) {
        self.state.log.write_of_server("pause");
        self.state.watches.pause(true);
    }

    /// Goes on where [`Server::pause`] stopped.
    pub fn resume(&self) {
        self.state.log.write_of_server("resume");
        self.state.watches.pause(false);
    }

    /// Forgets the history of all objects, as a compaction of etcd does: a watch or an exact list from an earlier
    /// version is answered with 410 from now on, and so are continue tokens. Watches that are open go on.
    pub fn expire_history(&self) {
        self.expire_history_before(self.revision());
    }

    /// Forgets the history before a version: that one can still be watched and read from, earlier ones cannot.
    pub fn expire_history_before(&self, version: u64) {
        self.state.log.write_of_server("expire history");
        self.state.cluster().store.expire_history_before(version);
    }

    /// Goes back to the state at an earlier version, as an etcd that was restored from a backup does: what came later
    /// never was, versions are given out again, and watches end. It fails, and changes nothing, when history does not
    /// reach back so far.
    pub fn rewind(&self, version: u64) -> Result<(), HistoryLost> {
        if !self.state.replace_stored(|cluster| cluster.rewind(version)) {
            return Err(HistoryLost { version });
        }
        self.state.log.write_of_server("rewind");
        Ok(())
    }

    /// What time it is on this server.
    pub fn now(&self) -> jiff::Timestamp {
        self.state.cluster().clock.now()
    }

    /// Moves the server's clock: what it writes as a time, and everything that expires by it (tokens, events), is as if that
    /// much time had gone by. What is due then is done before this returns, apart from what has to ask webhooks
    /// ([`Server::settle`]). Timers (of watches, bookmarks and faults) follow `tokio::time` all the same.
    ///
    /// ```
    /// # use pintle_apiserver::{ClockMove, Server};
    /// # use jiff::SignedDuration;
    /// let server = Server::new();
    /// server.move_clock(ClockMove::To("2030-01-01T00:00:00Z".parse()?))?;
    /// server.move_clock(ClockMove::By(SignedDuration::from_hours(1)))?;
    /// assert!(server.now() >= "2030-01-01T01:00:00Z".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such time; the clock is left as it was.
    pub fn move_clock(&self, change: ClockMove) -> Result<(), OutOfRange> {
        self.state.cluster().clock.apply(change)?;
        self.state.log.write_of_server("move clock");
        let mut cluster = self.state.cluster();
        cluster.pending.bring_back_all();
        cluster.settle();
        Ok(())
    }

    /// How far the clock is from what it would show had nobody moved it, and whether it stands still.
    pub fn clock_moved_by(&self) -> (jiff::SignedDuration, bool) {
        self.state.cluster().clock.moved_by()
    }

    /// Whether [`Server::pause`] was called, and [`Server::resume`] not since.
    pub fn is_paused(&self) -> bool {
        self.state.watches.is_paused()
    }
}

/// A version cannot be gone back to, because the history since is not whole any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLost {
    version: u64,
}

impl std::fmt::Display for HistoryLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "cannot go back to version {}: it is in the future, or the changes since are forgotten; a larger \
             `Builder::history` keeps more of them",
            self.version
        )
    }
}

impl std::error::Error for HistoryLost {}
