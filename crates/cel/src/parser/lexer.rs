//! The text of an expression cut into tokens.
//!
//! The longest token wins. What begins no token is an issue in the words of the lexer that Kubernetes uses, and skipped.

use crate::source::{Issue, Offset};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    End,
    Ident,
    /// A name in backticks.
    EscapedIdent,
    Int,
    Uint,
    Float,
    String,
    Bytes,
    /// An operator, a bracket, or `in`, `true`, `false`, `null`.
    Sign(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) begin: usize,
    pub(crate) end: usize,
}

/// Longer ones first, so that `<=` is not read as `<`.
const SIGNS: [&str; 24] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "+", "*",
    "/", "%",
];

const WORDS: [&str; 4] = ["in", "true", "false", "null"];

/// The tokens of a text, ending with [`Token::End`].
pub(crate) fn tokens(text: &[char], issues: &mut Vec<Issue>) -> Vec<Lexeme> {
    let mut lexer = Lexer { text, at: 0 };
    let mut found = Vec::new();
    loop {
        lexer.skip_blanks();
        if lexer.at >= text.len() {
            found.push(Lexeme { token: Token::End, begin: text.len(), end: text.len() });
            return found;
        }
        let begin = lexer.at;
        match lexer.next() {
            Ok((token, end)) => {
                found.push(Lexeme { token, begin, end });
                lexer.at = end;
            }
            Err(failed) => {
                let end = (failed + 1).min(text.len());
                let shown: String = text[begin..end].iter().collect();
                let message = format!("Syntax error: token recognition error at: '{shown}'");
                issues.push(Issue::new(offset(begin), message));
                lexer.at = end;
            }
        }
    }
}

pub(crate) fn offset(at: usize) -> Offset {
    Offset::try_from(at).unwrap_or(Offset::MAX)
}

struct Lexer<'a> {
    text: &'a [char],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, at: usize) -> Option<char> {
        self.text.get(at).copied()
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek(self.at) {
                Some('\t' | ' ' | '\r' | '\n' | '\u{c}') => self.at += 1,
                Some('/') if self.peek(self.at + 1) == Some('/') => {
                    while self.peek(self.at).is_some_and(|character| character != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// The token here and where it ends, or where reading it failed.
    fn next(&self) -> Result<(Token, usize), usize> {
        let first = self.peek(self.at).expect("it is asked for before the end");
        if let Some(found) = self.prefixed_string() {
            return Ok(found);
        }
        match first {
            'a'..='z' | 'A'..='Z' | '_' => Ok(self.word()),
            '0'..='9' => Ok(self.number()),
            '.' if self.peek(self.at + 1).is_some_and(|digit| digit.is_ascii_digit()) => Ok(self.number()),
            '"' | '\'' => self.string(self.at, false).map(|end| (Token::String, end)),
            '`' => self.escaped_ident(),
            _ => self.sign(),
        }
    }

    /// `r"…"`, `b"…"`, `br"…"`. A letter that no complete string follows is a name.
    fn prefixed_string(&self) -> Option<(Token, usize)> {
        let mut at = self.at;
        let is_bytes = matches!(self.peek(at), Some('b' | 'B'));
        at += usize::from(is_bytes);
        let is_raw = matches!(self.peek(at), Some('r' | 'R'));
        at += usize::from(is_raw);
        if at == self.at || !matches!(self.peek(at), Some('"' | '\'')) {
            return None;
        }
        let end = self.string(at, is_raw).ok()?;
        Some((if is_bytes { Token::Bytes } else { Token::String }, end))
    }

    fn word(&self) -> (Token, usize) {
        let mut end = self.at;
        while self.peek(end).is_some_and(|character| character.is_ascii_alphanumeric() || character == '_') {
            end += 1;
        }
        let text: String = self.text[self.at..end].iter().collect();
        match WORDS.into_iter().find(|word| *word == text) {
            Some(word) => (Token::Sign(word), end),
            None => (Token::Ident, end),
        }
    }

    fn number(&self) -> (Token, usize) {
        let digits = |mut at: usize| {
            while self.peek(at).is_some_and(|digit| digit.is_ascii_digit()) {
                at += 1;
            }
            at
        };
        let unsigned = |at: usize| matches!(self.peek(at), Some('u' | 'U'));
        if self.peek(self.at) == Some('0') && self.peek(self.at + 1) == Some('x') {
            let mut end = self.at + 2;
            while self.peek(end).is_some_and(|digit| digit.is_ascii_hexdigit()) {
                end += 1;
            }
            if end > self.at + 2 {
                return if unsigned(end) { (Token::Uint, end + 1) } else { (Token::Int, end) };
            }
        }
        let whole = digits(self.at);
        let mut end = whole;
        if self.peek(end) == Some('.') && digits(end + 1) > end + 1 {
            end = digits(end + 1);
        }
        if matches!(self.peek(end), Some('e' | 'E')) {
            let begin = end + 1 + usize::from(matches!(self.peek(end + 1), Some('+' | '-')));
            if digits(begin) > begin {
                end = digits(begin);
            }
        }
        match end == whole {
            false => (Token::Float, end),
            true if unsigned(whole) => (Token::Uint, whole + 1),
            true => (Token::Int, whole),
        }
    }

    /// Where the string that begins here ends, or where reading it failed.
    fn string(&self, begin: usize, is_raw: bool) -> Result<usize, usize> {
        let quote = self.text[begin];
        let is_triple = self.peek(begin + 1) == Some(quote) && self.peek(begin + 2) == Some(quote);
        if is_triple && let Ok(end) = self.long_string(begin + 3, quote, is_raw) {
            return Ok(end);
        }
        let mut at = begin + 1;
        loop {
            match self.peek(at) {
                Some(character) if character == quote => return Ok(at + 1),
                None | Some('\n' | '\r') => return Err(at),
                Some('\\') if !is_raw => at = self.escape(at)?,
                Some(_) => at += 1,
            }
        }
    }

    fn long_string(&self, begin: usize, quote: char, is_raw: bool) -> Result<usize, usize> {
        let mut at = begin;
        loop {
            match self.peek(at) {
                None => return Err(at),
                Some(_) if (0..3).all(|next| self.peek(at + next) == Some(quote)) => return Ok(at + 3),
                Some('\\') if !is_raw => at = self.escape(at)?,
                Some(_) => at += 1,
            }
        }
    }

    /// Where the escape that begins here ends.
    fn escape(&self, begin: usize) -> Result<usize, usize> {
        let digits = |count: usize, is_digit: fn(char) -> bool| {
            let places = begin + 2..begin + 2 + count;
            match places.clone().find(|place| !self.peek(*place).is_some_and(is_digit)) {
                Some(failed) => Err(failed),
                None => Ok(places.end),
            }
        };
        match self.peek(begin + 1) {
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`') => Ok(begin + 2),
            Some('x' | 'X') => digits(2, |digit| digit.is_ascii_hexdigit()),
            Some('u') => digits(4, |digit| digit.is_ascii_hexdigit()),
            Some('U') => digits(8, |digit| digit.is_ascii_hexdigit()),
            Some('0'..='3') => digits(2, |digit| matches!(digit, '0'..='7')),
            _ => Err(begin + 1),
        }
    }

    fn escaped_ident(&self) -> Result<(Token, usize), usize> {
        let mut at = self.at + 1;
        while self.peek(at).is_some_and(|character| {
            character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-' | '/' | ' ')
        }) {
            at += 1;
        }
        match self.peek(at) {
            Some('`') if at > self.at + 1 => Ok((Token::EscapedIdent, at + 1)),
            _ => Err(at),
        }
    }

    fn sign(&self) -> Result<(Token, usize), usize> {
        let found = SIGNS.into_iter().find(|sign| {
            sign.chars().enumerate().all(|(place, character)| self.peek(self.at + place) == Some(character))
        });
        match found {
            Some(sign) => Ok((Token::Sign(sign), self.at + sign.len())),
            // The first half of an operator is read before it turns out not to be one.
            None if matches!(self.peek(self.at), Some('=' | '&' | '|')) => Err(self.at + 1),
            None => Err(self.at),
        }
    }
}
