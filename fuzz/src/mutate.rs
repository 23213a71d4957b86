//! Changes bytes as mistakes, attackers and broken networks would.

use fastrand::Rng;

/// The longest input: long enough for repetition and nesting, short enough to run thousands of times a second.
pub(crate) const INPUT_MAX: usize = 8 * 1024;

/// How many changes one input gets at most. Most claims break by one or two.
const CHANGES_MAX: usize = 6;

/// Bytes that end, open or escape something in one of the grammars.
const AWKWARD: &[u8] = b"\0\n\r\t \"'\\/%?#&=+:;,.-_*@{}[]()<>|!~`^$\x7f\x80\xff";

/// A changed copy of `input`; `other` is another one to borrow pieces from.
pub(crate) fn mutate(rng: &mut Rng, input: &[u8], other: &[u8], words: &[&str]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..rng.usize(1..=CHANGES_MAX) {
        change(rng, &mut bytes, other, words);
    }
    bytes.truncate(INPUT_MAX);
    bytes
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8], words: &[&str]) {
    match rng.u8(0..11) {
        0 => overwrite(rng, bytes, |rng, byte| byte ^ (1 << rng.u8(0..8))),
        1 => overwrite(rng, bytes, |rng, _| rng.u8(..)),
        2 => overwrite(rng, bytes, |rng, _| awkward(rng)),
        3 => insert(rng, bytes, |rng| vec![awkward(rng)]),
        4 => insert(rng, bytes, |rng| word(rng, words)),
        5 => insert(rng, bytes, |rng| piece(rng, other).to_vec()),
        6 => {
            let copied = piece(rng, bytes).to_vec();
            let times = rng.usize(1..20);
            insert(rng, bytes, |_| copied.repeat(times));
        }
        7 => {
            let cut = span(rng, bytes.len());
            bytes.drain(cut);
        }
        8 => {
            let cut = span(rng, bytes.len());
            bytes.splice(cut, word(rng, words));
        }
        9 => bytes.truncate(rng.usize(0..=bytes.len())),
        _ => {
            let cut = span(rng, bytes.len());
            bytes.splice(cut, piece(rng, other).to_vec());
        }
    }
}

fn overwrite(rng: &mut Rng, bytes: &mut [u8], with: impl Fn(&mut Rng, u8) -> u8) {
    if !bytes.is_empty() {
        let at = rng.usize(0..bytes.len());
        bytes[at] = with(rng, bytes[at]);
    }
}

fn insert(rng: &mut Rng, bytes: &mut Vec<u8>, what: impl FnOnce(&mut Rng) -> Vec<u8>) {
    let at = rng.usize(0..=bytes.len());
    let what = what(rng);
    bytes.splice(at..at, what);
}

fn awkward(rng: &mut Rng) -> u8 {
    AWKWARD[rng.usize(0..AWKWARD.len())]
}

fn word(rng: &mut Rng, words: &[&str]) -> Vec<u8> {
    if words.is_empty() { vec![awkward(rng)] } else { words[rng.usize(0..words.len())].into() }
}

fn piece<'a>(rng: &mut Rng, bytes: &'a [u8]) -> &'a [u8] {
    &bytes[span(rng, bytes.len())]
}

/// A short stretch most of the time, any stretch now and then.
fn span(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let start = rng.usize(0..=length);
    let rest = length - start;
    let longest = if rng.u8(0..4) == 0 { rest } else { rest.min(24) };
    start..start + rng.usize(0..=longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_change_stay_bounded_and_follow_from_the_seed() {
        let walk = |seed| {
            let mut rng = Rng::with_seed(seed);
            let mut inputs = vec![b"a: b\n".to_vec()];
            for _ in 0..2000 {
                let next = mutate(&mut rng, inputs.last().unwrap(), b"other", &["word"]);
                assert!(next.len() <= INPUT_MAX);
                inputs.push(next);
            }
            inputs
        };
        assert_eq!(walk(7), walk(7));
        assert_ne!(walk(7), walk(8));
        let different: std::collections::HashSet<_> = walk(7).into_iter().collect();
        assert!(different.len() > 1500, "{}", different.len());
    }
}
