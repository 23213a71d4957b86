//! The continue token of a paged list: at which revision to go on, after which key.
//!
//! Printed as base64 (URL alphabet, no padding) of `{"v":"meta.k8s.io/v1","rv":N,"start":"/key\u0000"}`, the form
//! kube-apiserver has, and parsed from it, with or without the slash. The key is relative to the list's namespace. A revision of -1 means "the
//! latest": the token handed out when the revision of the first page is gone.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::codec::typed::go_errors;

/// Where a list goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContinueToken {
    /// The revision of all pages; `None` for the latest.
    pub(crate) revision: Option<u64>,
    /// The first key of the next page is not less than this.
    pub(crate) start: String,
}

impl ContinueToken {
    /// The token for what follows `last`, a key relative to the list's namespace.
    pub(crate) fn after(revision: u64, last: &str) -> ContinueToken {
        ContinueToken { revision: Some(revision), start: format!("{last}\0") }
    }

    /// The token as text.
    pub(crate) fn print(&self) -> String {
        let revision = self.revision.map_or(-1, |revision| i64::try_from(revision).unwrap_or(i64::MAX));
        let written = Written { v: VERSION.to_owned(), rv: revision, start: format!("/{}", self.start) };
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&written).expect("three plain fields always print"))
    }

    /// Parses a token; the error is the sentence a client gets.
    pub(crate) fn parse(text: &str) -> Result<ContinueToken, String> {
        let invalid = |why: &dyn std::fmt::Display| format!("invalid continue token: continue key is not valid: {why}");
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|error| invalid(&error))?;
        let written: Written =
            serde_json::from_slice(&bytes).map_err(|error| invalid(&go_errors::syntax_error(&error, &bytes)))?;
        if written.v != VERSION {
            return Err(invalid(&format!("server does not recognize this encoded version \"{}\"", written.v)));
        }
        let revision = match written.rv {
            0 => {
                return Err(invalid(&format!("incorrect encoded start resourceVersion (version {VERSION})")));
            }
            -1 => None,
            rv => Some(u64::try_from(rv).map_err(|error| invalid(&error))?),
        };
        if written.start.is_empty() {
            return Err(invalid(&format!("encoded start key empty (version {VERSION})")));
        }
        let start = written.start.strip_prefix('/').unwrap_or(&written.start);
        if !is_clean(start) {
            return Err(invalid(&start.escape_debug()));
        }
        Ok(ContinueToken { revision, start: start.to_owned() })
    }
}

/// A key that would leave its prefix (`../`, `//`) is nothing this server printed.
fn is_clean(start: &str) -> bool {
    let segments: Vec<&str> = start.split('/').collect();
    segments.iter().all(|segment| !matches!(*segment, "" | "." | ".."))
}

#[derive(Serialize, Deserialize)]
struct Written {
    v: String,
    rv: i64,
    start: String,
}

const VERSION: &str = "meta.k8s.io/v1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_one_kube_apiserver_prints() {
        let token = ContinueToken::after(42, "default/a");
        let json = URL_SAFE_NO_PAD.decode(token.print()).unwrap();
        assert_eq!(json, br#"{"v":"meta.k8s.io/v1","rv":42,"start":"/default/a\u0000"}"#);
    }

    #[test]
    fn what_is_printed_parses_to_the_same_token() {
        for token in [ContinueToken::after(7, "a"), ContinueToken { revision: None, start: "n/a\0".to_owned() }] {
            assert_eq!(ContinueToken::parse(&token.print()), Ok(token));
        }
    }

    #[test]
    fn foreign_texts_are_refused_with_a_reason() {
        let written = |json: &str| ContinueToken::parse(&URL_SAFE_NO_PAD.encode(json)).unwrap_err();
        assert!(
            ContinueToken::parse("%%%").unwrap_err().starts_with("invalid continue token: continue key is not valid")
        );
        assert!(written(r#"{"v":"v2","rv":1,"start":"a"}"#).contains("does not recognize"));
        assert!(written(r#"{"v":"meta.k8s.io/v1","rv":0,"start":"a"}"#).contains("incorrect encoded start"));
        assert!(written(r#"{"v":"meta.k8s.io/v1","rv":1,"start":""}"#).contains("start key empty"));
        assert!(written(r#"{"v":"meta.k8s.io/v1","rv":1,"start":"../a"}"#).contains("../a"));
    }
}
