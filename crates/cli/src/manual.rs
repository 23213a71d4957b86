//! `pintle completions` and `pintle man`: the command line, described for shells and for man.

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::narrator::Narrator;

/// Prints the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs, narrator: &Narrator) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "pintle", &mut script);
    narrator.announce(String::from_utf8_lossy(&script).trim_end());
}

/// Writes the manual pages: one for the command, and one for each of its subcommands.
pub(crate) fn pages(args: &ManArgs) -> Result<(), Failure> {
    let folder = &args.folder;
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Args::command(), folder));
    written.map_err(|error| Failure::new(format!("cannot write manual pages to {}", folder.display()), error))
}
