//! The text of a label selector, read from left to right.

use std::collections::BTreeSet;

use super::Expression;

/// A label selector that cannot be understood.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("unable to parse label selector {selector:?}: {problem}")]
pub struct ParseSelectorError {
    selector: String,
    problem: String,
}

/// All conditions of `text`.
pub(super) fn expressions(text: &str) -> Result<Vec<Expression>, ParseSelectorError> {
    let mut reader = Reader { text, at: 0 };
    if reader.peek().is_none() {
        return Ok(Vec::new());
    }
    let mut expressions = vec![reader.expression()?];
    while reader.peek().is_some() {
        reader.expect(',', "expected ','")?;
        expressions.push(reader.expression()?);
    }
    Ok(expressions)
}

/// Where the reading has come to.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn expression(&mut self) -> Result<Expression, ParseSelectorError> {
        if self.take('!') {
            return Ok(Expression::DoesNotExist(self.key()?));
        }
        let key = self.key()?;
        match self.peek() {
            None | Some(',') => Ok(Expression::Exists(key)),
            Some('=') => {
                self.take('=');
                self.take('=');
                Ok(Expression::Equal(key, self.word().to_owned()))
            }
            Some('!') => {
                self.take('!');
                self.expect('=', "expected '=' behind '!'")?;
                Ok(Expression::NotEqual(key, self.word().to_owned()))
            }
            Some(sign @ ('<' | '>')) => Err(self.error(&format!("'{sign}' is not supported yet"))),
            Some(_) => match self.word() {
                "in" => Ok(Expression::In(key, self.values()?)),
                "notin" => Ok(Expression::NotIn(key, self.values()?)),
                _ => Err(self.error("expected an operator: =, ==, !=, in, notin")),
            },
        }
    }

    fn key(&mut self) -> Result<String, ParseSelectorError> {
        match self.word() {
            "" => Err(self.error("expected a label key")),
            key => Ok(key.to_owned()),
        }
    }

    fn values(&mut self) -> Result<BTreeSet<String>, ParseSelectorError> {
        self.expect('(', "expected '(' behind in or notin")?;
        let mut values = BTreeSet::from([self.word().to_owned()]);
        while self.take(',') {
            values.insert(self.word().to_owned());
        }
        self.expect(')', "expected ',' or ')' behind a value")?;
        Ok(values)
    }

    /// Everything up to the next space or sign, which may be nothing.
    fn word(&mut self) -> &'a str {
        self.peek();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| c.is_whitespace() || "=!<>(),".contains(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The next sign that is no space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(sign);
        self.at += if found { sign.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, sign: char, problem: &str) -> Result<(), ParseSelectorError> {
        if self.take(sign) { Ok(()) } else { Err(self.error(problem)) }
    }

    fn error(&self, problem: &str) -> ParseSelectorError {
        let problem = format!("{problem} at byte {}", self.at);
        ParseSelectorError { selector: self.text.to_owned(), problem }
    }
}
