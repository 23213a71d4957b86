//! The replicas, as processes.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// Processes, each with a name of its own.
pub(crate) struct Replicas {
    running: Vec<(String, Child)>,
    started: usize,
    kubeconfig: PathBuf,
    namespace: String,
    how: &'static str,
}

impl Replicas {
    /// None yet; `how` they divide the work is `leader` or `shards`.
    pub(crate) fn new(kubeconfig: &Path, namespace: &str, how: &'static str) -> Self {
        let (kubeconfig, namespace) = (kubeconfig.to_owned(), namespace.to_owned());
        Self { running: Vec::new(), started: 0, kubeconfig, namespace, how }
    }

    /// Starts one more, and returns its name.
    pub(crate) fn start(&mut self) -> String {
        self.started += 1;
        let name = format!("replica-{}", self.started);
        let child = Command::new(env!("CARGO_BIN_EXE_replica"))
            .args([&name, &self.namespace, self.how])
            .env("KUBECONFIG", &self.kubeconfig)
            .spawn()
            .expect("the replica was built with this test");
        self.running.push((name.clone(), child));
        name
    }

    /// Those that run.
    pub(crate) fn names(&self) -> Vec<String> {
        self.running.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Ends a replica by SIGKILL.
    pub(crate) fn kill(&mut self, name: &str) {
        let mut child = self.take(name);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Asks a replica to stop, and waits until it has.
    pub(crate) fn terminate(&mut self, name: &str) {
        self.signal(name, "TERM");
        let status = self.take(name).wait().unwrap();
        assert!(status.success(), "{name} stopped with {status}");
    }

    pub(crate) fn signal(&self, name: &str, signal: &str) {
        let (_, child) = self.running.iter().find(|(it, _)| it == name).expect("who writes is running");
        let status = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
        assert!(status.success(), "{name} could not be sent {signal}");
    }

    /// Ends all, which must still be there.
    pub(crate) fn stop(&mut self) {
        for (name, mut child) in std::mem::take(&mut self.running) {
            assert!(child.try_wait().unwrap().is_none(), "{name} has ended by itself");
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    fn take(&mut self, name: &str) -> Child {
        let place = self.running.iter().position(|(it, _)| it == name).expect("who writes is running");
        self.running.remove(place).1
    }
}

impl Drop for Replicas {
    /// Also where the test fails: nobody else ends them.
    fn drop(&mut self) {
        for (_, child) in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
