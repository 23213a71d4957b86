//! Requests to a kubelet itself, for pods that the API server cannot lead to: static ones, or when it is down.
//!
//! In: which pod and container. Out: requests with the kubelet's own paths and words, printed by
//! [`Request`] as kube prints them. The client has to be one of the kubelet's port, or of the API
//! server's proxy to a node. Segments are checked as everywhere.

use std::fmt::Debug;

use form_urlencoded::Serializer;

use crate::call::{self, push_segment};
use crate::request::{Error, Request};
use crate::subresource::{AttachParams, LogParams};

/// A pod, as a kubelet knows it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct KubeletDebugParams<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its uid, where the name alone does not say which.
    pub pod_uid: Option<&'a str>,
}

type Printed = Result<http::Request<Vec<u8>>, Error>;

impl KubeletDebugParams<'_> {
    fn path(&self, root: &str, container: Option<&str>) -> call::Result<String> {
        let mut path = format!("/{root}");
        push_segment(&mut path, "namespace", self.namespace)?;
        push_segment(&mut path, "name", self.name)?;
        if let Some(uid) = self.pod_uid {
            push_segment(&mut path, "uid", uid)?;
        }
        if let Some(container) = container {
            push_segment(&mut path, "container", container)?;
        }
        Ok(path)
    }
}

/// The kubelet's own paths.
impl Request {
    /// Attaches to the process of a container.
    ///
    /// # Errors
    /// When the params ask for no stream or contradict each other, or a name is none.
    pub fn kubelet_node_attach(
        kubelet_debug_params: &KubeletDebugParams<'_>,
        container: &str,
        ap: &AttachParams,
    ) -> Printed {
        print(kubelet_debug_params.path("attach", Some(container))?, streams(ap)?)
    }

    /// Runs `command` in a container.
    ///
    /// # Errors
    /// When the params ask for no stream or contradict each other, or a name is none.
    pub fn kubelet_node_exec<I, T>(
        kubelet_debug_params: &KubeletDebugParams<'_>,
        container: &str,
        command: I,
        ap: &AttachParams,
    ) -> Printed
    where
        I: IntoIterator<Item = T> + Debug,
        T: Into<String>,
    {
        let command = command.into_iter().map(|word| ("command", word.into()));
        print(kubelet_debug_params.path("exec", Some(container))?, streams(ap)?.into_iter().chain(command))
    }

    /// Forwards `ports` of a pod.
    ///
    /// # Errors
    /// When no port is given or one twice, or a name is none.
    pub fn kubelet_node_portforward(kubelet_debug_params: &KubeletDebugParams<'_>, ports: &[u16]) -> Printed {
        crate::subresource::check_ports(ports)?;
        let ports: Vec<_> = ports.iter().map(u16::to_string).collect();
        print(kubelet_debug_params.path("portForward", None)?, [("port", ports.join(","))])
    }

    /// Reads the log of a container.
    ///
    /// # Errors
    /// When a name is none.
    pub fn kubelet_node_logs(
        kubelet_debug_params: &KubeletDebugParams<'_>,
        container: &str,
        lp: &LogParams,
    ) -> Printed {
        // The kubelet knows logs by name alone.
        let pod = KubeletDebugParams { pod_uid: None, ..kubelet_debug_params.clone() };
        let said = LogParams { container: None, ..lp.clone() };
        print(pod.path("containerLogs", Some(container))?, said.parameters())
    }
}

/// The kubelet's words for the streams.
fn streams(ap: &AttachParams) -> call::Result<Vec<(&'static str, String)>> {
    ap.check()?;
    let flags = [("input", ap.stdin), ("output", ap.stdout), ("error", ap.stderr), ("tty", ap.tty)];
    Ok(flags.into_iter().filter(|(_, said)| *said).map(|(word, _)| (word, "1".to_owned())).collect())
}

fn print(path: String, parameters: impl IntoIterator<Item = (&'static str, String)>) -> Printed {
    // As everywhere in kube: a `?` always, an `&` before each parameter.
    let mut url = path + "?";
    for (word, value) in parameters {
        url.push('&');
        url.push_str(&Serializer::new(String::new()).append_pair(word, &value).finish());
    }
    http::Request::get(url).body(Vec::new()).map_err(Error::BuildRequest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: KubeletDebugParams<'_> = KubeletDebugParams { name: "p", namespace: "ns", pod_uid: None };

    fn check(printed: Printed, expected: &str) {
        assert_eq!(printed.unwrap().uri().to_string(), expected);
    }

    #[test]
    fn requests_have_the_kubelets_paths_and_words() {
        let known = KubeletDebugParams { pod_uid: Some("u"), ..POD };
        let streams = AttachParams::default();
        check(Request::kubelet_node_attach(&POD, "c", &streams), "/attach/ns/p/c?&output=1&error=1");
        check(
            Request::kubelet_node_exec(&known, "c", ["ls", "a&b"], &AttachParams::interactive_tty()),
            "/exec/ns/p/u/c?&input=1&output=1&tty=1&command=ls&command=a%26b",
        );
        check(Request::kubelet_node_portforward(&known, &[1, 2]), "/portForward/ns/p/u?&port=1%2C2");
        let params = LogParams { follow: true, container: Some("x".into()), ..LogParams::default() };
        check(Request::kubelet_node_logs(&known, "c", &params), "/containerLogs/ns/p/c?&follow=true");
    }

    #[test]
    fn names_that_would_lead_elsewhere_are_refused() {
        let climbing = KubeletDebugParams { name: "..", ..POD };
        for printed in [
            Request::kubelet_node_attach(&climbing, "c", &AttachParams::default()),
            Request::kubelet_node_attach(&POD, "a/b", &AttachParams::default()),
            Request::kubelet_node_attach(&POD, "c", &AttachParams::default().stdout(false).stderr(false)),
            Request::kubelet_node_portforward(&POD, &[]),
            Request::kubelet_node_portforward(&POD, &[1, 1]),
            Request::kubelet_node_logs(&POD, "", &LogParams::default()),
        ] {
            assert!(matches!(printed, Err(Error::Validation(_))), "{printed:?}");
        }
    }
}
