//! A collection page by page, and what happens when the server forgets the version that was being read.
//!
//! ```text
//!   list(limit) ─► page ─continue─► page ─continue─► 410: the server has forgotten the version
//!                                                     ├─ Expiry::FullList  everything at once, at a new version
//!                                                     ├─ Expiry::Continue  after the last object, at a new version
//!                                                     └─ Expiry::Fail      an error
//! ```
//! All pages are of one version as long as the server has it. Servers forget after some minutes, so a reader that takes
//! its time must choose. [`Page::continuity`] says how each page relates to those before, so a reader that looks at it
//! misses nothing and counts nothing twice. [`Pages::collect`] and [`Pages::objects`] are the two that need not look.
//! Which page comes next is decided by [`PageRequest`], for this and for the runtime's watcher.

use std::fmt::{self, Debug};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::future::{BoxFuture, FutureExt};
use futures::{Stream, StreamExt, TryStreamExt, stream};
use pintle_core::paging::PageRequest;
use pintle_core::params::ListParams;
use pintle_core::{ObjectList, Status};
use serde::de::DeserializeOwned;

use super::Api;
use crate::error::Result;

/// As many as kube and client-go ask for at once: a page of large pods is then some megabytes.
const PAGE_LIMIT: u32 = 500;

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
    /// let mut objects = pods.pages(&ListParams::default()).when_expired(Expiry::Continue).objects();
    /// while let Some(pod) = objects.try_next().await? {
    ///     println!("{:?}", pod.metadata.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn pages(&self, lp: &ListParams) -> Pages<K> {
        let list = ListParams { limit: Some(lp.limit.unwrap_or(PAGE_LIMIT)), ..lp.clone() };
        let page = lp.continue_token.clone().map_or(PageRequest::First, PageRequest::Next);
        let next = Next { page, continuity: Continuity::First };
        Pages { api: self.clone(), list, expiry: Expiry::FullList, state: State::Ask(next) }
    }
}

/// What to do when the server has forgotten the version that is being read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Expiry {
    /// Ask for everything at once, as client-go's pager does: the pages before are void.
    FullList,
    /// Continue after the last object, at a newer version: each object comes once at most, but later changes of the
    /// earlier ones do not show, and an object that was created among them is missed. The server sends the token for it.
    Continue,
    /// Give up with the server's refusal.
    Fail,
}

/// How a page relates to the one before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Continuity {
    /// It is the first.
    First,
    /// It continues the page before, at the same version.
    SameVersion,
    /// It continues the page before, at a newer version ([`Expiry::Continue`]).
    NewerVersion,
    /// It is the whole list at a newer version: forget the pages before ([`Expiry::FullList`]).
    Restart,
}

/// One page of a list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page<K: Clone> {
    /// The objects, and the version they are of.
    pub list: ObjectList<K>,
    /// How it relates to the page before.
    pub continuity: Continuity,
}

/// The pages of a list: a stream that ends behind the last page, or behind an error.
#[must_use = "pages are asked for when they are polled"]
pub struct Pages<K: Clone> {
    api: Api<K>,
    list: ListParams,
    expiry: Expiry,
    state: State<K>,
}

/// What the next request asks for.
#[derive(Clone)]
struct Next {
    page: PageRequest,
    continuity: Continuity,
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
    /// Chooses what happens when the version that is being read is gone; [`Expiry::FullList`] unless this says otherwise.
    pub fn when_expired(mut self, expiry: Expiry) -> Self {
        self.expiry = expiry;
        self
    }

    /// All pages as one list. With [`Expiry::FullList`] it is of one version, whatever happens; its metadata are those of
    /// the last page.
    ///
    /// # Errors
    /// When a page cannot be had.
    pub async fn collect(mut self) -> Result<ObjectList<K>> {
        let mut items = Vec::new();
        let mut last = None;
        while let Some(page) = self.try_next().await? {
            let Page { mut list, continuity } = page;
            if continuity == Continuity::Restart {
                items.clear();
            }
            items.append(&mut list.items);
            last = Some(list);
        }
        let list = last.expect("a list has a first page, or is an error");
        Ok(ObjectList { items, ..list })
    }

    /// The objects one by one, each once. A full list would repeat some of them, so [`Expiry::FullList`] is
    /// [`Expiry::Fail`] here: choose [`Expiry::Continue`] to read on instead.
    pub fn objects(mut self) -> impl Stream<Item = Result<K>> + Send + Unpin {
        if self.expiry == Expiry::FullList {
            self.expiry = Expiry::Fail;
        }
        self.map_ok(|page| stream::iter(page.list.items.into_iter().map(Ok))).try_flatten().boxed()
    }

    fn ask(&self, page: &PageRequest) -> BoxFuture<'static, Result<ObjectList<K>>> {
        let (api, params) = (self.api.clone(), page.params(&self.list));
        async move { api.list(&params).await }.boxed()
    }

    /// The item that an answer is, unless it only says where to go on.
    fn answered(&mut self, asked: Next, answer: Result<ObjectList<K>>) -> Option<Result<Page<K>>> {
        self.state = State::Done;
        match answer {
            Ok(list) => {
                if let Some(page) = asked.page.after_answer(list.metadata.continue_.as_deref()) {
                    self.state = State::Ask(Next { page, continuity: Continuity::SameVersion });
                }
                Some(Ok(Page { list, continuity: asked.continuity }))
            }
            Err(error) => match error.status().and_then(|status| self.after_refusal(&asked.page, status)) {
                Some(next) => {
                    self.state = State::Ask(next);
                    None
                }
                None => Some(Err(error)),
            },
        }
    }

    /// What to ask for after a refusal, if anything helps.
    fn after_refusal(&self, asked: &PageRequest, status: &Status) -> Option<Next> {
        let whole = asked.after_expiry().filter(|_| status.is_gone_or_expired())?;
        match self.expiry {
            Expiry::Fail => None,
            Expiry::Continue => {
                let page = asked.after_answer(status.metadata.as_ref()?.continue_.as_deref())?;
                Some(Next { page, continuity: Continuity::NewerVersion })
            }
            Expiry::FullList => Some(Next { page: whole, continuity: Continuity::Restart }),
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
                    let answer = self.ask(&next.page);
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
