//! What a watcher watches, and how it begins.

use std::ops::RangeInclusive;

use pintle_core::Selector;
use pintle_core::paging::PageRequest;
use pintle_core::params::{ListParams, WatchParams};

/// How fresh the first list must be.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum ListSemantic {
    /// The most recent state there is.
    #[default]
    MostRecent,
    /// Whatever the server has at hand: cheaper, perhaps old.
    Any,
}

/// How a watcher learns what exists.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum InitialListStrategy {
    /// A list by pages, then a watch.
    ListWatch,
    /// A watch that begins with what exists, where the server can; else as above.
    #[default]
    StreamingList,
}

/// What to watch.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Only objects whose labels match.
    pub label_selector: Option<String>,
    /// Only objects whose fields match.
    pub field_selector: Option<String>,
    /// Seconds after which the server ends each watch; random between 5 and 10 minutes unless set, so that many
    /// watchers do not come back at once.
    pub timeout: Option<u32>,
    /// How fresh the first list must be.
    pub list_semantic: ListSemantic,
    /// How the watcher learns what exists.
    pub initial_list_strategy: InitialListStrategy,
    /// Objects per page of a list.
    pub page_size: Option<u32>,
    /// Whether the server should send its version now and then though nothing changed.
    pub bookmarks: bool,
}

/// Objects per page: client-go's number, a few megabytes of pods.
const PAGE_SIZE: u32 = 500;
/// Long enough to be rare, short enough that a stuck server loses the watch soon; spread so that watchers drift apart.
const WATCH_TIMEOUT_SECONDS: RangeInclusive<u32> = 300..=600;

impl Default for Config {
    fn default() -> Self {
        Self {
            label_selector: None,
            field_selector: None,
            timeout: None,
            list_semantic: ListSemantic::default(),
            initial_list_strategy: InitialListStrategy::default(),
            page_size: Some(PAGE_SIZE),
            bookmarks: true,
        }
    }
}

impl Config {
    /// Seconds after which the server ends each watch.
    #[must_use]
    pub fn timeout(mut self, seconds: u32) -> Self {
        self.timeout = Some(seconds);
        self
    }

    /// Only objects whose fields match, as in `metadata.name=a`.
    #[must_use]
    pub fn fields(mut self, field_selector: &str) -> Self {
        self.field_selector = Some(field_selector.to_owned());
        self
    }

    /// Only objects whose labels match, as in `app=web,tier!=test`.
    #[must_use]
    pub fn labels(mut self, label_selector: &str) -> Self {
        self.label_selector = Some(label_selector.to_owned());
        self
    }

    /// Only objects whose labels match `selector`.
    #[must_use]
    pub fn labels_from(mut self, selector: &Selector) -> Self {
        self.label_selector = Some(selector.to_string());
        self
    }

    /// How fresh the first list must be.
    #[must_use]
    pub fn list_semantic(mut self, semantic: ListSemantic) -> Self {
        self.list_semantic = semantic;
        self
    }

    /// Begins with whatever the server has at hand (`resourceVersion=0`), whichever the strategy: a list or the
    /// beginning of a watch. It may be older than what was seen before.
    #[must_use]
    pub fn any_semantic(self) -> Self {
        self.list_semantic(ListSemantic::Any)
    }

    /// Begins with whatever the server has at hand.
    #[must_use]
    pub fn any(self) -> Self {
        self.any_semantic()
    }

    /// Whether bookmarks are asked for.
    #[must_use]
    pub fn bookmarks(mut self, bookmarks: bool) -> Self {
        self.bookmarks = bookmarks;
        self
    }

    /// Asks for no bookmarks.
    #[must_use]
    pub fn disable_bookmarks(self) -> Self {
        self.bookmarks(false)
    }

    /// Lists in pages of so many objects. Followed by [`streaming_lists`](Self::streaming_lists), that is how a server is listed that does not
    /// stream.
    #[must_use]
    pub fn page_size(mut self, page_size: u32) -> Self {
        self.page_size = Some(page_size);
        self.initial_list_strategy = InitialListStrategy::ListWatch;
        self
    }

    /// Begins with a streaming list.
    #[must_use]
    pub fn streaming_lists(mut self) -> Self {
        self.initial_list_strategy = InitialListStrategy::StreamingList;
        self
    }

    pub(super) fn list_params(&self, semantic: &ListSemantic, page: &PageRequest) -> ListParams {
        let list = ListParams {
            label_selector: self.label_selector.clone(),
            field_selector: self.field_selector.clone(),
            ..ListParams::default()
        };
        page.params(&match semantic {
            ListSemantic::MostRecent => ListParams { limit: self.page_size, ..list },
            // Servers answer version 0 with the whole list, whatever the limit.
            ListSemantic::Any => list.match_any(),
        })
    }

    /// `random`, from 0 to 1, picks how long the watch lives unless that is configured.
    pub(super) fn watch_params(&self, random: f64) -> WatchParams {
        WatchParams {
            label_selector: self.label_selector.clone(),
            field_selector: self.field_selector.clone(),
            timeout: Some(self.timeout.unwrap_or_else(|| watch_timeout(random))),
            bookmarks: self.bookmarks,
            send_initial_events: false,
        }
    }

    /// The end of a streaming list is a bookmark, so it asks for them whatever is configured.
    pub(super) fn streaming_params(&self, random: f64) -> WatchParams {
        WatchParams { bookmarks: true, send_initial_events: true, ..self.watch_params(random) }
    }
}

/// Seconds that a watch lives, between the bounds by `random` from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between the bounds")]
fn watch_timeout(random: f64) -> u32 {
    let (min, max) = (*WATCH_TIMEOUT_SECONDS.start(), *WATCH_TIMEOUT_SECONDS.end());
    (min + (f64::from(max - min + 1) * random) as u32).min(max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_lives_for_a_drawn_time_unless_one_is_configured() {
        let drawn = |random| Config::default().watch_params(random).timeout;
        assert_eq!([0.0, 0.5, 0.999_999, 1.0].map(drawn), [Some(300), Some(450), Some(600), Some(600)]);
        let configured = Config::default().timeout(7);
        assert_eq!(
            (configured.watch_params(0.5).timeout, configured.streaming_params(0.9).timeout),
            (Some(7), Some(7))
        );
    }
}
