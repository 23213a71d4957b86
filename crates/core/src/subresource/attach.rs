//! Connections to pods: attach to a process, run one, forward ports. The params and the calls; the streams themselves
//! are the client's.

use crate::call::{Call, Connect, Error, Query, Result, Target, Verb};

/// Which streams of a process, of which container.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AttachParams {
    /// The container; a pod with only one needs no name.
    pub container: Option<String>,
    /// Whether to write to it.
    pub stdin: bool,
    /// Whether to read its output.
    pub stdout: bool,
    /// Whether to read its errors; a terminal has none of its own.
    pub stderr: bool,
    /// Whether it runs in a terminal.
    pub tty: bool,
    /// At most so many bytes wait to be written.
    pub max_stdin_buf_size: Option<usize>,
    /// At most so many bytes of output wait to be read.
    pub max_stdout_buf_size: Option<usize>,
    /// At most so many bytes of errors wait to be read.
    pub max_stderr_buf_size: Option<usize>,
}

/// Reads output and errors.
impl Default for AttachParams {
    fn default() -> Self {
        Self {
            container: None,
            stdin: false,
            stdout: true,
            stderr: true,
            tty: false,
            max_stdin_buf_size: None,
            max_stdout_buf_size: None,
            max_stderr_buf_size: None,
        }
    }
}

impl AttachParams {
    /// A terminal to type in.
    pub fn interactive_tty() -> Self {
        Self { stdin: true, tty: true, stderr: false, ..Self::default() }
    }

    /// In this container.
    #[must_use]
    pub fn container<T: Into<String>>(mut self, container: T) -> Self {
        self.container = Some(container.into());
        self
    }

    /// Whether to write to it.
    #[must_use]
    pub fn stdin(mut self, enable: bool) -> Self {
        self.stdin = enable;
        self
    }

    /// Whether to read its output.
    #[must_use]
    pub fn stdout(mut self, enable: bool) -> Self {
        self.stdout = enable;
        self
    }

    /// Whether to read its errors.
    #[must_use]
    pub fn stderr(mut self, enable: bool) -> Self {
        self.stderr = enable;
        self
    }

    /// Whether it runs in a terminal.
    #[must_use]
    pub fn tty(mut self, enable: bool) -> Self {
        self.tty = enable;
        self
    }

    /// At most so many bytes wait to be written.
    #[must_use]
    pub fn max_stdin_buf_size(mut self, size: usize) -> Self {
        self.max_stdin_buf_size = Some(size);
        self
    }

    /// At most so many bytes of output wait to be read.
    #[must_use]
    pub fn max_stdout_buf_size(mut self, size: usize) -> Self {
        self.max_stdout_buf_size = Some(size);
        self
    }

    /// At most so many bytes of errors wait to be read.
    #[must_use]
    pub fn max_stderr_buf_size(mut self, size: usize) -> Self {
        self.max_stderr_buf_size = Some(size);
        self
    }

    /// Whether there is a stream at all, and none that cannot be.
    pub(crate) fn check(&self) -> Result<()> {
        if !self.stdin && !self.stdout && !self.stderr {
            return Err(Error::Validation("AttachParams ask for no stream: set stdin, stdout or stderr".into()));
        }
        if self.tty && self.stderr {
            let why = "AttachParams ask for a terminal and for stderr, but a terminal has no stderr: unset one";
            return Err(Error::Validation(why.into()));
        }
        Ok(())
    }

    fn connect(&self) -> Result<Connect> {
        self.check()?;
        Ok(Connect {
            container: self.container.clone(),
            stdin: self.stdin,
            stdout: self.stdout,
            stderr: self.stderr,
            tty: self.tty,
            ..Connect::default()
        })
    }
}

impl Call {
    /// Attaches to the process of the pod `target` names.
    pub fn attach(target: Target, params: &AttachParams) -> Result<Self> {
        connecting(target, "attach", params.connect()?)
    }

    /// Runs `command` in the pod `target` names.
    pub fn exec(target: Target, command: Vec<String>, params: &AttachParams) -> Result<Self> {
        connecting(target, "exec", Connect { command, ..params.connect()? })
    }

    /// Forwards `ports` of the pod `target` names.
    pub fn portforward(target: Target, ports: &[u16]) -> Result<Self> {
        check_ports(ports)?;
        connecting(target, "portforward", Connect { ports: ports.to_vec(), ..Connect::default() })
    }
}

/// Each port has two channels, a channel is one byte, and the last one is taken.
const PORTS_MAX: usize = 127;

/// Whether there is a port, none twice, and not more than a connection can carry.
pub(crate) fn check_ports(ports: &[u16]) -> Result<()> {
    if ports.is_empty() {
        return Err(Error::Validation("a port to forward is needed".into()));
    }
    if ports.len() > PORTS_MAX {
        return Err(Error::Validation(format!("at most {PORTS_MAX} ports can be forwarded at once")));
    }
    match ports.iter().enumerate().find(|(at, port)| ports[..*at].contains(port)) {
        Some((_, twice)) => Err(Error::Validation(format!("port {twice} is to be forwarded twice"))),
        None => Ok(()),
    }
}

fn connecting(target: Target, subresource: &str, connect: Connect) -> Result<Call> {
    let query = Query { connect, ..Query::default() };
    target.require_name()?;
    Ok(Call { query, ..Call::new(Verb::Get, target.subresource(subresource)) })
}
