//! Patterns to ask about, and texts in which they may be found.
//!
//! In: a seed, and patterns of real definitions. Out: those, then endlessly others: real ones with a character changed, and random
//! ones that are put together of what Go's syntax knows, what it refuses, and what other engines read otherwise. A random pattern
//! comes with a text that it should find; that text, changed ones and texts of odd characters are what is searched.

use std::collections::BTreeSet;

/// A pattern, and the texts that are searched with it.
pub(super) struct Question {
    pub(super) pattern: String,
    pub(super) texts: Vec<String>,
}

/// Questions without end.
pub(super) struct Questions<'a> {
    random: fastrand::Rng,
    real: Vec<&'a str>,
    asked: usize,
}

impl<'a> Questions<'a> {
    pub(super) fn new(seed: u64, real: &'a BTreeSet<String>) -> Questions<'a> {
        let real = real.iter().map(String::as_str).collect();
        Questions { random: fastrand::Rng::with_seed(seed), real, asked: 0 }
    }

    fn texts(&mut self, sample: &str) -> Vec<String> {
        let mut texts = vec![String::new(), sample.to_owned()];
        texts.extend((0..3).map(|_| changed(&mut self.random, sample)));
        texts.extend((0..3).map(|_| (0..self.random.usize(1..8)).map(|_| pick(&mut self.random, LETTERS)).collect()));
        texts.push(pick(&mut self.random, VALUES).to_owned());
        texts
    }
}

impl Iterator for Questions<'_> {
    type Item = Question;

    fn next(&mut self) -> Option<Question> {
        let at = self.asked;
        self.asked += 1;
        if let Some(real) = self.real.get(at).copied() {
            let texts = VALUES.iter().map(|value| (*value).to_owned()).chain(self.texts(real)).collect();
            return Some(Question { pattern: real.to_owned(), texts });
        }
        let (pattern, sample) = match self.random.u8(..8) {
            0 | 1 if !self.real.is_empty() => {
                let real = pick(&mut self.random, &self.real);
                (changed(&mut self.random, real), pick(&mut self.random, VALUES).to_owned())
            }
            2 => {
                let (pattern, sample) = alternatives(&mut self.random, 3);
                (changed(&mut self.random, &pattern), sample)
            }
            _ => alternatives(&mut self.random, 3),
        };
        Some(Question { texts: self.texts(&sample), pattern })
    }
}

/// A pattern, and a text that it finds.
type Pair = (String, String);

fn alternatives(random: &mut fastrand::Rng, depth: usize) -> Pair {
    let (mut pattern, mut sample) = sequence(random, depth);
    while random.u8(..5) == 0 {
        let (other, found) = sequence(random, depth);
        pattern = format!("{pattern}|{other}");
        if random.bool() {
            sample = found;
        }
    }
    (pattern, sample)
}

fn sequence(random: &mut fastrand::Rng, depth: usize) -> Pair {
    let (mut pattern, mut sample) = (String::new(), String::new());
    for _ in 0..random.usize(..5) {
        let (piece, found) = atom(random, depth);
        let repetition = if random.u8(..3) == 0 { pick(random, REPETITIONS) } else { "" };
        pattern.push_str(&piece);
        pattern.push_str(repetition);
        let times = if repetition.is_empty() { 1 } else { random.usize(..4) };
        sample.push_str(&found.repeat(times));
    }
    (pattern, sample)
}

fn atom(random: &mut fastrand::Rng, depth: usize) -> Pair {
    match random.u8(..12) {
        0..=3 => {
            let letter = pick(random, LETTERS).to_string();
            (letter.clone(), letter)
        }
        4..=6 => {
            let (escape, found) = pick(random, ESCAPES);
            (escape.to_owned(), found.to_owned())
        }
        7 | 8 => class(random),
        9 if depth > 0 => {
            let (inner, found) = alternatives(random, depth - 1);
            (format!("{}{inner})", pick(random, GROUPS)), found)
        }
        10 => (pick(random, MARKS).to_owned(), String::new()),
        _ => (".".to_owned(), pick(random, LETTERS).to_string()),
    }
}

fn class(random: &mut fastrand::Rng) -> Pair {
    let (mut pattern, mut sample) = ("[".to_owned(), String::new());
    if random.u8(..4) == 0 {
        pattern.push('^');
    }
    for _ in 0..random.usize(1..4) {
        match random.u8(..4) {
            0 => {
                let (low, high) = (pick(random, LETTERS), pick(random, LETTERS));
                pattern.push_str(&format!("{low}-{high}"));
                sample = low.to_string();
            }
            1 => pattern.push_str(pick(random, MEMBERS)),
            2 => {
                let (escape, found) = pick(random, ESCAPES);
                pattern.push_str(escape);
                sample = found.to_owned();
            }
            _ => {
                let letter = pick(random, LETTERS);
                pattern.push(letter);
                sample = letter.to_string();
            }
        }
    }
    pattern.push(']');
    (pattern, sample)
}

/// The same text with a character gone, twice there, another one, or in another place.
fn changed(random: &mut fastrand::Rng, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let at = random.usize(..=letters.len());
    let other = if random.bool() { pick(random, LETTERS) } else { pick(random, SYNTAX) };
    match random.u8(..4) {
        0 if at < letters.len() => drop(letters.remove(at)),
        1 if at < letters.len() => letters.insert(at, letters[at]),
        2 if at < letters.len() => letters[at] = other,
        _ => letters.insert(at, other),
    }
    letters.into_iter().collect()
}

fn pick<T: Copy>(random: &mut fastrand::Rng, from: &[T]) -> T {
    from[random.usize(..from.len())]
}

/// Letters that engines treat differently: outside of ASCII, with two cases or three, marks, and what begins lines.
const LETTERS: &[char] = &[
    'a',
    'b',
    'k',
    's',
    'K',
    'Z',
    '0',
    '9',
    '_',
    '-',
    '.',
    ' ',
    '\n',
    '\t',
    '/',
    ':',
    ',',
    '&',
    '~',
    '#',
    '<',
    '=',
    '!',
    '\'',
    '"',
    '`',
    '%',
    '@',
    ';',
    'é',
    'É',
    'ß',
    'ſ',
    '\u{212a}',
    'α',
    'Σ',
    'ς',
    '世',
    '١',
    '\u{a0}',
    '\u{85}',
    '\u{1f600}',
    '\u{0}',
    '\u{7f}',
    '}',
    ']',
];

const SYNTAX: &[char] =
    &['(', ')', '[', ']', '{', '}', '*', '+', '?', '|', '^', '$', '\\', '-', ':', '<', '>', 'P', 'Q', 'E', 'p', 'x'];

const ESCAPES: &[(&str, &str)] = &[
    (r"\d", "7"),
    (r"\D", "x"),
    (r"\w", "w"),
    (r"\W", "-"),
    (r"\s", " "),
    (r"\S", "s"),
    (r"\b", ""),
    (r"\B", ""),
    (r"\A", ""),
    (r"\z", ""),
    (r"\Z", ""),
    (r"\C", "c"),
    (r"\G", ""),
    (r"\h", " "),
    (r"\R", "\n"),
    (r"\N", "n"),
    (r"\X", "x"),
    (r"\K", ""),
    (r"\.", "."),
    (r"\-", "-"),
    (r"\_", "_"),
    (r"\/", "/"),
    (r"\ ", " "),
    (r"\#", "#"),
    (r"\<", "<"),
    (r"\&", "&"),
    (r"\~", "~"),
    (r"\[", "["),
    (r"\]", "]"),
    (r"\{", "{"),
    (r"\\", "\\"),
    (r"\'", "'"),
    (r"\é", "é"),
    (r"\a", "\u{7}"),
    (r"\f", "\u{c}"),
    (r"\t", "\t"),
    (r"\n", "\n"),
    (r"\r", "\r"),
    (r"\v", "\u{b}"),
    (r"\e", "\u{1b}"),
    (r"\cA", "\u{1}"),
    (r"\0", "\0"),
    (r"\07", "\u{7}"),
    (r"\101", "A"),
    (r"\377", "ÿ"),
    (r"\400", "Ā"),
    (r"\1", ""),
    (r"\12", "\n"),
    (r"\8", ""),
    (r"\x41", "A"),
    (r"\xe9", "é"),
    (r"\x4", ""),
    (r"\x{1F600}", "\u{1f600}"),
    (r"\x{d800}", ""),
    (r"\x{110000}", ""),
    (r"\x{}", ""),
    (r"\x{41", ""),
    (r"\u0041", "A"),
    (r"\pL", "a"),
    (r"\PL", "1"),
    (r"\pN", "1"),
    (r"\p{L}", "a"),
    (r"\p{Lu}", "Z"),
    (r"\P{Lu}", "a"),
    (r"\p{^Lu}", "a"),
    (r"\P{^Lu}", "Z"),
    (r"\p{Greek}", "α"),
    (r"\p{greek}", "α"),
    (r"\p{Han}", "世"),
    (r"\p{Any}", "a"),
    (r"\p{any}", "a"),
    (r"\p{ASCII}", "a"),
    (r"\p{Assigned}", "a"),
    (r"\p{Letter}", "a"),
    (r"\p{Uppercase_Letter}", "Z"),
    (r"\p{Alphabetic}", "a"),
    (r"\p{Script=Greek}", "α"),
    (r"\p{sc=Grek}", "α"),
    (r"\p{Grek}", "α"),
    (r"\p{LC}", "a"),
    (r"\p{Cn}", ""),
    (r"\p{Cs}", ""),
    (r"\p{Co}", "\u{e000}"),
    (r"\p{Zs}", " "),
    (r"\p{Nd}", "7"),
    (r"\p{}", ""),
    (r"\p{Foo}", ""),
    (r"\pX", ""),
    (r"\p", ""),
    (r"\p{Lu", ""),
    (r"\Qa.b\E", "a.b"),
    (r"\Q\E", ""),
    (r"\Q[", "["),
    (r"\E", ""),
    (r"\k<n>", ""),
    ("\\", ""),
];

const MEMBERS: &[&str] = &[
    "[:alpha:]",
    "[:^alpha:]",
    "[:word:]",
    "[:ascii:]",
    "[:digit:]",
    "[:foo:]",
    "[:alpha",
    "[",
    "[a",
    "]",
    "^",
    "-",
    "&&",
    "~~",
    "--",
    "||",
    "a-",
    "-z",
    "+--",
    "[:",
    ":]",
    "[=a=]",
    "[.a.]",
    "a-\\d",
    "\\d-z",
    "\\Qa-c\\E",
    "\\b",
    "a-\\x{7a}",
    "$",
    ".",
];

const GROUPS: &[&str] = &[
    "(",
    "(",
    "(",
    "(?:",
    "(?:",
    "(?i:",
    "(?i)(",
    "(?s:",
    "(?m:",
    "(?U:",
    "(?-i:",
    "(?i-s:",
    "(?is)(",
    "(?-)(",
    "(?i-)(",
    "(?--i)(",
    "(?ii)(",
    "(?P<n>",
    "(?<n>",
    "(?P<m>",
    "(?P<ä>",
    "(?P<1>",
    "(?P<n",
    "(?P=n)(",
    "(?P>n)(",
    "(?'n'",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?x:",
    "(?R)(",
    "(?#a)(",
    "(?",
    "(*",
    "((?i)a",
    "(?)(",
    "(?^i)(",
    "(?u:",
    "(?i)(?-i)(",
];

const REPETITIONS: &[&str] = &[
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "{2}",
    "{2,}",
    "{1,3}",
    "{1,3}?",
    "{0}",
    "{0,0}",
    "{0,1}",
    "{,3}",
    "{3,1}",
    "{02}",
    "{2,03}",
    "{1000}",
    "{1001}",
    "{999,1000}",
    "{99999999999}",
    "{ 2}",
    "{2, 3}",
    "{a}",
    "{",
    "{}",
    "{2",
    "**",
    "*+",
    "?+",
    "++",
    "+*",
    "??*",
    "{2}{3}",
    "{2}*",
    "{1000,}",
    "{500}",
    "{40}",
];

const MARKS: &[&str] =
    &["^", "$", "(?i)", "(?s)", "(?m)", "(?U)", "(?-s)", "(?i-s)", "()", "(|)", "(?:)", "{", "}", "]", ")"];

/// What stands in fields that have patterns.
const VALUES: &[&str] = &[
    "a",
    "my-name",
    "my.domain.example",
    "*.example.com",
    "example.com/name",
    "10s",
    "1h30m",
    "1.5s",
    "-1",
    "+2",
    "0",
    "1.2.3",
    "v1beta1",
    "500m",
    "1Gi",
    "https://example.com:8443/path?x=1#y",
    "unix:///run/x.sock",
    "sha256:0123456789abcdef",
    "10.0.0.0/8",
    "fe80::1",
    "Upper",
    "with space",
    "tab\there",
    "line\nbreak",
    "$(VAR)",
    "%7B",
    "a_b",
    "ünï",
    "2024-02-30T10:00:00Z",
    "[x]",
    "{x}",
    "a=b,c=d",
    "GET",
    "/a//b",
    "/a/../b",
    "100%",
    "0.5",
];
