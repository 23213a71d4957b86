//! From when until when a certificate is valid, and what there is to say about that.
//!
//! In: a certificate as DER, and the time. Out: nothing, a note that its end is near, or that it has expired. It is pure. What
//! cannot be read has nothing to say, because TLS judges it anyway.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use pintle_core::certificate::Certificate;

/// When a certificate is valid.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Validity {
    not_before: Timestamp,
    not_after: Timestamp,
}

/// The longest time before its end that is worth a word: somebody can still act within a working week.
const SOON_MAX: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Who renews certificates does it when a third of their time is left: less than a fifth means that it did not happen.
const SOON_SHARE: i32 = 5;

impl Validity {
    /// Of a certificate; `None` where it cannot be read.
    pub(super) fn of(certificate: &[u8]) -> Option<Self> {
        let (not_before, not_after) = Certificate::read(certificate)?.validity()?;
        Some(Self { not_before, not_after })
    }

    /// Nothing, or that its end is near.
    ///
    /// # Errors
    /// When it is not valid, with since or until when.
    pub(super) fn check(&self, now: Timestamp) -> Result<Option<String>, String> {
        let Self { not_before, not_after } = self;
        if now >= *not_after {
            return Err(format!(
                "the serving certificate expired at {not_after}, {} ago",
                Rough(now.duration_since(*not_after))
            ));
        }
        if now < *not_before {
            return Err(format!("the serving certificate is not valid before {not_before}: is the clock right?"));
        }
        let left = not_after.duration_since(now);
        let soon = (not_after.duration_since(*not_before) / SOON_SHARE).min(SOON_MAX);
        Ok((left < soon).then(|| format!("the serving certificate expires at {not_after}, in {}", Rough(left))))
    }
}

/// A duration for people: its largest unit is enough.
struct Rough(SignedDuration);

impl fmt::Display for Rough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            seconds if seconds >= 2 * 86_400 => write!(f, "{} days", seconds / 86_400),
            seconds if seconds >= 2 * 3_600 => write!(f, "{} hours", seconds / 3_600),
            seconds if seconds >= 2 * 60 => write!(f, "{} minutes", seconds / 60),
            seconds => write!(f, "{seconds} s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    /// A certificate that is valid from one day to another.
    fn certificate(from: (i32, u8, u8), to: (i32, u8, u8)) -> Vec<u8> {
        let mut params = CertificateParams::new(["a".to_owned()]).unwrap();
        (params.not_before, params.not_after) =
            (date_time_ymd(from.0, from.1, from.2), date_time_ymd(to.0, to.1, to.2));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn both_times_are_read_in_this_century_the_last_and_the_next() {
        for (from, to) in
            [((2026, 1, 31), (2026, 5, 1)), ((1999, 12, 31), (2049, 12, 31)), ((2050, 1, 1), (2126, 2, 28))]
        {
            let day = |(year, month, day): (i32, u8, u8)| at(&format!("{year}-{month:02}-{day:02}T00:00:00Z"));
            let expected = Validity { not_before: day(from), not_after: day(to) };
            assert_eq!(Validity::of(&certificate(from, to)), Some(expected));
        }
    }

    #[test]
    fn no_part_of_a_certificate_is_taken_for_one() {
        let whole = certificate((2026, 1, 1), (2026, 2, 1));
        assert!((0..whole.len()).all(|length| Validity::of(&whole[..length]).is_none()));
        assert_eq!(Validity::of(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), None);
    }

    #[test]
    fn its_end_is_named_when_it_is_near_and_when_it_has_come() {
        let check = |from, to, now| Validity::of(&certificate(from, to)).unwrap().check(at(now));
        let quarter = |now| check((2026, 1, 1), (2026, 4, 1), now);
        assert_eq!(quarter("2026-03-24T00:00:00Z"), Ok(None));
        let note = "the serving certificate expires at 2026-04-01T00:00:00Z, in 6 days";
        assert_eq!(quarter("2026-03-25T12:00:00Z"), Ok(Some(note.to_owned())));
        let expired = "the serving certificate expired at 2026-04-01T00:00:00Z, 0 s ago";
        assert_eq!(quarter("2026-04-01T00:00:00Z"), Err(expired.to_owned()));
        let early = "the serving certificate is not valid before 2026-01-01T00:00:00Z: is the clock right?";
        assert_eq!(quarter("2025-12-31T23:59:59Z"), Err(early.to_owned()));
        // One that lives for a day is well for most of that.
        let day = |now| check((2026, 1, 1), (2026, 1, 2), now);
        assert_eq!(day("2026-01-01T18:00:00Z"), Ok(None));
        assert!(day("2026-01-01T20:00:00Z").unwrap().unwrap().ends_with(", in 4 hours"));
    }
}
