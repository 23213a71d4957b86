//! How a watcher hands what came, packed, to the store right behind it.
//!
//! ```text
//!   Watcher ──Event<K>, decoded──► Reflect ──Event<K>──► program
//!      └───── Event<Packed<K>> ───────┘ └──► Writer, packed
//! ```
//!
//! A store holds its objects packed; the stream that leads to it is, as kube has it, one of decoded ones. Without this the
//! store would keep a copy of each decoded object, which takes about ten times the bytes that came. So a store that polls a
//! watcher asks on its thread for what came, and the watcher leaves it there: both happen in one call of `poll_next`. It asks
//! only where the type of the stream says that nothing between the two can have changed an object.

use std::any::{Any, TypeId};
use std::cell::RefCell;

use pintle_wire::Packed;

use super::backoff::DefaultBackoff;
use super::{Event, Health, Result, Watcher, undecodable};
use crate::reflector::entry::Verdict;
use crate::utils::StreamBackoff;

/// What a watcher leaves.
pub(crate) struct HandedOver<K> {
    pub(crate) event: Event<Packed<K>>,
    /// Whether its object decodes, if there is one.
    pub(crate) verdict: Option<Verdict>,
    /// How the watch is doing, with the beginning of each list.
    pub(crate) health: Option<Health>,
}

enum Slot {
    Unasked,
    Asked,
    Filled(Box<dyn Any>),
}

thread_local! {
    static SLOT: RefCell<Slot> = const { RefCell::new(Slot::Unasked) };
}

/// Takes the question back, also when what was polled panics.
struct Asking;

impl Drop for Asking {
    fn drop(&mut self) {
        SLOT.set(Slot::Unasked);
    }
}

/// Whether an `S` yields what a watcher yields, unchanged.
pub(crate) fn is_watcher<S, K: 'static>() -> bool {
    let stream = typeid::of::<S>();
    stream == TypeId::of::<Watcher<K>>() || stream == TypeId::of::<StreamBackoff<Watcher<K>, DefaultBackoff>>()
}

/// What `poll` returns, and what the watcher within it left meanwhile.
pub(crate) fn asking<K: 'static, T>(poll: impl FnOnce() -> T) -> (T, Option<HandedOver<K>>) {
    SLOT.set(Slot::Asked);
    let _asking = Asking;
    let polled = poll();
    let left = match SLOT.replace(Slot::Unasked) {
        Slot::Filled(left) => left.downcast().ok().map(|left| *left),
        Slot::Asked | Slot::Unasked => None,
    };
    (polled, left)
}

/// Whether the one who polls wants what came. The question is for the first watcher that is polled, not for one within it.
pub(super) fn is_asked() -> bool {
    matches!(SLOT.replace(Slot::Unasked), Slot::Asked)
}

/// The event decoded; leaves it as it came for the one who asked.
pub(super) fn hand_over<K: 'static>(event: Event<Packed<K>>, health: &Health) -> Result<Event<K>> {
    let mut verdict = None;
    let decoded = event.clone().try_map(|packed| {
        let decoded = packed.decode();
        verdict = Some(decoded.as_ref().map(drop).map_err(Clone::clone));
        decoded.map_err(|error| undecodable(&error))
    });
    let health = matches!(event, Event::Init).then(|| health.clone());
    SLOT.set(Slot::Filled(Box::new(HandedOver { event, verdict, health })));
    decoded
}
