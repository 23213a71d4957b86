//! DER, as much of it as certificates need: elements with their tags, one after the other or within one another.
//!
//! In: bytes. Out: parts of them, or `None` where they are not DER. Nothing is copied.

/// The first element of DER: its tag, its content, and what follows it.
pub(super) fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        // A certificate of 4 GiB is not one.
        let (digits, rest) =
            rest.split_at_checked(usize::from(first & 0x7f)).filter(|(digits, _)| digits.len() <= 4)?;
        (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The first element of DER with its tag and its length, and what follows it.
pub(super) fn whole(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, _, rest) = element(der)?;
    der.split_at_checked(der.len() - rest.len())
}

/// The contents of elements that follow one another; `None` is where one cannot be read, and the last.
pub(super) fn elements(der: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut left = Some(der).filter(|der| !der.is_empty());
    std::iter::from_fn(move || {
        let read = element(left?);
        left = read.map(|(_, _, rest)| rest).filter(|rest| !rest.is_empty());
        Some(read.map(|(_, content, _)| content))
    })
}

/// The value of the extension with this object identifier.
pub(super) fn extension<'a>(extensions: &'a [u8], identifier: &[u8]) -> Option<&'a [u8]> {
    let mut all = elements(extensions).map_while(|extension| extension);
    let found = all.find(|extension| element(extension).is_some_and(|(_, known, _)| known == identifier))?;
    let (_, _, mut rest) = element(found)?;
    // Whether it is critical is said only where it is.
    if let (BOOLEAN, _, after) = element(rest)? {
        rest = after;
    }
    Some(element(rest)?.1)
}

/// Tags of what stands at its place by number.
pub(super) const CONTEXT_0: u8 = 0xa0;
pub(super) const CONTEXT_3: u8 = 0xa3;

const BOOLEAN: u8 = 0x01;
