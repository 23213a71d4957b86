//! YAML, read as kube-apiserver's library reads it: bodies of requests, manifests and kubeconfigs. Writing it is in
//! `yaml/print.rs`.
//!
//! In: text. Out: the JSON of its documents. How deep a body may be and how often it may refer to itself is limited.
//!
//! The parser underneath ends every block of text with a line break. Kubernetes' library does so only where there is one:
//! `text: |` whose last line is the last of the input, without a line break, has none either. See [`unbroken`].

mod duplicate_keys;
mod print;

use serde_json::Value;
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Budget, Error, Options};

pub(crate) use print::print;

use crate::codec::typed::Read;

/// The value of a document. Of duplicate keys the last one counts; a strict reader reports them.
pub(crate) fn read(body: &[u8]) -> Result<Read, String> {
    let text = std::str::from_utf8(body).map_err(|_| "yaml: invalid leading UTF-8 octet".to_owned())?;
    let read = |duplicate_keys| {
        let parse = |text: &str| {
            serde_saphyr::from_str_with_options::<Value>(text, options(text, BODY_ALIASES_MAX, duplicate_keys))
        };
        parse(text).map(|value| unbroken(text, value, |marked| parse(marked).ok()))
    };
    if let Ok(value) = read(DuplicateKeyPolicy::Error) {
        return Ok(Read { value, strict: Vec::new() });
    }
    let value = read(DuplicateKeyPolicy::LastWins).map_err(|error| go_words(&error))?;
    let found = duplicate_keys::find(text, options(text, BODY_ALIASES_MAX, DuplicateKeyPolicy::LastWins));
    Ok(Read { value, strict: vec![format!("yaml: unmarshal errors:\n  {}", found.join("\n  "))] })
}

/// The keys that stand twice, one sentence each; JSON is YAML, too.
pub(crate) fn duplicate_keys(body: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    duplicate_keys::find(text, options(text, BODY_ALIASES_MAX, DuplicateKeyPolicy::LastWins))
}

/// The documents of a manifest.
pub(crate) fn documents(text: &str) -> Result<Vec<Value>, Error> {
    let parse = |text: &str| {
        let options = options(text, MANIFEST_ALIASES_MAX, DuplicateKeyPolicy::Error);
        serde_saphyr::from_multiple_with_options::<Value>(text, options).map(Value::Array)
    };
    match unbroken(text, parse(text)?, |marked| parse(marked).ok()) {
        Value::Array(documents) => Ok(documents),
        _ => unreachable!("only strings are changed"),
    }
}

/// How a text is read. It may hold as much as it has characters for: only what aliases add makes a small text large.
fn options(text: &str, aliases_max: usize, duplicate_keys: DuplicateKeyPolicy) -> Options {
    let written = Budget::default();
    let budget = serde_saphyr::budget! {
        max_depth: DEPTH_MAX,
        max_aliases: aliases_max,
        max_documents: written.max_documents + text.len(),
        max_nodes: written.max_nodes + text.len(),
        max_events: written.max_events + EVENTS_PER_NODE * text.len(),
        max_total_scalar_bytes: written.max_total_scalar_bytes + text.len(),
        max_total_comment_bytes: written.max_total_comment_bytes + text.len(),
    };
    serde_saphyr::options! { budget: budget, duplicate_keys: duplicate_keys }
}

/// What the library of kube-apiserver says most often of what is not YAML, with the line.
fn go_words(error: &Error) -> String {
    let line = error.location().map_or(1, |location| location.line());
    format!("yaml: line {line}: did not find expected node content")
}

/// The value without the line break that the parser added to a block of text that ends where the input ends.
///
/// One more letter at the input's end shows which string that is: only of such a block does it come before a line break.
fn unbroken(text: &str, mut value: Value, parse: impl FnOnce(&str) -> Option<Value>) -> Value {
    let may_be = !text.ends_with(['\n', '\r']) && text.contains(['|', '>']) && !text.contains(MARK);
    if let Some(marked) = may_be.then(|| format!("{text}{MARK}")).and_then(|marked| parse(&marked)) {
        take_break(&mut value, &marked);
    }
    value
}

fn take_break(value: &mut Value, marked: &Value) {
    match (value, marked) {
        (Value::String(string), Value::String(marked)) => {
            let line = marked.strip_suffix('\n').and_then(|line| line.strip_suffix(MARK));
            if line.is_some() && line == string.strip_suffix('\n') {
                string.pop();
            }
        }
        (Value::Array(values), Value::Array(marked)) => {
            values.iter_mut().zip(marked).for_each(|(value, marked)| take_break(value, marked));
        }
        (Value::Object(fields), Value::Object(marked)) => {
            for (name, value) in fields {
                marked.get(name).into_iter().for_each(|marked| take_break(value, marked));
            }
        }
        _ => {}
    }
}

/// A private-use character, which no alphabet contains.
const MARK: char = '\u{e000}';

/// As deep as JSON is read.
const DEPTH_MAX: usize = 128;

/// More than any body people write, and far from what makes a small text large.
const BODY_ALIASES_MAX: usize = 100;

/// A manifest is a program's own, and may be many documents.
const MANIFEST_ALIASES_MAX: usize = 50_000;

/// A map, a list and a document have a beginning and an end.
const EVENTS_PER_NODE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_manifest_is_read_whole() {
        let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n";
        assert_eq!(documents(&format!("---\n{map}").repeat(2_000)).unwrap().len(), 2_000);
        let list = format!("items:\n{}", "- [a, b, c, d, e, f, g, h, i]\n".repeat(40_000));
        assert_eq!(read(list.as_bytes()).unwrap().value["items"].as_array().unwrap().len(), 40_000);
    }

    #[test]
    fn a_small_text_that_aliases_make_large_is_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..8 {
            let inner = format!("*a{}, ", level - 1).repeat(10);
            text.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
        }
        assert!(read(text.as_bytes()).is_err());
        assert!(documents(&text).is_err());
    }

    /// What Kubernetes reads of each: `write/media-types`.
    #[test]
    fn a_block_of_text_ends_with_a_line_break_only_where_there_is_one() {
        let cases = [
            ("t: |\n  two\n  lines", "two\nlines"),
            ("t: |\n  two\n  lines\n", "two\nlines\n"),
            ("t: |+\n  kept", "kept"),
            ("t: |+\n  kept\n\n", "kept\n\n"),
            ("t: |-\n  stripped", "stripped"),
            ("t: >\n  folded\n  line", "folded line"),
            ("t: |\n  a\n  ", "a\n"),
            ("t: |\n  a\n   ", "a\n "),
            ("t: |\n  a\n# a comment", "a\n"),
            ("t: \"a\\n\"\nu: a|b", "a\n"),
            ("t: |\n  a\nu: v", "a\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text.as_bytes()).unwrap().value["t"], expected, "{text:?}");
            let two = documents(&format!("t: |\n  first\n---\n{text}")).unwrap();
            assert_eq!((&two[0]["t"], &two[1]["t"]), (&"first\n".into(), &expected.into()), "{text:?}");
        }
    }
}
