//! The tokens of an expression as the parser goes along them, the nodes it makes, and what it says about a token that
//! cannot be where it is.

use std::sync::Arc;

use super::lexer::{self, Lexeme, Token};
use super::{Parsed, Parser, Stop};
use crate::ast::{Call, Expr, Kind, Literal};
use crate::source::{Issue, Offset};

/// What may begin an expression, as a syntax error lists it.
const BEGINNINGS: &str =
    "'.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

/// Nodes.
impl Parser<'_> {
    pub(super) fn node(&mut self, offset: Offset, kind: Kind) -> Expr {
        let id = self.next_id;
        self.next_id += 1;
        Expr { id, offset, kind }
    }

    pub(super) fn call(&mut self, offset: Offset, function: &str, arguments: Vec<Expr>) -> Expr {
        let call = Call { function: Arc::from(function), target: None, arguments };
        self.node(offset, Kind::Call(Box::new(call)))
    }

    pub(super) fn literal_at(&mut self, offset: Offset, literal: Literal) -> Expr {
        self.node(offset, Kind::Literal(literal))
    }
}

/// Tokens.
impl Parser<'_> {
    pub(super) fn token(&self) -> Token {
        self.ahead(0)
    }

    pub(super) fn token_after(&self) -> Token {
        self.ahead(1)
    }

    pub(super) fn ahead(&self, count: usize) -> Token {
        self.tokens.get(self.at + count).map_or(Token::End, |lexeme| lexeme.token)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(found) if found == sign)
    }

    pub(super) fn offset(&self) -> Offset {
        lexer::offset(self.tokens[self.at].begin)
    }

    /// Goes past a token and returns its place.
    pub(super) fn advance(&mut self) -> Offset {
        let offset = self.offset();
        self.at += 1;
        offset
    }

    pub(super) fn open(&mut self) -> Offset {
        self.open += 1;
        self.advance()
    }

    pub(super) fn close(&mut self, sign: &'static str) -> Parsed<()> {
        self.expect(sign)?;
        self.open -= 1;
        Ok(())
    }

    pub(super) fn token_text(&self) -> String {
        let Lexeme { begin, end, .. } = self.tokens[self.at];
        self.text[begin..end].iter().collect()
    }

    pub(super) fn shown(&self) -> String {
        if self.token() == Token::End { "'<EOF>'".to_owned() } else { format!("'{}'", self.token_text()) }
    }

    pub(super) fn expect(&mut self, sign: &'static str) -> Parsed<Offset> {
        if self.is_sign(sign) {
            return Ok(self.advance());
        }
        let shown = self.shown();
        if self.token_after() == Token::Sign(sign) {
            return self.refuse(&format!("extraneous input {shown} expecting '{sign}'"));
        }
        let fits_after = match (sign, self.token()) {
            (":", token) => begins(token),
            (_, Token::End) => self.open == 1,
            _ => false,
        };
        match fits_after {
            true => self.refuse(&format!("missing '{sign}' at {shown}")),
            false => self.refuse(&format!("mismatched input {shown} expecting '{sign}'")),
        }
    }

    pub(super) fn refuse<T>(&mut self, what: &str) -> Parsed<T> {
        let issue = Issue::new(self.offset(), format!("Syntax error: {what}"));
        self.issues.push(issue);
        Err(Stop::Syntax)
    }

    /// Refuses what is where an expression should begin.
    pub(super) fn refuse_beginning<T>(&mut self, or: &str) -> Parsed<T> {
        let follows_not = self.at > 0 && matches!(self.tokens[self.at - 1].token, Token::Sign("!"));
        let is_closed = or.contains(')') && self.token_after() == Token::Sign(")");
        let is_skippable = begins(self.token_after()) || follows_not || is_closed;
        let how = if is_skippable { "extraneous" } else { "mismatched" };
        let shown = self.shown();
        self.refuse(&format!("{how} input {shown} expecting {{'[', '{{', '(', {or}{BEGINNINGS}}}"))
    }
}

/// Whether an expression may begin with a token.
pub(super) fn begins(token: Token) -> bool {
    match token {
        Token::End | Token::EscapedIdent => false,
        Token::Sign(sign) => matches!(sign, "[" | "{" | "(" | "." | "-" | "!" | "true" | "false" | "null"),
        _ => true,
    }
}
