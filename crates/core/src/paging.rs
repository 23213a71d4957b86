//! The pages of a list: which one to ask for next, and what to ask for when the server has forgotten the list's version.
//!
//! ```text
//!   First ──continue──► Next ──continue──► Next ──► the end
//!                        └── 410 ──► Whole ──► the end: everything in one answer, which cannot expire
//! ```
//! In: the page that was asked for, and how it was answered. Out: the next page, or that there is none. The code that reads
//! pages follows it, so that there is one policy. It is that of client-go's pager (`FullListIfExpired`): a server that
//! forgets a version between two pages would forget the next one too, so the list is not begun again by pages.

use crate::params::ListParams;

/// One request for objects of a list.
///
/// ```
/// use pintle_core::paging::PageRequest;
/// use pintle_core::params::ListParams;
/// let list = ListParams::default().limit(500);
/// let next = PageRequest::First.after_answer(Some("token")).unwrap();
/// assert_eq!(next.params(&list), list.clone().continue_token("token"));
/// let whole = next.after_expiry().unwrap();
/// assert_eq!(whole.params(&list).limit, None);
/// assert_eq!(whole.after_expiry(), None, "an error, and not asked for again");
/// ```
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub enum PageRequest {
    /// The first page.
    #[default]
    First,
    /// The page after the one that returned this continue token.
    Next(String),
    /// The whole list in one answer.
    Whole,
}

impl PageRequest {
    /// The page that follows an answer with this continue token; `None` if the list is complete.
    #[must_use]
    pub fn after_answer(&self, continue_token: Option<&str>) -> Option<Self> {
        continue_token.filter(|token| !token.is_empty()).map(|token| Self::Next(token.to_owned()))
    }

    /// What to ask for instead of this page after a 410. The objects of the pages before are void then. `None` if nothing
    /// helps: only a continue token can grow old, and a first page asks for a version that its caller chose.
    #[must_use]
    pub fn after_expiry(&self) -> Option<Self> {
        match self {
            Self::Next(_) => Some(Self::Whole),
            Self::First | Self::Whole => None,
        }
    }

    /// The continue token to send.
    #[must_use]
    pub fn continue_token(&self) -> Option<&str> {
        match self {
            Self::Next(token) => Some(token),
            Self::First | Self::Whole => None,
        }
    }

    /// The params of this page of the list that `list` asks for. `list` stays the same for all pages: a whole list after a
    /// 410 asks for the version that the first page asked for, as in client-go.
    #[must_use]
    pub fn params(&self, list: &ListParams) -> ListParams {
        let limit = list.limit.filter(|_| *self != Self::Whole);
        ListParams { limit, continue_token: self.continue_token().map(str::to_owned), ..list.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_their_tokens_and_a_list_without_one_is_complete() {
        for page in [PageRequest::First, PageRequest::Next("1".into()), PageRequest::Whole] {
            assert_eq!(page.after_answer(Some("2")), Some(PageRequest::Next("2".into())));
            assert_eq!(page.after_answer(Some("")), None);
            assert_eq!(page.after_answer(None), None);
        }
    }

    #[test]
    fn only_a_later_page_that_expired_is_followed_by_the_whole_list() {
        assert_eq!(PageRequest::Next("1".into()).after_expiry(), Some(PageRequest::Whole));
        assert_eq!(PageRequest::First.after_expiry(), None);
        assert_eq!(PageRequest::Whole.after_expiry(), None);
    }

    #[test]
    fn every_page_keeps_the_selectors_and_the_version() {
        let list = ListParams::default().labels("a=b").fields("metadata.name=c").at("5").limit(2);
        assert_eq!(PageRequest::First.params(&list), list);
        assert_eq!(PageRequest::Next("t".into()).params(&list), list.clone().continue_token("t"));
        assert_eq!(PageRequest::Whole.params(&list), ListParams { limit: None, ..list.clone() });
        let continued = list.clone().continue_token("stale");
        assert_eq!(PageRequest::Whole.params(&continued), ListParams { limit: None, ..list });
    }
}
