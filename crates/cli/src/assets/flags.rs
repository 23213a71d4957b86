//! Flags as programs in Go take them: `--name=value`, `--name value`, and `--name` alone for true.
//!
//! In: words, and which flags there are. Out: [`Flags`], by name; what is not a flag, or has no value, is refused by its name.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use crate::failure::Failure;

/// The flags that a program has: a line for each, with the type of its value unless it is true or false.
pub(super) struct KnownFlags(&'static str);

/// What was given, by name: several values if it was given several times.
#[derive(Debug, Default)]
pub(super) struct Flags(BTreeMap<String, Vec<String>>);

impl KnownFlags {
    pub(super) const fn new(table: &'static str) -> KnownFlags {
        KnownFlags(table)
    }

    /// Reads a command line.
    pub(super) fn parse(&self, words: Vec<String>) -> Result<Flags, Failure> {
        let mut given = Flags::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).filter(|flag| !flag.is_empty())
            else {
                return Err(Failure::new(
                    format!("the argument {word:?}"),
                    "it is not a flag such as --secure-port=6443",
                ));
            };
            let (name, value) = flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
            let name = if name == "h" { "help" } else { name };
            let value = match (value, self.takes(name)) {
                (_, None) => return Err(self.unknown(name)),
                (Some(value), Some(_)) => value.to_owned(),
                (None, Some(Takes::Switch)) => "true".to_owned(),
                (None, Some(Takes::Value)) => {
                    words.next().ok_or_else(|| Failure::new(format!("--{name}"), "flag needs an argument"))?
                }
            };
            given.0.entry(name.to_owned()).or_default().push(value);
        }
        Ok(given)
    }

    fn rows(&self) -> impl Iterator<Item = (&'static str, Takes)> {
        self.0.lines().filter(|line| !line.starts_with('#')).map(|line| match line.split_once(' ') {
            Some((name, _)) => (name, Takes::Value),
            None => (line, Takes::Switch),
        })
    }

    fn takes(&self, name: &str) -> Option<Takes> {
        self.rows().find(|(known, _)| *known == name).map(|(_, takes)| takes)
    }

    fn unknown(&self, name: &str) -> Failure {
        let like = |known: &str| strsim::jaro_winkler(known, name);
        let nearest = self.rows().map(|(known, _)| known).max_by(|a, b| like(a).total_cmp(&like(b)));
        let hint = nearest.map(|known| format!("; did you mean --{known}?")).unwrap_or_default();
        Failure::new("wrong flags", format!("unknown flag: --{name}{hint}"))
    }
}

/// Whether a value has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Value,
    Switch,
}

impl Flags {
    /// Those that were given.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The last value of a flag, which is the one that counts.
    pub(super) fn last(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.last().map(String::as_str)
    }

    /// The last value, read.
    pub(super) fn value<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, Failure> {
        let read = |text: &str| text.parse().map_err(|error: T::Err| wrong(name, text, &error));
        self.last(name).map(read).transpose()
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&self, name: &str) -> Result<Option<bool>, Failure> {
        let read = |text: &str| match text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
            _ => Err(wrong(name, text, &"it is neither true nor false")),
        };
        self.last(name).map(read).transpose()
    }

    /// Every part of every value of a flag that takes a list.
    pub(super) fn list<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let values = self.0.get(name).into_iter().flatten();
        values.flat_map(|value| value.split(',')).map(str::trim).filter(|part| !part.is_empty())
    }
}

/// What is said of a value that is not one.
pub(super) fn wrong(name: &str, text: &str, why: &dyn Display) -> Failure {
    Failure::new(format!("invalid argument {text:?} for --{name}"), why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: KnownFlags = KnownFlags::new("# a comment\nport int\nlist strings\nhelp\non\n");

    fn parse(line: &str) -> Result<Flags, String> {
        KNOWN.parse(line.split_whitespace().map(str::to_owned).collect()).map_err(|failure| failure.to_string())
    }

    #[test]
    fn values_follow_an_equals_sign_or_are_the_next_word() {
        for line in ["--port=1 --port=80 --on --list=a,b --list c", "-port 80 --on=true --list a,b,c"] {
            let flags = parse(line).unwrap();
            assert_eq!(flags.value::<u16>("port").unwrap(), Some(80), "{line}");
            assert_eq!(flags.is_on("on").unwrap(), Some(true));
            assert_eq!(flags.list("list").collect::<Vec<_>>(), ["a", "b", "c"]);
            assert_eq!(flags.is_on("help").unwrap(), None);
        }
        assert_eq!(parse("-h").unwrap().is_on("help").unwrap(), Some(true));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, expected) in [
            ("--prot=1", "wrong flags: unknown flag: --prot; did you mean --port?"),
            ("--port", "--port: flag needs an argument"),
            ("port", "the argument \"port\": it is not a flag such as --secure-port=6443"),
        ] {
            assert_eq!(parse(line).unwrap_err(), expected);
        }
        let flags = parse("--port=x --on=maybe").unwrap();
        let port = flags.value::<u16>("port").unwrap_err().to_string();
        assert_eq!(port, "invalid argument \"x\" for --port: invalid digit found in string");
        assert!(flags.is_on("on").unwrap_err().to_string().contains("neither true nor false"));
    }
}
