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
