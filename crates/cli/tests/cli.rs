//! The command as a user runs it: our own binary as a second process.

#[path = "cli/process.rs"]
mod process;

#[cfg(unix)]
#[path = "cli/assets.rs"]
mod assets;
#[path = "cli/dev.rs"]
mod dev;
#[path = "cli/generate_types.rs"]
mod generate_types;
#[path = "cli/kubeconfig.rs"]
mod kubeconfig;
#[path = "cli/log.rs"]
mod log;
#[path = "cli/new.rs"]
mod new;
#[path = "cli/serve.rs"]
mod serve;
#[cfg(target_os = "linux")]
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/watch.rs"]
mod watch;
#[path = "cli/workspaces.rs"]
mod workspaces;
