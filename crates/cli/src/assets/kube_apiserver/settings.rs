//! What the flags of kube-apiserver mean for this server.
//!
//! In: flags. Out: what to build and how to serve it, and a remark about each flag that has no effect though a test could notice.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pintle_apiserver::{AdmissionPlugin, AuthorizationMode, Builder, ServeOptions, Server, ServiceRange};
use secrecy::SecretString;

use crate::args::cache_size;
use crate::assets::flags::{Flags, KnownFlags, wrong};
use crate::failure::Failure;
use crate::log::Requests;
use crate::serve::audit_sink;

/// A server that was asked for by flags.
pub(super) struct Settings {
    pub(super) address: SocketAddr,
    pub(super) server: Builder,
    pub(super) serving: ServeOptions,
    pub(super) requests: Requests,
    pub(super) remarks: Vec<String>,
}

/// Every flag of kube-apiserver.
pub(super) const KNOWN: KnownFlags = KnownFlags::new(include_str!("flags.txt"));

impl Settings {
    pub(super) fn read(flags: &Flags) -> Result<Settings, Failure> {
        let mut remarks: Vec<String> = flags
            .names()
            .filter(|name| !HAS_EFFECT.contains(name) && !is_without_consequence(name))
            .map(|name| format!("--{name} has no effect on this server"))
            .collect();
        let address = address(flags, &mut remarks)?;
        let is_verbose = flags.value("v")?.unwrap_or(0) >= VERBOSITY_OF_REQUESTS;
        let requests = if is_verbose { Requests::Logged } else { Requests::Unlogged };
        Ok(Settings { address, server: server(flags, &mut remarks)?, serving: serving(flags)?, requests, remarks })
    }
}

fn address(flags: &Flags, remarks: &mut Vec<String>) -> Result<SocketAddr, Failure> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let asked: IpAddr = flags.value("bind-address")?.unwrap_or(loopback);
    if asked.is_unspecified() {
        remarks.push(format!("--bind-address={asked}: this server listens on loopback only, here on {loopback}"));
    }
    let ip = if asked.is_unspecified() { loopback } else { asked };
    Ok(SocketAddr::new(ip, flags.value("secure-port")?.unwrap_or(PORT)))
}

fn server(flags: &Flags, remarks: &mut Vec<String>) -> Result<Builder, Failure> {
    // Its metrics are always there, as kube-apiserver's are.
    let mut server = Server::builder()
        .metrics(true)
        .watch_cache(flags.is_on("watch-cache")?.unwrap_or(true))
        .authorization(authorization_mode(flags)?)
        .simulated_workloads(flags.is_on("simulated-workloads")?.unwrap_or(false))
        // On by default there, and off in `pintle serve`; envtest switches it off.
        .enable_admission_plugins([AdmissionPlugin::ServiceAccount])
        .enable_admission_plugins(plugins(flags, "enable-admission-plugins", remarks)?)
        .disable_admission_plugins(plugins(flags, "disable-admission-plugins", remarks)?);
    let mut ranges = flags.list("service-cluster-ip-range");
    if let Some(text) = ranges.next() {
        let range: ServiceRange = text.parse().map_err(|why| wrong("service-cluster-ip-range", text, &why))?;
        server = server.service_cluster_ip_range(range);
    }
    if let Some(second) = ranges.next() {
        remarks.push(format!("--service-cluster-ip-range: {second} has no effect, Services have one address here"));
    }
    for text in flags.list("watch-cache-sizes") {
        let (resource, changes) = cache_size(text).map_err(|why| wrong("watch-cache-sizes", text, &why))?;
        server = server.history_of(&resource, changes);
    }
    if let Some(file) = flags.last("audit-log-path") {
        server = server.audit_log(audit_sink(Path::new(file))?);
    }
    if let Some(text) = flags.last("event-ttl") {
        let time: jiff::SignedDuration = text.parse().map_err(|why| wrong("event-ttl", text, &why))?;
        server = server.event_time_to_live(time.unsigned_abs());
    }
    let has_controllers = flags.is_on("controllers")?.unwrap_or(false);
    Ok(if has_controllers { server } else { server.without_controllers() })
}

fn authorization_mode(flags: &Flags) -> Result<AuthorizationMode, Failure> {
    let mut mode = None;
    for name in flags.list("authorization-mode") {
        match name {
            "AlwaysAllow" => mode = Some(AuthorizationMode::AlwaysAllow),
            "RBAC" => mode = mode.or(Some(AuthorizationMode::Rbac)),
            // It adds the rights of kubelets, and there are none.
            "Node" => {}
            _ => {
                let why = format!("{name} is not built into this server; use RBAC or AlwaysAllow");
                return Err(wrong("authorization-mode", name, &why));
            }
        }
    }
    // kube-apiserver's default.
    Ok(mode.unwrap_or(AuthorizationMode::AlwaysAllow))
}

/// The plugins of a list that this server has.
fn plugins(flags: &Flags, name: &str, remarks: &mut Vec<String>) -> Result<Vec<AdmissionPlugin>, Failure> {
    let mut plugins = Vec::new();
    for text in flags.list(name) {
        match AdmissionPlugin::from_str(text) {
            Ok(plugin) => plugins.push(plugin),
            Err(_) if PLUGINS_ELSEWHERE.contains(&text) => {
                remarks.push(format!("--{name}: this server has no admission plugin {text}"));
            }
            Err(error) => return Err(wrong(name, text, &error)),
        }
    }
    Ok(plugins)
}

fn serving(flags: &Flags) -> Result<ServeOptions, Failure> {
    let mut options = ServeOptions::new().anonymous(flags.is_on("anonymous-auth")?.unwrap_or(true));
    let refused = |file: &Path| {
        let what = format!("cannot use {}", file.display());
        move |error| Failure::new(what, error)
    };
    if let Some((certificate, key)) = certificate_files(flags)? {
        options = options.certificate(&read(&certificate)?, &read(&key)?).map_err(refused(&certificate))?;
    }
    if let Some(file) = flags.last("client-ca-file").map(Path::new) {
        options = options.client_authority(&read(file)?).map_err(refused(file))?;
    }
    if let Some(file) = flags.last("token-auth-file").map(Path::new) {
        for line in read(file)?.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let Some([token, user, uid, groups]) = token_line(line) else {
                let why = "a line is not token,user,uid or token,user,uid,\"group1,group2\"";
                return Err(Failure::new(format!("cannot use {}", file.display()), why));
            };
            let groups: Vec<&str> = groups.split(',').map(str::trim).filter(|group| !group.is_empty()).collect();
            options = options.token(SecretString::from(token), &user, &uid, &groups);
        }
    }
    Ok(options)
}

/// Certificate and key: those that are named, or those of the folder, if they are there.
fn certificate_files(flags: &Flags) -> Result<Option<(PathBuf, PathBuf)>, Failure> {
    match (flags.last("tls-cert-file"), flags.last("tls-private-key-file")) {
        (Some(certificate), Some(key)) => Ok(Some((certificate.into(), key.into()))),
        (None, None) => {
            let folder = flags.last("cert-dir").map(Path::new);
            let files = folder.map(|folder| (folder.join("apiserver.crt"), folder.join("apiserver.key")));
            Ok(files.filter(|(certificate, key)| certificate.exists() && key.exists()))
        }
        _ => Err(Failure::new("--tls-cert-file and --tls-private-key-file", "one is of no use without the other")),
    }
}

/// A line of CSV: token, user, uid and, if it has one, a field of groups, which has commas of its own and so is quoted.
fn token_line(line: &str) -> Option<[String; 4]> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for character in line.trim().chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut()?.push(character),
        }
    }
    fields.resize(fields.len().max(4), String::new());
    let mut fields = fields.into_iter().map(|field| field.trim().to_owned());
    let line = [fields.next()?, fields.next()?, fields.next()?, fields.next()?];
    (!is_quoted && !line[0].is_empty() && !line[1].is_empty()).then_some(line)
}

fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| Failure::new(format!("cannot read {}", file.display()), error))
}

/// kube-apiserver's.
const PORT: u16 = 6443;

/// From here on kube-apiserver logs each request.
const VERBOSITY_OF_REQUESTS: i32 = 3;

/// The flags that are read here.
const HAS_EFFECT: &[&str] = &[
    "anonymous-auth",
    "audit-log-path",
    "authorization-mode",
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "controllers",
    "disable-admission-plugins",
    "enable-admission-plugins",
    "etcd-servers",
    "event-ttl",
    "secure-port",
    "service-cluster-ip-range",
    "simulated-workloads",
    "tls-cert-file",
    "tls-private-key-file",
    "token-auth-file",
    "v",
    "watch-cache",
    "watch-cache-sizes",
];

/// Whether a flag is about what this server does not have or always has, so that no test sees a difference: etcd, keys that only
/// the server itself uses, privileged containers, logs.
fn is_without_consequence(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "advertise-address",
        "allow-privileged",
        "api-audiences",
        "default-watch-cache-size",
        "insecure-port",
        "profiling",
        "service-account-issuer",
        "service-account-key-file",
        "service-account-lookup",
        "service-account-signing-key-file",
        "vmodule",
    ];
    const BEGINNINGS: &[&str] = &["etcd-", "log-", "logging-", "requestheader-", "shutdown-", "storage-"];
    NAMES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// Plugins of kube-apiserver that this server does not have.
const PLUGINS_ELSEWHERE: &[&str] = &[
    "AlwaysAdmit",
    "AlwaysDeny",
    "AlwaysPullImages",
    "ClusterTrustBundleAttest",
    "DenyServiceExternalIPs",
    "EventRateLimit",
    "ExtendedResourceToleration",
    "ImagePolicyWebhook",
    "LimitPodHardAntiAffinityTopology",
    "NamespaceAutoProvision",
    "NamespaceExists",
    "NodeDeclaredFeatureValidator",
    "NodeRestriction",
    "OwnerReferencesPermissionEnforcement",
    "PodNodeSelector",
    "PodTolerationRestriction",
    "PodTopologyLabels",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(line: &str) -> Result<Settings, String> {
        let flags = KNOWN.parse(line.split_whitespace().map(str::to_owned).collect());
        flags.and_then(|flags| Settings::read(&flags)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_flags_of_envtest_are_taken_without_a_word() {
        let line = "--allow-privileged=true --authorization-mode=RBAC --bind-address=127.0.0.1 --cert-dir=/nowhere \
                    --disable-admission-plugins=ServiceAccount --etcd-servers=http://127.0.0.1:1 --secure-port=4242 \
                    --service-account-issuer=https://127.0.0.1:4242/ --service-account-key-file=/nowhere/sa.crt \
                    --service-account-signing-key-file=/nowhere/sa.key --service-cluster-ip-range=10.0.0.0/24";
        let settings = settings(line).unwrap();
        assert_eq!(settings.address.to_string(), "127.0.0.1:4242");
        assert!(settings.remarks.is_empty(), "{:?}", settings.remarks);
    }

    #[test]
    fn what_has_no_effect_is_named_and_what_is_wrong_is_refused() {
        let line = "--feature-gates=A=true --enable-admission-plugins=NodeRestriction,Priority --bind-address=0.0.0.0";
        let remarks = settings(line).unwrap().remarks.join("\n");
        for part in ["--feature-gates has no effect", "no admission plugin NodeRestriction", "loopback only"] {
            assert!(remarks.contains(part), "{part}: {remarks}");
        }
        for (line, expected) in [
            ("--authorization-mode=Webhook", "use RBAC or AlwaysAllow"),
            ("--enable-admission-plugins=Nope", "this server has no admission plugin \"Nope\""),
            ("--tls-cert-file=a", "one is of no use without the other"),
            ("--client-ca-file=/nowhere/ca.crt", "cannot read /nowhere/ca.crt"),
            ("--service-cluster-ip-range=10.0.0.0/33", "is not an IPv4 network"),
            ("--secure-port=x", "invalid argument \"x\" for --secure-port"),
            ("--event-ttl=soon", "invalid argument \"soon\" for --event-ttl"),
        ] {
            let problem = settings(line).err().unwrap();
            assert!(problem.contains(expected), "{line}: {problem}");
        }
    }

    #[test]
    fn every_flag_with_an_effect_is_a_flag() {
        for name in HAS_EFFECT {
            assert!(KNOWN.parse(vec![format!("--{name}=x")]).is_ok(), "{name}");
        }
    }

    #[test]
    fn lines_of_tokens_have_three_fields_or_four() {
        let fields = |line| token_line(line).map(|fields| fields.join("|"));
        assert_eq!(fields("t,jane,1,\"dev,ops\"").as_deref(), Some("t|jane|1|dev,ops"));
        assert_eq!(fields("t, jane, 1").as_deref(), Some("t|jane|1|"));
        assert_eq!((fields("t"), fields(",jane,1"), fields("t,jane,1,\"dev")), (None, None, None));
    }
}
