//! Flags in Go's patterns, such as `(?i)` and `(?s-i:`.
//!
//! Which repetitions take as little as they can is decided by the reader, not by Rust's engine: there flags cannot stand between what
//! repeats and its repetition.

use super::Error;

/// What flags say.
pub(super) struct Flags {
    pub(super) length: usize,
    /// Whether they hold in a group that they open, and not from here on.
    pub(super) opens_group: bool,
    /// Whether repetitions take as little as they can; not said unless there is something.
    pub(super) is_ungreedy: Option<bool>,
    /// The other ones as Rust writes them, each once.
    pub(super) others: String,
}

impl Flags {
    /// The flags that a text begins with, `(?` included.
    pub(super) fn read(text: &str) -> Result<Flags, Error> {
        let mut said: [Option<bool>; LETTERS.len()] = Default::default();
        let (mut sets, mut has_flag) = (true, false);
        for (place, letter) in text.char_indices().skip(2) {
            let until = &text[..place + letter.len_utf8()];
            match (letter, LETTERS.iter().position(|known| *known == letter)) {
                (_, Some(flag)) => (said[flag], has_flag) = (Some(sets), true),
                ('-', _) if sets => (sets, has_flag) = (false, false),
                (':' | ')', _) if sets || has_flag => {
                    let is_ungreedy = said[UNGREEDY];
                    return Ok(Flags {
                        length: until.len(),
                        opens_group: letter == ':',
                        is_ungreedy,
                        others: print(&said),
                    });
                }
                _ => return Err(Error::new("invalid or unsupported Perl syntax", until)),
            }
        }
        Err(Error::new("invalid or unsupported Perl syntax", text))
    }
}

fn print(said: &[Option<bool>; LETTERS.len()]) -> String {
    let letters = |wanted: bool| -> String {
        let flags = LETTERS.iter().zip(said).take(UNGREEDY);
        flags.filter(|(_, said)| **said == Some(wanted)).map(|(letter, _)| letter).collect()
    };
    let (set, cleared) = (letters(true), letters(false));
    if cleared.is_empty() { set } else { format!("{set}-{cleared}") }
}

const LETTERS: [char; 4] = ['i', 'm', 's', 'U'];

/// The place of `U`, the last one.
const UNGREEDY: usize = LETTERS.len() - 1;
