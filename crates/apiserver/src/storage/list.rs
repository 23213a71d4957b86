//! LIST: which objects, at which moment, which page.
//!
//! In: a query. Out: a [`ListPlan`] (every row of the table of resourceVersion, match and limit), then a page of entries
//! out of a snapshot, then bytes. All pages of a list are of one revision; when that is forgotten the client gets a
//! token with which to go on at the latest one.

pub(crate) mod continue_token;

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use futures::{Stream, stream};
use pintle_core::ListMeta;
use pintle_core::call::{Form, Query};

use crate::catalog::crd::converter::Converter;
use crate::catalog::kinds::Kind;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::response::status::{Answer, FieldError, bad_request, expired, invalid_options, version_too_large};
use crate::storage::entry::Entry;
use crate::storage::list::continue_token::ContinueToken;
use crate::storage::requested_version;
use crate::storage::selection::Selection;
use crate::storage::store::{Resource, Snapshot, scan};
use crate::storage::view;

/// A list that was understood.
pub(crate) struct ListPlan {
    pub(crate) selection: Selection,
    /// The version that must have been reached before the list is made.
    pub(crate) not_before: Option<u64>,
    moment: Moment,
    limit: usize,
    start: String,
    continued: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Latest,
    Exactly(u64),
}

/// A page of a list.
pub(crate) struct Page {
    entries: Vec<Arc<Entry>>,
    revision: u64,
    continue_token: Option<String>,
    remaining: Option<usize>,
}

impl ListPlan {
    /// Understands the query of a list.
    pub(crate) fn parse(target: &ResolvedTarget, query: &Query) -> Answer<ListPlan> {
        Selection::check_syntax(query)?;
        check_options(query)?;
        let selection = Selection::parse(target, query)?;
        let text = query.resource_version.as_deref().unwrap_or_default();
        let asked = requested_version::parse(Some(text))
            .map_err(|wrong| bad_request(format!("invalid resource version: {}", wrong.0)))?;
        let limit = query.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or_default();
        if let Some(token) = query.continue_token.as_deref().filter(|token| !token.is_empty()) {
            if asked.is_some() {
                return Err(bad_request("specifying resource version is not allowed when using continue"));
            }
            let token = ContinueToken::parse(token).map_err(bad_request)?;
            let moment = token.revision.map_or(Moment::Latest, Moment::Exactly);
            return Ok(ListPlan {
                selection,
                not_before: token.revision,
                moment,
                limit,
                start: token.start,
                continued: true,
            });
        }
        let exact = match query.resource_version_match.as_deref().unwrap_or_default() {
            "Exact" => true,
            "NotOlderThan" => false,
            // Without a match a limit means that later pages are to fit the first one.
            _ => limit > 0,
        };
        let moment = asked.filter(|_| exact).map_or(Moment::Latest, Moment::Exactly);
        let limit = if text == "0" { 0 } else { limit };
        Ok(ListPlan { selection, not_before: asked, moment, limit, start: String::new(), continued: false })
    }
}

impl Cluster {
    /// The objects at the moment a list is about, and its revision.
    pub(crate) fn list_snapshot(
        &self,
        target: &ResolvedTarget,
        plan: &ListPlan,
        stale: Option<u64>,
    ) -> Answer<(Snapshot, u64)> {
        let resource = target.kind.resource();
        if let (Some(behind), Moment::Latest) = (stale, plan.moment) {
            return self.stale_snapshot(&resource, behind, plan.not_before);
        }
        let (snapshot, revision) = match plan.moment {
            Moment::Latest => (Some(self.store.snapshot(&resource)), self.store.revision()),
            Moment::Exactly(revision) => (self.store.snapshot_at(&resource, revision), revision),
        };
        Ok((snapshot.ok_or_else(|| too_old(plan))?, revision))
    }

    /// The objects as a replica has them that is so many revisions behind, or as many as are still known; it refuses
    /// what has to be newer, as a replica does that cannot catch up.
    pub(crate) fn stale_snapshot(
        &self,
        resource: &Resource,
        behind: u64,
        not_before: Option<u64>,
    ) -> Answer<(Snapshot, u64)> {
        let revision = self.store.revision().saturating_sub(behind).max(self.store.oldest(resource)).max(1);
        if let Some(asked) = not_before.filter(|asked| *asked > revision) {
            return Err(version_too_large(asked, revision));
        }
        let snapshot = self.store.snapshot_at(resource, revision);
        Ok((snapshot.expect("what is not older than the oldest is known"), revision))
    }
}

impl Page {
    /// The page of a snapshot that a plan asks for.
    pub(crate) fn cut(snapshot: &Snapshot, revision: u64, target: &ResolvedTarget, plan: &ListPlan) -> Page {
        let mut matching = scan(snapshot, target.namespace.as_deref(), &plan.start)
            .filter(|(key, entry)| plan.selection.matches(key, entry));
        if plan.limit == 0 {
            return Page::of(matching.map(|(_, entry)| Arc::clone(entry)).collect(), revision);
        }
        let page: Vec<_> = matching.by_ref().take(plan.limit).collect();
        let last = page.last().map(|(key, _)| relative(key, target.namespace.as_deref())).unwrap_or_default();
        let more = matching.next().is_some();
        let remaining = (more && plan.selection.has_no_selector()).then(|| 1 + matching.count());
        Page {
            continue_token: more.then(|| ContinueToken::after(revision, last).print()),
            entries: page.into_iter().map(|(_, entry)| Arc::clone(entry)).collect(),
            revision,
            remaining,
        }
    }

    /// A page of entries that were chosen already.
    pub(crate) fn of(entries: Vec<Arc<Entry>>, revision: u64) -> Page {
        Page { entries, revision, continue_token: None, remaining: None }
    }

    /// Has a webhook convert what it has to.
    pub(crate) async fn prepare(&self, converter: &Converter, kind: &Kind) -> Answer<()> {
        converter.prepare(kind, &self.entries).await
    }

    /// The page as a list of its kind, in pieces; fails before the first one, or not at all.
    pub(crate) fn into_stream(self, kind: Arc<Kind>, form: Form) -> Answer<impl Stream<Item = Bytes> + Send + use<>> {
        for entry in &self.entries {
            view::item(&kind, form, entry).map(drop)?;
        }
        let pieces = Pieces { head: Some(self.head(&kind, form)), entries: self.entries, next: 0, ended: false };
        Ok(stream::unfold(pieces, move |mut pieces| {
            let piece = pieces.next(&kind, form);
            async move { piece.map(|piece| (piece, pieces)) }
        }))
    }

    fn head(&self, kind: &Kind, form: Form) -> Bytes {
        // The lists of custom resources are of no Go type, and say it even where there is nothing more to say.
        let says_nothing = (kind.is_custom() && form != Form::Metadata).then(String::new);
        let metadata = ListMeta {
            resource_version: (self.revision != 0).then(|| self.revision.to_string()),
            continue_: self.continue_token.clone().or(says_nothing),
            remaining_item_count: self.remaining.and_then(|count| i64::try_from(count).ok()),
            ..ListMeta::default()
        };
        let metadata = serde_json::to_string(&metadata).expect("list metadata always prints");
        let (kind, api_version) = match form {
            Form::Metadata => ("PartialObjectMetadataList", "meta.k8s.io/v1".to_owned()),
            Form::Object | Form::Table => (kind.list_kind.as_str(), kind.api_version()),
        };
        format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{api_version}\",\"metadata\":{metadata},\"items\":[").into()
    }
}

/// The list as it is being written.
struct Pieces {
    head: Option<Bytes>,
    entries: Vec<Arc<Entry>>,
    next: usize,
    ended: bool,
}

impl Pieces {
    fn next(&mut self, kind: &Kind, form: Form) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        // Most objects have a few kilobytes, and a piece of many is as large as pieces get.
        let left = self.entries.len() - self.next;
        let mut buffer = BytesMut::with_capacity((left * 2048 + 256).min(PIECE_BYTES));
        buffer.put_slice(&self.head.take().unwrap_or_default());
        while let Some(entry) = self.entries.get(self.next) {
            let item = view::item(kind, form, entry).expect("every entry was viewed once already");
            // What follows an item is a comma or the end.
            if buffer.len() + item.len() + END.len() > PIECE_BYTES && !buffer.is_empty() {
                return Some(buffer.freeze());
            }
            if self.next > 0 {
                buffer.put_u8(b',');
            }
            item.pieces().into_iter().for_each(|piece| buffer.put_slice(piece));
            self.next += 1;
        }
        buffer.put_slice(END);
        self.ended = true;
        Some(buffer.freeze())
    }
}

fn check_options(query: &Query) -> Answer<()> {
    let version = query.resource_version.as_deref().unwrap_or_default();
    let matching = query.resource_version_match.as_deref().unwrap_or_default();
    let continued = query.continue_token.as_deref().is_some_and(|token| !token.is_empty());
    let forbidden = |why: &str| FieldError::forbidden("resourceVersionMatch", why);
    let mut errors = Vec::new();
    if !matching.is_empty() {
        if version.is_empty() {
            errors.push(forbidden("resourceVersionMatch is forbidden unless resourceVersion is provided"));
        }
        if continued {
            errors.push(forbidden("resourceVersionMatch is forbidden when continue is provided"));
        }
        if !matches!(matching, "Exact" | "NotOlderThan") {
            errors.push(FieldError::not_supported("resourceVersionMatch", matching, &["Exact", "NotOlderThan", ""]));
        }
        if matching == "Exact" && version == "0" {
            errors.push(forbidden("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
        }
    }
    if query.send_initial_events.is_some() {
        errors.push(FieldError::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid_options("ListOptions", &errors)) }
}

/// The part of a key that a continue token carries.
fn relative<'a>(key: &'a str, namespace: Option<&str>) -> &'a str {
    let prefix = namespace.map_or(0, |namespace| namespace.len() + 1);
    &key[prefix..]
}

fn too_old(plan: &ListPlan) -> crate::response::status::Refusal {
    if !plan.continued {
        return expired("The resourceVersion for the provided list is too old.");
    }
    let mut refusal = expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list \
         without the continue parameter, or use the continue token in this response to retrieve the remainder of the \
         results. Continuing with the provided token results in an inconsistent list - objects that were created, \
         modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    );
    let token = ContinueToken { revision: None, start: plan.start.clone() };
    refusal.metadata = Some(ListMeta { continue_: Some(token.print()), ..ListMeta::default() });
    refusal
}

/// How every list ends.
const END: &[u8] = b"]}\n";

/// What fits into a TLS record and a frame of HTTP/2 alike: large enough that a piece costs little beside what is in it. A
/// connection takes up to sixteen of them before it sends, so larger ones would only take more memory.
const PIECE_BYTES: usize = 16 * 1024;
