//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use crate::BoxError;
use crate::answer::Encoding;
use crate::road::Road;

/// What is to be done.
pub(crate) enum Arguments {
    /// How it is called.
    Help,
    /// Compare cutting and packing with serde_json.
    Pack,
    /// Take one measurement and print it.
    Run(Run),
    /// Compare both sides.
    Compare(Options),
}

/// One measurement.
pub(crate) struct Run {
    pub(crate) side: Side,
    pub(crate) road: Road,
    pub(crate) encoding: Encoding,
    pub(crate) pods: usize,
}

/// Whose library.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    Kube,
    Pintle,
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kube => "kube",
            Self::Pintle => "pintle",
        }
    }
}

/// What is compared.
pub(crate) struct Options {
    /// How many pods, one comparison each.
    pub(crate) sizes: Vec<usize>,
    pub(crate) roads: Vec<Road>,
    /// How many measurements a median is taken of.
    pub(crate) runs: usize,
    /// Where the figures are written to.
    pub(crate) json: Option<PathBuf>,
}

/// Enough that fixed costs vanish, few enough that a run takes seconds.
const PODS: usize = 2_000;
/// Odd, so that a median is a measurement.
const RUNS: usize = 3;

pub(crate) const USAGE: &str = "usage: bench [--pods N,N] [--road NAME,NAME] [--runs N] [--json FILE]
       bench pack
       bench run kube|pintle ROAD json|protobuf PODS";

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, BoxError> {
        let mut options = Options { sizes: vec![PODS], roads: Road::ALL.into(), runs: RUNS, json: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
            match word.as_str() {
                "-h" | "--help" => return Ok(Self::Help),
                "pack" => return Ok(Self::Pack),
                "run" => return Ok(Self::Run(Run::parse(&words.collect::<Vec<_>>())?)),
                "--pods" => options.sizes = separated(&value()?)?,
                "--road" => options.roads = separated(&value()?)?,
                "--runs" => options.runs = value()?.parse()?,
                "--json" => options.json = Some(value()?.into()),
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
    pub(crate) fn words(&self) -> [String; 5] {
        let Self { side, road, encoding, pods } = self;
        ["run", side.name(), road.name(), encoding.name(), &pods.to_string()].map(str::to_owned)
    }

    fn parse(words: &[String]) -> Result<Self, BoxError> {
        let [side, road, encoding, pods] = words else { return Err(USAGE.into()) };
        let side = [Side::Kube, Side::Pintle].into_iter().find(|known| known.name() == side).ok_or(USAGE)?;
        let encodings = [Encoding::Json, Encoding::Protobuf];
        let encoding = encodings.into_iter().find(|known| known.name() == encoding).ok_or(USAGE)?;
        Ok(Self { side, road: road.parse()?, encoding, pods: pods.parse()? })
    }
}

fn separated<T: FromStr<Err: Into<BoxError>>>(list: &str) -> Result<Vec<T>, BoxError> {
    list.split(',').map(|item| item.parse().map_err(Into::into)).collect()
}
