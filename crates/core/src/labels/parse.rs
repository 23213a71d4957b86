//! The text of a label selector, read from left to right.

use std::collections::BTreeSet;

use super::{Expression, Requirement};

/// A label selector that cannot be understood.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("unable to parse label selector {selector:?}: {problem}")]
pub struct ParseSelectorError {
    selector: String,
    problem: String,
}

impl ParseSelectorError {
    pub(super) fn new(selector: &str, problem: String) -> Self {
        Self { selector: selector.to_owned(), problem }
    }
}

/// All conditions of `text`, which must be such as kube's selector knows.
pub(super) fn expressions(text: &str) -> Result<Vec<Expression>, ParseSelectorError> {
    let known = |requirement| match requirement {
        Requirement::Expression(expression) => Ok(expression),
        other => Err(ParseSelectorError::new(text, format!("a Selector cannot say {other}: parse it as Requirements"))),
    };
    requirements(text)?.into_iter().map(known).collect()
}

/// All conditions of `text`.
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, ParseSelectorError> {
    let mut reader = Reader { text, at: 0 };
    if reader.peek().is_none() {
        return Ok(Vec::new());
    }
    let mut requirements = vec![reader.requirement()?];
    while reader.peek().is_some() {
        reader.expect(',', "expected ','")?;
        requirements.push(reader.requirement()?);
    }
    Ok(requirements)
}

/// Where the reading has come to.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn requirement(&mut self) -> Result<Requirement, ParseSelectorError> {
        if self.take('!') {
            return Ok(Expression::DoesNotExist(self.key()?).into());
        }
        let key = self.key()?;
        if self.take('>') {
            return Ok(Requirement::GreaterThan(key, self.number()?));
        }
        if self.take('<') {
            return Ok(Requirement::LessThan(key, self.number()?));
        }
        self.expression(key).map(Requirement::Expression)
    }

    /// What follows the key.
    fn expression(&mut self, key: String) -> Result<Expression, ParseSelectorError> {
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
            Some(_) => match self.word() {
                "in" => Ok(Expression::In(key, self.values()?)),
                "notin" => Ok(Expression::NotIn(key, self.values()?)),
                _ => Err(self.error("expected an operator: =, ==, !=, in, notin, >, <")),
            },
        }
    }

    fn key(&mut self) -> Result<String, ParseSelectorError> {
        match self.word() {
            "" => Err(self.error("expected a label key")),
            key => Ok(key.to_owned()),
        }
    }

    fn number(&mut self) -> Result<i64, ParseSelectorError> {
        let word = self.word();
        word.parse().map_err(|_| self.error("a whole number is expected behind > and <"))
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

    /// The next character that is not a space.
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
        ParseSelectorError::new(self.text, format!("{problem} at byte {}", self.at))
    }
}
