//! Networks, written as CIDRs.

use std::net::IpAddr;

use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// A text is a network.
pub(crate) fn error(cidr: &Field<'_>) -> Option<FieldError> {
    read(cidr.text()).is_none().then(|| cidr.wrong_text(REFUSED))
}

/// A text is a network in its one spelling: the bits that distinguish its addresses are not set.
pub(crate) fn strict_error(cidr: &Field<'_>) -> Option<FieldError> {
    let Some((address, length)) = read(cidr.text()) else { return Some(cidr.wrong_text(REFUSED)) };
    let first_free = if address.is_ipv4() { length + 96 } else { length };
    let bits = match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    };
    let is_set = bits.checked_shl(first_free).is_some_and(|rest| rest != 0);
    is_set.then(|| cidr.wrong_text("must not have bits set beyond the prefix length"))
}

/// The first address of a network, and how many bits are the same in all of them.
pub(crate) fn read(text: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = text.split_once('/')?;
    let (address, length): (IpAddr, u32) = (address.parse().ok()?, length.parse().ok()?);
    let most = if address.is_ipv4() { 32 } else { 128 };
    (length <= most).then_some((address, length))
}

/// Whether an address is in a network.
pub(crate) fn is_inside(network: IpAddr, length: u32, inner: IpAddr) -> bool {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    };
    let is_same_family = network.is_ipv4() == inner.is_ipv4();
    let mask = if length == 0 { 0 } else { u128::MAX << (128 - length) };
    is_same_family && bits(network) & mask == bits(inner) & mask
}

/// What is said of a text that is not a network.
pub(crate) const REFUSED: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
