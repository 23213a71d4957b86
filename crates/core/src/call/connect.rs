//! What exec, attach and portforward say behind the `?`: the words of connections, which other calls do not know.
//!
//! The invariant: what [`Connect::parameters`] gives, [`Connect::parse`] reads back.

use super::query::truth;
use super::{Error, Result};

/// The streams of a connection to a pod, and what runs at its other end.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Connect {
    /// The container; a pod with only one needs no name.
    pub container: Option<String>,
    /// Whether the process is written to.
    pub stdin: bool,
    /// Whether its output is read.
    pub stdout: bool,
    /// Whether its errors are read.
    pub stderr: bool,
    /// Whether it runs in a terminal.
    pub tty: bool,
    /// The command and its arguments; for exec.
    pub command: Vec<String>,
    /// The ports; for portforward.
    pub ports: Vec<u16>,
}

impl Connect {
    /// The subresources that are connections.
    pub(super) const SUBRESOURCES: [&str; 3] = ["exec", "attach", "portforward"];

    /// What the query says, in kube's order.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        let flags = [("stdin", self.stdin), ("stdout", self.stdout), ("stderr", self.stderr), ("tty", self.tty)];
        let ports: Vec<_> = self.ports.iter().map(u16::to_string).collect();
        flags
            .into_iter()
            .filter(|(_, said)| *said)
            .map(|(parameter, _)| (parameter, "true".to_owned()))
            .chain(self.container.iter().map(|it| ("container", it.clone())))
            .chain(self.command.iter().map(|it| ("command", it.clone())))
            .chain((!ports.is_empty()).then(|| ("ports", ports.join(","))))
    }

    /// Reads the query back; ports may also be said one by one, as kubectl does.
    pub(super) fn parse(query: &str) -> Result<Self> {
        let mut parsed = Self::default();
        for (parameter, value) in form_urlencoded::parse(query.as_bytes()) {
            match parameter.as_ref() {
                "stdin" => parsed.stdin = truth(&value),
                "stdout" => parsed.stdout = truth(&value),
                "stderr" => parsed.stderr = truth(&value),
                "tty" => parsed.tty = truth(&value),
                "container" => parsed.container = Some(value.into_owned()),
                "command" => parsed.command.push(value.into_owned()),
                "ports" => parsed.ports.extend(ports(&value)?),
                _ => {}
            }
        }
        Ok(parsed)
    }
}

fn ports(value: &str) -> Result<Vec<u16>> {
    let wrong = |_| Error::Query { parameter: "ports", value: value.to_owned(), expected: "port numbers" };
    value.split(',').map(str::parse).collect::<Result<_, _>>().map_err(wrong)
}
