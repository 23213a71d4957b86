//! Addresses and networks: `ip("10.0.0.1")`, `cidr("10.0.0.0/8").containsIP("10.0.0.1")`.

use std::fmt;
use std::net::IpAddr;

use crate::functions::Library;
use crate::value::{Evaluated, EvaluationError, Kubernetes, Value, fail};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        string_to_ip: ip(string) -> IP
        ip_family: IP::family() -> int
        ip_is_canonical: ip.isCanonical(string) -> bool
        ip_is_unspecified: IP::isUnspecified() -> bool
        ip_is_loopback: IP::isLoopback() -> bool
        ip_is_link_local_multicast: IP::isLinkLocalMulticast() -> bool
        ip_is_link_local_unicast: IP::isLinkLocalUnicast() -> bool
        ip_is_global_unicast: IP::isGlobalUnicast() -> bool
        is_ip: isIP(string) -> bool
        string_to_cidr: cidr(string) -> CIDR
        cidr_contains_ip_string: CIDR::containsIP(string) -> bool
        cidr_contains_ip_ip: CIDR::containsIP(IP) -> bool
        cidr_contains_cidr_string: CIDR::containsCIDR(string) -> bool
        cidr_contains_cidr: CIDR::containsCIDR(CIDR) -> bool
        cidr_ip: CIDR::ip() -> IP
        cidr_prefix_length: CIDR::prefixLength() -> int
        cidr_masked: CIDR::masked() -> CIDR
        is_cidr: isCIDR(string) -> bool
    ",
    implementations: &[
        ("ip", |arguments| match &arguments[0] {
            Value::String(text) => address(text),
            Value::Kubernetes(Kubernetes::Cidr(network)) => Ok(Value::Kubernetes(Kubernetes::Ip(network.address))),
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("family", |arguments| Ok(Value::Int(if ip(&arguments[0])?.is_ipv4() { 4 } else { 6 }))),
        ("ip.isCanonical", |arguments| match &arguments[0] {
            Value::String(text) => match parse_address(text) {
                Ok(found) => Ok(Value::Bool(found.to_string() == **text)),
                Err(why) => fail(why),
            },
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("isUnspecified", |arguments| Ok(Value::Bool(ip(&arguments[0])?.is_unspecified()))),
        ("isLoopback", |arguments| Ok(Value::Bool(ip(&arguments[0])?.is_loopback()))),
        ("isLinkLocalMulticast", |arguments| Ok(Value::Bool(is_link_local_multicast(ip(&arguments[0])?)))),
        ("isLinkLocalUnicast", |arguments| Ok(Value::Bool(is_link_local_unicast(ip(&arguments[0])?)))),
        ("isGlobalUnicast", |arguments| Ok(Value::Bool(is_global_unicast(ip(&arguments[0])?)))),
        ("isIP", |arguments| match &arguments[0] {
            Value::String(text) => Ok(Value::Bool(parse_address(text).is_ok())),
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("cidr", |arguments| match &arguments[0] {
            Value::String(text) => network(text),
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("containsIP", |arguments| {
            let network = cidr(&arguments[0])?;
            let found = match &arguments[1] {
                // What is no address is, as in Kubernetes, not said.
                Value::String(text) => parse_address(text).or_else(|_| fail("no such overload"))?,
                other => ip(other)?,
            };
            Ok(Value::Bool(network.contains(found)))
        }),
        ("containsCIDR", |arguments| {
            let outer = cidr(&arguments[0])?;
            let inner = match &arguments[1] {
                Value::String(text) => cidr(&network(text)?)?,
                other => cidr(other)?,
            };
            Ok(Value::Bool(outer.bits <= inner.bits && outer.contains(inner.address)))
        }),
        ("prefixLength", |arguments| Ok(Value::Int(i64::from(cidr(&arguments[0])?.bits)))),
        ("masked", |arguments| Ok(Value::Kubernetes(Kubernetes::Cidr(cidr(&arguments[0])?.masked())))),
        ("isCIDR", |arguments| match &arguments[0] {
            Value::String(text) => Ok(Value::Bool(parse_network(text).is_ok())),
            _ => Err(EvaluationError::NoSuchOverload),
        }),
    ],
};

/// A network: an address and how many of its bits name the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    bits: u8,
}

impl Cidr {
    /// How many bytes its bits fill.
    pub(crate) fn size(self) -> usize {
        usize::from(self.bits.div_ceil(8))
    }

    fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4() && mask(self.address, self.bits) == mask(address, self.bits)
    }

    fn masked(self) -> Cidr {
        Cidr { address: mask(self.address, self.bits), ..self }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

fn mask(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4((u32::from(address) & mask).into())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6((u128::from(address) & mask).into())
        }
    }
}

fn ip(value: &Value<'_>) -> Result<IpAddr, EvaluationError> {
    match value {
        Value::Kubernetes(Kubernetes::Ip(address)) => Ok(*address),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn cidr(value: &Value<'_>) -> Result<Cidr, EvaluationError> {
    match value {
        Value::Kubernetes(Kubernetes::Cidr(network)) => Ok(*network),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn address<'v>(text: &str) -> Evaluated<'v> {
    parse_address(text).map(|address| Value::Kubernetes(Kubernetes::Ip(address))).or_else(fail)
}

fn network<'v>(text: &str) -> Evaluated<'v> {
    parse_network(text).map(|network| Value::Kubernetes(Kubernetes::Cidr(network))).or_else(|why| {
        // Said twice, as Kubernetes does.
        fail(format!("network address parse error during conversion from string: {why}"))
    })
}

fn parse_address(text: &str) -> Result<IpAddr, String> {
    let bare = text.split_once('%').map_or(text, |(address, _)| address);
    let address = read_address(bare, text)
        .map_err(|why| format!("IP Address {text:?} parse error during conversion from string: {why}"))?;
    if bare.len() < text.len() {
        return Err(format!("IP address {text:?} with zone value is not allowed"));
    }
    refuse_mapped(address, text)?;
    Ok(address)
}

fn refuse_mapped(address: IpAddr, text: &str) -> Result<(), String> {
    match address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_some() => {
            Err(format!("IPv4-mapped IPv6 address {text:?} is not allowed"))
        }
        _ => Ok(()),
    }
}

/// Reads an address; says what is wrong in the words of Go.
fn read_address(bare: &str, text: &str) -> Result<IpAddr, String> {
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(address);
    }
    if bare.is_empty() && !text.is_empty() {
        return Err(format!("ParseAddr({text:?}): missing IPv6 address"));
    }
    let why = match bare.find(['.', ':']) {
        Some(at) if bare[at..].starts_with('.') => wrong_ipv4(bare),
        Some(_) => wrong_ipv6(bare),
        None => "unable to parse IP".to_owned(),
    };
    Err(format!("ParseAddr({text:?}): {why}"))
}

fn wrong_ipv4(text: &str) -> String {
    let mut fields = 0;
    for field in text.split('.') {
        if let Some(at) = field.find(|digit: char| !digit.is_ascii_digit()) {
            let from = field.as_ptr() as usize - text.as_ptr() as usize + at;
            return format!("unexpected character (at {:?})", &text[from..]);
        }
        if field.is_empty() {
            let from = field.as_ptr() as usize - text.as_ptr() as usize;
            return match &text[from..] {
                "" => "IPv4 address too short".to_owned(),
                rest => format!("IPv4 field must have at least one digit (at {rest:?})"),
            };
        }
        if field.len() > 1 && field.starts_with('0') {
            return "IPv4 field has octet with leading zero".to_owned();
        }
        if field.parse::<u8>().is_err() {
            return "IPv4 field has value >255".to_owned();
        }
        fields += 1;
    }
    if fields < 4 { "IPv4 address too short".to_owned() } else { "IPv4 address too long".to_owned() }
}

/// What is wrong first, from left to right.
fn wrong_ipv6(text: &str) -> String {
    let (mut rest, mut fields, mut has_gap) = match text.strip_prefix("::") {
        Some(rest) => (rest, 0, true),
        None => (text, 0, false),
    };
    while fields < 8 && !rest.is_empty() {
        let digits = rest.find(|sign: char| !sign.is_ascii_hexdigit()).unwrap_or(rest.len());
        if digits == 0 {
            return format!("each colon-separated field must have at least one digit (at {rest:?})");
        }
        if digits > 4 {
            return format!("each group must have 4 or less digits (at {rest:?})");
        }
        let after = &rest[digits..];
        if after.starts_with('.') {
            return match has_gap || fields == 6 {
                true if fields > 6 => {
                    format!("too many hex fields to fit an embedded IPv4 at the end of the address (at {rest:?})")
                }
                true => wrong_ipv4(rest),
                false => format!("embedded IPv4 address must replace the final 2 fields of the address (at {rest:?})"),
            };
        }
        fields += 1;
        match after.strip_prefix(':') {
            _ if after.is_empty() => rest = "",
            None => return format!("unexpected character, want colon (at {after:?})"),
            Some("") => return format!("colon must be followed by more characters (at {after:?})"),
            Some(next) => match next.strip_prefix(':') {
                None => rest = next,
                Some(_) if has_gap => return format!("multiple :: in address (at {next:?})"),
                Some(next) => (rest, has_gap) = (next, true),
            },
        }
    }
    match (rest, fields) {
        ("", 8) => "the :: must expand to at least one field of zeros".to_owned(),
        ("", _) => "address string too short".to_owned(),
        (rest, _) => format!("trailing garbage after address (at {rest:?})"),
    }
}

fn parse_network(text: &str) -> Result<Cidr, String> {
    let wrong = |why: String| format!("network address parse error during conversion from string: {why}");
    let prefixed = |why: &str| wrong(format!("netip.ParsePrefix({text:?}): {why}"));
    let Some((address, bits)) = text.rsplit_once('/') else { return Err(prefixed("no '/'")) };
    if address.contains('%') {
        return Err(prefixed("IPv6 zones cannot be present in a prefix"));
    }
    let address = read_address(address, address).map_err(|why| prefixed(&why))?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let is_number = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || (bits.len() > 1 && bits.starts_with('0')) {
        return Err(prefixed(&format!("bad bits after slash: {bits:?}")));
    }
    let bits = match bits.parse::<u8>() {
        Ok(bits) if bits <= most => bits,
        _ => return Err(prefixed("prefix length out of range")),
    };
    refuse_mapped(address, text)?;
    Ok(Cidr { address, bits })
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        IpAddr::V6(address) => address.octets()[0] == 0xff && address.octets()[1] & 0x0f == 2,
    }
}

fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    }
}

fn is_global_unicast(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    !is_broadcast
        && !address.is_unspecified()
        && !address.is_loopback()
        && !address.is_multicast()
        && !is_link_local_unicast(address)
}
