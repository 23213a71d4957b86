//! Where this crate takes its random numbers from: jitter, and names that no other process has. Whatever decides by one is
//! pure and gets it passed in.

/// A number from 0 to 1, without 1.
pub(crate) fn fraction() -> f64 {
    fastrand::f64()
}

/// Any number.
pub(crate) fn number() -> u64 {
    fastrand::u64(..)
}
