//! Addresses of endpoints.

use std::net::IpAddr;

use crate::registry::validation::field::Field;
use crate::response::status::FieldError;

/// Addresses that no endpoint can have.
pub(crate) fn unusual(spot: &Field<'_>, address: IpAddr) -> Option<FieldError> {
    let is_link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    };
    let why = if address.is_unspecified() {
        format!("may not be unspecified ({address})")
    } else if address.is_loopback() {
        "may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned()
    } else if is_link_local {
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned()
    } else if matches!(address, IpAddr::V4(address) if address.octets()[..3] == [224, 0, 0]) {
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned()
    } else {
        return None;
    };
    Some(spot.wrong_text(&why))
}

/// What is said of a text that is not an address.
pub(crate) const REFUSED: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
