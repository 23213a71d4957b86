//! `{{name}}`: what it stands for, and whether it is known.

use std::collections::BTreeMap;

/// Values by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// The names that a text uses, in order.
pub(crate) fn used(text: &str) -> Vec<&str> {
    parts(text).filter_map(Result::err).filter(|name| repeated(name).is_none()).collect()
}

/// The text with values for names. `{{repeat x 1000}}` is a thousand times x. A name without a value stays as it is;
/// a script that uses one is refused before.
pub(crate) fn expand(text: &str, variables: &Variables) -> String {
    parts(text)
        .map(|part| match part {
            Ok(text) => text.to_owned(),
            Err(name) => match (variables.get(name), repeated(name)) {
                (Some(value), _) => value.clone(),
                (None, Some((what, times))) => what.repeat(times),
                (None, None) => format!("{{{{{name}}}}}"),
            },
        })
        .collect()
}

/// Text as `Ok`, names as `Err`.
fn parts(text: &str) -> impl Iterator<Item = Result<&str, &str>> {
    let mut pieces = text.split("{{");
    let first = pieces.next().into_iter().map(Ok);
    first.chain(pieces.flat_map(|piece| match piece.split_once("}}") {
        Some((name, rest)) => [Err(name.trim()), Ok(rest)],
        None => [Ok("{{"), Ok(piece)],
    }))
}

fn repeated(name: &str) -> Option<(&str, usize)> {
    let (what, times) = name.strip_prefix("repeat ")?.rsplit_once(' ')?;
    Some((what, times.parse().ok().filter(|times| *times <= REPEAT_MAX)?))
}

/// Enough to go over every limit of a server, and no more.
const REPEAT_MAX: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_replaced() {
        let text = "/a/{{ns}}?x={{ token }}&y={{repeat ab 3}}{{";
        assert_eq!(used(text), ["ns", "token"]);
        let variables = Variables::from([("ns".to_owned(), "n".to_owned()), ("token".to_owned(), "t".to_owned())]);
        assert_eq!(expand(text, &variables), "/a/n?x=t&y=ababab{{");
        assert_eq!(expand("{{nope}}", &variables), "{{nope}}");
    }
}
