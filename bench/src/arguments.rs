//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use crate::BoxError;
use crate::answer::Encoding;
use crate::objects::Kind;
use crate::road::Road;

/// What is to be done.
pub(crate) enum Arguments {
    /// How it is called.
    Help,
    /// Compare cutting and packing with serde_json.
    Pack,
    /// Say what objects take once they are decoded.
    Weigh,
    /// Take one measurement and print it.
    Run(Run),
    /// Compare the sides.
    Compare(Options),
}

/// One measurement.
pub(crate) struct Run {
    pub(crate) side: Side,
    pub(crate) road: Road,
    pub(crate) encoding: Encoding,
    pub(crate) kind: Kind,
    pub(crate) count: usize,
    /// Where the objects are served; in this process if nowhere.
    pub(crate) address: Option<SocketAddr>,
}

/// Whose library.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    Kube,
    ClientGo,
    Pintle,
}

impl Side {
    const ALL: [Self; 3] = [Self::Kube, Self::ClientGo, Self::Pintle];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kube => "kube",
            Self::ClientGo => "client-go",
            Self::Pintle => "pintle",
        }
    }
}

/// The way from a cluster to a client.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Way {
    /// Both are in one process.
    Process,
    /// A socket lies between them.
    Socket,
}

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Socket => "socket",
        }
    }
}

impl FromStr for Way {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let mut ways = [Self::Process, Self::Socket].into_iter();
        ways.find(|way| way.name() == name).ok_or_else(|| format!("`{name}` is neither `process` nor `socket`"))
    }
}

/// What is compared.
pub(crate) struct Options {
    pub(crate) kind: Kind,
    /// How many objects, one comparison each.
    pub(crate) sizes: Vec<usize>,
    pub(crate) roads: Vec<Road>,
    pub(crate) ways: Vec<Way>,
    /// How many measurements a median is taken of.
    pub(crate) runs: usize,
    /// Where the figures are written to.
    pub(crate) json: Option<PathBuf>,
    /// Where a plot of them is written to.
    pub(crate) svg: Option<PathBuf>,
}

/// Enough that fixed costs vanish, few enough that a run takes seconds.
const OBJECTS: usize = 2_000;
/// Odd, so that a median is a measurement.
const RUNS: usize = 3;

pub(crate) const USAGE: &str = "\
Compares Pintle with kube 5 and, where Go is installed, with client-go: the same work on the same bytes.

usage: bench [--kind NAME] [--objects N,N] [--road NAME,NAME] [--from process,socket] [--runs N] [--json FILE] [--svg FILE]
       bench pack                                     only cutting and packing, against serde_json
       bench weigh                                    what decoded objects take, over the bytes they came as
       bench run SIDE ROAD json|protobuf COUNT [ADDR] [--kind NAME]   one measurement

  --kind     pods (12 KB), configmaps (2 KB) or documents, a custom resource (3 KB)   [pods]
  --objects  how many; several sizes show how costs grow, and --svg plots that        [2000]
  --road     controller, watcher, reflector, reflect, modify, queue (keys alone)      [all]
  --from     process: the cluster is a service under the client;
             socket: another process serves it, and client-go takes part with pods    [both]
  --runs     a figure is the median of so many runs                                   [3]";

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, BoxError> {
        let mut options = Options {
            kind: Kind::Pods,
            sizes: vec![OBJECTS],
            roads: Road::ALL.into(),
            ways: vec![Way::Process, Way::Socket],
            runs: RUNS,
            json: None,
            svg: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
            match word.as_str() {
                "-h" | "--help" => return Ok(Self::Help),
                "pack" => return Ok(Self::Pack),
                "weigh" => return Ok(Self::Weigh),
                "run" => return Ok(Self::Run(Run::parse(&words.collect::<Vec<_>>())?)),
                "--kind" => options.kind = value()?.parse()?,
                // As it was called while there was one kind.
                "--objects" | "--pods" => options.sizes = separated(&value()?)?,
                "--road" => options.roads = separated(&value()?)?,
                "--from" => options.ways = separated(&value()?)?,
                "--runs" => options.runs = value()?.parse()?,
                "--json" => options.json = Some(value()?.into()),
                "--svg" => options.svg = Some(value()?.into()),
                other => return Err(format!("`{other}` is not known\n{USAGE}").into()),
            }
        }
        if options.runs == 0 || options.sizes.contains(&0) {
            return Err(format!("nothing would be measured\n{USAGE}").into());
        }
        Ok(Self::Compare(options))
    }
}

impl Run {
    /// As the words that [`parse`](Self::parse) reads.
    pub(crate) fn words(&self) -> Vec<String> {
        let Self { side, road, encoding, kind, count, address } = self;
        let words = ["run", side.name(), road.name(), encoding.name(), &count.to_string()].map(str::to_owned);
        let kind = ["--kind", kind.name()].map(str::to_owned);
        words.into_iter().chain(address.map(|address| address.to_string())).chain(kind).collect()
    }

    fn parse(words: &[String]) -> Result<Self, BoxError> {
        let (words, kind) = match words {
            [words @ .., option, kind] if option == "--kind" => (words, kind.parse()?),
            words => (words, Kind::Pods),
        };
        let (words, address) = match words {
            [words @ .., address] if words.len() == 4 => (words, Some(address.parse()?)),
            words => (words, None),
        };
        let [side, road, encoding, count] = words else { return Err(USAGE.into()) };
        let side = Side::ALL.into_iter().find(|known| known.name() == side).ok_or(USAGE)?;
        let encodings = [Encoding::Json, Encoding::Protobuf];
        let encoding = encodings.into_iter().find(|known| known.name() == encoding).ok_or(USAGE)?;
        Ok(Self { side, road: road.parse()?, encoding, kind, count: count.parse()?, address })
    }
}

fn separated<T: FromStr<Err: Into<BoxError>>>(list: &str) -> Result<Vec<T>, BoxError> {
    list.split(',').map(|item| item.parse().map_err(Into::into)).collect()
}
