//! Many servers at one address: each is a fork of the one that was served, with users of its own, behind `/workspaces/NAME`.
//!
//! In: requests to make, list and drop them (`workspaces/requests.rs`). Out: a [`Workspace`] by its name. They share
//! objects with the server they were forked from until one of the two changes them, and nothing else: no token of one is known to
//! another, and a fault, a pause or a moved clock is one's own. There is a limit to their number, and each may have a time to live.

mod requests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use jiff::Timestamp;
use secrecy::SecretString;
use tokio::time::Instant;

use super::admin::{Admin, AdminToken};
use super::authenticator::Authenticator;
use super::dispatcher::WORKSPACES;
use super::endpoint::Endpoint;
use super::kubeconfig::Reach;
use super::options::Anonymous;
use crate::faults::Requests;
use crate::request::user::User;
use crate::response::status::{Answer, Refusal, refuse};
use crate::server::Server;

/// All workspaces at an address.
pub(super) struct Workspaces {
    limits: WorkspaceLimits,
    anonymous: Anonymous,
    /// How the server itself is reached.
    reach: Reach,
    /// The token with which the admin path of every workspace opens; none where it is off.
    admin: Option<AdminToken>,
    list: Mutex<BTreeMap<String, Arc<Workspace>>>,
}

/// How many there may be, and for how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkspaceLimits {
    pub(super) most: usize,
    /// That of workspaces that are made without saying it.
    pub(super) time_to_live: Option<Duration>,
}

/// One of them.
pub(super) struct Workspace {
    name: String,
    /// How its paths begin.
    pub(super) prefix: Arc<str>,
    pub(super) endpoint: Endpoint,
    created: Timestamp,
    expires: Option<Timestamp>,
}

/// What was asked for.
#[derive(Debug)]
struct NewWorkspace {
    name: String,
    time_to_live: Option<Duration>,
}

/// The credentials of a workspace, known to whom it was made for.
struct Keys {
    token: SecretString,
    admin: Option<SecretString>,
}

impl Workspaces {
    pub(super) fn new(
        limits: WorkspaceLimits,
        anonymous: Anonymous,
        reach: Reach,
        admin: Option<AdminToken>,
    ) -> Arc<Workspaces> {
        Arc::new(Workspaces { limits, anonymous, reach, admin, list: Mutex::default() })
    }

    /// The workspace of this name.
    pub(super) fn find(&self, name: &str) -> Answer<Arc<Workspace>> {
        self.list().get(name).cloned().ok_or_else(|| no_workspace(name))
    }

    /// Makes one: a fork of this server.
    fn create(self: &Arc<Self>, of: &Server, asked: NewWorkspace) -> Answer<(Arc<Workspace>, Keys)> {
        self.check_room(&self.list(), &asked.name)?;
        let (endpoint, keys) = self.endpoint(of.fork_apart());
        let created = Timestamp::now();
        let expires = asked.time_to_live.and_then(|time| created.checked_add(time).ok());
        let prefix = format!("{WORKSPACES}/{}", asked.name).into();
        let workspace = Arc::new(Workspace { name: asked.name.clone(), prefix, endpoint, created, expires });
        {
            let mut list = self.list();
            self.check_room(&list, &asked.name)?;
            list.insert(asked.name, Arc::clone(&workspace));
        }
        if let Some(end) = asked.time_to_live.and_then(|time| Instant::now().checked_add(time)) {
            tokio::spawn(drop_at(end, Arc::downgrade(self), Arc::downgrade(&workspace)));
        }
        Ok((workspace, keys))
    }

    fn endpoint(&self, server: Server) -> (Endpoint, Keys) {
        let authenticator = Authenticator::new(server, self.anonymous);
        let token = authenticator.give_token(User::administrator());
        let own = self.admin.as_ref().map(|every| (every, AdminToken::random()));
        let admin = own.as_ref().map(|(every, (own, _))| Admin::new(vec![own.clone(), (*every).clone()]));
        (Endpoint { authenticator, admin }, Keys { token, admin: own.map(|(_, (_, secret))| secret) })
    }

    fn check_room(&self, list: &BTreeMap<String, Arc<Workspace>>, name: &str) -> Answer<()> {
        let most = self.limits.most;
        if list.contains_key(name) {
            return Err(refuse(409, "AlreadyExists", format!("the workspace {name:?} already exists")));
        }
        if list.len() >= most {
            let why = format!(
                "there are {most} workspaces, as many as there may be: drop one, or start with --workspaces=NUMBER"
            );
            return Err(refuse(403, "Forbidden", why));
        }
        Ok(())
    }

    /// Drops one: its watches end, and nobody finds it any more.
    fn remove(&self, name: &str) -> Answer<Arc<Workspace>> {
        let removed = self.list().remove(name).ok_or_else(|| no_workspace(name))?;
        removed.end();
        Ok(removed)
    }

    fn list(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Workspace>>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workspace {
    fn server(&self) -> &Server {
        self.endpoint.authenticator.server()
    }

    /// Lets everything end that would go on for as long as its client likes.
    fn end(&self) {
        let server = self.server();
        server.resume();
        server.lift_faults();
        server.cut_watches(&Requests::watches());
    }
}

/// Drops a workspace when its time is over, unless that was done before.
async fn drop_at(end: Instant, workspaces: Weak<Workspaces>, workspace: Weak<Workspace>) {
    tokio::time::sleep_until(end).await;
    let (Some(workspaces), Some(workspace)) = (workspaces.upgrade(), workspace.upgrade()) else { return };
    let is_still_there = {
        let mut list = workspaces.list();
        let is_it = list.get(&workspace.name).is_some_and(|found| Arc::ptr_eq(found, &workspace));
        is_it && list.remove(&workspace.name).is_some()
    };
    if is_still_there {
        workspace.end();
    }
}

/// 404, with the way to a workspace.
fn no_workspace(name: &str) -> Refusal {
    let path = requests::PATH;
    let message = match name {
        "" => format!("the path names no workspace: GET {path} lists them, POST {path} makes one"),
        _ => format!(
            "there is no workspace {name:?}: it was dropped, its time to live is over, or it was never made; \
             POST {{\"name\": {name:?}}} to {path} makes it"
        ),
    };
    refuse(404, "NotFound", message)
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http_body_util::{BodyExt, Full};
    use serde_json::{Value, json};
    use tokio::runtime::Handle;
    use tower::ServiceExt;

    use super::*;
    use crate::Controllers;
    use crate::response::body::Body;
    use crate::serve::Scheme;

    async fn ask(server: &Server, method: &str, path: &str, body: &Value) -> http::Response<Body> {
        let body = Full::new(bytes::Bytes::from(body.to_string()));
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json").body(body);
        let response = server.clone().oneshot(request.unwrap()).await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.status());
        response
    }

    /// A Deployment that is rolled out, a CronJob that waits, events that expire, and a watch: all that has timers.
    async fn live(server: &Server) -> http::Response<Body> {
        let pod = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
        let deployment = json!({
            "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": pod},
        });
        ask(server, "POST", "/apis/apps/v1/namespaces/default/deployments", &deployment).await;
        let mut pod = pod.clone();
        pod["spec"]["restartPolicy"] = json!("Never");
        let cron = json!({
            "metadata": {"name": "nightly"},
            "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": pod}}},
        });
        ask(server, "POST", "/apis/batch/v1/namespaces/default/cronjobs", &cron).await;
        server.settle().await;
        ask(server, "GET", "/api/v1/pods?watch=true", &Value::Null).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_workspace_leaves_nothing_behind() {
        let server = Server::builder().controllers(Controllers::all()).build();
        let limits = WorkspaceLimits { most: 100, time_to_live: None };
        let reach = Reach::new(Scheme::Http, ([127, 0, 0, 1], 1).into(), "");
        let workspaces = Workspaces::new(limits, Anonymous::Known, reach, None);
        server.settle().await;
        let tasks = || Handle::current().metrics().num_alive_tasks();
        let tasks_before = tasks();
        let (mut left, mut watches) = (Vec::new(), Vec::new());
        for number in 0..20 {
            let asked = NewWorkspace { name: format!("w{number}"), time_to_live: None };
            let (workspace, _) = workspaces.create(&server, asked).unwrap();
            watches.push(live(workspace.server()).await);
            left.push(workspace.server().downgrade());
        }
        // What follows from the writes is done; what is planned now is for hours later.
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(left.iter().all(|state| state.upgrade().is_some()));
        assert!(tasks() >= tasks_before + 20, "each waits for its next moment: {} tasks", tasks() - tasks_before);
        for number in 0..20 {
            workspaces.remove(&format!("w{number}")).unwrap();
        }
        for watch in watches {
            watch.into_body().collect().await.unwrap();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(left.iter().filter(|state| state.upgrade().is_some()).count(), 0, "servers are left");
        assert_eq!(tasks(), tasks_before, "tasks are left that wait for servers that are gone");
    }
}
