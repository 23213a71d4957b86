//! The grammar of label selectors with kube-apiserver's words: what it found where, and what it expected instead.
//!
//! In: the text of a selector. Out: why it is none, if it is none; what a good one means is read by `pintle_core::labels`,
//! whose own words are for people who write selectors in Rust.

use crate::registry::validation::qualified_names;

/// Why this is not a label selector.
pub(crate) fn problem(text: &str) -> Option<String> {
    Parser { rest: text }.selector().err()
}

/// What is left to be read.
struct Parser<'a> {
    rest: &'a str,
}

/// One word or sign; nothing at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Sign(&'a str),
    End,
}

impl<'a> Token<'a> {
    fn text(self) -> &'a str {
        match self {
            Token::Word(text) | Token::Sign(text) => text,
            Token::End => "",
        }
    }

    /// `in` and `notin` are words that can be keys and values too.
    fn is_name(self) -> bool {
        matches!(self, Token::Word(_))
    }

    fn instead_of(self, expected: &str) -> String {
        format!("found '{}', expected: {expected}", self.text())
    }
}

impl<'a> Parser<'a> {
    fn selector(&mut self) -> Result<(), String> {
        loop {
            match self.peek() {
                Token::End => return Ok(()),
                token if token.is_name() || token == Token::Sign("!") => {}
                other => return Err(other.instead_of("!, identifier, or 'end of string'")),
            }
            self.requirement().map_err(|why| format!("unable to parse requirement: {why}"))?;
            match self.next() {
                Token::End => return Ok(()),
                Token::Sign(",") => {}
                other => return Err(other.instead_of("',' or 'end of string'")),
            }
            let after = self.peek();
            if !after.is_name() && after != Token::Sign("!") {
                return Err(after.instead_of("identifier after ','"));
            }
        }
    }

    fn requirement(&mut self) -> Result<(), String> {
        let is_negated = self.peek() == Token::Sign("!");
        if is_negated {
            self.next();
        }
        let key = self.next();
        if !key.is_name() {
            return Err(key.instead_of("identifier"));
        }
        let wrong = qualified_names::key(key.text());
        if !wrong.is_empty() {
            return Err(format!("<nil>: Invalid value: {:?}: {}", key.text(), wrong.join("; ")));
        }
        if is_negated || matches!(self.peek(), Token::End | Token::Sign(",")) {
            return Ok(());
        }
        match self.next() {
            Token::Word("in" | "notin") => check_values(key.text(), &self.values()?),
            Token::Sign("=" | "==" | "!=") => check_values(key.text(), &[self.value()?]),
            Token::Sign(">" | "<") => {
                let value = self.value()?;
                check_number(value)?;
                check_values(key.text(), &[value])
            }
            other => Err(other.instead_of("in, notin, =, ==, !=, gt, lt")),
        }
    }

    /// The value behind a sign, which may be nothing.
    fn value(&mut self) -> Result<&'a str, String> {
        match self.peek() {
            Token::End | Token::Sign(",") => Ok(""),
            _ => match self.next() {
                Token::Word(value) => Ok(value),
                other => Err(other.instead_of("identifier")),
            },
        }
    }

    fn values(&mut self) -> Result<Vec<&'a str>, String> {
        match self.next() {
            Token::Sign("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.text())),
        }
        let mut values = Vec::new();
        loop {
            match self.next() {
                // Nothing in parentheses is one value, the empty one.
                Token::Sign(")") if values.is_empty() => return Ok(vec![""]),
                Token::Sign(")") => return Ok(values),
                Token::Sign(",") => values.push(""),
                Token::Word(value) => {
                    values.push(value);
                    match self.peek() {
                        Token::Sign(",") => drop(self.next()),
                        Token::Sign(")") => {}
                        other => return Err(other.instead_of("',' or ')'")),
                    }
                }
                other if values.is_empty() => return Err(other.instead_of("',', ')' or identifier")),
                other => return Err(other.instead_of("',' or ')'")),
            }
        }
    }

    fn peek(&self) -> Token<'a> {
        Parser { rest: self.rest }.next()
    }

    fn next(&mut self) -> Token<'a> {
        self.rest = self.rest.trim_start_matches(is_space);
        let sign = SIGNS.iter().find(|sign| self.rest.starts_with(**sign)).map(|sign| sign.len());
        let is_end = |sign: char| is_space(sign) || "=!(),<>".contains(sign);
        let length = sign.unwrap_or_else(|| self.rest.find(is_end).unwrap_or(self.rest.len()));
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        match sign {
            Some(_) => Token::Sign(token),
            None if token.is_empty() => Token::End,
            None => Token::Word(token),
        }
    }
}

fn is_space(sign: char) -> bool {
    matches!(sign, ' ' | '\t' | '\r' | '\n')
}

fn check_values(key: &str, values: &[&str]) -> Result<(), String> {
    let wrong: Vec<String> = values
        .iter()
        .enumerate()
        .flat_map(|(index, value)| {
            let whys = qualified_names::label_value(value).into_iter();
            whys.map(move |why| format!("values[{index}][{key}]: Invalid value: {value:?}: {why}"))
        })
        .collect();
    match &wrong[..] {
        [] => Ok(()),
        [one] => Err(one.clone()),
        several => Err(format!("[{}]", several.join(", "))),
    }
}

fn check_number(value: &str) -> Result<(), String> {
    let why = "for 'Gt', 'Lt' operators, the value must be an integer";
    value.parse::<i64>().map(drop).map_err(|_| format!("values[0]: Invalid value: {value:?}: {why}"))
}

/// The longer one first.
const SIGNS: &[&str] = &["==", "!=", "=", "!", "(", ")", ",", "<", ">"];

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_core::labels::Requirements;

    #[test]
    fn what_is_wrong_is_said_as_kube_apiserver_does() {
        let table = [
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("a=(", "unable to parse requirement: found '(', expected: identifier"),
            ("a===b", "unable to parse requirement: found '=', expected: identifier"),
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a=b,", "found '', expected: identifier after ','"),
            (",a", "found ',', expected: !, identifier, or 'end of string'"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ];
        for (text, expected) in table {
            assert_eq!(problem(text).as_deref(), Some(expected), "{text}");
        }
        assert!(problem("a>b").unwrap().ends_with("the value must be an integer"));
        assert!(
            problem("-a=b").unwrap().starts_with("unable to parse requirement: <nil>: Invalid value: \"-a\": name")
        );
    }

    #[test]
    fn what_is_right_is_read() {
        for text in [
            "",
            "a",
            "!a",
            "a=b",
            "a==b,c!=d",
            "a in (b, c),d notin (e)",
            "in in (in)",
            "a>1,b<2",
            "a=",
            "a in (,b)",
            "a in ()",
        ] {
            assert_eq!(problem(text), None, "{text}");
            assert!(text.parse::<Requirements>().is_ok(), "{text}");
        }
    }
}
