//! Kubeconfig texts and files, and what becomes of them.

use std::path::Path;

use pintle_client::Client;
use pintle_client::config::{
    Config, ExecInteractiveMode, KubeConfigOptions, Kubeconfig, KubeconfigError, LoadDataError,
};
use secrecy::ExposeSecret;

use crate::folder::Folder;

const SECRET: &str = "c2hoaC1kby1ub3QtdGVsbA==";

/// A kubeconfig with one context, whose cluster and user have these lines.
fn kubeconfig(cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: here\n\
         clusters:\n- name: c\n  cluster: {{ {cluster} }}\n\
         users:\n- name: u\n  user: {{ {user} }}\n\
         contexts:\n- name: here\n  context: {{ cluster: c, user: u, namespace: apps }}\n"
    )
}

async fn config(text: &str) -> Result<Config, KubeconfigError> {
    Config::from_custom_kubeconfig(Kubeconfig::from_yaml(text)?, &KubeConfigOptions::default()).await
}

/// The error and all its causes.
fn chain(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {}", chain(cause)))
}

#[tokio::test]
async fn a_context_names_cluster_user_and_namespace() {
    let config =
        config(&kubeconfig("server: 'https://host:6443/x', tls-server-name: other", "token: t")).await.unwrap();
    assert_eq!(config.cluster_url, "https://host:6443/x");
    assert_eq!(config.default_namespace, "apps");
    assert_eq!(config.tls_server_name.as_deref(), Some("other"));
    assert_eq!(config.auth_info.token.unwrap().expose_secret(), "t");
    assert!(config.root_cert.is_none() && !config.accept_invalid_certs);
}

#[tokio::test]
async fn options_choose_another_context_cluster_or_user() {
    let text = "contexts:\n- {name: a, context: {cluster: c, user: u}}\n- {name: b, context: {cluster: d}}\n\
                clusters:\n- {name: c, cluster: {server: 'http://c'}}\n- {name: d, cluster: {server: 'http://d'}}\n\
                users:\n- {name: u, user: {token: t}}\n";
    let option = |name: &str| Some(name.to_owned());
    let cases = [
        (KubeConfigOptions { context: option("a"), ..Default::default() }, "http://c/", true),
        (KubeConfigOptions { context: option("b"), ..Default::default() }, "http://d/", false),
        (KubeConfigOptions { context: option("b"), user: option("u"), ..Default::default() }, "http://d/", true),
        (KubeConfigOptions { context: option("a"), cluster: option("d"), ..Default::default() }, "http://d/", true),
    ];
    for (options, url, has_token) in cases {
        let config = Config::from_custom_kubeconfig(Kubeconfig::from_yaml(text).unwrap(), &options).await.unwrap();
        assert_eq!((config.cluster_url.to_string().as_str(), config.auth_info.token.is_some()), (url, has_token));
        assert_eq!(config.default_namespace, "default");
    }
}

#[tokio::test]
async fn a_password_in_the_url_is_refused_by_name_only_where_it_is_chosen() {
    let text = kubeconfig("server: 'https://user:hunter2@host'", "token: t");
    let message = chain(&config(&text).await.unwrap_err());
    assert!(
        message.contains("`user:password@`") && message.contains("`here`") && !message.contains("hunter2"),
        "{message}"
    );
    let elsewhere = format!("{text}- name: plain\n  context: {{ cluster: p }}\n")
        .replace("users:", "- name: p\n  cluster: { server: 'http://p' }\nusers:");
    let options = KubeConfigOptions { context: Some("plain".into()), ..Default::default() };
    Config::from_custom_kubeconfig(Kubeconfig::from_yaml(&elsewhere).unwrap(), &options).await.unwrap();
}

#[tokio::test]
async fn every_field_of_cluster_and_user_reaches_the_config() {
    let cluster = "server: 'https://host', proxy-url: 'socks5://me:hunter2@proxy:1080', disable-compression: true, \
                   extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: a}}]";
    let user = "username: me, password: hunter2, as: jane, as-uid: '7', as-groups: [a, b], \
                as-user-extra: {scopes: [x, y]}, auth-provider: {name: oidc, config: {id-token: hunter2}}, \
                exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [hunter2], \
                env: [{name: A, value: hunter2}], installHint: brew, interactiveMode: Never, provideClusterInfo: true}";
    let config = config(&kubeconfig(cluster, user)).await.unwrap();
    assert_eq!(config.proxy_url.as_ref().unwrap().port_u16(), Some(1080));
    assert!(config.disable_compression && config.default_retry && !config.reset_reader_on_write);
    let shown = format!("{config:?}");
    assert!(!shown.contains("hunter2") && shown.contains("socks5://proxy:1080"), "{shown}");
    let user = config.auth_info;
    assert_eq!((user.impersonate.as_deref(), user.impersonate_uid.as_deref()), (Some("jane"), Some("7")));
    assert_eq!(user.impersonate_groups, Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(user.impersonate_user_extra.unwrap()["scopes"], ["x", "y"]);
    assert_eq!(user.auth_provider.unwrap().config["id-token"], "hunter2");
    let exec = user.exec.unwrap();
    assert_eq!((exec.command.as_deref(), exec.interactive_mode), (Some("aws"), Some(ExecInteractiveMode::Never)));
    let cluster = exec.cluster.unwrap();
    assert_eq!(
        (cluster.server.as_deref(), cluster.config.unwrap()["audience"].as_str()),
        (Some("https://host"), Some("a"))
    );
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let cases = [
        ("{}", "current-context"),
        ("current-context: gone", "`gone`"),
        ("current-context: a\ncontexts: [{name: a, context: {cluster: c}}]", "`c` of context `a`"),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: x}}]",
            "user `u`",
        ),
        (
            "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters: [{name: c, cluster: {}}]",
            "`server`",
        ),
        ("contexts: [{context: {cluster: c}}]", "`name`"),
    ];
    for (text, named) in cases {
        let message = chain(&config(text).await.unwrap_err());
        assert!(message.contains(named), "{message}");
    }
}

#[tokio::test]
async fn data_that_cannot_be_loaded_names_the_field_and_the_file() {
    let server = "server: 'https://host'";
    let bad_data = config(&kubeconfig(&format!("{server}, certificate-authority-data: '*'"), "")).await.unwrap_err();
    assert!(matches!(bad_data, KubeconfigError::LoadCertificateAuthority(LoadDataError::DecodeBase64(_))));
    let no_file = config(&kubeconfig(&format!("{server}, certificate-authority: /no/such/ca"), "")).await.unwrap_err();
    assert!(chain(&no_file).contains("certificate-authority") && chain(&no_file).contains("/no/such/ca"));
    let no_pem = config(&kubeconfig(&format!("{server}, certificate-authority-data: {SECRET}"), "")).await.unwrap_err();
    assert!(matches!(no_pem, KubeconfigError::ParseCertificates(_)), "{no_pem:?}");
    let no_key = config(&kubeconfig(server, "client-key: /no/such/key")).await.unwrap_err();
    assert!(matches!(no_key, KubeconfigError::LoadClientKey(LoadDataError::ReadFile(..))), "{no_key:?}");
}

#[test]
fn the_first_definition_of_a_name_wins_within_a_file_between_documents_and_between_files() {
    let twice = "clusters:\n- {name: c, cluster: {server: one}}\n- {name: c, cluster: {server: two}}\n";
    let documents = "current-context: x\nclusters: [{name: c, cluster: {server: one}}]\n---\n\
                     current-context: y\nclusters: [{name: c, cluster: {server: two}}, {name: d}]\n";
    for text in [twice, documents] {
        let config = Kubeconfig::from_yaml(text).unwrap();
        assert_eq!(config.clusters[0].cluster.as_ref().unwrap().server.as_deref(), Some("one"));
    }
    let first = Kubeconfig::from_yaml("users: [{name: u, user: {token: one}}]\nother: 1").unwrap();
    let second =
        Kubeconfig::from_yaml("users: [{name: u, user: {token: two}}, {name: v}]\ncurrent-context: z").unwrap();
    let merged = first.merge(second).unwrap();
    assert_eq!(merged.auth_infos.len(), 2);
    assert_eq!(merged.auth_infos[0].auth_info.as_ref().unwrap().token.as_ref().unwrap().expose_secret(), "one");
    assert_eq!((merged.current_context.as_deref(), merged.other["other"].as_i64()), (Some("z"), Some(1)));
}

#[test]
fn files_that_disagree_about_what_they_are_are_not_merged() {
    let parse = |text| Kubeconfig::from_yaml(text).unwrap();
    assert!(matches!(parse("kind: Config").merge(parse("kind: Other")), Err(KubeconfigError::KindMismatch)));
    let versions = parse("apiVersion: v1").merge(parse("apiVersion: v2"));
    assert!(matches!(versions, Err(KubeconfigError::ApiVersionMismatch)));
}

#[test]
fn relative_paths_count_from_the_file_and_absolute_ones_stay() {
    let folder = Folder::new("relative");
    let user = "client-certificate: a.crt, client-key: sub/a.key, tokenFile: /abs/token, exec: {command: bin/login}";
    let path = folder.write("config", &kubeconfig("server: x, certificate-authority: ca.crt", user));
    let file = Kubeconfig::read_from(&path).unwrap();
    let at = |name: &str| Some(folder.path(name));
    assert_eq!(file.clusters[0].cluster.as_ref().unwrap().certificate_authority, at("ca.crt"));
    let user = file.auth_infos[0].auth_info.as_ref().unwrap();
    assert_eq!((&user.client_certificate, &user.client_key), (&at("a.crt"), &at("sub/a.key")));
    assert_eq!(user.token_file.as_deref(), Some("/abs/token"));
    assert_eq!(user.exec.as_ref().unwrap().command, at("bin/login"));
    let by_name = folder.write("by-name", &kubeconfig("server: x", "exec: {command: aws}"));
    let file = Kubeconfig::read_from(by_name).unwrap();
    assert_eq!(file.auth_infos[0].auth_info.as_ref().unwrap().exec.as_ref().unwrap().command.as_deref(), Some("aws"));
}

#[test]
fn unknown_fields_and_empty_lists_survive_a_round_trip() {
    let text = "users: null\nclusters:\n- name: c\n  cluster: {server: x, disable-compression: true}\n  note: kept\n";
    let file = Kubeconfig::from_yaml(text).unwrap();
    let again = Kubeconfig::from_yaml(&serde_json::to_string(&file).unwrap()).unwrap();
    assert_eq!(again.clusters[0].other["note"], "kept");
    assert_eq!(again.clusters[0].cluster.as_ref().unwrap().disable_compression, Some(true));
    assert!(Kubeconfig::from_yaml("").unwrap().clusters.is_empty());
}

#[test]
fn a_kubeconfig_becomes_a_config_and_a_client_by_its_own_choice() {
    let file = Kubeconfig::from_yaml(&kubeconfig("server: 'http://host'", "token: t")).unwrap();
    assert_eq!(Config::try_from(file.clone()).unwrap().cluster_url, "http://host");
    assert_eq!(Client::try_from(file).unwrap().default_namespace(), "apps");
    let error = Client::try_from(Kubeconfig::default()).unwrap_err();
    assert!(matches!(error, pintle_client::Error::InferKubeconfig(KubeconfigError::CurrentContextNotSet)));
}

#[test]
fn unknown_preferences_are_kept() {
    let file = Kubeconfig::from_yaml("preferences: {colors: true, theme: dark}").unwrap();
    assert_eq!(file.preferences.unwrap().other["theme"], "dark");
}

#[test]
fn size_depth_and_aliases_are_bounded() {
    let folder = Folder::new("bounds");
    let large = folder.write("large", &format!("# {}\n", "x".repeat(1 << 20)));
    let error = Kubeconfig::read_from(&large).unwrap_err();
    assert!(
        chain(&error).contains("larger than 1048576 bytes") && chain(&error).contains("large`"),
        "{}",
        chain(&error)
    );
    let deep = format!("x: {}{}", "[".repeat(40), "]".repeat(40));
    assert!(matches!(Kubeconfig::from_yaml(&deep), Err(KubeconfigError::Parse(_))));
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..8 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert!(matches!(Kubeconfig::from_yaml(&bomb), Err(KubeconfigError::Parse(_))));
}

#[tokio::test]
async fn no_secret_shows_in_debug_or_in_any_error() {
    let secrets = [
        format!("token: {SECRET}"),
        format!("client-key-data: {SECRET}"),
        format!("exec: {{env: [{{name: A, value: {SECRET}}}]}}"),
        format!("password: {SECRET}"),
        format!("auth-provider: {{name: oidc, config: {{id-token: {SECRET}}}}}"),
        format!("client-certificate-data: bm8gY2VydGlmaWNhdGU=, client-key-data: {SECRET}"),
    ];
    for user in secrets {
        let text = kubeconfig("server: 'https://host'", &user);
        let file = Kubeconfig::from_yaml(&text).unwrap();
        assert!(!format!("{file:?} {file:#?}").contains(SECRET));
        match config(&text).await {
            Err(error) => assert!(!format!("{error:?} {}", chain(&error)).contains(SECRET)),
            Ok(config) => {
                assert!(!format!("{config:?}").contains(SECRET));
                match Client::try_from(config) {
                    Ok(client) => assert!(!format!("{client:?}").contains(SECRET)),
                    Err(error) => {
                        let message = format!("{error:?} {}", chain(&error));
                        assert!(!message.contains(SECRET) && !message.contains("shhh"), "{message}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_broken_file_is_reported_by_place_and_not_by_content() {
    let folder = Folder::new("broken");
    let broken = [
        format!("users:\n- name: u\n  user: {SECRET}\n"),
        format!("users:\n- name: u\n  user:\n    token: \"{SECRET}\n"),
        format!("users:\n- name: u\n  user:\n    token: [{SECRET}]\n"),
        format!("clusters: {SECRET}\n"),
        format!("current-context: {{{SECRET}: x\n"),
    ];
    for (index, text) in broken.iter().enumerate() {
        let path = folder.write(&format!("broken-{index}"), text);
        let error = Kubeconfig::read_from(&path).unwrap_err();
        let message = format!("{} {error:?}", chain(&error));
        assert!(!message.contains(SECRET), "{message}");
        assert!(message.contains(&format!("broken-{index}")) && message.contains("line "), "{message}");
    }
    let missing = Kubeconfig::read_from(Path::new("/no/such/kubeconfig")).unwrap_err();
    assert!(missing.to_string().contains("/no/such/kubeconfig"));
}
