//! Kubeconfig texts: often files from someone unknown.
//!
//! For every text: reading ends, what was read reads back the same once written, merging it with itself changes
//! nothing, every context is chosen or refused, and no error or `Debug` shows a secret.

use pintle_client::Config;
use pintle_client::config::Kubeconfig;
use serde_json::Value;

use crate::target::{Print, Target};

pub(crate) fn target() -> Target {
    Target {
        name: "kubeconfig",
        claim: "a kubeconfig is read or refused, reads back the same, and shows no secret",
        seeds,
        words: WORDS,
        run,
    }
}

/// Stands wherever a secret stands in the seeds.
const SECRET: &str = "hush-9bQ4-canary";

const WORDS: &[&str] = &[
    "apiVersion: v1\n",
    "kind: Config\n",
    "clusters:\n",
    "contexts:\n",
    "users:\n",
    "current-context: ",
    "preferences: {}\n",
    "extensions: []\n",
    "- name: ",
    "name: a",
    "cluster: ",
    "server: https://host",
    "user: ",
    "token: ",
    "tokenFile: ",
    "certificate-authority-data: ",
    "client-key-data: ",
    "proxy-url: ",
    "exec:\n",
    "command: ",
    "args: [",
    "env: [",
    "null",
    "true",
    "~",
    "&a ",
    "*a",
    "<<: *a",
    "!!binary ",
    "!!str ",
    "---\n",
    "...\n",
    "|\n",
    ">-\n",
    "? ",
    "\"\\u0000\"",
    "\u{feff}",
    "%YAML 1.2\n",
    "[[[[[[[[",
    "{{{{{{{{",
    "  ",
    "\t",
    "0x1",
    "1e999",
    ".nan",
    "2001-01-01",
];

fn seeds() -> Vec<Vec<u8>> {
    let whole = format!(
        "apiVersion: v1\nkind: Config\npreferences: {{colors: true}}\ncurrent-context: a\n\
         clusters:\n- name: c\n  cluster:\n    server: https://host:6443/base\n    insecure-skip-tls-verify: false\n\
         \x20   tls-server-name: other\n    proxy-url: http://me:{SECRET}@proxy:3128\n    disable-compression: true\n\
         \x20   extensions: [{{name: e, extension: {{x: {SECRET}}}}}]\n\
         contexts:\n- {{name: a, context: {{cluster: c, user: u, namespace: n}}}}\n- {{name: b, context: {{cluster: c}}}}\n\
         users:\n- name: u\n  user:\n    token: {SECRET}\n    username: me\n    password: {SECRET}\n    as: you\n\
         \x20   as-groups: [g]\n    as-user-extra: {{k: [v]}}\n    client-key-data: {SECRET}\n"
    );
    let plugin = format!(
        "current-context: p\ncontexts: [{{name: p, context: {{cluster: c, user: p}}}}]\nclusters: [{{name: c, cluster: \
         {{server: 'http://h'}}}}]\nusers:\n- name: p\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1\n\
         \x20     command: aws\n      args: [--password, {SECRET}]\n      env: [{{name: A, value: {SECRET}}}]\n\
         \x20     interactiveMode: Never\n      provideClusterInfo: true\n"
    );
    let provider = format!(
        "users: [{{name: o, user: {{auth-provider: {{name: oidc, config: {{refresh-token: {SECRET}}}}}}}}}]\n---\n\
         contexts: &x [{{name: a, context: {{cluster: c, user: o}}}}]\nother: *x\n"
    );
    let json =
        r#"{"apiVersion":"v1","kind":"Config","clusters":[{"name":"c","cluster":{"server":"http://h"}}],"users":[]}"#;
    [whole.as_str(), &plugin, &provider, json, "", "- 1\n"].map(|text| text.as_bytes().to_vec()).into()
}

fn run(input: &[u8]) -> Print {
    let text = String::from_utf8_lossy(input);
    let config = match Kubeconfig::from_yaml(&text) {
        Ok(config) => config,
        Err(error) => {
            let printed = chain(&error);
            // What cannot be read may be a secret wherever it stands.
            assert!(!printed.contains(SECRET) && !format!("{error:?}").contains(SECRET), "shown: {printed}");
            return Print::of(printed.split(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).collect::<Vec<_>>());
        }
    };
    let value = value(&config);
    reads_back(&text, &value);
    assert_eq!(self::value(&config.clone().merge(config.clone()).expect("it is of its own kind")), value, "merged");
    let chosen = choose_each(&config);
    shows_no_secret(&config, &format!("{config:?}{chosen}"));
    Print::of((shape(&value, 0), chosen.is_empty()))
}

fn value(config: &Kubeconfig) -> Value {
    serde_json::to_value(config).expect("it has text for keys")
}

/// JSON is YAML, except for what a YAML text cannot hold unescaped, and for long keys.
fn reads_back(text: &str, value: &Value) {
    let written = value.to_string();
    if written.chars().any(|letter| !is_plain(letter)) || has_long_key(value) {
        return;
    }
    match Kubeconfig::from_yaml(&written) {
        Ok(again) => assert_eq!(self::value(&again), *value, "reads back another"),
        // Aliases that are written out may be more than is read of one text.
        Err(error) => assert!(text.contains('*'), "does not read back: {}: {written}", chain(&error)),
    }
}

/// YAML looks for the colon behind a key within 1024 characters.
fn has_long_key(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(key, value)| key.len() > 500 || has_long_key(value)),
        Value::Array(items) => items.iter().any(has_long_key),
        _ => false,
    }
}

fn is_plain(letter: char) -> bool {
    letter == ' ' || letter.is_alphanumeric() || letter.is_ascii_punctuation()
}

/// What becomes of each context, in one text.
fn choose_each(config: &Kubeconfig) -> String {
    let mut printed = String::new();
    for context in &config.contexts {
        let mut config = config.clone();
        config.current_context = Some(context.name.clone());
        match Config::try_from(config) {
            Ok(config) => printed.push_str(&format!("{config:?}")),
            Err(error) => printed.push_str(&format!("{} {error:?}", chain(&error))),
        }
    }
    printed
}

/// Nothing shows the secret, unless it stands where no secret stands.
fn shows_no_secret(config: &Kubeconfig, shown: &str) {
    let mut public = config.clone();
    public.extensions = None;
    public.other.values_mut().for_each(hide);
    for cluster in &mut public.clusters {
        cluster.other.values_mut().for_each(hide);
        if let Some(cluster) = &mut cluster.cluster {
            (cluster.proxy_url, cluster.extensions) = (None, None);
            cluster.other.values_mut().for_each(hide);
        }
    }
    for context in &mut public.contexts {
        context.other.values_mut().for_each(hide);
        if let Some(context) = &mut context.context {
            context.extensions = None;
            context.other.values_mut().for_each(hide);
        }
    }
    for user in &mut public.auth_infos {
        user.other.values_mut().for_each(hide);
        if let Some(user) = &mut user.auth_info {
            (user.password, user.token, user.client_key_data) = (None, None, None);
            user.extensions = None;
            user.other.values_mut().for_each(hide);
            if let Some(exec) = &mut user.exec {
                (exec.args, exec.env) = (None, None);
                exec.other.values_mut().for_each(hide);
            }
            if let Some(provider) = &mut user.auth_provider {
                provider.config.values_mut().for_each(String::clear);
                provider.other.values_mut().for_each(hide);
            }
        }
    }
    if !value(&public).to_string().contains(SECRET) {
        assert!(!shown.contains(SECRET), "shown: {shown}");
    }
}

fn hide(value: &mut Value) {
    *value = Value::Null;
}

fn chain(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {}", chain(cause)))
}

/// Which fields there are, and of which type, down to a depth.
fn shape(value: &Value, depth: usize) -> String {
    match value {
        _ if depth > 5 => String::new(),
        Value::Object(fields) => {
            let fields: Vec<_> = fields.iter().map(|(_, value)| shape(value, depth + 1)).collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.first().map_or(String::new(), |item| shape(item, depth + 1))),
        Value::String(text) => if text.is_empty() { "" } else { "s" }.to_owned(),
        Value::Null => "n".to_owned(),
        Value::Bool(_) | Value::Number(_) => "b".to_owned(),
    }
}
