//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use crate::BoxError;
use crate::objects::Kind;
use crate::road::Road;
use crate::run::{LIST_ONLY, Run, Side};
use crate::source::History;

/// What is to be done.
pub(crate) enum Arguments {
    /// How it is called.
    Help,
    /// Compare cutting and packing with serde_json.
    Pack,
    /// Say what objects take once they are decoded.
    Weigh,
    /// Compare the smallest programs.
    Minimal(Build),
    /// Take one measurement and print it.
    Run(Run),
    /// Compare the sides.
    Compare(Options),
}

/// How the smallest programs are built.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Build {
    /// What is built already is kept.
    Kept,
    /// From nothing, because the time of it is measured.
    FromNothing,
}

/// The way from a cluster to a client.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Way {
    /// Both are in one process.
    Process,
    /// A socket lies between them.
    Socket,
    /// The cluster is a real kube-apiserver.
    Server,
}

impl Way {
    const ALL: [Self; 3] = [Self::Process, Self::Socket, Self::Server];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Socket => "socket",
            Self::Server => "server",
        }
    }

    /// Whether a road leads this way: past the process only those that client-go has, too.
    pub(crate) fn has(self, road: Road) -> bool {
        self == Self::Process || road.is_walked_by_client_go()
    }
}

impl FromStr for Way {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|way| way.name() == name).ok_or_else(|| format!("`{name}` is none of {known}"))
    }
}

/// What is compared.
pub(crate) struct Options {
    pub(crate) kind: Kind,
    /// How many objects, one comparison each.
    pub(crate) sizes: Vec<usize>,
    /// How many keys in a queue.
    pub(crate) keys: usize,
    pub(crate) roads: Vec<Road>,
    pub(crate) ways: Vec<Way>,
    pub(crate) sides: Vec<Side>,
    pub(crate) history: History,
    /// The real server; one is started if there is none.
    pub(crate) kubeconfig: Option<PathBuf>,
    /// How many measurements a median is taken of.
    pub(crate) runs: usize,
    /// Where the figures are written to.
    pub(crate) json: Option<PathBuf>,
    /// Where a plot of them is written to.
    pub(crate) svg: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kind: Kind::Pods,
            sizes: vec![OBJECTS],
            keys: KEYS,
            roads: Road::ALL.into(),
            ways: vec![Way::Process, Way::Socket],
            sides: Side::ALL.into(),
            history: History::Whole,
            kubeconfig: None,
            runs: RUNS,
            json: None,
            svg: None,
        }
    }
}

/// Enough that fixed costs vanish and that not all of them stay decoded, few enough that a run takes a second or two.
const OBJECTS: usize = 1_000;
/// More than any cluster has objects.
const KEYS: usize = 1_000_000;
/// Odd, so that a median is a measurement.
const RUNS: usize = 3;

pub(crate) const USAGE: &str = "\
Compares Pintle with kube 5 and, where Go is installed, with client-go: the same work on the same bytes.
Takes four to five minutes once it is built; less with `--runs 1`.

usage: bench [--kind NAME] [--objects N,N] [--road NAME,NAME] [--from NAME,NAME] [--side NAME,NAME] [--list-only]
             [--keys N] [--kubeconfig FILE] [--runs N] [--json FILE] [--svg FILE]
       bench pack                    only cutting and packing, against serde_json
       bench weigh                   what decoded objects take, over the bytes they came as
       bench minimal [--build-time]  the smallest controllers: size, time and memory to the first reconcile, and with
                                     --build-time how long both take to build from nothing (minutes)
       bench run SIDE ROAD json|protobuf COUNT [ADDRESS|kubeconfig=FILE] [--kind NAME] [--list-only]
                                     one measurement; without an address the objects are in the process

  --kind        pods (12 KB), configmaps (2 KB) or documents, a custom resource (3 KB)   [pods]
  --objects     how many; several sizes show how costs grow, and --svg plots that        [1000]
  --road        controller, owns, watcher, reflector, reflect, modify, and of keys alone
                queue, workqueue                                                         [all]
  --from        process: the cluster is a service under the client;
                socket: another process serves it, and client-go takes part with pods;
                server: a real kube-apiserver is filled, and only its list is measured   [process,socket]
  --side        kube, client-go, pintle                                                  [all]
  --list-only   the history ends with the first list
  --keys        how many keys wait in the queue                                          [1000000]
  --kubeconfig  the server to list, which is not written to; without it the one of
                `cargo xtask kube build` is started and filled
  --runs        a figure is the median of so many runs                                   [3]";

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, BoxError> {
        let mut options = Options::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
            match word.as_str() {
                "-h" | "--help" => return Ok(Self::Help),
                "pack" => return Ok(Self::Pack),
                "weigh" => return Ok(Self::Weigh),
                "minimal" => return minimal(words.next().as_deref()),
                "run" => return Ok(Self::Run(Run::parse(&words.collect::<Vec<_>>())?)),
                "--kind" => options.kind = value()?.parse()?,
                // As it was called while there was one kind.
                "--objects" | "--pods" => options.sizes = separated(&value()?)?,
                "--road" => options.roads = separated(&value()?)?,
                "--from" => options.ways = separated(&value()?)?,
                "--side" => options.sides = separated(&value()?)?,
                LIST_ONLY => options.history = History::FirstList,
                "--keys" => options.keys = value()?.parse()?,
                "--kubeconfig" => options.kubeconfig = Some(value()?.into()),
                "--runs" => options.runs = value()?.parse()?,
                "--json" => options.json = Some(value()?.into()),
                "--svg" => options.svg = Some(value()?.into()),
                other => return Err(format!("`{other}` is not known\n{USAGE}").into()),
            }
        }
        if options.runs == 0 || options.keys == 0 || options.sizes.contains(&0) {
            return Err(format!("nothing would be measured\n{USAGE}").into());
        }
        Ok(Self::Compare(options))
    }
}

fn minimal(option: Option<&str>) -> Result<Arguments, BoxError> {
    match option {
        None => Ok(Arguments::Minimal(Build::Kept)),
        Some("--build-time") => Ok(Arguments::Minimal(Build::FromNothing)),
        Some(other) => Err(format!("`{other}` is not known\n{USAGE}").into()),
    }
}

fn separated<T: FromStr<Err: Into<BoxError>>>(list: &str) -> Result<Vec<T>, BoxError> {
    list.split(',').map(|item| item.parse().map_err(Into::into)).collect()
}
