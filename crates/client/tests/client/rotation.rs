//! A watch outlives the credentials it began with: token file, plugin and client certificate are replaced while the
//! runtime's watcher runs, and its reader sees the next object and nothing else.
//!
//! The server is the embedded one, behind a door that admits the credentials of today only. A change of credentials
//! cuts the watches, as an expired certificate or a restarted API server would.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{Stream, StreamExt};
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_apiserver::{Requests, Server};
use pintle_client::api::PostParams;
use pintle_client::config::AuthInfo;
use pintle_client::{Api, Client};
use pintle_runtime::watcher::{self, Event};
use tokio::sync::Semaphore;
use tower::Service;

use crate::credentials::plugin;
use crate::folder::Folder;
use crate::served::{Answer, Asked, Authority, Served, Tls, authority, leaf, refused};

/// Who is let in today: a token, or a client certificate.
#[derive(Clone, Debug, PartialEq)]
enum Pass {
    Token(String),
    Certificate(Vec<u8>),
}

impl Pass {
    fn is_shown_by(&self, asked: &Asked) -> bool {
        match self {
            Self::Token(token) => asked.header("authorization") == format!("Bearer {token}"),
            Self::Certificate(der) => asked.certificate.as_ref().is_some_and(|shown| shown.as_ref() == der.as_slice()),
        }
    }
}

/// A cluster whose door admits one pass.
struct World {
    server: Server,
    served: Served,
    admitted: Arc<Mutex<Pass>>,
    /// Rings when a watch comes that is not admitted.
    refusals: Arc<Semaphore>,
}

impl World {
    async fn new(first: Pass, clients: Option<&Authority>) -> Self {
        let server = Server::new();
        let (admitted, refusals) = (Arc::new(Mutex::new(first)), Arc::new(Semaphore::new(0)));
        let authority = authority();
        let door = (server.clone(), admitted.clone(), refusals.clone());
        let tls = Tls { clients, ..Tls::of(&authority) };
        let served = Served::secured(&tls, move |asked: Asked| {
            let (mut server, admitted, refusals) = door.clone();
            let is_admitted = admitted.lock().unwrap().is_shown_by(&asked);
            async move {
                if !is_admitted {
                    refusals.add_permits(usize::from(asked.is_watch()));
                    return refused(401, "Unauthorized", "Unauthorized");
                }
                let answer: Answer = match server.call(asked.request).await {
                    Ok(answer) => answer.map(|body| body.map_err(Into::into).boxed_unsync()),
                    Err(error) => panic!("no fault was asked for: {error}"),
                };
                answer
            }
        });
        Self { server, served: served.await, admitted, refusals }
    }

    fn watch(&self, auth_info: AuthInfo) -> impl Stream<Item = watcher::Result<Event<ConfigMap>>> + Unpin + use<> {
        let mut config = self.served.config();
        config.auth_info = auth_info;
        let maps = Api::<ConfigMap>::namespaced(Client::try_from(config).unwrap(), "default");
        watcher::watcher(maps, watcher::Config::default()).boxed()
    }

    /// Another client creates a config map.
    async fn create(&self, name: &str) {
        let maps: Api<ConfigMap> = Api::namespaced(Client::new(self.server.clone(), "default"), "default");
        let map = serde_json::from_value(serde_json::json!({"metadata": {"name": name}})).unwrap();
        maps.create(&PostParams::default(), &map).await.unwrap();
    }

    /// From now on only `pass` is let in, and watchers have to come again.
    fn rotate(&self, pass: Pass) {
        *self.admitted.lock().unwrap() = pass;
        self.server.cut_watches(&Requests::watches());
    }
}

/// Reads until `name` is seen. Anything but an object that was created is a failure of the story.
async fn see(events: &mut (impl Stream<Item = watcher::Result<Event<ConfigMap>>> + Unpin), name: &str) {
    let seen = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            match events.next().await.expect("a watcher does not end") {
                Ok(Event::Apply(map) | Event::InitApply(map)) if map.metadata.name.as_deref() == Some(name) => return,
                Ok(_) => {}
                Err(error) => panic!("the reader of the watch sees it: {error:?}"),
            }
        }
    });
    seen.await.unwrap_or_else(|_| panic!("{name} is never seen"));
}

/// The story: `next` puts new credentials in place and says which pass they are.
async fn watch_through(world: &World, auth_info: AuthInfo, next: &mut dyn FnMut(usize) -> Pass) {
    let mut events = world.watch(auth_info);
    while !matches!(events.next().await, Some(Ok(Event::InitDone))) {}
    world.create("before").await;
    see(&mut events, "before").await;
    for round in 1..=2 {
        world.rotate(next(round));
        // The watch comes again with the old credentials, and is turned away.
        tokio::select! {
            biased;
            refusal = world.refusals.acquire() => refusal.unwrap().forget(),
            event = events.next() => panic!("nothing has happened, and this comes: {event:?}"),
        }
        let name = format!("after-{round}");
        world.create(&name).await;
        see(&mut events, &name).await;
    }
}

#[tokio::test]
async fn a_watch_outlives_its_token() {
    let folder = Folder::new("rotate-token");
    let token_file = Some(folder.write("token", "token-0").to_str().unwrap().to_owned());
    let world = World::new(Pass::Token("token-0".into()), None).await;
    watch_through(&world, AuthInfo { token_file, ..AuthInfo::default() }, &mut |round| {
        let token = format!("token-{round}");
        folder.write("token", &token);
        Pass::Token(token)
    })
    .await;
}

#[tokio::test]
async fn a_watch_outlives_the_token_of_its_plugin() {
    let folder = Folder::new("rotate-plugin");
    folder.write("token", "token-0");
    let script = format!(
        r#"echo '{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"'$(cat {})'"}}}}'"#,
        folder.path("token")
    );
    let world = World::new(Pass::Token("token-0".into()), None).await;
    watch_through(&world, AuthInfo { exec: Some(plugin(&script)), ..AuthInfo::default() }, &mut |round| {
        let token = format!("token-{round}");
        folder.write("token", &token);
        Pass::Token(token)
    })
    .await;
}

#[tokio::test]
async fn a_watch_outlives_its_client_certificate() {
    let (folder, clients) = (Folder::new("rotate-files"), authority());
    let issue = |round: usize| {
        let (certificate, key) = leaf(&clients, &format!("user-{round}"));
        folder.write("tls.crt", &certificate.pem());
        folder.write("tls.key", &key.serialize_pem());
        Pass::Certificate(certificate.der().to_vec())
    };
    let world = World::new(issue(0), Some(&clients)).await;
    let auth_info = AuthInfo {
        client_certificate: Some(folder.path("tls.crt")),
        client_key: Some(folder.path("tls.key")),
        ..AuthInfo::default()
    };
    watch_through(&world, auth_info, &mut |round| issue(round)).await;
}

#[tokio::test]
async fn a_watch_outlives_the_client_certificate_of_its_plugin() {
    let (folder, clients) = (Folder::new("rotate-plugin-certificate"), authority());
    let issue = |round: usize| {
        let (certificate, key) = leaf(&clients, &format!("user-{round}"));
        let credential = serde_json::json!({
            "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
            "status": {"clientCertificateData": certificate.pem(), "clientKeyData": key.serialize_pem()},
        });
        folder.write("credential", &credential.to_string());
        Pass::Certificate(certificate.der().to_vec())
    };
    let world = World::new(issue(0), Some(&clients)).await;
    let exec = Some(plugin(&format!("cat {}", folder.path("credential"))));
    watch_through(&world, AuthInfo { exec, ..AuthInfo::default() }, &mut |round| issue(round)).await;
}
