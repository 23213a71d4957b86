//! Protobuf's own grammar, written. It knows no types.

/// A number, seven bits to a byte.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// The tag of a field that carries bytes.
pub(crate) fn put_tag_of_bytes(out: &mut Vec<u8>, number: u8) {
    put_varint(out, u64::from(number) << 3 | 2);
}

/// A field that carries bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    put_tag_of_bytes(out, number);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// A field that carries a whole number.
pub(crate) fn put_number(out: &mut Vec<u8>, number: u8, value: i64) {
    put_varint(out, u64::from(number) << 3);
    put_varint(out, value.cast_unsigned());
}

/// A field that carries a number with a fraction.
pub(crate) fn put_double(out: &mut Vec<u8>, number: u8, value: f64) {
    put_varint(out, u64::from(number) << 3 | 1);
    out.extend_from_slice(&value.to_bits().to_le_bytes());
}

/// A field that carries what `content` writes.
pub(crate) fn put_length_delimited(out: &mut Vec<u8>, number: u8, content: impl FnOnce(&mut Vec<u8>)) {
    put_tag_of_bytes(out, number);
    let start = out.len();
    content(out);
    insert_length(out, start);
}

/// Puts the length of what stands behind `start` before it.
pub(crate) fn insert_length(out: &mut Vec<u8>, start: usize) {
    let length = out.len() - start;
    let mut prefix = Vec::new();
    put_varint(&mut prefix, length as u64);
    out.splice(start..start, prefix);
}

#[cfg(test)]
mod tests {
    use super::super::read::{take_field, take_varint};
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_varint(&mut out, number);
            assert_eq!(take_varint(&mut out.as_slice()).unwrap(), number);
        }
        let mut out = Vec::new();
        put_length_delimited(&mut out, 17, |inner| inner.extend_from_slice(&[7; 200]));
        let (number, wire) = take_field(&mut out.as_slice()).unwrap().unwrap();
        assert_eq!((number, wire.bytes()), (17, &[7; 200][..]));
    }
}
