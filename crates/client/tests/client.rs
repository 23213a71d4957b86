//! The client as a program sees it: kubeconfig files, verbs over a scripted service, lists and watches in pieces, TLS.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "client/credentials.rs"]
mod credentials;
#[path = "client/embedded.rs"]
mod embedded;
#[path = "client/environment.rs"]
mod environment;
#[path = "client/faults.rs"]
mod faults;
#[path = "client/folder.rs"]
mod folder;
#[cfg(feature = "kubelet-debug")]
#[path = "client/forwarding.rs"]
mod forwarding;
#[path = "client/goaway.rs"]
mod goaway;
#[cfg(all(feature = "oauth", feature = "openssl-tls"))]
#[path = "client/google.rs"]
mod google;
#[path = "client/http2.rs"]
mod http2;
#[path = "client/kubeconfig.rs"]
mod kubeconfig;
#[cfg(feature = "ws")]
#[path = "client/kubelet.rs"]
mod kubelet;
#[path = "client/logged.rs"]
mod logged;
#[path = "client/logs.rs"]
mod logs;
#[path = "client/managers.rs"]
mod managers;
#[path = "client/missing_kinds.rs"]
mod missing_kinds;
#[path = "client/mocked.rs"]
mod mocked;
#[path = "client/negotiation.rs"]
mod negotiation;
#[path = "client/opening.rs"]
mod opening;
#[path = "client/packed.rs"]
mod packed;
#[path = "client/plugged.rs"]
mod plugged;
#[cfg(feature = "kubelet-debug")]
#[path = "client/processes.rs"]
mod processes;
#[cfg(feature = "proxy")]
#[path = "client/proxies.rs"]
mod proxies;
#[cfg(feature = "unstable-client")]
#[path = "client/references.rs"]
mod references;
#[path = "client/relay.rs"]
mod relay;
#[path = "client/reported.rs"]
mod reported;
#[path = "client/rotation.rs"]
mod rotation;
#[path = "client/scripted.rs"]
mod scripted;
#[path = "client/secrets.rs"]
mod secrets;
#[path = "client/served.rs"]
mod served;
#[cfg(feature = "ws")]
#[path = "client/simulated_processes.rs"]
mod simulated_processes;
#[path = "client/subresources.rs"]
mod subresources;
#[path = "client/tls.rs"]
mod tls;
#[path = "client/verbs.rs"]
mod verbs;
#[path = "client/writes.rs"]
mod writes;
