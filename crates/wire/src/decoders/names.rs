//! Which field has which JSON name: a small hash table that is made when this crate is compiled.

use crate::json::{Name, beginning_of};

/// The name of a field.
pub(super) struct Row<F> {
    name: &'static str,
    /// The first sixteen bytes of the name.
    beginning: u128,
    field: F,
}

/// No row.
const NONE: u8 = u8::MAX;

impl<F: Copy> Row<F> {
    /// The field of this name.
    pub(super) const fn new(name: &'static str, field: F) -> Self {
        Self { name, beginning: beginning_of(name.as_bytes()), field }
    }
}

/// How many places the table of so many names has: most names then stand in the first place they are looked for.
pub(super) const fn places(count: usize) -> usize {
    (count * 2).next_power_of_two()
}

/// The table: by place, the row of the name that stands there.
pub(super) const fn table<F, const PLACES: usize>(rows: &[Row<F>]) -> [u8; PLACES] {
    assert!(rows.len() < 64, "which fields were read is kept in 64 bits");
    let mut table = [NONE; PLACES];
    let mut row = 0;
    while row < rows.len() {
        let mut place = hash(rows[row].beginning) & (PLACES - 1);
        while table[place] != NONE {
            place = (place + 1) & (PLACES - 1);
        }
        table[place] = row as u8;
        row += 1;
    }
    table
}

/// The field of this name.
#[inline]
pub(super) fn find<F: Copy>(rows: &[Row<F>], table: &[u8], name: Name<'_>) -> Option<F> {
    let mut place = hash(name.beginning) & (table.len() - 1);
    loop {
        let row = rows.get(usize::from(table[place]))?;
        // A name of up to fifteen bytes has a zero behind its end, which is in no name that is longer.
        if row.beginning == name.beginning && (row.name.len() < 16 || row.name.as_bytes() == name.bytes) {
            return Some(row.field);
        }
        place = (place + 1) & (table.len() - 1);
    }
}

/// Every byte counts; the upper half of a product depends on all of both factors.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the two halves are folded into one")]
const fn hash(beginning: u128) -> usize {
    let folded = beginning as u64 ^ ((beginning >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [Row<char>; 7] = [
        Row::new("a", 'a'),
        Row::new("b", 'b'),
        Row::new("ab", 'c'),
        Row::new("hostIP", 'd'),
        Row::new("hostIPs", 'e'),
        Row::new("terminationMessagePath", 'f'),
        Row::new("terminationMessagePolicy", 'g'),
    ];
    const TABLE: [u8; places(ROWS.len())] = table(&ROWS);

    fn find_text(text: &str) -> Option<char> {
        find(&ROWS, &TABLE, Name { bytes: text.as_bytes(), beginning: beginning_of(text.as_bytes()) })
    }

    #[test]
    fn every_name_is_found_and_no_other() {
        for row in &ROWS {
            assert_eq!(find_text(row.name), Some(row.field), "{}", row.name);
        }
        for name in ["", "c", "ba", "hostI", "hostip", "hostIPsx", " a", "terminationMessa", "terminationMessagePaths"]
        {
            assert_eq!(find_text(name), None, "{name}");
        }
    }
}
