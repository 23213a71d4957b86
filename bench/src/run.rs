//! One measurement, which is a process of its own: whose library, on which road, and where the objects come from.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use crate::BoxError;
use crate::answer::Encoding;
use crate::arguments::USAGE;
use crate::objects::Kind;
use crate::road::Road;
use crate::source::History;

/// What a process is to measure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) side: Side,
    pub(crate) road: Road,
    pub(crate) encoding: Encoding,
    pub(crate) kind: Kind,
    pub(crate) count: usize,
    pub(crate) history: History,
    /// Where the objects are served; in this process if nowhere.
    pub(crate) address: Option<Address>,
}

/// Whose library.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    Kube,
    ClientGo,
    Pintle,
}

impl Side {
    pub(crate) const ALL: [Self; 3] = [Self::Kube, Self::ClientGo, Self::Pintle];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kube => "kube",
            Self::ClientGo => "client-go",
            Self::Pintle => "pintle",
        }
    }
}

impl FromStr for Side {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::name).join(", ");
        let mut sides = Self::ALL.into_iter();
        sides.find(|side| side.name() == name).ok_or_else(|| format!("`{name}` is not a side; there are {known}"))
    }
}

/// Where objects are served.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Address {
    /// By the process that compares.
    Socket(SocketAddr),
    /// By a real server, whose kubeconfig this is.
    Kubeconfig(PathBuf),
}

impl Address {
    /// As it is written on a command line.
    pub(crate) fn word(&self) -> String {
        match self {
            Self::Socket(address) => address.to_string(),
            Self::Kubeconfig(file) => format!("{KUBECONFIG}{}", file.display()),
        }
    }

    fn parse(word: &str) -> Result<Self, BoxError> {
        Ok(match word.strip_prefix(KUBECONFIG) {
            Some(file) => Self::Kubeconfig(file.into()),
            None => Self::Socket(word.parse()?),
        })
    }
}

const KUBECONFIG: &str = "kubeconfig=";
const KIND: &str = "--kind";
/// Only the first list is measured.
pub(crate) const LIST_ONLY: &str = "--list-only";

impl Run {
    /// As the words that [`parse`](Self::parse) reads.
    pub(crate) fn words(&self) -> Vec<String> {
        let Self { side, road, encoding, kind, count, history, address } = self;
        let words = ["run", side.name(), road.name(), encoding.name(), &count.to_string()].map(str::to_owned);
        let options = [KIND, kind.name()].into_iter().chain((*history == History::FirstList).then_some(LIST_ONLY));
        words.into_iter().chain(address.as_ref().map(Address::word)).chain(options.map(str::to_owned)).collect()
    }

    pub(crate) fn parse(words: &[String]) -> Result<Self, BoxError> {
        let (mut kind, mut history, mut places) = (Kind::Pods, History::Whole, Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                KIND => kind = words.next().ok_or(USAGE)?.parse()?,
                LIST_ONLY => history = History::FirstList,
                place => places.push(place),
            }
        }
        let (places, address) = match places.as_slice() {
            [places @ .., address] if places.len() == 4 => (places, Some(Address::parse(address)?)),
            places => (places, None),
        };
        let [side, road, encoding, count] = places else { return Err(USAGE.into()) };
        let encodings = [Encoding::Json, Encoding::Protobuf];
        let encoding = encodings.into_iter().find(|known| known.name() == *encoding).ok_or(USAGE)?;
        Ok(Self { side: side.parse()?, road: road.parse()?, encoding, kind, count: count.parse()?, history, address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_as_it_is_written() {
        let addresses = [None, Some("127.0.0.1:80"), Some("kubeconfig=/tmp/config")];
        for address in addresses.map(|word| word.map(|word| Address::parse(word).unwrap())) {
            for history in [History::Whole, History::FirstList] {
                let (side, road, kind) = (Side::Pintle, Road::Owns, Kind::Documents);
                let run =
                    Run { side, road, encoding: Encoding::Json, kind, count: 7, history, address: address.clone() };
                assert_eq!(Run::parse(&run.words()[1..]).unwrap(), run);
            }
        }
    }
}
