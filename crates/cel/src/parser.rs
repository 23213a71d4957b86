//! The parser: the text of an expression becomes its tree, macros expanded.
//!
//! ```text
//!   text ─ lexer ─► tokens ─ cursor ─► this file, by recursive descent ─► Expr        literals: parser/literals.rs
//!                                         └─ has(), all(), map(), … ─► parser/macros.rs
//! ```
//! The grammar is that of cel-go, and so are the sentences about what does not fit into it. After a token that cannot be
//! there, nothing more is looked at; what is wrong with a literal, a name or a macro is collected.

mod cursor;
mod lexer;
mod literals;
mod macros;

use std::sync::Arc;

use cursor::begins;
use lexer::{Lexeme, Token};

use crate::ast::{Element, Entry, Expr, Id, Kind, Literal, Select, Struct, StructField, operators};
use crate::source::{Issue, Issues, Offset};

/// Reads an expression.
pub(crate) fn parse(text: &str) -> Result<Expr, Issues> {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() > LENGTH_MAX {
        let length = characters.len();
        return Err(Issues::whole(&format!(
            "expression code point size exceeds limit: size: {length}, limit {LENGTH_MAX}"
        )));
    }
    let mut issues = Vec::new();
    let tokens = lexer::tokens(&characters, &mut issues);
    let mut parser = Parser { text: &characters, tokens, at: 0, depth: 0, open: 0, next_id: 1, issues };
    match parser.whole() {
        Ok(expr) if parser.issues.is_empty() => Ok(expr),
        Err(Stop::TooDeep) => Err(Issues::whole(&format!("expression recursion limit exceeded: {DEPTH_MAX}"))),
        Ok(_) | Err(Stop::Syntax) => Err(Issues::new(text, parser.issues)),
    }
}

/// As many characters as an expression may have.
const LENGTH_MAX: usize = 100_000;

/// As deep as expressions may lie in each other. It also bounds the stack that checking and evaluating take.
const DEPTH_MAX: u32 = 250;

/// Names that CEL keeps for itself.
pub(crate) const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Why reading stopped; an issue says more.
enum Stop {
    Syntax,
    TooDeep,
}

type Parsed<T> = Result<T, Stop>;

struct Parser<'a> {
    text: &'a [char],
    tokens: Vec<Lexeme>,
    at: usize,
    depth: u32,
    /// How many brackets are open.
    open: u32,
    next_id: Id,
    issues: Vec<Issue>,
}

impl Parser<'_> {
    fn whole(&mut self) -> Parsed<Expr> {
        let expr = self.expr()?;
        if self.token() == Token::End {
            return Ok(expr);
        }
        let how = if self.token_after() == Token::End { "extraneous" } else { "mismatched" };
        self.refuse(&format!("{how} input {} expecting <EOF>", self.shown()))
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Stop::TooDeep);
        }
        let condition =
            self.logical(operators::OR, "||", |parser| parser.logical(operators::AND, "&&", Self::relation))?;
        let whole = if self.is_sign("?") {
            let offset = self.advance();
            let yes =
                self.logical(operators::OR, "||", |parser| parser.logical(operators::AND, "&&", Self::relation))?;
            self.expect(":")?;
            let no = self.expr()?;
            self.call(offset, operators::CONDITIONAL, vec![condition, yes, no])
        } else {
            condition
        };
        self.depth -= 1;
        Ok(whole)
    }

    /// Terms that one logical operator joins, as a balanced tree: a long chain is not a deep one.
    fn logical(&mut self, function: &str, sign: &str, mut term: impl FnMut(&mut Self) -> Parsed<Expr>) -> Parsed<Expr> {
        let mut terms = vec![term(self)?];
        let mut places = Vec::new();
        while self.is_sign(sign) {
            places.push(self.advance());
            terms.push(term(self)?);
        }
        Ok(self.balanced(function, terms, &places))
    }

    fn balanced(&mut self, function: &str, mut terms: Vec<Expr>, places: &[Offset]) -> Expr {
        if places.is_empty() {
            return terms.remove(0);
        }
        let middle = places.len() / 2;
        let right = terms.split_off(middle + 1);
        let left = self.balanced(function, terms, &places[..middle]);
        let right = self.balanced(function, right, &places[middle + 1..]);
        self.call(places[middle], function, vec![left, right])
    }

    fn relation(&mut self) -> Parsed<Expr> {
        const SIGNS: [(&str, &str); 7] = [
            ("<", "_<_"),
            ("<=", "_<=_"),
            (">=", "_>=_"),
            (">", "_>_"),
            ("==", operators::EQUALS),
            ("!=", operators::NOT_EQUALS),
            ("in", operators::IN),
        ];
        self.binary(&SIGNS, |parser| {
            parser.binary(&[("+", operators::ADD), ("-", "_-_")], |parser| {
                parser.binary(&[("*", "_*_"), ("/", "_/_"), ("%", "_%_")], Self::unary)
            })
        })
    }

    /// Operators of one precedence, from the left.
    fn binary(&mut self, signs: &[(&str, &str)], mut operand: impl FnMut(&mut Self) -> Parsed<Expr>) -> Parsed<Expr> {
        let mut left = operand(self)?;
        let mut length = 0;
        while let Some((_, function)) = signs.iter().find(|(sign, _)| self.is_sign(sign)) {
            length += 1;
            if self.depth + length > DEPTH_MAX {
                return Err(Stop::TooDeep);
            }
            let offset = self.advance();
            let right = operand(self)?;
            left = self.call(offset, function, vec![left, right]);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let (sign, function) = match self.token() {
            Token::Sign("!") => ("!", operators::NOT),
            Token::Sign("-") => ("-", operators::NEGATE),
            _ => return self.member(),
        };
        let is_number = matches!(self.token_after(), Token::Int | Token::Float);
        if sign == "-" && is_number {
            return self.member();
        }
        let offset = self.offset();
        let mut count = 0;
        while self.is_sign(sign) {
            self.at += 1;
            count += 1;
        }
        let operand = self.member()?;
        // Two of them are none.
        Ok(if count % 2 == 0 { operand } else { self.call(offset, function, vec![operand]) })
    }

    fn member(&mut self) -> Parsed<Expr> {
        let mut operand = self.primary()?;
        let mut length = 0;
        loop {
            length += 1;
            if self.depth + length > DEPTH_MAX {
                return Err(Stop::TooDeep);
            }
            operand = match self.token() {
                Token::Sign(".") => self.select(operand)?,
                Token::Sign("[") => self.index(operand)?,
                _ => return Ok(operand),
            };
        }
    }

    fn select(&mut self, operand: Expr) -> Parsed<Expr> {
        let offset = self.advance();
        let is_optional = self.is_sign("?");
        self.at += usize::from(is_optional);
        let field = self.field()?;
        if is_optional {
            let name = self.literal_at(offset, Literal::String(field));
            return Ok(self.call(offset, operators::OPTIONAL_SELECT, vec![operand, name]));
        }
        if self.is_sign("(") && self.tokens[self.at - 1].token == Token::Ident {
            let offset = self.offset();
            let arguments = self.arguments()?;
            return Ok(self.call_or_macro(offset, &field, Some(operand), arguments));
        }
        Ok(self.node(offset, Kind::Select(Box::new(Select { operand, field, is_test: false }))))
    }

    fn field(&mut self) -> Parsed<Arc<str>> {
        let text = self.token_text();
        match self.token() {
            Token::Ident => {}
            Token::EscapedIdent => {
                self.at += 1;
                return Ok(Arc::from(text.trim_matches('`')));
            }
            Token::Sign(word @ ("true" | "false" | "null")) => {
                return self.refuse(&format!("mismatched input '{word}' expecting IDENTIFIER"));
            }
            Token::End => return self.refuse("no viable alternative at input '.'"),
            _ => return self.refuse(&format!("no viable alternative at input '.{text}'")),
        }
        self.at += 1;
        Ok(Arc::from(text))
    }

    fn index(&mut self, operand: Expr) -> Parsed<Expr> {
        let offset = self.open();
        let is_optional = self.is_sign("?");
        self.at += usize::from(is_optional);
        let index = self.expr()?;
        self.close("]")?;
        let function = if is_optional { operators::OPTIONAL_INDEX } else { operators::INDEX };
        Ok(self.call(offset, function, vec![operand, index]))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        match self.token() {
            Token::Sign("(") => {
                self.open();
                let inner = self.expr()?;
                self.close(")")?;
                Ok(inner)
            }
            Token::Sign("[") => self.list(),
            Token::Sign("{") => self.map(),
            Token::Sign(".") | Token::Ident => self.name(),
            _ => self.literal(),
        }
    }

    fn literal(&mut self) -> Parsed<Expr> {
        let offset = self.offset();
        let is_negative = self.is_sign("-");
        self.at += usize::from(is_negative);
        let text = self.token_text();
        let read = match self.token() {
            Token::Int => literals::int(&text, is_negative),
            Token::Float => literals::double(&text, is_negative),
            Token::Uint => literals::uint(&text),
            Token::String => literals::string(&text),
            Token::Bytes => literals::bytes(&text),
            Token::Sign("true") => Ok(Literal::Bool(true)),
            Token::Sign("false") => Ok(Literal::Bool(false)),
            Token::Sign("null") => Ok(Literal::Null),
            _ => return self.refuse_beginning(""),
        };
        self.at += 1;
        let literal = read.unwrap_or_else(|why| {
            self.issues.push(Issue::new(offset, why));
            Literal::Null
        });
        Ok(self.literal_at(offset, literal))
    }

    /// A name, a call, or a message.
    fn name(&mut self) -> Parsed<Expr> {
        let offset = self.offset();
        let is_rooted = self.is_sign(".");
        self.at += usize::from(is_rooted);
        if self.token() != Token::Ident {
            return self.refuse(&format!("mismatched input {} expecting IDENTIFIER", self.shown()));
        }
        if let Some(length) = self.message_name() {
            return self.message(is_rooted, length);
        }
        let text = self.token_text();
        self.at += 1;
        if RESERVED.contains(&text.as_str()) {
            self.issues.push(Issue::new(offset, format!("reserved identifier: {text}")));
        }
        let name: Arc<str> = if is_rooted { Arc::from(format!(".{text}")) } else { Arc::from(text) };
        if self.is_sign("(") {
            let offset = self.offset();
            let arguments = self.arguments()?;
            return Ok(self.call_or_macro(offset, &name, None, arguments));
        }
        Ok(self.node(offset, Kind::Ident(name)))
    }

    /// How many tokens the name of a message has that begins here.
    fn message_name(&self) -> Option<usize> {
        let mut length = 1;
        loop {
            match (self.ahead(length), self.ahead(length + 1)) {
                (Token::Sign("{"), _) => return Some(length),
                (Token::Sign("."), Token::Ident) => length += 2,
                _ => return None,
            }
        }
    }

    fn message(&mut self, is_rooted: bool, length: usize) -> Parsed<Expr> {
        let mut name = if is_rooted { ".".to_owned() } else { String::new() };
        for _ in 0..length {
            name.push_str(&self.token_text());
            self.at += 1;
        }
        let offset = self.open();
        let mut fields = Vec::new();
        while !self.is_sign("}") {
            let is_optional = self.is_sign("?");
            self.at += usize::from(is_optional);
            if fields.is_empty() && !is_optional && !matches!(self.token(), Token::Ident | Token::EscapedIdent) {
                let shown = self.shown();
                let expected = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}";
                return self.refuse(&format!("mismatched input {shown} expecting {expected}"));
            }
            let name = self.field()?;
            let offset = self.expect(":")?;
            fields.push(StructField { name, offset, value: self.expr()?, is_optional });
            self.separator("}")?;
        }
        self.close("}")?;
        Ok(self.node(offset, Kind::Struct(Box::new(Struct { name, fields }))))
    }

    fn list(&mut self) -> Parsed<Expr> {
        let offset = self.open();
        let mut elements = Vec::new();
        while !self.is_sign("]") {
            let is_optional = self.is_sign("?");
            self.at += usize::from(is_optional);
            elements.push(Element { value: self.expr()?, is_optional });
            self.separator("]")?;
        }
        self.close("]")?;
        Ok(self.node(offset, Kind::List(elements)))
    }

    fn map(&mut self) -> Parsed<Expr> {
        let offset = self.open();
        let mut entries = Vec::new();
        while !self.is_sign("}") {
            let is_optional = self.is_sign("?");
            self.at += usize::from(is_optional);
            let key = self.expr()?;
            self.expect(":")?;
            entries.push(Entry { key, value: self.expr()?, is_optional });
            self.separator("}")?;
        }
        self.close("}")?;
        Ok(self.node(offset, Kind::Map(entries)))
    }

    /// After an item: a comma, or the end of the items.
    fn separator(&mut self, end: &'static str) -> Parsed<()> {
        if self.is_sign(",") {
            self.at += 1;
            return if self.is_sign(",") { self.expect(end).map(drop) } else { Ok(()) };
        }
        if self.is_sign(end) {
            return Ok(());
        }
        let after = self.token_after();
        let how = if after == Token::Sign(end) || after == Token::Sign(",") { "extraneous" } else { "mismatched" };
        self.refuse(&format!("{how} input {} expecting {{'{end}', ','}}", self.shown()))
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.open();
        let mut arguments = Vec::new();
        if !self.is_sign(")") {
            if !begins(self.token()) {
                return self.refuse_beginning("')', ");
            }
            arguments.push(self.expr()?);
            while self.is_sign(",") {
                self.at += 1;
                arguments.push(self.expr()?);
            }
        }
        self.close(")")?;
        Ok(arguments)
    }

    fn call_or_macro(&mut self, offset: Offset, name: &Arc<str>, target: Option<Expr>, arguments: Vec<Expr>) -> Expr {
        let expanded = macros::expand(self, offset, name, target, arguments);
        match expanded {
            Ok(expr) => expr,
            Err(call) => self.node(offset, Kind::Call(call)),
        }
    }
}
