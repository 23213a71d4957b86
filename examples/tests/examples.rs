//! The examples, run as the programs they are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod examples {
    mod deploy;
    mod readme;
    mod shortest;
}
