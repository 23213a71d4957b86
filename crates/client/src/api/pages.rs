//! A collection page by page, and what happens when the server forgets the version that was being read.
//!
//! ```text
//!   list(limit) ─► page ─continue─► page ─continue─► 410: the version is gone
//!                                                     ├─ Expiry::Restart  from the first page on, at a new version; the page says so
//!                                                     ├─ Expiry::GoOn     behind the last object, at a new version; the page says so
//!                                                     └─ Expiry::Fail     an error
//! ```
//! All pages are of one version as long as the server has it. Servers forget after some minutes, so a reader that takes
//! its time must choose: [`Page::begins`] tells of every page how it relates to those before, so nothing is missed and
//! nothing told twice without notice. [`Pages::collect`] and [`Pages::objects`] are the two readers that need not look.

use std::fmt::{self, Debug};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::future::{BoxFuture, FutureExt};
use futures::{Stream, StreamExt, TryStreamExt, stream};
use pintle_core::params::ListParams;
use pintle_core::{ObjectList, Status};
use serde::de::DeserializeOwned;

use super::Api;
use crate::error::Result;

/// As many as kube and client-go ask for at once: a page of large pods is then some megabytes.
const PAGE_LIMIT: u32 = 500;

/// How often a list is begun anew by pages. A server that forgets faster than it can be read is then asked for
/// everything at once, which cannot expire.
const RESTARTS_MAX: usize = 2;

impl<K> Api<K>
where
    K: Clone + DeserializeOwned + Debug,
{
    /// The objects that `lp` selects, page by page: as many at once as its limit says, or 500.
    ///
    /// ```no_run
    /// # use futures::TryStreamExt;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use pintle_client::api::pages::Expiry;
    /// # use pintle_client::api::{Api, ListParams};
    /// # async fn count(pods: Api<Pod>) -> pintle_client::Result<()> {
    /// // One list, of one version:
    /// let all = pods.pages(&ListParams::default().limit(100)).collect().await?;
    /// // One object after the other, each once, at the price that later ones may be of a later version:
    /// let mut objects = pods.pages(&ListParams::default()).when_expired(Expiry::GoOn).objects();
    /// while let Some(pod) = objects.try_next().await? {
    ///     println!("{:?}", pod.metadata.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn pages(&self, lp: &ListParams) -> Pages<K> {
        let params = ListParams { limit: Some(lp.limit.unwrap_or(PAGE_LIMIT)), ..lp.clone() };
        let next = Next { params: params.clone(), begins: Begins::First };
        Pages { api: self.clone(), first: params, expiry: Expiry::Restart, restarts: 0, state: State::Ask(next) }
    }
}

/// What to do when the server has forgotten the version that is being read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Expiry {
    /// Begin anew: what came before is void. After the third time everything is asked for at once.
    Restart,
    /// Go on behind the last object, at a newer version: every object is told once at most, but what changes among the
    /// earlier ones is not told, and an object that was made there is missed. The token for it comes from the server.
    GoOn,
    /// Give up, with the server's refusal.
    Fail,
}

/// How a page relates to the one before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Begins {
    /// It is the first.
    First,
    /// It goes on, at the same version.
    Same,
    /// It goes on, at a newer version ([`Expiry::GoOn`]).
    Newer,
    /// It is the first again, at a newer version: forget the ones before ([`Expiry::Restart`]).
    Anew,
}

/// One page of a list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page<K: Clone> {
    /// The objects, and the version they are of.
    pub list: ObjectList<K>,
    /// How it relates to the page before.
    pub begins: Begins,
}

/// The pages of a list: a stream that ends behind the last page, or behind an error.
#[must_use = "pages are asked for when they are polled"]
pub struct Pages<K: Clone> {
    api: Api<K>,
    first: ListParams,
    expiry: Expiry,
    restarts: usize,
    state: State<K>,
}

/// What the next request asks for.
#[derive(Clone)]
struct Next {
    params: ListParams,
    begins: Begins,
}

enum State<K: Clone> {
    Ask(Next),
    Wait(Next, BoxFuture<'static, Result<ObjectList<K>>>),
    Done,
}

impl<K> Pages<K>
where
    K: Clone + DeserializeOwned + Debug + Send + 'static,
{
    /// Chooses what happens when the version that is being read is gone; [`Expiry::Restart`] unless this says otherwise.
    pub fn when_expired(mut self, expiry: Expiry) -> Self {
        self.expiry = expiry;
        self
    }

    /// All pages as one list. With [`Expiry::Restart`] it is of one version, whatever happens; its metadata are those of
    /// the last page.
    ///
    /// # Errors
    /// When a page cannot be had.
    pub async fn collect(mut self) -> Result<ObjectList<K>> {
        let mut items = Vec::new();
        let mut last = None;
        while let Some(page) = self.try_next().await? {
            let Page { mut list, begins } = page;
            if begins == Begins::Anew {
                items.clear();
            }
            items.append(&mut list.items);
            last = Some(list);
        }
        let list = last.expect("a list has a first page, or is an error");
        Ok(ObjectList { items, ..list })
    }

    /// The objects one by one, each once. To begin anew would tell some twice, so [`Expiry::Restart`] is
    /// [`Expiry::Fail`] here: choose [`Expiry::GoOn`] to read on instead.
    pub fn objects(mut self) -> impl Stream<Item = Result<K>> + Send + Unpin {
        if self.expiry == Expiry::Restart {
            self.expiry = Expiry::Fail;
        }
        self.map_ok(|page| stream::iter(page.list.items.into_iter().map(Ok))).try_flatten().boxed()
    }

    fn ask(&self, params: &ListParams) -> BoxFuture<'static, Result<ObjectList<K>>> {
        let (api, params) = (self.api.clone(), params.clone());
        async move { api.list(&params).await }.boxed()
    }

    /// The item that an answer is, unless it only says where to go on.
    fn answered(&mut self, asked: Next, answer: Result<ObjectList<K>>) -> Option<Result<Page<K>>> {
        self.state = State::Done;
        match answer {
            Ok(list) => {
                let begins = asked.begins;
                if let Some(token) = list.metadata.continue_.as_deref().filter(|token| !token.is_empty()) {
                    let params = asked.params.continue_token(token);
                    self.state = State::Ask(Next { params, begins: Begins::Same });
                }
                Some(Ok(Page { list, begins }))
            }
            Err(error) => match error.status().and_then(|status| self.after_refusal(asked, status)) {
                Some(next) => {
                    self.state = State::Ask(next);
                    None
                }
                None => Some(Err(error)),
            },
        }
    }

    /// Where to go on after a refusal, if anywhere.
    fn after_refusal(&mut self, asked: Next, status: &Status) -> Option<Next> {
        // Only a token can grow old; the first page asks for a version that its caller chose.
        asked.params.continue_token.as_ref()?;
        if !status.is_gone_or_expired() {
            return None;
        }
        match self.expiry {
            Expiry::Fail => None,
            Expiry::GoOn => {
                let token = status.metadata.as_ref()?.continue_.as_deref().filter(|token| !token.is_empty())?;
                Some(Next { params: asked.params.continue_token(token), begins: Begins::Newer })
            }
            Expiry::Restart => {
                self.restarts += 1;
                let limit = self.first.limit.filter(|_| self.restarts <= RESTARTS_MAX);
                let params = ListParams { limit, continue_token: None, ..self.first.clone() };
                Some(Next { params, begins: Begins::Anew })
            }
        }
    }
}

impl<K> Stream for Pages<K>
where
    K: Clone + DeserializeOwned + Debug + Send + 'static,
{
    type Item = Result<Page<K>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match &mut self.state {
                State::Done => return Poll::Ready(None),
                State::Ask(next) => {
                    let next = next.clone();
                    let answer = self.ask(&next.params);
                    self.state = State::Wait(next, answer);
                }
                State::Wait(asked, answer) => {
                    let answer = ready!(answer.poll_unpin(context));
                    let asked = asked.clone();
                    if let Some(item) = self.answered(asked, answer) {
                        return Poll::Ready(Some(item));
                    }
                }
            }
        }
    }
}

impl<K: Clone> Debug for Pages<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("api", &self.api).field("expiry", &self.expiry).finish_non_exhaustive()
    }
}
