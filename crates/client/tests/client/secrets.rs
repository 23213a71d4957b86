//! A secret shows nowhere: whatever goes wrong, no log line at TRACE, no error, no panic and no `Debug` holds any part
//! of a token, of what a plugin prints, of a client key, of a proxy's password or of the body of a Secret.
//!
//! Every secret is random, put in one place, and met by every trouble. What is shown is searched for pieces of it, also
//! in base64 and as a list of bytes. The last test plants leaks on purpose: the search finds each of them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use fastrand::Rng;
use futures::StreamExt;
use http::Request;
use k8s_openapi::api::core::v1::Secret;
use pintle_client::api::{ListParams, PostParams, WatchParams};
use pintle_client::client::{Body, ClientBuilder};
use pintle_client::config::{Config, Kubeconfig};
use pintle_client::{Api, Client, Error};
use rcgen::KeyPair;
use tower::{BoxError, ServiceBuilder};

use crate::credentials::plugin;
use crate::folder::Folder;
use crate::logged::{Log, Recording};
use crate::served::{Answer, Asked, Served, Tls, authority, base64, json, leaf, refused};

/// Where the secret is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Token,
    Password,
    TokenFile,
    Plugin,
    FailingPlugin,
    ClientKey,
    BrokenClientKey,
    ProxyUrl,
    Header,
    Body,
}

const PLACES: [Place; 10] = [
    Place::Token,
    Place::Password,
    Place::TokenFile,
    Place::Plugin,
    Place::FailingPlugin,
    Place::ClientKey,
    Place::BrokenClientKey,
    Place::ProxyUrl,
    Place::Header,
    Place::Body,
];

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    Refused,
    Undecodable,
    Untrusted,
    Timeout,
}

const TROUBLES: [Trouble; 4] = [Trouble::Refused, Trouble::Undecodable, Trouble::Untrusted, Trouble::Timeout];

/// How a leak is planted.
#[derive(Clone, Copy, Debug)]
enum Leak {
    /// A layer traces the header with the token.
    Traced,
    /// The same from a thread that may block.
    TracedElsewhere,
    /// As rustls would.
    Logged,
    /// An error quotes it, encoded.
    Quoted,
    /// A program unwraps that error.
    Panicked,
    /// Something prints it as a list of bytes.
    Debugged,
}

/// Something random that must not be seen.
struct Hidden {
    text: String,
    pieces: Vec<String>,
}

impl Hidden {
    fn random(rng: &mut Rng) -> Self {
        let text: String = (0..40).map(|_| rng.alphanumeric()).collect();
        Self { pieces: pieces(&text), text }
    }

    /// A key of P-256 as PKCS #8: a preamble, the secret number (bytes 36 to 67), and the public key, which the
    /// certificate shows too.
    fn key() -> Self {
        let text = KeyPair::generate().unwrap().serialize_pem();
        let lines: Vec<&str> = text.lines().collect();
        let pieces = [&lines[1][48..], &lines[2][..24]].into_iter().flat_map(pieces).collect();
        Self { text, pieces }
    }

    /// The piece that is seen, if one is.
    fn seen_in(&self, shown: &str) -> Option<&String> {
        self.pieces.iter().find(|piece| shown.contains(piece.as_str()))
    }
}

/// Short stretches of `line`, as they are, in base64 wherever it begins, and as a list of bytes.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    for start in (0..line.len().saturating_sub(12)).step_by(4) {
        let piece = &line[start..start + 12];
        pieces.push(piece.to_owned());
        pieces.push(piece.as_bytes()[..6].iter().map(u8::to_string).collect::<Vec<_>>().join(", "));
        // Base64 cuts bytes in threes; the ends depend on what stands beside them.
        pieces.extend((0..3).map(|shift| base64(&piece[shift..])[2..10].to_owned()));
    }
    pieces
}

fn chain(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {}", chain(cause)))
}

/// Everything an error can show.
fn shown_by<E: std::error::Error>(error: E) -> String {
    format!("{error}\n{error:?}\n{error:#?}\n{}\n", chain(&error))
}

/// What a program says that does not expect the error.
fn panic_with(error: &Error) -> String {
    let unwrap = |outcome: Result<(), &Error>| outcome.expect("a call");
    let panic = catch_unwind(AssertUnwindSafe(|| unwrap(Err(error)))).unwrap_err();
    panic.downcast_ref::<String>().expect("a panic with values has a text").clone()
}

fn answer(trouble: Trouble, hidden: &str) -> Answer {
    match trouble {
        Trouble::Refused => refused(401, "Unauthorized", "Unauthorized"),
        // serde quotes a text where it wants something else.
        _ => json(format!(
            r#"{{"kind":"Secret","apiVersion":"v1","type":"MODIFIED","object":{{"data":"{hidden}"}},"metadata":{{"name":"a"}},"data":"{hidden}"}}"#
        )),
    }
}

async fn serve(trouble: Trouble, hidden: String) -> Served {
    let authority = authority();
    Served::secured(&Tls::of(&authority), move |_: Asked| {
        let hidden = hidden.clone();
        async move {
            if matches!(trouble, Trouble::Timeout) {
                std::future::pending::<()>().await;
            }
            answer(trouble, &hidden)
        }
    })
    .await
}

/// A configuration with the secret in its place.
fn configure(served: &Served, place: Place, trouble: Trouble, hidden: &str, folder: &Folder) -> Config {
    let mut config = served.config();
    config.default_retry = false;
    match trouble {
        Trouble::Untrusted => config.root_cert = Some(vec![authority().der().to_vec()]),
        Trouble::Timeout => config.read_timeout = Some(Duration::from_millis(20)),
        Trouble::Refused | Trouble::Undecodable => {}
    }
    let credential = format!(
        r#"{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"{hidden}"}}}}"#
    );
    let user = &mut config.auth_info;
    match place {
        Place::Token => user.token = Some(hidden.to_owned().into()),
        Place::Password => (user.username, user.password) = (Some("me".into()), Some(hidden.to_owned().into())),
        Place::TokenFile => user.token_file = Some(folder.write("token", hidden).to_str().unwrap().to_owned()),
        Place::Plugin => user.exec = Some(plugin(&format!("echo '{credential}'"))),
        Place::FailingPlugin => user.exec = Some(plugin(&format!("echo '{hidden}'; echo '{hidden}' >&2; exit 3"))),
        Place::ClientKey => {
            // It does not fit: the certificate belongs to another key.
            user.client_certificate_data = Some(base64(leaf(&authority(), "me").0.pem()));
            user.client_key_data = Some(base64(hidden).into());
        }
        Place::BrokenClientKey => {
            user.client_certificate_data = Some(base64(leaf(&authority(), "me").0.pem()));
            user.client_key_data = Some(hidden.to_owned().into());
        }
        Place::ProxyUrl => {
            config.proxy_url = Some(format!("http://me:{hidden}@{}", served.address).parse().unwrap());
        }
        Place::Header => config.headers.push(("x-api-key".parse().unwrap(), hidden.parse().unwrap())),
        Place::Body => {}
    }
    config
}

/// Every kind of call once; gives back what their errors show.
async fn call_everything(client: &Client, hidden: &str) -> String {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), "default");
    let secret = serde_json::json!({"metadata": {"name": "a"}, "stringData": {"a": hidden}});
    let secret: Secret = serde_json::from_value(secret).unwrap();
    let mut errors: Vec<Error> = Vec::new();
    errors.extend(secrets.create(&PostParams::default(), &secret).await.err());
    errors.extend(secrets.get("a").await.err());
    errors.extend(secrets.list(&ListParams::default()).await.err());
    match secrets.watch(&WatchParams::default(), "1").await {
        Err(error) => errors.push(error),
        Ok(events) => errors.extend(events.boxed().next().await.and_then(Result::err)),
    }
    let request = Request::get("/api/v1/namespaces/default/secrets/a").body(Vec::new()).unwrap();
    errors.extend(client.request::<Vec<String>>(request).await.err());
    let panic = errors.first().map(panic_with).unwrap_or_default();
    errors.into_iter().map(shown_by).collect::<String>() + &panic
}

/// What a kubeconfig with the secret shows, whole and broken.
fn read_kubeconfigs(hidden: &str) -> String {
    let text = serde_json::json!({
        "clusters": [{"name": "c", "cluster": {"server": "https://h", "proxy-url": format!("http://me:{hidden}@p")}}],
        "users": [{"name": "u", "user": {"token": hidden, "password": hidden, "client-key-data": hidden, "unknown": hidden,
            "exec": {"command": "c", "args": [hidden], "env": [{"name": "A", "value": hidden}]},
            "auth-provider": {"name": "oidc", "config": {"id-token": hidden, "refresh-token": hidden}}}}],
        "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}], "current-context": "a",
    });
    let text = text.to_string();
    let file = Kubeconfig::from_yaml(&text).unwrap();
    let mut shown = format!("{file:?}\n{file:#?}\n");
    match Config::try_from(file) {
        Ok(config) => shown += &format!("{config:?}\n{config:#?}\n"),
        Err(error) => shown += &shown_by(error),
    }
    let wrong_type = text.replace("\"current-context\":\"a\"", &format!("\"current-context\":{{\"x\":\"{hidden}\"}}"));
    for broken in [
        wrong_type,
        text.replace("}}", "}"),
        text.replacen("\"users\":[", &format!("\"users\":\"{hidden}\",\"x\":["), 1),
    ] {
        shown += &Kubeconfig::from_yaml(&broken).map_or_else(shown_by, |file| format!("{file:?}"));
    }
    shown
}

/// A client whose stack leaks.
fn leaking(config: Config, leak: Leak, hidden: String) -> Client {
    let service = ClientBuilder::try_from(config).unwrap();
    let leaking = move |request: Request<Body>| {
        let hidden = hidden.clone();
        match leak {
            Leak::Traced => tracing::trace!("authorization: Bearer {hidden}"),
            Leak::TracedElsewhere => {
                tokio::task::spawn_blocking(move || tracing::trace!("authorization: Bearer {hidden}"));
            }
            Leak::Logged => log::trace!("authorization: Bearer {hidden}"),
            Leak::Quoted | Leak::Panicked | Leak::Debugged => {}
        }
        request
    };
    let service = service.with_layer(&tower::layer::layer_fn(move |inner| {
        ServiceBuilder::new().map_request(leaking.clone()).service(inner)
    }));
    service.build()
}

/// Everything that is shown while a client with the secret meets the trouble.
fn meet(place: Place, trouble: Trouble, hidden: &Hidden, leak: Option<Leak>) -> String {
    let log = Log::default();
    let _recording = log.record();
    let elsewhere = log.clone();
    // Plugins run on threads of their own, whose log counts as well.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_start(move || THREAD.with(|guard| *guard.borrow_mut() = Some(elsewhere.record())))
        .build()
        .unwrap();
    let message = runtime.block_on(async {
        let folder = Folder::new(&format!("secrets-{place:?}-{trouble:?}-{leak:?}"));
        let served = serve(trouble, hidden.text.clone()).await;
        let config = configure(&served, place, trouble, &hidden.text, &folder);
        let message = format!("{config:?}\n{config:#?}\n");
        if let Some(leak) = leak {
            let client = leaking(config, leak, hidden.text.clone());
            let leaked = match leak {
                Leak::Quoted => shown_by(quoting(&hidden.text)),
                Leak::Panicked => panic_with(&quoting(&hidden.text)),
                Leak::Debugged => format!("{:?}", hidden.text.as_bytes()),
                Leak::Traced | Leak::TracedElsewhere | Leak::Logged => String::new(),
            };
            return message + &call_everything(&client, &hidden.text).await + &leaked;
        }
        match Client::try_from(config) {
            Ok(client) => message + &format!("{client:?}") + &call_everything(&client, &hidden.text).await,
            Err(error) => message + &shown_by(error),
        }
    });
    drop(runtime);
    message + &log.text()
}

/// An error that holds the secret as kube's exec error would, in base64.
fn quoting(hidden: &str) -> Error {
    Error::Service(BoxError::from(format!("the plugin said {}", base64(hidden))))
}

thread_local! {
    static THREAD: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

#[test]
fn a_secret_shows_nowhere_whatever_goes_wrong() {
    for seed in 0..3 {
        let mut rng = Rng::with_seed(seed);
        for place in PLACES {
            for trouble in TROUBLES {
                let is_key = matches!(place, Place::ClientKey | Place::BrokenClientKey);
                let hidden = if is_key { Hidden::key() } else { Hidden::random(&mut rng) };
                let shown = meet(place, trouble, &hidden, None);
                assert!(shown.len() > 1000, "nothing was recorded: {shown}");
                let seen = hidden.seen_in(&shown);
                let at = seen.and_then(|piece| shown.lines().find(|line| line.contains(piece.as_str())));
                assert!(seen.is_none(), "seed {seed}, {place:?}, {trouble:?}: {seen:?} is seen in {at:?}");
            }
        }
        let hidden = Hidden::random(&mut rng);
        let shown = read_kubeconfigs(&hidden.text);
        assert_eq!(hidden.seen_in(&shown), None, "{shown}");
    }
}

#[test]
fn a_leak_that_is_planted_is_found() {
    let leaks = [Leak::Traced, Leak::TracedElsewhere, Leak::Logged, Leak::Quoted, Leak::Panicked, Leak::Debugged];
    for (seed, leak) in (100..).zip(leaks) {
        let hidden = Hidden::random(&mut Rng::with_seed(seed));
        let shown = meet(Place::Token, Trouble::Refused, &hidden, Some(leak));
        assert!(hidden.seen_in(&shown).is_some(), "{leak:?} is not found");
    }
}
