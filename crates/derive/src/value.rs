//! What stands behind the name of an attribute: nothing, `= …` or `(…)`.
//!
//! In: the tokens of `#[kube(…)]` and its sisters. Out: names and [`Value`]s, which say what they are when they are
//! asked, or a mistake at their place. What a name means is not known here.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Result, Token, ext::IdentExt, parenthesized};

use crate::mistakes::Mistakes;

/// One attribute: its name and what is said about it.
pub(crate) struct Entry {
    pub(crate) name: Ident,
    pub(crate) value: Value,
}

/// What is said about a name.
pub(crate) enum Value {
    /// Only the name.
    Word(Span),
    /// `= expression`
    Is(Expr),
    /// `(…)`
    List(Values),
}

/// The inside of parentheses.
pub(crate) struct Values {
    span: Span,
    items: Punctuated<Item, Token![,]>,
}

/// One item inside parentheses.
enum Item {
    /// `name = expression`
    Named(Ident, Expr),
    /// `expression`
    Unnamed(Expr),
}

/// All entries of the attributes of this name, such as `kube`.
pub(crate) fn entries_of(attributes: &[Attribute], name: &str, mistakes: &mut Mistakes) -> Vec<Entry> {
    let lists = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    let entries = lists.filter_map(|attribute| {
        let list = mistakes.keep(attribute.meta.require_list())?;
        mistakes.keep(Punctuated::<Entry, Token![,]>::parse_terminated.parse2(list.tokens.clone()))
    });
    entries.flatten().collect()
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.call(Ident::parse_any)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Is(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let content;
            let parentheses = parenthesized!(content in input);
            let items = Punctuated::parse_terminated(&content)?;
            Value::List(Values { span: parentheses.span.join(), items })
        } else {
            Value::Word(name.span())
        };
        Ok(Self { name, value })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if !(input.peek(Ident) && input.peek2(Token![=])) {
            return input.parse().map(Self::Unnamed);
        }
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self::Named(name, input.parse()?))
    }
}

impl Value {
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Word(span) => *span,
            Self::Is(expression) => expression.span(),
            Self::List(values) => values.span,
        }
    }

    /// A string.
    pub(crate) fn text(&self) -> Result<LitStr> {
        match self {
            Self::Is(expression) => text(expression),
            _ => Err(Error::new(self.span(), "expected `= \"…\"`")),
        }
    }

    /// Whether the name is meant: alone, `= true` or `= false`.
    pub(crate) fn truth(&self) -> Result<bool> {
        match (self, self.literal()) {
            (Self::Word(_), _) => Ok(true),
            (_, Some(Lit::Bool(truth))) => Ok(truth.value),
            _ => Err(Error::new(self.span(), "expected nothing, `= true` or `= false`")),
        }
    }

    /// A number, with or without quotes.
    pub(crate) fn number(&self) -> Result<i32> {
        if let Some(Lit::Int(number)) = self.literal() {
            return number.base10_parse();
        }
        let text = self.text()?;
        text.value().parse().map_err(|_| Error::new(text.span(), "expected a number"))
    }

    fn literal(&self) -> Option<&Lit> {
        match self {
            Self::Is(expression) => literal(expression),
            _ => None,
        }
    }

    /// Any expression.
    pub(crate) fn expression(self) -> Result<Expr> {
        let span = self.span();
        match self {
            Self::Is(expression) => Ok(expression),
            _ => Err(Error::new(span, "expected `= …`")),
        }
    }
}

impl Values {
    /// The inside of parentheses as `name = value, …`.
    pub(crate) fn named(&self, mistakes: &mut Mistakes) -> Vec<(Ident, Value)> {
        let named = self.items.iter().filter_map(|item| match item {
            Item::Named(name, expression) => Some((name.clone(), Value::Is(expression.clone()))),
            Item::Unnamed(other) => mistakes.keep(Err(Error::new(other.span(), "expected `name = …`"))),
        });
        named.collect()
    }

    /// The inside of parentheses as `"key", "value"`.
    pub(crate) fn pair(&self) -> Result<(String, String)> {
        match self.items.iter().collect::<Vec<_>>().as_slice() {
            [Item::Unnamed(key), Item::Unnamed(value)] => Ok((text(key)?.value(), text(value)?.value())),
            _ => Err(Error::new(self.span, "expected `(\"key\", \"value\")`")),
        }
    }
}

fn text(expression: &Expr) -> Result<LitStr> {
    match literal(expression) {
        Some(Lit::Str(text)) => Ok(text.clone()),
        _ => Err(Error::new(expression.span(), "expected a string")),
    }
}

fn literal(expression: &Expr) -> Option<&Lit> {
    match expression {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        // Macros that write attributes wrap what they were given in an invisible group.
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}
