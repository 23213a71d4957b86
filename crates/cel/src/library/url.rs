//! URLs as Go reads them: `url("https://example.com:80/path?q=1").getHost()`.

use std::fmt;
use std::sync::Arc;

use crate::functions::Library;
use crate::value::{Evaluated, EvaluationError, Kubernetes, Map, OwnedMap, Value, fail};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        string_to_url: url(string) -> URL
        url_get_scheme: URL::getScheme() -> string
        url_get_host: URL::getHost() -> string
        url_get_hostname: URL::getHostname() -> string
        url_get_port: URL::getPort() -> string
        url_get_escaped_path: URL::getEscapedPath() -> string
        url_get_query: URL::getQuery() -> map(string, list(string))
        is_url_string: isURL(string) -> bool
    ",
    implementations: &[
        ("url", |arguments| match &arguments[0] {
            Value::String(text) => match Url::parse(text) {
                Ok(url) => Ok(Value::Kubernetes(Kubernetes::Url(Arc::new(url)))),
                Err(why) => fail(format!("URL parse error during conversion from string: {why}")),
            },
            _ => Err(EvaluationError::NoSuchOverload),
        }),
        ("getScheme", |arguments| part(arguments, |url| url.scheme.clone())),
        ("getHost", |arguments| part(arguments, |url| url.host.clone())),
        ("getHostname", |arguments| part(arguments, |url| url.host_and_port().0.to_owned())),
        ("getPort", |arguments| part(arguments, |url| url.host_and_port().1.to_owned())),
        ("getEscapedPath", |arguments| part(arguments, Url::escaped_path)),
        ("getQuery", query),
        ("isURL", |arguments| match &arguments[0] {
            Value::String(text) => Ok(Value::Bool(Url::parse(text).is_ok())),
            _ => Err(EvaluationError::NoSuchOverload),
        }),
    ],
};

/// A URL that could be that of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    text: String,
    scheme: String,
    host: String,
    raw_path: String,
    path: Vec<u8>,
    query: String,
}

fn url<'u>(arguments: &'u [Value<'_>]) -> Result<&'u Url, EvaluationError> {
    match &arguments[0] {
        Value::Kubernetes(Kubernetes::Url(url)) => Ok(url),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn part<'v>(arguments: &[Value<'v>], of: fn(&Url) -> String) -> Evaluated<'v> {
    Ok(Value::string(&of(url(arguments)?)))
}

fn query<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let mut found: Vec<(String, Vec<Value<'v>>)> = Vec::new();
    // What cannot be read is left out, as is what has a semicolon.
    let pairs = url(arguments)?.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
    for (key, value) in pairs.filter_map(query_pair) {
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(Value::string(&value)),
            None => found.push((key, vec![Value::string(&value)])),
        }
    }
    let mut map = OwnedMap::default();
    for (key, values) in found {
        map.insert(Value::string(&key), Value::list(values))?;
    }
    Ok(Value::Map(Map::Owned(Arc::new(map))))
}

fn query_pair(pair: &str) -> Option<(String, String)> {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let plain = |text: &str| {
        let bytes = unescape(&text.replace('+', " ")).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    Some((plain(key)?, plain(value)?))
}

impl Url {
    /// Reads a URL as that of a request: absolute, or a path. A fragment is cut off.
    pub(crate) fn parse(text: &str) -> Result<Url, String> {
        Url::read(text, text).and_then(|_| {
            let bare = text.split_once('#').map_or(text, |(bare, _)| bare);
            Url::read(bare, text)
        })
    }

    fn read(bare: &str, text: &str) -> Result<Url, String> {
        let wrong = |why: &str| Err(format!("parse {text:?}: {why}"));
        if bare.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return wrong("net/url: invalid control character in URL");
        }
        if bare.is_empty() && text.is_empty() {
            return wrong("empty url");
        }
        let (scheme, rest) = match scheme(bare) {
            Ok(found) => found,
            Err(why) => return wrong(why),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut url = Url {
            text: text.to_owned(),
            scheme: scheme.to_ascii_lowercase(),
            host: String::new(),
            raw_path: String::new(),
            path: Vec::new(),
            query: query.to_owned(),
        };
        if bare == "*" {
            url.raw_path = "*".to_owned();
            url.path = b"*".to_vec();
            return Ok(url);
        }
        if !rest.starts_with('/') {
            // A text like `mailto:x` has a scheme and something that nobody looks into.
            return if scheme.is_empty() { wrong("invalid URI for request") } else { Ok(url) };
        }
        let mut path = rest;
        if !scheme.is_empty()
            && let Some(after) = rest.strip_prefix("//")
        {
            let end = after.find('/').unwrap_or(after.len());
            url.host = match authority(&after[..end]) {
                Ok(host) => host,
                Err(why) => return wrong(&why),
            };
            path = &after[end..];
        }
        url.path = match unescape(path) {
            Ok(path) => path,
            Err(why) => return wrong(&why),
        };
        url.raw_path = path.to_owned();
        Ok(url)
    }

    pub(crate) fn escaped_path(&self) -> String {
        if self.raw_path.bytes().all(|byte| byte == b'%' || is_path_byte(byte)) {
            return self.raw_path.clone();
        }
        let shown = |byte: &u8| match byte {
            byte if byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(byte) => char::from(*byte).to_string(),
            byte => format!("%{byte:02X}"),
        };
        self.path.iter().map(shown).collect()
    }

    fn host_and_port(&self) -> (&str, &str) {
        let bare = |host: &'_ str| host.starts_with('[') && host.ends_with(']');
        let (host, port) = match self.host.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !self.host.ends_with(']') => {
                (host, port)
            }
            _ => (&*self.host, ""),
        };
        if bare(host) { (&host[1..host.len() - 1], port) } else { (host, port) }
    }
}

/// What may stand in a path as it is.
fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:@[]/".contains(&byte)
}

fn scheme(text: &str) -> Result<(&str, &str), &'static str> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme"),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => return Ok(("", text)),
        }
    }
    Ok(("", text))
}

/// The host, without who connects to it.
fn authority(text: &str) -> Result<String, String> {
    let host = match text.rsplit_once('@') {
        Some((user, host)) => {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
            if !user.bytes().all(is_allowed) {
                return Err("net/url: invalid userinfo".to_owned());
            }
            unescape(user)?;
            host
        }
        None => text,
    };
    let port = match host.strip_prefix('[') {
        Some(inner) => match inner.rsplit_once(']') {
            Some((_, port)) => port,
            None => return Err("missing ']' in host".to_owned()),
        },
        None => host.find(':').map_or("", |at| &host[host.rfind(':').unwrap_or(at)..]),
    };
    if !port.is_empty() && !port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(format!("invalid port {port:?} after host"));
    }
    if let Some(wrong) =
        host.chars().find(|sign| matches!(sign, ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}'))
        && !host.starts_with('[')
    {
        return Err(format!("invalid character {:?} in host name", wrong.to_string()));
    }
    String::from_utf8(unescape(host)?).map_err(|_| "invalid host".to_owned())
}

/// `%41` as `A`.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => bytes.push(byte),
            None => {
                let shown = String::from_utf8_lossy(&rest[..rest.len().min(3)]).into_owned();
                return Err(format!("invalid URL escape {shown:?}"));
            }
        }
        rest = &after[2..];
    }
    Ok(bytes)
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
