//! Why bytes are not a request for a certificate, in the words of Go's `encoding/asn1`.
//!
//! In: what could not be read. Out: what Go says where the outermost element is wrong; what is wrong further inside has one
//! sentence of ours.

/// Why these bytes cannot be read.
pub(super) fn of(der: &[u8]) -> String {
    let [head, length, rest @ ..] = der else { return SEQUENCE_TRUNCATED.to_owned() };
    // Longer lengths are written in more bytes, and larger tags, too.
    let is_short = *length < 0x80 && head & 0x1f != 0x1f;
    let wanted = if is_short { Some(usize::from(*length)) } else { long(*length, rest) };
    match wanted {
        Some(0) if *head == SEQUENCE => SEQUENCE_TRUNCATED.to_owned(),
        _ if *head != SEQUENCE && is_short => {
            let (class, tag, is_compound) = (head >> 6, head & 0x1f, head & 0x20 != 0);
            let found = format!("{{class:{class} tag:{tag} length:{length} isCompound:{is_compound}}}");
            format!("asn1: structure error: tags don't match (16 vs {found}) {NO_PARAMETERS} certificateRequest @2")
        }
        Some(wanted) if wanted > rest.len() => "asn1: syntax error: data truncated".to_owned(),
        Some(wanted) if wanted < rest.len() => "asn1: syntax error: trailing data".to_owned(),
        _ => "asn1: structure error: it is not a PKCS#10 certificate request".to_owned(),
    }
}

/// How many bytes follow the first two, where the length is written in more than one.
fn long(first: u8, rest: &[u8]) -> Option<usize> {
    let digits = rest.get(..usize::from(first & 0x7f)).filter(|digits| digits.len() <= 4)?;
    Some(
        digits
            .iter()
            .fold(digits.len(), |length, digit| (length - digits.len()) * 256 + usize::from(*digit) + digits.len()),
    )
}

const SEQUENCE: u8 = 0x30;

const SEQUENCE_TRUNCATED: &str = "asn1: syntax error: sequence truncated";

/// What Go prints of a field that has no tags.
const NO_PARAMETERS: &str = "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> \
                             stringType:0 timeType:0 set:false omitEmpty:false}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_short_or_too_long_says_so() {
        let long = [&[0x30, 0x81, 0x80][..], &[0; 128]].concat();
        for (der, why) in [
            (&[][..], SEQUENCE_TRUNCATED),
            (&[0x30, 0], SEQUENCE_TRUNCATED),
            (&[0x30, 3, 0], "asn1: syntax error: data truncated"),
            (&[0x30, 1, 0, 0], "asn1: syntax error: trailing data"),
            (&long[..130], "asn1: syntax error: data truncated"),
            (&[&long[..], &[0]].concat(), "asn1: syntax error: trailing data"),
            (&long, "asn1: structure error: it is not a PKCS#10 certificate request"),
        ] {
            assert_eq!(of(der), why, "{der:?}");
        }
    }
}
