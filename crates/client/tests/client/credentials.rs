//! Credentials that end while a program runs, on a real socket: the next call carries the next ones.

use std::sync::{Arc, Mutex};

#[cfg(feature = "oidc")]
use pintle_client::config::AuthProviderConfig;
use pintle_client::config::{AuthInfo, ExecConfig, ExecInteractiveMode};
use pintle_client::{Client, Error};
use tokio::sync::Barrier;

use crate::folder::Folder;
use crate::served::{Asked, Notes, Served, VERSION, json, refused};

/// A plugin that runs a shell script.
pub(crate) fn plugin(script: &str) -> ExecConfig {
    ExecConfig {
        api_version: Some("client.authentication.k8s.io/v1".to_owned()),
        command: Some("sh".to_owned()),
        args: Some(vec!["-c".to_owned(), script.to_owned()]),
        interactive_mode: Some(ExecInteractiveMode::Never),
        ..ExecConfig::default()
    }
}

/// A script that counts its runs in `folder/runs` and answers with `token-<run>`, the first of which ends at `end`.
fn counting(folder: &Folder, end: &str) -> String {
    let runs = folder.path("runs");
    format!(
        r#"echo run >> {runs}; n=$(wc -l < {runs} | tr -d ' ')
        end='{end}'; [ "$n" = 1 ] || end=2199-01-01T00:00:00Z; [ -z '{end}' ] && field= || field=',"expirationTimestamp":"'$end'"'
        echo '{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"token-'$n'"'$field'}}}}'"#
    )
}

fn runs(folder: &Folder) -> usize {
    std::fs::read_to_string(folder.path("runs")).unwrap().lines().count()
}

fn client(served: &Served, auth_info: AuthInfo) -> Client {
    let mut config = served.config();
    config.auth_info = auth_info;
    Client::try_from(config).unwrap()
}

#[tokio::test]
async fn a_token_that_has_expired_is_replaced_before_the_next_call() {
    let folder = Folder::new("expired");
    let carried = Notes::<String>::default();
    let noted = carried.clone();
    let served = Served::http2(move |asked: Asked| {
        noted.add(asked.header("authorization").to_owned());
        async { json(VERSION) }
    })
    .await;
    let exec = Some(plugin(&counting(&folder, "2001-01-01T00:00:00Z")));
    let client = client(&served, AuthInfo { exec, ..AuthInfo::default() });
    for _ in 0..3 {
        client.apiserver_version().await.unwrap();
    }
    assert_eq!(carried.all(), ["Bearer token-1", "Bearer token-2", "Bearer token-2"]);
    assert_eq!(runs(&folder), 2);
}

/// P31: twenty calls are refused together; the plugin runs once more, and every call is answered.
#[tokio::test]
async fn a_token_that_is_refused_is_replaced_once_for_all_calls_that_carried_it() {
    const CALLS: usize = 20;
    let folder = Folder::new("refused");
    let valid = Arc::new(Mutex::new("Bearer token-1"));
    let (checked, together) = (valid.clone(), Arc::new(Barrier::new(CALLS)));
    let served = Served::http2(move |asked: Asked| {
        let (valid, together) = (*checked.lock().unwrap(), together.clone());
        async move {
            if asked.header("authorization") == valid {
                return json(VERSION);
            }
            together.wait().await;
            refused(401, "Unauthorized", "Unauthorized")
        }
    })
    .await;
    let exec = Some(plugin(&counting(&folder, "")));
    let client = client(&served, AuthInfo { exec, ..AuthInfo::default() });
    client.apiserver_version().await.unwrap();
    *valid.lock().unwrap() = "Bearer token-2";
    let calls = (0..CALLS).map(|_| client.apiserver_version());
    futures::future::try_join_all(calls).await.unwrap();
    assert_eq!(runs(&folder), 2);
}

/// There is one worker here. The plugin waits for what only that worker can do.
#[tokio::test]
async fn a_plugin_runs_off_the_async_workers() {
    let folder = Folder::new("worker");
    let served = Served::plain(|_| async { json(VERSION) }).await;
    let script = format!("touch {}; until [ -e {} ]; do sleep 0.01; done; ", folder.path("begun"), folder.path("go"));
    let exec = Some(plugin(&(script + &counting(&folder, ""))));
    let client = client(&served, AuthInfo { exec, ..AuthInfo::default() });
    let call = tokio::spawn(async move { client.apiserver_version().await });
    while !std::path::Path::new(&folder.path("begun")).exists() {
        tokio::task::yield_now().await;
    }
    folder.write("go", "");
    call.await.unwrap().unwrap();
}

#[tokio::test]
async fn credentials_that_never_worked_are_not_asked_for_again_and_again() {
    let folder = Folder::new("never");
    let served = Served::http2(|_| async { refused(401, "Unauthorized", "Unauthorized") }).await;
    let exec = Some(plugin(&counting(&folder, "")));
    let client = client(&served, AuthInfo { exec, ..AuthInfo::default() });
    for _ in 0..5 {
        let error = client.apiserver_version().await.unwrap_err();
        assert!(matches!(&error, Error::Api(status) if status.code == 401), "{error:?}");
    }
    assert_eq!(runs(&folder), 1);
}

#[tokio::test]
async fn a_token_file_is_read_again_when_its_token_is_refused() {
    let folder = Folder::new("token-file");
    let path = folder.write("token", "one\n");
    let valid = Arc::new(Mutex::new("Bearer one"));
    let checked = valid.clone();
    let served = Served::plain(move |asked: Asked| {
        let valid = *checked.lock().unwrap();
        let is_valid = asked.header("authorization") == valid;
        async move { if is_valid { json(VERSION) } else { refused(401, "Unauthorized", "Unauthorized") } }
    })
    .await;
    let token_file = Some(path.to_str().unwrap().to_owned());
    let client = client(&served, AuthInfo { token_file, ..AuthInfo::default() });
    client.apiserver_version().await.unwrap();
    *valid.lock().unwrap() = "Bearer two";
    folder.write("token", "two\n");
    client.apiserver_version().await.unwrap();
}

#[tokio::test]
async fn whom_to_act_as_goes_with_every_call() {
    let seen = Notes::<Vec<(String, String)>>::default();
    let noted = seen.clone();
    let served = Served::plain(move |asked: Asked| {
        let headers = asked.request.headers().iter().filter(|(name, _)| name.as_str().starts_with("impersonate-"));
        noted.add(headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect());
        async { json(VERSION) }
    })
    .await;
    let auth_info = AuthInfo {
        impersonate: Some("jane".into()),
        impersonate_uid: Some("7".into()),
        impersonate_groups: Some(vec!["a".into(), "b".into()]),
        impersonate_user_extra: Some([("example.com/Scope".to_owned(), vec!["x".to_owned(), "y".to_owned()])].into()),
        ..AuthInfo::default()
    };
    client(&served, auth_info).apiserver_version().await.unwrap();
    let mut sent = seen.all().remove(0);
    sent.sort();
    let expected = [
        ("impersonate-extra-example.com%2fscope", "x"),
        ("impersonate-extra-example.com%2fscope", "y"),
        ("impersonate-group", "a"),
        ("impersonate-group", "b"),
        ("impersonate-uid", "7"),
        ("impersonate-user", "jane"),
    ];
    assert_eq!(sent, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

/// A JWT that ends at `end`; its signature is not checked here.
#[cfg(feature = "oidc")]
fn id_token(end: i64, number: u32) -> String {
    use base64::Engine;
    let part = |text: String| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text);
    let (header, claims) = (part(r#"{"alg":"none"}"#.into()), part(format!(r#"{{"exp":{end},"jti":"{number}"}}"#)));
    format!("{header}.{claims}.c2ln")
}

#[cfg(feature = "oidc")]
#[tokio::test]
async fn an_id_token_that_has_expired_is_renewed_by_its_issuer_which_alone_hears_the_refresh_token() {
    let (authority, heard) = (crate::served::authority(), Notes::<String>::default());
    let noted = heard.clone();
    let renewed = id_token(7_258_118_400, 2);
    let given = renewed.clone();
    let issuer = Served::secured(&crate::served::Tls::of(&authority), move |asked: Asked| {
        let (noted, given) = (noted.clone(), given.clone());
        async move {
            let host = asked.request.uri().authority().map(ToString::to_string).unwrap_or_default();
            if asked.path().ends_with("/.well-known/openid-configuration") {
                let host = if host.is_empty() { asked.header("host").to_owned() } else { host };
                return json(format!(r#"{{"token_endpoint":"https://{host}/token"}}"#));
            }
            let body = http_body_util::BodyExt::collect(asked.request.into_body()).await.unwrap().to_bytes();
            noted.add(String::from_utf8(body.to_vec()).unwrap());
            json(format!(r#"{{"id_token":"{given}"}}"#))
        }
    })
    .await;
    let carried = Notes::<String>::default();
    let seen = carried.clone();
    let served = Served::http2(move |asked: Asked| {
        seen.add(asked.header("authorization").to_owned());
        async { json(VERSION) }
    })
    .await;
    let settings = [
        ("id-token", id_token(1, 1)),
        ("refresh-token", "again-and-again".to_owned()),
        ("client-id", "me".to_owned()),
        ("client-secret", "pw".to_owned()),
        ("idp-issuer-url", format!("https://{}", issuer.address)),
        ("idp-certificate-authority-data", crate::served::base64(authority.pem())),
    ];
    let config = settings.map(|(name, value)| (name.to_owned(), value)).into();
    let auth_provider = Some(AuthProviderConfig { name: "oidc".to_owned(), config, ..AuthProviderConfig::default() });
    let client = client(&served, AuthInfo { auth_provider, ..AuthInfo::default() });
    for _ in 0..2 {
        client.apiserver_version().await.unwrap();
    }
    let bearer = format!("Bearer {renewed}");
    assert_eq!(carried.all(), [bearer.clone(), bearer]);
    let heard = heard.all();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].contains("grant_type=refresh_token") && heard[0].contains("refresh_token=again-and-again"));
}
