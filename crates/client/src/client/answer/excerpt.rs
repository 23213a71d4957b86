//! A little of an answer that is not a `Status`, such as a proxy's error page, to find out where it came from.
//!
//! In: any body. Out: its first words without mark-up, or nothing where it may be an object. What looks made up by a
//! machine, and what follows a word like `token`, is masked: an error ends up in logs, and a body may repeat a request.

/// The longest excerpt: the title and the first sentence of an error page.
const EXCERPT_CHARS_MAX: usize = 200;

/// The longest word that a person wrote.
const WORD_CHARS_MAX: usize = 20;

/// Words before a secret.
const KEYS: [&str; 9] =
    ["authorization", "basic", "bearer", "cookie", "credential", "key", "password", "secret", "token"];

/// Stands for what is not shown.
const MASK: &str = "***";

/// The first words of `body`; `None` where nothing of it can be shown.
pub(in crate::client) fn excerpt(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    // JSON and protobuf hold objects, whose content is not shown.
    if text.trim_start().starts_with(['{', '[', '"']) || text.starts_with("k8s\0") {
        return None;
    }
    let text = without_markup(text);
    let mut shown = String::new();
    let mut is_secret = false;
    for word in text.split(|letter: char| letter.is_whitespace() || letter.is_control()).filter(|word| !word.is_empty())
    {
        let word = if is_secret || !is_plain(word) { MASK } else { word };
        // `Authorization: Bearer x` announces it twice.
        is_secret = announces_a_secret(word) || (is_secret && word == MASK && shown.ends_with(':'));
        if shown.chars().count() + word.chars().count() >= EXCERPT_CHARS_MAX {
            shown.push('…');
            break;
        }
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(word);
    }
    (!shown.is_empty()).then_some(shown)
}

/// The text between tags; comments and what browsers run are left out.
fn without_markup(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        shown.push_str(before);
        shown.push(' ');
        let end = ["!--", "script", "style"].into_iter().zip(["-->", "</script>", "</style>"]);
        let hidden = end.into_iter().find(|(start, _)| tag.starts_with(start)).map(|(_, end)| end);
        rest = tag.split_once(hidden.unwrap_or(">")).map_or("", |(_, rest)| rest);
    }
    shown.push_str(rest);
    shown
}

/// Whether a person would write it: a word, a number, an address; not a token.
fn is_plain(word: &str) -> bool {
    let letters = || word.chars().filter(|letter| letter.is_alphanumeric());
    let is_word = letters().all(char::is_alphabetic) && !changes_case(word);
    let is_number = letters().all(|letter| letter.is_ascii_digit());
    word.chars().count() <= WORD_CHARS_MAX && (is_word || is_number)
}

/// `eyJhbG`: a capital behind a small letter.
fn changes_case(word: &str) -> bool {
    word.chars().zip(word.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase())
}

fn announces_a_secret(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    KEYS.iter().any(|key| word.ends_with(key) || word.trim_end_matches('s').ends_with(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_shown_by_their_first_words() {
        let cases = [
            ("<html><title>502 Bad Gateway</title><h1>It is down</h1>", "502 Bad Gateway It is down"),
            (
                "<style>a{b}</style>no\n\n healthy\tupstream<!-- x --> <script>y</script>at 10.0.0.1:80",
                "no healthy upstream at 10.0.0.1:80",
            ),
            ("a \u{1b}[31mred", "a *** "),
        ];
        for (page, shown) in cases {
            assert_eq!(excerpt(page.as_bytes()).unwrap(), shown.trim_end(), "{page}");
        }
        let long = excerpt("word ".repeat(500).as_bytes()).unwrap();
        assert!(long.ends_with('…') && long.chars().count() <= EXCERPT_CHARS_MAX + 1);
    }

    #[test]
    fn what_may_be_a_secret_is_masked() {
        let cases = [
            ("Authorization: Bearer hunter is wrong", "Authorization: *** *** is wrong"),
            ("your password hunter is wrong", "your password *** is wrong"),
            ("tokens: hunter", "tokens: ***"),
            ("said eyJhbGciOi and x9f8e7", "said *** and ***"),
            ("averyveryverylongwordthatnobodywrites", "***"),
        ];
        for (page, shown) in cases {
            assert_eq!(excerpt(page.as_bytes()).unwrap(), shown, "{page}");
        }
    }

    #[test]
    fn of_what_may_be_an_object_nothing_is_shown() {
        for body in [r#" {"data": "x"}"#, "[1]", "\"x\"", "k8s\0\n", "", "<html>"] {
            assert_eq!(excerpt(body.as_bytes()), None, "{body}");
        }
        assert_eq!(excerpt(&[0xff, b'a']), None);
    }
}
