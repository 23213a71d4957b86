//! `kube-apiserver` of the assets: the API server of `pintle serve`, started by the flags of kube-apiserver.
//!
//! In: flags, most of them envtest's. Out: a server on the port that was asked for, with the certificates that were asked for,
//! until SIGTERM. Its objects outlive it as long as etcd runs ([`KeptState`]). It is what kube-apiserver is without
//! kube-controller-manager, as in envtest: no garbage is collected, and a namespace that is deleted stays.

mod settings;

use super::kept_state::KeptState;
use crate::failure::Failure;
use crate::log;
use crate::narrator::Narrator;
use crate::stop::Stop;
use settings::Settings;

/// Serves until it is stopped.
pub(super) async fn run(words: Vec<String>, narrator: &Narrator) -> Result<(), Failure> {
    let flags = settings::KNOWN.parse(words)?;
    if flags.is_on("help")? == Some(true) {
        narrator.announce(HELP);
        return Ok(());
    }
    if flags.last("version").is_some() {
        narrator.announce("Kubernetes v1.37.1");
        return Ok(());
    }
    let Settings { address, server, serving, requests, remarks } = Settings::read(&flags)?;
    let etcd = flags.list("etcd-servers").next().map(KeptState::at);
    log::start(None, requests)?;
    let stop = Stop::listen(None);
    for remark in remarks {
        narrator.remark(remark);
    }
    let server = server.build();
    if let Some(state) = fetched(etcd.as_ref()).await {
        server.restore(&state).map_err(|error| Failure::new("cannot go on from what etcd has", error))?;
    }
    let serving = server.serve_with(address, serving).await;
    let serving = serving.map_err(|error| Failure::new("cannot start the API server", error))?;
    narrator.remark(format_args!("serving on https://{}", serving.local_addr()));
    stop.wait().await;
    serving.shutdown().await;
    if let Some(etcd) = etcd {
        // Mostly etcd ends right after, and nobody needs it any more.
        let is_kept = etcd.leave(server.backup()).await;
        tracing::debug!(is_kept, "left the objects with etcd");
    }
    Ok(())
}

async fn fetched(etcd: Option<&KeptState<'_>>) -> Option<String> {
    etcd?.fetch().await
}

// envtest looks for flags in this text: a line that begins with the name of one says that it can be used.
const HELP: &str = "\
kube-apiserver of Pintle's assets, for envtest: the API server of `pintle serve`, with its objects in its own memory, and
with the etcd beside it between two runs.
Every flag of kube-apiserver is accepted, and those without effect here are named. These have one:

  --secure-port int                      the port to listen on; 0 takes a free one
  --bind-address ip                      the loopback address to listen on
  --cert-dir string                      where apiserver.crt and apiserver.key are, if they are
  --tls-cert-file string                 the certificate to show
  --tls-private-key-file string          its key
  --client-ca-file string                who signs client certificates
  --token-auth-file string               tokens and their users: token,user,uid,\"group1,group2\"
  --anonymous-auth                       whether requests without credentials are system:anonymous's
  --authorization-mode strings           RBAC or AlwaysAllow; Node adds nothing
  --enable-admission-plugins strings     admission plugins to switch on
  --disable-admission-plugins strings    admission plugins to switch off
  --audit-log-path string                where to write an audit log, at the level Metadata; - is standard output
  --etcd-servers strings                 the etcd of the assets that objects are left with
  --event-ttl duration                   how long events stay
  --v Level                              from 3 on each request is logged
  --service-cluster-ip-range string      the addresses that Services get: an IPv4 network
  --watch-cache                          whether there is a watch cache
  --watch-cache-sizes strings            how many changes are kept, as pods#1000
  --controllers                          Pintle's own: collect garbage, end namespaces, give them service accounts
  --simulated-workloads                  Pintle's own: Deployments, ReplicaSets and Jobs get pods, ready at once";
