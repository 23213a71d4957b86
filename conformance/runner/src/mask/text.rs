//! What differs each time within any text: messages, names, addresses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use regex::{Captures, Regex};
use serde_json::Value;

use super::versions::Versions;

/// Masks text, and remembers what it has numbered.
pub(super) struct TextMask {
    script: String,
    namespace: String,
    /// What is another each time, by the name of its variable.
    passing: Vec<(&'static str, String)>,
    /// Names that a server made up.
    names: BTreeMap<String, String>,
    uids: Numbered,
    hashes: Numbered,
    addresses: Numbered,
    tokens: Numbered,
}

/// Different texts, in the order of their appearance.
#[derive(Default)]
struct Numbered(BTreeMap<String, usize>);

impl TextMask {
    pub(super) fn new(script: &str, namespace: &str, passing: &[(&'static str, String)]) -> TextMask {
        TextMask {
            script: script.to_owned(),
            namespace: namespace.to_owned(),
            passing: passing.to_vec(),
            names: BTreeMap::new(),
            uids: Numbered::default(),
            hashes: Numbered::default(),
            addresses: Numbered::default(),
            tokens: Numbered::default(),
        }
    }

    /// Takes note of a name that was made from a base.
    pub(super) fn learn_name(&mut self, base: &str, name: &str) {
        let next = self.names.len() + 1;
        if name.len() > base.len() && name.starts_with(base) && !self.script.contains(name) {
            self.names.entry(name.to_owned()).or_insert_with(|| format!("{base}<name{next}>"));
        }
    }

    pub(super) fn mask(&mut self, text: &str, versions: &Versions) -> String {
        let mut text = text.replace(&self.namespace, "{{ns}}");
        for (variable, value) in &self.passing {
            text = text.replace(value, &format!("{{{{{variable}}}}}"));
        }
        for (name, masked) in &self.names {
            text = text.replace(name, masked);
        }
        let script = &self.script;
        let number = |text: &str, pattern: &Regex, what: &str, seen: &mut Numbered| {
            let masked = pattern.replace_all(text, |found: &Captures<'_>| match &found[0] {
                own if script.contains(own) => own.to_owned(),
                other => seen.name(what, other),
            });
            masked.into_owned()
        };
        text = number(&text, &UID, "uid", &mut self.uids);
        text = number(&text, &HASH, "hash", &mut self.hashes);
        text = number(&text, &ADDRESS, "ip", &mut self.addresses);
        let time = |found: &Captures<'_>| if script.contains(&found[0]) { found[0].to_owned() } else { "time".into() };
        text = TIME.replace_all(&text, time).into_owned();
        if text.to_ascii_lowercase().replace(' ', "").contains("resourceversion") {
            text = self.versions_in(&text, versions);
        }
        text
    }

    /// A continue token: what it holds, where it holds what kube-apiserver's hold.
    pub(super) fn token(&mut self, token: &str, versions: &Versions) -> Option<String> {
        if token.is_empty() {
            return None;
        }
        let content = URL_SAFE_NO_PAD.decode(token).ok();
        let Some(content) = content.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) else {
            return Some(self.tokens.name("continue", token));
        };
        let version = content.get("rv").map(ToString::to_string).unwrap_or_default();
        let version = versions.place(&version).unwrap_or(version);
        let start = self.mask(&content.get("start").map(ToString::to_string).unwrap_or_default(), versions);
        let api = content.get("v").and_then(Value::as_str).unwrap_or_default();
        Some(format!("continue(v={api} rv={version} start={start})"))
    }

    fn versions_in(&self, text: &str, versions: &Versions) -> String {
        let mask = |found: &Captures<'_>| {
            let number = &found[0];
            let is_own = || WORD.find_iter(&self.script).any(|word| word.as_str() == number);
            if is_own() { number.to_owned() } else { versions.place(number).unwrap_or_else(|| number.to_owned()) }
        };
        WORD.replace_all(text, |found: &Captures<'_>| {
            if found[0].bytes().all(|byte| byte.is_ascii_digit()) { mask(found) } else { found[0].to_owned() }
        })
        .into_owned()
    }
}

impl Numbered {
    fn name(&mut self, what: &str, text: &str) -> String {
        let next = self.0.len() + 1;
        format!("{what}{}", self.0.entry(text.to_owned()).or_insert(next))
    }
}

static UID: LazyLock<Regex> = LazyLock::new(|| pattern("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));

/// SHA-256 and longer.
static HASH: LazyLock<Regex> = LazyLock::new(|| pattern("[0-9a-fA-F]{64,}"));

/// The range that the server of `conformance/kube` gives to services.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| pattern(r"10\.0\.[0-9]+\.[0-9]+"));

static TIME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z"));

static WORD: LazyLock<Regex> = LazyLock::new(|| pattern("[A-Za-z0-9_]+"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is written here")
}
