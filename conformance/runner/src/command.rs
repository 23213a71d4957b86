//! What was typed, and doing it.
//!
//! `record` prints transcripts, `diff` compares two servers, `check` says whether real Kubernetes still does what the
//! committed transcripts say. What the embedded server answers otherwise is counted by [`Tally`]; where all scripts are
//! compared it must be listed as deferred.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};

use crate::cel::Cel;
use crate::deferred::Deferred;
use crate::difference::{self, Side};
use crate::odd::Odd;
use crate::record::record;
use crate::regexp::Regexp;
use crate::script::{self, Script};
use crate::server::Which;
use crate::tally::Tally;
use crate::twin::Twin;
use crate::{complain, formats, say, workspace};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Send scripts to a server and print what it answers.
    Record(Record),
    /// Compare what two servers answer; the exit code is 1 if they differ.
    Diff(Diff),
    /// Send all scripts to real Kubernetes, and compare with the committed transcripts.
    Check,
    /// Compare what real Kubernetes says in JSON and in protobuf, for every kind it serves.
    Formats {
        /// That of this kubeconfig, instead of one that is started for it.
        #[arg(long, value_name = "FILE")]
        kubeconfig: Option<PathBuf>,
    },
    /// Send odd requests to real Kubernetes and to the embedded server, and compare status and reason.
    Odd(Odd),
    /// Install random rules in CEL on real Kubernetes and on the embedded server, and compare what they say.
    Cel(Cel),
    /// Give patterns to Go's regular expressions and to the engine that stands for them here, and compare what they find.
    Regexp(Regexp),
    /// Send manifests to real Kubernetes and to the embedded server, and compare all they answer.
    Twin(Twin),
}

/// Whether everything was as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Same,
    Different,
}

#[derive(Args)]
pub(crate) struct Chosen {
    /// Scripts by name (`list/exact`) or path.
    #[arg(value_name = "SCRIPT")]
    scripts: Vec<PathBuf>,
    /// All scripts.
    #[arg(long)]
    all: bool,
}

#[derive(Args)]
pub(crate) struct Record {
    #[command(flatten)]
    chosen: Chosen,
    /// The server that a kubeconfig names.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["kube", "embedded"])]
    kubeconfig: Option<PathBuf>,
    /// Real Kubernetes, started for this.
    #[arg(long, conflicts_with_all = ["kubeconfig", "embedded"])]
    kube: bool,
    /// The embedded server, started for this.
    #[arg(long, conflicts_with = "kubeconfig")]
    embedded: bool,
    /// Write the transcripts beside the scripts, where they are committed. Only real Kubernetes may say what they are.
    #[arg(long, requires = "kube")]
    write: bool,
}

#[derive(Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    chosen: Chosen,
    /// Real Kubernetes, started for this.
    #[arg(long)]
    kube: bool,
    /// The committed transcripts of real Kubernetes, which need nothing to run.
    #[arg(long)]
    golden: bool,
    /// The server that a kubeconfig names.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Vec<PathBuf>,
    /// The embedded server, started for this.
    #[arg(long)]
    embedded: bool,
    /// Name the scripts and what they show, and do nothing else.
    #[arg(long)]
    list: bool,
}

/// Where a transcript comes from.
enum Source {
    Golden,
    Server(Which),
}

impl Command {
    pub(crate) async fn perform(self) -> Result<Outcome, String> {
        match self {
            Command::Record(command) => command.perform().await,
            Command::Diff(command) => command.perform().await,
            Command::Check => check().await,
            Command::Formats { kubeconfig } => formats::compare(kubeconfig).await,
            Command::Odd(command) => command.perform().await,
            Command::Cel(command) => command.perform().await,
            Command::Regexp(command) => command.perform(),
            Command::Twin(command) => command.perform().await,
        }
    }
}

impl Chosen {
    fn scripts(&self) -> Result<Vec<Arc<Script>>, String> {
        let folder = folder();
        let given = match (self.all, self.scripts.as_slice()) {
            (true, _) => script::all(&folder)?,
            (false, []) => return Err("which script? Name some, or all with `--all`".to_owned()),
            (false, given) => given.to_owned(),
        };
        let read: Vec<_> = given.iter().map(|given| Script::read(&folder, given)).collect();
        let problems: Vec<&str> = read.iter().filter_map(|script| script.as_ref().err()).map(String::as_str).collect();
        if !problems.is_empty() {
            return Err(problems.join("\n"));
        }
        Ok(read.into_iter().flatten().map(Arc::new).collect())
    }
}

impl Record {
    async fn perform(&self) -> Result<Outcome, String> {
        let which = match &self.kubeconfig {
            Some(path) => Which::Kubeconfig(path.clone()),
            None if self.kube => Which::Kube,
            None => Which::Embedded,
        };
        let scripts = self.chosen.scripts()?;
        for (script, text) in scripts.iter().zip(record(&scripts, &which).await?) {
            if self.write {
                let path = script.golden();
                std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
                complain(&format!("written: {}", path.display()));
            } else {
                say(text.trim_end());
            }
        }
        Ok(Outcome::Same)
    }
}

impl Diff {
    async fn perform(&self) -> Result<Outcome, String> {
        if self.list {
            return list();
        }
        let scripts = self.chosen.scripts()?;
        let [left, right] = self.sources()?;
        let (lefts, rights) = (left.transcripts(&scripts).await?, right.transcripts(&scripts).await?);
        let mut tally = Tally::default();
        for ((script, left_text), right_text) in scripts.iter().zip(&lefts).zip(&rights) {
            let sides = [Side { whose: left.name(), text: left_text }, Side { whose: right.name(), text: right_text }];
            if left_text != right_text && !self.chosen.all {
                say(&difference::print(sides[0], sides[1]));
            }
            tally.add(&script.name, left_text, right_text);
        }
        say(&tally.print(left.name(), right.name()));
        match (&left, &right) {
            (Source::Golden | Source::Server(Which::Kube), Source::Server(Which::Embedded)) if self.chosen.all => {
                settle(&tally)
            }
            _ => Ok(if tally.differing().is_empty() { Outcome::Same } else { Outcome::Different }),
        }
    }

    fn sources(&self) -> Result<[Source; 2], String> {
        let mut sources = Vec::new();
        sources.extend(self.golden.then_some(Source::Golden));
        sources.extend(self.kube.then_some(Source::Server(Which::Kube)));
        sources.extend(self.kubeconfig.iter().map(|path| Source::Server(Which::Kubeconfig(path.clone()))));
        sources.extend(self.embedded.then_some(Source::Server(Which::Embedded)));
        if sources.is_empty() {
            return Ok([Source::Golden, Source::Server(Which::Embedded)]);
        }
        let wrong = |_| "compare two of `--golden`, `--kube`, `--kubeconfig FILE` and `--embedded`".to_owned();
        sources.try_into().map_err(wrong)
    }
}

impl Source {
    fn name(&self) -> &str {
        match self {
            Source::Golden => "golden",
            Source::Server(Which::Kube) => "kube",
            Source::Server(Which::Embedded) => "embedded",
            Source::Server(Which::Kubeconfig(path)) => path.to_str().unwrap_or("kubeconfig"),
        }
    }

    async fn transcripts(&self, scripts: &[Arc<Script>]) -> Result<Vec<String>, String> {
        match self {
            Source::Golden => Ok(scripts.iter().map(|script| golden(script)).collect()),
            Source::Server(which) => record(scripts, which).await,
        }
    }
}

/// The committed transcript; nothing, where there is none yet.
fn golden(script: &Script) -> String {
    std::fs::read_to_string(script.golden()).unwrap_or_default()
}

fn folder() -> PathBuf {
    workspace().join("conformance/scripts")
}

fn list() -> Result<Outcome, String> {
    for script in (Chosen { scripts: Vec::new(), all: true }).scripts()? {
        say(&format!("{:32} {:12} {}", script.name, script.covers.join(", "), script.about));
    }
    Ok(Outcome::Same)
}

/// Whether every difference of the embedded server is listed, with what defers it.
fn settle(tally: &Tally) -> Result<Outcome, String> {
    let (text, outcome) = tally.settle(&Deferred::read(&folder())?);
    say(&text);
    Ok(outcome)
}

async fn check() -> Result<Outcome, String> {
    let scripts = Chosen { scripts: Vec::new(), all: true }.scripts()?;
    let (recorded, embedded) = tokio::try_join!(record(&scripts, &Which::Kube), record(&scripts, &Which::Embedded))?;
    let mut outcome = Outcome::Same;
    // What is committed is one recording, this is another: they are the same, or one of them is not to be relied on.
    for (script, text) in scripts.iter().zip(&recorded) {
        let (golden, name) = (golden(script), &script.name);
        if golden != *text {
            let sides = (Side { whose: "golden", text: &golden }, Side { whose: "kube", text });
            say(&format!(
                "{}\n{name}: real Kubernetes answers otherwise than committed; if it is right: cargo xtask record {name} \
                 --kube --write\n",
                difference::print(sides.0, sides.1)
            ));
            outcome = Outcome::Different;
        }
    }
    let verdict = if outcome == Outcome::Same { "all as committed" } else { "NOT all as committed" };
    say(&format!("{} scripts ran against real Kubernetes: {verdict}", scripts.len()));
    let embedded = check_embedded(&scripts, &embedded)?;
    Ok(if embedded == Outcome::Same { outcome } else { embedded })
}

/// What is left to build: what the embedded server answers to the same scripts.
fn check_embedded(scripts: &[Arc<Script>], transcripts: &[String]) -> Result<Outcome, String> {
    let mut tally = Tally::default();
    for (script, transcript) in scripts.iter().zip(transcripts) {
        tally.add(&script.name, &golden(script), transcript);
    }
    say(&tally.print("golden", "embedded"));
    settle(&tally)
}
