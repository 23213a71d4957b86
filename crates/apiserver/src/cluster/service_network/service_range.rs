//! The addresses that Services get: an IPv4 network, as `--service-cluster-ip-range` of kube-apiserver names it.

use std::fmt;
use std::net::Ipv4Addr;
use std::ops::Range;
use std::str::FromStr;

/// The addresses that Services get; `10.0.0.0/16` by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceRange {
    base: u32,
    prefix: u8,
}

impl ServiceRange {
    /// The address of the Service `kubernetes`.
    pub(crate) fn first(self) -> Ipv4Addr {
        Ipv4Addr::from(self.base + 1)
    }

    /// Whether a Service can have this address: neither the first of all nor the broadcast.
    pub(super) fn holds(self, address: Ipv4Addr) -> bool {
        let number = u32::from(address);
        number > self.base && number < self.base + (self.size() - 1)
    }

    /// The addresses for Services that ask for none, and then those that are left to people as long as there are others.
    pub(super) fn in_order(self) -> impl Iterator<Item = Ipv4Addr> {
        let (size, offset) = (self.size(), self.offset());
        let (given, chosen): (Range<u32>, Range<u32>) = (offset + 1..size - 1, 2..offset + 1);
        given.chain(chosen).filter(|number| *number > 1).map(move |number| Ipv4Addr::from(self.base + number))
    }

    /// How many of the first addresses are left to people: kube-apiserver's rule.
    fn offset(self) -> u32 {
        match self.size() {
            ..=16 => 0,
            size => (size / 16).clamp(16, 256),
        }
    }

    fn size(self) -> u32 {
        1 << (32 - u32::from(self.prefix))
    }
}

impl Default for ServiceRange {
    fn default() -> Self {
        ServiceRange { base: u32::from(Ipv4Addr::new(10, 0, 0, 0)), prefix: 16 }
    }
}

impl fmt::Display for ServiceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Ipv4Addr::from(self.base), self.prefix)
    }
}

impl FromStr for ServiceRange {
    type Err = InvalidServiceRange;

    fn from_str(text: &str) -> Result<ServiceRange, InvalidServiceRange> {
        let wrong = || InvalidServiceRange(text.to_owned());
        let (address, prefix) = text.split_once('/').ok_or_else(wrong)?;
        let (address, prefix): (Ipv4Addr, u8) =
            (address.parse().map_err(|_| wrong())?, prefix.parse().map_err(|_| wrong())?);
        if !(PREFIX_LEAST..=PREFIX_MOST).contains(&prefix) {
            return Err(wrong());
        }
        let base = u32::from(address) & (u32::MAX << (32 - u32::from(prefix)));
        Ok(ServiceRange { base, prefix })
    }
}

/// A text is not a range of addresses for Services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidServiceRange(String);

impl fmt::Display for InvalidServiceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not an IPv4 network of a size between /{PREFIX_LEAST} and /{PREFIX_MOST}, such as 10.0.0.0/24",
            self.0
        )
    }
}

impl std::error::Error for InvalidServiceRange {}

/// kube-apiserver refuses larger ones; smaller ones have no room for a Service.
const PREFIX_LEAST: u8 = 12;
const PREFIX_MOST: u8 = 29;

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> ServiceRange {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_that_people_choose_are_given_last() {
        for (text, first, given) in [
            ("10.0.0.0/16", "10.0.0.1", "10.0.1.1"),
            ("10.0.0.0/24", "10.0.0.1", "10.0.0.17"),
            ("192.168.7.9/28", "192.168.7.1", "192.168.7.2"),
        ] {
            let range = range(text);
            let mut order = range.in_order().map(|address| address.to_string());
            assert_eq!((range.first().to_string(), order.next()), (first.to_owned(), Some(given.to_owned())), "{text}");
        }
        let all: Vec<_> = range("10.0.0.0/24").in_order().collect();
        assert_eq!((all.len(), all.last()), (253, Some(&Ipv4Addr::new(10, 0, 0, 16))));
    }

    #[test]
    fn the_ends_of_a_range_are_not_for_services() {
        let range = range("10.0.0.0/24");
        let holds = |last| range.holds(Ipv4Addr::new(10, 0, 0, last));
        assert!(holds(1) && holds(254) && !holds(0) && !holds(255));
        assert!(!range.holds(Ipv4Addr::new(10, 0, 1, 1)));
        assert_eq!(range.to_string(), "10.0.0.0/24");
    }

    #[test]
    fn what_is_not_a_range_is_refused() {
        for wrong in ["", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/8", "fd00::/108", "x/24"] {
            assert!(wrong.parse::<ServiceRange>().is_err(), "{wrong}");
        }
    }
}
