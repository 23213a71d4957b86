//! What follows the name of an attribute: nothing, `= …` or `(…)`.
//!
//! In: the tokens of `#[kube(…)]`, `#[x_kube(…)]` or `#[resource(…)]`. Out: names and [`Value`]s with typed accessors, or a
//! mistake at its location. What a name means is decided elsewhere.

use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, ExprPath, Ident, Lit, LitStr, Path, Result, Token, Type};
use syn::{ext::IdentExt, parenthesized};

use crate::mistakes::Mistakes;

/// One attribute: its name and its value.
pub(crate) struct Entry {
    pub(crate) name: Ident,
    pub(crate) value: Value,
}

/// The value of an attribute.
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

/// All entries of the attributes of this name, such as `kube`. One that cannot be parsed does not affect the others.
pub(crate) fn entries_of(attributes: &[Attribute], name: &str, mistakes: &mut Mistakes) -> Vec<Entry> {
    let mut entries = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        let Some(list) = mistakes.keep(attribute.meta.require_list()) else {
            continue;
        };
        let readable = (|input: ParseStream<'_>| readable_entries(input, mistakes)).parse2(list.tokens.clone());
        entries.extend(mistakes.keep(readable).into_iter().flatten());
    }
    entries
}

fn readable_entries(input: ParseStream<'_>, mistakes: &mut Mistakes) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let name = input.fork().call(Ident::parse_any).map(|name| name.to_string()).unwrap_or_default();
        match input.parse::<Entry>() {
            Ok(entry) => entries.push(entry),
            Err(mistake) => {
                mistakes.add_about(&name, mistake);
                skip_to_comma(input)?;
            }
        }
        if !input.is_empty() && input.parse::<Token![,]>().is_err() {
            mistakes.add(input.error("expected `,`"));
            skip_to_comma(input)?;
        }
    }
    Ok(entries)
}

fn skip_to_comma(input: ParseStream<'_>) -> Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
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
        // Keywords, too: `type = "…"` is a mistake in one name and must not end the parsing.
        if !(input.peek(Ident::peek_any) && input.peek2(Token![=])) {
            return input.parse().map(Self::Unnamed);
        }
        let name = input.call(Ident::parse_any)?;
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

    /// The name of a type, with or without quotes.
    pub(crate) fn type_name(&self) -> Result<Type> {
        let mistake = || Error::new(self.span(), "expected the name of a type");
        match self {
            Self::Is(expression) => match path(expression) {
                Some(path) => Ok(Type::Verbatim(path.to_token_stream())),
                None => self.text()?.parse().map_err(|_| mistake()),
            },
            _ => Err(Error::new(self.span(), "expected `= …`, the name of a type")),
        }
    }

    /// A path, with or without quotes.
    pub(crate) fn path(&self) -> Result<Path> {
        match self {
            Self::Is(expression) => match path(expression) {
                Some(path) => Ok(path.path.clone()),
                None => self.text()?.parse(),
            },
            _ => Err(Error::new(self.span(), "expected `= …`, a path")),
        }
    }

    /// One of a few words: `= "word"` or `(word)`.
    pub(crate) fn choice(&self) -> Result<(String, Span)> {
        match self {
            Self::List(values) => values.word(),
            _ => self.text().map(|text| (text.value(), text.span())),
        }
    }

    /// A boolean: the name alone, `= true` or `= false`, with or without quotes.
    pub(crate) fn truth(&self) -> Result<bool> {
        let quoted = |text: &LitStr| text.value().parse().ok();
        let truth = match (self, self.literal()) {
            (Self::Word(_), _) => Some(true),
            (_, Some(Lit::Bool(truth))) => Some(truth.value),
            (_, Some(Lit::Str(text))) => quoted(text),
            _ => None,
        };
        truth.ok_or_else(|| Error::new(self.span(), "expected nothing, `= true` or `= false`"))
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

impl Values {
    fn word(&self) -> Result<(String, Span)> {
        match self.items.iter().collect::<Vec<_>>().as_slice() {
            [Item::Unnamed(Expr::Path(only))] if only.path.get_ident().is_some() => {
                Ok((only.path.require_ident()?.to_string(), only.span()))
            }
            _ => Err(Error::new(self.span, "expected one word")),
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
        // Macros that write attributes wrap their arguments in an invisible group.
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

fn path(expression: &Expr) -> Option<&ExprPath> {
    match expression {
        Expr::Path(path) => Some(path),
        Expr::Group(group) => path(&group.expr),
        _ => None,
    }
}
