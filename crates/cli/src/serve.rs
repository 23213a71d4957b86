//! `pintle serve`: the API server alone.

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use pintle_apiserver::{Builder, ServeOptions, Server, Serving, Stages};
use secrecy::SecretString;

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::kubeconfig::KubeconfigFile;
use crate::narrator::Narrator;
use crate::stop::Stop;

pub(crate) async fn run(args: ServeArgs, narrator: &Narrator) -> Result<(), Failure> {
    let stop = Stop::listen(args.duration);
    let begun = Instant::now();
    let server = server(&args)?;
    let address = SocketAddr::new(args.address, args.port);
    let file = KubeconfigFile::at(args.kubeconfig);
    let options = options(args.workspaces, args.workspace_ttl, args.admin_kubeconfig.is_some())?;
    let (serving, milliseconds) = start(server.clone(), options, begun, address, &file, narrator).await?;
    if let Some(path) = &args.admin_kubeconfig {
        let what = || format!("cannot write the kubeconfig {} for the admin path", path.display());
        serving.write_admin_kubeconfig(path).map_err(|error| Failure::new(what(), error))?;
    }
    let port = serving.local_addr().port();
    narrator.announce(format_args!("ready port={port} time={milliseconds:.1}ms kubeconfig={}", file.path().display()));
    let failure = tokio::select! {
        biased;
        // First, because who asked for the end need not hear of a disk that fails at that moment.
        () = stop.wait() => None,
        failure = server.data_failure() => Some(failure),
    };
    serving.shutdown().await;
    failure.map_or(Ok(()), |failure| Err(Failure::new("the API server has ended", failure)))
}

/// What is served besides the server itself.
fn options(
    workspaces: Option<usize>,
    workspace_ttl: Option<Duration>,
    is_administered: bool,
) -> Result<ServeOptions, Failure> {
    let mut options = ServeOptions::new();
    if let Some(most) = workspaces {
        options = options.workspaces(most, workspace_ttl);
    }
    if is_administered {
        options = options.admin(admin_token()?);
    }
    Ok(options)
}

/// The token of the admin path, if the user has one.
fn admin_token() -> Result<Option<SecretString>, Failure> {
    match std::env::var(ADMIN_TOKEN) {
        Err(_) => Ok(None),
        Ok(token) if token.len() >= ADMIN_TOKEN_LEAST && token.chars().all(|sign| sign.is_ascii_graphic()) => {
            Ok(Some(SecretString::from(token)))
        }
        Ok(_) => Err(Failure::new(
            format!("cannot use the token in {ADMIN_TOKEN}"),
            format!(
                "it has to have {ADMIN_TOKEN_LEAST} characters or more, all of them printable ASCII; unset it to get a new one"
            ),
        )),
    }
}

/// The server that was asked for.
fn server(args: &ServeArgs) -> Result<Server, Failure> {
    let mut builder = Server::builder().watch_cache(args.watch_cache).authorization(args.authorization_mode);
    if let Some(changes) = args.default_watch_cache_size {
        builder = builder.history(changes);
    }
    for (resource, changes) in &args.watch_cache_sizes {
        builder = builder.history_of(resource, *changes);
    }
    for (service, address) in &args.service_address {
        builder = builder.service_address(service, address);
    }
    if let Some(file) = &args.audit_log {
        builder = builder.audit_log(audit_sink(file)?);
    }
    let builder = simulated(builder, args)?
        .metrics(args.metrics)
        .enable_admission_plugins(args.enable_admission_plugins.iter().copied())
        .disable_admission_plugins(args.disable_admission_plugins.iter().copied());
    let server = match &args.data {
        None => builder.build(),
        Some(directory) => {
            builder.open(directory).map_err(|error| Failure::new("cannot start the API server", error))?
        }
    };
    for file in &args.load {
        let what = || format!("cannot load {}", file.display());
        let manifest = std::fs::read_to_string(file).map_err(|error| Failure::new(what(), error))?;
        let loaded = if args.data.is_some() { server.load_missing(&manifest) } else { server.load(&manifest) };
        loaded.map_err(|error| Failure::new(what(), error))?;
    }
    check_cache_sizes(&server, args)?;
    Ok(server)
}

/// The server with the controllers that were asked for.
fn simulated(builder: Builder, args: &ServeArgs) -> Result<Builder, Failure> {
    let Some(controllers) = args.controllers else {
        return Ok(builder.simulated_workloads(args.simulated_workloads));
    };
    let mut builder = builder.controllers(controllers);
    if let Some(count) = args.nodes {
        builder = builder.nodes(count);
    }
    if let Some(file) = &args.pod_stages {
        let what = || format!("cannot read the stages in {}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| Failure::new(what(), error))?;
        builder = builder.pod_stages(Stages::parse(&text).map_err(|error| Failure::new(what(), error))?);
    }
    Ok(builder)
}

/// Where the audit log goes: a file, or standard output.
pub(crate) fn audit_sink(file: &Path) -> Result<Box<dyn Write + Send>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdout()));
    }
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    let opened =
        opened.map_err(|error| Failure::new(format!("cannot write the audit log {}", file.display()), error))?;
    Ok(Box::new(opened))
}

/// A misspelt resource would keep the size that the user wanted to change.
fn check_cache_sizes(server: &Server, args: &ServeArgs) -> Result<(), Failure> {
    match args.watch_cache_sizes.iter().find(|(resource, _)| !server.has_resource(resource)) {
        None => Ok(()),
        Some((resource, _)) => Err(Failure::new(
            format!("--watch-cache-sizes names {resource:?}"),
            "there is no such resource: give its plural, as pods or deployments.apps, and --load the definition of one of your own",
        )),
    }
}

/// Serves a server, writes its kubeconfig, and says how many milliseconds it took since it was begun.
pub(crate) async fn start(
    server: Server,
    options: ServeOptions,
    begun: Instant,
    address: SocketAddr,
    kubeconfig: &KubeconfigFile,
    narrator: &Narrator,
) -> Result<(Serving, f64), Failure> {
    let serving = server
        .serve_with(address, options)
        .await
        .map_err(|error| Failure::new("cannot start the API server", error))?;
    kubeconfig.write(&serving, narrator)?;
    Ok((serving, begun.elapsed().as_secs_f64() * 1000.0))
}

/// The environment variable with the token of the admin path.
const ADMIN_TOKEN: &str = "PINTLE_ADMIN_TOKEN";

/// One that is shorter can be guessed, and whoever uses the machine can try.
const ADMIN_TOKEN_LEAST: usize = 16;
