//! Where this crate takes its random numbers from: jitter, so that clients that failed together do not try together.
//! What uses one is pure and gets it passed in.

/// A number from 0 to 1, without 1.
pub(crate) fn fraction() -> f64 {
    fastrand::f64()
}
