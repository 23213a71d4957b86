//! The replicas, as processes.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// Three processes, each with a name of its own; one that has ended is replaced by another.
pub(crate) struct Replicas {
    running: Vec<(String, Child)>,
    started: usize,
    kubeconfig: PathBuf,
    namespace: String,
}

impl Replicas {
    pub(crate) fn start(number: usize, kubeconfig: &Path, namespace: &str) -> Self {
        let (kubeconfig, namespace) = (kubeconfig.to_owned(), namespace.to_owned());
        let mut replicas = Self { running: Vec::new(), started: 0, kubeconfig, namespace };
        (0..number).for_each(|_| replicas.start_one());
        replicas
    }

    fn start_one(&mut self) {
        self.started += 1;
        let name = format!("replica-{}", self.started);
        let child = Command::new(env!("CARGO_BIN_EXE_replica"))
            .args([&name, &self.namespace])
            .env("KUBECONFIG", &self.kubeconfig)
            .spawn()
            .expect("the replica was built with this test");
        self.running.push((name, child));
    }

    /// Ends a replica by SIGKILL, and starts another.
    pub(crate) fn kill(&mut self, name: &str) {
        let mut child = self.take(name);
        child.kill().unwrap();
        child.wait().unwrap();
        self.start_one();
    }

    /// Asks a replica to stop, and starts another.
    pub(crate) fn terminate(&mut self, name: &str) {
        self.signal(name, "TERM");
        let status = self.take(name).wait().unwrap();
        assert!(status.success(), "{name} stopped with {status}");
        self.start_one();
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
