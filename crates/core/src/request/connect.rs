//! Connections to pods, as requests.

use super::{Printed, Request, print};
use crate::call::Call;
use crate::subresource::AttachParams;

impl Request {
    /// Attaches to the process of the pod `name`.
    pub fn attach(&self, name: &str, ap: &AttachParams) -> Printed {
        print(self.object(name).and_then(|target| Call::attach(target, ap)), Vec::new())
    }

    /// Runs `command` in the pod `name`.
    pub fn exec<I, T>(&self, name: &str, command: I, ap: &AttachParams) -> Printed
    where
        I: IntoIterator<Item = T>,
        T: Into<String>,
    {
        let command = command.into_iter().map(Into::into).collect();
        print(self.object(name).and_then(|target| Call::exec(target, command, ap)), Vec::new())
    }

    /// Forwards `ports` of the pod `name`.
    pub fn portforward(&self, name: &str, ports: &[u16]) -> Printed {
        print(self.object(name).and_then(|target| Call::portforward(target, ports)), Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Error;

    fn check(printed: Printed, expected: &str) {
        let (parts, _) = printed.unwrap().into_parts();
        assert_eq!(format!("{} {}", parts.method, parts.uri), format!("GET /api/v1/namespaces/ns/pods/n/{expected}"));
        let again = Call::parse(&parts).unwrap().into_request(Vec::new()).unwrap();
        assert_eq!(again.uri(), &parts.uri, "what is printed is understood");
    }

    #[test]
    fn connections_are_asked_for_as_kube_asks() {
        let pods = Request::new("/api/v1/namespaces/ns/pods");
        let params = AttachParams::default();
        check(pods.attach("n", &params), "attach?&stdout=true&stderr=true");
        check(pods.attach("n", &AttachParams::interactive_tty()), "attach?&stdin=true&stdout=true&tty=true");
        let named = params.clone().container("c x");
        check(
            pods.exec("n", ["sh", "-c", "echo a&b"], &named),
            "exec?&stdout=true&stderr=true&container=c+x&command=sh&command=-c&command=echo+a%26b",
        );
        check(pods.exec("n", Vec::<String>::new(), &params), "exec?&stdout=true&stderr=true");
        check(pods.portforward("n", &[80, 443]), "portforward?&ports=80%2C443");
    }

    #[test]
    fn connections_that_cannot_be_are_refused() {
        let pods = Request::new("/api/v1/namespaces/ns/pods");
        let silent = AttachParams::default().stdout(false).stderr(false);
        for printed in [
            pods.attach("n", &silent),
            pods.attach("n", &AttachParams::default().tty(true)),
            pods.exec("", ["ls"], &AttachParams::default()),
            pods.portforward("n", &[]),
            pods.portforward("n", &[80, 80]),
            pods.portforward("a/b", &[80]),
        ] {
            assert!(matches!(printed, Err(Error::Validation(_))), "{printed:?}");
        }
    }
}
