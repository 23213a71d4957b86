//! How a watcher hands what came, packed, to the store right behind it.
//!
//! ```text
//!   Watcher ──Event<K>, decoded──► Reflect ──Event<K>──► program
//!      └───── Event<Packed<K>> ───────┘ └──► Writer, packed
//! ```
//!
//! A store holds its objects packed; the stream that leads to it is, as kube has it, one of decoded ones. Without this the
//! store would keep a copy of each decoded object, which takes about ten times the bytes that came. So a store that polls a
//! watcher asks on its thread for what came, and the watcher leaves it there: both happen in one call of `poll_next`. The
//! question is for a stream of one type, that right before the store. If that changes nothing about objects it passes the
//! question on to the stream inside it; anything else does not know of the question, so that no watcher inside it answers.

use std::any::{Any, TypeId};
use std::cell::RefCell;

use pintle_wire::Packed;

use super::{Event, Health, Result, undecodable};
use crate::reflector::entry::Verdict;

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
    /// What a stream of this type is about to be asked for.
    Asked(TypeId),
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

/// What `poll` of an `S` returns, and what a watcher left meanwhile: the `S`, or one that it passed the question on to.
pub(crate) fn asking<S, K: 'static, T>(poll: impl FnOnce() -> T) -> (T, Option<HandedOver<K>>) {
    SLOT.set(Slot::Asked(typeid::of::<S>()));
    let _asking = Asking;
    let polled = poll();
    let left = match SLOT.replace(Slot::Unasked) {
        Slot::Filled(left) => left.downcast().ok().map(|left| *left),
        Slot::Asked(_) | Slot::Unasked => None,
    };
    (polled, left)
}

/// A question for the `Outer` that is being polled is one for the `Inner` that it polls next.
pub(crate) fn pass_on<Outer, Inner>() {
    if is_asked::<Outer>() {
        SLOT.set(Slot::Asked(typeid::of::<Inner>()));
    }
}

/// Whether the one who polls this `S` wants what came. The question is for the first of them, not for one within it.
pub(super) fn is_asked<S>() -> bool {
    SLOT.with_borrow_mut(|slot| {
        let is_asked = matches!(slot, Slot::Asked(stream) if *stream == typeid::of::<S>());
        if is_asked {
            *slot = Slot::Unasked;
        }
        is_asked
    })
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
